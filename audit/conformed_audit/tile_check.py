"""The tree of a log, grown record by record, and the kept tiles held against it as each becomes full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformed_audit.finding import Bad, Classification
from conformed_audit.merkle import frontier_root, full_root, grow, node_hash

__all__ = ["TileCheck"]

_HEIGHT = 8
_LAST = (1 << _HEIGHT) - 1


class TileCheck:
    """Grows the frontier; the root of each full tile falls out of that, so that checking tiles costs a comparison.

    Args:
        tile: hashes and root of a kept tile by level and number, None where it is not kept; None for a format without tiles.
    """

    def __init__(self, tile: Callable[[int, int], tuple[Any, Any] | None] | None) -> None:
        self._frontier: list[bytes] = []
        self.size = 0
        self.tiles = 0
        """Full tiles so far."""
        self._tile = tile
        self._rows = [bytearray()]
        self._new: list[bytes] = []
        """Leaves that the frontier does not hold yet: it is grown when a root is asked for, and at the end of each tile."""

    @property
    def root(self) -> bytes:
        """Root over all leaves so far."""
        self._catch_up()
        return frontier_root(self._frontier)

    def add(self, leaf: bytes) -> Bad | None:
        """Takes a leaf in, and compares the tiles that it makes full."""
        self._new.append(leaf)
        self.size = size = self.size + 1
        return None if size & _LAST else self._end_tile()

    def _catch_up(self) -> None:
        size = self.size - len(self._new)
        for leaf in self._new:
            grow(self._frontier, size, leaf)
            size += 1
        if self._tile is not None:
            self._rows[0] += b"".join(self._new)
        self._new.clear()

    def _end_tile(self) -> Bad | None:
        if self._tile is None:
            self._catch_up()
            return None
        if len(self._new) <= _LAST:  # a root was asked for inside this tile
            last = self._new.pop()
            self.size -= 1
            self._catch_up()
            self.size += 1
            self._rows[0] += last
            for _ in range(_HEIGHT):
                last = node_hash(self._frontier.pop(), last)
        else:
            self._rows[0] += b"".join(self._new)
            last = full_root(self._new)
            self._new.clear()
        return self._full(last, self.size - 1)

    def _full(self, node: bytes, count: int) -> Bad | None:
        """Compares a tile that became full, and those that its root makes full, lowest first.

        Args:
            node: the root of the lowest.
            count: number of its last hash.
        """
        level, bad = 0, None
        while True:
            bad = bad or self._compare(level, count >> _HEIGHT, self._rows[level], node)
            self._rows[level].clear()
            level, count = level + 1, count >> _HEIGHT
            if level == len(self._rows):
                self._rows.append(bytearray())
            self._rows[level] += node
            if count & _LAST != _LAST:
                break
            for _ in range(_HEIGHT):
                node = node_hash(self._frontier.pop(), node)
        grow(self._frontier, count, node)
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
