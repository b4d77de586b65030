"""Leaves and full tiles of a log on SQLite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformed_audit.tiles import HASHES, full_tiles

__all__ = ["TileTable"]


class TileTable:
    """What the tree asks for (`conformed_audit.tiles.TileSource`), and the keeping of tiles that became full.

    Args:
        run: carries out a statement with its values and gives the rows.
    """

    def __init__(self, run: Callable[[str, tuple[Any, ...]], Sequence[tuple[Any, ...]]]) -> None:
        self._run = run

    def leaves(self, start: int, end: int) -> Sequence[bytes]:
        """Leaf hashes of the records ``start`` to ``end - 1``."""
        rows = self._run("SELECT leaf FROM audit_leaf WHERE idx >= ? AND idx < ? ORDER BY idx", (start, end))
        return [row[0] for row in rows]

    def tile(self, level: int, n: int) -> bytes | None:
        """The hashes of a full tile."""
        rows = self._run("SELECT hashes FROM audit_tile WHERE level = ? AND n = ?", (level, n))
        return bytes(rows[0][0]) if rows else None

    def tile_roots(self, level: int, start: int, end: int) -> Sequence[bytes]:
        """Roots of the full tiles ``start`` to ``end - 1`` of a level."""
        query = "SELECT root FROM audit_tile WHERE level = ? AND n >= ? AND n < ? ORDER BY n"
        return [row[0] for row in self._run(query, (level, start, end))]

    def complete(self, size: int) -> None:
        """Keeps the tiles that became full with the last of ``size`` records."""
        if size % HASHES == 0:
            for row in full_tiles(self, size):
                self._run("INSERT INTO audit_tile VALUES(?,?,?,?)", tuple(row))
