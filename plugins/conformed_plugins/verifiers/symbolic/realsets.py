"""Sets of real numbers with rational ends: intervals, points, their unions, and simple inequalities in one letter."""

from __future__ import annotations

from fractions import Fraction

from conformed_plugins.verifiers.symbolic.bounds import checked
from conformed_plugins.verifiers.symbolic.rational import degrees, difference, value_at
from conformed_plugins.verifiers.symbolic.tree import EXPRESSIONS, Node, RefusedError

__all__ = ["FLIPPED", "RealSet", "infinite", "real_set"]

_End = tuple[int, Fraction]
"""-1 for minus infinity, 0 with the number, 1 for infinity: ends compare as they lie on the line."""
_Piece = tuple[_End, bool, _End, bool]
"""Low end, whether it belongs, high end, whether it belongs."""
RealSet = tuple[_Piece, ...]
"""Pieces in order that neither meet nor touch: one writing for each set."""

_LOW, _HIGH = (-1, Fraction(0)), (1, Fraction(0))
_WHOLE: RealSet = ((_LOW, False, _HIGH, False),)
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
"""Comparisons as they read from the right."""


def infinite(node: Node) -> int:
    """1 for infinity, -1 for minus infinity, 0 for anything else."""
    if node.kind == "const" and node.text == "infty":
        return 1
    if node.kind == "mul" and len(node.parts) == 2 and node.parts[0].kind == "num" and node.parts[0].value == -1:
        return -infinite(node.parts[1])
    return 0


def real_set(node: Node) -> tuple[str, RealSet] | None:
    """The set that a node describes and the letter that it speaks of (empty for a bare set); None where it has no such form.

    Raises:
        RefusedError: for an interval that ends before it begins, or that includes infinity.
    """
    if node.kind == "all":
        return "", _WHOLE
    if node.kind == "empty":
        return "", ()
    if node.kind == "pair":
        piece = _piece(node)
        return None if piece is None else ("", (piece,))
    if node.kind == "set":
        points = [_end(part) for part in node.parts]
        return None if None in points else ("", _joined([(end, True, end, True) for end in points if end is not None]))
    if node.kind == "relation":
        return _related(node)
    if node.kind in ("union", "either"):
        found = [real_set(part) for part in node.parts]
        if any(one is None for one in found):
            return None
        names = {one[0] for one in found if one is not None}
        return (names.pop(), _joined([piece for one in found if one for piece in one[1]])) if len(names) == 1 else None
    return None


def _end(node: Node) -> _End | None:
    side = infinite(node)
    if side:
        return (side, Fraction(0))
    if node.kind not in EXPRESSIONS or node.has("degree") or node.has("pm"):
        return None
    folded = checked(node)
    return (0, folded.value) if folded.kind == "num" else None


def _piece(node: Node) -> _Piece | None:
    low, high = (_end(part) for part in node.parts)
    if low is None or high is None:
        return None
    left, right = node.text[0] == "[", node.text[1] == "]"
    if (
        (low[0] and left)
        or (high[0] and right)
        or low[0] > 0
        or high[0] < 0
        or low > high
        or (low == high and not (left and right))
    ):
        raise RefusedError("interval")
    return low, left, high, right


def _related(node: Node) -> tuple[str, RealSet] | None:
    if node.text == "in":
        inner = real_set(node.parts[1])
        return None if inner is None or inner[0] else (node.parts[0].text, inner[1])
    signs = node.text.split()
    if len(signs) == 2:
        first = real_set(Node("relation", node.parts[:2], signs[0]))
        second = real_set(Node("relation", node.parts[1:], signs[1]))
        if first is None or second is None or first[0] != second[0]:
            return None
        return first[0], _met(first[1], second[1])
    if any(part.kind not in EXPRESSIONS or part.has("pm") or part.has("const", "infty") for part in node.parts):
        return None
    gap = checked(difference(node.parts[0], node.parts[1]))
    found = degrees(gap)
    if found is None or len(found) != 1 or next(iter(found.values())) != (1, 0):
        return None
    name = next(iter(found))
    start, after = value_at(gap, {name: 0}), value_at(gap, {name: 1})
    if start is None or after is None or start == after:
        return None
    slope = after - start
    return name, _beyond(FLIPPED[signs[0]] if slope < 0 else signs[0], (0, -start / slope))


def _beyond(sign: str, end: _End) -> RealSet:
    if sign == "=":
        return ((end, True, end, True),)
    if sign == "!=":
        return (_LOW, False, end, False), (end, False, _HIGH, False)
    if sign[0] == "<":
        return ((_LOW, False, end, sign == "<="),)
    return ((end, sign == ">=", _HIGH, False),)


def _met(one: RealSet, other: RealSet) -> RealSet:
    """What belongs to both."""
    found = []
    for low, left, high, right in one:
        for low2, left2, high2, right2 in other:
            start = max((low, not left), (low2, not left2))
            end = min((high, right), (high2, right2))
            if start[0] < end[0] or (start[0] == end[0] and not start[1] and end[1]):
                found.append((start[0], not start[1], end[0], end[1]))
    return _joined(found)


def _joined(pieces: list[_Piece]) -> RealSet:
    """The same points as pieces that neither meet nor touch."""
    found: list[_Piece] = []
    for low, left, high, right in sorted(pieces, key=lambda piece: (piece[0], not piece[1])):
        if found:
            before = found[-1]
            if low < before[2] or (low == before[2] and (left or before[3])):
                end = max((before[2], before[3]), (high, right))
                found[-1] = (before[0], before[1], end[0], end[1])
                continue
        found.append((low, left, high, right))
    return tuple(found)
