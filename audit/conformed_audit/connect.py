"""Opening the SQLite file of a log: whose file it is, the connection's rules, and what its errors mean."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from conformed_audit import schema
from conformed_audit.errors import (
    BusyError,
    CommitError,
    DiskFullError,
    NewerSchemaError,
    NotALogError,
    OriginError,
    RefusedError,
    StoreError,
)
from conformed_audit.migrate import migrate

__all__ = ["authorize", "prepare", "translate"]

_JOURNAL_LIMIT = 64 * 1024 * 1024
_PAGE_BYTES = 4096  # an append writes a page of each index: at 8,192 that takes longer, and the file is no smaller
_WAL_TRIES = 100
_WAL_PAUSE_S = 0.02
_CHECKPOINT_PAGES = 2000  # 8 MB, then used again: a file that still grows makes each sync dearer; half of it twice the syncs
_RULES = (
    "synchronous=FULL",
    "fullfsync=ON",
    "trusted_schema=OFF",
    f"journal_size_limit={_JOURNAL_LIMIT}",
    f"wal_autocheckpoint={_CHECKPOINT_PAGES}",
)
_TO_MIGRATE = ("foreign_keys=OFF", "legacy_alter_table=ON")  # neither can be set inside the transaction that may find it needed
_AFTERWARDS = ("legacy_alter_table=OFF", "foreign_keys=ON")
_DOUBTFUL = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM}
_ALLOWED = {  # everything else is denied, what later versions of SQLite add included
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_INSERT,
}


def translate(problem: sqlite3.Error, path: Path) -> StoreError:
    """The error of this package for one of sqlite3."""
    code = (getattr(problem, "sqlite_errorcode", None) or 0) & 0xFF
    name = repr(path.name)
    if code == sqlite3.SQLITE_FULL:
        return DiskFullError(
            f"There is no room left for the log {name}; nothing of this append was kept.", "Free space, then resume."
        )
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return BusyError(f"Another writer holds the log {name}.", "Nothing was written; try again.")
    if code in {sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_AUTH}:
        return RefusedError(f"The log {name} refused a statement: {problem}.", "Records are only ever added.")
    if code in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
        return NotALogError(f"The file {name} is not a readable log: {problem}.", "Verify it, and restore it from a backup.")
    if code in _DOUBTFUL:
        return CommitError(f"The log {name} could not be written or synced: {problem}.", "Reopen it; its tail is then checked.")
    return StoreError(f"The log {name} could not be used: {problem}.")


def prepare(connection: sqlite3.Connection, path: Path, origin: str, made_at: str) -> None:
    """Checks whose file it is before anything is written, makes a new log, and sets the connection's rules.

    Raises:
        NotALogError, NewerSchemaError, OriginError, StoreError: the file is not to be used, and was not changed.
        sqlite3.Error: as it comes; see `translate`.
    """
    run = connection.execute
    run("BEGIN")  # all of one moment: another process may be making the log just now
    version, mark, tables = _found(connection)
    run("COMMIT")
    if mark != schema.APPLICATION_ID and (version or mark or tables):
        raise NotALogError(f"The file {path.name!r} is a database, but no log.", "Give a log, or a file that is not there yet.")
    if version > schema.SCHEMA_VERSION:
        raise NewerSchemaError(
            f"The log {path.name!r} has format {version}; this version knows {schema.SCHEMA_VERSION}.",
            "Use the version that wrote it, or a later one.",
        )
    run(f"PRAGMA page_size={_PAGE_BYTES}")  # counts only for a file that is still empty
    if _write_ahead(connection) != "wal":
        raise StoreError(f"The log {path.name!r} cannot have a write-ahead log where it lies.", "Put it on a local disk.")
    for rule in (*_RULES, *_TO_MIGRATE):
        run(f"PRAGMA {rule}")
    run("BEGIN IMMEDIATE")
    version, mark, tables = _found(connection)  # again: another process may have made it, or brought it to this format
    if not tables:
        schema.create(connection)
        run("INSERT INTO audit_meta VALUES('origin', ?), ('made_at', ?)", (origin, made_at))
        run(f"PRAGMA application_id={schema.APPLICATION_ID}")
        run(f"PRAGMA user_version={schema.SCHEMA_VERSION}")
    elif mark == schema.APPLICATION_ID and version < schema.SCHEMA_VERSION:
        _whole(connection, path, version)
        migrate(connection, version)
    run("COMMIT")
    for rule in _AFTERWARDS:
        run(f"PRAGMA {rule}")
    _whole(connection, path, schema.SCHEMA_VERSION)
    owner = run("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
    if owner is None or owner[0] != origin:
        raise OriginError(
            f"The log {path.name!r} belongs to {ascii(owner[0]) if owner else 'nobody'}, not to {origin!a}.",
            "Open it under its own origin.",
        )
    connection.set_authorizer(authorize)


def _found(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Format, mark and number of tables."""
    tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    version, mark = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("user_version", "application_id"))
    return version, mark, tables


def _whole(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Refuses a log whose tables or guards are not those of its format, before a later format is made of it as well."""
    if schema.schema_digest(connection) != schema.expected_digest(version):
        raise NotALogError(
            f"The tables or guards of the log {path.name!r} were changed.", "Verify it, and restore it from a backup."
        )


def _write_ahead(connection: sqlite3.Connection) -> str:
    """Switches to a write-ahead log. SQLite does not wait for another opener here, so this does."""
    for _ in range(_WAL_TRIES):
        try:
            return str(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])
        except sqlite3.OperationalError as problem:
            if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            time.sleep(_WAL_PAUSE_S)
    return str(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])


def authorize(action: int, one: str | None, _two: str | None, _database: str | None, _source: str | None) -> int:
    """Allows this connection to read, to add, and to move the projection; nothing else."""
    if action in _ALLOWED or (action == sqlite3.SQLITE_UPDATE and one == "case_state"):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
