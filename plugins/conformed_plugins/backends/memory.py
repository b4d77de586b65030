"""What generation takes in memory, worked out before anything is allocated, from a model's configuration and never from its name.

    bytes of keys and values = layers x tokens x 2 x kv_heads x head_dim x bytes an element

times the rows. No torch is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformed.errors import GivenTypeError, GivenValueError

__all__ = ["ELEMENT_BYTES", "MemoryPlan", "ModelShape", "cache_bytes", "cache_bytes_per_token", "plan", "shape_of"]

ELEMENT_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8}
"""Bytes of a number, by the name of its type."""
_COLUMNS = 16


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes that memory depends on."""

    layers: int
    """Layers."""
    heads: int
    """Heads of queries."""
    kv_heads: int
    """Heads of keys and values."""
    head_dim: int
    """Width of a head, as configured: not always hidden / heads."""
    hidden: int
    """Width of the hidden state."""
    intermediate: int
    """Width of the gated layer."""
    vocabulary: int
    """Rows of the embedding."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes of one batch, by what they are for."""

    weights: int
    """The model's own weights."""
    packed: int
    """Copies of the weights that the batched decoder packs: query, key, value, gate and up."""
    cache: int
    """Keys and values of prompts and answers, allocated at once."""
    logits: int
    """Logits of one step and the probabilities made of them, in float32."""

    @property
    def total(self) -> int:
        """All of it. The work space of single products comes on top, and is small beside it."""
        return self.weights + self.packed + self.cache + self.logits


def shape_of(config: Any) -> ModelShape:
    """The sizes in a configuration of transformers.

    Raises:
        ValueError: when the configuration does not state one of them.
    """
    names = {
        "layers": "num_hidden_layers",
        "heads": "num_attention_heads",
        "kv_heads": "num_key_value_heads",
        "head_dim": "head_dim",
        "hidden": "hidden_size",
        "intermediate": "intermediate_size",
        "vocabulary": "vocab_size",
    }
    sizes = {ours: getattr(config, theirs, None) for ours, theirs in names.items()}
    for ours, size in sizes.items():
        if type(size) is not int or size < 1:
            raise GivenValueError(f"The configuration states {names[ours]} as {size!r}.", "Memory cannot be planned without it.")
    return ModelShape(**{name: int(size or 0) for name, size in sizes.items()})


def cache_bytes_per_token(shape: ModelShape, dtype: str) -> int:
    """Bytes of the keys and values of one token of one row: 114,688 for Qwen3-0.6B in bfloat16.

    Raises:
        ValueError: for a type that is not one of ELEMENT_BYTES.
    """
    if dtype not in ELEMENT_BYTES:
        raise GivenValueError(f"The type is {dtype!r}.", f"Use one of {', '.join(sorted(ELEMENT_BYTES))}.")
    return shape.layers * 2 * shape.kv_heads * shape.head_dim * ELEMENT_BYTES[dtype]


def cache_bytes(shape: ModelShape, dtype: str, *, tokens: int, rows: int = 1) -> int:
    """Bytes of keys and values of some rows, by the formula.

    Args:
        shape: the model's sizes.
        dtype: type of the cache.
        tokens: tokens of each row, prompt and answer.
        rows: rows, each sample one.

    Raises:
        ValueError: for an unknown type, and for counts below 1.
    """
    for name, count in (("tokens", tokens), ("rows", rows)):
        if type(count) is not int:
            raise GivenTypeError(f"{name} is {count!r}.", "Give a whole number.")
        if count < 1:
            raise GivenValueError(f"{name} is {count}.", "Give at least 1.")
    return cache_bytes_per_token(shape, dtype) * tokens * rows


def plan(
    shape: ModelShape, dtype: str, *, parameters: int, prompts: int, samples: int, prompt_tokens: int, new_tokens: int
) -> MemoryPlan:
    """What a batch of the batched decoder takes. The samples of a prompt share its keys and values.

    Args:
        shape: the model's sizes.
        dtype: type of the weights and of the cache.
        parameters: parameters of the model, tied ones once.
        prompts: different prompts at a time.
        samples: answers to each.
        prompt_tokens: tokens of the longest prompt; the cache rounds up to a multiple of 16.
        new_tokens: most tokens of an answer; rounded up in the same way.

    Raises:
        ValueError: as in ``cache_bytes``.
    """
    before, after = (-(-tokens // _COLUMNS) * _COLUMNS for tokens in (prompt_tokens, new_tokens))
    copied = shape.hidden * ((shape.heads + 2 * shape.kv_heads) * shape.head_dim + 2 * shape.intermediate)
    rows = prompts * samples
    return MemoryPlan(
        weights=parameters * ELEMENT_BYTES.get(dtype, 0),
        packed=shape.layers * copied * ELEMENT_BYTES.get(dtype, 0),
        cache=cache_bytes(shape, dtype, tokens=before, rows=prompts) + cache_bytes(shape, dtype, tokens=after, rows=rows),
        logits=3 * rows * shape.vocabulary * 4,
    )
