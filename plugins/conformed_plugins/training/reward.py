"""The reward of a response: a truth table over what its check found, with no number where the check found nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformed.errors import GivenTypeError, GivenValueError
from conformed.model.answer import Outcome
from conformed_plugins.training.items import Check, Checked, TrainingItem

__all__ = ["REWARD_VERSION", "Judged", "combined_reward", "judged"]

REWARD_VERSION = "1"
"""Version of the table; a checkpoint names it."""

_TABLE: Mapping[tuple[Outcome, bool], float | None] = {
    (Outcome.CORRECT, True): 1.1,
    (Outcome.CORRECT, False): 1.0,
    (Outcome.INCORRECT, True): 0.1,
    (Outcome.INCORRECT, False): 0.0,
    (Outcome.REVIEW, True): None,
    (Outcome.REVIEW, False): None,
    (Outcome.ERROR, True): None,
    (Outcome.ERROR, False): None,
}
"""A right answer in no form is worth more than a wrong one in the best."""


def combined_reward(verifier_outcome: str, format_ok: bool) -> float | None:  # noqa: FBT001 - the name that others use
    """Reward of one response.

    Args:
        verifier_outcome: correct, incorrect, review or error.
        format_ok: whether the response has the asked form.

    Returns:
        1.1, 1.0, 0.1 or 0.0; None for review and error, which teach nothing and are left out of their group.

    Raises:
        ValueError: for any other outcome.
        TypeError: when ``format_ok`` is no truth value.
    """
    if not isinstance(format_ok, bool):
        raise GivenTypeError(f"format_ok is {format_ok!r}, not True or False.", "Give a bool.")
    if not isinstance(verifier_outcome, str) or verifier_outcome not in set(Outcome):
        known = ", ".join(Outcome)
        raise GivenValueError(f"verifier_outcome is {verifier_outcome!r}.", f"Give one of {known}.")
    return _TABLE[Outcome(verifier_outcome), format_ok]


@dataclass(frozen=True, slots=True)
class Judged:
    """A response's check and the reward that follows from it."""

    checked: Checked
    """What was found; where the check failed, an error with the reason."""
    reward: float | None
    """None where there is nothing to learn from."""


def judged(check: Check, item: TrainingItem, text: str) -> Judged:
    """Checks a response and rewards it. A check that fails gives an error, never a wrong answer.

    Args:
        check: the check; it may raise.
        item: what was asked.
        text: the response.
    """
    try:
        found = check(item, text)
    except Exception as problem:  # noqa: BLE001 - whatever a check raises is an error of this one response, and never ends the run
        return _failed(f"check_exception:{type(problem).__name__}")
    if _odd(found):
        return _failed(f"check_malformed:{type(found).__name__}")
    return Judged(found, combined_reward(found.outcome, found.format_ok))


def _odd(found: Any) -> bool:
    """Whether what a check gave is no finding."""
    return not (
        isinstance(found, Checked)
        and isinstance(found.outcome, Outcome)
        and isinstance(found.format_ok, bool)
        and isinstance(found.code, str)
    )


def _failed(code: str) -> Judged:
    return Judged(Checked(outcome=Outcome.ERROR, format_ok=False, code=code), None)
