"""Checked refinement of a draft: only what a check declares public is fed back.

A check knows things that a draft must not learn: hidden tests, secrets, details of the system. It hands them over apart, and
feedback in which one of them stands ends the refinement as an error instead of reaching the generator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformed.compute.revision import Attempt, CheckedAnswer, Feedback, Revision, revise
from conformed.model.answer import Outcome
from conformed.model.base import Frozen

__all__ = ["DraftCheck", "PublicAttempt", "refine"]


class DraftCheck(Frozen):
    """What a check found in a draft."""

    outcome: Outcome
    """Correct (it passed), incorrect (it failed), review or error."""
    code: str
    """Reason code. Kept in the history, not fed back: a code may name a hidden test."""
    public: tuple[Feedback, ...] = ()
    """What may be fed back."""
    hidden: tuple[str, ...] = ()
    """What may not: hidden tests, expected values, secrets. Never stored in the history."""


class PublicAttempt(Frozen):
    """What the generator sees of an earlier round."""

    number: int
    """From 1."""
    draft: str
    """Its own draft."""
    feedback: tuple[Feedback, ...]
    """Public feedback on it."""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _leaks(found: DraftCheck) -> bool:
    """Whether hidden text stands in the public feedback, however it is spaced or capitalised."""
    hidden = [plain for one in found.hidden if (plain := _plain(one))]
    return any(one in _plain(feedback.content) for feedback in found.public for one in hidden)


def refine(
    draft: Callable[[tuple[PublicAttempt, ...]], str], check: Callable[[str], DraftCheck], *, max_attempts: int
) -> Revision:
    """Drafts and checks until it passes, or until there is another reason to stop (``revision.revise``).

    Args:
        draft: makes a draft from the earlier drafts and the public feedback on them.
        check: judges a draft.
        max_attempts: at least 1.

    Raises:
        GivenTypeError: when ``max_attempts`` is no int (a bool is none).
        GivenValueError: when it is below 1.
    """

    def generate(history: tuple[Attempt, ...]) -> str:
        return draft(tuple(PublicAttempt(number=one.number, draft=one.response, feedback=one.feedback) for one in history))

    def checked(text: str) -> Any:
        found: object = check(text)
        if not isinstance(found, DraftCheck):
            return found  # revise makes an error of it
        if _leaks(found):
            return CheckedAnswer(outcome=Outcome.ERROR, code="hidden_text_in_feedback")
        return CheckedAnswer(outcome=found.outcome, code=found.code, feedback=found.public)

    return revise(generate, checked, max_attempts=max_attempts)
