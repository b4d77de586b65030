"""`conformed replay` on a small pack: the same run is the same, and each of the eight classes is noticed where it is planted."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformed.app import running
from conformed.app.options import RunOptions, silent
from conformed.app.replay import replaying
from conformed.app.replay.replay_words import replay_text
from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace
from conformed.engine.journal import Journal
from conformed.engine.precedence import precedence_step
from conformed.engine.replay import DivergenceClass, Level, Replayed
from conformed.engine.slots import Calculated
from conformed.engine.workflow import StepSpec
from conformed.errors import UsageError
from conformed.hooks import Registry
from conformed.model.calculation import Calculation
from conformed_audit import Actor, Item, Kind, RecordDraft, verify

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def desk(bank: Path) -> Replays:
    """A service with a clock that goes on a second a look, and ids that count."""
    return desk_at(bank)


def desk_at(bank: Path) -> Replays:
    """A service on a workspace, as another process would make it."""
    seconds, runs = itertools.count(), itertools.count(1)
    return Replays(
        Workspace(root=bank, policies=bank / "policies", origin="flag"),
        clock=lambda: NOON + dt.timedelta(seconds=next(seconds)),
        ids=lambda: f"r-{next(runs):04}",
        environment={},
    )


def log_of(bank: Path) -> Path:
    """The log's file."""
    return bank / ".conformed" / "log.sqlite"


def ran(desk: Replays, pack: Path) -> str:
    """Runs a pack; the run's id."""
    return desk.run(pack, RunOptions(), silent).run


def kinds(report: Replayed) -> set[tuple[str, str]]:
    """Class and step of each divergence, pins apart."""
    return {(one.kind.value, one.step) for one in report.divergences}


def statuses(report: Replayed) -> str:
    """How each level ended."""
    return " ".join(f"{one.level}:{one.status}" for one in report.levels)


def test_a_run_is_the_same_again_from_the_log_alone(desk: Replays, fenwick: Path) -> None:
    """With the pack gone, every level finds the same, and the decision is the same."""
    run = ran(desk, fenwick)
    shutil.rmtree(fenwick)
    report = desk.replay(run)
    assert report.same
    assert statuses(report) == "L1:same L2:same L3:same L4:same"
    assert (report.same_decision, report.decision_recorded, report.divergences) == ("yes", "pass; ≤ 15/4 (6.10); ratio 3", ())
    steps = report.levels[1]
    assert (steps.compared, "not done again" in steps.sentence) == (8, False)
    assert "Same decision: yes." in replay_text(report, width=100, colour=False)


def test_a_replay_is_noted_and_touches_no_case(desk: Replays, bank: Path, fenwick: Path) -> None:
    """One record in the log's own case, which names the run's record and holds the report; the run's case is as it was."""
    run = ran(desk, fenwick)
    with desk_at(bank)._log(create=False) as log:
        before = {row.case: row.head for row in log.cases() if not row.case.startswith("_")}
    first, second = desk.replay(run), desk.replay(run, Level.L2)
    with desk_at(bank)._log(create=False) as log:
        assert {row.case: row.head for row in log.cases() if not row.case.startswith("_")} == before
        noted = list(log.records(kind=Kind.REPLAY_RUN))
        assert [record.leaf for record in noted] == [first.noted, second.noted]
        assert {(record.case, record.run) for record in noted} == {("_log", None)}
        assert noted[0].input[0].commit == first.record
        kept = Replayed.model_validate_json(log.get_blob(noted[0].output[0].commit))
    assert kept == first.model_copy(update={"noted": ""})
    assert verify(log_of(bank)).ok


def test_a_level_includes_those_before_it_and_no_more(desk: Replays, fenwick: Path) -> None:
    """L1 alone shows no decision."""
    run = ran(desk, fenwick)
    assert statuses(desk.replay(run, Level.L1)) == "L1:same"
    assert desk.replay(run, Level.L1).same_decision == "not shown"
    assert statuses(desk.replay(run, Level.L3)) == "L1:same L2:same L3:same"


def test_there_must_be_such_a_run(desk: Replays, fenwick: Path) -> None:
    """Neither an empty workspace nor a wrong id is replayed."""
    with pytest.raises(UsageError, match="no log"):
        desk.replay("r-0001")
    ran(desk, fenwick)
    with pytest.raises(UsageError, match="no run 'r-0009'"):
        desk.replay("r-0009")


# the eight classes


def test_1_a_record_that_was_altered(desk: Replays, bank: Path, fenwick: Path) -> None:
    """L1 names it, and nothing deeper is said of a log that does not hold."""
    run = ran(desk, fenwick)
    with closing(sqlite3.connect(log_of(bank), isolation_level=None)) as base:
        for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{name}"')
        base.execute("UPDATE audit_event SET body = CAST(replace(body, 'accept', 'review') AS BLOB) WHERE cseq = 6")
    report = desk.replay(run)
    assert kinds(report) == {("record altered", "log")}
    assert statuses(report) == "L1:differs L2:cannot L3:cannot L4:cannot"
    assert (report.same_decision, report.divergences[0].severity) == ("not shown", "high")
    assert report.divergences[0].recorded != report.divergences[0].now
    assert "record 6" in report.divergences[0].where


def erase(bank: Path, run: str, item: str) -> None:
    """Erases what a run kept under a name, or its source documents, with the record that explains it."""
    with desk_at(bank)._log(create=False) as log:
        begun = next(record for record in log.records(run=run) if record.input)
        commit = next(one.commit for one in begun.input if one.name == item)
        commits = [one["commit"] for one in json.loads(log.get_blob(commit))["files"]] if item == "sources" else [commit]
        gone = tuple(Item("payload", one, 0, "application/octet-stream") for one in commits)
        log.append([RecordDraft(case=begun.case, kind=Kind.PAYLOAD_ERASED, actor=Actor("p-1", "person"), input=gone)])
    with closing(sqlite3.connect(log_of(bank), isolation_level=None)) as base:
        for one in commits:
            base.execute(
                'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?',
                ("2026-03-02T12:00:00.000000Z", one),
            )


@pytest.mark.parametrize("item", ["sources", "request"])
def test_2_an_input_that_was_erased(desk: Replays, bank: Path, fenwick: Path, item: str) -> None:
    """The log still holds; the levels that need it say that they cannot be replayed, and nobody says "the same"."""
    run = ran(desk, fenwick)
    erase(bank, run, item)
    report = desk.replay(run)
    assert kinds(report) == {("input missing or erased", "begin")}
    assert statuses(report).startswith("L1:same L2:cannot")
    assert (report.same, report.same_decision) == (False, "not shown")
    assert "erased" in report.divergences[0].now


def test_3_an_input_that_differs(desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose precedence was not handed what the orchestrator hands it now."""

    def blind(decide: Any) -> StepSpec:
        step = precedence_step(decide)
        return dataclasses.replace(step, needs=tuple(slot for slot in step.needs if slot.name != "retrieved"))

    with monkeypatch.context() as patched:
        patched.setattr(running, "precedence_step", blind)
        run = ran(desk, fenwick)
    report = desk_at(bank).replay(run, Level.L3)
    assert kinds(report) == {("input differs", "precedence")}
    (one,) = report.divergences
    assert (one.where, one.recorded, one.now.startswith("sha256:")) == ("retrieved", "absent", True)
    assert statuses(report) == "L1:same L2:same L3:differs"


@pytest.mark.parametrize(("debt", "same"), [(299_000_000, "no"), (300_000_000, "yes")])
def test_4_an_output_that_differs(
    desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch, debt: int, same: str
) -> None:
    """A calculation that once came out otherwise: told with its place, and the decision only where it would be another."""
    calculated = running.calculated

    def otherwise(*given: Any) -> Calculated:
        found = calculated(*given)
        assert isinstance(found.calculation, Calculation)
        figures = tuple(
            f.model_copy(update={"value": f.value - 300_000_000 + debt, "label": "Debt"}) if f.name == "total_debt" else f
            for f in found.calculation.figures
        )
        ratio = next(f.value for f in figures if f.name == "total_debt") / 100_000_000
        return found.model_copy(update={"calculation": found.calculation.model_copy(update={"figures": figures, "ratio": ratio})})

    with monkeypatch.context() as patched:
        patched.setattr(running, "calculated", otherwise)
        run = ran(desk, fenwick)
    report = desk_at(bank).replay(run, Level.L3)
    assert ("output differs", "calculate") in kinds(report)
    assert {kind for kind, _step in kinds(report)} == {"output differs"}
    one = next(d for d in report.divergences if d.step == "calculate")
    assert one.where.startswith("calculation.figures[")
    assert (report.same_decision, one.severity) == (same, "medium" if same == "yes" else "high")
    assert statuses(report) == "L1:same L2:differs L3:same"


def test_5_a_step_under_another_name(desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in which a step bears another name than the contract gives it."""
    draft = Journal._draft

    def renamed(self: Journal, kind: Any, **fields: Any) -> RecordDraft:
        step = fields.get("step")
        return draft(self, kind, **{**fields, "step": "compute" if step == "calculate" else step})

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "_draft", renamed)
        run = ran(desk, fenwick)
    report = desk_at(bank).replay(run, Level.L3)
    assert ("step renamed, missing, extra or reordered", "compute") in kinds(report)
    one = next(d for d in report.divergences if d.step == "compute")
    assert (one.recorded, one.now, one.severity) == ("done", "no such step", "high")
    assert statuses(report) == "L1:same L2:differs L3:differs"


def test_6_another_plugin_and_another_engine(desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pin that is another is told by name with both values; the steps are done again all the same."""
    run = ran(desk, fenwick)
    manifest = Registry.manifest

    def edited(self: Registry) -> Mapping[str, Any]:
        plain = json.loads(json.dumps(manifest(self)))
        for one in plain["registrations"]:
            if (one["kind"], one["name"]) == ("retriever", "index"):
                one["digest"] = "f" * 64
        return dict(plain)

    monkeypatch.setattr(Registry, "manifest", edited)
    monkeypatch.setattr(replaying, "version", lambda _name: "9.9.9")
    report = desk_at(bank).replay(run)
    assert {d.step: d.now for d in report.divergences} == {
        "engine": "conformed 9.9.9", "retriever index": f"1.0.0 {'f' * 16}",
    }  # fmt: skip
    assert {(d.kind, d.severity, d.recorded == d.now) for d in report.divergences} == {
        (DivergenceClass.PIN_DIFFERS, "low", False)
    }
    assert (report.same_decision, statuses(report)) == ("yes", "L1:same L2:same L3:same L4:same")


def edit(bank: Path, old: str, new: str) -> None:
    """Edits the contract of today."""
    path = bank / "policies" / "covenant.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_7_another_policy(desk: Replays, bank: Path, fenwick: Path) -> None:
    """Today's contract is compared in meaning; the run's own was kept, so that the steps are done again under it."""
    run = ran(desk, fenwick)
    edit(bank, "headroom_alert: 1/4", "headroom_alert: 1/2")
    report = desk_at(bank).replay(run)
    (one,) = report.divergences
    assert (one.kind.value, one.where, one.recorded, one.now, one.severity) == (
        "policy or authorisation differs", "headroom_alert", "1/4", "1/2", "low",
    )  # fmt: skip
    assert (report.same_decision, statuses(report)) == ("yes", "L1:same L2:same L3:same L4:differs")


def test_8_another_approval_rule(desk: Replays, bank: Path, fenwick: Path) -> None:
    """Who must approve is a class of its own."""
    run = ran(desk, fenwick)
    edit(bank, "two_people: true\n  different_roles: true", "two_people: false\n  different_roles: false")
    report = desk_at(bank).replay(run)
    assert {(d.kind.value, d.step) for d in report.divergences} == {("approval rule differs", "approval")}
    assert report.divergences[0].where == "approval.different_roles"
    assert "differs in 2 places" in report.levels[3].sentence


# what a replay cannot do


def without_keepsakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs as they were recorded before anything was kept for a replay."""
    monkeypatch.setattr(running.Course, "kept", lambda self, log, case: ())


def test_an_old_run_says_what_it_cannot_show(desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its files no step is done again; its sequence is, as long as the workspace has its contract, and never more."""
    with monkeypatch.context() as patched:
        without_keepsakes(patched)
        run = ran(desk, fenwick)
    report = desk_at(bank).replay(run)
    assert statuses(report) == "L1:same L2:cannot L3:same L4:same"
    assert report.levels[1].sentence == "Cannot be replayed at this level: the run kept no source documents."
    assert (report.same, report.same_decision, report.divergences) == (False, "not shown", ())
    edit(bank, "headroom_alert: 1/4", "headroom_alert: 1/2")
    report = desk_at(bank).replay(run)
    assert statuses(report) == "L1:same L2:cannot L3:cannot L4:cannot"
    assert "kept no contract" in report.levels[2].sentence


def test_files_are_kept_once_for_all_runs_of_a_pack(desk: Replays, bank: Path, fenwick: Path) -> None:
    """A second run of the same files names the blobs of the first; erased ones are kept anew."""
    first, second = ran(desk, fenwick), ran(desk, fenwick)

    def files(run: str) -> list[str]:
        with desk_at(bank)._log(create=False) as log:
            begun = next(record for record in log.records(run=run) if record.input)
            listed = next(one.commit for one in begun.input if one.name == "sources")
            return [one["commit"] for one in json.loads(log.get_blob(listed))["files"]]

    assert files(first) == files(second)
    erase(bank, first, "sources")
    third = ran(desk_with_more_ids(bank), fenwick)
    assert not set(files(third)) & set(files(first))
    assert desk_at(bank).replay(third, Level.L2).same


def desk_with_more_ids(bank: Path) -> Replays:
    """A service whose ids do not clash with those that were used."""
    made = desk_at(bank)
    made._ids = lambda: "r-9999"
    return made


def test_a_contract_that_keeps_no_evidence_keeps_no_files(desk: Replays, bank: Path, fenwick: Path) -> None:
    """What the contract does not keep is not kept for a replay either."""
    edit(bank, "keep: [decision_record, evidence, ", "keep: [decision_record, ")
    report = desk.replay(ran(desk, fenwick), Level.L3)
    assert statuses(report) == "L1:same L2:cannot L3:same"


def test_an_unfinished_run_is_replayed_as_far_as_it_went(
    desk: Replays, bank: Path, fenwick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed has no decision, and its steps are compared all the same."""

    def die(*_given: Any) -> Calculated:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(running, "calculated", die)
        with pytest.raises(KeyboardInterrupt):
            ran(desk, fenwick)
    report = desk_at(bank).replay("r-0001", Level.L3)
    assert statuses(report) == "L1:same L2:same L3:same"
    assert (report.record, report.same_decision, report.levels[1].compared) == ("", "not shown", 4)


def test_another_policy_that_decides_otherwise_is_high(desk: Replays, bank: Path, fenwick: Path) -> None:
    """A formula of today's contract under which the covenant is not met: both decisions are told."""
    run = ran(desk, fenwick)
    path = bank / "policies" / "covenant.yaml"
    path.write_text(path.read_text(encoding="utf-8") + FORMULA, encoding="utf-8")
    report = desk_at(bank).replay(run)
    one = next(d for d in report.divergences if d.step == "conclude")
    assert (one.kind.value, one.severity, report.same_decision) == ("policy or authorisation differs", "high", "yes")
    assert (one.recorded.partition(";")[0], one.now.partition(";")[0]) == ("pass", "breach")


FORMULA = 'formulas: {total_leverage: "debt * 2 / earnings"}\n'
