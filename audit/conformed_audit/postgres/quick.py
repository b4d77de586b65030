"""An append in one journey: the end of its case is remembered, and the write itself asks whether it still stands.

One statement, which is a transaction of its own, moves the head row from the remembered end to the new one, and writes contents
and records only if it moved. Where it did not, nothing is written, and the append is done again with the head locked
(`conformed_audit.postgres.transaction`). What is remembered is a guess that the database checks, never a lock: it is forgotten
before each attempt, and remembered again only when the database has said that the commit is on the disk. Whether a record is
there already is told by the unique index alone; the second attempt then says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import psycopg

from conformed_audit.closing import CLOSED
from conformed_audit.errors import UnsureError
from conformed_audit.log_store import UNPLACED, Event, Head, KeptBlob, Key, StateRow
from conformed_audit.postgres.transaction import merged

__all__ = ["Ends", "QuickTransaction", "unsure"]

_ROWS = 16
"""Records, and contents, of one statement; more are written with the head locked, so that few statements are ever prepared."""
_CASES = 1024
"""Cases whose end is remembered."""
_MOVE = f"""
WITH moved AS (
  UPDATE case_state SET cseq = %s::bigint, head = %s::bytea, state = coalesce(%s::text, state),
    contract = coalesce(%s::text, contract) WHERE case_id = %s::text AND cseq = %s::bigint AND head = %s::bytea
    AND NOT EXISTS (SELECT FROM audit_event WHERE case_id = '_log' AND idem_key = '{CLOSED}' AND kind = 'log.epoch') RETURNING 1)"""  # noqa: S608 - constants only
_KEEP = """, kept AS (
  INSERT INTO blob("commit", salt, key_ref, nonce, ciphertext, bytes, media, erased_at)
  SELECT v.*, NULL FROM moved CROSS JOIN (VALUES {}) v ON CONFLICT DO NOTHING)"""
_BLOB = "(%s::text, %s::bytea, %s::text, %s::bytea, %s::bytea, %s::bigint, %s::text)"
_ADD = """
INSERT INTO audit_event(case_id, cseq, kind, ts, actor_id, idem_key, body, leaf, prev)
SELECT v.* FROM moved CROSS JOIN (VALUES {}) v
"""
_EVENT = "(%s::text, %s::bigint, %s::text, %s::text, %s::text, %s::text, %s::bytea, %s::bytea, %s::bytea)"


class QuickTransaction:
    """What one statement will write to one case. It has the face of `conformed_audit.postgres.transaction.Transaction`.

    Args:
        connection: in no transaction.
        case: the case.
        end: its last record, as remembered.
        ts: time of that record.
    """

    states = None

    def __init__(self, connection: psycopg.Connection[Any], case: str, end: Head, ts: str) -> None:
        self._connection, self._case, self._end, self._ts = connection, case, end, ts
        self._head = end
        self._events: list[Event] = []
        self._keys: dict[tuple[str, str, str], int] = {}
        self._move: StateRow | None = None
        self.blobs: list[KeptBlob] = []

    def start(self) -> tuple[int, str | None]:
        """No place yet, and the time of the last record."""
        return UNPLACED, self._ts

    def head(self, case: str) -> Head:
        """The last record, as remembered.

        Raises:
            UnsureError: for another case.
        """
        if case != self._case:
            raise unsure()
        return self._head

    def known(self, key: tuple[str, str, str]) -> int:
        """Number of a record with a key that was added here; -1 for every other, of which the index tells."""
        return self._keys.get(key, -1)

    def add_event(self, idx: int, event: Event) -> None:  # noqa: ARG002 - records get their places later
        """Adds a record."""
        self._events.append(event)
        case, cseq, kind, _, _, idem, _, leaf, _ = event
        self._head = Head(cseq, leaf)
        if idem is not None:
            self._keys[case, idem, str(kind)] = cseq

    def set_state(self, row: StateRow) -> None:
        """Moves the projection of the case."""
        self._move = merged(self._move, row)

    def flush(self) -> None:
        """Nothing to do before the commit."""

    def commit(self) -> None:
        """Writes everything, if the remembered end still stands.

        Raises:
            UnsureError: it does not, or there is more than one statement takes. Nothing was written.
            psycopg.Error: as it comes.
        """
        move = self._move
        if move is None or max(len(self._events), len(self.blobs)) > _ROWS:
            raise unsure()
        query = _MOVE
        values: list[Any] = [move.cseq, move.head, move.state, move.contract, self._case, *self._end]
        if self.blobs:
            query += _KEEP.format(", ".join([_BLOB] * len(self.blobs)))
            values += [value for blob in self.blobs for value in blob]
        query += _ADD.format(", ".join([_EVENT] * len(self._events)))
        values += [value for event in self._events for value in event]
        if self._connection.execute(query.encode(), values, prepare=True).rowcount != len(self._events):
            raise unsure()

    def ends(self) -> list[tuple[str, Head | None, Head, str]]:
        """The case, its end before and after, and the time of its last record."""
        return [(self._case, self._end, self._head, self._events[-1][3])]


class _End(NamedTuple):
    head: Head
    ts: str


class Ends:
    """Ends of the cases that one log wrote to last; the oldest are forgotten where they are many."""

    def __init__(self) -> None:
        self._ends: dict[str, _End] = {}
        self._shared: dict[str, Head | None] = {}

    def begin(self, connection: psycopg.Connection[Any], keys: Sequence[Key]) -> QuickTransaction | None:
        """A quick append, if it is of one case whose end is remembered. The end is forgotten with that."""
        case = keys[0][0] if keys else ""
        if any(key[0] != case for key in keys):
            return None
        end = self._ends.pop(case, None)
        return None if end is None else QuickTransaction(connection, case, *end)

    def missed(self, keys: Sequence[Key]) -> None:
        """Another writer is at these cases: their ends are remembered again when nobody came between two appends of ours."""
        for case, _, _ in keys:
            self._shared[case] = None

    def learn(self, ends: Sequence[tuple[str, Head | None, Head, str]]) -> None:
        """Remembers the ends of a transaction that is committed."""
        for case, before, after, ts in ends:
            if case in self._shared and self._shared.pop(case) != before:
                self._shared[case] = after
                continue
            self._ends[case] = _End(after, ts)
        for kept in (self._ends, self._shared):
            while len(kept) > _CASES:
                kept.pop(next(iter(kept)))


def unsure() -> UnsureError:
    """The error after which an append is done with the head locked."""
    return UnsureError("The end of a case that was remembered no longer stands.", "Nothing was written; it is tried again.")
