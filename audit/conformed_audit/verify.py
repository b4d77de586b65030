"""Verification: reads a whole log once and says, as data, whether it is what was written. Never raises for content.

What a chain cannot see: a log whose newest records were cut off is a valid shorter log, and one that was wholly re-hashed
is a valid other log. Only something kept outside the database tells: checkpoints that a witness or another folder holds, and
keys that were kept elsewhere. Without them the result says so (`VerifyResult.anchored`, ``signed``, ``cosigned``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from conformed_audit.errors import StoreError
from conformed_audit.finding import Expected, Finding, VerifyResult
from conformed_audit.sealing import KeyHolder
from conformed_audit.sqlite_source import SqliteSource
from conformed_audit.trust import Trust
from conformed_audit.walk import Walk
from conformed_audit.where import Where, is_url, need_postgres

__all__ = ["Expected", "Finding", "Trust", "VerifyResult", "verify"]

_NOBODY = Trust()


def verify(
    path: Where,
    *,
    expect: Expected | None = None,
    trust: Trust = _NOBODY,
    given: Iterable[str] = (),
    keys: KeyHolder | None = None,
) -> VerifyResult:
    """Verifies a log, reading it only, at one moment, whatever is appended meanwhile.

    Args:
        path: the file, or the URL of a PostgreSQL database.
        expect: a size and root that were kept elsewhere; the log must begin with that tree.
        trust: keys of the log and of witnesses, from outside the database; without them no signature is checked.
        given: exact texts of checkpoints that were kept elsewhere; the log must begin with each.
        keys: who holds the master key of sealed content; without it such content is counted and not opened.

    Returns:
        The result. Damage, wrong formats and absent files are findings, never exceptions.
    """
    texts = tuple(given)
    if is_url(path):
        return _verify_url(str(path), Walk(expect, trust, texts, keys))
    file = Path(path)
    before = _stamp(file)
    if before is not None and not before[-1]:
        # Everything is in the file itself: SQLite need not put its own notes beside it, which it could not do on a
        # read-only medium and would leave behind elsewhere. If somebody begins to write meanwhile, a finding proves nothing.
        result = _verify(file, "mode=ro&immutable=1", Walk(expect, trust, texts, keys))
        if result.ok or _stamp(file) == before:
            return result
    return _verify(file, "mode=ro", Walk(expect, trust, texts, keys))


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """Time of change and size of the file, and size of the write-ahead log beside it; None where there is no file."""
    try:
        stat = file.stat()
        wal = file.with_name(file.name + "-wal")
        return stat.st_mtime_ns, stat.st_size, wal.stat().st_size if wal.exists() else 0
    except (OSError, ValueError):
        return None


def _verify(file: Path, mode: str, walk: Walk) -> VerifyResult:
    def read() -> None:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            walk.over(SqliteSource(connection))

    return walk.result(read, sqlite3.Error)


def _verify_url(url: str, walk: Walk) -> VerifyResult:
    def read() -> None:
        need_postgres()
        from conformed_audit.postgres.source import read_source

        read_source(url, walk.over)

    return walk.result(read, StoreError)
