"""Legal holds: while one stands, nothing of a case is erased. Each is a record of the log's own, with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformed.app.people.guard import Guard
from conformed.engine.canonical import canonical_json
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.policy.may import Action
from conformed_audit import Actor, AuditLog, Item, Kind, Record, RecordDraft, commitment

__all__ = ["HOLD", "LIFTED", "Hold", "hold_case", "hold_of", "release_hold", "standing_holds"]

HOLD = "legal_hold"
"""The step of the record of a hold."""
LIFTED = "legal_hold_lifted"
"""The step of the record that lifts it."""
_HOME = "_config"
_UNSET = Actor("guard", "service")  # the guard puts whoever asked in its place


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold that stands."""

    case: str
    """The case."""
    reason: str
    """Why."""
    since: str
    """Since when, UTC."""
    by: str
    """Pseudonym of whoever set it."""


def hold_of(log: AuditLog, case: str) -> Hold | None:
    """The hold on a case; None where none stands.

    Raises:
        JournalError: when the log cannot be read.
    """
    return next((hold for hold in standing_holds(log) if hold.case == case), None)


def standing_holds(log: AuditLog) -> tuple[Hold, ...]:
    """Every hold that stands, in the order in which they were set.

    Raises:
        JournalError: when the log cannot be read.
    """
    found: dict[str, Hold] = {}
    with ours("read"):
        for record in log.records(_HOME, kind=Kind.CONFIG_CHANGED):
            if record.step == HOLD:
                found[_about(record)] = Hold(_about(record), record.note or "", record.ts, record.actor.id)
            elif record.step == LIFTED:
                found.pop(_about(record), None)
    return tuple(found.values())


def hold_case(log: AuditLog, guard: Guard, case: str, reason: str) -> Hold:
    """Sets a legal hold.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        case: the case.
        reason: why, for the record: no names of people.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when no reason is given, or one stands already.
    """
    _need(reason)
    permit = guard.permit(Action.HOLD, case)
    if (there := hold_of(log, case)) is not None:
        raise UsageError(f"Case {case} is held since {there.since[:10]}: {there.reason}", "Lift that one first: release-hold.")
    (record,) = guard.write(permit, [_draft(HOLD, case, reason)])
    return Hold(case, reason, record.ts, record.actor.id)


def release_hold(log: AuditLog, guard: Guard, case: str, reason: str) -> Hold:
    """Lifts the legal hold on a case.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        case: the case.
        reason: why, for the record.

    Returns:
        The hold that stood.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when no reason is given, or none stands.
    """
    _need(reason)
    permit = guard.permit(Action.HOLD, case)
    there = hold_of(log, case)
    if there is None:
        raise UsageError(f"No hold stands on case {case}.", "Cases are shown by: conformed log list.")
    guard.write(permit, [_draft(LIFTED, case, reason)])
    return there


def _need(reason: str) -> None:
    if not reason.strip():
        raise UsageError("No reason is given.", "Say why, without names of people: --reason TEXT.")


def _draft(step: str, case: str, reason: str) -> RecordDraft:
    about: dict[str, Any] = {"case": case}
    plain = canonical_json(about)
    item = Item("about", commitment(plain, None), len(plain), "application/json", about)
    return RecordDraft(
        case=_HOME, kind=Kind.CONFIG_CHANGED, actor=_UNSET, step=step, output=(item,), note=" ".join(reason.split())
    )


def _about(record: Record) -> str:
    inline = record.output[0].inline if record.output else None
    return str(inline.get("case", "")) if isinstance(inline, dict) else ""
