"""Best of N: all ways choose from one bank, the oracle is not deployable, and a scorer that is exploited shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.compute.selection import METHODS, BankCandidate, SelectionRow, best_of_n
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing


def made(answer: str | None, outcome: str, check: str | None = None, score: float | None = None) -> BankCandidate:
    """A candidate."""
    return BankCandidate(answer=answer, outcome=outcome, check=check, score=score)


BANK = {
    "a": [
        made("5", "incorrect", "incorrect", 0.9),
        made("4", "correct", "correct", 0.2),
        made("4", "correct", "correct", 0.3),
    ],
    "b": [made("7", "correct", "review", 0.1), made("8", "incorrect", "incorrect", 0.8), made(None, "review", None, 0.99)],
}


def right(row: SelectionRow) -> tuple[int, int]:
    """Correct choices, and choices not made."""
    assert isinstance(row.selection.chosen_correct, Proportion)
    assert isinstance(row.selection.no_choice, Proportion)
    return row.selection.chosen_correct.successes, row.selection.no_choice.successes


def test_by_hand() -> None:
    """At 3: vote finds a and ties on b, the check finds a and nothing on b, the scorer is wrong twice, the oracle right."""
    table = best_of_n(BANK, [3, 1], seed=1)
    rows = {(row.selection.at, row.method): row for row in table.rows}
    assert list(rows) == [(size, method) for size in (1, 3) for method in METHODS]
    assert right(rows[3, "vote"]) == (1, 1)
    assert right(rows[3, "deterministic"]) == (1, 1)
    assert right(rows[3, "learned"]) == (0, 0)
    assert right(rows[3, "oracle"]) == (2, 0)
    assert rows[3, "learned"].mean_score == pytest.approx(0.85)
    assert [row.method for row in table.rows if not row.deployable] == ["oracle", "oracle"]
    assert right(rows[1, "random"]) == right(rows[1, "vote"]) == right(rows[1, "learned"]) == (1, 0)
    assert right(rows[1, "deterministic"]) == (0, 2)
    assert right(rows[1, "oracle"]) == (1, 1)


def test_an_exploited_scorer_shows() -> None:
    """From 1 to 3 its score rises and its accuracy falls; the random audit stands beside it."""
    (shift,) = best_of_n(BANK, [1, 3], seed=1).shifts
    assert (shift.smaller, shift.larger) == (1, 3)
    assert shift.score_change == pytest.approx(0.35)
    assert shift.accuracy_change == -0.5
    assert shift.exploited
    honest = {"a": [made("5", "incorrect", None, 0.1), made("4", "correct", None, 0.9)]}
    assert not best_of_n(honest, [1, 2], seed=1).shifts[0].exploited


def test_no_scores() -> None:
    """Without any score the scorer chooses nothing, and there is a reason in place of its mean."""
    table = best_of_n({"a": [made("4", "correct"), made("5", "incorrect")]}, [1, 2], seed=1)
    learned = [row for row in table.rows if row.method == "learned"]
    assert [right(row) for row in learned] == [(0, 1), (0, 1)]
    assert all(isinstance(row.mean_score, Missing) for row in learned)
    assert isinstance(table.shifts[0].score_change, Missing)
    assert not table.shifts[0].exploited


candidates = st.builds(
    made,
    st.sampled_from(["1", "2", None]),
    st.sampled_from(["correct", "incorrect", "review", "error"]),
    st.sampled_from(["correct", "incorrect", "review", "error", None]),
    st.one_of(st.none(), st.floats(0, 1)),
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), st.lists(candidates, min_size=3, max_size=3), min_size=1), st.integers(0, 9))
def test_nothing_beats_the_oracle(bank: dict[str, list[BankCandidate]], seed: int) -> None:
    """For any bank no way is right more often than the oracle, one candidate leaves no choice, and order does not matter."""
    table = best_of_n(bank, [1, 2, 3], seed=seed)
    rows = {(row.selection.at, row.method): right(row)[0] for row in table.rows}
    assert all(rows[size, method] <= rows[size, "oracle"] for size in (1, 2, 3) for method in METHODS)
    assert rows[1, "random"] == rows[1, "oracle"]
    assert table == best_of_n(dict(reversed(bank.items())), [3, 2, 1, 1], seed=seed)


def test_random_is_random() -> None:
    """Over many items each place is drawn about equally often, and another seed draws otherwise."""
    bank = {f"i{n}": [made("4", "correct"), made("5", "incorrect")] for n in range(1000)}
    counts = [right(best_of_n(bank, [2], seed=seed).rows[0])[0] for seed in (1, 2)]
    assert all(430 < count < 570 for count in counts)
    assert counts[0] != counts[1]


@pytest.mark.parametrize(
    ("bank", "at", "seed"), [({}, [1], 1), (BANK, [], 1), (BANK, [4], 1), (BANK, [0], 1), (BANK, [True], 1), (BANK, [1], -1)]
)
def test_refusals(bank: Any, at: Any, seed: Any) -> None:
    """An empty bank, no N, and an N that an item cannot offer are refused; so is a score that is not finite."""
    with pytest.raises((ValueError, TypeError)):
        best_of_n(bank, at, seed=seed)
    with pytest.raises(ValueError):
        made("4", "correct", None, float("nan"))
