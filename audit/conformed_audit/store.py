"""The log's tables in one SQLite file: durable, single writer, append-only.

What this file promises: when `Store.write` returns, everything inside it is on the disk (WAL, synchronous=FULL); when it
raises, nothing of it is in the log. The exception is `CommitError`: then only reopening tells, and the store has closed
itself. `conformed_audit.log_store.LogStore` says what each method is for; PostgreSQL has a class with the same methods.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

from conformed_audit.checkpoint_table import CheckpointTable
from conformed_audit.connect import prepare, translate
from conformed_audit.errors import ClosedError, CommitError, DiskFullError, NotALogError, StoreError
from conformed_audit.log_store import BlobRow, Event, EventRow, Head, KeptBlob, Key, KeyRow, StateRow
from conformed_audit.place import check_place
from conformed_audit.tile_table import TileTable
from conformed_audit.tiles import HASHES
from conformed_audit.writing import Writing

__all__ = ["Store"]

_TAIL = """
SELECT l.idx, e.ts FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq
ORDER BY l.idx DESC LIMIT 1
"""
_HEAD = "SELECT cseq, leaf FROM audit_event WHERE case_id = ?1 ORDER BY cseq DESC LIMIT 1"
_FIND = "SELECT cseq FROM audit_event WHERE case_id = ?1 AND idem_key = ?2 AND kind = ?3"
_AHEAD = f"""
SELECT l.idx, (SELECT ts FROM audit_event WHERE case_id = l.case_id AND cseq = l.cseq), h.cseq, h.leaf, ({_FIND})
FROM audit_leaf l LEFT JOIN audit_event h ON h.case_id = ?1 AND h.cseq = (SELECT max(cseq) FROM audit_event WHERE case_id = ?1)
WHERE l.idx = (SELECT max(idx) FROM audit_leaf)
"""  # noqa: S608 - constants only
_EVENTS = """
SELECT l.idx, l.leaf, e.body FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq
WHERE l.idx >= ? ORDER BY l.idx LIMIT 256
"""
_CASE_EVENTS = """
SELECT l.idx, e.leaf, e.body, e.cseq FROM audit_event e LEFT JOIN audit_leaf l ON l.leaf = e.leaf
WHERE e.case_id = ? AND e.cseq >= ? ORDER BY e.cseq LIMIT 256
"""
_SET_STATE = """
INSERT INTO case_state VALUES(?,?,?,?,?) ON CONFLICT(case_id) DO UPDATE SET cseq = excluded.cseq, head = excluded.head,
state = ifnull(excluded.state, state), contract = ifnull(excluded.contract, contract)
"""


class Store:
    """One SQLite file with the log's tables. Use `open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self.tiles = TileTable(self._execute)
        self.checkpoints = CheckpointTable(self._execute)
        self._process = os.getpid()
        self._writing = Writing(self._begin, self._commit, self._undo)
        self._keys: Sequence[Key] = ()
        self._wanted: Sequence[Key] = ()
        self._heads: dict[str, Head | None] = {}  # inside a transaction, what was read or written of each case
        self._found: dict[Key, int | None] = {}

    @classmethod
    def open(cls, path: Path, *, origin: str, made_at: str, wait_s: float, create: bool = True) -> Store:
        """Opens a log, and makes it when the file is absent or empty.

        Args:
            path: the file; its folder must exist.
            origin: name of the deployment whose log it is.
            made_at: time of making, for a new log.
            wait_s: how long to wait for another writer, in seconds.
            create: whether to make a log that is not there.

        Raises:
            StoreError: of the class that fits (see `conformed_audit.errors`).
        """
        check_place(path)
        if not create and (not path.exists() or not path.stat().st_size):
            raise NotALogError(f"There is no log {path.name!r}.", "Nothing was recorded there yet, or the path is another.")
        connection = None
        try:
            connection = sqlite3.connect(path, timeout=wait_s, isolation_level=None)
            prepare(connection, path, origin, made_at)
        except BaseException as problem:
            if connection is not None:
                connection.close()
            if isinstance(problem, sqlite3.Error):
                raise translate(problem, path) from problem
            raise
        return cls(path, connection)

    def close(self) -> None:
        """Closes the file. Closing twice does nothing."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():  # a child must not touch its parent's connection
            with suppress(sqlite3.Error):
                connection.close()

    @property
    def unsaved(self) -> int:
        """Size of the write-ahead log; it grows for ever where some reader never lets go, or nobody is the last to close."""
        try:
            return self.path.with_name(f"{self.path.name}-wal").stat().st_size
        except OSError:
            return 0

    def write(self, keys: Sequence[Key] = (), *, ordered: bool = False, guess: bool = False) -> AbstractContextManager[None]:  # noqa: ARG002 - one writer: all is locked and ordered
        """One transaction with one sync; the writer's lock is taken before anything is read.

        Args:
            keys: what is asked for the first of them is read with the end of the log.
            ordered: not needed here, since records have their places at once.
            guess: not needed here, since reading costs no journey.

        Raises:
            DiskFullError, BusyError, RefusedError, StoreError: nothing was kept.
            CommitError: not known; the store has closed itself.
        """
        self._wanted = keys
        return self._writing

    def _begin(self) -> None:
        try:
            self._do("BEGIN IMMEDIATE")
        except BaseException as problem:
            self._undo(problem)
            raise
        self._keys = self._wanted

    def _commit(self) -> None:
        self._forget()
        try:
            self._live().execute("COMMIT")
        except sqlite3.Error as problem:
            self.close()  # final: what did not reach the disk is rolled back, and a failed sync is never retried
            error = translate(problem, self.path)
            if not isinstance(error, DiskFullError):
                error = CommitError(
                    f"The log {self.path.name!r} could not be committed: {problem}.", "Reopen it; its tail is then checked."
                )
            raise error from problem

    def _forget(self) -> None:
        """Outside a transaction nothing that was read counts: another process may write."""
        self._keys = ()
        self._heads.clear()
        self._found.clear()

    def head(self, case: str) -> Head | None:
        """The last record of a case, from the records themselves."""
        if case in self._heads:
            return self._heads[case]
        row = self._row(_HEAD, (case,))
        return None if row is None else Head(*row)

    def tail(self) -> tuple[int, str | None] | None:
        """Index and time of the last record of the log; None for an empty log."""
        row = self._row(_TAIL)
        return None if row is None else (row[0], row[1])

    def start(self) -> tuple[int, str | None]:
        """Place of the next record, and time of the last one."""
        if not self._keys:
            tail = self.tail()
            return (0, None) if tail is None else (tail[0] + 1, tail[1])
        case, idem, kind = key = self._keys[0]
        row = self._row(_AHEAD, (case, idem, kind))
        if row is None:
            return 0, None
        idx, ts, cseq, leaf, found = row
        self._heads[case] = None if cseq is None else Head(cseq, leaf)
        self._found[key] = found
        return idx + 1, ts

    def place(self) -> int:
        """Nothing to do: records have their places."""
        return 0

    def find(self, case: str, idem: str, kind: str) -> int | None:
        """Number inside the case of the record with this idempotency key and kind."""
        if (case, idem, kind) in self._found:
            return self._found[case, idem, kind]
        row = self._row(_FIND, (case, idem, kind))
        return None if row is None else int(row[0])

    def add_event(self, idx: int, event: Event) -> None:
        """Adds a record and its place in the log.

        Args:
            idx: its place.
            event: case, cseq, kind, ts, actor, idempotency key, body, leaf, prev.
        """
        case, cseq, kind, _, _, idem, _, leaf, _ = event
        self._do("INSERT INTO audit_event VALUES(?,?,?,?,?,?,?,?,?)", event)
        self._do("INSERT INTO audit_leaf VALUES(?,?,?,?)", (idx, leaf, case, cseq))
        self._heads[case] = Head(cseq, leaf)
        self._found[case, idem, kind] = cseq
        if (idx + 1) % HASHES == 0:
            self.tiles.complete(idx + 1)

    def set_state(self, row: StateRow) -> None:
        """Moves the projection of a case; None leaves state or contract as they were."""
        self._do(_SET_STATE, row)

    def add_blob(self, blob: KeptBlob) -> None:
        """Adds a blob unless one with the same commitment is there."""
        if self._row('SELECT 1 FROM blob WHERE "commit" = ?', (blob.commit,)) is None:
            self._execute("INSERT INTO blob VALUES(?,?,?,?,?,?,?,NULL)", tuple(blob))

    def add_data_key(self, ref: str, wrapped: bytes) -> None:
        """Adds a data key."""
        self._execute("INSERT INTO data_key VALUES(?,?,NULL)", (ref, wrapped))

    def some_data_key(self) -> tuple[str, bytes] | None:
        """Some data key that was not destroyed."""
        row = self._row("SELECT key_ref, wrapped_key FROM data_key WHERE wrapped_key IS NOT NULL LIMIT 1")
        return None if row is None else (row[0], row[1])

    def data_key(self, ref: str) -> KeyRow | None:
        """A data key by its name."""
        row = self._row("SELECT wrapped_key, destroyed_at FROM data_key WHERE key_ref = ?", (ref,))
        return None if row is None else KeyRow(*row)

    def blob(self, commit: str) -> BlobRow | None:
        """A blob by its commitment."""
        row = self._row('SELECT salt, ciphertext, erased_at, key_ref, nonce FROM blob WHERE "commit" = ?', (commit,))
        return None if row is None else BlobRow(*row)

    def events(self, *, first: int = 0) -> Iterator[EventRow]:
        """Records in the order of the log, a page at a time, so that writing between two of them is safe."""
        while rows := self._execute(_EVENTS, (first,)):
            yield from map(EventRow._make, rows)
            first = rows[-1][0] + 1

    def pending(self, *, first: int) -> Iterator[EventRow]:
        """Nothing but what was added since `events` ended: every record has its place."""
        return self.events(first=first)

    def case_events(self, case: str, *, first: int = 0) -> Iterator[EventRow]:
        """Records of a case in its order, from a number inside the case on."""
        while rows := self._execute(_CASE_EVENTS, (case, first)):
            yield from (EventRow(*row[:3]) for row in rows)
            first = rows[-1][3] + 1

    def states(self) -> Iterator[StateRow]:
        """The projection, sorted by case."""
        rows = self._execute("SELECT case_id, state, cseq, head, contract FROM case_state ORDER BY case_id")
        return map(StateRow._make, rows)

    def _live(self) -> sqlite3.Connection:
        if self._connection is None:
            raise ClosedError(f"The log {self.path.name!r} is closed.", "Open it again; its tail is then checked.")
        if self._process != os.getpid():
            raise ClosedError(
                f"The log {self.path.name!r} was opened by another process.", "Open it in the process that uses it."
            )
        return self._connection

    def _execute(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        try:
            return self._live().execute(query, values).fetchall()
        except sqlite3.Error as problem:
            raise translate(problem, self.path) from problem

    def _do(self, query: str, values: tuple[Any, ...] = ()) -> None:
        """Carries out a statement that gives no rows."""
        try:
            self._live().execute(query, values)
        except sqlite3.Error as problem:
            raise translate(problem, self.path) from problem

    def _row(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        rows = self._execute(query, values)
        return rows[0] if rows else None

    def _undo(self, problem: BaseException) -> None:
        """Rolls back; after an error that leaves doubt about the file, closes as well."""
        self._forget()
        connection = self._connection
        if connection is None or isinstance(problem, ClosedError):
            return
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error as second:
            self.close()
            raise StoreError(f"The log {self.path.name!r} could not be rolled back: {second}.", "Reopen it.") from problem
        if isinstance(problem, CommitError | NotALogError):
            self.close()
