"""A log under test: made with a clock that moves one second a reading, salts that count, and an attacker who owns the file."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import Actor, AuditLog, Item, Kind, Pins, RecordDraft, commitment

ORIGIN = "bank.example/test"
ENGINE = Actor("svc:engine", "engine", roles=("engine",))


def ticking() -> Callable[[], datetime]:
    """A clock that moves one second with each reading."""
    seconds = itertools.count()
    return lambda: datetime(2026, 3, 31, 12, tzinfo=UTC) + timedelta(seconds=next(seconds))


def counting() -> Callable[[int], bytes]:
    """Salts 1, 2, 3... instead of random ones."""
    numbers = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


@pytest.fixture
def draft() -> Callable[..., RecordDraft]:
    """Makes a draft with sensible values; keywords replace them."""

    def make(case: str = "case-a", kind: str = Kind.STEP_OUTCOME, **fields: Any) -> RecordDraft:
        values: dict[str, Any] = {
            "actor": ENGINE,
            "run": "run-1",
            "step": "calculate",
            "attempt": 1,
            "pins": Pins(engine="0.1.0", contract="sha256:" + "ab" * 32),
            "output": (Item("ratio", commitment(b"3.47", None), 4, "text/plain", {"ratio": "3.47", "clause": "§ 7.1"}),),
            "note": "Net debt over EBITDA.",
        }
        return RecordDraft(case=case, kind=kind, **{**values, **fields})

    return make


@pytest.fixture
def open_log() -> Iterator[Callable[..., AuditLog]]:
    """Opens logs and closes them at the end."""
    logs: list[AuditLog] = []

    def make(path: Path, **options: Any) -> AuditLog:
        values: dict[str, Any] = {"origin": ORIGIN, "clock": ticking(), "entropy": counting(), "wait_s": 5.0}
        logs.append(AuditLog.open(path, **{**values, **options}))
        return logs[-1]

    yield make
    for log in logs:
        log.close()


@pytest.fixture
def sample(tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]) -> Path:
    """A closed log: 12 records of three cases, interleaved, and two blobs. Case b has records 1, 4, 7 and 10."""
    path = tmp_path / "sample.db"
    log = open_log(path)
    names = ("case-a", "case-b", "case-c")
    for number in range(12):
        kind = Kind.STATE_CHANGED if number in {3, 4, 5} else Kind.STEP_OUTCOME
        log.append([draft(names[number % 3], kind, step=f"step-{number}", idem=f"key-{number}")])
    log.put_blob(b"The Borrower shall not permit the ratio to exceed 3.50 to 1.00.", "text/plain")
    log.put_blob(b"a public filing", "text/html", public=True)
    log.close()
    return path


@pytest.fixture
def owner() -> Callable[..., None]:
    """Runs statements as the owner of the file: guards dropped before and made again after, foreign keys off."""

    def attack(path: Path, *statements: str | tuple[str, tuple[Any, ...]], keep_schema: bool = True) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                query, values = (statement, ()) if isinstance(statement, str) else statement
                assert connection.execute(query, values).rowcount != 0, f"changed nothing: {query}"
            for _, sql in guards if keep_schema else ():
                connection.execute(sql)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return attack
