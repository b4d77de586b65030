"""Erasure of a case's content: asked by one person under a legal basis, carried out by another, blocked by a legal hold.

What goes: salt, data key and ciphertext of everything that the log keeps of the case, and whatever was made of it beside the
log. What stays: every record, so that the log still shows what was done, and that something was erased, why and by whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformed.app.keeping.run_index import index_of
from conformed.app.people.guard import Guard, Permit, actor_of
from conformed.app.retention.holding import hold_of
from conformed.app.workspace import Workspace
from conformed.engine.log import ours
from conformed.errors import JournalError, UsageError
from conformed.people.authorise import Refusal
from conformed.policy.may import Action
from conformed_audit import Actor, AuditLog, Kind, Record, RecordDraft
from conformed_audit.approvals import account_of
from conformed_audit.erasing import ErasingLog, ErasurePlan, erasure_drafts
from conformed_audit.errors import MovedOnError

__all__ = ["ERASE", "Erased", "Request", "approve_erasure", "ask_erasure", "case_named", "forget_traces", "pending_request"]

ERASE = "erase"
"""The step of the records of an erasure."""
_UNSET = Actor("guard", "service")  # the guard puts whoever asked in its place
_MOST_BASIS = 500
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Request:
    """An erasure that was asked for."""

    case: str
    """The case."""
    runs: tuple[str, ...]
    """Its runs: the content of all of them is erased."""
    leaf: str
    """Name of the record that asks."""
    basis: str
    """The legal basis."""
    asked_by: Actor
    """Who asks."""


@dataclass(frozen=True, slots=True)
class Erased:
    """An erasure that was carried out."""

    case: str
    """The case."""
    contents: int
    """How many contents went."""
    kept: int
    """How many public contents, which are kept once for all cases, stayed."""
    traces: tuple[str, ...]
    """What was taken away beside the log, by name."""
    left: tuple[str, ...]
    """What could not be taken away, by name, and must be by hand."""


def case_named(log: AuditLog, name: str) -> tuple[str, tuple[str, ...]]:
    """The case of that name, or of the run of that name, with its runs.

    Raises:
        UsageError: when there is neither.
        JournalError: when the log cannot be read.
    """
    with ours("read"):
        cases = {row.case for row in log.cases()}
        known = name in cases or (bool(name) and log.store.data_key(f"{name}/1") is not None)  # a replay's report is about a case
        case = name if known else next((record.case for record in log.records(run=name)), "")
        if not case or case.startswith("_"):
            raise UsageError(f"The log has no run and no case {name!r}.", "List them: conformed log list.")
        return case, tuple(dict.fromkeys(record.run for record in log.records(case) if record.run))


def pending_request(log: AuditLog, case: str) -> Request | None:
    """The erasure of a case that was asked for and not carried out yet.

    Raises:
        JournalError: when the log cannot be read.
    """
    found: Record | None = None
    runs: dict[str, None] = {}
    with ours("read"):
        for record in log.records(case):
            if record.run:
                runs[record.run] = None
            if record.kind == Kind.APPROVAL_REQUESTED and record.step == ERASE:
                found = record
            elif record.kind == Kind.PAYLOAD_ERASED:
                found = None
    return None if found is None else Request(case, tuple(runs), found.leaf, found.note or "", found.actor)


def ask_erasure(log: AuditLog, guard: Guard, name: str, basis: str, *, holds: AuditLog | None = None) -> Request:
    """Asks for the erasure of a case's content; somebody else carries it out.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        name: the case, or one of its runs.
        basis: the legal basis, for the record: no names of people.
        holds: the log in which legal holds stand, where that is another: the present one, for a log of an earlier epoch.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when there is no such case, no basis, a legal hold, or a request that stands.
    """
    case, runs = case_named(log, name)
    plain = " ".join(basis.split())
    if not plain or len(plain) > _MOST_BASIS:
        raise UsageError(
            "The legal basis of the erasure is not given, or is too long.",
            f"Say it in 1 to {_MOST_BASIS} characters: --basis TEXT.",
        )
    permit = guard.permit(Action.ERASE, case)
    _not_held(holds or log, case)
    if (there := pending_request(log, case)) is not None:
        raise UsageError(
            f"The erasure of case {case} is asked for already: {there.basis}", "Another person carries it out: --approve."
        )
    (record,) = guard.write(permit, [RecordDraft(case=case, kind=Kind.APPROVAL_REQUESTED, actor=_UNSET, step=ERASE, note=plain)])
    return Request(case, runs, record.leaf, plain, record.actor)


def approve_erasure(
    log: ErasingLog,
    guard: Guard,
    name: str,
    forget: Callable[[], tuple[tuple[str, ...], tuple[str, ...]]],
    *,
    holds: AuditLog | None = None,
) -> Erased:
    """Carries out the erasure that another person asked for.

    Args:
        log: the log, opened to erase.
        guard: decides who may, and writes the records; on the same log.
        name: the case, or one of its runs.
        forget: takes away what was made of the case beside the log; gives what went, and what could not.
        holds: the log in which legal holds stand, where that is another.

    Raises:
        DeniedError: when the person at the keys may not, or asked for it.
        UsageError: when nothing was asked for, nothing is left to erase, or a legal hold stands.
        JournalError: when the log cannot be written. What was erased in it by then is recorded.
    """
    case, _ = case_named(log, name)
    asked = pending_request(log, case)
    if asked is None:
        raise UsageError(
            f"Nobody has asked for the erasure of case {case}.", "Ask for it: --basis TEXT. Another person then approves."
        )
    permit = guard.permit(Action.ERASE, case)
    if not _apart(permit, asked.asked_by):
        sentence = "You asked for this erasure, or act for or through whoever did: another person must carry it out."
        guard.refuse(permit, "separation", Refusal("own_request", sentence, "Let another records officer approve it."))
    _not_held(holds or log, case)
    plan = _carry_out(log, guard, permit, asked, lambda: _not_held(holds or log, case))
    gone, left = forget()
    with ours("written anew"):
        gone = (*gone, *index_of(log).forget())
        by_hand = log.rewrite()
    return Erased(case, len(plan.items), plan.kept, gone, (*left, by_hand) if by_hand else left)


def _carry_out(log: ErasingLog, guard: Guard, permit: Permit, asked: Request, check: Callable[[], None]) -> ErasurePlan:
    """Records and destroys in one transaction; planned anew where the case got more content meanwhile."""
    approval: dict[str, Any] = {"asked_by": asked.asked_by.id, "request": asked.leaf, "role": permit.authz.role}
    base = RecordDraft(case=asked.case, kind=Kind.PAYLOAD_ERASED, actor=_UNSET, step=ERASE, approval=approval, note=asked.basis)
    for _ in range(_TRIES):
        with ours("read"):
            plan = log.plan(asked.case)
        if not plan.items and not plan.keys:
            raise UsageError(f"The log keeps no content of case {asked.case} that could be erased.", "Its records stay.")
        try:
            with log.carrying_out(plan, check):
                guard.write(permit, erasure_drafts(plan, base))
        except MovedOnError:
            continue
        return plan
    raise JournalError(f"Case {asked.case} gets content faster than it can be erased.", "Let its runs end, and try again.")


def forget_traces(workspace: Workspace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Takes away what was kept beside the log and can be made again: readings of files. The index of runs lies elsewhere.

    All of it, and not only that of one case: a reading that was missed would be a copy of what was to be erased.

    Returns:
        What went, and what could not be taken away.
    """
    cached = [path for path in workspace.cache.rglob("*") if path.is_file()] if workspace.cache.is_dir() else []
    gone, left = [], []
    for path in sorted(cached):
        shown = str(path.relative_to(workspace.root))
        try:
            path.unlink(missing_ok=True)
            gone.append(shown)
        except OSError:
            left.append(shown)
    if workspace.reports.is_dir():  # whether a report is of the case cannot be told from its name
        left += [str(path.relative_to(workspace.root)) for path in sorted(workspace.reports.rglob("*")) if path.is_file()]
    return tuple(gone), tuple(left)


def _apart(permit: Permit, asker: Actor) -> bool:
    """Whether whoever carries it out, everyone behind them, and their account, are others than whoever asked."""
    me = actor_of(permit.person)
    chains = [{who.id, *(who.on_behalf_of or "").split()} for who in (me, asker)]
    account = account_of(me.session)
    return not (chains[0] & chains[1]) and (not account or account != account_of(asker.session))


def _not_held(log: AuditLog, case: str) -> None:
    if (hold := hold_of(log, case)) is not None:
        raise UsageError(
            f"Case {case} is under a legal hold since {hold.since[:10]}: {hold.reason}",
            "Nothing of it is erased until it is lifted: release-hold.",
        )
