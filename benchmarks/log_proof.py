"""Inclusion proofs, row G6: making and checking them, against pymerkle in memory, in one run.

    python benchmarks/log_proof.py [--quick]

proof    a proof of a record at random, processor time: this package's tree over tiles that are already in memory, against
         pymerkle's InmemoryTree, which holds every node. Both give the same root.
cold     the same with nothing in memory: the tiles that the proof needs are read and worked out
check    checking a proof; and its size

pymerkle is here as a measure only: its licence keeps it out of the product.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from table_row import Row

from conformed_audit.merkle import leaf_hash
from conformed_audit.tiles import Tile, TileTree, full_tiles
from conformed_audit.tree import included, root_at

ROUNDS = 5
LEAVES = 100_000


class Memory:
    """Leaves and full tiles in memory."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self._leaves: Sequence[bytes] = ()
        self._tiles: dict[tuple[int, int], Tile] = {}
        self._leaves = leaves
        for size in range(256, len(leaves) + 1, 256):
            self._tiles.update({(tile.level, tile.n): tile for tile in full_tiles(self, size)})

    def leaves(self, start: int, end: int) -> Sequence[bytes]:
        """Leaf hashes."""
        return self._leaves[start:end]

    def tile(self, level: int, n: int) -> bytes | None:
        """The hashes of a full tile."""
        tile = self._tiles.get((level, n))
        return None if tile is None else tile.hashes

    def tile_roots(self, level: int, start: int, end: int) -> Sequence[bytes]:
        """Roots of full tiles."""
        return [self._tiles[level, n].root for n in range(start, end) if (level, n) in self._tiles]


def measure(jobs: dict[str, tuple[Callable[[int], Any], Sequence[int]]]) -> dict[str, float]:
    """Median microseconds of processor time of one call, the jobs taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, (job, places) in jobs.items():
            started = time.process_time()
            for place in places:
                job(place)
            taken[name].append((time.process_time() - started) / len(places) * 1e6)
    return {name: statistics.median(each) for name, each in taken.items()}


def rows(*, quick: bool = False) -> list[Row]:
    """Row G6.

    Args:
        quick: a tree of a tenth of the size.
    """
    from pymerkle import InmemoryTree  # type: ignore[import-untyped]

    count = LEAVES // 10 if quick else LEAVES
    data = [str(number).encode() for number in range(count)]
    theirs = InmemoryTree(algorithm="sha256")
    for one in data:
        theirs.append_entry(one)
    source = Memory([leaf_hash(one) for one in data])
    ours = TileTree(source, count, kept=count // 256 + 8)
    root = root_at(ours, count)
    assert root == theirs.get_root(count), "the roots differ"
    places = random.Random(7).sample(range(count), 1_000)
    paths = {place: ours.inclusion(place) for place in places}
    for place in range(0, count, 256):
        ours.inclusion(place)
    leaves = source.leaves(0, count)
    taken = measure({
        "ours": (ours.inclusion, places),
        "theirs": (lambda place: theirs.prove_inclusion(place + 1, count), places[:200]),
        "check": (lambda place: included(leaves[place], place, count, paths[place], root), places),
        "cold": (lambda place: TileTree(source, count).inclusion(place), places[:50]),
    })  # fmt: skip
    assert all(included(leaves[place], place, count, path, root) for place, path in paths.items())
    size = statistics.mean(32 * len(path) for path in paths.values())
    part = taken["ours"] / taken["theirs"]
    return [
        Row(
            "G6",
            f"inclusion proof at {count:,} leaves, tiles in memory, processor time; pymerkle in memory {taken['theirs']:.0f} us",
            f"{part:.2f} of pymerkle's: {taken['ours']:.1f} us ({taken['cold']:.0f} us with no tile in memory), "
            f"check {taken['check']:.1f} us, {size:.0f} bytes; roots equal",
            "<= 1/3 of pymerkle's; roots equal",
            part <= 1 / 3,
        )
    ]


def main() -> int:
    """Prints the row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the leaves")
    for row in rows(quick=parser.parse_args().quick):
        print(f"{row.row:4} {row.metric}\n     {row.measured} (goal {row.goal}){'' if row.reached else ' MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
