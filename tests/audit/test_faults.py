"""Injected failures: what cannot be written is a typed error, and the log stays valid."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import (
    AuditError,
    AuditLog,
    BusyError,
    ClosedError,
    CommitError,
    DiskFullError,
    NotALogError,
    RecordDraft,
    StoreError,
    verify,
)
from conformed_audit.connect import translate

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]


class Failing:
    """A connection whose n-th statement that starts with some word fails, before or after it was carried out."""

    def __init__(self, connection: sqlite3.Connection, word: str, code: int, *, stored: bool = False, times: int = 1) -> None:
        self._connection, self._word, self._code, self._stored, self._times = connection, word, code, stored, times

    def execute(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        fails = query.startswith(self._word) and self._times > 0
        if fails and not self._stored:
            self._fail()
        result = self._connection.execute(query, values)
        if fails:
            self._fail()
        return result

    def _fail(self) -> None:
        self._times -= 1
        problem = sqlite3.OperationalError("injected")
        problem.sqlite_errorcode = self._code
        raise problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def inject(log: AuditLog, *values: Any, **options: Any) -> None:
    """Puts a failing connection under a log."""
    log._store._connection = Failing(log._store._live(), *values, **options)  # type: ignore[assignment]


def test_a_full_disk_is_one_clear_sentence_and_the_log_stays_valid(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """With no pages left an append fails as a whole, the log verifies, and goes on once there is room."""
    path = tmp_path / "log.db"
    log = open_log(path)
    log.append([draft()])
    connection = log._store._live()
    connection.set_authorizer(None)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages + 2}")
    written = 1
    long = [draft(note="x" * 2000), draft(note="y" * 2000)]

    def fill() -> None:
        nonlocal written
        for _ in range(20):
            written += len(log.append(long))

    with pytest.raises(
        DiskFullError, match=r"^There is no room left for the log 'log.db'; nothing of this append was kept. Free"
    ):
        fill()
    assert (verify(path).ok, verify(path).size) == (True, written)
    connection.execute("PRAGMA max_page_count=100000")
    assert log.append([draft()])[0].idx == written
    assert verify(path).ok


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY]
)
@pytest.mark.parametrize("stored", [False, True], ids=["lost", "stored"])
def test_a_failed_commit_is_final(code: int, stored: bool, tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """After a commit that failed (kept or not) the log is closed; reopened, its tail is checked and it says which it was."""
    path = tmp_path / "log.db"
    log = open_log(path)
    log.append([draft()])
    inject(log, "COMMIT", code, stored=stored)
    with pytest.raises(DiskFullError if code == sqlite3.SQLITE_FULL else CommitError):
        log.append([draft(), draft("case-b")])
    with pytest.raises(ClosedError):
        log.append([draft()])
    again = open_log(path)
    assert len(list(again.records())) == (3 if stored else 1)
    again.append([draft()])
    assert verify(path).ok


@pytest.mark.parametrize(
    "word",
    ["BEGIN", "INSERT INTO audit_event", "INSERT INTO audit_leaf", "\nINSERT INTO case_state", "INSERT INTO blob", "SELECT"],
)
@pytest.mark.parametrize(
    ("code", "error", "closed"),
    [
        (sqlite3.SQLITE_FULL, DiskFullError, False),
        (sqlite3.SQLITE_BUSY, BusyError, False),
        (sqlite3.SQLITE_IOERR_WRITE, CommitError, True),
        (sqlite3.SQLITE_CORRUPT, NotALogError, True),
        (sqlite3.SQLITE_TOOBIG, StoreError, False),
    ],
)
def test_a_failure_at_any_statement_keeps_nothing(
    word: str, code: int, error: type[AuditError], closed: bool, tmp_path: Path, open_log: OpenLog, draft: Draft
) -> None:
    """Whatever fails before the commit, nothing of the append is kept, and the log goes on unless the file itself is in doubt."""
    path = tmp_path / "log.db"
    log = open_log(path)
    first = log.append([draft()])
    blob = log.make_blob(b"x", "text/plain")
    inject(log, word, code)
    with pytest.raises(error) as failed:
        log.append([draft(idem="k"), draft("case-b")], blobs=[blob])
    assert isinstance(failed.value.__cause__, sqlite3.Error)
    if closed:
        with pytest.raises(ClosedError):
            log.append([draft()])
        log = open_log(path)
    assert tuple(log.records()) == first
    log.append([draft(idem="k"), draft("case-b")], blobs=[blob])
    assert verify(path).ok


def test_a_rollback_that_fails_closes_the_log(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """When even rolling back fails, the log closes itself and the file rolls back by itself."""
    path = tmp_path / "log.db"
    log = open_log(path)
    inject(log, "ROLLBACK", sqlite3.SQLITE_IOERR)
    with pytest.raises(StoreError, match="could not be rolled back"):
        log.append([draft(), draft(kind="nonsense")])
    with pytest.raises(ClosedError):
        log.cases()
    assert (verify(path).ok, verify(path).size) == (True, 0)


def test_an_interrupt_keeps_nothing(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """A keyboard interrupt in mid-append rolls back and passes on."""
    path = tmp_path / "log.db"

    def interrupt() -> Any:
        raise KeyboardInterrupt

    log = open_log(path)
    log._clock.now = interrupt
    with pytest.raises(KeyboardInterrupt):
        log.append([draft()], blobs=[log.make_blob(b"x", "text/plain")])
    assert verify(path).size == 0
    open_log(path).append([draft()])


def test_a_busy_log_is_a_typed_error(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """When another writer keeps the log, the one who waits is told so and nothing is written."""
    path = tmp_path / "log.db"
    holder, waiter = open_log(path), open_log(path, wait_s=0.05)
    with holder._store.write(), pytest.raises(BusyError, match="Another writer"):
        waiter.append([draft()])
    waiter.append([draft()])
    assert verify(path).size == 1


def test_a_read_only_file_is_a_typed_error() -> None:
    """Every other trouble of the database is an error of this package, too, with its cause in words."""
    problem = sqlite3.OperationalError("attempt to write a readonly database")
    problem.sqlite_errorcode = sqlite3.SQLITE_READONLY
    assert (
        str(translate(problem, Path("a/log.db"))) == "The log 'log.db' could not be used: attempt to write a readonly database."
    )
    assert type(translate(sqlite3.ProgrammingError("thread"), Path("log.db"))) is StoreError
