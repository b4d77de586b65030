"""The log's tables on PostgreSQL: durable, one writer per case by its head row, append-only.

What this file promises is what `conformed_audit.store` promises. An append takes two round trips: one that locks the heads of
its cases and reads what they hold, one that writes and commits; or one, where the end of its case is remembered
(`conformed_audit.postgres.quick`). Records get their places in the tree afterwards (`conformed_audit.postgres.sequencer`), by
whoever reads the log in its order or makes a checkpoint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from conformed_audit.checkpoint_table import CheckpointTable
from conformed_audit.encode import encode
from conformed_audit.errors import ClosedError, CommitError, ConflictError, StoreError, UnsureError
from conformed_audit.log_store import UNPLACED, BlobRow, Event, EventRow, Head, KeptBlob, Key, KeyRow, StateRow
from conformed_audit.postgres import sequencer
from conformed_audit.postgres.connect import connect, prepare, shown, translate
from conformed_audit.postgres.quick import Ends, QuickTransaction, unsure
from conformed_audit.postgres.tiles import PostgresTiles
from conformed_audit.postgres.transaction import FIND, Transaction

__all__ = ["PostgresStore"]

_MAY_PLACE = """
SELECT has_any_column_privilege('conformed_log.audit_leaf', 'INSERT') AND NOT pg_is_in_recovery(),
(SELECT value FROM audit_meta WHERE name = 'origin')
"""
_TAIL = """
SELECT l.idx, e.ts FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq
ORDER BY l.idx DESC LIMIT 1
"""
_EVENTS = """
SELECT l.idx, l.leaf, e.body FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq
WHERE l.idx >= %s ORDER BY l.idx
"""
_REST = f"""
SELECT idx, leaf, body FROM (
  SELECT l.idx, l.leaf, e.body, NULL AS case_id, 0 AS cseq FROM audit_leaf l
  LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq WHERE l.idx >= %s
  UNION ALL SELECT NULL, leaf, body, case_id, cseq FROM ({sequencer.PENDING}) pending) rest
ORDER BY idx NULLS LAST, case_id, cseq
"""  # noqa: S608 - constants only
_CASE_EVENTS = f"""
SELECT coalesce(l.idx, CASE WHEN e.cseq > (SELECT coalesce(max(p.cseq), -1) FROM audit_leaf p WHERE p.case_id = e.case_id)
  THEN {UNPLACED} END), e.leaf, e.body, e.cseq FROM audit_event e LEFT JOIN audit_leaf l ON l.leaf = e.leaf
WHERE e.case_id = %s AND e.cseq >= %s ORDER BY e.cseq LIMIT 256
"""  # noqa: S608 - constants only


class PostgresStore:
    """One log in one PostgreSQL database (`conformed_audit.log_store.LogStore`). Use `open`."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection: psycopg.Connection[Any] | None = connection
        self._process = os.getpid()
        self._name = shown(connection)
        self._transaction: Transaction | QuickTransaction | None = None
        self._ends = Ends()
        row = connection.execute(_MAY_PLACE).fetchone()
        self._may_place = row is not None and bool(row[0])
        self._origin: str | None = None if row is None else row[1]
        self.tiles = PostgresTiles(self._execute)
        self.checkpoints = CheckpointTable(lambda query, values: self._execute(query.replace("?", "%s"), values))

    @classmethod
    def open(cls, url: str, *, origin: str, wait_s: float) -> PostgresStore:
        """Opens a log that the administrator made.

        Args:
            url: the database, with the application's or a reader's user.
            origin: name of the deployment whose log it is.
            wait_s: how long to wait for another writer, in seconds.

        Raises:
            StoreError: of the class that fits (see `conformed_audit.errors`).
        """
        connection = connect(url, wait_s=wait_s)
        try:
            prepare(connection, origin)
            return cls(connection)
        except BaseException as problem:
            name = shown(connection)
            connection.close()
            if isinstance(problem, psycopg.Error):
                raise translate(problem, name) from problem
            raise

    def close(self) -> None:
        """Closes the connection. Closing twice does nothing."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():  # a child must not touch its parent's connection
            with suppress(psycopg.Error):
                connection.close()

    @property
    def unsaved(self) -> int:
        """0: a server looks after its own write-ahead log."""
        return 0

    @contextmanager
    def write(self, keys: Sequence[Key] = (), *, ordered: bool = False, guess: bool = False) -> Iterator[None]:
        """One transaction. The heads of the cases are locked before anything is read, in one order for all writers.

        With ``guess``, where the end of the one case is remembered, nothing is locked or read (`conformed_audit.postgres.quick`).

        Raises:
            UnsureError: with ``guess``: what was remembered no longer stands; nothing was kept.
            NotCanonicalError: for a case or a key that no record may hold.
            EpochClosedError: the log takes no further record.
            ConflictError, BusyError, DiskFullError, RefusedError, StoreError: nothing was kept.
            CommitError: not known; the store has closed itself.
        """
        connection = self._live()
        quick = self._ends.begin(connection, keys) if guess and not ordered else None
        for case, idem, _ in () if quick else keys:
            encode([case, idem])  # what no record may hold never reaches the database
        try:
            self._transaction = quick or Transaction(connection, keys, ordered=ordered, name=self._name, origin=self._origin)
            yield
            self._transaction.flush()
        except BaseException as problem:
            self._undo()
            if isinstance(problem, psycopg.Error):
                raise translate(problem, self._name) from problem
            raise
        try:
            self._transaction.commit()
            self._ends.learn(self._transaction.ends())
        except UnsureError:
            self._ends.missed(keys)
            raise
        except psycopg.Error as problem:
            known = problem.sqlstate is not None and not connection.broken
            self._undo()
            if known:  # the server said no: nothing of it was kept
                error = translate(problem, self._name)
                raise (unsure() if quick and isinstance(error, ConflictError) else error) from problem
            self.close()  # final: whether the commit reached the disk is not known here
            raise CommitError(
                f"The connection to the log {self._name} was lost in a commit.", "Reopen it; its tail is then checked."
            ) from problem
        finally:
            self._transaction = None

    def start(self) -> tuple[int, str | None]:
        """Place of the next record where the transaction is ordered, and time of the last record of its cases."""
        return self._within().start()

    def place(self) -> int:
        """Gives committed records their places, where this user may and no other sequencer is at it."""
        if not self._may_place or self._transaction is not None:
            return 0
        try:
            return sequencer.place(self._live(), wait=False)
        except psycopg.Error as problem:
            raise self._lost(problem) from problem

    def tail(self) -> tuple[int, str | None] | None:
        """Index and time of the last record that has a place."""
        rows = self._execute(_TAIL)
        return (int(rows[0][0]), rows[0][1]) if rows else None

    def head(self, case: str) -> Head | None:
        """The last record of a case; inside `write` its head is locked."""
        if self._transaction is not None:
            try:
                return self._transaction.head(case)
            except psycopg.Error as problem:
                raise self._lost(problem) from problem
        rows = self._execute("SELECT cseq, leaf FROM audit_event WHERE case_id = %s ORDER BY cseq DESC LIMIT 1", (case,))
        return Head(*rows[0]) if rows else None

    def find(self, case: str, idem: str, kind: str) -> int | None:
        """Number inside the case of the record with this idempotency key and kind."""
        if self._transaction is not None and (known := self._transaction.known((case, idem, str(kind)))) is not None:
            return known if known >= 0 else None
        rows = self._execute(FIND, (case, idem, str(kind)) * 2)
        return int(rows[0][0]) if rows else None

    def add_event(self, idx: int, event: Event) -> None:
        """Adds a record, sent when the transaction ends."""
        self._within().add_event(idx, event)

    def set_state(self, row: StateRow) -> None:
        """Moves the projection of a case, sent when the transaction ends."""
        self._within().set_state(row)

    def add_blob(self, blob: KeptBlob) -> None:
        """Adds a blob unless one with the same commitment is there, sent when the transaction ends."""
        self._within().blobs.append(blob)

    def add_data_key(self, ref: str, wrapped: bytes) -> None:
        """Adds a data key at once; where another writer was quicker, that is a conflict, which is tried again."""
        if isinstance(self._transaction, QuickTransaction):
            raise unsure()  # it takes more than one statement
        self._execute("INSERT INTO data_key(key_ref, wrapped_key, destroyed_at) VALUES(%s, %s, NULL)", (ref, wrapped))

    def some_data_key(self) -> tuple[str, bytes] | None:
        """Some data key that was not destroyed."""
        rows = self._execute("SELECT key_ref, wrapped_key FROM data_key WHERE wrapped_key IS NOT NULL LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else None

    def data_key(self, ref: str) -> KeyRow | None:
        """A data key by its name."""
        rows = self._execute("SELECT wrapped_key, destroyed_at FROM data_key WHERE key_ref = %s", (ref,))
        return KeyRow(*rows[0]) if rows else None

    def blob(self, commit: str) -> BlobRow | None:
        """A blob by its commitment."""
        rows = self._execute('SELECT salt, ciphertext, erased_at, key_ref, nonce FROM blob WHERE "commit" = %s', (commit,))
        return BlobRow(*rows[0]) if rows else None

    def events(self, *, first: int = 0) -> Iterator[EventRow]:
        """Records that have a place, a page at a time; those that were committed meanwhile are placed first, at the end again."""
        self.place()
        while True:
            rows = self._execute(_EVENTS + "LIMIT 256", (first,))
            yield from map(EventRow._make, rows)
            if rows:
                first = rows[-1][0] + 1
            elif not self.place():
                return

    def pending(self, *, first: int) -> Iterator[EventRow]:
        """In one look: records from a place on, and those without one, which is all that a reader's user can do."""
        for idx, leaf, body in self._execute(_REST, (first,)):
            yield EventRow(UNPLACED if idx is None else idx, leaf, body)

    def case_events(self, case: str, *, first: int = 0) -> Iterator[EventRow]:
        """Records of a case in its order, from a number inside the case on."""
        while rows := self._execute(_CASE_EVENTS, (case, first)):
            yield from (EventRow(*row[:3]) for row in rows)
            first = rows[-1][3] + 1

    def states(self) -> Iterator[StateRow]:
        """The projection, sorted by case."""
        if self._transaction is not None and self._transaction.states is not None:
            return iter(sorted(self._transaction.states.values(), key=lambda row: row.case))
        query = "SELECT case_id, state, cseq, head, contract FROM case_state WHERE cseq >= 0 ORDER BY case_id"
        return map(StateRow._make, self._execute(query))

    def _within(self) -> Transaction | QuickTransaction:
        if self._transaction is None:
            raise StoreError("A record is added outside a transaction.", "Use `write`.")
        return self._transaction

    def _live(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            raise ClosedError(f"The log {self._name} is closed.", "Open it again; its tail is then checked.")
        if self._process != os.getpid():
            raise ClosedError(f"The log {self._name} was opened by another process.", "Open it in the process that uses it.")
        return self._connection

    def _execute(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        connection = self._live()
        try:
            cursor = connection.execute(query.encode(), values)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as problem:
            raise self._lost(problem) from problem

    def _lost(self, problem: psycopg.Error) -> StoreError:
        """The error of this package; a connection that broke is closed for good."""
        if self._connection is not None and self._connection.broken:
            self.close()
        return translate(problem, self._name)

    def _undo(self) -> None:
        """Rolls back; a connection that cannot is closed, and the database then rolls back by itself."""
        connection, self._transaction = self._connection, None
        if connection is None:
            return
        try:
            if connection.broken:
                self.close()
            elif connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            self.close()
