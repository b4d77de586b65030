"""Expressions of one value: recursive descent over tokens. Where two readings are in use, the text is refused, not read.

    sum     = [sign] product { sign product }
    product = power { ("*" | "/" | nothing) power }
    power   = postfix [ "^" exponent ]
    postfix = primary { "!" | degree }

Refused as ambiguous: ``1/2x``, ``2^3^2``, ``1 1/2``, ``sin x^2``, ``sin x/2``, ``sin^{-1} x``, ``f(x)``.
"""

from __future__ import annotations

from conformed_plugins.verifiers.symbolic.calls import Calls
from conformed_plugins.verifiers.symbolic.tokens import Token
from conformed_plugins.verifiers.symbolic.tree import Node, RefusedError, add, mul, negative

__all__ = ["Expressions"]

_DEEPEST = 40
_SIGNS = ("+", "-", "pm", "mp")


class Expressions(Calls):
    """Reads expressions; ``Answers`` reads the shapes around them."""

    def _down(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise RefusedError("nesting")

    def sum(self) -> Node:
        """A sum of products, each sign with the product behind it."""
        self._down()
        terms: list[Node] = []
        while not terms or self._is(*_SIGNS):
            sign = self._next.text if self._is(*_SIGNS) else "+"
            self._at += self._is(*_SIGNS)
            term = self._product()
            terms.append(term if sign == "+" else negative(term) if sign == "-" else Node("pm", (term,), sign))
        self._depth -= 1
        return add(*terms)

    def _product(self) -> Node:
        factors = [self._power()]
        divided = 0
        while True:
            if self._is("*", "/"):
                mark = self._next.text
                self._at += 1
                minus = self._took("-")
                part = self._power()
                part = negative(part) if minus else part
                self._value(*factors, part)
                if mark == "*":
                    factors.append(part)
                    divided = -abs(divided)
                else:
                    factors = [Node("div", (mul(*factors), part))]
                    divided = abs(divided) + 1
                if abs(divided) > _DEEPEST:
                    raise RefusedError("nesting")
            elif self._starts():
                if divided > 0:
                    raise RefusedError("ambiguous_division")
                before = self._tokens[self._at]
                part = self._power()
                self._mixed(factors[-1], part, before)
                self._value(*factors, part)
                factors.append(part)
            else:
                return mul(*factors)

    def _mixed(self, left: Node, right: Node, first: Token) -> None:
        """``1 1/2`` is one and a half or a half, ``2 3`` six or a slip, ``x2`` a slip; ``|x|y|z|`` may pair its bars in two ways."""
        fraction = right.kind == "div" and not any(right.has(kind) for kind in ("name", "call", "const"))
        if left.kind == "num" and (first.kind == "number" or fraction):
            raise RefusedError("mixed_number")
        if first.kind == "number":  # x2 may be a power, an index or a product
            raise RefusedError("number_behind_letter")
        if sum(token.text == "|" for token in self._tokens) > 2 and "abs" in (left.text, right.text):
            raise RefusedError("ambiguous_bars")

    def _starts(self) -> bool:
        """Whether what comes next begins a factor, so that it is multiplied by what stood before."""
        token = self._next
        if token.kind in ("number", "name", "const", "function", "command"):
            return True
        return self._is("(", "[", "lbar") or (self._is("|") and not self._bars)

    def _power(self) -> Node:
        base, plain = self._postfix()
        if not self._is("^"):
            return base
        self._value(base)
        if self._degree_power():
            return Node("degree", (base,))
        self._at += 1
        if base.kind == "call" and not plain:
            raise RefusedError("ambiguous_function")
        exponent = self._exponent()
        found = Node("pow", (base, exponent))
        if self._is("^", "!"):
            raise RefusedError("ambiguous_power")
        return self._after(found)

    def _after(self, found: Node) -> Node:
        return Node("degree", (found,)) if self._took("deg") else found

    def _exponent(self) -> Node:
        if self._is("{"):
            return self._group()
        minus = self._took("-")
        if self._next.kind == "function":
            raise RefusedError("ambiguous_power")
        found = self._primary()[0]
        self._value(found)
        return negative(found) if minus else found

    def _postfix(self) -> tuple[Node, bool]:
        found, plain = self._primary()
        while True:
            if self._took("!"):
                self._value(found)
                if found.kind == "call" and found.text == "factorial":
                    raise RefusedError("ambiguous_factorial")
                found = Node("call", (found,), "factorial")
            elif self._took("deg"):
                self._value(found)
                found = Node("degree", (found,))
            else:
                return found, plain

    def _primary(self) -> tuple[Node, bool]:
        """One atom; the flag is false for a function whose argument stands without brackets."""
        self._down()
        token = self._next
        self._at += 1
        plain = True
        if token.kind == "number":
            found = self._number(token)
        elif token.kind == "name":
            found = self._name(token)
        elif token.kind == "command":
            found = self._command(token.text)
        elif token.kind == "function":
            found, plain = self._function(token.text)
        elif token.kind == "mark" and token.text in ("(", "[", "\\{", "{"):
            found = self.bracket(token.text)
        elif token.kind == "mark" and token.text in ("|", "lbar"):
            found = self._absolute(token.text)
        else:
            found = self.shape(token)
        self._depth -= 1
        return found, plain

    def bracket(self, mark: str) -> Node:
        """What stands in brackets. A single value is only grouped; the subclass reads the other shapes."""
        raise NotImplementedError

    def shape(self, token: Token) -> Node:
        """A shape that begins with this token; the subclass knows some."""
        raise NotImplementedError
