"""The grammar of the closed expression language: from text to a small tree, or a refusal with its place.

Grammar, and nothing else::

    sum     = product { ("+" | "-") product }
    product = factor  { ("*" | "/") factor }
    factor  = "-" factor | number | name | function "(" sum { "," sum } ")" | "(" sum ")"

Functions: min and max of two or more; ``trunc(x, places)``, ``round_up_half(x, places)``, ``ceil_to(x, places)``. No
attribute, no power, no comparison, nothing that the language's own interpreter would run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.errors import RuleError

__all__ = ["FUNCTIONS", "Binary", "Call", "Name", "Negative", "Node", "Number", "parse"]

FUNCTIONS = ("min", "max", "trunc", "round_up_half", "ceil_to")
"""Every function of the language."""
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<mark><=|>=|==|[-+*/(),<>]))", re.ASCII)
_LONGEST = 2000
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written, exact."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """An input or an earlier step."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """Minus something."""

    of: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two parts and the sign between them: ``+ - * /``."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the list and its arguments; ``places`` of a rounding are the last argument."""

    function: str
    arguments: tuple[Node, ...]


Node = Number | Name | Negative | Binary | Call
"""A part of an expression."""


def _tokens(expression: str) -> list[tuple[str, str, int]]:
    if len(expression) > _LONGEST:
        raise RuleError(f"An expression of {len(expression)} characters is too long.", f"Keep it under {_LONGEST}.")
    found, at, text = [], 0, expression.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise RuleError(
                f"{expression!r} has {text[at:].strip()[:1]!r} at character {at + 1}, which the expression language does "
                f"not have."
            )
        found.append((match.lastgroup or "", match[match.lastgroup or 0], match.start(match.lastgroup or 0)))
        at = match.end()
    return found


class _Reader:
    """Recursive descent over the tokens of one expression."""

    def __init__(self, expression: str) -> None:
        self.expression = expression
        self.tokens, self.at, self.depth = _tokens(expression), 0, 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def refuse(self, wanted: str) -> RuleError:
        place = self.tokens[self.at][2] + 1 if self.at < len(self.tokens) else len(self.expression) + 1
        return RuleError(
            f"{self.expression!r}: at character {place} stands {self.peek() or 'its end'!r}, where {wanted} was expected."
        )

    def take(self, mark: str) -> None:
        """Step over the mark that must stand here, or refuse."""
        if self.peek() != mark:
            raise self.refuse(repr(mark))
        self.at += 1

    def sum(self) -> Node:
        """A sum of products, left to right; refused where brackets or calls nest too deep."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise RuleError(f"{self.expression!r} is nested more than {_DEEPEST} deep.")
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.peek()
            self.at += 1
            value = Binary(sign, value, self.product())
        self.depth -= 1
        return value

    def product(self) -> Node:
        """A product of factors, left to right."""
        value = self.factor()
        while self.peek() in ("*", "/"):
            sign = self.peek()
            self.at += 1
            value = Binary(sign, value, self.factor())
        return value

    def factor(self) -> Node:
        """A number, a name, a call or a sum in brackets, each perhaps with minus signs before it."""
        minus = 0
        while self.peek() == "-":
            minus, self.at = minus + 1, self.at + 1
        if self.at >= len(self.tokens):
            raise self.refuse("a number, a name or a bracket")
        kind, text, _ = self.tokens[self.at]
        self.at += 1
        found: Node
        if kind == "number":
            found = Number(Fraction(text))
        elif kind == "name" and self.peek() == "(":
            found = self.call(text)
        elif kind == "name":
            found = Name(text)
        elif text == "(":
            found = self.sum()
            self.take(")")
        else:
            self.at -= 1
            raise self.refuse("a number, a name or a bracket")
        return Negative(found) if minus % 2 else found

    def call(self, name: str) -> Node:
        """The arguments of one of the few functions there are, or a refusal."""
        self.take("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.at += 1
            arguments.append(self.sum())
        self.take(")")
        wide = name in ("min", "max") and len(arguments) >= 2
        if not wide and (name not in FUNCTIONS[2:] or len(arguments) != 2):
            raise RuleError(f"{self.expression!r} calls {name!r} with {len(arguments)} arguments; there is no such function.")
        return Call(name, tuple(arguments))


def parse(expression: str) -> Node:
    """The tree of an expression.

    Args:
        expression: text in the language above.

    Raises:
        RuleError: for text outside the language, with the place.
    """
    reader = _Reader(expression)
    node = reader.sum()
    if reader.at != len(reader.tokens):
        raise reader.refuse("an operator or the end")
    return node
