"""Agreement is not correctness: the table says what was observed, and goes stale when its conditions change."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from conformed.compute.agreement import Conditions, agreement_table, observed_at
from conformed.compute.votes import Vote, plurality_vote
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

HERE = Conditions(model="m@1", prompt="p@1", decoding="t=0.8,n=4,min=1", subject="sums")


def vote(text: str) -> Vote:
    """A vote of one letter an answer; a point is an answer that did not parse."""
    return plurality_vote([None if letter == "." else letter for letter in text])


def test_by_hand() -> None:
    """Shares 2/5, 1/2, 2/3, 3/4 and 1 fall into their bins, lower edges included; ties have no share."""
    table = agreement_table(
        [
            (vote("aabcd"), False),
            (vote("aabc"), True),
            (vote("aab"), False),
            (vote("aaab"), True),
            (vote("aaaa"), True),
            (vote("a..."), False),
            (vote("ab"), False),
        ],
        HERE,
    )
    counts = [(one.observed.successes, one.observed.trials) for one in table.bins if isinstance(one.observed, Proportion)]
    assert [(one.low, one.high) for one in table.bins] == [
        (0, Fraction(1, 2)),
        (Fraction(1, 2), Fraction(3, 4)),
        (Fraction(3, 4), 1),
    ]
    assert counts == [(0, 1), (1, 2), (2, 3)]
    assert (table.n, table.without_answer) == (6, 1)
    observed = observed_at(table, vote("aaaaa.b"), HERE)
    assert isinstance(observed, Proportion)
    assert (observed.successes, observed.trials) == (2, 3)


@pytest.mark.parametrize("name", list(Conditions.model_fields))
def test_another_condition_makes_it_stale(name: str) -> None:
    """Another model, prompt, decoding or subject: no figure, and the reason names what changed."""
    table = agreement_table([(vote("aaa"), True)], HERE)
    stale = observed_at(table, vote("aaa"), HERE.model_copy(update={name: "other"}))
    assert isinstance(stale, Missing)
    assert stale.code == "agreement_table_stale"
    assert f"another {name}." in stale.reason


def test_no_figure_without_grounds() -> None:
    """A tie has no share, and a bin in which nothing was held out has no accuracy."""
    table = agreement_table([(vote("aaa"), True)], HERE)
    tied = observed_at(table, vote("ab"), HERE)
    assert isinstance(tied, Missing)
    assert tied.code == "vote_without_answer"
    empty = observed_at(table, vote("aab"), HERE)
    assert isinstance(empty, Missing)
    assert empty.code == "no_trials"


@pytest.mark.parametrize(
    ("votes", "edges"),
    [
        ([(vote("ab"), True)], (Fraction(1, 2),)),
        ([(vote("a"), 1)], (Fraction(1, 2),)),
        ([], (Fraction(1, 2), Fraction(1, 2))),
        ([], (Fraction(3, 4), Fraction(1, 2))),
        ([], (Fraction(0),)),
        ([], (Fraction(1),)),
        ([], (Fraction(3, 2),)),
    ],
)
def test_refusals(votes: Any, edges: Any) -> None:
    """A tie called correct, a judgement that is none, and edges that do not rise between 0 and 1 are refused."""
    with pytest.raises((ValueError, TypeError)):
        agreement_table(votes, HERE, edges)
