"""The Merkle tree hash of RFC 6962, as small pure functions over a frontier.

A frontier is the list of roots of the complete subtrees that a log of some size splits into, largest first: 0 to 63
hashes for any log, so a root is computed in one pass and constant memory. Leaf and node have separate prefixes, so that
no node can be passed off as a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

__all__ = ["EMPTY_ROOT", "frontier_root", "full_root", "grow", "leaf_hash", "node_hash", "root", "row_above"]

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(data: bytes) -> bytes:
    """SHA-256 of 0x00 and a record's exact bytes: its name in the tree."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256 of 0x01 and two children."""
    return sha256(b"\x01" + left + right).digest()


def grow(frontier: list[bytes], size: int, leaf: bytes) -> None:
    """Adds a leaf to the frontier of a tree of ``size`` leaves, in place: each low 1 bit of the size is a merge."""
    while size & 1:
        leaf = node_hash(frontier.pop(), leaf)
        size >>= 1
    frontier.append(leaf)


def frontier_root(frontier: Iterable[bytes]) -> bytes:
    """The root over a frontier: the smaller subtrees fold into the larger from the right."""
    parts = list(frontier)
    if not parts:
        return EMPTY_ROOT
    result = parts.pop()
    while parts:
        result = node_hash(parts.pop(), result)
    return result


def row_above(hashes: Sequence[bytes]) -> list[bytes]:
    """The hashes of the next level: one of each two, left to right; a last one without a partner has none."""
    left = iter(hashes)
    return [sha256(b"\x01" + one + other).digest() for one, other in zip(left, left, strict=False)]


def full_root(hashes: Sequence[bytes]) -> bytes:
    """The root over as many hashes as a power of two, a level at a time."""
    while len(hashes) > 1:
        hashes = row_above(hashes)
    return hashes[0]


def root(leaves: Iterable[bytes]) -> bytes:
    """The Merkle tree hash of a sequence of leaf hashes."""
    frontier: list[bytes] = []
    for size, leaf in enumerate(leaves):
        grow(frontier, size, leaf)
    return frontier_root(frontier)
