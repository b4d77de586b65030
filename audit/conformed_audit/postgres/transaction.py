"""One transaction of a log on PostgreSQL: what it locked and read at its start, and what it will write at its end.

Statements go in two bunches, each one message, so that an append takes two journeys to the server and the processor time of
two: under many writers that is what limits them. Values are quoted by the database's own library (`psycopg.ClientCursor`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from conformed_audit.closing import CLOSED, STILL_WRITTEN
from conformed_audit.errors import EpochClosedError, OriginError
from conformed_audit.log_store import UNPLACED, Event, Head, KeptBlob, Key, StateRow
from conformed_audit.postgres import sequencer
from conformed_audit.postgres.tiles import PostgresTiles
from conformed_audit.record import ZERO_LEAF
from conformed_audit.tiles import HASHES

__all__ = ["FIND", "Transaction", "merged"]

_SEED = "INSERT INTO case_state(case_id, state, cseq, head, contract) VALUES(%s, NULL, -1, %s, NULL) ON CONFLICT DO NOTHING"
_EPOCH = f"""
SELECT (SELECT value FROM audit_meta WHERE name = 'origin'),
EXISTS (SELECT FROM audit_event WHERE case_id = '_log' AND idem_key = '{CLOSED}' AND kind = 'log.epoch')
"""  # noqa: S608 - constants only
_LOCK = "SELECT cseq, head FROM case_state WHERE case_id = %s FOR UPDATE"
_TIME = "SELECT e.ts FROM case_state s JOIN audit_event e ON e.leaf = s.head WHERE s.case_id = %s"
FIND = """
SELECT cseq FROM audit_event WHERE (case_id, idem_key, kind) >= (%s, %s, %s) AND idem_key IS NOT NULL
AND (case_id, idem_key, kind) <= (%s, %s, %s) ORDER BY case_id, idem_key, kind LIMIT 1
"""
"""A record by its key, given twice. Written as an order, so that no plan, without statistics, reads all records of a case."""
_LAST = "SELECT l.idx, e.ts FROM audit_leaf l JOIN audit_event e USING (case_id, cseq) ORDER BY l.idx DESC LIMIT 1"
_EVENT = """
INSERT INTO audit_event(case_id, cseq, kind, ts, actor_id, idem_key, body, leaf, prev)
VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_LEAF = "INSERT INTO audit_leaf(idx, leaf, case_id, cseq) VALUES(%s, %s, %s, %s)"
_STATE = """
UPDATE case_state SET cseq = %s, head = %s, state = coalesce(%s, state), contract = coalesce(%s, contract) WHERE case_id = %s
"""
_BLOB = """
INSERT INTO blob("commit", salt, key_ref, nonce, ciphertext, bytes, media, erased_at)
VALUES(%s, %s, %s, %s, %s, %s, %s, NULL) ON CONFLICT DO NOTHING
"""
_ABSENT = -1


class Transaction:
    """A transaction that has begun.

    Args:
        connection: in no transaction.
        keys: the records that are about to be written.
        ordered: keep the sequencer's place until the end: everything committed is placed, then the new records are.
        name: the log, as messages name it.
        origin: whose log it was when it was opened.

    Raises:
        EpochClosedError: when the log takes no further record.
        OriginError: when another log is in its place by now.
        psycopg.Error: as it comes; see `conformed_audit.postgres.connect.translate`.
    """

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        keys: Sequence[Key],
        *,
        ordered: bool,
        name: str = "",
        origin: str | None = None,
    ) -> None:
        self._connection = connection
        self._name, self._origin = name, origin
        self._still = all(kind in STILL_WRITTEN for _, _, kind in keys)
        self._closed = False
        self._ordered = ordered
        self._heads: dict[str, Head] = {}
        self._before: dict[str, Head | None] = {}
        self._keys: dict[tuple[str, str, str], int] = {}
        self._events: list[tuple[int, Event]] = []
        self._moves: dict[str, StateRow] = {}
        self._last: list[str] = []
        self._next = UNPLACED
        self.blobs: list[KeptBlob] = []
        self.afterwards: list[tuple[str, tuple[Any, ...]]] = []
        """Statements that are sent after the records: erasure, which the database lets pass only then."""
        self.states: dict[str, StateRow] | None = None
        """Inside an ordered transaction: the heads of the moment for which places were given, and what it adds."""
        cases = sorted({case for case, _, _ in keys}, key=_order)
        if ordered:
            sequencer.place(connection, wait=True)  # most of it outside the transaction, so that few locks are held for long
            connection.execute("BEGIN")
            sequencer.lock(connection, wait=True)
            self._lock(cases, keys)
            self._order_all()
        else:
            self._lock(cases, keys, first=[("BEGIN", ())])

    def start(self) -> tuple[int, str | None]:
        """Place of the next record, or `UNPLACED`; time of the last record: of the whole log, or of the cases at hand."""
        return self._next, max(self._last, default=None)

    def head(self, case: str) -> Head | None:
        """The head of a case, locked."""
        if case not in self._heads:
            self._lock((case,), ())
        head = self._heads[case]
        return None if head.cseq < 0 else head

    def known(self, key: tuple[str, str, str]) -> int | None:
        """Number of the record with a key, -1 where there is none; None where the key was not announced."""
        return self._keys.get(key)

    def add_event(self, idx: int, event: Event) -> None:
        """Adds a record."""
        self._events.append((idx, event))
        case, cseq, kind, _, _, idem, _, leaf, _ = event
        self._heads[case] = Head(cseq, leaf)
        if idem is not None:
            self._keys[case, idem, str(kind)] = cseq

    def set_state(self, row: StateRow) -> None:
        """Moves the projection of a case."""
        self._moves[row.case] = merged(self._moves.get(row.case), row)
        if self.states is not None:
            self.states[row.case] = merged(self.states.get(row.case), row)

    def flush(self) -> None:
        """Sends what is to be written, where more must follow before the commit.

        Raises:
            EpochClosedError: for content that a closed log is given.
        """
        if self._closed and self.blobs:
            raise EpochClosedError(self._name)
        if not self._ordered:
            return
        self._together(self._writes())
        tiles = PostgresTiles(self._rows)
        for idx, _ in self._events:
            if (idx + 1) % HASHES == 0:
                tiles.complete(idx + 1)

    def commit(self) -> None:
        """Sends what is to be written, and commits."""
        self._together([*(() if self._ordered else self._writes()), ("COMMIT", ())])

    def ends(self) -> list[tuple[str, Head | None, Head, str]]:
        """Of each case that was written to: its end before and after, and the time of its last record."""
        times = {event[0]: event[3] for _, event in self._events}
        return [(case, self._before[case], self._heads[case], ts) for case, ts in times.items()]

    def _lock(self, cases: Sequence[str], keys: Sequence[Key], *, first: Sequence[tuple[str, tuple[Any, ...]]] = ()) -> None:
        """Locks heads, and reads what they and the keys hold; where a case is new, its head row is made in a second message.

        Args:
            cases: whose heads.
            keys: of the records that are about to be written.
            first: statements without rows that are sent before, in the same message.
        """
        wanted = list(dict.fromkeys((case, idem, str(kind)) for case, idem, kind in keys if idem is not None))
        ask = [part for case in cases for part in ((_LOCK, (case,)), (_TIME, (case,)))] + [(FIND, key * 2) for key in wanted]
        found = iter(self._together([*first, *ask, (_EPOCH, ())])[len(first) :])
        new = []
        for case in cases:
            head, times = next(found), next(found)
            if head:
                self._heads[case] = Head(*head[0])
                self._before[case] = self._heads[case]
                self._last.extend(ts for (ts,) in times)
            else:
                new.append(case)
        for key in wanted:
            row = next(found)
            self._keys[key] = int(row[0][0]) if row else _ABSENT
        self._goes_on(*next(found)[0])
        if new:  # the row exists before the first record, so that two first records wait for each other
            self._lock(new, [key for key in keys if key[0] in new], first=[(_SEED, (case, ZERO_LEAF)) for case in new])

    def _goes_on(self, origin: str | None, closed: bool) -> None:  # noqa: FBT001 - a row
        """Refuses to write into a log that is closed, or that follows the one which was opened."""
        self._closed = closed
        if closed and not self._still:
            raise EpochClosedError(self._name)
        if self._origin is not None and origin != self._origin:
            raise OriginError(f"The log {self._name} has begun a new epoch since it was opened.", "Open it again.")

    def _order_all(self) -> None:
        self.states = {row[0]: StateRow(*row) for row in sequencer.place_all(self._connection)}
        row = self._connection.execute(_LAST).fetchone()
        self._next = 0 if row is None else int(row[0]) + 1
        self._last = [] if row is None else [row[1]]

    def _writes(self) -> list[tuple[str, tuple[Any, ...]]]:
        writes: list[tuple[str, tuple[Any, ...]]] = [(_BLOB, tuple(blob)) for blob in self.blobs]
        for idx, event in self._events:
            writes.append((_EVENT, event))
            if self._ordered:
                writes.append((_LEAF, (idx, event[7], event[0], event[1])))
        moves = sorted(self._moves.values(), key=lambda row: row.case)
        writes += [(_STATE, (row.cseq, row.head, row.state, row.contract, row.case)) for row in moves]
        return writes + self.afterwards

    def _together(self, statements: Sequence[tuple[str, tuple[Any, ...]]]) -> list[list[tuple[Any, ...]]]:
        """Carries out statements in one message and gives the rows of each."""
        if not statements:
            return []
        cursor = psycopg.ClientCursor(self._connection)
        query = ";".join(statement for statement, _ in statements)
        cursor.execute(query.encode(), [value for _, values in statements for value in values])
        rows = [cursor.fetchall() if cursor.description else []]
        while cursor.nextset():
            rows.append(cursor.fetchall() if cursor.description else [])
        return rows

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(query.encode(), values)
        return cursor.fetchall() if cursor.description else []


def _order(case: str) -> tuple[bool, str]:
    """In which order heads are locked: the log's own cases last, since a stepped clock adds to one of them at any time."""
    return case.startswith("_"), case


def merged(before: StateRow | None, row: StateRow) -> StateRow:
    """What the projection has after two moves; None leaves state or contract as they were."""
    if before is None:
        return row
    return row._replace(
        state=before.state if row.state is None else row.state,
        contract=before.contract if row.contract is None else row.contract,
    )
