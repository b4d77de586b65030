"""Runs with overrides, replayed from the log alone: without the pack, and without the papers that the overrides added."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from override_packs import Desk, conditional, seen

from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace
from conformed.engine.replay import Replayed
from conformed_audit import Actor, Item, Kind, RecordDraft


def desk_at(bank: Path) -> Replays:
    """Another process on the workspace."""
    return Replays(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})


def statuses(report: Replayed) -> str:
    """How each level ended."""
    return " ".join(f"{one.level}:{one.status}" for one in report.levels)


def test_a_run_with_overrides_is_replayed_from_the_log_alone(bank: Path, fenwick: Path) -> None:
    """From the reading of its first run, its facts, and the papers that they added; and so is a run that overrides it."""
    desk = Desk(fenwick, bank)
    earlier = conditional(desk)
    decision = desk.override(earlier, seen(desk))
    shutil.rmtree(fenwick)
    for paper in bank.glob("*.txt"):
        paper.unlink()
    report = desk_at(bank).replay(decision.run)
    assert (report.same, report.same_decision, report.levels[1].compared) == (True, "yes", 8)
    assert report.decision_recorded.startswith("pass; ≤ 17/4")
    assert desk_at(bank).replay(earlier.run).same


def test_a_run_with_overrides_whose_first_run_lost_its_reading_cannot_be_replayed(bank: Path, fenwick: Path) -> None:
    """What it was done again from is an input, too."""
    desk = Desk(fenwick, bank)
    earlier = conditional(desk)
    decision = desk.override(earlier, seen(desk))
    erase_output(bank, earlier.run, "case_file")
    report = desk_at(bank).replay(decision.run)
    assert {(one.kind.value, one.step) for one in report.divergences} == {("input missing or erased", "begin")}
    assert statuses(report) == "L1:same L2:cannot L3:cannot L4:same"


def erase_output(bank: Path, run: str, slot: str) -> None:
    """Erases what a step gave."""
    with desk_at(bank)._log(create=False) as log:
        given = next((r.case, one) for r in log.records(run=run) for one in r.output if one.name == slot)
        gone = (Item("payload", given[1].commit, 0, "application/json"),)
        log.append([RecordDraft(case=given[0], kind=Kind.PAYLOAD_ERASED, actor=Actor("p-1", "person"), input=gone)])
    with closing(sqlite3.connect(bank / ".conformed" / "log.sqlite", isolation_level=None)) as base:
        base.execute(
            'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?',
            ("2026-03-02T12:00:00.000000Z", given[1].commit),
        )
