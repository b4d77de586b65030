"""The commands replay, log list, log find and log prove, typed on a workspace of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.cli.entry import run_command_line

Typed = Callable[..., Any]


@pytest.fixture
def at(bank: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace in which commands are typed."""
    monkeypatch.setenv("CONFORMED_WORKSPACE", str(bank))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("CONFORMED_LOG", "CONFORMED_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return bank


@pytest.fixture
def run(at: Path, fenwick: Path, typed: Typed) -> str:
    """A run."""
    done = typed("run", str(fenwick), "--json")
    return str(json.loads(done.out)["run"])


def test_a_replay_is_printed_and_ends_with_its_code(run: str, at: Path, typed: Typed) -> None:
    """0 where all is the same; 20 where something differs and the decision does not; as text and as a record."""
    done = typed("replay", run)
    assert (done.code, "Same decision: yes." in done.out) == (0, True)
    done = typed("replay", run, "--level", "l2", "--json")
    report = json.loads(done.out)
    assert (done.code, [one["level"] for one in report["levels"]]) == (0, ["L1", "L2"])
    contract = at / "policies" / "covenant.yaml"
    contract.write_text(
        contract.read_text(encoding="utf-8").replace("headroom_alert: 1/4", "headroom_alert: 1/2"), encoding="utf-8"
    )
    done = typed("replay", run)
    assert done.code == 20
    assert "headroom_alert" in done.out
    assert "1/4" in done.out


def test_another_decision_and_a_level_that_cannot_be_done_have_codes_of_their_own(
    at: Path, fenwick: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """21 where the decision is another; 22 where nothing differs and something could not be looked at."""
    contract = at / "policies" / "covenant.yaml"
    text = contract.read_text(encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr("conformed.app.running.Course.kept", lambda self, log, case: ())
        old = json.loads(typed("run", str(fenwick), "--json").out)["run"]
    done = typed("replay", old)
    assert (done.code, "Cannot be replayed at this level" in " ".join(done.out.split())) == (22, True)
    new = json.loads(typed("run", str(fenwick), "--json").out)["run"]
    contract.write_text(text + 'formulas: {total_leverage: "debt * 2 / earnings"}\n', encoding="utf-8")
    done = typed("replay", new)
    assert (done.code, "breach" in done.out) == (21, True)


def test_a_wrong_level_and_a_wrong_run_say_what_to_type(run: str, typed: Typed) -> None:
    """Wrong usage, and what would be right."""
    done = typed("replay", run, "--level", "L9")
    assert (done.code, "L1 L2 L3 L4" in done.err) == (2, True)
    done = typed("replay", "r-nothing")
    assert (done.code, "conformed log list" in done.err) == (2, True)


def test_runs_are_listed_and_found(run: str, typed: Typed) -> None:
    """By each word; without one it is said what to do; dates must be dates."""
    assert run in typed("log", "list").out
    done = typed("log", "find", "--borrower", "fenwick", "--result", "pass", "--since", "2020-01-01", "--json")
    assert [one["run"] for one in json.loads(done.out)["runs"]] == [run]
    assert "No run fits." in typed("log", "find", "--code", "review_nothing").out
    assert typed("log", "find").code == 2
    assert typed("log", "find", "--test-date", "yesterday").code == 2
    assert typed("log", "list", "--most", "0").code == 2


def test_a_proof_is_written_or_it_is_said_why_not(run: str, at: Path, typed: Typed, tmp_path: Path) -> None:
    """To a file where one is named; a run or a size, not both and not neither."""
    file = tmp_path / "run.tlog-proof"
    done = typed("log", "prove", run, "-o", str(file))
    if done.code == 0:
        assert file.read_text(encoding="utf-8").startswith("c2sp.org/tlog-proof@v1\n")
    else:
        assert (done.code, "No checkpoint covers record" in done.err) == (2, True)
    assert typed("log", "prove").code == 2
    assert typed("log", "prove", run, "--from", "3").code == 2
    assert run_command_line(("log", "prove", "--from", "3")) == 2
