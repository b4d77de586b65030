"""Killed at any moment, or overtaken by somebody else: the same command again ends in one state, and no name moves twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from weights_house import ALIAS, GATES, WeightsHouse

from conformed.app.weights import desk as desk_module
from conformed.app.weights.history import Book
from conformed.errors import JournalError, UsageError
from conformed_audit import AlreadyRecordedError, AuditLog, DiskFullError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is of POSIX")

KILLED = """
import os, signal, sys
from conformed.app.people import account
from conformed.cli.entry import run_command_line
from conformed.people.person import Identified
from conformed_audit import AuditLog
from conformed_audit.store import Store

who, moment, writes = sys.argv.pop(1), sys.argv.pop(1), 0
account.system_account = lambda: Identified(f"os:{who}", who, f"os:{who}:1", "test")
die = lambda: os.kill(os.getpid(), signal.SIGKILL)
append, add = AuditLog.append, Store.add_event

def appended(self, drafts, *, blobs=()):
    global writes
    writes += 1
    if moment == f"before write {writes}":
        die()
    records = append(self, drafts, blobs=blobs)
    if moment == f"after write {writes}":
        die()
    return records

def added(self, *values):
    result = add(self, *values)
    if moment == "inside a write":
        die()
    return result

AuditLog.append, Store.add_event = appended, added
raise SystemExit(run_command_line(sys.argv[1:]))
"""
MOMENTS = ["before write 1", "inside a write", "after write 1"]


def killed(house: WeightsHouse, who: str, *words: str, moment: str) -> None:
    """One command in a process of its own, which kills itself at a moment."""
    line = [sys.executable, "-c", KILLED, who, moment, *words, "--workspace", str(house.folder)]
    kept = {"CONFORMED_STATE"}
    environment = {name: value for name, value in os.environ.items() if name in kept or not name.startswith("CONFORMED_")}
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_promotion_is_done_once(house: WeightsHouse, moment: str) -> None:
    """Killed before, inside or after its write: again it ends with one move, and a third time it writes nothing."""
    proposal = house.propose().proposal
    before = house.records()
    killed(house, "bruno", "weights", "promote", ALIAS, proposal, str(house.weights()), moment=moment)
    assert house.records() == before + (moment == "after write 1")
    for already in (moment == "after write 1", True):
        moved = house.desk("bruno").promote(ALIAS, proposal, house.weights())
        assert (moved.manifest, moved.already, house.records()) == (house.manifest(), already, before + 1)
    assert len(house.desk("anna").show(ALIAS).moves) == 1
    assert house.desk("anna").log_verify(None).ok


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_proposal_is_made_once(house: WeightsHouse, moment: str) -> None:
    """The result of the final set and the proposal are there together or not at all; again it is the same proposal."""
    use = house.use()
    report = house.report(use=use)
    killed(
        house, "anna", "weights", "propose", ALIAS, str(house.weights()), "--report", str(report), "--gates", GATES, moment=moment
    )
    assert house.records() == (3 if moment == "after write 1" else 1)
    said = {house.desk("anna").propose(ALIAS, house.weights(), report, GATES).proposal for _ in range(2)}
    assert said == {one.proposal for one in house.desk("anna").show(ALIAS).open}
    assert house.records() == 3
    assert house.desk("anna").log_verify(None).ok


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_use_of_the_final_set_is_there_or_not(house: WeightsHouse, moment: str) -> None:
    """Cut off before its record it can be done; after it the refusal gives the use, on which the evaluation can go on."""
    report = house.report()
    killed(house, "anna", "weights", "final", str(house.weights()), "--report", str(report), "--gates", GATES, moment=moment)
    try:
        said = house.desk("anna").final(house.weights(), report, GATES).use.use
    except UsageError as refused:
        assert moment == "after write 1"
        said = str(refused)
    with house.desk("anna")._log(create=False) as log:
        (used,) = log.records("final-set:covenants")
    assert used.leaf in said
    assert house.desk("anna").propose(ALIAS, house.weights(), house.report(use=used.leaf), GATES).already is False


def overtaken(monkeypatch: pytest.MonkeyPatch, by: Callable[[], object]) -> None:
    """Lets somebody else write once, after the log was read and before the next write."""
    made = Book
    todo = [by]

    def book(logs: Any) -> Book:
        found = made(logs)
        if todo:
            todo.pop()()
        return found

    monkeypatch.setattr(desk_module, "Book", book)


def test_two_who_confirm_the_same_make_one_move(house: WeightsHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one to write finds the move of the first, and gives that."""
    proposal = house.propose().proposal
    overtaken(monkeypatch, lambda: house.desk("clara").promote(ALIAS, proposal, house.weights()))
    moved = house.desk("bruno").promote(ALIAS, proposal, house.weights())
    assert (moved.already, moved.confirmed_by) == (True, "clara")
    assert len(house.desk("anna").show(ALIAS).moves) == 1


def test_two_who_confirm_different_proposals_make_one_move(house: WeightsHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two moves never follow the same one: the second is told that the name was moved."""
    first, second = house.propose(), house.propose("second", data="e" * 64)
    overtaken(monkeypatch, lambda: house.desk("clara").promote(ALIAS, second.proposal, house.weights("second")))
    with pytest.raises(UsageError, match="was moved after the proposal"):
        house.desk("bruno").promote(ALIAS, first.proposal, house.weights())
    assert [one.manifest for one in house.desk("anna").show(ALIAS).moves] == [house.manifest("second")]


def test_two_who_use_the_final_set_at_once_use_it_once(house: WeightsHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log takes one record of it, whoever is quicker; the other is refused with whom and when."""
    report = house.report()
    overtaken(monkeypatch, lambda: house.desk("clara").final(house.weights(), report, GATES))
    with pytest.raises(UsageError, match="by clara on"):
        house.desk("anna").final(house.weights(), report, GATES)
    assert house.records() == 1


def test_a_log_that_cannot_be_written_is_one_sentence(house: WeightsHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is an error of ours, and the name stands for what it stood for."""
    proposal = house.propose()

    def full(*_values: object, **_more: object) -> None:
        raise DiskFullError("There is no room left.")

    with monkeypatch.context() as patch:
        patch.setattr(AuditLog, "append", full)
        with pytest.raises(JournalError, match="no room left"):
            house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    assert house.desk("anna").show(ALIAS).manifest == ""


def test_somebody_who_is_always_quicker_is_one_sentence(house: WeightsHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some tries it is said that the log changes too fast, and nothing was written."""
    proposal = house.propose()
    tries = []

    def quicker(*_values: object) -> None:
        tries.append(1)
        raise AlreadyRecordedError("case", "key", "kind", 1)

    monkeypatch.setattr(desk_module, "promote", quicker)
    with pytest.raises(JournalError, match="changes faster"):
        house.desk("bruno").promote(ALIAS, proposal.proposal, house.weights())
    assert (len(tries) > 1, house.desk("anna").show(ALIAS).manifest) == (True, "")
