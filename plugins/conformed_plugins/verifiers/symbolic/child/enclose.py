"""A certified value: an interval that surely holds what a tree is worth at a point. Two that do not meet prove a difference."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mpmath import iv  # type: ignore[import-untyped]

__all__ = ["apart"]

_BITS, _BITS_CONSTANT = 160, 1600
"""Working precision at a point, and where there is but one: more than the most digits that a number may have."""
_UNDEFINED = (
    ValueError,
    ZeroDivisionError,
    TypeError,
    KeyError,
    OverflowError,
    ArithmeticError,
    NotImplementedError,
    AttributeError,
)


def apart(one: list[Any], other: list[Any], point: Mapping[str, Fraction]) -> bool:
    """Whether two trees surely have different real values at a point. False says only that this is not certain."""
    iv.prec = _BITS if point else _BITS_CONSTANT
    try:
        first, second = _value(one, point), _value(other, point)
        return bool(first.b < second.a or second.b < first.a)
    except _UNDEFINED:  # a pole, a complex value or a function without intervals: nothing is certain here
        return False


def _value(node: list[Any], point: Mapping[str, Fraction]) -> Any:
    kind, text, value, parts = node
    if kind == "num":
        return _fraction(Fraction(value))
    if kind == "name":
        return _fraction(point[text])
    if kind == "const":
        return {"pi": iv.pi, "e": iv.e}[text] + 0
    if kind == "pow":
        return _power(parts[0], parts[1], point)
    made = [_value(part, point) for part in parts]
    if kind == "add":
        return sum(made[1:], made[0])
    if kind == "mul":
        product = made[0]
        for one in made[1:]:
            product = product * one
        return product
    if kind == "div":
        return made[0] / _nonzero(made[1])
    if kind == "degree":
        return made[0] * iv.pi / 180
    return _call(text, made, parts)


def _fraction(value: Fraction) -> Any:
    return iv.mpf(value.numerator) / iv.mpf(value.denominator)


def _nonzero(value: Any) -> Any:
    if value.a <= 0 <= value.b:
        raise ZeroDivisionError
    return value


def _positive(value: Any) -> Any:
    if not value.a > 0:
        raise ValueError
    return value


def _power(base: list[Any], exponent: list[Any], point: Mapping[str, Fraction]) -> Any:
    below = _value(base, point)
    if exponent[0] == "num":
        power = Fraction(exponent[2])
        if power.denominator == 1:
            whole = below ** abs(int(power))
            return whole if power >= 0 else 1 / _nonzero(whole)
    return iv.exp(iv.log(_positive(below)) * _value(exponent, point))


def _call(text: str, made: list[Any], parts: list[Any]) -> Any:
    x = made[0]
    if text == "sqrt":
        if not x.a >= 0:
            raise ValueError
        return iv.sqrt(x)
    if text == "root":
        index = int(Fraction(parts[1][2]))
        if index % 2 and x.b < 0:
            return -iv.exp(iv.log(-x) / index)
        return iv.exp(iv.log(_positive(x)) / index)
    if text == "abs":
        return x if x.a >= 0 else -x if x.b <= 0 else _raise()
    if text in ("exp", "sin", "cos"):
        return getattr(iv, text)(x)
    if text == "ln":
        return iv.log(_positive(x))
    if text == "log" and len(made) == 2:
        return iv.log(_positive(x)) / _nonzero(iv.log(_positive(made[1])))
    if text in ("tan", "sec"):
        return (iv.sin(x) if text == "tan" else iv.mpf(1)) / _nonzero(iv.cos(x))
    if text in ("cot", "csc"):
        return (iv.cos(x) if text == "cot" else iv.mpf(1)) / _nonzero(iv.sin(x))
    if text in ("sinh", "cosh", "tanh"):
        up, down = iv.exp(x), iv.exp(-x)
        return (up - down) / 2 if text == "sinh" else (up + down) / 2 if text == "cosh" else (up - down) / (up + down)
    return _raise()


def _raise() -> Any:
    raise ValueError
