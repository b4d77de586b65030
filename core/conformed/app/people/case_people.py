"""A case's history for a decision on what a person may do, folded from the log; and what a final record needs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.app.binding import contract_of_digest
from conformed.engine.log import ours
from conformed.errors import JournalError, UsageError
from conformed.people.directory import Directory
from conformed.people.history import CaseHistory, Given, Needed, Outcome, needed
from conformed.policy.load import Loaded
from conformed.policy.schema import TaskContract
from conformed_audit import AuditLog, Record
from conformed_audit.aliases import PROPOSED
from conformed_audit.approvals import Approvals, CasePeople, Standing, account_of

__all__ = ["CaseView", "case_of_run", "needed_of", "outcome_bytes", "outcome_of", "run_contract", "run_digest", "view_case"]


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case as it stood when it was read."""

    case: str
    """The case."""
    head: str | None
    """Leaf of its last record, hex: what is decided on this view holds while the case ends there."""
    people: CasePeople
    """The fold."""
    history: CaseHistory
    """The same, seen from one run, for `conformed.people.authorise`."""
    broken: str
    """A sentence where a record of the case breaks the rules of approval; empty where none does."""


def case_of_run(log: AuditLog, run: str) -> str:
    """The case of a run.

    Raises:
        UsageError: when the log has no such run.
        JournalError: when it cannot be read.
    """
    with ours("read"):
        first = next(iter(log.records(run=run)), None)
    if first is None:
        raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
    if first.step == PROPOSED:
        raise UsageError(f"{run} is a proposal about weights, and no run.", "It is confirmed by: conformed weights promote.")
    return first.case


def run_contract(log: AuditLog, policies: Path, run: str) -> Loaded[TaskContract] | None:
    """The contract under which a run was done, found among a workspace's by the digest that the run pins; None where none fits.

    Raises:
        UsageError: when the log has no such run.
        JournalError: when it cannot be read.
        PolicyError: when this version no longer takes that contract.
    """
    return contract_of_digest(policies, run_digest(log, case_of_run(log, run), run))


def run_digest(log: AuditLog, case: str, run: str) -> str:
    """Digest of the contract that a run pins; empty where it pins none.

    Raises:
        JournalError: when the log cannot be read.
    """
    with ours("read"):
        return next((r.pins.contract for r in log.records(case, run) if r.pins.contract), "")


def view_case(log: AuditLog, case: str, run: str, contract: TaskContract, directory: Directory) -> CaseView:
    """Reads a case and folds it.

    Args:
        log: the log.
        case: the case.
        run: the run that is spoken of.
        contract: the contract of the run.
        directory: the people, to tell who can no longer be told apart.

    Raises:
        JournalError: when the log cannot be read, or does not hold what it names.
    """
    with ours("read"):
        records = list(log.records(case))
    fold = Approvals()
    found = [bad for bad in map(fold.take, records) if bad is not None]
    people = fold.case(case)
    subject = people.finals.get(run, "")
    latest = people.decided.run if people.decided is not None else ""
    asked = None
    if subject:
        asked = _asked(people.requested) if latest == run else None
        asked = asked or needed(contract, outcome_of(log, records, run))
    history = CaseHistory(
        run=run, subject=subject, latest=latest,
        workers={who: tuple(sorted(did)) for who, did in sorted(people.workers.items())},
        accounts=frozenset(people.accounts), runner_known=not people.unnamed and people.worked,
        unknown=directory.forgotten(people.workers), needed=asked,
        given=tuple(map(_given, people.standing)) if latest == run else (),
        returned=latest == run and people.returned is not None, released=latest == run and people.released is not None,
    )  # fmt: skip
    broken = f"Record {found[0].cseq} of the case breaks the rules of approval ({found[0].bad.check})." if found else ""
    return CaseView(case, records[-1].leaf if records else None, people, history, broken)


def outcome_of(log: AuditLog, records: Iterable[Record], run: str) -> Outcome:
    """What came of a run, read from its final record.

    Raises:
        JournalError: when the record is not there or is no decision.
    """
    return _outcome(_final(log, records, run), run)


def outcome_bytes(log: AuditLog, case: str, run: str) -> bytes:
    """The final record of a run.

    Raises:
        JournalError: when it is not there.
    """
    with ours("read"):
        records = list(log.records(case, run))
    return _final(log, records, run)


def _final(log: AuditLog, records: Iterable[Record], run: str) -> bytes:
    items = [item for r in records if r.run == run and r.kind == "state.changed" for item in r.output if item.name == "record"]
    if not items:
        raise JournalError(f"Run {run} has no final record.", "Verify the log: conformed log verify.")
    with ours("read"):
        return log.get_blob(items[-1].commit)


def needed_of(contract: TaskContract, data: bytes, run: str) -> Needed:
    """What a final record needs under its contract, from its bytes.

    Raises:
        JournalError: when the bytes are no decision.
    """
    return needed(contract, _outcome(data, run))


def _outcome(data: bytes, run: str) -> Outcome:
    try:
        plain = json.loads(data)
        return Outcome(result=plain["result"], overridden=plain.get("overridden") is not None)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise JournalError(f"The record of run {run} is no decision.", "Verify the log: conformed log verify.") from problem


def _asked(plain: Any) -> Needed | None:
    """What a record of the log asks for; None where it says nothing, or something malformed."""
    if not isinstance(plain, dict) or type(plain.get("people")) is not int or not isinstance(plain.get("roles"), list):
        return None
    return Needed(
        people=plain["people"],
        roles=tuple(map(str, plain["roles"])),
        second_roles=tuple(map(str, plain.get("second_roles") or ())),
        different_roles=plain.get("different_roles") is True,
    )


def _given(one: Standing) -> Given:
    chain = frozenset({one.actor.id, *(one.actor.on_behalf_of or "").split()})
    return Given(leaf=one.leaf, by=one.actor.id, chain=chain, account=account_of(one.actor.session), role=one.role)
