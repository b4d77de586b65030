"""Scores are taken in strictly, and the deployed procedure selects by them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.scorers.bank import Bank
from conformed.evaluation.scorers.score import Score, taken
from conformed.evaluation.scorers.selecting import select_from_bank
from conformed.model.base import Missing

NONE = Missing(reason="No score.", code="no_score")
MakeBank = Callable[..., Bank]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, True, "0.5", None, 10**400, [0.5]])
def test_scores_that_are_refused(bad: Any) -> None:
    """What is no finite number is refused, among good ones too: a bank with such a score has no replay."""
    with pytest.raises((ValueError, TypeError), match="Score 1"):
        taken((0.5, bad), 2)


@pytest.mark.parametrize("returned", [(0.5,), (0.5, 0.5, 0.5), (), None, 0.5, "ab", {0.1, 0.2}])
def test_one_score_a_candidate(returned: Any) -> None:
    """Too few, too many, and what is no sequence of scores are refused."""
    with pytest.raises((ValueError, TypeError)):
        taken(returned, 2)


def test_a_score_cannot_be_made_of_nan() -> None:
    """Nor by hand."""
    with pytest.raises(ValueError):
        Score(value=math.nan)


def _scores(bank: Bank, *values: Any) -> dict[tuple[str, int], Any]:
    return dict(zip([one.key for one in bank.candidates], taken(values, len(bank.candidates)), strict=True))


def test_the_greatest_score_with_an_answer(make_bank: MakeBank) -> None:
    """The first of equals is selected and the tie is counted; a candidate without an answer or score never is."""
    bank = make_bank({"a": ["incorrect", "correct", "correct", "review"], "b": ["correct", "incorrect"], "c": ["review"]})
    made = select_from_bank(bank, _scores(bank, 0.2, 0.7, 0.7, 0.9, NONE, 0.1, 1.0), None)
    assert [(one.item, one.sample, one.verdict, one.tied) for one in made] == [
        ("a", 1, "accept", 2), ("b", 1, "accept", 1), ("c", None, "review", 0),
    ]  # fmt: skip
    assert [one.right for one in made] == [True, False, False]


def test_below_the_threshold_is_for_a_person(make_bank: MakeBank) -> None:
    """At the threshold a candidate is taken, below it is not, and what is not taken is not right."""
    bank = make_bank({"a": ["correct"], "b": ["correct"]})
    made = select_from_bank(bank, _scores(bank, 0.5, math.nextafter(0.5, 0)), Fraction(1, 2))
    assert [(one.verdict, one.right) for one in made] == [("accept", True), ("review", False)]


@given(st.data())
def test_only_the_order_counts(data: Any) -> None:
    """Any change of scores that keeps their order, ties included, selects the same candidates."""
    from conformed.evaluation.scorers.bank import bank_of

    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    lines = [
        f'{{"item": "i{n}", "sample": {k}, "split": "t", "generator": "g", "prompt": "p", "response": "r", "answer": "1",'
        f' "outcome": "correct"}}'
        for n, size in enumerate(sizes)
        for k in range(size)
    ]
    bank = bank_of("\n".join(lines).encode(), name="b")
    values = data.draw(st.lists(st.integers(-5, 5), min_size=len(lines), max_size=len(lines)))
    first = select_from_bank(bank, _scores(bank, *values), None)
    second = select_from_bank(bank, _scores(bank, *(one**3 - 1000.0 for one in values)), None)
    assert [(one.item, one.sample) for one in first] == [(one.item, one.sample) for one in second]


def test_a_candidate_that_was_not_scored(make_bank: MakeBank) -> None:
    """A selection over half the candidates is no selection."""
    bank = make_bank({"a": ["correct", "correct"]})
    with pytest.raises(ValueError, match="was not scored"):
        select_from_bank(bank, {("a", 0): Score(value=1.0)}, None)
    with pytest.raises(ValueError, match="no item"):
        select_from_bank(bank, _scores(bank, 1, 1), None, split="train")
