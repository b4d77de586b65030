"""Rational functions decided exactly, without algebra: two of them are one where they agree on a grid larger than their degree.

Each is evaluated as a pair of whole numbers, above and below the line, never reduced. Above and below are polynomials then,
and a polynomial whose degree in each letter is at most d vanishes everywhere when it vanishes on d + 1 values of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

from conformed_plugins.verifiers.symbolic.tree import Node, add, mul, number

__all__ = ["degrees", "difference", "factor_between", "grid", "same", "value_at"]

_MOST_POINTS = 400
_MOST_DEGREE = 30
_MOST_BITS = 20_000
_WALKED = tuple(n // 2 if n % 2 == 0 else -(n // 2 + 1) for n in range(_MOST_DEGREE + 1))
"""0, -1, 1, -2, 2 ...: small numbers first."""

_Degrees = dict[str, tuple[int, int]]


class _TooLarge(Exception):  # noqa: N818 - never leaves this module
    """The whole numbers grew beyond use."""


def degrees(node: Node) -> _Degrees | None:
    """Bounds of the degree above and below the line in each letter; None where it is no rational function."""
    if node.kind == "num":
        return {}
    if node.kind == "name":
        return {node.text: (1, 0)}
    if node.kind == "pow":
        exponent = node.parts[1]
        found = degrees(node.parts[0])
        if found is None or exponent.kind != "num" or exponent.value.denominator != 1:
            return None
        times = int(abs(exponent.value))
        found = {name: (times * above, times * below) for name, (above, below) in found.items()}
        return found if exponent.value > 0 else {name: (below, above) for name, (above, below) in found.items()}
    if node.kind not in ("add", "mul", "div"):
        return None
    total: _Degrees | None = None
    for part in node.parts:
        one = degrees(part)
        if one is None:
            return None
        total = one if total is None else _joined(node.kind, total, one)
    return total


def _joined(kind: str, one: _Degrees, other: _Degrees) -> _Degrees:
    found = {}
    for name in one.keys() | other.keys():
        (a, b), (c, d) = one.get(name, (0, 0)), other.get(name, (0, 0))
        found[name] = (max(a + d, c + b), b + d) if kind == "add" else (a + c, b + d) if kind == "mul" else (a + d, b + c)
    return found


def _pair(node: Node, point: Mapping[str, int]) -> tuple[int, int]:
    if node.kind == "num":
        return node.value.numerator, node.value.denominator
    if node.kind == "name":
        return point[node.text], 1
    above, below = _pair(node.parts[0], point)
    if node.kind == "pow":
        power = int(node.parts[1].value)
        if max(above.bit_length(), below.bit_length()) * abs(power) > _MOST_BITS:
            raise _TooLarge
        raised = above ** abs(power), below ** abs(power)
        return raised if power >= 0 else (raised[1], raised[0])
    for part in node.parts[1:]:
        up, down = _pair(part, point)
        if node.kind == "add":
            above, below = (above + up, below) if below == down else (above * down + up * below, below * down)
        elif node.kind == "mul":
            above, below = above * up, below * down
        else:
            above, below = above * down, below * up
        if max(above.bit_length(), below.bit_length()) > _MOST_BITS:
            raise _TooLarge
    return above, below


def grid(names: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Every point with one more value of each letter than its degree."""
    for values in product(*(_WALKED[: degree + 1] for degree in names.values())):
        yield dict(zip(names, values, strict=True))


def same(one: Node, other: Node) -> bool | None:
    """Whether two rational functions are one; None where either is none, is too large, or is nowhere defined."""
    first, second = degrees(one), degrees(other)
    if first is None or second is None:
        return None
    crossed = {}
    for name in sorted(first.keys() | second.keys()):
        (a, b), (c, d) = first.get(name, (0, 0)), second.get(name, (0, 0))
        crossed[name] = max(a + d, c + b)
    points = 1
    for degree in crossed.values():
        points *= degree + 1
        if degree > _MOST_DEGREE or points > _MOST_POINTS:
            return None
    defined = [False, False]
    differs = False
    try:
        for point in grid(crossed):
            (up, down), (above, below) = _pair(one, point), _pair(other, point)
            defined = [defined[0] or down != 0, defined[1] or below != 0]
            differs = differs or up * below != above * down
            if differs and all(defined):
                return False
    except _TooLarge:
        return None
    return True if all(defined) and not differs else None


def value_at(node: Node, point: Mapping[str, int | Fraction]) -> Fraction | None:
    """The exact value of a rational function at a point; None where it has none or is none."""
    if degrees(node) is None:
        return None
    try:
        return _value(node, point)
    except (ZeroDivisionError, OverflowError, _TooLarge):
        return None


def _value(node: Node, point: Mapping[str, int | Fraction]) -> Fraction:
    if node.kind == "num":
        return node.value
    if node.kind == "name":
        return Fraction(point[node.text])
    found = _value(node.parts[0], point)
    if node.kind == "pow":
        power = int(node.parts[1].value)
        if max(found.numerator.bit_length(), found.denominator.bit_length()) * abs(power) > _MOST_BITS:
            raise _TooLarge
        return found**power
    for part in node.parts[1:]:
        value = _value(part, point)
        found = found + value if node.kind == "add" else found * value if node.kind == "mul" else found / value
    return found


def factor_between(one: Node, other: Node) -> Fraction | None:
    """The constant, not zero, by which the first rational function is a multiple of the second; None where there is none."""
    first, second = degrees(one), degrees(other)
    if first is None or second is None:
        return None
    names = dict.fromkeys(sorted(first.keys() | second.keys()), 3)
    if 4 ** len(names) > _MOST_POINTS:
        return None
    for point in grid(names):
        above, below = value_at(one, point), value_at(other, point)
        if above and below:
            factor = above / below
            return factor if same(one, mul(number(factor), other)) else None
    return None


def difference(one: Node, other: Node) -> Node:
    """One less the other."""
    return add(one, mul(number(-1), other))
