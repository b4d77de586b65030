"""The tree in tiles: full rows of 256 hashes, kept once, so that a proof over ten million records reads a few rows.

Tile ``n`` of level ``L`` holds the tree's hashes of level ``8 * L`` with the indexes ``256 * n`` to ``256 * n + 255``
(tlog-tiles, height 8). Only full tiles are kept, each with its own root, which is one hash of the level above; the rest of
a level, fewer than 256 hashes, is read from the leaves or from those roots.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from conformed_audit.errors import TamperedError
from conformed_audit.merkle import root, row_above
from conformed_audit.tree import inclusion_path

__all__ = ["HASHES", "HASH_BYTES", "Tile", "TileSource", "TileTree", "full_tiles"]

HEIGHT = 8
HASHES = 1 << HEIGHT
"""Hashes in a full tile."""
HASH_BYTES = 32
"""Bytes of a hash."""
_KEPT = 64


class Tile(NamedTuple):
    """A full tile."""

    level: int
    """Level of the tile; its hashes are of level ``8 * level`` of the tree."""
    n: int
    """Number of the tile inside its level, from 0."""
    hashes: bytes
    """256 hashes, one after the other."""
    root: bytes
    """Root over them: hash ``n`` of level ``8 * (level + 1)`` of the tree."""


class TileSource(Protocol):
    """Where a log keeps its leaves and its full tiles."""

    def leaves(self, start: int, end: int) -> Sequence[bytes]:
        """Leaf hashes of the records ``start`` to ``end - 1``, as many as there are."""
        ...

    def tile(self, level: int, n: int) -> bytes | None:
        """The hashes of a full tile; None where it is not kept."""
        ...

    def tile_roots(self, level: int, start: int, end: int) -> Sequence[bytes]:
        """Roots of the full tiles ``start`` to ``end - 1`` of a level, as many as there are."""
        ...


def full_tiles(source: TileSource, size: int) -> list[Tile]:
    """The tiles that became full with the last of ``size`` leaves, lowest first: none, or one a level.

    The caller keeps each before it asks for the next size; a tile of a level above is made from the roots below it.

    Args:
        source: leaves and tiles, the last leaf included.
        size: number of leaves.

    Raises:
        TamperedError: when leaves or tiles are missing.
    """
    made: list[Tile] = []
    level, count = 0, size
    while count and count % HASHES == 0:
        n = count // HASHES - 1
        start, end = n * HASHES, (n + 1) * HASHES
        below = list(source.leaves(start, end)) if level == 0 else [*source.tile_roots(level - 1, start, end - 1), made[-1].root]
        if len(below) != HASHES:
            raise TamperedError(f"Tile {n} of level {level} has {len(below)} hashes below it, not {HASHES}.", "Verify the log.")
        made.append(Tile(level, n, b"".join(below), root(below)))
        level, count = level + 1, count // HASHES
    return made


class TileTree:
    """Roots of complete subtrees of the tree over a fixed number of leaves, read from tiles; for one reader.

    Args:
        source: leaves and full tiles.
        size: number of leaves.
        kept: how many tiles to hold in memory, each about 16 KiB with the hashes inside it.
    """

    def __init__(self, source: TileSource, size: int, *, kept: int = _KEPT) -> None:
        self.size = size
        self._source = source
        self._kept = kept
        self._rows: OrderedDict[tuple[int, int], list[list[bytes]]] = OrderedDict()
        self._edges: dict[int, bytes] = {}

    def __call__(self, level: int, index: int) -> bytes:
        """Root of the complete subtree ``index`` of a level of the tree.

        Raises:
            TamperedError: when leaves or tiles are missing.
        """
        tile_level, inside = divmod(level, HEIGHT)
        n, at = divmod(index << inside, HASHES)
        row = self._tile(tile_level, n)[inside]
        place = at >> inside
        if place >= len(row):
            raise TamperedError(f"The log has too few leaves for hash {index} of level {level}.", "Verify the log.")
        return row[place]

    def inclusion(self, index: int) -> tuple[bytes, ...]:
        """The audit path of a leaf (`conformed_audit.tree.inclusion_path`); the tree's right edge is worked out once.

        Raises:
            TamperedError: when leaves or tiles are missing.
            ValueError: when the tree has no such leaf.
        """
        return inclusion_path(self, index, self.size, self._edges)

    def _tile(self, level: int, n: int) -> list[list[bytes]]:
        """All hashes of a tile, full or not, a list a level, lowest first; hashes of incomplete subtrees are left out."""
        key = (level, n)
        rows = self._rows.get(key)
        if rows is not None:
            self._rows.move_to_end(key)
            return rows
        row = self._hashes(level, n)
        rows = [row]
        for _ in range(HEIGHT):
            row = row_above(row)
            rows.append(row)
        self._rows[key] = rows
        if len(self._rows) > self._kept:
            self._rows.popitem(last=False)
        return rows

    def _hashes(self, level: int, n: int) -> list[bytes]:
        start, end = n * HASHES, min((n + 1) * HASHES, self.size >> (HEIGHT * level))
        if end - start == HASHES:
            data = self._source.tile(level, n)
            if data is not None:
                if len(data) != HASHES * HASH_BYTES:
                    raise TamperedError(f"Tile {n} of level {level} has {len(data)} bytes.", "Verify the log.")
                return [data[i : i + HASH_BYTES] for i in range(0, len(data), HASH_BYTES)]
        return list(self._source.leaves(start, end) if level == 0 else self._source.tile_roots(level - 1, start, end))
