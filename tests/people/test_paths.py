"""Every path to an approval, tried by whoever should not have it: at the commands, with the log edited, after a rerun."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from conformed.errors import DeniedError, JournalError, UsageError
from conformed.people.person import Identified
from conformed.policy.may import Action


def refused(call: Any, *args: Any, **named: Any) -> tuple[str, ...]:
    """The reasons for which something is denied."""
    with pytest.raises(DeniedError) as said:
        call(*args, **named)
    return said.value.reasons


def test_two_people_of_two_roles_who_did_not_run_it_release_it(desk: Any) -> None:
    """Ana runs; bob accepts as analyst and cem confirms as officer: published, it is released, and every record obeys the rules."""
    desk.run("ana", "r-1")
    first = desk.accept("bob", "r-1")
    assert (first.state, [row.who for row in first.approvals]) == ("open", ["bob"])
    assert "in another role than the first" in " ".join(first.missing)
    last = desk.accept("cem", "r-1")
    assert (last.state, last.publication, last.missing) == ("released", "published", ())
    assert desk.holds()
    released = list(desk.log.records(kind="decision.released"))
    assert len(released) == 1
    assert released[0].approval["subject"] == last.record


def test_the_one_who_ran_it_cannot_accept_it_and_is_told_what_a_lone_analyst_needs(desk: Any) -> None:
    """The denial names the rule in plain words and stands in the log; nothing else was written."""
    desk.give(ana="credit_analyst")
    desk.run("ana", "r-1")
    before = sum(1 for _ in desk.log.records("fenwick-0001"))
    with pytest.raises(DeniedError, match=r"Nobody approves their own work.*another user of the operating system"):
        desk.accept("ana", "r-1")
    assert sum(1 for _ in desk.log.records("fenwick-0001")) == before
    (denied,) = desk.denials()
    assert (denied.authz.decision, denied.authz.rule, denied.authz.reasons) == ("deny", "separation", ("own_work",))
    assert denied.authz.policy == desk.loaded.digest
    assert denied.input[0].inline is None


@pytest.mark.parametrize("work", ["opened", "overrode", "resumed", "on behalf", "ran an earlier run"])
def test_any_work_on_the_case_bars(desk: Any, work: str) -> None:
    """Whoever opened, ran, resumed or overrode anything of the case, or had it done, accepts nothing of it."""
    if work == "opened":
        desk.run("bob", "r-1", end=False)
        desk.run("ana", "r-2")
    elif work == "overrode":
        desk.run("ana", "r-1")
        desk.run("bob", "r-2", action=Action.OVERRIDE)
    elif work == "resumed":
        desk.run("ana", "r-2", end=False)
        desk.sit("bob")
        desk.end("r-2")
    elif work == "on behalf":
        desk.run("ana", "r-1")
        desk.run("ana", "r-2", action=Action.OVERRIDE, by="Bob")
    else:
        desk.run("bob", "r-1")
        desk.run("ana", "r-2")
    assert refused(desk.accept, "bob", "r-2") == ("own_work",)


def test_an_administrator_cannot_either(desk: Any) -> None:
    """The role of an administrator lifts nothing: not for their own work, and it gives no right to accept."""
    desk.run("root", "r-1")
    assert refused(desk.accept, "root", "r-1") == ("own_work", "role_lacking")
    desk.run("ana", "r-2")
    assert "own_work" in refused(desk.accept, "root", "r-2")


def test_becoming_another_user_does_not_make_another_person(desk: Any) -> None:
    """ana, who ran it, becomes bob with su: the login that is behind bob's session shares the chain."""
    desk.run("ana", "r-1")
    assert refused(desk.accept, "bob", "r-1", behind="ana") == ("own_work",)
    desk.accept("bob", "r-1")
    assert refused(desk.accept, "cem", "r-1", behind="bob") == ("approved_already",)


def test_another_pseudonym_for_the_same_account_is_noticed(desk: Any) -> None:
    """Ana takes her entry out of the directory and enters it anew: her account in the log still bars her."""
    desk.give(ana="credit_analyst")
    desk.run("ana", "r-1")
    text = desk.workspace.people.read_text(encoding="utf-8")
    old = next(one for one in desk.log.records("fenwick-0001")).actor.id
    desk.workspace.people.write_text(text.replace(old, "p-ffffffffffff"), encoding="utf-8")
    assert refused(desk.accept, "ana", "r-1") == ("own_work",)


def test_a_forgotten_worker_cannot_be_told_apart_from_anyone(desk: Any) -> None:
    """Once the one who ran it is taken out of the directory, nobody can show that it was not they."""
    desk.run("ana", "r-1")
    text = desk.workspace.people.read_text(encoding="utf-8")
    desk.workspace.people.write_text(text.replace('  account: "os:1001"\n  name: "ana"\n', ""), encoding="utf-8")
    assert refused(desk.accept, "bob", "r-1") == ("worker_unknown",)


def test_a_run_that_nobody_is_said_to_have_run_cannot_be_accepted(desk: Any) -> None:
    """A run written past the guard, as by an earlier version, names no person: accepting it is refused."""
    guarded, desk.guard.writer = desk.guard.writer, lambda permit: desk.log
    desk.run("ana", "r-1")
    desk.guard.writer = guarded
    assert refused(desk.accept, "bob", "r-1") == ("runner_unknown",)
    desk.run("ana", "r-2")
    assert refused(desk.accept, "bob", "r-2") == ("runner_unknown",)


def test_one_person_approves_once_whatever_roles_they_hold(desk: Any) -> None:
    """Dia holds both roles: her second approval is refused, and so is one in the role that the first had."""
    desk.run("ana", "r-1")
    desk.accept("dia", "r-1", role="credit_officer")
    assert "approved_already" in refused(desk.accept, "dia", "r-1", role="credit_analyst")
    assert refused(desk.accept, "cem", "r-1") == ("role_taken",)
    assert desk.accept("bob", "r-1").state == "released"
    assert "approved_enough" in refused(desk.accept, "cem", "r-1")


def test_a_role_that_is_not_held_is_no_role(desk: Any) -> None:
    """Somebody without a role is told which one is needed and who gives it; naming one does not give it."""
    desk.run("ana", "r-1")
    desk.sit("bob")
    desk.who = Identified("os:1999", "eve", "os:1999:1", "os-account")
    with pytest.raises(DeniedError, match=r"needs the role credit analyst or credit officer, which you do not hold.*people.yaml"):
        desk.service.accept("r-1")
    with pytest.raises(UsageError, match="You do not hold the role 'credit_officer'"):
        desk.service.accept("r-1", role="credit_officer")


@pytest.mark.parametrize("later", ["run", "override", "unfinished", "resumed"])
def test_an_approval_lapses_when_the_case_changes(desk: Any, later: str) -> None:
    """A later run, override or beginning of one: the approval is shown as lapsed and counts no more, nor does a release."""
    if later == "resumed":
        desk.run("ana", "r-0", end=False)
    desk.run("ana", "r-1")
    desk.accept("bob", "r-1")
    if later == "resumed":
        desk.sit("ana")
        desk.end("r-0")
    else:
        action = Action.OVERRIDE if later == "override" else Action.RUN
        desk.run("ana", "r-2", action=action, end=later != "unfinished")
    desk.sit("ana")
    standing = desk.service.approvals("r-1")
    assert standing.state == "overtaken"
    assert [(row.who, row.stands) for row in standing.approvals] == [("bob", False)]
    assert "Lapsed" in standing.approvals[0].why_not
    assert "not_the_latest" in refused(desk.accept, "cem", "r-1")
    if later not in ("unfinished",):
        latest = "r-0" if later == "resumed" else "r-2"
        assert desk.accept("cem", latest).state == "open"
    assert desk.holds()


def test_an_approval_can_be_taken_back_by_its_giver_alone(desk: Any) -> None:
    """Cem cannot take bob's approval back; bob can; then it no longer counts, and bob may give it again."""
    desk.run("ana", "r-1")
    desk.accept("bob", "r-1")
    desk.sit("cem")
    assert refused(desk.service.withdraw, "r-1") == ("nothing_to_withdraw",)
    desk.sit("bob")
    assert desk.service.withdraw("r-1").approvals == ()
    desk.accept("bob", "r-1")
    assert desk.accept("cem", "r-1").state == "released"
    desk.sit("bob")
    assert "released" in refused(desk.service.withdraw, "r-1")
    assert desk.holds()


def test_a_run_that_was_sent_back_is_done_again_and_not_accepted(desk: Any) -> None:
    """Anyone may send a run back, even who ran it; earlier approvals lapse; the note is no record's words."""
    desk.run("ana", "r-1")
    desk.accept("bob", "r-1")
    desk.sit("ana")
    standing = desk.service.send_back("r-1", reason="figure_wrong", note="The revolver is left out.")
    assert (standing.state, [row.stands for row in standing.approvals]) == ("returned", [False])
    assert "figure_wrong" in standing.missing[0]
    assert b"revolver" not in b"".join(record.body for record in desk.log.records())
    assert "returned" in refused(desk.accept, "cem", "r-1")
    with pytest.raises(UsageError, match="is no reason for sending a run back"):
        desk.service.send_back("r-1", reason="no", note="x")
    with pytest.raises(UsageError, match="note is empty"):
        desk.service.send_back("r-1", reason="other", note=" ")
    desk.run("ana", "r-2")
    desk.accept("bob", "r-2")
    assert desk.accept("cem", "r-2").state == "released"
    assert desk.holds()


def test_nothing_is_released_before_somebody_outside_has_it(desk: Any) -> None:
    """With every approval there, the decision is pending until a checkpoint over it and them was acknowledged."""
    desk.outside.up = False
    desk.run("ana", "r-1")
    desk.accept("bob", "r-1")
    standing = desk.accept("cem", "r-1")
    assert (standing.state, standing.publication) == ("approved", "pending")
    assert "pending publication" in standing.missing[0]
    desk.outside.up = True
    desk.sit("ana")
    assert desk.service.approvals("r-1").state == "released"
    desk.outside.taken = 0
    assert desk.service.approvals("r-1").state == "released"


def test_two_who_accept_at_once_are_decided_one_after_the_other(desk: Any) -> None:
    """A record that comes between deciding and writing makes it be decided anew: the second of one role is refused."""
    desk.give(ana="credit_analyst")
    desk.run("root", "r-1")
    desk.sit("bob")
    write = desk.guard.__class__.write

    def between(self: Any, permit: Any, drafts: Any, **named: Any) -> Any:
        desk.guard.__class__.write = write
        bob, desk.who = desk.who, Identified("os:1001", "ana", "os:1001:7", "os-account")
        desk.service.accept("r-1")
        desk.who = bob
        return write(self, permit, drafts, **named)

    desk.guard.__class__.write = between
    try:
        assert refused(desk.accept, "bob", "r-1") == ("role_taken",)
    finally:
        desk.guard.__class__.write = write
    assert len(list(desk.log.records(kind="approval.granted"))) == 1
    assert desk.holds()


def test_a_flood_of_denials_is_one_record_a_minute_and_a_count(desk: Any) -> None:
    """Fifty refused attempts within a minute are one record; the next minute adds the number of the others."""
    desk.run("ana", "r-1")
    desk.service._clock = lambda: desk.now
    for _ in range(50):
        refused(desk.accept, "ana", "r-1")
    assert len(desk.denials()) == 1
    refused(desk.accept, "root", "r-1")
    assert len(desk.denials()) == 2
    desk.now = desk.now.replace(minute=desk.now.minute + 2)
    desk.sit("bob")
    desk.service.accept("r-1")
    counts = [item.inline for record in desk.denials() for item in record.output]
    assert [one["more"] for one in counts] == [49]


def test_a_change_of_the_directory_stands_in_the_log(desk: Any) -> None:
    """Who gives themselves a role leaves a record that the directory is another, without a name in it."""
    desk.run("ana", "r-1")
    before = len(list(desk.log.records("_config")))
    desk.give(ana="credit_officer")
    refused(desk.accept, "ana", "r-1")
    records = list(desk.log.records("_config"))
    assert len(records) == before + 1
    assert not any(name.encode() in record.body for record in desk.log.records() for name in ('"ana"', '"bob"', '"cem"'))


def test_records_say_who_and_by_which_rule(desk: Any) -> None:
    """The first record of a run has the person with their roles and session, and the rule; the engine works on their behalf."""
    desk.sit("bob")
    desk.run("bob", "r-1")
    opened, begun, asked, final = desk.log.records("fenwick-0001")
    assert opened.actor == begun.actor
    assert (begun.actor.kind, begun.actor.roles, begun.actor.session) == ("person", ("credit_analyst",), "os:1002:7")
    assert (begun.authz.decision, begun.authz.rule, begun.authz.policy) == ("allow", "may.run", desk.loaded.digest)
    assert (final.actor.id, final.actor.on_behalf_of) == ("engine", begun.actor.id)
    assert asked.output[0].inline["people"] == 2


def test_an_action_writes_its_own_kinds_of_record_alone(desk: Any) -> None:
    """What was allowed for one thing cannot be used to write another."""
    from conformed_audit import Actor, RecordDraft

    desk.run("ana", "r-1")
    desk.sit("ana")
    permit = desk.guard.permit(Action.EXPORT, "fenwick-0001", run="r-1")
    draft = RecordDraft(case="fenwick-0001", kind="approval.granted", actor=Actor("p-1", "person"), approval={"subject": "x"})
    with pytest.raises(UsageError, match=r"To export writes no record of the kind approval\.granted"):
        desk.guard.write(permit, [draft])
    with pytest.raises(UsageError, match="To export begins no run"):
        desk.guard.writer(permit)
    assert refused(desk.guard.permit, Action.ERASE, "fenwick-0001") == ("role_lacking",)


def test_a_forged_approval_stops_everything_that_follows(desk: Any) -> None:
    """Ana writes an approval past the guard, in bob's name from her own session: the next one refuses, nothing is released."""
    from conformed_audit import Actor, Authz, RecordDraft, verify

    desk.run("ana", "r-1")
    bob = desk.directory.person(Identified("os:1002", "bob", "", "")).id
    subject = list(desk.log.records("fenwick-0001"))[-1].leaf
    actor = Actor(bob, "person", ("credit_analyst",), "os:1001:7")
    said = {"subject": subject, "role": "credit_analyst", "session": "os:1001:7"}
    allow = Authz("allow", "may.accept", desk.loaded.digest)
    desk.log.append(
        [RecordDraft(case="fenwick-0001", kind="approval.granted", actor=actor, run="r-1", approval=said, authz=allow)]
    )
    assert not desk.holds()
    found = verify(desk.workspace.log)
    assert found.first_bad is not None
    assert found.first_bad.check == "approval.separation"
    with pytest.raises(UsageError, match=r"breaks the rules of approval \(approval\.separation\)"):
        desk.accept("cem", "r-1")
    standing = desk.service.approvals("r-1")
    assert (standing.state, standing.approvals) == ("open", ())
    assert "Verify the log" in standing.missing[0]


def test_an_edited_log_is_not_concluded_on(desk: Any) -> None:
    """With the guards of the database dropped and the runner's pseudonym replaced, the log does not read, and nobody accepts."""
    desk.run("ana", "r-1")
    ana = desk.directory.person(Identified("os:1001", "ana", "", "")).id
    with closing(sqlite3.connect(desk.workspace.log)) as base, base:
        for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{name}"')
        base.execute("UPDATE audit_event SET body = CAST(replace(CAST(body AS TEXT), ?, 'p-eeeeeeeeeeee') AS BLOB)", (ana,))
    with pytest.raises(JournalError, match="could not be"):
        desk.accept("bob", "r-1")
