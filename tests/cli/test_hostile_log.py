"""Every command of the log on what is no log, or none that this version reads: one sentence, an exit code, no traceback."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conformed.cli.entry import run_command_line

COMMANDS = (
    ("log", "list"),
    ("log", "find", "--borrower", "x"),
    ("log", "show", "r-1"),
    ("log", "verify"),
    ("log", "verify", "r-1"),
    ("log", "verify", "--checkpoint", "NOTES"),
    ("log", "publish"),
    ("log", "keys"),
    ("log", "prove", "r-1"),
    ("log", "prove", "--from", "1"),
    ("log", "rotate-key"),
    ("log", "close-epoch"),
    ("approvals", "r-1"),
    ("accept", "r-1"),
    ("return", "r-1", "--reason", "other", "--note", "x"),
    ("withdraw", "r-1"),
    ("evidence", "r-1", "-o", "e.zip"),
    ("erase", "r-1", "--basis", "x"),
    ("erase", "r-1", "--approve"),
    ("erase", "--finish"),
    ("hold", "r-1", "--reason", "x"),
    ("release-hold", "r-1", "--reason", "x"),
)


def later(path: Path) -> None:
    """A log of a format that is still to come."""
    from datetime import UTC, datetime

    from conformed_audit import AuditLog

    AuditLog.open(path, origin="bank.example/x", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)).close()
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version = 99")


def other(path: Path) -> None:
    """A database of something else."""
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE customers(name TEXT)")


LOGS: dict[str, Callable[[Path], object]] = {
    "absent": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "no database": lambda path: path.write_bytes(b"\x93 not a database" * 999),
    "cut": lambda path: path.write_bytes(b"SQLite format 3\x00"),
    "folder": lambda path: path.mkdir(),
    "another database": other,
    "later format": later,
}


@pytest.fixture
def place(bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the log of the workspace lies; nothing is there yet."""
    monkeypatch.chdir(bank)
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)
    (bank / "NOTES").mkdir()
    (bank / "NOTES" / "1.note").write_text("x\n", encoding="utf-8")
    (bank / ".conformed").mkdir()
    return bank / ".conformed" / "log.sqlite"


def one_sentence(line: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command says, all of it; it must end with an error, on one line."""
    code = run_command_line(line)
    told = capsys.readouterr()
    assert code in (1, 2), (line, code, told)
    assert len(told.err.splitlines()) + len(told.out.splitlines()) == 1, (line, told)
    said = told.out + told.err
    assert "fault of the program" not in said, (line, said)
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("make", LOGS.values(), ids=LOGS.keys())
def test_every_command_says_one_sentence(make: Callable[[Path], object], place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever lies where the log should be, each command says what it found and ends with 1 or 2; nothing is made of it."""
    make(place)
    before = place.read_bytes() if place.is_file() else b""
    for line in COMMANDS:
        said = one_sentence(line, capsys)
        assert not place.exists() or "There is no log at" not in said, (line, said)
    assert (place.read_bytes() if place.is_file() else b"") == before
    assert not (place.parents[1] / "e.zip").exists()


@pytest.mark.parametrize(
    "url", ["postgresql://user:s3cret@127.0.0.1:9/nothing", "postgresql://user:s3cret@[/x", "mysql://user:s3cret@h/d"]
)
def test_a_database_that_cannot_be_reached(
    url: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shared log cannot be reached, or is named wrongly: one sentence, without the password."""
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    monkeypatch.setenv("CONFORMED_LOG_URL", url)
    for line in COMMANDS:
        assert "s3cret" not in one_sentence(line, capsys), line
