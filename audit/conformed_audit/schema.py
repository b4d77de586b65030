"""The tables of a log on SQLite, with their guards.

Every insert-only table has three triggers: update, delete, and an insert guard, because ``INSERT OR REPLACE`` fires no
delete trigger. Guards stop mistakes and the application; the owner of the file can drop them, which only verification
notices (`schema_digest`).

Format 1 had the table of tiles without their roots, and kept none; everything else is the same in format 2 (`migrate`).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import lru_cache
from hashlib import sha256

__all__ = ["APPLICATION_ID", "AUDIT_TABLES", "SCHEMA_VERSION", "create", "expected_digest", "replace_tiles", "schema_digest"]

APPLICATION_ID = 0x436E4C67
"""Marks the file as a log of this package."""
SCHEMA_VERSION = 2
"""Raised by each migration; kept in the file as user_version."""

_TILES = {
    1: """CREATE TABLE audit_tile(
  level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL CHECK(length(hashes) = 8192), PRIMARY KEY(level, n)) STRICT;
""",
    2: """CREATE TABLE audit_tile(
  level INTEGER NOT NULL, n INTEGER NOT NULL, hashes BLOB NOT NULL CHECK(length(hashes) = 8192),
  root BLOB NOT NULL CHECK(length(root) = 32), PRIMARY KEY(level, n)) STRICT;
""",
}
_BEFORE_TILES = """
CREATE TABLE audit_meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE audit_event(
  case_id TEXT NOT NULL, cseq INTEGER NOT NULL CHECK(cseq >= 0), kind TEXT NOT NULL, ts TEXT NOT NULL, actor_id TEXT NOT NULL,
  idem_key TEXT, body BLOB NOT NULL, leaf BLOB NOT NULL UNIQUE CHECK(length(leaf) = 32),
  prev BLOB NOT NULL CHECK(length(prev) = 32), PRIMARY KEY(case_id, cseq), UNIQUE(case_id, prev)) STRICT;
CREATE UNIQUE INDEX audit_event_idem ON audit_event(case_id, idem_key, kind) WHERE idem_key IS NOT NULL;
CREATE TABLE audit_leaf(
  idx INTEGER PRIMARY KEY CHECK(idx >= 0), leaf BLOB NOT NULL UNIQUE, case_id TEXT NOT NULL, cseq INTEGER NOT NULL,
  FOREIGN KEY(case_id, cseq) REFERENCES audit_event(case_id, cseq)) STRICT;
"""
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

_INSERT_GUARDS = {
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
AUDIT_TABLES = (*_INSERT_GUARDS, "case_state")
"""Every table of the log, the projection last."""


def _triggers(table: str) -> str:
    parts = []
    update = f" WHEN NOT ({_ERASURES[table]})" if table in _ERASURES else ""
    for name, when, why in (
        ("insert", f"INSERT ON {table} WHEN {_INSERT_GUARDS[table]}", "append-only: gap, fork or replacement"),
        ("update", f"UPDATE ON {table}{update}", "append-only: no update"),
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
    tables = _BEFORE_TILES + _TILES[version] + _AFTER_TILES
    _carry_out(connection, tables + "".join(_triggers(table) for table in _INSERT_GUARDS))


def replace_tiles(connection: sqlite3.Connection) -> None:
    """Puts the table of tiles of the present format in the place of format 1's, which holds nothing."""
    _carry_out(connection, "DROP TABLE audit_tile;\n" + _TILES[SCHEMA_VERSION] + _triggers("audit_tile"))


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
