"""Budgets: how many samples an item gets, decided from a pilot, and what the tokens bought.

Difficulty is estimated only from items that were given the same budget: with more samples an item looks easier, and a budget that
followed such labels would feed on itself.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field, model_validator

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, whole
from conformed.evaluation.intervals import Proportion, proportion
from conformed.evaluation.items import Whole
from conformed.model.answer import Outcome
from conformed.model.base import Exact, Frozen, Missing

__all__ = ["Allocation", "Pilot", "Quality", "Spent", "allocate", "difficulty", "quality_per_token", "samples_needed"]


class Pilot(Frozen):
    """What a pilot found of one item."""

    item: str
    """Id."""
    samples: Annotated[int, Field(ge=1, strict=True)]
    """Samples drawn: the budget."""
    correct: Whole
    """Of them verified as correct."""

    @model_validator(mode="after")
    def _possible(self) -> Pilot:
        if self.correct > self.samples:
            raise ValueError(f"{self.correct} of {self.samples} samples are correct. Count again.")
        return self

    @property
    def chance(self) -> Fraction:
        """Chance that a sample is correct: Jeffreys' estimate, (correct + 1/2)/(samples + 1), never 0 or 1."""
        return Fraction(2 * self.correct + 1, 2 * (self.samples + 1))


class Allocation(Frozen):
    """Samples for an item."""

    item: str
    """Id."""
    samples: int
    """How many it gets."""


class Spent(Frozen):
    """What one answered item took and gave."""

    accepted: Annotated[bool, Field(strict=True)]
    """Whether the method let its answer pass."""
    outcome: Outcome
    """Of that answer against the reference."""
    tokens: Whole
    """Generated tokens, those of discarded and cancelled samples included."""
    latency_ms: Whole
    """Until the answer, in milliseconds."""
    cost: Exact | Missing
    """In the currency of the report; Missing where the owner entered no price."""


class Quality(Frozen):
    """What the tokens bought, never without what went wrong beside it."""

    items: int
    """Items answered."""
    accepted_correct: int
    """Accepted and correct."""
    tokens: int
    """Generated tokens."""
    per_token: Exact | Missing
    """accepted_correct / tokens."""
    false_accepts: Proportion | Missing
    """Wrong among the accepted."""
    not_told: int
    """Accepted, and the reference could not say: review or error."""
    reviews: Proportion | Missing
    """Not accepted, among all: what a person gets."""
    median_latency_ms: Exact | Missing
    """Median of the latency."""
    greatest_latency_ms: int | Missing
    """The longest wait."""
    cost: Exact | Missing
    """Sum; Missing where any item's is."""


def difficulty(pilots: Sequence[Pilot]) -> dict[str, Fraction]:
    """Difficulty of each item from 0 to 1: one less the chance that a sample is correct.

    Args:
        pilots: all with the same number of samples.

    Raises:
        GivenValueError: when the budgets differ, or an item stands twice.
    """
    budgets = sorted({one.samples for one in pilots})
    if len(budgets) > 1:
        raise GivenValueError(
            f"The items were given budgets of {', '.join(map(str, budgets))} samples.",
            "Estimate difficulty from items given the same budget; draw as many for each.",
        )
    made = {one.item: 1 - one.chance for one in sorted(pilots, key=lambda one: one.item)}
    if len(made) != len(pilots):
        raise GivenValueError("An item stands twice in the pilot.", "Give each once.")
    return made


def samples_needed(pilot: Pilot, *, target: float | Fraction, most: int) -> int | Missing:
    """Samples after which one is correct with the target's chance: the least N with 1 − (1 − p)^N ≥ target.

    It is the samples' own chance only; a verifier must still find the correct one.

    Args:
        pilot: of the item.
        target: chance wanted, above 0 and below 1.
        most: the most samples that may be drawn, at least 1.

    Returns:
        N, or Missing where even ``most`` would not do: such an item goes to a person instead of burning tokens.

    Raises:
        GivenTypeError: for a target that is no number, or a limit that is no int.
        GivenValueError: outside the ranges.
    """
    wanted = Fraction(finite("target", target))
    if not 0 < wanted < 1:
        raise GivenValueError(f"target is {target}.", "Give a chance between 0 and 1.")
    most = whole("most", most, least=1)
    missing = Fraction(1)
    for samples in range(1, most + 1):
        missing *= 1 - pilot.chance
        if 1 - missing >= wanted:
            return samples
    return Missing(
        reason=f"{most} samples of item {pilot.item} reach {float(1 - missing):.1%}, below {float(wanted):.1%}.",
        code="budget_too_small",
    )


def allocate(pilots: Sequence[Pilot], *, total: int, most: int) -> tuple[Allocation, ...]:
    """Spreads further samples over items so that as many items as possible are expected to get a correct one.

    Each sample goes where it adds most: to the item with the greatest p·(1 − p)^n after n samples. The gains of an item fall
    with n, so taking the greatest each time is best for the sum. Every item gets one.

    Args:
        pilots: all with the same number of samples (``difficulty`` says why).
        total: samples to give out, at least one an item.
        most: the most that an item may get, at least 1.

    Raises:
        GivenTypeError: for a count that is no int.
        GivenValueError: for a total that is less than one an item or more than all may get, or pilots of unequal budgets.
    """
    difficulty(pilots)
    most = whole("most", most, least=1)
    total = whole("total", total, least=len(pilots), most=most * len(pilots))
    given = {one.item: 1 for one in pilots}
    chances = {one.item: one.chance for one in pilots}
    # Logarithms order the gains as the products do, at any n, without long fractions; ties go by id.
    waiting = [(-(math.log(p) + math.log1p(-float(p))), item) for item, p in chances.items() if most > 1]
    heapq.heapify(waiting)
    for _ in range(total - len(pilots)):
        loss, item = heapq.heappop(waiting)
        given[item] += 1
        if given[item] < most:
            heapq.heappush(waiting, (loss - math.log1p(-float(chances[item])), item))
    return tuple(Allocation(item=item, samples=given[item]) for item in sorted(given))


def _median(values: Sequence[int]) -> Fraction:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return Fraction(ordered[middle]) if len(ordered) % 2 else Fraction(ordered[middle - 1] + ordered[middle], 2)


def quality_per_token(spent: Sequence[Spent]) -> Quality:
    """What the tokens bought: accepted correct outcomes per generated token, beside false accepts, reviews, latency and cost.

    Args:
        spent: one an item.
    """
    accepted = [one for one in spent if one.accepted]
    right = sum(one.outcome is Outcome.CORRECT for one in accepted)
    wrong = sum(one.outcome is Outcome.INCORRECT for one in accepted)
    tokens = sum(one.tokens for one in spent)
    none = Missing(reason="No item was answered.", code="no_trials")
    costs = [one.cost for one in spent if not isinstance(one.cost, Missing)]
    return Quality(
        items=len(spent),
        accepted_correct=right,
        tokens=tokens,
        per_token=Fraction(right, tokens) if tokens else Missing(reason="No token was generated.", code="no_tokens"),
        false_accepts=proportion(wrong, len(accepted), of="nothing was accepted"),
        not_told=len(accepted) - right - wrong,
        reviews=proportion(len(spent) - len(accepted), len(spent), of="no item was answered"),
        median_latency_ms=_median([one.latency_ms for one in spent]) if spent else none,
        greatest_latency_ms=max(one.latency_ms for one in spent) if spent else none,
        cost=sum(costs, Fraction(0))
        if len(costs) == len(spent) and spent
        else Missing(reason="The cost of an item is not known: its owner entered no price.", code="no_price"),
    )
