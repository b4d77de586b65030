"""The sequencer: gives committed records their places in the tree.

One at a time, by an advisory lock that ends with its transaction, so that a sequencer that is killed leaves whole batches and
nothing to clean up. What is to be placed is found by anti-join (heads of cases that the tree does not hold, and the records
of those cases that it does not hold), never by a number that a slow transaction could fall behind. Within a case the order
is that of its records; between cases it is by name.
"""

from __future__ import annotations

from typing import Any

import psycopg

from conformed_audit.postgres.tiles import PostgresTiles
from conformed_audit.tiles import HASHES

__all__ = ["BATCH", "PENDING", "lock", "place", "place_all"]

BATCH = 1024
"""Records that are placed in one transaction."""
_LOCK = int.from_bytes(b"seqlog\0\1", "big")
PENDING = """
SELECT e.case_id, e.cseq, e.leaf, e.body FROM case_state s
CROSS JOIN LATERAL (SELECT coalesce(max(l.cseq), -1) AS cseq FROM audit_leaf l WHERE l.case_id = s.case_id) placed
JOIN audit_event e ON e.case_id = s.case_id AND e.cseq > placed.cseq
WHERE NOT EXISTS (SELECT FROM audit_leaf l WHERE l.leaf = s.head)
ORDER BY e.case_id, e.cseq
"""
"""Records without a place, sorted by case and number."""
_PLACE = f"""
INSERT INTO audit_leaf(idx, leaf, case_id, cseq)
SELECT (SELECT coalesce(max(idx) + 1, 0) FROM audit_leaf) + row_number() OVER (ORDER BY case_id, cseq) - 1, leaf, case_id, cseq
FROM ({PENDING} LIMIT %s) pending ORDER BY case_id, cseq
"""  # noqa: S608 - constants only
_PLACE_ALL = f"""
WITH placed AS ({_PLACE.replace("LIMIT %s", "")})
SELECT case_id, state, cseq, head, contract FROM case_state WHERE cseq >= 0 ORDER BY case_id
"""  # noqa: S608 - constants only


def lock(connection: psycopg.Connection[Any], *, wait: bool) -> bool:
    """Takes the sequencer's place until the transaction ends; False when another has it and we do not wait."""
    if wait:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        return True
    row = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone()
    return row is not None and bool(row[0])


def place(connection: psycopg.Connection[Any], *, wait: bool, batch: int = BATCH) -> int:
    """Places what is committed, a batch a transaction.

    Args:
        connection: in no transaction, with the right to insert places.
        wait: for another sequencer; otherwise it is left to that one.
        batch: records a transaction.

    Returns:
        How many records got a place.
    """
    total = 0
    while True:
        with connection.transaction():
            if not lock(connection, wait=wait):
                return total
            size = _size(connection)
            placed = connection.execute(_PLACE, (batch,)).rowcount
            _complete(connection, size, size + placed)
        total += placed
        if placed < batch:
            return total


def place_all(connection: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    """Inside a transaction that holds the lock: places everything that is committed, and gives the heads of that very moment.

    One statement sees one moment, so that heads and places agree whatever others commit meanwhile.
    """
    size = _size(connection)
    states = connection.execute(_PLACE_ALL).fetchall()
    _complete(connection, size, _size(connection))
    return states


def _size(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT coalesce(max(idx) + 1, 0) FROM audit_leaf").fetchone()
    assert row is not None
    return int(row[0])


def _complete(connection: psycopg.Connection[Any], before: int, after: int) -> None:
    """Keeps the tiles that became full."""

    def run(query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        cursor = connection.execute(query.encode(), values)
        return cursor.fetchall() if cursor.description else []

    tiles = PostgresTiles(run)
    for size in range((before // HASHES + 1) * HASHES, after + 1, HASHES):
        tiles.complete(size)
