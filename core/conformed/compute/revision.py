"""Checked revision: generate, check, feed back, at most so many times.

It stops on correct, on review and on error: review is never permission to try until something passes. A further attempt needs
something new to go by; the same feedback twice, or none, stops it too. The whole history is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from conformed.evaluation.given import whole
from conformed.model.answer import Outcome
from conformed.model.base import Frozen

__all__ = ["Attempt", "CheckedAnswer", "Feedback", "FeedbackKind", "Revision", "revise"]


class FeedbackKind(StrEnum):
    """What feedback may hold: something that the attempt did not have."""

    FAILED_TEST = "failed_test"
    COUNTEREXAMPLE = "counterexample"
    TOOL_RESULT = "tool_result"
    PERSON_COMMENT = "person_comment"


class Feedback(Frozen):
    """What a check hands back."""

    kind: FeedbackKind
    """What it is."""
    content: str
    """The test, the example, the result or the comment. Data: never evaluated."""


class CheckedAnswer(Frozen):
    """What a check found in one attempt."""

    outcome: Outcome
    """Correct, incorrect, review or error."""
    code: str
    """Reason code."""
    feedback: tuple[Feedback, ...] = ()
    """What may be fed back."""


class Attempt(Frozen):
    """One round."""

    number: int
    """From 1."""
    response: str
    """What was generated; empty where generating failed."""
    outcome: Outcome
    """What the check found."""
    code: str
    """Its reason code; stage_exception:Type or malformed_response, malformed_check where a stage failed."""
    feedback: tuple[Feedback, ...]
    """What was new in the check's feedback."""


class Revision(Frozen):
    """The rounds and how they ended."""

    attempts: tuple[Attempt, ...]
    """All of them, in order."""
    outcome: Outcome
    """Of the last attempt. An answer that is still incorrect stays incorrect: it is no review and no accept."""
    stopped: str
    """correct, review, error, nothing_new or max_attempts."""

    @property
    def response(self) -> str | None:
        """The response that passed; None where none did."""
        return self.attempts[-1].response if self.outcome is Outcome.CORRECT else None


def _attempt(
    history: tuple[Attempt, ...],
    generate: Callable[[tuple[Attempt, ...]], Any],
    check: Callable[[str], Any],
) -> tuple[str, CheckedAnswer]:
    """One round, whatever its two stages do: a failure of either is this attempt's error."""
    response: Any = ""
    try:
        response = generate(history)
        if not isinstance(response, str):
            return "", CheckedAnswer(outcome=Outcome.ERROR, code="malformed_response")
        found = check(response)
    except Exception as problem:  # noqa: BLE001 - a model and a verifier may raise anything, and an attempt must end as an error
        kept = response if isinstance(response, str) else ""
        return kept, CheckedAnswer(outcome=Outcome.ERROR, code=f"stage_exception:{type(problem).__name__}")
    if not isinstance(found, CheckedAnswer):
        return response, CheckedAnswer(outcome=Outcome.ERROR, code="malformed_check")
    return response, found


def revise(
    generate: Callable[[tuple[Attempt, ...]], str], check: Callable[[str], CheckedAnswer], *, max_attempts: int
) -> Revision:
    """Generates and checks until a reason to stop.

    Args:
        generate: makes a response from the attempts so far, an empty tuple at first.
        check: judges a response.
        max_attempts: at least 1.

    Raises:
        GivenTypeError: when ``max_attempts`` is no int (a bool is none).
        GivenValueError: when it is below 1.
    """
    max_attempts = whole("max_attempts", max_attempts, least=1)
    attempts: list[Attempt] = []
    known: set[tuple[str, str]] = set()
    for number in range(1, max_attempts + 1):
        response, found = _attempt(tuple(attempts), generate, check)
        new = []
        for one in found.feedback:
            key = (str(one.kind), " ".join(one.content.split()))
            if key[1] and key not in known:
                known.add(key)
                new.append(one)
        attempts.append(Attempt(number=number, response=response, outcome=found.outcome, code=found.code, feedback=tuple(new)))
        if found.outcome is not Outcome.INCORRECT:
            return Revision(attempts=tuple(attempts), outcome=found.outcome, stopped=str(found.outcome))
        if number == max_attempts:
            break
        if not new:
            return Revision(attempts=tuple(attempts), outcome=found.outcome, stopped="nothing_new")
    return Revision(attempts=tuple(attempts), outcome=Outcome.INCORRECT, stopped="max_attempts")
