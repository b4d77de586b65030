"""Leaves and full tiles of a log on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from conformed_audit.tiles import HASHES, full_tiles

__all__ = ["TileTable"]


class TileTable:
    """What the tree asks for (`conformed_audit.tiles.TileSource`), and the keeping of tiles that became full.

    Args:
        connection: of the log.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def leaves(self, start: int, end: int) -> Sequence[bytes]:
        """Leaf hashes of the records ``start`` to ``end - 1``."""
        rows = self._connection.execute("SELECT leaf FROM audit_leaf WHERE idx >= ? AND idx < ? ORDER BY idx", (start, end))
        return [row[0] for row in rows]

    def tile(self, level: int, n: int) -> bytes | None:
        """The hashes of a full tile."""
        row = self._connection.execute("SELECT hashes FROM audit_tile WHERE level = ? AND n = ?", (level, n)).fetchone()
        return None if row is None else bytes(row[0])

    def tile_roots(self, level: int, start: int, end: int) -> Sequence[bytes]:
        """Roots of the full tiles ``start`` to ``end - 1`` of a level."""
        query = "SELECT root FROM audit_tile WHERE level = ? AND n >= ? AND n < ? ORDER BY n"
        return [row[0] for row in self._connection.execute(query, (level, start, end))]

    def complete(self, size: int) -> None:
        """Keeps the tiles that became full with the last of ``size`` records."""
        if size % HASHES == 0:
            self._connection.executemany("INSERT INTO audit_tile VALUES(?,?,?,?)", full_tiles(self, size))
