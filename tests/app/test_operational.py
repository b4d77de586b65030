"""The operational log: one line a happening on standard error, quiet by default, and no word of a document in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed.app.keeping import operational
from conformed.app.keeping.operational import KEYS, WITHHELD, Event, level_of, say
from conformed.app.options import RunOptions, silent
from conformed.app.replay.replaying import Replays
from conformed.app.workspace import Workspace


@pytest.fixture
def desk(bank: Path) -> Replays:
    """A workspace."""
    return Replays(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """What stands on standard error, each line an object."""
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def words_of(folder: Path) -> set[str]:
    """The words of a pack's documents."""
    text = " ".join(path.read_text(encoding="utf-8") for path in folder.glob("*.txt"))
    return {word.lower() for word in re.findall(r"[A-Za-z]{4,}", text)}


OURS = {"step", "ended", "begun", "info", "debug", "accept", "review", "result", "pass", "outcome", "number", "total", "case"}
OURS |= {"extract", "level", "same", "date", "calculate", "draft", "event", "severity", "intake"}
"""Words of the log itself, some of which a document may use, too."""


def test_no_word_of_a_document_is_in_it(
    desk: Replays, fenwick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole run, its replay and a run that fails, everything told that can be told: none of the pack's words is there."""
    monkeypatch.setenv("CONFORMED_LOG", "debug")
    run = desk.run(fenwick, RunOptions(), silent).run
    desk.replay(run)
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 7 * 2 + 2
    assert {json.loads(line)["event"] for line in said.splitlines()} == {
        "step.begun", "step.ended", "run.ended", "replay.ended",
    }  # fmt: skip
    told = {word.lower() for word in re.findall(r"[A-Za-z]{4,}", said)}
    words = words_of(fenwick)
    assert len(words) > 100
    assert (told & words) - OURS == set()
    assert "fenwick" not in said.lower()


def test_it_is_quiet_until_something_is_wrong(
    desk: Replays, fenwick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By default a run that goes well says nothing; a step that fails is a line; off says nothing at all."""
    monkeypatch.delenv("CONFORMED_LOG", raising=False)
    desk.run(fenwick, RunOptions(), silent)
    assert lines(capsys) == []

    def fail(*_given: object) -> None:
        raise ValueError("Fenwick Timber Company owes 300,000")

    monkeypatch.setattr("conformed.app.running.calculated", fail)
    run = desk.run(fenwick, RunOptions(), silent).run
    (line,) = lines(capsys)
    assert (line["event"], line["step"], line["run"], line["severity"]) == ("step.failed", "calculate", run, "warning")
    monkeypatch.setenv("CONFORMED_LOG", "off")
    desk.run(fenwick, RunOptions(), silent)
    assert lines(capsys) == []


@pytest.mark.parametrize(
    ("said", "level"), [("debug", 10), ("INFO ", 20), ("warning", 30), ("", 30), ("loud", 30), ("error", 40), ("off", 100)]
)
def test_the_level_is_a_word(said: str, level: int) -> None:
    """A word that is none leaves it where it is by default."""
    assert level_of({"CONFORMED_LOG": said}) == level


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(value=st.text() | st.binary() | st.none() | st.lists(st.text()), key=st.sampled_from(sorted(KEYS)))
def test_whatever_a_value_is_it_is_one_line_of_plain_characters(
    value: object, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No newline, no escape sequence, no character beyond ASCII: it is a plain word, or it is withheld."""
    monkeypatch.setenv("CONFORMED_LOG", "debug")
    capsys.readouterr()
    say(Event.STEP_FAILED, **{key: value})
    said = capsys.readouterr().err
    assert said.endswith("}\n")
    assert said.count("\n") == 1
    assert said.strip().isascii()
    assert said.strip().isprintable()
    kept = json.loads(said)[key]
    assert kept == WITHHELD or (kept == value and re.fullmatch(r"[A-Za-z0-9_.:+-]{1,120}", kept))


def test_names_that_are_not_known_are_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody adds a field in passing."""
    monkeypatch.setenv("CONFORMED_LOG", "debug")
    say(Event.RUN_ENDED, run="r-1", clause="Section_6.10")
    (line,) = lines(capsys)
    assert set(line) == {"at", "event", "run", "severity"}


def test_a_closed_standard_error_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tells of a run must not end it."""

    class Closed:
        def write(self, _text: str) -> int:
            raise ValueError("I/O operation on closed file")

    monkeypatch.setattr(operational.sys, "stderr", Closed())
    say(Event.STEP_FAILED, step="draft")


def test_every_event_has_a_level() -> None:
    """None can be said at no level."""
    assert {operational._LEVEL_OF[event] for event in Event} <= set(operational.LEVELS)
