"""Accuracy, coverage, pass@k and selection accuracy: exact, with counts, and strict."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import ConformedError
from conformed.evaluation.intervals import Proportion
from conformed.evaluation.metrics import pass_at_k, pass_at_k_exact, scores, selection_accuracy
from conformed.model.answer import Outcome
from conformed.model.base import Missing


def test_vectors(vectors: Callable[[str], list[dict[str, Any]]]) -> None:
    """The published right answers and refusals."""
    for row in vectors("pass_at_k"):
        counts = {name: row[name] for name in ("n", "c", "k")}
        if row.get("refused"):
            with pytest.raises((ValueError, TypeError)):
                pass_at_k(**counts)
        else:
            assert pass_at_k(**counts) == pytest.approx(row["value"], abs=1e-15)


def test_pass_at_k_counts_draws() -> None:
    """The value is the share of all draws of k that hold a correct sample, counted one by one."""
    for n in range(1, 8):
        for c in range(n + 1):
            for k in range(1, n + 1):
                draws = list(combinations(range(n), k))
                held = sum(min(draw) < c for draw in draws)
                assert pass_at_k_exact(n=n, c=c, k=k) == Fraction(held, len(draws))


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_rounded_once(counts: tuple[int, int, int]) -> None:
    """The float is the nearest to the formula's exact value, with and without the shortcut for values that round to 1."""
    n, c, k = counts
    exact = 1 - Fraction(comb(n - c, k), comb(n, k))
    assert pass_at_k_exact(n=n, c=c, k=k) == exact
    assert pass_at_k(n=n, c=c, k=k) == float(exact)


def test_pass_at_k_for_large_n() -> None:
    """A million samples take well under a second, and a tiny chance keeps all its digits."""
    began = time.process_time()
    assert pass_at_k(n=1_000_000, c=1, k=1) == 1e-06
    assert pass_at_k(n=1_000_000, c=500_000, k=500_000) == 1.0
    assert pass_at_k(n=1_000_000, c=6000, k=6000) == float(1 - Fraction(comb(994_000, 6000), comb(10**6, 6000)))
    assert pass_at_k(n=10**15, c=3, k=1) == 3e-15
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [(5, 6, 1), (5, -1, 1), (5, 2, 0), (5, 2, 6), (0, 0, 1), (5, True, 1), (True, 1, 1), (5, 1, True), (5.0, 1, 1), ("5", 1, 1)],
)
def test_pass_at_k_refusals(n: Any, c: Any, k: Any) -> None:
    """Outside 0 ≤ c ≤ n and 1 ≤ k ≤ n, and for bools, floats and texts, there is no value, exact or rounded."""
    for function in (pass_at_k, pass_at_k_exact):
        with pytest.raises((ValueError, TypeError)) as refusal:
            function(n=n, c=c, k=k)
        assert isinstance(refusal.value, ConformedError)


def test_scores_by_hand() -> None:
    """3 right, 2 wrong, 4 for a person, 1 failed check: each share over its own trials."""
    found = scores(["correct"] * 3 + ["incorrect"] * 2 + ["review"] * 4 + ["error"])
    assert (found.n, found.correct, found.incorrect, found.review, found.error) == (10, 3, 2, 4, 1)
    shares = (found.accuracy, found.coverage, found.selective_accuracy, found.review_rate, found.error_rate)
    assert all(isinstance(one, Proportion) for one in shares)
    expected = [(3, 10), (5, 10), (3, 5), (4, 10), (1, 10)]
    assert [(one.successes, one.trials) for one in shares if isinstance(one, Proportion)] == expected


def test_scores_without_a_decision() -> None:
    """Where nothing was decided the selective accuracy is a reason and no number; with no answers every share is."""
    undecided = scores([Outcome.REVIEW, Outcome.ERROR])
    assert isinstance(undecided.selective_accuracy, Missing)
    assert isinstance(undecided.accuracy, Proportion)
    empty = scores([])
    assert isinstance(empty.accuracy, Missing)
    assert isinstance(empty.error_rate, Missing)


@pytest.mark.parametrize("bad", ["accept", "", "Correct", None, True, 1])
def test_scores_refuse_other_words(bad: Any) -> None:
    """Only the four words of an answer's outcome are counted; the words of a check (accept, reject) are not."""
    with pytest.raises((ValueError, TypeError)):
        scores(["correct", bad])


def test_selection_accuracy_by_hand() -> None:
    """Two of four items chosen rightly, one not chosen, three with a correct candidate."""
    bank = [["correct", "incorrect"], ["incorrect", "correct"], ["review", "correct"], ["error", "incorrect"]]
    found = selection_accuracy(bank, [0, 1, 0, None])
    assert found.at == 2
    shares = (found.chosen_correct, found.no_choice, found.any_correct, found.given_any)
    assert [(one.successes, one.trials) for one in shares if isinstance(one, Proportion)] == [(2, 4), (1, 4), (3, 4), (2, 3)]


@pytest.mark.parametrize(
    ("bank", "chosen"),
    [
        ([["correct"]], []),
        ([["correct"], ["correct", "review"]], [0, 0]),
        ([[]], [None]),
        ([], []),
        ([["correct"]], [1]),
        ([["correct"]], [-1]),
        ([["correct"]], [False]),
    ],
)
def test_selection_accuracy_refusals(bank: Any, chosen: Any) -> None:
    """Unequal lists, items with different N, no items, and places that are none are refused."""
    with pytest.raises((ValueError, TypeError)):
        selection_accuracy(bank, chosen)
