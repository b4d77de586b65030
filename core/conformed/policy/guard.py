"""What becomes of a check's answer, in every application: anything that is not clean counts as the contract says of a failed check.

One function decides that, `failed_as`, and one runs the check, `_checked`; verdicts of sentences and verdicts of answers differ
only in what makes one malformed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from conformed.model.answer import AnswerVerdict, Outcome
from conformed.model.claim import Verdict
from conformed.model.codes import CODES

__all__ = ["failed_as", "settle", "settle_answer"]

T = TypeVar("T")

_OUTCOMES = ("accept", "reject", "review")


@dataclass(frozen=True, slots=True)
class _Failed:
    """A check that did not come to a clean verdict."""

    counts_as: Literal["review", "reject"]
    code: str
    sentence: str


def failed_as(on_error: str) -> Literal["review", "reject"]:
    """What a failed check counts as: never accept, and reject only where the contract says so.

    Args:
        on_error: the contract's on_verifier_error.
    """
    return "reject" if on_error == "reject" else "review"


def settle(on_error: str, check: Callable[[], object], *, verifier: str, subject: str = "") -> Verdict:
    """Runs a check of a sentence and maps every failure to the contract's on_verifier_error.

    The time limit itself belongs to the caller, who lets ``check`` raise TimeoutError when it has passed.

    Args:
        on_error: what a failed check counts as; see `failed_as`.
        check: calls the verifier.
        verifier: its name and version, for the verdict.
        subject: id or text of what is checked.
    """
    found = _checked(on_error, check, Verdict, _fault)
    if isinstance(found, _Failed):
        return Verdict(outcome=found.counts_as, code=found.code, sentence=found.sentence, subject=subject, verifier=verifier)
    return found.model_copy(update={"verifier": verifier, "subject": found.subject or subject})


def settle_answer(on_error: str, check: Callable[[], object], *, verifier: str) -> AnswerVerdict:
    """Runs a check of an answer and maps every failure, a verdict of error too, to the contract's on_verifier_error.

    Args:
        on_error: what a failed check counts as; reject is incorrect.
        check: calls the verifier; may raise TimeoutError when its time has passed.
        verifier: its name and version, for the verdict.
    """
    plugin, _, version = verifier.rpartition(" ")
    failed = Outcome.INCORRECT if failed_as(on_error) == "reject" else Outcome.REVIEW
    found = _checked(on_error, check, AnswerVerdict, _answer_fault)
    if isinstance(found, _Failed):
        return AnswerVerdict(outcome=failed, code=found.code, verifier=plugin, version=version)
    outcome = failed if found.outcome is Outcome.ERROR else found.outcome
    return found.model_copy(update={"outcome": outcome, "verifier": plugin, "version": version})


def _checked(on_error: str, check: Callable[[], object], kind: type[T], fault: Callable[[T], str]) -> T | _Failed:
    try:
        found = check()
    except TimeoutError:
        return _Failed(failed_as(on_error), "review_step_timeout", "The verifier did not answer in time.")
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever a verifier raises, its answer is not accept
        return _Failed(failed_as(on_error), "review_step_failed", f"The verifier raised {type(problem).__name__}.")
    said = fault(found) if type(found) is kind else "The verifier returned no verdict."
    return _Failed(failed_as(on_error), "review_step_malformed", said) if said or type(found) is not kind else found


def _fault(found: Verdict) -> str:
    """What makes a verdict of a sentence malformed; empty for nothing."""
    if found.outcome not in _OUTCOMES:
        return "The verifier returned no verdict."
    if found.outcome != "accept" and found.code not in CODES:
        return "The verifier gave no reason code."
    if found.outcome == "accept" and found.code and not found.code.startswith("accept_"):
        return "The verifier accepts with a code that does not."
    return ""


def _answer_fault(found: AnswerVerdict) -> str:
    """What makes a verdict of an answer malformed; empty for nothing."""
    if type(found.outcome) is not Outcome:
        return "The verifier returned no verdict."
    return "" if type(found.code) is str and found.code else "The verifier gave no reason code."
