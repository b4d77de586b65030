"""Everything that a log keeps, table by table, read the same way from either database; and one digest over it.

Two logs with the same digest hold the same records in the same places, the same checkpoints and the same content, whatever
database they lie in: that is how a copy is held against what it was copied from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

__all__ = ["TABLES", "UNPLACED_RECORDS", "ContentDigest", "content_digest"]

TABLES: dict[str, str] = {
    "audit_meta": "SELECT name, value FROM audit_meta WHERE name IN ('made_at', 'origin') ORDER BY name",
    "audit_event": "SELECT e.case_id, e.cseq, e.kind, e.ts, e.actor_id, e.idem_key, e.body, e.leaf, e.prev FROM audit_leaf l "
    "JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq ORDER BY l.idx",
    "audit_leaf": "SELECT idx, leaf, case_id, cseq FROM audit_leaf ORDER BY idx",
    "audit_tile": "SELECT level, n, hashes, root FROM audit_tile ORDER BY level, n",
    "audit_checkpoint": "SELECT size, root, heads_root, note, made_at FROM audit_checkpoint ORDER BY size",
    "audit_cosig": "SELECT size, witness, line, got_at FROM audit_cosig ORDER BY size, witness",
    "audit_key": "SELECT key_id, vkey, from_size, to_size FROM audit_key ORDER BY key_id",
    "case_state": "SELECT case_id, state, cseq, head, contract FROM case_state WHERE cseq >= 0 ORDER BY case_id",
    "data_key": "SELECT key_ref, wrapped_key, destroyed_at FROM data_key ORDER BY key_ref",
    "blob": 'SELECT "commit", salt, key_ref, nonce, ciphertext, bytes, media, erased_at FROM blob ORDER BY "commit"',
}
"""Every table, in an order in which its rows can be added anywhere, with the query that gives them in such an order."""
UNPLACED_RECORDS = "SELECT (SELECT count(*) FROM audit_event) - (SELECT count(*) FROM audit_leaf)"
"""How many records have no place yet, and so are in no row of `TABLES`."""


class ContentDigest:
    """SHA-256 over tables and rows, each value with its type and length, so that no two contents give the same bytes."""

    def __init__(self) -> None:
        self._hash = sha256()

    def table(self, name: str) -> None:
        """The rows that follow are of this table."""
        self._hash.update(f"T{len(name)}:{name}".encode())

    def row(self, values: Iterable[Any]) -> None:
        """A row."""
        parts = [b"R"]
        for value in values:
            kind, plain = (
                (b"N", b"") if value is None
                else (b"B", bytes(value)) if isinstance(value, bytes | memoryview)
                else (b"I" if isinstance(value, int) else b"S", str(value).encode())
            )  # fmt: skip
            parts.append(b"%b%d:%b" % (kind, len(plain), plain))
        self._hash.update(b"".join(parts))

    def hexdigest(self) -> str:
        """64 hex digits."""
        return self._hash.hexdigest()


def content_digest(read: Callable[[str], Iterable[tuple[Any, ...]]]) -> str:
    """The digest over everything that a log keeps.

    Args:
        read: carries out one of the queries of `TABLES`, and gives its rows.
    """
    digest = ContentDigest()
    for table, query in TABLES.items():
        digest.table(table)
        for row in read(query):
            digest.row(row)
    return digest.hexdigest()
