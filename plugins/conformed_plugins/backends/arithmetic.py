"""A backend that generates nothing: it works out the one calculation that a prompt asks for, by rule. The baseline of baselines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

from conformed.hooks import NoOptions
from conformed.ports import Completion
from conformed_plugins.verifiers.expression import Refused, worked

__all__ = ["ArithmeticBackend"]

_ASKED = re.compile(
    r"\b(?:what is|compute|calculate|evaluate|work out)\s*+(?::\s*+)?([0-9(][0-9+\-*/(). ]*+)(?=[?\n]|\Z)", re.IGNORECASE
)
"""The words that ask, and the whole run of signs behind them up to a question mark, the line's end or the prompt's. The quantifiers
give nothing back, so that a prompt of any length takes time in proportion to it."""
_MOST = 400
"""Longest calculation, characters."""
_BITS = 4096


class _Every(AbstractSet[Fraction]):
    """All numbers: whatever the question writes out may be used."""

    def __contains__(self, value: object) -> bool:
        return True

    def __iter__(self) -> Iterator[Fraction]:
        return iter(())

    def __len__(self) -> int:
        return 0


class ArithmeticBackend:
    """Answers a prompt that asks for one calculation over numbers with ``+ - * / ( )``, exactly. To any other it says nothing."""

    repeatable = True

    def __init__(self, _options: NoOptions) -> None:
        self._producer = f"sha256:{hashlib.sha256(b'arithmetic 1.0.0').hexdigest()}"

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt; all samples are the same. No token is generated."""
        return tuple((self._one(prompt),) * samples for prompt in prompts)

    def _one(self, prompt: str) -> Completion:
        return Completion(_answer(prompt), (), (), (), "eos", self._producer, 0)


def _answer(prompt: str) -> str:
    asked = list(_ASKED.finditer(prompt))
    if len(asked) != 1:
        return ""
    written = asked[0][1].rstrip(" .")
    beside = prompt[: asked[0].start(1)] + prompt[asked[0].end(1) :]
    if len(written) > _MOST or any(character.isdigit() for character in beside):
        return ""  # a number that stands beside the calculation may have a part in what is asked
    try:
        value, _names = worked(written, {}, _Every(), bits=_BITS)
    except Refused:
        return ""
    return f"{written} = {value}\n<final>{value}</final>"
