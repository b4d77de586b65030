"""Erasure by two people, blocked by a legal hold: what goes, what stays, and what the log then says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from evidence_house import VERIFIERS, House, checked, opened, write_pack

from conformed.app.keeping.state import find_state
from conformed.app.options import RunOptions
from conformed.app.retention.erasure import approve_erasure, ask_erasure, forget_traces, pending_request
from conformed.app.retention.holding import hold_case, hold_of, release_hold
from conformed.errors import DeniedError, UsageError
from conformed_audit import Kind, verify
from conformed_audit.erasing import ErasingLog
from conformed_audit.errors import ErasedError

BASIS = "GDPR Art. 17(1)(a)"


@pytest.fixture(autouse=True)
def state_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints that are kept outside belong to one log: another test's log of the same name would be another history."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))


@pytest.fixture
def held(house: House, tmp_path: Path) -> tuple[House, str, str]:
    """A house with a run, two records officers and an analyst; the run and its case."""
    run = house.run(write_pack(tmp_path / "fenwick", "300,000"))
    with house.log() as log:
        case = next(r.case for r in log.records(run=run))
    house.enter("bruno", "records_officer")
    house.enter("clara", "records_officer")
    return house, run, case


def ask(house: House, who: str, name: str, basis: str = BASIS) -> None:
    """Asks."""
    house.who = who
    with house.log() as log:
        ask_erasure(log, house.guard(log), name, basis)


def approve(house: House, who: str, name: str) -> None:
    """Carries out."""
    house.who = who
    with ErasingLog.open_to_erase(house.workspace.log, origin=house.origin, clock=house.clock, keys=house.master) as log:
        approve_erasure(log, house.guard(log), name, lambda: forget_traces(house.workspace))


def raw(folder: Path) -> bytes:
    """Every byte that the workspace keeps beside its policies."""
    return b"".join(one.read_bytes() for one in sorted((folder / ".conformed").rglob("*")) if one.is_file())


def test_two_people_erase(held: tuple[House, str, str]) -> None:
    """One asks and another carries it out; the record names both, the basis and every content, and the log holds."""
    house, run, case = held
    ask(house, "bruno", run)
    approve(house, "clara", case)
    with house.log() as log:
        records = list(log.records(case, kind=Kind.PAYLOAD_ERASED))
        shown = house.guard(log).directory.shown
        assert records[0].approval is not None
        assert [shown(str(records[0].approval["asked_by"])), shown(records[0].actor.id)] == ["bruno", "clara"]
        assert {record.note for record in records} == {BASIS}
        assert pending_request(log, case) is None
    found = verify(house.workspace.log, keys=house.master)
    assert (found.ok, found.unopened) == (True, 0)
    assert found.erased == sum(len(record.input) for record in records) > 5


def test_nobody_erases_what_they_asked_for(held: tuple[House, str, str]) -> None:
    """Whoever asked is denied, the denial is recorded, and everything is still there."""
    house, run, case = held
    ask(house, "bruno", case)
    with pytest.raises(DeniedError, match="another person must carry it out"):
        approve(house, "bruno", case)
    with house.log() as log:
        denied = list(log.records("_access", kind=Kind.ACCESS_DENIED))
        assert [record.authz.rule for record in denied if record.authz] == ["separation"]
        assert log.get_blob(next(i.commit for r in log.records(case, run) for i in r.output if i.name == "record"))


@pytest.mark.parametrize("step", ["ask", "approve"])
def test_a_role_is_needed_for_both(held: tuple[House, str, str], step: str) -> None:
    """Without the role of records officer nobody can ask, and nobody can carry out."""
    house, _, case = held
    if step == "approve":
        ask(house, "bruno", case)
    with pytest.raises(DeniedError, match="records officer"):
        ask(house, "anna", case) if step == "ask" else approve(house, "anna", case)


def test_nothing_of_the_documents_is_left(held: tuple[House, str, str]) -> None:
    """No file of the workspace holds the borrower's words afterwards, the readings of the cache and the index included."""
    house, run, case = held
    house.service().covenant(house.packs[0], RunOptions())
    house.search(run)
    with house.log() as log:
        index = find_state(os.environ, log.origin).folder / "runs.sqlite"
    assert b"Fenwick Timber" in index.read_bytes()
    assert b"FENWICK TIMBER" in raw(house.folder)
    assert list(house.workspace.cache.iterdir())
    ask(house, "bruno", case)
    approve(house, "clara", case)
    after = raw(house.folder)
    for words in (b"FENWICK TIMBER", b"Fenwick Timber", b"Leverage Ratio as of the last day", b"Anna Thorne", b"300,000"):
        assert words not in after
    assert not list(index.parent.glob("runs.sqlite*"))


def test_a_hold_blocks_both_steps(held: tuple[House, str, str]) -> None:
    """Under a legal hold nothing is asked for and nothing carried out; lifted, it is."""
    house, _, case = held
    house.who = "clara"
    with house.log() as log:
        hold_case(log, house.guard(log), case, "Litigation 7 of 2026")
    with pytest.raises(UsageError, match="legal hold since 2026-03-02: Litigation 7 of 2026"):
        ask(house, "bruno", case)
    house.who = "clara"
    with house.log() as log:
        release_hold(log, house.guard(log), case, "Settled")
        assert hold_of(log, case) is None
    ask(house, "bruno", case)
    house.who = "clara"
    with house.log() as log:
        hold_case(log, house.guard(log), case, "Litigation 8 of 2026")
    with pytest.raises(UsageError, match="Litigation 8 of 2026"):
        approve(house, "clara", case)
    assert not verify(house.workspace.log, keys=house.master).erased


def test_a_hold_that_comes_in_between_still_blocks(held: tuple[House, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A hold that is set after the look at holds, and before the transaction, is seen inside it: nothing goes."""
    house, _, case = held
    ask(house, "bruno", case)
    plan = ErasingLog.plan

    def late(log: ErasingLog, name: str) -> object:
        house.who = "bruno"
        with house.log() as other:
            hold_case(other, house.guard(other), case, "Just now")
        house.who = "clara"
        return plan(log, name)

    monkeypatch.setattr(ErasingLog, "plan", late)
    with pytest.raises(UsageError, match="Just now"):
        approve(house, "clara", case)
    with house.log() as log:
        assert not list(log.records(case, kind=Kind.PAYLOAD_ERASED))
    assert verify(house.workspace.log, keys=house.master).erased == 0


def test_holds_are_about_one_case(held: tuple[House, str, str]) -> None:
    """A hold on another case blocks nothing here; a second one on the same case is refused, and so is lifting none."""
    house, _, case = held
    house.who = "clara"
    with house.log() as log:
        guard = house.guard(log)
        hold_case(log, guard, "another-case", "Their litigation")
        with pytest.raises(UsageError, match="No hold stands"):
            release_hold(log, guard, case, "Settled")
        with pytest.raises(UsageError, match="is held since"):
            hold_case(log, guard, "another-case", "Again")
        with pytest.raises(UsageError, match="No reason"):
            hold_case(log, guard, case, "  ")
    ask(house, "bruno", case)
    approve(house, "clara", case)


def test_what_cannot_be_asked(held: tuple[House, str, str]) -> None:
    """No such case, no basis, a request that stands, nothing asked, nothing left: each is refused with a mend."""
    house, _, case = held
    with pytest.raises(UsageError, match="no run and no case 'larch'"):
        ask(house, "bruno", "larch")
    with pytest.raises(UsageError, match="no run and no case '_config'"):
        ask(house, "bruno", "_config")
    with pytest.raises(UsageError, match="legal basis"):
        ask(house, "bruno", case, "   ")
    with pytest.raises(UsageError, match="Nobody has asked"):
        approve(house, "clara", case)
    ask(house, "bruno", case)
    with pytest.raises(UsageError, match="asked for already"):
        ask(house, "clara", case)
    approve(house, "clara", case)
    ask(house, "bruno", case)
    with pytest.raises(UsageError, match="keeps no content"):
        approve(house, "clara", case)


@pytest.mark.parametrize("how", VERIFIERS)
def test_evidence_of_what_was_erased_still_holds(held: tuple[House, str, str], how: str, tmp_path: Path) -> None:
    """A bundle made before still holds; one made afterwards holds its records and says what was erased."""
    house, run, case = held
    before = house.export(run)
    ask(house, "bruno", case)
    approve(house, "clara", case)
    after = house.export(run)
    assert set(after.erased) >= {"decision.json", "trace.json", "run/sources.json"}
    files = opened(after.data)
    assert "decision.json" not in files
    assert b"Erased       decision.json" in files["README.txt"]
    kinds = [json.loads(line)["kind"] for line in files["log/records.jsonl"].splitlines()]
    assert "payload.erased" in kinds
    for made in (before, after):
        said = checked(how, tmp_path, made.data, house.keys)
        assert said.returncode == 0, said.stderr


def test_a_replay_says_that_the_input_was_erased(held: tuple[House, str, str]) -> None:
    """A replay of a run whose content is gone says so, and does not say that the log was tampered with."""
    house, run, case = held
    first = house.replay(run)
    with house.log() as log:
        report = [i.commit for r in log.records("_log", kind=Kind.REPLAY_RUN) for i in r.output][-1]
    ask(house, "bruno", case)
    approve(house, "clara", case)
    with house.log() as log, pytest.raises(ErasedError):  # an earlier report may quote values of the case
        log.get_blob(report)
    assert "erased" not in first
    told = house.replay(run)
    assert "erased" in told
    assert "tamper" not in told.lower()
