"""The closed language of calculation traces, read and worked out in exact fractions, with limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from fractions import Fraction
from math import ceil, floor, trunc

__all__ = ["Refused", "worked"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,200}(?:\.[0-9]{1,200})?)(?![0-9A-Za-z_.])|(?P<name>[a-z][a-z0-9_]{0,99})(?![0-9A-Za-z_.])|(?P<sign>[-+*/(),]))",
    re.ASCII,
)
_ROUNDINGS = ("trunc", "round_up_half", "ceil_to")
_DEEPEST = 40


class Refused(ValueError):  # noqa: N818 - an answer about an expression, not a fault
    """Why an expression is not worked out.

    Args:
        code: reason code.
        wrong: whether that makes the answer wrong, and not only unread.
    """

    def __init__(self, code: str, *, wrong: bool = False) -> None:
        self.wrong = wrong
        super().__init__(code)


def worked(
    expression: str, values: Mapping[str, Fraction], constants: AbstractSet[Fraction], *, bits: int
) -> tuple[Fraction, frozenset[str]]:
    """The exact value of an expression and the names that stand in it.

    ``trunc(x, n)``, ``round_up_half(x, n)`` (halves away from zero) and ``ceil_to(x, n)`` round to n decimal places, n from 0 to 20
    written as a plain number. They mean what they mean in the traces of decision records.

    Args:
        expression: text in the closed language.
        values: values by name.
        constants: numbers that may be written out.
        bits: longest numerator or denominator.

    Raises:
        Refused: outside the language or its limits, unknown names and constants, division by zero.
    """
    reader = _Reader(_tokens(expression), values, constants, bits)
    value = reader.sum(0)
    if reader.at != len(reader.tokens):
        raise Refused("expression_refused")
    return value, frozenset(reader.used)


def _tokens(expression: str) -> list[tuple[str, str]]:
    tokens, at, end = [], 0, len(expression.rstrip())
    while at < end:
        match = _TOKEN.match(expression, at)
        if match is None or match.lastgroup is None:
            raise Refused("expression_refused")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


class _Reader:
    """Recursive descent: sums of products of signed atoms."""

    def __init__(
        self, tokens: list[tuple[str, str]], values: Mapping[str, Fraction], constants: AbstractSet[Fraction], bits: int
    ) -> None:
        self.tokens, self.at, self.used = tokens, 0, set[str]()
        self._values, self._constants, self._bits = values, constants, bits

    def sum(self, depth: int) -> Fraction:
        value = self._product(depth)
        while self._next("+", "-"):
            sign = self._take()
            other = self._product(depth)
            value = self._bounded(value + other if sign == "+" else value - other)
        return value

    def _product(self, depth: int) -> Fraction:
        value = self._signed(depth)
        while self._next("*", "/"):
            sign = self._take()
            other = self._signed(depth)
            if sign == "/" and other == 0:
                raise Refused("division_by_zero", wrong=True)
            value = self._bounded(value * other if sign == "*" else value / other)
        return value

    def _signed(self, depth: int) -> Fraction:
        if depth > _DEEPEST:
            raise Refused("expression_too_deep")
        if self._next("-"):
            self._take()
            return -self._signed(depth + 1)
        return self._atom(depth)

    def _atom(self, depth: int) -> Fraction:
        if self.at >= len(self.tokens):
            raise Refused("expression_refused")
        kind, text = self.tokens[self.at]
        self.at += 1
        if text == "(":
            value = self.sum(depth + 1)
            self._close()
            return value
        if kind == "number":
            if Fraction(text) not in self._constants:
                raise Refused("constant_not_given", wrong=True)
            return Fraction(text)
        if kind != "name":
            raise Refused("expression_refused")
        if self._next("("):
            return self._call(text, depth)
        if text not in self._values:
            raise Refused("name_unknown", wrong=True)
        self.used.add(text)
        return self._values[text]

    def _call(self, name: str, depth: int) -> Fraction:
        self._take()
        values = [self.sum(depth + 1)]
        if name in _ROUNDINGS:
            places = self._places()
            self._close()
            return _rounded(name, values[0], places)
        if name not in ("min", "max"):
            raise Refused("function_refused")
        while self._next(","):
            self._take()
            values.append(self.sum(depth + 1))
        self._close()
        if len(values) < 2:
            raise Refused("expression_refused")
        return min(values) if name == "min" else max(values)

    def _places(self) -> int:
        """The second argument of a rounding: how many decimal places."""
        if not self._next(","):
            raise Refused("expression_refused")
        self._take()
        kind, text = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        self.at += 1
        if kind != "number" or not text.isdecimal() or len(text) > 2 or int(text) > 20:
            raise Refused("expression_refused")
        return int(text)

    def _next(self, *signs: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "sign" and self.tokens[self.at][1] in signs

    def _take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _close(self) -> None:
        if not self._next(")"):
            raise Refused("expression_refused")
        self.at += 1

    def _bounded(self, value: Fraction) -> Fraction:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > self._bits:
            raise Refused("number_too_large")
        return value


def _rounded(name: str, value: Fraction, places: int) -> Fraction:
    scale = 10**places
    if name == "trunc":
        return Fraction(trunc(value * scale), scale)
    if name == "ceil_to":
        return Fraction(ceil(value * scale), scale)
    size = floor(abs(value) * scale + Fraction(1, 2))
    return Fraction(size if value >= 0 else -size, scale)
