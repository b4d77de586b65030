"""The tree that a pass grows: roots at any moment, and kept tiles held against it, whenever roots are asked for."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_audit.merkle import full_root, root, row_above
from conformed_audit.tile_check import TileCheck
from conformed_audit.tiles import Tile, full_tiles

SIZE = 256 * 5 + 9
LEAVES = [sha256(str(number).encode()).digest() for number in range(SIZE)]


class Kept:
    """Leaves and tiles in memory."""

    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], Tile] = {}
        for size in range(256, SIZE + 1, 256):
            self.tiles.update({(tile.level, tile.n): tile for tile in full_tiles(self, size)})

    def leaves(self, start: int, end: int) -> list[bytes]:
        return LEAVES[start:end]

    def tile(self, level: int, n: int) -> bytes | None:
        tile = self.tiles.get((level, n))
        return None if tile is None else tile.hashes

    def tile_roots(self, level: int, start: int, end: int) -> list[bytes]:
        return [self.tiles[level, n].root for n in range(start, end) if (level, n) in self.tiles]

    def whole(self, level: int, n: int) -> tuple[Any, Any] | None:
        tile = self.tiles.get((level, n))
        return None if tile is None else (tile.hashes, tile.root)


KEPT = Kept()


def asked_often() -> list[int]:
    """Sizes at and beside the ends of tiles."""
    return [1, 2, 255, 256, 257, 300, 511, 512, 513, 767, 768, 1279, 1280, SIZE]


@given(st.sets(st.sampled_from(asked_often())), st.booleans())
@settings(deadline=None, max_examples=25)
def test_roots_are_right_whenever_they_are_asked_for(asked: set[int], tiled: bool) -> None:
    """Asking for a root in the middle of a tile, at its end, twice or never changes no later root and no comparison."""
    check = TileCheck(KEPT.whole if tiled else None)
    for size, leaf in enumerate(LEAVES, 1):
        assert check.add(leaf) is None
        if size in asked:
            assert check.root == check.root == root(LEAVES[:size])
    assert check.root == root(LEAVES)
    assert check.tiles == (5 if tiled else 0)


@pytest.mark.parametrize("asked", [set(), {300}, {511}, {256, 300, 511}])
@pytest.mark.parametrize(("part", "name"), [(0, "tile"), (1, "tile.root")])
def test_another_tile_is_found_whenever_roots_are_asked_for(asked: set[int], part: int, name: str) -> None:
    """A kept tile with other hashes or another root is found as it becomes full, whether or not a root was asked for inside it."""

    def other(level: int, n: int) -> tuple[Any, Any] | None:
        kept = KEPT.whole(level, n)
        return kept if kept is None or n != 1 else (bytes(8192), kept[1]) if part == 0 else (kept[0], bytes(32))

    check = TileCheck(other)
    for size, leaf in enumerate(LEAVES[:512], 1):
        bad = check.add(leaf)
        if size in asked:
            assert check.root == root(LEAVES[:size])
        assert (bad is not None) == (size == 512)
    assert bad is not None
    assert bad.check == name


def test_two_levels_of_tiles() -> None:
    """The tile above becomes full with the 65,536th leaf, and is compared with the roots below it."""
    seen: list[tuple[int, int]] = []

    leaf = LEAVES[0]
    below = full_root([leaf] * 256)
    kept = {0: (leaf * 256, below), 1: (below * 256, full_root([below] * 256))}

    def tile(level: int, n: int) -> tuple[bytes, bytes]:
        seen.append((level, n))
        return kept[level]

    check = TileCheck(tile)
    for _ in range(65_537):
        assert check.add(leaf) is None
    assert seen[-1] == (1, 0)
    assert len(seen) == 257
    assert check.root == root(leaf for _ in range(65_537))


def test_a_row_above_leaves_a_single_hash_out() -> None:
    """A hash without a partner has no parent yet; a full row ends in its root."""
    assert row_above(LEAVES[:5]) == row_above(LEAVES[:4])
    assert full_root(LEAVES[:256]) == root(LEAVES[:256])
