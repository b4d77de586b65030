"""What a look at a run found: a pattern that is seen, one that is not, or one that could not be judged, each with its figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from conformed.model.base import Frozen

__all__ = ["Judgement", "State", "mean", "shown", "standard_error", "thirds"]


class State(StrEnum):
    """Whether a pattern is there."""

    SEEN = "seen"
    ABSENT = "absent"
    NOT_JUDGED = "not_judged"
    """A figure that it needs is not there, or there are too few: never taken for absent."""


class Judgement(Frozen):
    """One pattern and what was found of it."""

    code: str
    """Its name."""
    state: State
    """Seen, absent, or not judged."""
    sentence: str
    """What was found, in plain words, with the figures; of one that was not judged, why."""
    figures: Mapping[str, float] = Field(default_factory=dict)
    """The figures behind it, by name."""
    harm: bool = True
    """Whether it speaks against the run where it is seen; an explanation does not."""

    @classmethod
    def found(cls, code: str, sentence: str, figures: Mapping[str, float], *, seen: bool, harm: bool = True) -> Judgement:
        """A pattern that could be judged."""
        return cls(code=code, state=State.SEEN if seen else State.ABSENT, sentence=sentence, figures=figures, harm=harm)

    @classmethod
    def blind(cls, code: str, reason: str) -> Judgement:
        """A pattern that could not be judged, and why."""
        return cls(code=code, state=State.NOT_JUDGED, sentence=reason)


def thirds(values: Sequence[float]) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    """The first, middle and last third; the two outer ones are of one size, at least 1 each of three values or more."""
    size = max(1, len(values) // 3)
    return values[:size], values[size : len(values) - size], values[len(values) - size :]


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return math.fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean; 0 of a single value."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum((one - centre) ** 2 for one in values) / (len(values) - 1) / len(values))


def shown(value: float) -> str:
    """A figure for people: up to four digits, never in powers of ten where it is of a usual size."""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.4g}"
