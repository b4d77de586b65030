"""From the tree to objects of the algebra, node by node, from its own classes. No text is ever given to its parser."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

__all__ = ["UnclearError", "built", "symbol"]

_CALLS = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "cot": sympy.cot, "sec": sympy.sec, "csc": sympy.csc, "asin": sympy.asin,
    "acos": sympy.acos, "atan": sympy.atan, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "exp": sympy.exp,
    "ln": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs, "factorial": sympy.factorial, "binomial": sympy.binomial,
}  # fmt: skip
_CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I}
_LOG_BASE = sympy.Symbol("log base", positive=True)


class UnclearError(Exception):
    """The tree has two readings that the assumptions do not settle."""


def symbol(name: str, assumed: Mapping[str, str]) -> Any:
    """The letter under its assumption; real where none is stated."""
    return sympy.Symbol(name, **{assumed.get(name, "real"): True})


def built(node: list[Any], assumed: Mapping[str, str]) -> Any:
    """The tree as an expression of the algebra.

    Args:
        node: kind, text, value, parts.
        assumed: assumption by letter.

    Raises:
        UnclearError: for an odd root of something whose sign is not known.
    """
    kind, text, value, parts = node
    if kind == "num":
        fraction = Fraction(value)
        return sympy.Rational(fraction.numerator, fraction.denominator)
    if kind == "name":
        return symbol(text, assumed)
    if kind == "const":
        return _CONSTANTS[text]
    made = [built(part, assumed) for part in parts]
    if kind == "add":
        return sympy.Add(*made)
    if kind == "mul":
        return sympy.Mul(*made)
    if kind == "div":
        return sympy.Mul(made[0], sympy.Pow(made[1], -1))
    if kind == "degree":
        return sympy.Mul(made[0], sympy.pi, sympy.Rational(1, 180))
    if kind == "pow":
        return _power(made[0], made[1])
    if text == "root":
        return _root(made[0], int(made[1]))
    if text == "log":  # without a base it is in use for 10 and for e: some base, but one and the same
        base = sympy.log(made[1]) if len(made) == 2 else _LOG_BASE
        return sympy.log(made[0]) / base
    return _CALLS[text](*made)


def _power(base: Any, exponent: Any) -> Any:
    if exponent.is_Rational and exponent.q % 2 and exponent.q > 1 and base.is_nonnegative is not True:
        raise UnclearError  # (-8)^(1/3) is -2 for one reader and a complex number for the other
    return sympy.Pow(base, exponent)


def _root(of: Any, index: int) -> Any:
    if index % 2 == 0 or of.is_nonnegative:
        return sympy.Pow(of, sympy.Rational(1, index))
    if of.is_negative:
        return -sympy.Pow(-of, sympy.Rational(1, index))
    raise UnclearError
