"""Whoever writes past the product: records that break the rules are found by verification, and nothing is said of any name then."""

from __future__ import annotations

import dataclasses
import datetime as dt
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from weights_house import ALIAS, GATES, WeightsHouse

from conformed.app.retention.retention_desk import RetentionDesk
from conformed.app.weights.desk import WeightsDesk
from conformed.errors import JournalError, UsageError
from conformed.people.person import Identified
from conformed_audit import Actor, Authz, Item, Kind, Record, RecordDraft, verify
from conformed_audit.aliases import ALIAS_CASE, PROPOSED, USED

Change = Callable[[RecordDraft, Record], RecordDraft]
CASE = ALIAS_CASE + ALIAS
BRUNO = Actor("p-000000000001", "person", ("model_officer",), "os:bruno:1")

CLARA = Actor("p-000000000002", "person", ("model_officer",), "os:clara:1")


def move(asked: Record) -> RecordDraft:
    """The move that Bruno would make."""
    return RecordDraft(
        case=CASE, kind=Kind.STATE_CHANGED, actor=BRUNO, run=asked.run, step=str(said(asked)["manifest"]), idem="after nothing",
        authz=Authz("allow", "may.promote_weights", "p" * 64), approval={
            "proposal": asked.leaf, "proposed_by": asked.actor.id, "role": "model_officer", "session": "os:bruno:1", "method": "test",
        },
    )  # fmt: skip


def said(asked: Record) -> dict[str, Any]:
    """What a proposal says."""
    inline: Any = next(item.inline for item in asked.output if item.name == PROPOSED)
    return dict(inline)


def asked_again(asked: Record, leaf: str = "", **other: str) -> RecordDraft:
    """Another proposal by Anna."""
    inline = {**said(asked), "after": leaf, **other}
    item = Item(PROPOSED, "sha256:" + "0" * 64, 1, "application/json", inline)
    return RecordDraft(
        case=CASE,
        kind=Kind.APPROVAL_REQUESTED,
        actor=asked.actor,
        run="w-other",
        step=PROPOSED,
        authz=asked.authz,
        output=(item,),
    )


def replaced(**other: Any) -> Change:
    """Other fields of the move."""
    return lambda draft, _asked: dataclasses.replace(draft, **other)


def approving(**other: Any) -> Change:
    """Another approval in the move."""
    return lambda draft, _asked: dataclasses.replace(draft, approval={**(draft.approval or {}), **other})


FORGED: dict[str, tuple[str, Change]] = {
    "by the proposer": ("alias.separation", lambda d, a: dataclasses.replace(d, actor=a.actor, approval={**(d.approval or {}), "session": a.actor.session})),
    "for the proposer": ("alias.separation", lambda d, a: dataclasses.replace(d, actor=dataclasses.replace(BRUNO, on_behalf_of=a.actor.id))),
    "under the proposer's account": ("alias.separation", lambda d, _a: dataclasses.replace(d, actor=dataclasses.replace(BRUNO, session="os:anna:9"))),
    "by whoever used the final set": ("alias.separation", lambda d, _a: dataclasses.replace(d, actor=CLARA, approval={**(d.approval or {}), "session": CLARA.session})),
    "by an engine": ("alias.actor", replaced(actor=Actor("engine", "engine"))),
    "not allowed": ("alias.authz", replaced(authz=Authz("deny", "r", "p" * 64))),
    "without a rule": ("alias.authz", replaced(authz=None)),
    "to another hash": ("alias.proposed", replaced(step="f" * 64)),
    "of another run": ("alias.proposed", replaced(run="w-other")),
    "of no proposal": ("alias.proposed", approving(proposal="f" * 64)),
    "in a role not held": ("alias.role", approving(role="administrator")),
    "in another session": ("alias.role", approving(session="os:bruno:2")),
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_move_is_found(house: WeightsHouse, how: str) -> None:
    """Written past the product, a move that breaks a rule is found by its check, and every answer about names is refused."""
    check, change = FORGED[how]
    house.propose(user="clara")
    with house.desk("anna")._log(create=False) as log:
        (asked,) = log.records(CASE)
        log.append([change(move(asked), asked)])
    broken(house, check)


def broken(house: WeightsHouse, check: str) -> None:
    """Verification names the check, and so does every answer."""
    found = verify(house.workspace.log)
    assert found.first_bad is not None
    assert (found.ok, found.first_bad.check) == (False, check)
    for ask in (
        lambda d: d.show(ALIAS),
        WeightsDesk.aliases,
        lambda d: d.propose(ALIAS, house.weights(), house.report(use="f" * 64), GATES),
    ):
        with pytest.raises(JournalError, match=f"breaks the rules of weights \\({check}\\)"):
            ask(house.desk("clara"))


def test_the_move_of_these_tests_is_a_good_one(house: WeightsHouse) -> None:
    """Unchanged it holds, so that each change is what was found."""
    house.propose()
    with house.desk("anna")._log(create=False) as log:
        (asked,) = log.records(CASE)
        log.append([move(asked)])
    assert verify(house.workspace.log).ok
    assert house.desk("clara").show(ALIAS).manifest == house.manifest()


def test_two_moves_never_follow_one(house: WeightsHouse) -> None:
    """A second move on the same proposal, under another key, is found."""
    house.promote()
    with house.desk("anna")._log(create=False) as log:
        asked, _ = log.records(CASE)
        log.append([dataclasses.replace(move(asked), idem="twice")])
    broken(house, "alias.after")


@pytest.mark.parametrize(
    ("other", "check"),
    [({"back": "f" * 64}, "alias.back"), ({"manifest": "short"}, "alias.proposal"), ({"use": "f" * 64}, "alias.final")],
)
def test_a_forged_proposal_is_found(house: WeightsHouse, other: dict[str, str], check: str) -> None:
    """Back to what never was, to what is no hash, or on a use of the final set that is not in the log."""
    house.promote()
    with house.desk("anna")._log(create=False) as log:
        asked, moved = log.records(CASE)
        (written,) = log.append([asked_again(asked, moved.leaf, **other)])
        if check == "alias.back":
            log.append([dataclasses.replace(move(written), idem="z")])
    broken(house, check)


def test_a_second_use_of_a_final_set_is_found(house: WeightsHouse) -> None:
    """Written under another key, and by anyone: the fold counts uses, not keys."""
    house.use()
    with house.desk("anna")._log(create=False) as log:
        (used,) = log.records("final-set:covenants")
        log.append([RecordDraft(case=used.case, kind=used.kind, actor=BRUNO, step=USED, authz=used.authz, output=used.output)])
    broken(house, "final.once")


def test_a_step_that_is_none_of_these_is_found(house: WeightsHouse) -> None:
    """In the case of a final set nothing else changes a state."""
    house.use()
    with house.desk("anna")._log(create=False) as log:
        (used,) = log.records("final-set:covenants")
        log.append([RecordDraft(case=used.case, kind=used.kind, actor=BRUNO, step="forgotten", authz=used.authz)])
    broken(house, "final.step")


def test_an_altered_report_in_the_log_is_refused(house: WeightsHouse) -> None:
    """The report that is judged again is the one of the proposal: other bytes under its name do not move the name."""
    proposal = house.propose()
    with house.desk("anna")._log(create=False) as log:
        (asked,) = log.records(CASE)
        commit = next(item.commit for item in asked.sources if item.name == "report")
    with closing(sqlite3.connect(house.workspace.log)) as base:
        guards = base.execute("SELECT name, sql FROM sqlite_master WHERE type='trigger'").fetchall()
        for name, _ in guards:
            base.execute(f'DROP TRIGGER "{name}"')
        changed = base.execute(
            "UPDATE blob SET ciphertext = CAST(replace(CAST(ciphertext AS TEXT), '990', '999') AS BLOB) WHERE \"commit\" = ?",
            (commit,),
        ).rowcount
        for _, sql in guards:
            base.execute(sql)
        base.commit()
    assert changed == 1
    with pytest.raises(JournalError, match="does not match"):
        house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    assert not verify(house.workspace.log).ok


def test_names_go_on_through_epochs(house: WeightsHouse) -> None:
    """In the next epoch the name stands for the same, the final set stays used, a proposal of before lapsed, and the way back is open."""
    house.promote()
    second = house.propose("second", data="e" * 64)
    people = house.workspace.people
    people.write_text(
        people.read_text(encoding="utf-8")
        + '- id: p-0000000000aa\n  account: "os:rita"\n  name: rita\n  roles: [records_officer]\n',
        encoding="utf-8",
    )
    desk = RetentionDesk(
        house.workspace, environment={}, identify=lambda: Identified(account="os:rita", name="rita", session="os:rita:1", method="test"),
        clock=lambda: dt.datetime(2026, 3, 3, tzinfo=dt.UTC),
    )  # fmt: skip
    desk.close_epoch()
    assert house.desk("anna").show(ALIAS).manifest == house.manifest()
    with pytest.raises(UsageError, match="Those that wait: none"):
        house.desk("bruno").promote(ALIAS, second.proposal, house.weights("second"))
    with pytest.raises(UsageError, match="was used for covenants by anna"):
        house.desk("anna").final(house.weights(), house.report(), GATES)
    again = house.desk("anna").propose(ALIAS, house.weights("second"), house.folder / "second-final.json", GATES)
    assert house.desk("bruno").promote(ALIAS, again.proposal, house.weights("second")).before == house.manifest()
    back = house.desk("anna").propose_back(ALIAS, house.weights(), house.manifest(), reason="Worse in use.")
    assert house.desk("clara").promote(ALIAS, back.proposal, house.weights()).manifest == house.manifest()
    assert house.desk("anna").log_verify(None).ok


def test_without_a_log_there_is_nothing_to_list(house: WeightsHouse) -> None:
    """It is said where the log would be."""
    with pytest.raises(UsageError, match="There is no log at"):
        house.desk("anna").aliases()
