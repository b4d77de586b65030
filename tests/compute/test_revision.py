"""Revision stops where it must: on a pass, on review, on an error, without news, and at its limit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.compute.revision import Attempt, CheckedAnswer, Feedback, FeedbackKind, revise


def wrong(*news: str) -> CheckedAnswer:
    """An incorrect answer with feedback."""
    kind = FeedbackKind.COUNTEREXAMPLE
    return CheckedAnswer(outcome="incorrect", code="wrong", feedback=tuple(Feedback(kind=kind, content=one) for one in news))


class Script:
    """Generates numbered responses and checks them by a list, counting its calls."""

    def __init__(self, *checks: Any) -> None:
        self.checks = checks
        self.histories: list[tuple[Attempt, ...]] = []

    def generate(self, history: tuple[Attempt, ...]) -> Any:
        """The next response."""
        self.histories.append(history)
        return f"r{len(self.histories)}"

    def check(self, response: str) -> Any:
        """The next check."""
        found = self.checks[int(response[1:]) - 1]
        if isinstance(found, BaseException):
            raise found
        return found


RIGHT = CheckedAnswer(outcome="correct", code="equal")


def test_it_learns_from_feedback() -> None:
    """Two wrong attempts with something new each, then a right one: the history holds all, and was seen by the generator."""
    script = Script(wrong("n = 0"), wrong("n = 0", "n = 1"), RIGHT)
    found = revise(script.generate, script.check, max_attempts=5)
    assert (found.stopped, found.outcome, found.response) == ("correct", "correct", "r3")
    assert [one.response for one in found.attempts] == ["r1", "r2", "r3"]
    assert [[news.content for news in one.feedback] for one in found.attempts] == [["n = 0"], ["n = 1"], []]
    assert [len(history) for history in script.histories] == [0, 1, 2]


@pytest.mark.parametrize("outcome", ["review", "error"])
def test_review_is_no_permission_to_try_on(outcome: str) -> None:
    """Review and error end it at once, feedback or not, and no response has passed."""
    news = (Feedback(kind=FeedbackKind.TOOL_RESULT, content="42"),)
    script = Script(CheckedAnswer(outcome=outcome, code="unclear", feedback=news), RIGHT)
    found = revise(script.generate, script.check, max_attempts=5)
    assert (found.stopped, found.outcome, found.response, len(found.attempts)) == (outcome, outcome, None, 1)


@pytest.mark.parametrize("second", [wrong(), wrong("n = 0"), wrong(" n  =\n0 "), wrong("", " ")])
def test_nothing_new_stops_it(second: CheckedAnswer) -> None:
    """No feedback, the same again, the same otherwise spaced, or empty feedback gives no further attempt."""
    script = Script(wrong("n = 0"), second, RIGHT)
    found = revise(script.generate, script.check, max_attempts=5)
    assert (found.stopped, found.outcome, len(found.attempts)) == ("nothing_new", "incorrect", 2)
    assert found.response is None


def test_the_limit() -> None:
    """With news each time it ends at the limit, still incorrect."""
    script = Script(*[wrong(str(n)) for n in range(9)])
    found = revise(script.generate, script.check, max_attempts=3)
    assert (found.stopped, found.outcome, len(found.attempts)) == ("max_attempts", "incorrect", 3)
    for bad in (0, -1, True, 1.0, "3", None):
        with pytest.raises((ValueError, TypeError)):
            revise(script.generate, script.check, max_attempts=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", [ValueError("x"), TimeoutError(), MemoryError(), RecursionError()])
def test_a_stage_that_raises_is_an_error(raised: Exception) -> None:
    """Whatever the check or the generator raises, the attempt is an error with the exception's type, and it ends."""
    script = Script(raised, RIGHT)
    found = revise(script.generate, script.check, max_attempts=5)
    assert (found.outcome, found.attempts[-1].code) == ("error", f"stage_exception:{type(raised).__name__}")
    assert found.attempts[-1].response == "r1"

    def breaks(history: tuple[Attempt, ...]) -> str:
        raise raised

    found = revise(breaks, script.check, max_attempts=5)
    assert (found.outcome, found.attempts[-1].code) == ("error", f"stage_exception:{type(raised).__name__}")


def test_a_person_may_interrupt() -> None:
    """An interrupt is not swallowed."""
    with pytest.raises(KeyboardInterrupt):
        revise(Script(KeyboardInterrupt()).generate, Script(KeyboardInterrupt()).check, max_attempts=2)


@pytest.mark.parametrize("bad", [None, True, "correct", {"outcome": "correct"}, ("correct", "equal")])
def test_a_malformed_return_is_an_error(bad: Any) -> None:
    """A check that hands back anything but its record, and a response that is no text, are errors, never a pass."""
    script = Script(bad, RIGHT)
    found = revise(script.generate, script.check, max_attempts=5)
    assert (found.outcome, found.attempts[-1].code) == ("error", "malformed_check")
    found = revise(lambda history: 7, script.check, max_attempts=5)  # type: ignore[arg-type,return-value]
    assert (found.outcome, found.attempts[-1].code) == ("error", "malformed_response")


checks = st.builds(
    lambda outcome, news: CheckedAnswer(
        outcome=outcome, code="c", feedback=tuple(Feedback(kind=FeedbackKind.FAILED_TEST, content=one) for one in news)
    ),
    st.sampled_from(["correct", "incorrect", "review", "error"]),
    st.lists(st.sampled_from("abc"), max_size=2),
)


@given(st.lists(checks, min_size=6, max_size=6), st.integers(1, 6))
def test_properties(script: list[CheckedAnswer], limit: int) -> None:
    """Only the last attempt is not incorrect, a response comes back only when it passed, and the limit holds."""
    run = Script(*script)
    found = revise(run.generate, run.check, max_attempts=limit)
    assert 1 <= len(found.attempts) <= limit
    assert all(one.outcome == "incorrect" for one in found.attempts[:-1])
    assert all(one.feedback for one in found.attempts[:-1])
    assert (found.response is not None) == (found.attempts[-1].outcome == "correct")
    assert found.outcome == found.attempts[-1].outcome
