"""Budgets from a pilot: equal budgets only, the least samples that do, the best spread, and quality beside what went wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.compute.budget import Pilot, Spent, allocate, difficulty, quality_per_token, samples_needed
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

NO_PRICE = Missing(reason="No price was entered.", code="no_price")


def test_difficulty_needs_equal_budgets() -> None:
    """Items with other budgets are refused: more samples would make an item look easier."""
    assert difficulty([Pilot(item="b", samples=3, correct=3), Pilot(item="a", samples=3, correct=0)]) == {
        "a": Fraction(7, 8),
        "b": Fraction(1, 8),
    }
    with pytest.raises(ValueError, match="budgets of 3, 4 samples"):
        difficulty([Pilot(item="a", samples=3, correct=1), Pilot(item="b", samples=4, correct=1)])
    with pytest.raises(ValueError, match="twice"):
        difficulty([Pilot(item="a", samples=3, correct=1), Pilot(item="a", samples=3, correct=2)])


def test_samples_needed_by_hand() -> None:
    """With p = 1/2 (one of two) three samples reach 7/8 and four are needed for more; out of reach is a reason."""
    pilot = Pilot(item="a", samples=2, correct=1)
    assert pilot.chance == Fraction(1, 2)
    assert samples_needed(pilot, target=Fraction(7, 8), most=10) == 3
    assert samples_needed(pilot, target=0.9, most=10) == 4
    assert samples_needed(pilot, target=0.5, most=1) == 1
    beyond = samples_needed(pilot, target=0.99, most=6)
    assert isinstance(beyond, Missing)
    assert beyond.code == "budget_too_small"


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.integers(1, 99))
def test_samples_needed_is_the_least(counts: tuple[int, int], percent: int) -> None:
    """N reaches the target and N − 1 does not."""
    pilot = Pilot(item="a", samples=counts[0], correct=counts[1])
    target = Fraction(percent, 100)
    needed = samples_needed(pilot, target=target, most=400)
    assert isinstance(needed, int)
    assert 1 - (1 - pilot.chance) ** needed >= target
    assert 1 - (1 - pilot.chance) ** (needed - 1) < target


@pytest.mark.parametrize(
    ("target", "most"), [(0, 5), (1, 5), (1.5, 5), (float("nan"), 5), (True, 5), ("0.9", 5), (0.9, 0), (0.9, True)]
)
def test_samples_needed_refusals(target: Any, most: Any) -> None:
    """A target that is no chance, and a limit that is none, are refused."""
    with pytest.raises((ValueError, TypeError)):
        samples_needed(Pilot(item="a", samples=2, correct=1), target=target, most=most)


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=3), st.integers(0, 6), st.integers(1, 4))
def test_allocation_is_the_best(corrects: list[int], extra: int, most: int) -> None:
    """No other way to give out the same samples expects more items with a correct one."""
    pilots = [Pilot(item=f"i{n}", samples=6, correct=c) for n, c in enumerate(corrects)]
    total = min(len(pilots) + extra, most * len(pilots))
    made = allocate(pilots, total=total, most=most)

    def expected(samples: tuple[int, ...]) -> Fraction:
        return sum((1 - (1 - one.chance) ** n for one, n in zip(pilots, samples, strict=True)), Fraction(0))

    given_out = tuple(one.samples for one in made)
    assert sum(given_out) == total
    others = [way for way in product(range(1, most + 1), repeat=len(pilots)) if sum(way) == total]
    # The order of gains is by logarithm: two ways that differ by rounding alone count as equal.
    assert expected(given_out) >= max(expected(way) for way in others) - Fraction(1, 10**12)


def test_allocation_is_repeatable_and_strict() -> None:
    """Ties go by id whatever the order; too few, too many, and unequal pilots are refused."""
    pilots = [Pilot(item=name, samples=2, correct=1) for name in "abc"]
    made = allocate(pilots, total=4, most=2)
    assert [(one.item, one.samples) for one in made] == [("a", 2), ("b", 1), ("c", 1)]
    assert allocate(pilots[::-1], total=4, most=2) == made
    for total in (2, 7, True, 4.0):
        with pytest.raises((ValueError, TypeError)):
            allocate(pilots, total=total, most=2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="budgets"):
        allocate([*pilots, Pilot(item="d", samples=3, correct=1)], total=6, most=2)


@pytest.mark.parametrize("fields", [{"samples": 0, "correct": 0}, {"samples": 2, "correct": 3}, {"samples": True, "correct": 1}])
def test_pilots_that_are_none(fields: dict[str, Any]) -> None:
    """No samples, more correct than samples, and a bool for a count are refused."""
    with pytest.raises(ValueError):
        Pilot(item="a", **fields)


def spent(accepted: bool, outcome: str, tokens: int = 100, cost: Any = "1/4", latency: int = 10) -> Spent:
    """What an item took."""
    return Spent(accepted=accepted, outcome=outcome, tokens=tokens, latency_ms=latency, cost=cost)


def test_quality_by_hand() -> None:
    """Two accepted correct of 500 tokens, one false accept of four accepted, one not told, one review, costs exact."""
    found = quality_per_token(
        [
            spent(True, "correct", latency=10),
            spent(True, "correct", latency=30),
            spent(True, "incorrect", latency=20),
            spent(True, "review", latency=50),
            spent(False, "correct", latency=90),
        ]
    )
    assert (found.accepted_correct, found.tokens, found.per_token) == (2, 500, Fraction(1, 250))
    assert isinstance(found.false_accepts, Proportion)
    assert (found.false_accepts.successes, found.false_accepts.trials) == (1, 4)
    assert isinstance(found.reviews, Proportion)
    assert (found.reviews.successes, found.reviews.trials) == (1, 5)
    assert (found.not_told, found.median_latency_ms, found.greatest_latency_ms) == (1, 30, 90)
    assert found.cost == Fraction(5, 4)


def test_quality_without_grounds() -> None:
    """No items, no tokens, nothing accepted or one unknown cost: reasons, not zeros."""
    empty = quality_per_token([])
    assert all(isinstance(one, Missing) for one in (empty.per_token, empty.false_accepts, empty.reviews, empty.median_latency_ms))
    rule = quality_per_token([spent(False, "review", tokens=0), spent(False, "review", tokens=0, cost=NO_PRICE, latency=11)])
    assert isinstance(rule.per_token, Missing)
    assert isinstance(rule.false_accepts, Missing)
    assert isinstance(rule.cost, Missing)
    assert rule.median_latency_ms == Fraction(21, 2)
