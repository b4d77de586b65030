"""Two processes that make one log at the same moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import AuditLog, BusyError, connect, schema, verify

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Between:
    """A connection before whose n-th statement somebody else does something."""

    def __init__(self, connection: sqlite3.Connection, number: int, what: Callable[[], None]) -> None:
        self._connection, self._left, self._what = connection, number, what

    def execute(self, query: str, *values: Any) -> Any:
        self._left -= 1
        if not self._left:
            self._what()
        return self._connection.execute(query, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def old_log(path: Path) -> None:
    """A log of format 1, with no records."""
    with closing(sqlite3.connect(path)) as connection:
        schema.create(connection, 1)
        connection.execute("INSERT INTO audit_meta VALUES('origin', 'o')")
        connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version=1")
        connection.commit()


@pytest.mark.parametrize("old", [False, True], ids=["new", "of format 1"])
@pytest.mark.parametrize("number", range(1, 24))
def test_a_log_made_by_another_process_between_two_statements(
    number: int, old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the other one makes or migrates it (or is kept waiting): no foreign exception, no refusal, and one log."""
    monkeypatch.setattr(connect, "_WAL_PAUSE_S", 0.0001)
    path = tmp_path / "log.db"
    if old:
        old_log(path)

    def other() -> None:
        with suppress(BusyError):
            AuditLog.open(path, origin="o", clock=lambda: NOW, wait_s=0.01).close()

    with closing(sqlite3.connect(path, isolation_level=None, timeout=5)) as connection:
        connect.prepare(Between(connection, number, other), path, "o", "2026-01-01T00:00:00.000000Z")  # type: ignore[arg-type]
    assert verify(path).ok
