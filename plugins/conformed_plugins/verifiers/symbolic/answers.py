"""Answers as wholes: values, pairs and intervals, sets, unions, matrices, equations, inequalities, alternatives, quantities."""

from __future__ import annotations

from fractions import Fraction

from conformed_plugins.verifiers.symbolic.expressions import Expressions
from conformed_plugins.verifiers.symbolic.tokens import Token, tokenise
from conformed_plugins.verifiers.symbolic.tree import EXPRESSIONS, Node, RefusedError
from conformed_plugins.verifiers.symbolic.units import LETTERS, UNITS, Unit, combine

__all__ = ["read"]

_RELATIONS = ("=", "<", ">", "<=", ">=", "!=")
_MOST_PARTS = 40
_MOST_NODES = 600


def read(text: str, letters: frozenset[str] = frozenset()) -> Node:
    """The tree of an answer.

    Args:
        text: the answer.
        letters: names that the item declares.

    Raises:
        RefusedError: for whatever is outside the grammar, or has two readings.
    """
    reader = _Answers(tokenise(text), letters)
    found = reader.answer()
    reader.finish()
    if sum(1 for _ in found.walk()) > _MOST_NODES:
        raise RefusedError("too_long")
    return found


class _Answers(Expressions):
    """The shapes around expressions."""

    def answer(self) -> Node:
        """One statement, or alternatives joined by ``or``."""
        found = [self._list()]
        while self._took("or"):
            found.append(self._list())
        if len(found) == 1:
            return found[0]
        if any(one.kind == "list" for one in found):
            raise RefusedError("syntax")
        return Node("either", tuple(found))

    def finish(self) -> None:
        """Refuses what is left over."""
        if self._at != len(self._tokens):
            raise RefusedError("syntax")

    def _list(self) -> Node:
        start = self._at
        found = [self._item()]
        while self._took(",", "and"):
            self._took("and")
            found.append(self._item())
        if len(found) == 1:
            return found[0]
        here = self._tokens[start : self._at]
        decimal = [token.kind for token in here] == ["number", "mark", "number"] and not here[2].spaced  # 1,2 may be 1.2
        if decimal or any(token.grouped for token in self._tokens):
            raise RefusedError("ambiguous_comma")
        return Node("list", tuple(found))

    def _item(self) -> Node:
        """A relation, a union, or a value with its unit."""
        parts = [self._union()]
        signs: list[str] = []
        while self._is(*_RELATIONS) and len(signs) < 3:
            signs.append(self._next.text)
            self._at += 1
            parts.append(self._union())
        if self._took("in"):
            if signs or parts[0].kind != "name":
                raise RefusedError("syntax")
            return Node("relation", (parts[0], self._union()), "in")
        if not signs:
            return parts[0]
        if any(part.kind not in EXPRESSIONS | {"quantity", "matrix", "pair", "tuple"} for part in parts):
            raise RefusedError("shape_in_arithmetic")
        if len(signs) == 2 and {signs[0][0], signs[1][0]} in ({"<"}, {">"}):
            return Node("relation", tuple(parts), " ".join(signs))
        if len(signs) != 1:
            raise RefusedError("chain")
        return Node("relation", tuple(parts), signs[0])

    def _union(self) -> Node:
        found = [self._quantity()]
        while self._took("cup"):
            found.append(self._quantity())
        if len(found) == 1:
            return found[0]
        if any(one.kind not in ("pair", "set", "empty", "all") for one in found):
            raise RefusedError("shape_in_arithmetic")
        return Node("union", tuple(found))

    def _quantity(self) -> Node:
        money = self._took("$")
        value = self.sum()
        unit = self._unit()
        if money and unit is not None:
            raise RefusedError("unit")
        unit = UNITS["dollar"] if money else unit
        if unit is None:
            return value
        if value.kind not in EXPRESSIONS:
            raise RefusedError("unit")
        return Node("quantity", (value,), " ".join(map(str, unit[1])), unit[0])

    def _unit(self) -> Unit | None:
        if self._took("%"):
            return UNITS["percent"]
        token = self._next
        if token.kind not in ("unit", "said"):
            return None
        if token.kind == "said":
            self._at += 1
            found = _spelt(token.text)
            if self._took("^"):
                found = combine((Fraction(1), (0, 0, 0, 0, 0)), found, self._unit_power())
            while self._is("*", "/") and self._tokens[self._at + 1 : self._at + 2] and self._tokens[self._at + 1].kind == "said":
                sign = -1 if self._next.text == "/" else 1
                other = _spelt(self._tokens[self._at + 1].text)
                self._at += 2
                found = combine(found, other, sign * (self._unit_power() if self._took("^") else 1))
            return found
        found, sign = (Fraction(1), (0, 0, 0, 0, 0)), 1
        while True:
            token = self._next
            if (
                token.kind not in ("unit", "name")
                or token.text not in UNITS
                or (token.kind == "name" and token.text not in LETTERS)
            ):
                raise RefusedError("unit")
            self._at += 1
            found = combine(found, UNITS[token.text], sign * (self._unit_power() if self._took("^") else 1))
            if not self._is("*", "/"):
                return found
            sign = -1 if self._next.text == "/" else 1
            self._at += 1

    def _unit_power(self) -> int:
        power = self._exponent()
        if power.kind != "num" or power.value.denominator != 1 or not -4 <= power.value <= 4:
            raise RefusedError("unit")
        return int(power.value)

    def bracket(self, mark: str) -> Node:
        """Brackets around one value group it; around several they make a pair, an interval, a tuple, a set or rows.

        Raises:
            RefusedError: for brackets that do not pair, or a lone ``{x}``, which is a set in one notation and x in another.
        """
        kept, self._bars = self._bars, 0
        self._brackets += 1
        if mark in ("{", "\\{") and self._took("}" if mark == "{" else "\\}"):
            self._brackets, self._bars = self._brackets - 1, kept
            if mark == "{":
                raise RefusedError("syntax")
            return Node("empty")
        parts = [self._union() if mark in ("{", "\\{") else self.sum()]
        while self._took(","):
            if len(parts) >= _MOST_PARTS:
                raise RefusedError("too_long")
            parts.append(self._union() if mark in ("{", "\\{") else self.sum())
        closing = self._next.text if self._is(")", "]", "}", "\\}") else ""
        self._at += 1
        self._brackets, self._bars = self._brackets - 1, kept
        return _bracketed(mark + closing, tuple(parts))

    def shape(self, token: Token) -> Node:
        """A matrix, the real numbers, the empty set."""
        if token.kind == "edge" and token.text == "begin":
            return self._matrix()
        if token.kind == "mark" and token.text == "reals":
            return Node("all")
        if token.kind == "mark" and token.text == "empty":
            return Node("empty")
        raise RefusedError("syntax")

    def _matrix(self) -> Node:
        kept, self._bars = self._bars, 0
        self._brackets += 1
        rows: list[tuple[Node, ...]] = []
        row = [self.sum()]
        while True:
            if self._took("&"):
                row.append(self.sum())
            elif self._took("row"):
                rows.append(tuple(row))
                if self._next.kind == "edge":
                    break
                row = [self.sum()]
            else:
                rows.append(tuple(row))
                break
        if self._next != Token("edge", "end", spaced=self._next.spaced):
            raise RefusedError("syntax")
        self._at += 1
        self._brackets, self._bars = self._brackets - 1, kept
        return _rows([Node("row", one) for one in rows])


def _spelt(text: str) -> Unit:
    """The unit that the words of a text command are."""
    if text.replace("\\", "") == "%":
        return UNITS["percent"]
    if text not in UNITS:
        if "/" in text and text.count("/") == 1:
            above, below = (part.strip() for part in text.split("/"))
            return combine(_spelt(above), _spelt(below), -1)
        name, mark, power = text.partition("^")
        if mark and name in UNITS and power in ("2", "3"):
            return combine((Fraction(1), (0, 0, 0, 0, 0)), UNITS[name], int(power))
        raise RefusedError("words")
    return UNITS[text]


def _bracketed(marks: str, parts: tuple[Node, ...]) -> Node:
    values = all(part.kind in EXPRESSIONS for part in parts)
    if marks in ("\\{\\}", "{}"):
        if marks == "{}" and len(parts) == 1:
            raise RefusedError("ambiguous_braces")
        if any(part.kind not in EXPRESSIONS | {"pair", "tuple", "quantity"} for part in parts):
            raise RefusedError("shape_in_arithmetic")
        return Node("set", parts)
    if marks not in ("()", "[]", "(]", "[)"):
        raise RefusedError("syntax")
    if marks == "[]" and all(part.kind in ("pair", "tuple", "row") and part.text in ("[]", "") for part in parts) and not values:
        return _rows([Node("row", part.parts) for part in parts])
    if len(parts) == 1:
        if marks not in ("()", "[]") or not (values or marks == "()"):
            raise RefusedError("syntax")
        return parts[0]
    if not values:
        raise RefusedError("shape_in_arithmetic")
    if len(parts) == 2:
        return Node("pair", parts, marks)
    if marks not in ("()", "[]"):
        raise RefusedError("syntax")
    return Node("tuple", parts, marks)


def _rows(rows: list[Node]) -> Node:
    if len({len(row.parts) for row in rows}) != 1 or any(part.kind not in EXPRESSIONS for row in rows for part in row.parts):
        raise RefusedError("matrix")
    if len(rows) * len(rows[0].parts) > _MOST_PARTS:
        raise RefusedError("too_long")
    return Node("matrix", tuple(rows))
