"""Refinement feeds back what is public and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from conformed.compute.refinement import DraftCheck, PublicAttempt, refine
from conformed.compute.revision import Feedback, FeedbackKind


def note(text: str) -> tuple[Feedback, ...]:
    """Public feedback."""
    return (Feedback(kind=FeedbackKind.FAILED_TEST, content=text),)


def test_only_public_feedback_reaches_the_draft() -> None:
    """The generator sees drafts and public feedback: no code, no outcome, no hidden text, in no field of what it is given."""
    seen: list[tuple[PublicAttempt, ...]] = []
    checks = iter(
        [
            DraftCheck(outcome="incorrect", code="hidden_test_17", public=note("Name the date."), hidden=("expects 31 March",)),
            DraftCheck(outcome="correct", code="passed"),
        ]
    )

    def draft(history: tuple[PublicAttempt, ...]) -> str:
        seen.append(history)
        return "The level is 3.50." if not history else "The level is 3.50 on 30 June."

    found = refine(draft, lambda text: next(checks), max_attempts=3)
    assert (found.stopped, found.response) == ("correct", "The level is 3.50 on 30 June.")
    assert [one.feedback[0].content for one in seen[1]] == ["Name the date."]
    assert set(PublicAttempt.model_fields) == {"number", "draft", "feedback"}
    assert "31 March" not in repr(seen)
    assert "hidden_test_17" not in repr(seen)
    assert "31 March" not in found.model_dump_json()
    assert found.attempts[0].code == "hidden_test_17"


@pytest.mark.parametrize("leak", ["It should say 31 March.", "it should say 31  march", "31 MARCH"])
def test_hidden_text_in_feedback_stops_it(leak: str) -> None:
    """A check that puts hidden text into public feedback, however written, ends as an error, and nobody gets the text."""
    calls = []

    def draft(history: tuple[PublicAttempt, ...]) -> str:
        calls.append(history)
        return "draft"

    found = refine(
        draft,
        lambda text: DraftCheck(outcome="incorrect", code="c", public=note(leak), hidden=("31 March", "")),
        max_attempts=3,
    )
    assert (found.outcome, found.attempts[0].code, len(calls)) == ("error", "hidden_text_in_feedback", 1)
    assert "arch" not in found.model_dump_json().casefold()


@pytest.mark.parametrize(
    ("outcome", "stopped"), [("correct", "correct"), ("review", "review"), ("error", "error"), ("incorrect", "max_attempts")]
)
def test_it_stops(outcome: str, stopped: str) -> None:
    """Pass, review and error stop it; feedback that is new each time runs to the limit."""
    count = iter(range(9))
    found = refine(
        lambda history: "draft",
        lambda text: DraftCheck(outcome=outcome, code="c", public=note(f"news {next(count)}")),
        max_attempts=2,
    )
    assert (found.stopped, len(found.attempts)) == (stopped, 2 if outcome == "incorrect" else 1)


@pytest.mark.parametrize("bad", [None, "correct", {"outcome": "correct"}])
def test_a_malformed_check_is_an_error(bad: Any) -> None:
    """Anything but the check's record is an error, never a pass; so is a check that raises."""
    assert refine(lambda history: "draft", lambda text: bad, max_attempts=2).attempts[-1].code == "malformed_check"

    def breaks(text: str) -> DraftCheck:
        raise ConnectionError

    found = refine(lambda history: "draft", breaks, max_attempts=2)
    assert (found.outcome, found.attempts[-1].code) == ("error", "stage_exception:ConnectionError")
