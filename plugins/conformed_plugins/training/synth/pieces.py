"""What a wording is composed of: an opening, a core that carries the fields, a sentence beside it that misleads, a tail."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Bank", "Core"]


class Core(NamedTuple):
    """The sentence that carries the fields. Slots: ``{R}`` figure, ``{D…}`` words of comparison, ``{L}`` level, ``{T}`` date.

    Every slot stands after a blank. A core without a slot has no such field; one without any states no covenant.
    """

    name: str
    """Unique in its bank."""
    style: str
    """``us`` or ``uk``: how dates are written."""
    pattern: str
    """The pattern of the rule book that it follows."""
    text: str


class Bank(NamedTuple):
    """The parts that one group of splits uses. No part is in two banks."""

    name: str
    """The group: sft, grpo, unseen, final."""
    cores: tuple[Core, ...]
    openings: tuple[str, ...]
    """Captions and lead-ins; the core follows them after a blank."""
    besides: tuple[tuple[str, str], ...]
    """Place (``before`` or ``after``) and a sentence with other figures, levels and dates."""
    tails: tuple[str, ...]
    """Last sentences, without figures."""
    rounds: int
    """How many wordings are composed of each core."""
