"""Utility with the owner's values: utility = v_correct·p_correct − c_wrong·p_wrong − c_abstain·p_abstain − c_compute − c_review.

Every value is entered by the application's owner, with a date. None has a default: a number that pretended to know what a wrong
answer costs a bank would decide in the owner's place.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import Field, field_validator

from conformed.errors import GivenValueError
from conformed.evaluation.metrics import Scores
from conformed.model.base import Exact, Frozen

__all__ = ["OwnerValues", "Utility", "utility"]


class OwnerValues(Frozen):
    """What answers are worth and cost, per item, in one currency."""

    v_correct: Exact
    """Worth of a correct answer."""
    c_wrong: Exact
    """Cost of a wrong one."""
    c_abstain: Exact
    """Cost of no answer."""
    c_compute: Exact
    """Mean cost of computing, an item."""
    c_review: Exact
    """Mean cost of people's reviews, an item: all items share what the reviews of some cost."""
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    """ISO 4217 code."""
    owner: Annotated[str, Field(min_length=1)]
    """Who entered the values."""
    dated: dt.date
    """Day on which they were entered."""

    @field_validator("v_correct", "c_wrong", "c_abstain", "c_compute", "c_review")
    @classmethod
    def _not_negative(cls, value: Exact) -> Exact:
        if value < 0:
            raise ValueError("A worth or cost is negative. Costs are entered as positive amounts; the formula subtracts them.")
        return value


class Utility(Frozen):
    """A utility and its parts, per item, exact."""

    value: Exact
    """The utility."""
    gained: Exact
    """v_correct·p_correct."""
    lost: Exact
    """c_wrong·p_wrong."""
    abstained: Exact
    """c_abstain·p_abstain; an item for a person and a failed check are both without an answer."""
    spent: Exact
    """c_compute + c_review."""
    n: int
    """Items."""
    currency: str
    """Currency of all parts."""


def utility(values: OwnerValues, scores: Scores) -> Utility:
    """Utility of a method per item.

    Args:
        values: the owner's.
        scores: the method's counts.

    Raises:
        GivenValueError: without items.
    """
    if not scores.n:
        raise GivenValueError("No item was judged.", "Run the method first.")
    gained = values.v_correct * scores.correct / scores.n
    lost = values.c_wrong * scores.incorrect / scores.n
    abstained = values.c_abstain * (scores.review + scores.error) / scores.n
    spent = values.c_compute + values.c_review
    return Utility(
        value=gained - lost - abstained - spent,
        gained=gained,
        lost=lost,
        abstained=abstained,
        spent=spent,
        n=scores.n,
        currency=values.currency,
    )
