"""The tables of a log on SQLite, with their guards.

Every insert-only table has three triggers: update, delete, and an insert guard, because ``INSERT OR REPLACE`` fires no
delete trigger. Guards stop mistakes and the application; the owner of the file can drop them, which only verification
notices (`schema_digest`).

Format 1 had the table of tiles without their roots, and kept none. Formats 1 and 2 had two more indexes on records, for what
format 3 refuses without them: a record names the last one of its case, so that no two can name the same; and every leaf stands
in the index of places. Its guards also refuse a replacement by SQLite's own number of a row (`migrate`).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import lru_cache
from hashlib import sha256

__all__ = ["APPLICATION_ID", "AUDIT_TABLES", "SCHEMA_VERSION", "create", "expected_digest", "replace", "schema_digest"]

APPLICATION_ID = 0x436E4C67
"""Marks the file as a log of this package."""
SCHEMA_VERSION = 3
"""Raised by each migration; kept in the file as user_version."""

_META = "CREATE TABLE audit_meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;\n"
_EVENTS_2 = """CREATE TABLE audit_event(
  case_id TEXT NOT NULL, cseq INTEGER NOT NULL CHECK(cseq >= 0), kind TEXT NOT NULL, ts TEXT NOT NULL, actor_id TEXT NOT NULL,
  idem_key TEXT, body BLOB NOT NULL, leaf BLOB NOT NULL UNIQUE CHECK(length(leaf) = 32),
  prev BLOB NOT NULL CHECK(length(prev) = 32), PRIMARY KEY(case_id, cseq), UNIQUE(case_id, prev)) STRICT;
"""
_EVENTS_3 = """CREATE TABLE audit_event(
  case_id TEXT NOT NULL, cseq INTEGER NOT NULL CHECK(cseq >= 0), kind TEXT NOT NULL, ts TEXT NOT NULL, actor_id TEXT NOT NULL,
  idem_key TEXT, body BLOB NOT NULL, leaf BLOB NOT NULL CHECK(length(leaf) = 32),
  prev BLOB NOT NULL CHECK(length(prev) = 32), PRIMARY KEY(case_id, cseq)) STRICT;
"""
_EVENTS = {1: _EVENTS_2, 2: _EVENTS_2, 3: _EVENTS_3}
_IDEM = "CREATE UNIQUE INDEX audit_event_idem ON audit_event(case_id, idem_key, kind) WHERE idem_key IS NOT NULL;\n"
_SET_ASIDE = "DROP INDEX audit_event_idem;\nALTER TABLE audit_event RENAME TO older_event;\n"
_TAKE_OVER = "INSERT INTO audit_event SELECT * FROM older_event ORDER BY rowid;\nDROP TABLE older_event;\n"
_LEAVES = """CREATE TABLE audit_leaf(
  idx INTEGER PRIMARY KEY CHECK(idx >= 0), leaf BLOB NOT NULL UNIQUE, case_id TEXT NOT NULL, cseq INTEGER NOT NULL,
  FOREIGN KEY(case_id, cseq) REFERENCES audit_event(case_id, cseq)) STRICT;
"""
_TILES_1 = """CREATE TABLE audit_tile(
  level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL CHECK(length(hashes) = 8192), PRIMARY KEY(level, n)) STRICT;
"""
_TILES_2 = """CREATE TABLE audit_tile(
  level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL CHECK(length(hashes) = 8192),
  root BLOB NOT NULL CHECK(length(root) = 32), PRIMARY KEY(level, n)) STRICT;
"""
_TILES = {1: _TILES_1, 2: _TILES_2, 3: _TILES_2}
_AFTER_TILES = """
CREATE TABLE audit_checkpoint(
  size INTEGER PRIMARY KEY, root BLOB NOT NULL, heads_root BLOB NOT NULL, note TEXT NOT NULL, made_at TEXT NOT NULL) STRICT;
CREATE TABLE audit_cosig(
  size INTEGER NOT NULL REFERENCES audit_checkpoint(size), witness TEXT NOT NULL, line TEXT NOT NULL, got_at TEXT NOT NULL,
  PRIMARY KEY(size, witness)) STRICT;
CREATE TABLE audit_key(key_id TEXT PRIMARY KEY, vkey TEXT NOT NULL, from_size INTEGER NOT NULL, to_size INTEGER) STRICT;
CREATE TABLE case_state(
  case_id TEXT PRIMARY KEY, state TEXT, cseq INTEGER NOT NULL, head BLOB NOT NULL, contract TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE data_key(key_ref TEXT PRIMARY KEY, wrapped_key BLOB, destroyed_at TEXT) STRICT;
CREATE TABLE blob(
  "commit" TEXT PRIMARY KEY, salt BLOB, key_ref TEXT REFERENCES data_key(key_ref), nonce BLOB, ciphertext BLOB,
  bytes INTEGER NOT NULL, media TEXT NOT NULL, erased_at TEXT) STRICT;
"""

_GUARDS_2 = {
    "audit_meta": "EXISTS(SELECT 1 FROM audit_meta WHERE name = NEW.name)",
    "audit_event": (
        "NEW.cseq <> (SELECT ifnull(max(cseq) + 1, 0) FROM audit_event WHERE case_id = NEW.case_id)"
        " OR EXISTS(SELECT 1 FROM audit_event WHERE leaf = NEW.leaf)"
        " OR EXISTS(SELECT 1 FROM audit_event WHERE case_id = NEW.case_id AND prev = NEW.prev)"
        " OR (NEW.idem_key IS NOT NULL AND EXISTS(SELECT 1 FROM audit_event"
        " WHERE case_id = NEW.case_id AND idem_key = NEW.idem_key AND kind = NEW.kind))"
    ),
    "audit_leaf": (
        "NEW.idx <> (SELECT ifnull(max(idx) + 1, 0) FROM audit_leaf) OR EXISTS(SELECT 1 FROM audit_leaf WHERE leaf = NEW.leaf)"
    ),
    "audit_tile": "NEW.n <> (SELECT ifnull(max(n) + 1, 0) FROM audit_tile WHERE level = NEW.level)",
    "audit_checkpoint": "NEW.size <= (SELECT ifnull(max(size), -1) FROM audit_checkpoint)",
    "audit_cosig": "EXISTS(SELECT 1 FROM audit_cosig WHERE size = NEW.size AND witness = NEW.witness)",
    "audit_key": "EXISTS(SELECT 1 FROM audit_key WHERE key_id = NEW.key_id)",
    "data_key": "EXISTS(SELECT 1 FROM data_key WHERE key_ref = NEW.key_ref)",
    "blob": 'EXISTS(SELECT 1 FROM blob WHERE "commit" = NEW."commit")',
}
_GUARDS_3 = {
    "audit_event": (
        "CASE NEW.cseq WHEN 0 THEN NEW.prev <> zeroblob(32) OR EXISTS(SELECT 1 FROM audit_event WHERE case_id = NEW.case_id)"
        " ELSE (NEW.cseq - 1, NEW.prev) IS NOT"
        " (SELECT cseq, leaf FROM audit_event WHERE case_id = NEW.case_id ORDER BY cseq DESC LIMIT 1) END"
        " OR EXISTS(SELECT 1 FROM audit_leaf WHERE leaf = NEW.leaf)"
        " OR EXISTS(SELECT 1 FROM audit_event WHERE case_id = NEW.case_id AND idem_key = NEW.idem_key AND kind = NEW.kind)"
    ),
}
_NUMBERED = ("audit_leaf", "audit_checkpoint")
"""Tables whose first column is SQLite's own number of a row, which their guards look at anyway."""
_ERASURES = {  # the one change that a row of these tables may see
    "data_key": (
        "OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL AND NEW.wrapped_key IS NULL AND NEW.key_ref = OLD.key_ref"
    ),
    "blob": (
        "OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.salt IS NULL AND NEW.nonce IS NULL"
        ' AND NEW.ciphertext IS NULL AND NEW."commit" = OLD."commit" AND NEW.key_ref IS OLD.key_ref'
        " AND NEW.bytes = OLD.bytes AND NEW.media = OLD.media"
    ),
}
AUDIT_TABLES = (*_GUARDS_2, "case_state")
"""Every table of the log, the projection last."""


def _insert_guard(table: str, version: int) -> str:
    """What must not be true of a new row."""
    if version < 3:
        return _GUARDS_2[table]
    guard = _GUARDS_3.get(table, _GUARDS_2[table])
    if table in _NUMBERED:
        return guard
    return f"{guard} OR EXISTS(SELECT 1 FROM {table} WHERE rowid = NEW.rowid AND NEW.rowid <> -1)"  # noqa: S608 - -1: not given


def _update_guard(table: str, version: int) -> str:
    if table not in _ERASURES:
        return ""
    return f" WHEN NOT ({_ERASURES[table]}{' AND NEW.rowid = OLD.rowid' if version >= 3 else ''})"


def _triggers(table: str, version: int) -> str:
    parts = []
    for name, when, why in (
        ("insert", f"INSERT ON {table} WHEN {_insert_guard(table, version)}", "append-only: gap, fork or replacement"),
        ("update", f"UPDATE ON {table}{_update_guard(table, version)}", "append-only: no update"),
        ("delete", f"DELETE ON {table}", "append-only: no delete"),
    ):
        parts.append(f"CREATE TRIGGER {table}_{name} BEFORE {when} BEGIN SELECT RAISE(ABORT, '{why} in {table}'); END;\n")
    return "".join(parts)


def _carry_out(connection: sqlite3.Connection, script: str) -> None:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""


def create(connection: sqlite3.Connection, version: int = SCHEMA_VERSION) -> None:
    """Makes the tables and guards of a format inside the caller's transaction."""
    tables = _META + _EVENTS[version] + _IDEM + _LEAVES + _TILES[version] + _AFTER_TILES
    _carry_out(connection, tables + "".join(_triggers(table, version) for table in _GUARDS_2))


def replace(connection: sqlite3.Connection, version: int) -> None:
    """Puts tables and guards of the present format in the place of an older one's, with what they hold; not the tiles of format 1.

    Inside the caller's transaction, on a connection with ``foreign_keys=OFF`` and ``legacy_alter_table=ON``, so that the places
    of the records go on naming their table while it is replaced.
    """
    for table in _GUARDS_2:
        for verb in ("insert", "update", "delete"):
            connection.execute(f"DROP TRIGGER {table}_{verb}")
    if version == 1:
        _carry_out(connection, "DROP TABLE audit_tile;\n" + _TILES[SCHEMA_VERSION])
    _carry_out(
        connection,
        _SET_ASIDE
        + _EVENTS[SCHEMA_VERSION]
        + _TAKE_OVER
        + _IDEM
        + "".join(_triggers(table, SCHEMA_VERSION) for table in _GUARDS_2),
    )


def schema_digest(connection: sqlite3.Connection) -> str:
    """SHA-256, hex, over everything that the database defines on the log's tables: tables, indexes, triggers."""
    marks = ",".join("?" * len(AUDIT_TABLES))
    rows = connection.execute(
        f"SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_master WHERE tbl_name IN ({marks}) ORDER BY type, name",  # noqa: S608
        AUDIT_TABLES,
    )
    digest = sha256()
    for row in rows:
        for part in row:
            digest.update((part if isinstance(part, bytes) else str(part).encode()) + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=4)
def expected_digest(version: int = SCHEMA_VERSION) -> str:
    """What `schema_digest` gives for an untouched log of a format."""
    with closing(sqlite3.connect(":memory:")) as connection:
        create(connection, version)
        return schema_digest(connection)
