"""A closed log on PostgreSQL, copied whole into one sealed file, which verifies, shows and proves by itself.

The copy is made beside its place, from one snapshot, and comes into its place only when it was verified and found to hold the
same as the log; what a process that was ended left behind is thrown away. One at a time, by an advisory lock of the session.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from psycopg import IsolationLevel

from conformed_audit import schema
from conformed_audit.archive import file_digest, seal_copy
from conformed_audit.connect import translate as translate_sqlite
from conformed_audit.errors import BusyError, StoreError
from conformed_audit.finding import Expected
from conformed_audit.log_tables import TABLES, UNPLACED_RECORDS, ContentDigest, content_digest
from conformed_audit.postgres.connect import connect, shown, translate
from conformed_audit.verify import verify

__all__ = ["archive_log", "reader"]

_ONE = "SELECT pg_advisory_lock(hashtext('conformed_log archiving'))"
_SIZE = "SELECT coalesce(max(idx) + 1, 0) FROM audit_leaf"
_FEW = 8
_PAGE = 256


def archive_log(url: str, to: Path, *, size: int, root: bytes, note: str) -> str:
    """Copies a closed log into a sealed file; where the file is there already and holds the same, it stays.

    Args:
        url: the database, with a user who may read the log.
        to: the file; its folder is made where it is not there.
        size: how many records the last checkpoint covers: all of them.
        root: the root of the tree over them.
        note: the exact text of that checkpoint.

    Returns:
        The digest over what both hold (`conformed_audit.log_tables`), hex.

    Raises:
        BusyError: when records came in meanwhile, or another process makes the copy.
        StoreError: when the log cannot be read, or the copy cannot be written, or does not verify.
    """
    half = to.with_name(f"{to.name}.part")
    with closing(connect(url, wait_s=30.0, readonly=True)) as connection:
        try:
            connection.execute(_ONE)
            connection.autocommit = False
            connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
            _need_whole(connection, size)
            read = reader(connection)
            there = verify(to) if to.exists() else None
            if there is not None and there.ok and file_digest(to) == (digest := content_digest(read)):
                return digest
            to.parent.mkdir(parents=True, exist_ok=True)
            for left in to.parent.glob(f"{half.name}*"):
                left.unlink()
            digest = _copy(read, half)
        except psycopg.Error as problem:
            raise translate(problem, shown(connection)) from problem
        except sqlite3.Error as problem:
            raise translate_sqlite(problem, half) from problem
        except OSError as problem:
            raise StoreError(
                f"The archive {to.name!r} could not be made: {problem.strerror}.", "Mend that, and close again."
            ) from problem
        before = Expected(there.size, there.root) if there is not None and there.ok and there.root is not None else None
        found = verify(half, given=(note,), expect=before)
        if not found.ok or (found.size, found.root) != (size, root.hex()) or file_digest(half) != digest:
            raise StoreError(
                f"The copy of the log does not verify: {found.first_bad}.",
                "Verify the log; no archive was made: conformed log verify.",
            )
        seal_copy(half, to)
        return digest


def _need_whole(connection: psycopg.Connection[Any], size: int) -> None:
    """Refuses while there is a record that the last checkpoint does not cover."""
    unplaced, placed = (connection.execute(query.encode()).fetchone() for query in (UNPLACED_RECORDS, _SIZE))
    if unplaced != (0,) or placed != (size,):
        raise BusyError("Records came in while the log was being closed.", "Close the epoch again: conformed log close-epoch.")


def reader(connection: psycopg.Connection[Any]) -> Callable[[str], Iterable[tuple[Any, ...]]]:
    """Reads the queries of `conformed_audit.log_tables` in a transaction, a page of rows in memory.

    Args:
        connection: in a transaction.
    """

    def read(query: str) -> Iterator[tuple[Any, ...]]:
        with connection.cursor(name="archiving") as cursor:
            cursor.itersize = _FEW if "ciphertext" in query or "hashes" in query else _PAGE
            cursor.execute(query.encode())
            yield from cursor

    return read


def _copy(read: Callable[[str], Iterable[tuple[Any, ...]]], half: Path) -> str:
    """Writes everything into a new file, and gives the digest over what was read."""
    digest = ContentDigest()
    with closing(sqlite3.connect(half, isolation_level=None)) as base:
        base.execute("PRAGMA synchronous=FULL")
        base.execute("BEGIN IMMEDIATE")
        schema.create(base)
        base.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
        base.execute(f"PRAGMA user_version={schema.SCHEMA_VERSION}")
        for table, query in TABLES.items():
            digest.table(table)
            for row in read(query):
                digest.row(row)
                base.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(row))})", row)
        base.execute("COMMIT")
    return digest.hexdigest()
