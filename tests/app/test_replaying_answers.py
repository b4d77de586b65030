"""`conformed replay` on runs of the second application: the same is the same, and each of the eight classes is noticed."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformed.app.answering import course
from conformed.app.answering.desk import AnswerDesk
from conformed.app.options import silent
from conformed.app.replay import replaying
from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace
from conformed.engine.answering.select import select_step
from conformed.engine.journal import Journal
from conformed.engine.replay import Level, Replayed
from conformed.engine.workflow import StepSpec
from conformed.errors import UsageError
from conformed.hooks import Registry
from conformed.model.answered import AnswerRecord, Task
from conformed_audit import Actor, Item, Kind, RecordDraft
from conformed_plugins.backends.scripted import ScriptedBackend

Write = Callable[..., Path]
NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)
TASK = Task(id="product", prompt="What is six times seven?", form="numeric", check="42", facts={})
RIGHT, WRONG = "So it is.\n<final>42</final>", "So it is.\n<final>41</final>"
SAME = "L1:same L2:same L3:same L4:same"


def services(bank: Path) -> tuple[AnswerDesk, Replays]:
    """Who answers and who replays, on one workspace, with a clock that goes on a second a look."""
    seconds, runs = itertools.count(), itertools.count(1)
    place = Workspace(root=bank, policies=bank / "policies", origin="flag")
    named: dict[str, Any] = {
        "clock": lambda: NOON + dt.timedelta(seconds=next(seconds)), "ids": lambda: f"r-{next(runs):04}", "environment": {},
    }  # fmt: skip
    return AnswerDesk(place, **named), Replays(place, **named)


def answered(bank: Path, task: Task = TASK) -> AnswerRecord:
    """Answers a task."""
    return services(bank)[0].answer(task, policy="short-answers", resume=False, progress=silent)


def replayed(bank: Path, level: Level = Level.L4, **named: Any) -> Replayed:
    """Replays the one run there is."""
    return services(bank)[1].replay("r-0001", level, **named)


def kinds(report: Replayed) -> set[tuple[str, str]]:
    """Class and step of each divergence."""
    return {(one.kind.value, one.step) for one in report.divergences}


def statuses(report: Replayed) -> str:
    """How each level ended."""
    return " ".join(f"{one.level}:{one.status}" for one in report.levels)


def edit(bank: Path, old: str, new: str) -> None:
    """Edits the contract of today."""
    path = bank / "policies" / "short-answers.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def house(bank: Path, scripted: Write) -> Path:
    """A workspace whose backend is right in three of four samples."""
    scripted(six=[RIGHT, WRONG, RIGHT, RIGHT])
    return bank


def test_a_run_is_the_same_again(house: Path) -> None:
    """Every level holds; five steps and the conclusion were done again; the answer's own text is not in the report."""
    assert answered(house).answer == "42"
    report = replayed(house)
    assert (report.same, statuses(report), report.levels[1].compared) == (True, SAME, 6)
    assert (report.same_decision, report.decision_recorded) == ("yes", "answered; verified; 6 of 8")
    assert report.decision_now == report.decision_recorded
    assert "not done again" not in report.levels[1].sentence


def test_a_run_for_a_person_is_the_same_again(house: Path) -> None:
    """Routed to a person, one step ran: it and the conclusion are done again, and the review is the same review."""
    answered(house, TASK.model_copy(update={"prompt": " "}))
    report = replayed(house)
    assert (report.same, report.levels[1].compared, report.decision_recorded) == (True, 2, "review; human_review")


def test_what_a_backend_does_not_repeat_is_served(house: Path, scripted: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is generated again, whatever it would say today; all that rules do with the responses is."""
    monkeypatch.setattr(ScriptedBackend, "repeatable", False)
    answered(house)
    scripted(six=[WRONG])
    report = replayed(house)
    assert (report.same, report.same_decision, report.levels[1].compared) == (True, "yes", 5)
    assert "Taken from the record and not done again: generate." in report.levels[1].sentence


# the eight classes


def test_1_a_record_that_was_altered(house: Path) -> None:
    """L1 names it, and nothing deeper is said."""
    answered(house)
    with closing(sqlite3.connect(house / ".conformed" / "log.sqlite", isolation_level=None)) as base:
        for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            base.execute(f'DROP TRIGGER "{name}"')
        changed = base.execute(
            "UPDATE audit_event SET body = CAST(replace(body, 'accept', 'review') AS BLOB) WHERE kind = 'step.outcome'"
        )
        assert changed.rowcount == 5
    report = replayed(house)
    assert kinds(report) == {("record altered", "log")}
    assert (statuses(report), report.same_decision) == ("L1:differs L2:cannot L3:cannot L4:cannot", "not shown")


@pytest.mark.parametrize(
    ("name", "where", "levels"),
    [
        ("request", "begin", "L1:same L2:cannot L3:cannot L4:cannot"),
        ("responses", "generate", "L1:same L2:cannot L3:same L4:same"),
    ],
)
def test_2_an_input_that_was_erased(house: Path, name: str, where: str, levels: str) -> None:
    """The task, or the responses: the levels that need them say so, and nobody says "the same"."""
    answered(house)
    with services(house)[0]._log(create=False) as log:
        records = list(log.records(run="r-0001"))
        item = next(one for r in records for one in (*r.input, *r.output) if one.name == name)
        gone = (Item("payload", item.commit, 0, "application/octet-stream"),)
        log.append([RecordDraft(case=records[0].case, kind=Kind.PAYLOAD_ERASED, actor=Actor("p-1", "person"), input=gone)])
    with closing(sqlite3.connect(house / ".conformed" / "log.sqlite", isolation_level=None)) as base:
        base.execute(
            'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?',
            ("2026-03-02T12:00:00.000000Z", item.commit),
        )
    report = replayed(house)
    assert ("input missing or erased", where) in kinds(report)
    assert {kind for kind, _step in kinds(report)} == {"input missing or erased"}
    assert (statuses(report), report.same, report.same_decision) == (levels, False, "not shown")


def test_3_an_input_that_differs(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose choice was not handed the route, as the orchestrator hands it now."""

    def blind() -> StepSpec:
        step = select_step()
        return dataclasses.replace(step, needs=tuple(slot for slot in step.needs if slot.name != "route"))

    with monkeypatch.context() as patched:
        patched.setattr(course, "select_step", blind)
        answered(house)
    report = replayed(house, Level.L3)
    assert kinds(report) == {("input differs", "select")}
    assert (report.divergences[0].where, report.divergences[0].recorded) == ("route", "absent")


@pytest.mark.parametrize(
    ("today", "same", "severity"),
    [([WRONG], "no", "high"), (["I think:\n<final>42</final>"], "yes", "medium"), ([""], "no", "high")],
)
def test_4_a_script_that_says_something_else(house: Path, scripted: Write, today: list[str], same: str, severity: str) -> None:
    """A backend that declares itself repeatable and is not is told at generate; the decision only where it would be another."""
    answered(house)
    scripted(six=today)
    report = replayed(house, Level.L3)
    assert kinds(report) == {("output differs", "generate")}
    assert (report.same_decision, report.divergences[0].severity, statuses(report)) == (
        same,
        severity,
        "L1:same L2:differs L3:same",
    )


def test_4_a_normaliser_that_was_changed(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another normal form is told at the step that takes the answers, with both values."""
    answered(house)
    monkeypatch.setattr(course, "normal_form", lambda answer, form: (f"{answer}.0", form))
    report = replayed(house, Level.L2)
    one = next(d for d in report.divergences if d.step == "answer")
    assert (one.kind.value, one.where, one.recorded, one.now) == ("output differs", "answers[0].normal", '"42"', '"42.0"')
    assert report.same_decision == "no"


def test_4_a_script_that_is_gone(house: Path, scripted: Write) -> None:
    """The backend cannot be made: the steps cannot be done again, and why is told in one sentence."""
    answered(house)
    scripted().unlink()
    report = replayed(house)
    assert kinds(report) == {("plugin or engine pin differs", "begin")}
    assert "could not be made" in report.divergences[0].now
    assert report.same_decision == "not shown"


def test_5_a_step_under_another_name(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in which a step bears another name than the contract gives it."""
    draft = Journal._draft

    def renamed(self: Journal, kind: Any, **fields: Any) -> RecordDraft:
        step = fields.get("step")
        return draft(self, kind, **{**fields, "step": "check" if step == "verify" else step})

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "_draft", renamed)
        answered(house)
    report = replayed(house, Level.L3)
    assert ("step renamed, missing, extra or reordered", "check") in kinds(report)
    assert statuses(report) == "L1:same L2:differs L3:differs"


def test_6_another_plugin_and_another_engine(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are told by name; the steps are done again all the same."""
    answered(house)
    manifest = Registry.manifest

    def edited(self: Registry) -> Mapping[str, Any]:
        plain = json.loads(json.dumps(manifest(self)))
        for one in plain["registrations"]:
            if (one["kind"], one["name"]) == ("backend", "scripted"):
                one["digest"] = "f" * 64
        return dict(plain)

    monkeypatch.setattr(Registry, "manifest", edited)
    monkeypatch.setattr(replaying, "version", lambda _name: "9.9.9")
    report = replayed(house)
    assert kinds(report) == {("plugin or engine pin differs", "engine"), ("plugin or engine pin differs", "backend scripted")}
    assert (report.same_decision, statuses(report)) == ("yes", SAME)


def test_7_another_policy(house: Path) -> None:
    """Today's contract is compared in meaning; the run's own was kept, so that the steps are done again under it."""
    answered(house)
    edit(house, "assumed_difficulty: 1/2", "assumed_difficulty: 3/5")
    report = replayed(house)
    (one,) = report.divergences
    assert (one.kind.value, one.where, one.recorded, one.now) == (
        "policy or authorisation differs", "sampling.assumed_difficulty", "1/2", "3/5",
    )  # fmt: skip
    assert (report.same_decision, statuses(report)) == ("yes", "L1:same L2:same L3:same L4:differs")


def test_7_another_policy_that_decides_otherwise_is_high(bank: Path, scripted: Write) -> None:
    """Under a threshold that asks once the first sample is all there is, and it is wrong: both decisions are told."""
    scripted(six=[WRONG, RIGHT])
    answered(bank)
    edit(bank, "difficulty_threshold: 7/20", "difficulty_threshold: 9/10")
    one = next(d for d in replayed(bank).divergences if d.step == "conclude")
    assert (one.kind.value, one.severity) == ("policy or authorisation differs", "high")
    assert (one.recorded, one.now) == ("answered; verified; 4 of 8", "review; no_answer_verified")


def test_8_another_approval_rule(house: Path) -> None:
    """Who must approve is a class of its own."""
    answered(house)
    edit(house, "two_people: false", "two_people: true")
    report = replayed(house)
    assert kinds(report) == {("approval rule differs", "approval")}
    assert report.divergences[0].where == "approval.two_people"


# other applications' contracts


def test_a_run_is_never_replayed_under_a_contract_of_another_application(house: Path) -> None:
    """Named, it is refused in one sentence; put in the place of the run's own, the level says that there is none."""
    answered(house)
    with pytest.raises(UsageError, match="is for covenants and not for short answers"):
        replayed(house, policy="covenant")
    policies = house / "policies"
    (policies / "short-answers.yaml").write_bytes((policies / "covenant.yaml").read_bytes())
    report = replayed(house)
    assert statuses(report) == "L1:same L2:same L3:same L4:cannot"
    assert "no contract 'short-answers' for short answers" in report.levels[3].sentence
