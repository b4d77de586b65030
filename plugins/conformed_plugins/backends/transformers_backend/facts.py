"""Facts of a model as it was loaded: sizes for the planner, ends and padding for the decoder. Read from it, never from its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from conformed.errors import MirrorError

__all__ = ["ModelFacts", "read_facts"]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model before its weights are read."""

    parameters: int
    """Numbers in its weights, tied ones once."""
    layers: int
    """Layers."""
    hidden: int
    """Width of the hidden state."""
    heads: int
    """Query heads."""
    kv_heads: int
    """Key and value heads."""
    head_dim: int
    """Width of a head: its own fact, and often not hidden / heads."""
    vocabulary: int
    """Rows of the embedding."""
    tokens: int
    """Tokens of the tokenizer."""
    tied: bool
    """Whether embedding and output share their weights."""
    context: int
    """Most tokens of prompt and completion together."""
    stop_ids: tuple[int, ...]
    """Tokens that end a completion, sorted."""
    pad_id: int
    """Token that fills short rows. It is masked by place, so that it may be one of the tokens that end a completion and ends none."""

    @property
    def parameters_apart(self) -> int:
        """The same with embedding and output counted apart: what a checkpoint holds that stores a tied weight twice, as Qwen3's does."""
        return self.parameters + (self.vocabulary * self.hidden if self.tied else 0)

    @property
    def pad_is_stop(self) -> bool:
        """Whether the token of padding also ends a completion: then no row may be told from padding by its tokens."""
        return self.pad_id in self.stop_ids


def read_facts(config: Any, tokenizer: Any, *, model: str, spare_ids: int, generation: Any = None) -> ModelFacts:
    """Reads and checks the facts of a model.

    Args:
        config: its configuration.
        tokenizer: its tokenizer.
        model: its name, for messages.
        spare_ids: declared rows of the embedding that no token has.
        generation: its generation configuration, which may name more tokens that end; None where it has none.

    Raises:
        MirrorError: when the two vocabularies differ by another number than is declared, heads do not divide, or there is no token
            that ends, or none that fills.
    """
    with torch.device("meta"):
        hollow: Any = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    vocabulary, tokens = int(hollow.get_input_embeddings().weight.shape[0]), len(tokenizer)
    if vocabulary - tokens != spare_ids:
        raise MirrorError(
            f"{model} has {vocabulary} rows of embedding and {tokens} tokens: {vocabulary - tokens} rows to spare, "
            f"and {spare_ids} are declared.",
            "Declare the difference as spare_ids in the model's card, and pin again.",
        )
    heads = int(config.num_attention_heads)
    kv_heads = int(getattr(config, "num_key_value_heads", None) or heads)
    head_dim = getattr(config, "head_dim", None) or getattr(_attention(hollow), "head_dim", None)
    if heads % kv_heads or not head_dim:
        raise MirrorError(
            f"{model} has {heads} heads over {kv_heads} heads of keys, of width {head_dim}: they do not divide.", "Pin another."
        )
    stop_ids = _ends(config, tokenizer, generation)
    pad_id = _first(tokenizer.pad_token_id, getattr(generation, "pad_token_id", None), getattr(config, "pad_token_id", None))
    if not stop_ids or pad_id is None:
        raise MirrorError(
            f"{model} has no token that {'fills' if stop_ids else 'ends'}.", "Pin a model whose tokenizer has both."
        )
    outside = [one for one in (*stop_ids, pad_id) if not 0 <= one < vocabulary]
    if outside:
        raise MirrorError(f"{model} names the token {outside[0]}, and has {vocabulary}.", "Pin a model whose files agree.")
    return ModelFacts(
        parameters=int(hollow.num_parameters()),
        layers=int(config.num_hidden_layers),
        hidden=int(config.hidden_size),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=int(head_dim),
        vocabulary=vocabulary,
        tokens=tokens,
        tied=bool(getattr(config, "tie_word_embeddings", False)),
        context=int(config.max_position_embeddings),
        stop_ids=stop_ids,
        pad_id=pad_id,
    )


def _attention(hollow: Any) -> Any:
    return next((part for part in hollow.modules() if hasattr(part, "q_proj") and hasattr(part, "head_dim")), None)


def _ends(config: Any, tokenizer: Any, generation: Any) -> tuple[int, ...]:
    """Tokens that end: the tokenizer's, and those that the model was published to stop at."""
    found: set[int] = set()
    for one in (tokenizer.eos_token_id, getattr(config, "eos_token_id", None), getattr(generation, "eos_token_id", None)):
        found |= {int(one)} if isinstance(one, int) else {int(each) for each in one or ()}
    return tuple(sorted(found))


def _first(*values: int | None) -> int | None:
    return next((int(value) for value in values if value is not None), None)
