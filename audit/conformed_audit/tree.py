"""Proofs over the tree of RFC 6962: that a record is in it (2.1.1), and that a later tree begins with an earlier one (2.1.2).

Making a proof asks for roots of complete subtrees only, by level and index, so that it needs no more of a log than what it
names. Checking a proof needs nothing but the proof, and answers False for whatever does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformed_audit.merkle import EMPTY_ROOT, frontier_root, node_hash

__all__ = ["Nodes", "consistency_path", "consistent", "included", "inclusion_path", "root_at"]

Nodes = Callable[[int, int], bytes]
"""Root of a complete subtree: ``nodes(level, index)`` covers the leaves ``index * 2**level`` to ``(index + 1) * 2**level - 1``;
level 0 are the leaf hashes."""


def root_at(nodes: Nodes, size: int) -> bytes:
    """The root of the tree over the first ``size`` leaves.

    Args:
        nodes: roots of complete subtrees.
        size: number of leaves, 0 or more.
    """
    return _range(nodes, 0, size) if size else EMPTY_ROOT


def inclusion_path(nodes: Nodes, index: int, size: int, edges: dict[int, bytes] | None = None) -> tuple[bytes, ...]:
    """The audit path of a leaf, from the leaf's side upwards (RFC 6962, 2.1.1).

    Args:
        nodes: roots of complete subtrees.
        index: position of the leaf, from 0.
        size: number of leaves of the tree.
        edges: for many paths of one tree: roots from a leaf to the tree's end, by that leaf, which this fills and reads.

    Raises:
        ValueError: when the tree has no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"A tree of {size} leaves has no leaf {index}.")
    path: list[bytes] = []
    start, end = 0, size
    while (count := end - start) & (count - 1):  # down the right edge, until the subtree is complete
        middle = start + _split(count)
        if index < middle:
            path.append(_edge(nodes, middle, size, edges))
            end = middle
        else:
            path.append(nodes(_split(count).bit_length() - 1, start // _split(count)))
            start = middle
    height = count.bit_length() - 1
    path.extend(nodes(level, (index >> level) ^ 1) for level in range(height - 1, -1, -1))
    path.reverse()
    return tuple(path)


def consistency_path(nodes: Nodes, first: int, second: int) -> tuple[bytes, ...]:
    """The proof that a tree of ``second`` leaves begins with the one of ``first`` leaves (RFC 6962, 2.1.2).

    Args:
        nodes: roots of complete subtrees of the later tree.
        first: size of the earlier tree; 0 and equal sizes need no hashes.
        second: size of the later tree.

    Raises:
        ValueError: when the earlier tree is the larger one, or a size is negative.
    """
    if not 0 <= first <= second:
        raise ValueError(f"A tree of {second} leaves cannot begin with one of {first}.")
    if first in {0, second}:
        return ()
    path: list[bytes] = []
    start, end, whole = 0, second, True
    while first != end:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_range(nodes, middle, end))
            end = middle
        else:
            path.append(_range(nodes, start, middle))
            start, whole = middle, False
    if not whole:  # the earlier root is known to whoever checks, a part of it is not
        path.append(_range(nodes, start, end))
    return tuple(reversed(path))


def included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether an audit path shows that a leaf stands at a position of the tree with that root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and found == root


def consistent(first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether a proof shows that the later tree begins with the earlier one (RFC 9162, 2.1.4.2)."""
    if not 0 <= first <= second:
        return False
    if first == 0:
        return not path and first_root == EMPTY_ROOT and (second > 0 or second_root == EMPTY_ROOT)
    if first == second:
        return not path and first_root == second_root
    hashes = [first_root, *path] if first & (first - 1) == 0 else list(path)
    if not hashes:
        return False
    node, last = first - 1, second - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _split(count: int) -> int:
    """The largest power of two below a count of two or more."""
    return 1 << ((count - 1).bit_length() - 1)


def _edge(nodes: Nodes, start: int, size: int, edges: dict[int, bytes] | None) -> bytes:
    """Root over the leaves from ``start`` to the end of the tree."""
    if edges is None:
        return _range(nodes, start, size)
    found = edges.get(start)
    if found is None:
        found = edges[start] = _range(nodes, start, size)
    return found


def _range(nodes: Nodes, start: int, end: int) -> bytes:
    """Root over the leaves from ``start`` to before ``end``; ``start`` is a multiple of the power of two that holds them."""
    parts: list[bytes] = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append(nodes(level, start >> level))
        start += 1 << level
    return frontier_root(parts)
