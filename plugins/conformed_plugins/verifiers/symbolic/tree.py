"""The small tree between an answer's text and its meaning. Nothing in it is ever run: it is walked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["EXPRESSIONS", "Node", "RefusedError", "add", "mul", "negative", "number", "wire"]

EXPRESSIONS = frozenset({"num", "name", "const", "add", "mul", "div", "pow", "call", "degree", "pm"})
"""Kinds that stand for one value. The others are shapes: pair, tuple, set, list, union, matrix, relation, either, quantity, all, empty."""


class RefusedError(Exception):
    """The text, or what it stands for, is outside what can be told: a matter for a person.

    Args:
        code: reason code.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an answer.

    Attributes:
        kind: what it is.
        parts: its parts, in order.
        text: a name, a function, a comparison, the brackets of a pair or the dimension of a unit.
        value: the number, or what one unit is in base units.
    """

    kind: str
    parts: tuple[Node, ...] = ()
    text: str = ""
    value: Fraction = field(default=Fraction(0))

    def walk(self) -> Iterator[Node]:
        """The node and everything under it."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(node.parts)

    def names(self) -> frozenset[str]:
        """Letters that stand for numbers in it."""
        return frozenset(node.text for node in self.walk() if node.kind == "name")

    def has(self, kind: str, text: str = "") -> bool:
        """Whether a part of that kind (and text, where given) is in it."""
        return any(node.kind == kind and text in ("", node.text) for node in self.walk())


def number(value: int | Fraction) -> Node:
    """A number."""
    return Node("num", value=Fraction(value))


def negative(node: Node) -> Node:
    """Minus something; the sign of a number is part of it."""
    return number(-node.value) if node.kind == "num" else mul(number(-1), node)


def add(*parts: Node) -> Node:
    """A sum."""
    return parts[0] if len(parts) == 1 else Node("add", parts)


def mul(*parts: Node) -> Node:
    """A product."""
    return parts[0] if len(parts) == 1 else Node("mul", parts)


def wire(node: Node) -> list[Any]:
    """The tree as plain JSON, for the worker."""
    value = f"{node.value.numerator}/{node.value.denominator}" if node.kind == "num" else ""
    return [node.kind, node.text, value, [wire(part) for part in node.parts]]
