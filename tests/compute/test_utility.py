"""Utility is the owner's: every value is asked for, and the parts add up exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.utility import OwnerValues, utility
from conformed.evaluation.metrics import scores

VALUES: dict[str, Any] = {
    "v_correct": "10",
    "c_wrong": "100",
    "c_abstain": "2",
    "c_compute": "1/100",
    "c_review": "1/2",
    "currency": "EUR",
    "owner": "Head of lending",
    "dated": "2026-01-05",
}


def test_by_hand() -> None:
    """8 right, 1 wrong, 1 for a person of 10: 10·0.8 − 100·0.1 − 2·0.1 − 0.01 − 0.5 = −2.71."""
    found = utility(OwnerValues(**VALUES), scores(["correct"] * 8 + ["incorrect", "review"]))
    assert found.value == Fraction(-271, 100)
    assert (found.gained, found.lost, found.abstained, found.spent) == (8, 10, Fraction(1, 5), Fraction(51, 100))


@pytest.mark.parametrize("name", list(VALUES))
def test_no_value_has_a_default(name: str) -> None:
    """Whatever the owner leaves out is refused, not guessed."""
    with pytest.raises(ValueError, match="Field required"):
        OwnerValues(**{key: value for key, value in VALUES.items() if key != name})


@pytest.mark.parametrize(
    "changed", [{"c_wrong": 100.0}, {"c_wrong": "-1"}, {"v_correct": True}, {"currency": "eur"}, {"owner": ""}, {"gain": "1"}]
)
def test_values_that_are_none(changed: dict[str, Any]) -> None:
    """Floats, negative costs, bools, words that are no currency, no owner and unknown fields are refused."""
    with pytest.raises(ValueError):
        OwnerValues(**(VALUES | changed))


def test_no_items() -> None:
    """Nothing judged has no utility."""
    with pytest.raises(ValueError, match="No item"):
        utility(OwnerValues(**VALUES), scores([]))


@given(st.lists(st.sampled_from(["correct", "incorrect", "review", "error"]), min_size=1, max_size=30))
def test_parts_add_up(outcomes: list[str]) -> None:
    """The utility is the mean of what each item is worth by its own outcome, exact."""
    values = OwnerValues(**VALUES)
    worth = {"correct": values.v_correct, "incorrect": -values.c_wrong, "review": -values.c_abstain, "error": -values.c_abstain}
    found = utility(values, scores(outcomes))
    each = sum((worth[one] - values.c_compute - values.c_review for one in outcomes), Fraction(0))
    assert found.value == each / len(outcomes) == found.gained - found.lost - found.abstained - found.spent
