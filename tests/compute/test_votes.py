"""The plurality vote and its exact early stop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.votes import plurality_is_locked, plurality_vote
from conformed.errors import ConformedError

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"


def rows(name: str) -> list[dict[str, Any]]:
    """Right answers that lie beside the checkout, or a skip."""
    file = VECTORS / f"{name}.json"
    if not file.is_file():
        pytest.skip(f"{name}.json does not lie beside the checkout")
    loaded: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return loaded


def test_vectors_of_the_vote() -> None:
    """The published right answers."""
    for row in rows("plurality"):
        vote = plurality_vote(row["answers"], minimum_valid=row["minimum_valid"])
        assert vote.model_dump() == {name: row[name] for name in ("answer", "votes", "valid", "total", "tied", "code")}


def test_vectors_of_the_early_stop() -> None:
    """The published right answers."""
    for row in rows("early_stop"):
        value = row.pop("value")
        assert plurality_is_locked(row.pop("valid_answers"), **row) is value


@pytest.mark.parametrize(
    ("answers", "minimum", "expected"),
    [
        (["7", "7", "8"], 1, ("7", 2, 3, 3, False, "plurality")),
        (["7", "8"], 1, (None, 1, 2, 2, True, "plurality_tie")),
        ([None, "7"], 1, ("7", 1, 1, 2, False, "plurality")),
        ([None, "7"], 2, (None, 0, 1, 2, False, "insufficient_valid")),
        ([None, None], 1, (None, 0, 0, 2, False, "insufficient_valid")),
        ([], 1, (None, 0, 0, 0, False, "insufficient_valid")),
        (["7", "7", "8", "8", "9"], 5, (None, 2, 5, 5, True, "plurality_tie")),
    ],
)
def test_vote_by_hand(answers: list[str | None], minimum: int, expected: tuple[Any, ...]) -> None:
    """Invalid parses do not vote, a tie and too few valid answers give no answer, each with its own code."""
    vote = plurality_vote(answers, minimum_valid=minimum)
    assert (vote.answer, vote.votes, vote.valid, vote.total, vote.tied, vote.code) == expected


@pytest.mark.parametrize("minimum", [True, False, 0, -1, 1.0, "1", None])
def test_a_minimum_that_is_none(minimum: Any) -> None:
    """A bool, a zero, a negative or fractional minimum is refused by the vote and by the early stop."""
    with pytest.raises((ValueError, TypeError)) as refusal:
        plurality_vote(["a"], minimum_valid=minimum)
    assert isinstance(refusal.value, ConformedError)
    with pytest.raises((ValueError, TypeError)):
        plurality_is_locked(["a"], generated=1, max_samples=2, minimum_valid=minimum)


@pytest.mark.parametrize("answer", [1, True, 1.0, "", b"a"])
def test_an_answer_that_is_no_text(answer: Any) -> None:
    """Numbers would merge 1, 1.0 and True, and an empty text is no answer: both are refused."""
    with pytest.raises((ValueError, TypeError)):
        plurality_vote(["a", answer])
    with pytest.raises((ValueError, TypeError)):
        plurality_is_locked(["a", answer], generated=2, max_samples=3)


@pytest.mark.parametrize(
    ("generated", "max_samples"), [(1, 4), (5, 4), (-1, 4), (2, 0), (True, 4), (2, True), (2.0, 4), (2, None)]
)
def test_early_stop_refusals(generated: Any, max_samples: Any) -> None:
    """More valid answers than samples, more samples than the most, and counts that are none are refused."""
    with pytest.raises((ValueError, TypeError)):
        plurality_is_locked(["a", "a"], generated=generated, max_samples=max_samples)


def test_early_stop_by_hand() -> None:
    """3 against 1 with 2 left could become a tie; with 1 left it cannot. A minimum that is not met keeps it open."""
    assert not plurality_is_locked(["a", "a", "a", "b"], generated=4, max_samples=6)
    assert plurality_is_locked(["a", "a", "a", "b"], generated=5, max_samples=6)
    assert plurality_is_locked(["a", "a"], generated=3, max_samples=4)
    assert not plurality_is_locked(["a", "a"], generated=3, max_samples=4, minimum_valid=3)


@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=14).flatmap(st.permutations),
    st.integers(1, 6),
)
def test_a_locked_answer_is_the_full_votes(answers: list[str | None], minimum: int) -> None:
    """Over random orders: once locked, always locked, with the full vote's answer; at the end locked exactly with an answer."""
    full = plurality_vote(answers, minimum_valid=minimum)
    locked_before = False
    for generated in range(len(answers) + 1):
        so_far = answers[:generated]
        locked = plurality_is_locked(
            [one for one in so_far if one is not None],
            generated=generated,
            max_samples=len(answers),
            minimum_valid=minimum,
        )
        assert locked or not locked_before
        locked_before = locked
        if locked:
            assert plurality_vote(so_far, minimum_valid=minimum).answer == full.answer is not None
    assert locked_before == (full.answer is not None)


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=5), st.integers(0, 2), st.integers(0, 4), st.integers(1, 4))
def test_what_is_not_locked_can_still_change(valid: list[str], invalid: int, left: int, minimum: int) -> None:
    """The lock is not only safe but as early as can be: while it is open, some continuation gives another answer or none."""
    generated = len(valid) + invalid
    if generated + left == 0:
        return
    if plurality_is_locked(valid, generated=generated, max_samples=generated + left, minimum_valid=minimum):
        return
    now = plurality_vote(valid, minimum_valid=minimum).answer
    runners = [one for one in ("a", "b", "c") if one != now]
    ends = [plurality_vote([*valid, *[None] * left], minimum_valid=minimum).answer]
    ends += [plurality_vote([*valid, *[one] * left], minimum_valid=minimum).answer for one in runners]
    assert any(end is None or end != now for end in ends)
