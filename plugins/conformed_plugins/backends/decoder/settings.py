"""What a decoder is asked for and what it gives."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conformed.errors import GivenTypeError, GivenValueError
from conformed_plugins.backends.decoder.grammar import Grammar
from conformed_plugins.backends.sampling import check_settings

__all__ = ["Decoded", "Settings", "Stop", "row_keys"]

Stop = Literal["eos", "length", "context"]


@dataclass(frozen=True, slots=True)
class Decoded:
    """One sampled continuation of one prompt."""

    tokens: tuple[int, ...]
    """Token ids without the prompt's. A stop token that ended the row is the last of them."""
    behaviour_logprobs: tuple[float, ...]
    """Per token, natural logarithm under the distribution that was drawn from: tempered, truncated, kept to the grammar. 0 where
    greedy."""
    model_logprobs: tuple[float, ...]
    """Per token, under the plain softmax of the model."""
    stop: Stop
    """eos: a stop token. length: the cap on new tokens. context: the cap on prompt and new tokens together."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to decode.

    Raises:
        ValueError: for a value out of range.
        TypeError: for a value of another type.
    """

    max_new_tokens: int
    """Most tokens of an answer, at least 1."""
    stop_ids: frozenset[int]
    """Tokens that end a row. May be empty."""
    samples: int = 1
    """Answers to each prompt, at least 1."""
    seed: int = 0
    """Any integer. Greedy answers do not depend on it."""
    temperature: float | None = None
    """None is greedy."""
    top_p: float = 1.0
    """Mass of the nucleus."""
    max_context: int | None = None
    """Most tokens of prompt and answer together; None is what the model's configuration says. Never above that."""
    schema: Grammar | None = None
    """A grammar that every answer keeps to."""
    share_prompts: bool = True
    """Whether the samples of a prompt share its computation. False is for measurements."""
    until: Callable[[Sequence[int]], bool] | None = None
    """Told of the tokens of a row after each; True ends it, as a stop token does. None asks nobody."""
    max_rows: int = field(default=64)
    """Most rows at a time; further ones wait. Changes no token."""

    def __post_init__(self) -> None:
        """Refuses what means nothing."""
        for name in ("max_new_tokens", "samples", "max_rows"):
            _whole(name, getattr(self, name), least=1)
        _whole("seed", self.seed, least=None)
        if self.max_context is not None:
            _whole("max_context", self.max_context, least=1)
        check_settings(1.0 if self.temperature is None else self.temperature, self.top_p)


def row_keys(prompts: Sequence[Sequence[int]], keys: Sequence[str] | None) -> tuple[str, ...]:
    """A key for each prompt: those given, or the digest of its tokens.

    Args:
        prompts: token ids.
        keys: one a prompt, or None. Prompts of one key draw the same numbers.

    Raises:
        ValueError: for keys that are not as many as the prompts, and for an empty prompt.
    """
    if keys is not None and len(keys) != len(prompts):
        raise GivenValueError(f"There are {len(keys)} keys for {len(prompts)} prompts.", "Give one a prompt.")
    if not all(len(prompt) for prompt in prompts):
        raise GivenValueError("A prompt has no tokens.", "Begin it with a token.")
    if keys is not None:
        return tuple(keys)
    return tuple(hashlib.sha256(" ".join(map(str, prompt)).encode()).hexdigest() for prompt in prompts)


def _whole(name: str, value: object, *, least: int | None) -> None:
    if type(value) is not int:
        raise GivenTypeError(f"{name} is {value!r}.", "Give a whole number.")
    if least is not None and value < least:
        raise GivenValueError(f"{name} is {value}.", f"Give at least {least}.")
