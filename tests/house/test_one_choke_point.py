"""Every action of a person passes one place: nothing else writes such records, and with that place shut nothing is written."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conformed.app.people import account
from conformed.app.people.guard import Guard
from conformed.cli.entry import run_command_line
from conformed.errors import DeniedError
from conformed_audit import AuditLog, utc_now

LOGS = {"log", "_log", "new"}
WRITERS = {
    "denials.py": "denials, on behalf of the guard alone",
    "epochs.py": "the first records of a new epoch's log, under the guard's permit to close the old one",
    "guard.py": "the guard",
    "guarded.py": "the log of a run, which the guard hands out",
    "override_record.py": "records of overrides, into the log of their run",
    "replay_record.py": "replays, which nobody's right is about",
}
"""Modules of the application that write into a log, and what."""
KEEPERS = {"publication.py"}
"""Modules that write key records; who changes keys passes the guard before."""


def _calls(file: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


def _files(root: Path) -> list[Path]:
    return sorted(file for part in ("app", "cli") for file in (root / "core" / "conformed" / part).rglob("*.py"))


def test_no_other_module_writes_into_a_log(root: Path) -> None:
    """Whatever appends to a log is one of a few named modules; key records have one home, too."""
    found: dict[str, set[str]] = {"append": set(), "record_key": set()}
    for file in _files(root):
        for call in _calls(file):
            name = call.func
            if isinstance(name, ast.Attribute) and name.attr in ("append", "append_after", "put_blob"):
                on = name.value
                last = on.attr if isinstance(on, ast.Attribute) else on.id if isinstance(on, ast.Name) else ""
                if last in LOGS:
                    found["append"].add(file.name)
            if isinstance(name, ast.Name) and name.id == "record_key":
                found["record_key"].add(file.name)
    assert found["append"] <= set(WRITERS), found["append"] - set(WRITERS)
    assert found["record_key"] <= KEEPERS
    assert {"guard.py", "guarded.py"} <= found["append"]


def test_denials_and_releases_are_the_guards_alone(root: Path) -> None:
    """Nobody else makes a writer of denials that is used, or calls the guarded log past the guard."""
    makers = {"Denials": {"service.py"}, "GuardedLog": {"guard.py"}, "Guard": {"service.py"}}
    for file in _files(root):
        for call in _calls(file):
            if isinstance(call.func, ast.Name) and call.func.id in makers:
                assert file.name in makers[call.func.id], f"{file.name} makes a {call.func.id}"


def test_a_run_goes_through_the_log_that_the_guard_hands_out(root: Path) -> None:
    """Whatever begins or resumes a run for the record asks the guard first."""
    for file in _files(root):
        made = [call for call in _calls(file) if isinstance(call.func, ast.Name) and call.func.id == "Journal"]
        asks = [call for call in _calls(file) if isinstance(call.func, ast.Attribute) and call.func.attr == "writer"]
        assert not made or asks, f"{file.name} makes a journal without the guard's log"


@dataclass
class Said:
    """What a command line said."""

    code: int
    err: str
    out: str


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Types a command line."""

    def run(*line: str) -> Said:
        code, said = run_command_line(line), capsys.readouterr()
        return Said(code, said.err, said.out)

    return run


@pytest.fixture
def ended(typed: Any, fenwick: Path, bank: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that ended."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    found: str = json.loads(typed("run", str(fenwick), "--json").out)["run"]
    return found


COMMANDS = (
    ("run", "PACK"),
    ("override", "RUN", "--code", "override_result_rejected", "--answers", "calculation", "--reason", "x", "--by", "Ida"),
    ("accept", "RUN"),
    ("return", "RUN", "--reason", "other", "--note", "x"),
    ("withdraw", "RUN"),
    ("evidence", "RUN", "-o", "bundle.zip"),
    ("erase", "RUN", "--basis", "x"),
    ("hold", "RUN", "--reason", "x"),
    ("release-hold", "RUN", "--reason", "x"),
    ("log", "rotate-key"),
    ("log", "rotate-key", "--finish"),
)


def test_with_the_place_shut_no_command_writes_anything(
    ended: str, typed: Any, fenwick: Path, bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command asks; refused, it leaves the log as it was, and makes no file."""

    def shut(*_: object, **__: object) -> None:
        raise DeniedError("The place is shut.")

    before = _leaves(bank)
    monkeypatch.setattr(Guard, "permit", shut)
    for line in COMMANDS:
        words = [str(fenwick) if word == "PACK" else ended if word == "RUN" else word for word in line]
        said = typed(*words)
        assert (said.code, said.err) == (1, "conformed: The place is shut.\n"), line
        assert _leaves(bank) == before, line
    assert not (bank / "bundle.zip").exists()


def _leaves(bank: Path) -> list[str]:
    with AuditLog.open(bank / ".conformed" / "log.sqlite", origin=_origin(bank), clock=utc_now, create=False) as log:
        return [record.leaf for record in log.records()]


def test_the_system_is_asked_who_it_is_and_nothing_else(root: Path) -> None:
    """No other module of the application or the command line finds out who is at the keys."""
    asks = {"getuser", "getlogin", "getuid", "geteuid", "getpwuid"}
    for file in _files(root):
        if file.name == Path(account.__file__).name:
            continue
        names = {node.attr for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)}
        assert not names & asks, file.name


def _origin(bank: Path) -> str:
    from conformed_audit.origin import origin_of

    found = origin_of(bank / ".conformed" / "log.sqlite")
    assert found is not None
    return found
