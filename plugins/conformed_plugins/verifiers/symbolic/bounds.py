"""How large an expression may be before any algebra sees it; and its constant parts worked out exactly.

Towers of powers, factorials, products of many sums and deep nesting are refused here, in microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from conformed_plugins.verifiers.symbolic.tree import Node, RefusedError, number

__all__ = ["checked", "must_not_vanish"]

_MOST_BITS = 8192
_MOST_NODES = 400
_MOST_TERMS = 2000
_MOST_DEGREE = 200
_MOST_POWER = 1000
_MOST_ROOT = 50
_MOST_FACTORIAL = 300

_Measured = tuple[Node, "Fraction | None", int, int]
"""The tree with its constant parts as numbers, its value where constant, bounds of its degree and of its terms."""


def checked(node: Node) -> Node:
    """The expression with every part that is a rational constant as one number.

    Raises:
        RefusedError: where it is too large, divides by zero, or is undefined on its face.
    """
    if sum(1 for _ in node.walk()) > _MOST_NODES:
        raise RefusedError("too_long")
    return _measure(node)[0]


def _measure(node: Node) -> _Measured:
    if node.kind == "num":
        return node, _small(node.value), 0, 1
    if node.kind == "name":
        return node, None, 1, 1
    if node.kind == "const":
        if node.text == "infty":
            raise RefusedError("infinity")
        return node, None, 0, 1
    made = [_measure(part) for part in node.parts]
    parts = tuple(one[0] for one in made)
    values = [one[1] for one in made]
    value, degree, terms = _grown(node, made)
    if terms > _MOST_TERMS or degree > _MOST_DEGREE:
        raise RefusedError("expansion")
    if value is None and all(one is not None for one in values):
        value = _constant(node, [one for one in values if one is not None])
    if value is not None:
        return number(_small(value)), value, 0, 1
    _sane(node, values)
    return Node(node.kind, parts, node.text, node.value), None, degree, terms


def _grown(node: Node, made: list[_Measured]) -> tuple[Fraction | None, int, int]:
    """A power's value where it has a small one; bounds of degree and terms."""
    degrees, terms = [one[2] for one in made], [one[3] for one in made]
    if node.kind == "add":
        return None, max(degrees), sum(terms)
    if node.kind in ("mul", "div"):
        return None, sum(degrees), min(math.prod(terms), 10**6)
    if node.kind != "pow":
        return None, max(degrees), 1
    base, exponent = made[0][1], made[1][1]
    if exponent is None:
        return None, degrees[0] + degrees[1], 1
    if abs(exponent.numerator) > _MOST_POWER or exponent.denominator > _MOST_ROOT:
        raise RefusedError("power")
    if exponent == 0 and base is None:
        raise RefusedError("zero_power")  # one wherever the base is not zero, and nobody says where that is
    times = math.ceil(abs(exponent))
    if base is not None:
        if base == 0 and exponent <= 0:
            raise RefusedError("zero_denominator")
        if max(base.numerator.bit_length(), base.denominator.bit_length()) * times > _MOST_BITS:
            raise RefusedError("power")
        return (base ** int(exponent) if exponent.denominator == 1 else None), 0, 1
    return None, degrees[0] * times, min(terms[0] ** min(times, 40), 10**6) if terms[0] > 1 else 1


def _constant(node: Node, values: list[Fraction]) -> Fraction | None:
    """The rational value of a part all of whose own parts have one, where it has one."""
    if node.kind == "add":
        return sum(values, Fraction(0))
    if node.kind == "mul":
        return math.prod(values, start=Fraction(1))
    if node.kind == "div":
        if values[1] == 0:
            raise RefusedError("zero_denominator")
        return values[0] / values[1]
    if node.kind == "pow":
        return _exact_root(values[0], values[1].denominator, int(values[1].numerator)) if values[0] > 0 else None
    if node.kind != "call":
        return None
    return _called(node.text, values)


def _called(text: str, values: list[Fraction]) -> Fraction | None:
    first = values[0]
    if text == "abs":
        return abs(first)
    if text == "sqrt":
        return _exact_root(first, 2, 1)
    if text == "root":
        index = int(values[1])
        found = _exact_root(abs(first), index, 1)
        return None if found is None or (first < 0 and index % 2 == 0) else found if first >= 0 else -found
    if text == "factorial":
        if first.denominator != 1 or not 0 <= first <= _MOST_FACTORIAL:
            raise RefusedError("factorial")
        return Fraction(math.factorial(int(first)))
    if text == "binomial":
        if any(one.denominator != 1 or not 0 <= one <= _MOST_POWER for one in values):
            raise RefusedError("factorial")
        return Fraction(math.comb(int(first), int(values[1])))
    if (text in ("ln", "log") and first == 0) or (text == "log" and len(values) == 2 and values[1] in (0, 1)):
        raise RefusedError("undefined")
    return None


def _sane(node: Node, values: list[Fraction | None]) -> None:
    """Refuses what no assumption can save: a division by zero, a factorial of a letter."""
    if node.kind == "div" and values[1] == 0:
        raise RefusedError("zero_denominator")
    if node.kind == "call" and node.text in ("factorial", "binomial"):
        raise RefusedError("factorial")


def _exact_root(value: Fraction, index: int, power: int) -> Fraction | None:
    if value < 0:
        return None
    above, below = _whole_root(value.numerator, index), _whole_root(value.denominator, index)
    return None if above is None or below is None or (above == 0 and power < 0) else Fraction(above, below) ** power


def _whole_root(value: int, index: int) -> int | None:
    if index == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    low, high = 0, 1 << (value.bit_length() // index + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**index <= value else (low, middle - 1)
    return low if low**index == value else None


def _small(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise RefusedError("number_too_long")
    return value


def must_not_vanish(node: Node) -> tuple[Node, ...]:
    """Parts that may not be zero where the expression is to have a value: divisors, bases, arguments of logarithms, poles.

    Constants are left out: whether one is zero is found when it is built.
    """
    return tuple(dict.fromkeys(part for part in _critical(node) if part.names()))


def _critical(node: Node) -> Iterable[Node]:
    for part in node.walk():
        if part.kind == "div":
            yield part.parts[1]
        elif part.kind == "pow":
            exponent = part.parts[1]
            if exponent.kind != "num" or exponent.value <= 0:
                yield part.parts[0]
        elif part.kind == "call" and part.text in ("ln", "log"):
            yield from part.parts
        elif part.kind == "call" and part.text in ("tan", "sec"):
            yield Node("call", part.parts, "cos")
        elif part.kind == "call" and part.text in ("cot", "csc"):
            yield Node("call", part.parts, "sin")
