"""A log in a SQLite file, for verification: read only, in one transaction, text as bytes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from conformed_audit import schema
from conformed_audit.checkpoint_check import Stored
from conformed_audit.checks import text
from conformed_audit.finding import Bad, Classification, stop_at

__all__ = ["SqliteSource"]

_RECORDS = """
SELECT l.idx, l.leaf, l.case_id, l.cseq, e.case_id, e.cseq, e.kind, e.ts, e.actor_id, e.idem_key, e.body, e.leaf, e.prev
FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq ORDER BY l.idx
"""
_UNPLACED = """
SELECT e.case_id, e.cseq FROM audit_event e LEFT JOIN audit_leaf l ON l.leaf = e.leaf
WHERE l.idx IS NULL ORDER BY e.case_id, e.cseq LIMIT 1
"""
_STATES = "SELECT case_id, state, cseq, head, contract FROM case_state ORDER BY case_id"
_BLOBS = """
SELECT b."commit", b.salt, b.ciphertext, b.bytes, b.erased_at, b.key_ref, b.nonce, k.wrapped_key
FROM blob b LEFT JOIN data_key k ON k.key_ref = b.key_ref ORDER BY b."commit"
"""
_CHECKPOINTS = "SELECT size, root, heads_root, note FROM audit_checkpoint ORDER BY size"
_SAID = "SELECT line FROM audit_cosig WHERE size = ? ORDER BY witness"


class SqliteSource:
    """Reads a connection that is inside a transaction.

    Args:
        connection: of the log; its text factory is set to bytes.

    Raises:
        Stop: when it is no log of a format that is known.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.text_factory = bytes
        marks, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        if marks != schema.APPLICATION_ID:
            stop_at(Bad("format", "a log", "a file of another kind", Classification.UNREADABLE))
        if not 1 <= version <= schema.SCHEMA_VERSION:
            stop_at(Bad("format", f"version 1 to {schema.SCHEMA_VERSION}", f"version {version}", Classification.UNREADABLE))
        self._version = int(version)
        self.has_tiles = self._version > 1

    def altered(self) -> Bad | None:
        """Whether the tables and their guards are not those that were made."""
        digest, whole = schema.schema_digest(self._connection), schema.expected_digest(self._version)
        return Bad("schema", whole, digest, Classification.TAMPERED) if digest != whole else None

    def origin(self) -> str:
        """The deployment whose log it says it is."""
        row = self._connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
        return text(row[0]) if row else ""

    def records(self) -> Iterable[tuple[Any, ...]]:
        """Records by place."""
        return self._connection.execute(_RECORDS)

    def unplaced(self) -> Iterable[tuple[Any, Any]]:
        """The first record without a place."""
        return self._connection.execute(_UNPLACED)

    def late(self) -> Iterable[tuple[Any, ...]]:
        """None: a place comes with the record."""
        return ()

    def states(self) -> Iterable[tuple[Any, ...]]:
        """The projection."""
        return self._connection.execute(_STATES)

    def blobs(self) -> Iterable[tuple[Any, ...]]:
        """Blobs."""
        return self._connection.execute(_BLOBS)

    def tile(self, level: int, n: int) -> tuple[Any, Any] | None:
        """A kept tile."""
        row: tuple[Any, Any] | None = self._connection.execute(
            "SELECT hashes, root FROM audit_tile WHERE level = ? AND n = ?", (level, n)
        ).fetchone()
        return row

    def tiles(self) -> int:
        """How many tiles are kept."""
        return int(self._connection.execute("SELECT count(*) FROM audit_tile").fetchone()[0])

    def checkpoints(self) -> Iterator[Stored]:
        """Its own checkpoints, smallest first."""
        for size, root, heads_root, note in self._connection.execute(_CHECKPOINTS):
            said = tuple(text(line) for (line,) in self._connection.execute(_SAID, (size,)))
            yield Stored(size, root, heads_root, text(note), said)

    def key_rows(self) -> Iterable[tuple[Any, Any]]:
        """Its table of keys."""
        return self._connection.execute("SELECT vkey, from_size FROM audit_key ORDER BY from_size, vkey")
