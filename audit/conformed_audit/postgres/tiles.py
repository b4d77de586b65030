"""Leaves and full tiles of a log on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformed_audit.tiles import HASHES, full_tiles

__all__ = ["PostgresTiles"]

_LEAVES = "SELECT leaf FROM audit_leaf WHERE idx >= %s AND idx < %s ORDER BY idx"
_ROOTS = "SELECT root FROM audit_tile WHERE level = %s AND n >= %s AND n < %s ORDER BY n"


class PostgresTiles:
    """What the tree asks for (`conformed_audit.tiles.TileSource`), and the keeping of tiles that became full.

    Args:
        run: carries out a statement with its values and gives the rows.
    """

    def __init__(self, run: Callable[[str, tuple[Any, ...]], Sequence[tuple[Any, ...]]]) -> None:
        self._run = run

    def leaves(self, start: int, end: int) -> Sequence[bytes]:
        """Leaf hashes of the records ``start`` to ``end - 1``."""
        return [row[0] for row in self._run(_LEAVES, (start, end))]

    def tile(self, level: int, n: int) -> bytes | None:
        """The hashes of a full tile."""
        rows = self._run("SELECT hashes FROM audit_tile WHERE level = %s AND n = %s", (level, n))
        return bytes(rows[0][0]) if rows else None

    def tile_roots(self, level: int, start: int, end: int) -> Sequence[bytes]:
        """Roots of the full tiles ``start`` to ``end - 1`` of a level."""
        return [row[0] for row in self._run(_ROOTS, (level, start, end))]

    def complete(self, size: int) -> None:
        """Keeps the tiles that became full with the last of ``size`` records."""
        if size % HASHES == 0:
            for tile in full_tiles(self, size):
                self._run("INSERT INTO audit_tile(level, n, hashes, root) VALUES(%s, %s, %s, %s)", tuple(tile))
