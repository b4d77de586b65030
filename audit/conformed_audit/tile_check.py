"""The tree of a log, grown record by record, and the kept tiles held against it as each becomes full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformed_audit.finding import Bad, Classification
from conformed_audit.merkle import frontier_root, grow, node_hash

__all__ = ["TileCheck"]

_HEIGHT = 8
_LAST = (1 << _HEIGHT) - 1


class TileCheck:
    """Grows the frontier; the root of each full tile falls out of that, so that checking tiles costs a comparison.

    Args:
        tile: hashes and root of a kept tile by level and number, None where it is not kept; None for a format without tiles.
    """

    def __init__(self, tile: Callable[[int, int], tuple[Any, Any] | None] | None) -> None:
        self.frontier: list[bytes] = []
        self.size = 0
        self.tiles = 0
        """Full tiles so far."""
        self._tile = tile
        self._rows = [bytearray()]

    @property
    def root(self) -> bytes:
        """Root over all leaves so far."""
        return frontier_root(self.frontier)

    def add(self, leaf: bytes) -> Bad | None:
        """Takes a leaf in, and compares the tiles that it makes full."""
        size = self.size
        self.size = size + 1
        if self._tile is None:
            grow(self.frontier, size, leaf)
            return None
        self._rows[0] += leaf
        if size & _LAST == _LAST:
            return self._full(leaf, size)
        grow(self.frontier, size, leaf)
        return None

    def _full(self, node: bytes, count: int) -> Bad | None:
        """Compares the tiles that a leaf makes full, lowest first, and puts their roots into the level above."""
        level, bad = 0, None
        while count & _LAST == _LAST:
            for _ in range(_HEIGHT):
                node = node_hash(self.frontier.pop(), node)
            bad = bad or self._compare(level, count >> _HEIGHT, self._rows[level], node)
            self._rows[level].clear()
            level, count = level + 1, count >> _HEIGHT
            if level == len(self._rows):
                self._rows.append(bytearray())
            self._rows[level] += node
        grow(self.frontier, count, node)
        return bad

    def _compare(self, level: int, n: int, row: bytearray, root: bytes) -> Bad | None:
        self.tiles += 1
        assert self._tile is not None
        kept = self._tile(level, n)
        if kept is None:
            return Bad("tile", f"tile {n} of level {level}", "none", Classification.TAMPERED)
        if kept[0] != row:
            return Bad("tile", f"the hashes of tile {n} of level {level}", "other hashes", Classification.TAMPERED)
        if kept[1] != root:
            found = kept[1].hex() if isinstance(kept[1], bytes) else str(kept[1])
            return Bad("tile.root", root.hex(), found, Classification.TAMPERED)
        return None
