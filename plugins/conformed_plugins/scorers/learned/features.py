"""Hashed features of texts and of steps: whole numbers below a fixed size, the same on every machine."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

__all__ = ["BUCKETS", "FEATURES", "outcome_features", "step_features"]

FEATURES = "1"
"""Version of what is computed here; weights of another version are refused."""
BUCKETS = 1 << 14
"""Hashed features fall into so many places; two may share one."""
_LONGEST = 20_000
"""Characters of a text that are looked at: its end, where the answer is."""
_STEP = re.compile(r"[0-9]+|[-+*/=()]")


def _place(kind: str, text: str) -> int:
    return zlib.crc32(f"{kind}\x1f{text}".encode()) % BUCKETS


def _grams(kind: str, text: str, sizes: tuple[int, ...]) -> Iterator[int]:
    for size in sizes:
        for first in range(len(text) - size + 1):
            yield _place(kind, text[first : first + size])


def outcome_features(prompt: str, response: str) -> tuple[int, ...]:
    """Features of a whole response: which words and pieces of three or four characters it has. Each counts once, sorted."""
    text = response[-_LONGEST:].casefold()
    found = set(_grams("r", text, (3, 4)))
    found |= {_place("w", word) for word in text.split()}
    found |= {_place("p", word) for word in prompt[-_LONGEST:].casefold().split()}
    return tuple(sorted(found))


def step_features(step: str) -> tuple[int, ...]:
    """Features of one step: its numbers by their last digits, and by their remainders on division by 9.

    Whether an equation holds in these can be learned for all numbers from a few. The equation as a whole is no feature: it would
    be learned by heart. An error that changes neither (by 90, for instance) cannot be seen.
    """
    parts = _STEP.findall(step[-_LONGEST:])
    if not any(part.isdigit() for part in parts):
        return tuple(sorted(set(_grams("s", step[-_LONGEST:].casefold(), (3,)))))
    digits = "".join(part[-1] for part in parts)
    nines = "".join(str(sum(map(int, part)) % 9) if part.isdigit() else part for part in parts)
    return tuple(sorted({_place("d", digits), _place("n", nines)}))
