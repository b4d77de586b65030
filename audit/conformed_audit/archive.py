"""Logs that are closed: one file, read only, which verifies, shows and proves as before. A shared log is copied into one.

A closed log takes no more work. What concerns what is in it, such as an erasure, is recorded in it nevertheless, so that it
goes on explaining itself: for that it is opened again, and sealed again after (`opened_again`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Self

from conformed_audit import schema
from conformed_audit.clock import Clock
from conformed_audit.connect import translate
from conformed_audit.durable import sync_folder
from conformed_audit.errors import BusyError, NotALogError, StoreError
from conformed_audit.log import AuditLog
from conformed_audit.log_tables import content_digest
from conformed_audit.sealing import KeyHolder
from conformed_audit.store import Store

__all__ = ["ArchivedLog", "file_digest", "opened_again", "seal_copy", "seal_file"]

_FIRST = 2  # the first format that has archives
_SEALED, _OPEN = 0o444, 0o644
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_TRANSACTION}


class ArchivedLog(AuditLog):
    """An archived log, for reading. Use `open_archive`, as a context manager."""

    @classmethod
    def open_archive(cls, path: Path, *, clock: Callable[[], datetime], keys: KeyHolder | None = None) -> Self:
        """Opens an archived log; nothing is ever written to it, nor beside it.

        Args:
            path: the file.
            clock: gives the time now, aware.
            keys: holds the master key.

        Raises:
            StoreError: when it is no log that can be read.
        """
        mode = "mode=ro" if _journal(path) else "mode=ro&immutable=1"  # sealed, everything is in the file itself
        try:
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None)
            try:
                origin = _origin(connection, path)
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as problem:
            raise translate(problem, path) from problem
        connection.set_authorizer(_authorize)
        return cls(Store(path, connection), origin, Clock(clock, None), os.urandom, keys)


def _origin(connection: sqlite3.Connection, path: Path) -> str:
    """The origin of an archived log whose tables and guards are those of a format that keeps tiles."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    known = _FIRST <= version <= schema.SCHEMA_VERSION
    if not known or schema.schema_digest(connection) != schema.expected_digest(version):
        raise NotALogError(f"The archive {path.name!r} is no log that can be read, or its tables were changed.", "Verify it.")
    return str(connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()[0])


def seal_file(path: Path, to: Path) -> None:
    """Moves a closed log into the archive: one file without a write-ahead log, which nobody may write.

    Args:
        path: the log, which no process has open.
        to: where it goes, on the same disk; a new name.

    Raises:
        BusyError: when another process has it open.
        StoreError: when it cannot be done.
    """
    if to.exists():
        raise StoreError(f"The archive {to.name!r} is there already.", "Nothing was moved.")
    _one_file(path)
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.rename(to)
        to.chmod(_SEALED)
        sync_folder(to.parent)
        sync_folder(path.parent)
    except OSError as problem:
        raise StoreError(
            f"The log {path.name!r} could not be archived: {problem.strerror}.", "Mend that, and close the epoch again."
        ) from problem


def seal_copy(copy: Path, to: Path) -> None:
    """Moves a finished copy of a closed log into the archive, in the place of one that holds less.

    Raises:
        StoreError: when it cannot be done.
    """
    try:
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        copy.chmod(_SEALED)
        copy.replace(to)
        sync_folder(to.parent)
    except OSError as problem:
        raise StoreError(
            f"The archive {to.name!r} could not be made: {problem.strerror}.", "Mend that, and close the epoch again."
        ) from problem


def file_digest(path: Path) -> str:
    """The digest over what a sealed file holds (`conformed_audit.log_tables`), hex.

    Raises:
        StoreError: when it is no log that can be read.
    """
    try:
        with closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
        ) as connection:
            _origin(connection, path)
            return content_digest(connection.execute)
    except sqlite3.Error as problem:
        raise translate(problem, path) from problem


@contextmanager
def opened_again(path: Path) -> Iterator[None]:
    """Lets an archived log be written to, and seals it again at the end; where it was cut off before, it is sealed then.

    Args:
        path: the archive.

    Raises:
        StoreError: when it belongs to somebody else, lies on a medium that cannot be written, or cannot be sealed again.
    """
    try:
        path.chmod(_OPEN)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "read only")
    except OSError as problem:
        raise StoreError(
            f"The archive {path.name!r} cannot be written to: {problem.strerror}.", "Let whoever owns it do this."
        ) from problem
    try:
        yield
    finally:
        with suppress(BusyError):  # somebody else has it open to write, and seals it at their end
            _one_file(path)
            path.chmod(_SEALED)


def _journal(path: Path) -> bool:
    """Whether there is something beside the file that belongs to it: it was opened again, and is not sealed yet."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except OSError:
        return False


def _one_file(path: Path) -> None:
    """Takes everything of a log into the one file.

    Raises:
        BusyError: when another process has it open.
        StoreError: when it cannot be done.
    """
    busy = f"Another process has the log {path.name!r} open."
    try:
        with closing(sqlite3.connect(path, timeout=1.0, isolation_level=None)) as connection:
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        if mode != "delete":
            raise BusyError(busy, "Let it end, and close the epoch again.")
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise BusyError(busy, "Let it end, and close the epoch again.") from problem
        raise translate(problem, path) from problem


def _authorize(action: int, _one: str | None, _two: str | None, _database: str | None, _source: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
