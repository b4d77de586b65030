"""Reading the tree while the database fails."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import Actor, AuditLog, CommitError, Kind, RecordDraft, utc_now
from conformed_audit.tree import root_at


class Failing:
    """A connection that cannot read leaves or tiles any more."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, query: str, *values: Any) -> Any:
        if query.startswith(("SELECT leaf FROM audit_leaf", "SELECT hashes", "SELECT root")):
            problem = sqlite3.OperationalError("injected")
            problem.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
            raise problem
        return self._connection.execute(query, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def test_a_tree_that_cannot_be_read_is_an_error_of_the_package(tmp_path: Path) -> None:
    """Neither a proof nor a checkpoint lets an exception of the database out; the log goes on afterwards."""
    with AuditLog.open(tmp_path / "log.db", origin="o", clock=utc_now) as log:
        log.append([RecordDraft(case="c", kind=Kind.CASE_OPENED, actor=Actor("a", "engine"))])
        whole = log._store._connection  # type: ignore[attr-defined]
        log._store._connection = Failing(whole)  # type: ignore[attr-defined]
        with pytest.raises(CommitError, match="could not be written or synced"):
            root_at(log.tree(1), 1)
        log._store._connection = whole  # type: ignore[attr-defined]
        assert len(root_at(log.tree(1), 1)) == 32
