"""What a scorer returned, taken in strictly: one finite score a candidate, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from conformed.errors import GivenTypeError, GivenValueError
from conformed.evaluation.items import Whole
from conformed.model.base import Frozen, Missing

__all__ = ["Score", "Scored", "taken"]


class Score(Frozen):
    """One score. It orders candidates; a confidence it is only through a calibration on held-out labels."""

    value: Annotated[float, Field(allow_inf_nan=False)]
    """The score; higher is better."""
    tokens: Whole | None = None
    """Tokens that it sums over or averages, for likelihood scores; None for others."""


Scored = Score | Missing
"""A score, or why there is none."""


def taken(returned: Any, wanted: int) -> tuple[Scored, ...]:
    """Takes in what a scorer returned for some candidates.

    Args:
        returned: what it returned.
        wanted: number of candidates that it was given.

    Raises:
        GivenTypeError: when it returned no tuple, or something in it is no number, Score or Missing; a bool is no number.
        GivenValueError: for another number of scores, or a score that is not finite.
    """
    if not isinstance(returned, Sequence) or isinstance(returned, str | bytes):
        raise GivenTypeError(
            f"The scorer returned {type(returned).__name__}.", "A scorer returns a tuple, one score a candidate."
        )
    if len(returned) != wanted:
        raise GivenValueError(f"The scorer gave {len(returned)} scores for {wanted} candidates.", "Give one each, or a Missing.")
    return tuple(_one(place, value) for place, value in enumerate(returned))


def _one(place: int, value: Any) -> Scored:
    if isinstance(value, Score | Missing):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GivenTypeError(f"Score {place} is of type {type(value).__name__}.", "Give a finite number or a Missing.")
    try:
        number = float(value)
    except OverflowError:  # an int beyond every float
        number = math.inf
    if not math.isfinite(number):
        raise GivenValueError(f"Score {place} is {number}.", "Give a finite number, or a Missing with its reason.")
    return Score(value=number)
