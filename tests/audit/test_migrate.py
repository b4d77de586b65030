"""Logs of older formats: verified as they are, and brought to the present format when somebody opens them to write.

The golden files hold the same four records as the first two formats kept them, with tables and guards of that time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import AuditLog, RecordDraft, connect, schema, verify
from conformed_audit.tiles import HASHES

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]

GOLDEN = Path(__file__).with_name("golden")
ORIGIN = "bank.example/golden"
ROOT = "af29929a1481ad565fce18acb3e1187f34a54c105e10e15d0e11a08823182754"
OLDER = [1, 2]


@pytest.fixture(params=OLDER, ids=["format 1", "format 2"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A golden log."""
    path = tmp_path / "older.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((GOLDEN / f"format-{request.param}.sql").read_text())
    return path


def bodies(path: Path) -> list[Any]:
    """Every record's bytes with its place, number, leaf and predecessor."""
    with closing(sqlite3.connect(path)) as connection:
        query = """SELECT l.idx, l.leaf, e.* FROM audit_leaf l JOIN audit_event e USING(case_id, cseq) ORDER BY l.idx"""
        return connection.execute(query).fetchall()


def test_an_older_log_verifies_as_it_is(older: Path) -> None:
    """Verification takes every format there ever was, finds the same tree, and changes nothing."""
    before = older.read_bytes()
    result = verify(older)
    assert (result.ok, result.size, result.root) == (True, 4, ROOT)
    assert older.read_bytes() == before


def test_an_edited_older_log_is_found(older: Path) -> None:
    """A byte of a record of an older log is as safe as one of today's; so are its guards."""
    with closing(sqlite3.connect(older, isolation_level=None)) as connection:
        (guard,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_event_update'").fetchone()
        connection.execute("DROP TRIGGER audit_event_update")
        assert (found := verify(older).first_bad) is not None
        assert found.check == "schema"
        connection.execute("UPDATE audit_event SET body = CAST(replace(body, '3.47', '3.17') AS BLOB) WHERE cseq = 2")
        connection.execute(guard)
    assert (found := verify(older).first_bad) is not None
    assert (found.idx, found.check) == (3, "leaf")


def test_opening_brings_an_older_log_to_the_present_format(older: Path, open_log: OpenLog, draft: Draft) -> None:
    """Every record keeps its bytes, number, place and leaf; tables and guards are today's; references hold; the log goes on."""
    before = bodies(older)
    log = open_log(older, origin=ORIGIN)
    assert bodies(older) == before
    connection = log._store._live()  # type: ignore[attr-defined]
    connection.set_authorizer(None)
    assert schema.schema_digest(connection) == schema.expected_digest()
    assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.SCHEMA_VERSION
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    settings = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("foreign_keys", "legacy_alter_table")]
    assert settings == [1, 0]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert (verify(older).ok, verify(older).root) == (True, ROOT)
    assert log.append([draft("case-c", kind="case.opened")])[0].idx == 4
    assert [record.cseq for record in log.records("case-a")] == [0, 1, 2]
    assert (verify(older).ok, verify(older).size) == (True, 5)


def test_a_migration_that_is_cut_short_leaves_the_older_log(older: Path, open_log: OpenLog) -> None:
    """Whichever statement fails, the older log stands as it was, verifies, and is migrated the next time."""
    before, number, done = bodies(older), 0, False

    class Failing:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self.connection, self.left = connection, number

        def execute(self, query: str, *values: Any) -> Any:
            self.left -= 1
            if not self.left:
                problem = sqlite3.OperationalError("injected")
                problem.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
                raise problem
            return self.connection.execute(query, *values)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.connection, name)

    while not done:
        number += 1
        assert number < 200
        with closing(sqlite3.connect(older, isolation_level=None)) as connection:
            failing = Failing(connection)
            try:
                connect.prepare(failing, older, ORIGIN, "2026-03-31T12:00:00.000000Z")  # type: ignore[arg-type]
                done = True
            except sqlite3.OperationalError:
                in_doubt = connection.in_transaction
                connection.rollback()
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                assert version in OLDER or not in_doubt
        assert bodies(older) == before
        assert (verify(older).ok, verify(older).root) == (True, ROOT)
    assert number > 40


@pytest.mark.parametrize("version", OLDER)
def test_tiles_of_an_older_log(version: int, tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """A migrated log has the tiles that its size calls for: made from the leaves for format 1, kept for format 2."""
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with open_log(new) as log:
        log.append([draft(kind="replay.run") for _ in range(2 * HASHES + 3)])
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        schema.create(connection, version)
        connection.execute("ATTACH ? AS new", (str(new),))
        tables = ["audit_meta", "audit_event", "audit_leaf", "case_state", *(["audit_tile"] if version > 1 else [])]
        for table in tables:
            connection.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
        connection.execute("DETACH new")
        connection.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={version}")
    whole = verify(new)
    assert whole.ok
    assert verify(old) == whole
    open_log(old).close()
    assert verify(old) == whole
    with closing(sqlite3.connect(old)) as one, closing(sqlite3.connect(new)) as other:
        tiles = [each.execute("SELECT * FROM audit_tile ORDER BY level, n").fetchall() for each in (one, other)]
    assert tiles[0] == tiles[1]
    assert len(tiles[0]) == 2
