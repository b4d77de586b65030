"""What a contract says of people: who may do what, and when a second person must confirm."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from conformed.model.base import Frozen
from conformed.policy.parts import Approval, Name
from conformed.policy.refused import RefusedError

__all__ = ["ANYONE", "Action", "Condition", "SecondApproval", "check_may", "roles_for"]

ANYONE = "anyone"
"""Written in place of roles: whoever is known by name may do it."""


class Action(StrEnum):
    """What a person may do. Every one of them passes one place, which decides."""

    RUN = "run"
    RESUME = "resume"
    OVERRIDE = "override"
    ACCEPT = "accept"
    SECOND_APPROVAL = "second_approval"
    RETURN = "return"
    WITHDRAW = "withdraw"
    EXPORT = "export"
    ERASE = "erase"
    ROTATE_KEY = "rotate_key"
    HOLD = "hold"
    CLOSE_EPOCH = "close_epoch"
    PROPOSE_WEIGHTS = "propose_weights"
    PROMOTE_WEIGHTS = "promote_weights"


class Condition(StrEnum):
    """When a second person must confirm an acceptance."""

    ALWAYS = "always"
    OVERRIDDEN = "overridden"
    PASS = "result_pass"  # noqa: S105 - a result, not a password
    BREACH = "result_breach"
    NOT_TESTED = "result_not_tested"
    REVIEW = "result_review"
    ANSWERED = "result_answered"


class SecondApproval(Frozen):
    """When a second person must confirm, and who. There is no condition that takes a second person away."""

    when: tuple[Condition, ...] = Field(min_length=1)
    """Conditions; one that holds is enough."""
    roles: tuple[Name, ...] = Field(min_length=1)
    """Roles whose holders may confirm."""


_NEVER_ANYONE = frozenset({Action.ACCEPT, Action.SECOND_APPROVAL, Action.ERASE, Action.HOLD, Action.PROMOTE_WEIGHTS})
_RECORDS, _MODELS = ("records_officer",), ("model_officer",)
_DEFAULT: Mapping[Action, tuple[str, ...]] = {
    Action.ERASE: _RECORDS, Action.HOLD: _RECORDS, Action.CLOSE_EPOCH: _RECORDS,
    Action.PROPOSE_WEIGHTS: _MODELS, Action.PROMOTE_WEIGHTS: _MODELS,
}  # fmt: skip


def roles_for(
    action: Action, may: Mapping[Action, tuple[str, ...]], approval: Approval, second: SecondApproval | None
) -> tuple[str, ...]:
    """Roles of which a person must hold one for an action; ``(anyone,)`` where none is asked for.

    Args:
        action: what is to be done.
        may: what the contract says.
        approval: its approval; the roles for accepting where ``may`` is silent.
        second: its second approval; the roles for confirming where ``may`` is silent.
    """
    if action in may:
        return may[action]
    if action is Action.RESUME:
        return roles_for(Action.RUN, may, approval, second)
    if action is Action.ACCEPT:
        return approval.roles
    if action is Action.SECOND_APPROVAL:
        return second.roles if second is not None else approval.roles
    return _DEFAULT.get(action, (ANYONE,))


def check_may(may: Mapping[Action, tuple[str, ...]]) -> None:
    """Refuses rules that say nothing, or that let anyone do what needs a role.

    Raises:
        RefusedError: naming the action.
    """
    for action, roles in may.items():
        if not roles:
            raise RefusedError(f"nobody may {action}", f"Name roles, or write {ANYONE}.", ("may", action))
        if len(set(roles)) != len(roles):
            raise RefusedError(f"a role stands twice under {action}", "Keep one.", ("may", action))
        if ANYONE in roles and len(roles) > 1:
            raise RefusedError(f"{ANYONE} stands beside roles under {action}", "Keep the one or the others.", ("may", action))
        if ANYONE in roles and action in _NEVER_ANYONE:
            raise RefusedError(f"{ANYONE} may {action}", "Name the roles.", ("may", action))
