"""What becomes of a verifier's answer: anything that is not a clean accept or reject fails closed."""

from __future__ import annotations

from collections.abc import Callable

from conformed.model.claim import Verdict
from conformed.model.codes import CODES
from conformed.policy.schema import TaskContract

__all__ = ["settle"]

_OUTCOMES = ("accept", "reject", "review")


def settle(contract: TaskContract, check: Callable[[], object], *, verifier: str, subject: str = "") -> Verdict:
    """Runs a check and maps every failure to the contract's on_verifier_error.

    The time limit itself belongs to the caller, who lets ``check`` raise TimeoutError when it has passed.

    Args:
        contract: whose on_verifier_error counts; the schema admits review and reject there, never accept.
        check: calls the verifier.
        verifier: its name and version, for the verdict.
        subject: id or text of what is checked.
    """
    try:
        answer = check()
    except TimeoutError:
        return _failed(contract, "review_step_timeout", "The verifier did not answer in time.", verifier, subject)
    except Exception as problem:  # noqa: BLE001 - whatever a verifier raises, its answer is not accept
        return _failed(contract, "review_step_failed", f"The verifier raised {type(problem).__name__}.", verifier, subject)
    if type(answer) is not Verdict or answer.outcome not in _OUTCOMES:
        return _failed(contract, "review_step_malformed", "The verifier returned no verdict.", verifier, subject)
    if answer.outcome != "accept" and answer.code not in CODES:
        return _failed(contract, "review_step_malformed", "The verifier gave no reason code.", verifier, subject)
    if answer.outcome == "accept" and answer.code and not answer.code.startswith("accept_"):
        return _failed(contract, "review_step_malformed", "The verifier accepts with a code that does not.", verifier, subject)
    return answer.model_copy(update={"verifier": verifier, "subject": answer.subject or subject})


def _failed(contract: TaskContract, code: str, sentence: str, verifier: str, subject: str) -> Verdict:
    return Verdict(outcome=contract.on_verifier_error, code=code, sentence=sentence, subject=subject, verifier=verifier)
