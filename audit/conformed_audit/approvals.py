"""What people did in each case, folded from records: who worked on it, which approvals stand, and what breaks the rules.

The rules, whoever wrote the record and however: an approval names the case's last final record; who approves has not opened,
run, edited or overridden anything in the case, nor has anybody in their chain or under their account; it lapses with the
next record of work in the case; a release names approvals that stand, by as many different people as were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformed_audit.finding import Bad, Classification
from conformed_audit.record import Actor, Kind, Record

__all__ = ["NEEDED", "ApprovalFinding", "Approvals", "CasePeople", "Decided", "Standing", "account_of", "approvals_hold"]

_WORK = frozenset({
    Kind.CASE_OPENED, Kind.STEP_INTENT, Kind.STEP_OUTCOME, Kind.STEP_FAILED, Kind.STEP_UNKNOWN, Kind.STATE_CHANGED,
})  # fmt: skip
NEEDED = "needed"
"""Name of the item of ``approval.requested`` that says what a decision needs: it is written before the record has a name."""
_BEGUN, _OVERRIDDEN = "Run begun.", "overridden"


class ApprovalFinding(NamedTuple):
    """The first record that breaks the rules."""

    idx: int
    """Position in the log."""
    case: str
    """Its case."""
    cseq: int
    """Position inside the case."""
    bad: Bad
    """What is wrong."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A run's final record."""

    leaf: str
    """Its name, hex."""
    idx: int
    """Position in the log."""
    run: str
    """The run."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An approval that stands."""

    leaf: str
    """Its name, hex."""
    idx: int
    """Position in the log."""
    actor: Actor
    """Who gave it."""
    role: str
    """In which role."""
    ts: str
    """When, UTC."""


@dataclass(slots=True)
class CasePeople:
    """One case."""

    workers: dict[str, set[str]] = field(default_factory=dict)
    """Pseudonyms of everyone who worked on it, those behind them too, with what they did: opened, ran, overrode, edited."""
    accounts: set[str] = field(default_factory=set)
    """Their accounts."""
    unnamed: bool = False
    """Whether a run was begun of which no person is said to have begun it."""
    decided: Decided | None = None
    """The final record that is the head of the case's decisions; None while a run is at work."""
    finals: dict[str, str] = field(default_factory=dict)
    """Every final record by run: its leaf, hex."""
    requested: Any = None
    """What the final record asks for: ``people``, ``roles``, ``second_roles``, ``different_roles``."""
    asking: tuple[str | None, Any] = (None, None)
    """A run that is about to end, and what its final record asks for."""
    standing: list[Standing] = field(default_factory=list)
    """Approvals of the final record that stand."""
    lapsed: dict[str, list[Standing]] = field(default_factory=dict)
    """Approvals that lapsed, by the final record that they named."""
    returned: Record | None = None
    """The record that sent it back."""
    released: Record | None = None
    """The record that released it."""
    worked: bool = False
    """Whether there is any record of work."""

    def shares(self, actor: Actor) -> bool:
        """Whether somebody, anyone behind them, or anyone under their account worked on the case."""
        return bool(_chain(actor) & self.workers.keys()) or account_of(actor.session) in self.accounts


def account_of(session: str | None) -> str:
    """The account in a session: what stands before its last colon."""
    return (session or "").rpartition(":")[0]


def approvals_hold(records: Iterable[Record]) -> ApprovalFinding | None:
    """Checks every approval and release among some records.

    Args:
        records: of a whole log or of whole cases, in order.

    Returns:
        The first that breaks the rules; None when all hold.
    """
    fold = Approvals()
    return next((found for found in map(fold.take, records) if found is not None), None)


class Approvals:
    """Follows a log record by record. Keeps one entry a case, which grows with its people and runs, not with its records."""

    def __init__(self) -> None:
        self.cases: dict[str, CasePeople] = {}

    def case(self, name: str) -> CasePeople:
        """What is known of a case."""
        found = self.cases.get(name)
        if found is None:
            found = self.cases[name] = CasePeople()
        return found

    def take(self, record: Record) -> ApprovalFinding | None:
        """Takes a record in; it counts also when it breaks the rules, so that later ones are judged as they stand."""
        bad = self._take(record, self.case(record.case)) if not record.case.startswith("_") else None
        return None if bad is None else ApprovalFinding(record.idx, record.case, record.cseq, bad)

    def _take(self, record: Record, case: CasePeople) -> Bad | None:
        if record.kind in _WORK:
            _worked(record, case)
            return None
        match record.kind:
            case Kind.APPROVAL_REQUESTED:
                asked = next((item.inline for item in record.output if item.name == NEEDED), None)
                if case.decided is None:
                    case.asking = (record.run, asked)
                elif case.decided.run == record.run and case.requested is None and not case.standing:
                    case.requested = asked
                return None
            case Kind.APPROVAL_GRANTED:
                return _granted(record, case)
            case Kind.APPROVAL_WITHDRAWN:
                return _withdrawn(record, case)
            case Kind.APPROVAL_REJECTED:
                return _rejected(record, case)
            case Kind.DECISION_RELEASED:
                return _released(record, case)
        return None


def _chain(actor: Actor) -> set[str]:
    """A person and everyone behind them. An engine that acts for nobody is nobody."""
    behind = set((actor.on_behalf_of or "").split())
    return behind | {actor.id} if actor.kind == "person" else behind


def _worked(record: Record, case: CasePeople) -> None:
    chain, begun = _chain(record.actor), record.note == _BEGUN and record.kind == Kind.STATE_CHANGED
    if record.kind == Kind.CASE_OPENED:
        did = "opened"
    elif record.kind == Kind.STATE_CHANGED and record.step == _OVERRIDDEN:
        did = "overrode"
    elif begun or record.actor.kind != "person":
        did = "ran"
    else:
        did = "edited"
    for who in chain:
        case.workers.setdefault(who, set()).add(did)
    if chain and account_of(record.actor.session):
        case.accounts.add(account_of(record.actor.session))
    case.worked = True
    case.unnamed = case.unnamed or (begun and not chain)
    if case.standing and case.decided is not None:
        case.lapsed[case.decided.leaf] = case.standing
    case.decided, case.requested, case.standing, case.returned, case.released = None, None, [], None, None
    if record.kind == Kind.STATE_CHANGED and any(item.name == "record" for item in record.output) and record.run:
        case.decided = Decided(record.leaf, record.idx, record.run)
        case.finals[record.run] = record.leaf
        case.requested = case.asking[1] if case.asking[0] == record.run else None
    case.asking = (None, None)


def _granted(record: Record, case: CasePeople) -> Bad | None:
    said, actor = record.approval or {}, record.actor
    bad = _names_the_head(record, case)
    if bad is None and actor.kind != "person":
        bad = _bad("approval.actor", "a person", actor.kind)
    if bad is None and case.shares(actor):
        bad = _bad("approval.separation", "somebody who did not work on the case", actor.id)
    if bad is None and case.unnamed:
        bad = _bad("approval.runner", "a case of which it is known who ran it", "a run begun by nobody")
    if bad is None and any(_chain(one.actor) & _chain(actor) or _same_account(one.actor, actor) for one in case.standing):
        bad = _bad("approval.second", "another person than the first", actor.id)
    if bad is None and case.returned is not None:
        bad = _bad("approval.returned", "a record that was not sent back", case.returned.leaf)
    if bad is None and (said.get("role") not in actor.roles or said.get("session") != actor.session):
        bad = _bad("approval.role", "a role and a session of the one who approves", ascii(said.get("role")))
    bad = bad or _authorised(record)
    if bad is None:
        case.standing.append(Standing(record.leaf, record.idx, actor, str(said["role"]), record.ts))
    return bad


def _withdrawn(record: Record, case: CasePeople) -> Bad | None:
    granted = (record.approval or {}).get("granted")
    if not any(one.leaf == granted and one.actor.id == record.actor.id for one in case.standing):
        return _bad("approval.withdrawn", "an approval of one's own that stands", ascii(granted)[:80])
    case.standing = [one for one in case.standing if one.leaf != granted]
    return _names_the_head(record, case) or _authorised(record)


def _rejected(record: Record, case: CasePeople) -> Bad | None:
    bad = _names_the_head(record, case) or _authorised(record)
    if bad is None:
        case.returned = record
        if case.standing and case.decided is not None:
            case.lapsed[case.decided.leaf], case.standing = case.standing, []
    return bad


def _released(record: Record, case: CasePeople) -> Bad | None:
    said = record.approval or {}
    bad = _names_the_head(record, case) or _authorised(record)
    if bad is not None:
        return bad
    names = said.get("granted")
    standing = {one.leaf: one for one in case.standing}
    if not isinstance(names, list) or not names or not set(map(str, names)) <= standing.keys():
        return _bad("release.approvals", "approvals that stand", ascii(names)[:200])
    given = [standing[str(name)] for name in dict.fromkeys(names)]
    asked = case.requested if isinstance(case.requested, dict) else {}
    people = asked.get("people")
    if type(people) is not int or people < 1:
        return _bad("release.asked", "a record of what the decision asks for", "none")
    if len(given) < people:
        return _bad("release.people", f"{people} people", f"{len(given)}")
    if asked.get("different_roles") and len({one.role for one in given}) < min(2, people):
        return _bad("release.roles", "two different roles", given[0].role)
    first, second = asked.get("roles"), asked.get("second_roles")
    if not isinstance(first, list) or given[0].role not in first:
        return _bad("release.roles", ascii(first)[:200], given[0].role)
    if people > 1 and (not isinstance(second, list) or given[1].role not in second):
        return _bad("release.roles", ascii(second)[:200], given[1].role)
    case.released = record
    return None


def _names_the_head(record: Record, case: CasePeople) -> Bad | None:
    """What is said of a decision names the final record that is the head of the case, and the same run."""
    subject = (record.approval or {}).get("subject")
    head = case.decided
    if head is None or subject != head.leaf:
        return _bad("approval.subject", "no decision" if head is None else head.leaf, ascii(subject)[:80])
    return None if record.run == head.run else _bad("approval.run", head.run, ascii(record.run))


def _authorised(record: Record) -> Bad | None:
    allowed = record.authz is not None and record.authz.decision == "allow"
    return None if allowed else _bad("approval.authz", "allow", "none" if record.authz is None else record.authz.decision)


def _same_account(one: Actor, other: Actor) -> bool:
    return account_of(one.session) != "" and account_of(one.session) == account_of(other.session)


def _bad(check: str, expected: str, found: str) -> Bad:
    return Bad(check, expected, found, Classification.WRITER_BUG)
