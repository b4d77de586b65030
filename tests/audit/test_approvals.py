"""Approvals as verification sees them: whoever wrote a record, and however, the rules hold or the record is named."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import Actor, AuditLog, Authz, Item, Record, RecordDraft, commitment
from conformed_audit.approvals import Approvals, account_of, approvals_hold
from conformed_audit.errors import DraftError, MovedOnError
from conformed_audit.record import Kind

ENGINE = Actor("engine", "engine", (), "os:1:7", "p-ana")
ANA = Actor("p-ana", "person", (), "os:1:7")
BOB = Actor("p-bob", "person", ("analyst",), "os:2:7")
CEM = Actor("p-cem", "person", ("officer",), "os:3:7")
NEEDED = {"people": 2, "roles": ["analyst", "officer"], "second_roles": ["analyst", "officer"], "different_roles": True}
ALLOW = Authz("allow", "may.accept", "d")


class Case:
    """Writes into a log as somebody does who passes no guard."""

    def __init__(self, log: AuditLog) -> None:
        self.log = log

    def add(self, kind: Kind, actor: Actor, **fields: Any) -> Record:
        """One record of the case."""
        fields.setdefault("run", "r-1")
        fields.setdefault("authz", ALLOW)
        return self.log.append([RecordDraft(case="c", kind=kind, actor=actor, **fields)])[0]

    def run(self, run: str = "r-1", *, by: Actor = ANA, needed: Any = NEEDED) -> str:
        """A run from its beginning to its end; the leaf of its final record."""
        engine = Actor("engine", "engine", (), by.session, by.id) if by.kind == "person" else by
        self.add(Kind.STATE_CHANGED, by, run=run, step="intake", note="Run begun.")
        if needed is not None:
            item = Item("needed", commitment(b"x", None), 1, "application/json", needed)
            self.add(Kind.APPROVAL_REQUESTED, engine, run=run, output=(item,))
        record = Item("record", commitment(run.encode(), None), 1, "application/json")
        return self.add(Kind.STATE_CHANGED, engine, run=run, step="awaiting_person", output=(record,)).leaf

    def grant(self, actor: Actor, subject: str, **fields: Any) -> str:
        """An approval."""
        said = {"subject": subject, "role": next(iter(actor.roles), ""), "session": actor.session, **fields.pop("said", {})}
        return self.add(Kind.APPROVAL_GRANTED, actor, approval=said, **fields).leaf

    def release(self, subject: str, *granted: str) -> str:
        """A release."""
        return self.add(Kind.DECISION_RELEASED, ENGINE, approval={"subject": subject, "granted": list(granted)}).leaf

    def check(self) -> str:
        """The check that fails first, or nothing."""
        found = approvals_hold(self.log.records())
        return "" if found is None else found.bad.check


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    """An opened case."""
    clock = iter(dt.datetime(2026, 11, 29, tzinfo=dt.UTC) + dt.timedelta(seconds=n) for n in range(10_000))
    with AuditLog.open(tmp_path / "log.sqlite", origin="o", clock=lambda: next(clock)) as log:
        made = Case(log)
        made.add(Kind.CASE_OPENED, ANA, run=None)
        yield made


def test_what_the_rules_ask_for_holds(case: Case) -> None:
    """Two people of two roles who did nothing else, a withdrawal and a rejection in between: no finding."""
    subject = case.run()
    first = case.grant(BOB, subject)
    case.add(Kind.APPROVAL_WITHDRAWN, BOB, approval={"subject": subject, "granted": first})
    case.add(Kind.APPROVAL_REJECTED, ANA, approval={"subject": subject, "reason": "other"})
    again = case.run("r-2")
    leaves = [case.grant(who, again, run="r-2") for who in (BOB, CEM)]
    case.add(Kind.DECISION_RELEASED, ENGINE, run="r-2", approval={"subject": again, "granted": leaves})
    assert case.check() == ""
    fold = Approvals()
    assert [fold.take(record) for record in case.log.records()] == [None] * 13
    assert fold.case("c").workers == {"p-ana": {"opened", "ran"}}
    assert fold.case("c").released is not None


FORGED: dict[str, tuple[Callable[[Case, str], object], str]] = {
    "by who ran it": (lambda c, s: c.grant(Actor("p-ana", "person", ("analyst",), "os:9:7"), s), "approval.separation"),
    "under the account of who ran it": (lambda c, s: c.grant(Actor("p-x", "person", ("analyst",), "os:1:9"), s), "approval.separation"),
    "through a login of who ran it": (
        lambda c, s: c.grant(Actor("p-x", "person", ("analyst",), "os:9:7", "p-y p-ana"), s), "approval.separation",
    ),
    "by an engine": (lambda c, s: c.grant(Actor("bot", "service", ("analyst",), "k:1:1"), s), "approval.actor"),
    "of no record": (lambda c, s: c.grant(BOB, "0" * 64), "approval.subject"),
    "of the case's first record": (lambda c, s: c.grant(BOB, next(c.log.records("c")).leaf), "approval.subject"),
    "for another run": (lambda c, s: c.grant(BOB, s, run="r-9"), "approval.run"),
    "in a role not held": (lambda c, s: c.grant(BOB, s, said={"role": "officer"}), "approval.role"),
    "in another session": (lambda c, s: c.grant(BOB, s, said={"session": "os:3:7"}), "approval.role"),
    "without authorisation": (lambda c, s: c.grant(BOB, s, authz=None), "approval.authz"),
    "denied": (lambda c, s: c.grant(BOB, s, authz=Authz("deny", "may.accept", "d")), "approval.authz"),
    "twice by one": (lambda c, s: (c.grant(BOB, s), c.grant(BOB, s)), "approval.second"),
    "twice by one account": (
        lambda c, s: (c.grant(BOB, s), c.grant(Actor("p-z", "person", ("officer",), "os:2:9"), s)), "approval.second",
    ),
    "after it was sent back": (
        lambda c, s: (c.add(Kind.APPROVAL_REJECTED, BOB, approval={"subject": s}), c.grant(CEM, s)), "approval.returned",
    ),
    "after a later beginning": (
        lambda c, s: (c.add(Kind.STATE_CHANGED, ANA, run="r-2", step="intake", note="Run begun."), c.grant(BOB, s)),
        "approval.subject",
    ),
    "withdrawn by another": (
        lambda c, s: c.add(Kind.APPROVAL_WITHDRAWN, CEM, approval={"subject": s, "granted": c.grant(BOB, s)}),
        "approval.withdrawn",
    ),
    "released by one": (lambda c, s: c.release(s, c.grant(BOB, s)), "release.people"),
    "released by one named twice": (lambda c, s: c.release(s, *[c.grant(BOB, s)] * 2), "release.people"),
    "released by nobody": (lambda c, s: c.release(s), "release.approvals"),
    "released on what was withdrawn": (
        lambda c, s: (
            one := c.grant(BOB, s), two := c.grant(CEM, s),
            c.add(Kind.APPROVAL_WITHDRAWN, BOB, approval={"subject": s, "granted": one}), c.release(s, one, two),
        ),
        "release.approvals",
    ),
    "released in one role": (
        lambda c, s: c.release(s, c.grant(BOB, s), c.grant(Actor("p-d", "person", ("analyst",), "os:4:7"), s)), "release.roles",
    ),
    "released by a role that may not": (
        lambda c, s: c.release(s, c.grant(BOB, s), c.grant(Actor("p-d", "person", ("clerk",), "os:4:7"), s)), "release.roles",
    ),
    "released after a later run": (
        lambda c, s: (one := c.grant(BOB, s), two := c.grant(CEM, s), c.run("r-2"), c.release(s, one, two)), "approval.subject",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_record_is_named(case: Case, how: str) -> None:
    """An approval or release that the rules do not allow, though its hash is right, is the finding; without it there is none."""
    subject = case.run()
    assert case.check() == ""
    forge, check = FORGED[how]
    forge(case, subject)
    assert case.check() == check


def test_what_a_run_asks_for_cannot_be_lowered_afterwards(case: Case) -> None:
    """A second request after the first, or one for an earlier run, changes nothing: two people stay two."""
    subject = case.run()
    one = {"people": 1, "roles": ["analyst"]}
    item = Item("needed", commitment(b"y", None), 1, "application/json", one)
    case.add(Kind.APPROVAL_REQUESTED, ENGINE, output=(item,))
    case.release(subject, case.grant(BOB, subject))
    assert case.check() == "release.people"


def test_a_run_begun_by_nobody_and_a_release_that_nobody_asked_for(case: Case) -> None:
    """It is not known who ran it, so no approval holds; a decision without its request is not released."""
    subject = case.run(needed=None)
    case.release(subject, case.grant(BOB, subject), case.grant(CEM, subject))
    assert case.check() == "release.asked"
    subject = case.run("r-2", by=Actor("engine", "engine"))
    case.grant(BOB, subject, run="r-2")
    fold = Approvals()
    assert [found.bad.check for found in map(fold.take, case.log.records()) if found] == ["release.asked", "approval.runner"]


def test_an_account_is_what_stands_before_the_last_colon() -> None:
    """Sessions name their account; none is none."""
    assert [account_of(one) for one in ("os:1:7", "x", "", None)] == ["os:1", "", "", ""]


def test_a_record_is_not_written_once_the_case_moved_on(case: Case) -> None:
    """Deciding on what was read and writing later: a newer record of the case stops it, one of another case does not."""
    head = case.log.head("c")
    assert head is not None
    draft = RecordDraft(case="c", kind=Kind.EVIDENCE_EXPORTED, actor=BOB)
    case.log.append([RecordDraft(case="d", kind=Kind.CASE_OPENED, actor=ANA)])
    (written,) = case.log.append_after("c", head.leaf, [draft])
    with pytest.raises(MovedOnError):
        case.log.append_after("c", head.leaf, [draft])
    with pytest.raises(MovedOnError):
        case.log.append_after("c", None, [draft])
    assert case.log.head("c") == written
    assert case.log.append_after("e", None, [RecordDraft(case="e", kind=Kind.CASE_OPENED, actor=ANA)])[0].cseq == 0
    with pytest.raises(DraftError):
        case.log.append_after("c", written.leaf, [RecordDraft(case="d", kind=Kind.EVIDENCE_EXPORTED, actor=BOB)])
