"""What takes arguments: fractions, roots, logarithms and the other functions, bars; and the cursor over the tokens."""

from __future__ import annotations

from fractions import Fraction

from conformed_plugins.verifiers.symbolic.tokens import Token
from conformed_plugins.verifiers.symbolic.tree import EXPRESSIONS, Node, RefusedError, mul, number

__all__ = ["Calls"]

_CALLED = frozenset("fghFGHP")
_END = Token("end", "")


class Calls:
    """A cursor over the tokens of one answer, and the atoms that have arguments.

    Args:
        tokens: tokens of one answer.
        letters: names that the item declares as letters: without it ``e`` is Euler's number and ``i`` the imaginary unit.
    """

    def __init__(self, tokens: list[Token], letters: frozenset[str]) -> None:
        self._tokens, self._letters = tokens, letters
        self._at = self._depth = self._brackets = self._bars = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _is(self, *marks: str) -> bool:
        return self._next.kind == "mark" and self._next.text in marks

    def _took(self, *marks: str) -> bool:
        found = self._is(*marks)
        self._at += found
        return found

    def _need(self, mark: str) -> None:
        if not self._took(mark):
            raise RefusedError("syntax")

    @staticmethod
    def _value(*parts: Node) -> None:
        if any(part.kind not in EXPRESSIONS for part in parts):
            raise RefusedError("shape_in_arithmetic")

    def sum(self) -> Node:
        """A sum; the subclass reads it."""
        raise NotImplementedError

    def _primary(self) -> tuple[Node, bool]:
        raise NotImplementedError

    def _exponent(self) -> Node:
        raise NotImplementedError

    def _group(self) -> Node:
        """``{ sum }``: the argument of a command."""
        self._need("{")
        kept, self._bars = self._bars, 0
        self._brackets += 1
        found = self.sum()
        self._need("}")
        self._brackets, self._bars = self._brackets - 1, kept
        self._value(found)
        return found

    def _number(self, token: Token) -> Node:
        if token.grouped and self._brackets:
            raise RefusedError("ambiguous_comma")
        text, _, repeating = token.text.partition("\\overline{")
        value = Fraction(text.rstrip(".") or "0")
        if repeating:
            if "." not in text:
                raise RefusedError("notation")
            digits, places = repeating[:-1], len(text.partition(".")[2])
            value += Fraction(int(digits), (10 ** len(digits) - 1) * 10**places)
        return number(value)

    def _name(self, token: Token) -> Node:
        name = token.text
        if self._took("_"):
            grouped = self._took("{")
            part = self._next
            if part.kind not in ("number", "name") or not part.text.isalnum() or (not grouped and len(part.text) > 1):
                raise RefusedError("subscript")
            self._at += 1
            if grouped:
                self._need("}")
            return Node("name", text=f"{name}_{part.text}")
        if name not in self._letters and name in ("e", "i"):
            return Node("const", text=name)
        if name in _CALLED and self._is("(") and name not in self._letters:
            raise RefusedError("function_notation")
        return Node("name", text=name)

    def _command(self, text: str) -> Node:
        if text in ("pi", "infty"):
            return Node("const", text=text)
        if text == "sqrt":
            return self._root()
        first, second = self._two_arguments()
        return Node("div", (first, second)) if text == "frac" else Node("call", (first, second), "binomial")

    def _root(self) -> Node:
        index = None
        if self._took("["):
            kept, self._bars = self._bars, 0
            index = self.sum()
            self._need("]")
            self._bars = kept
            if index.kind != "num" or index.value.denominator != 1 or not 2 <= index.value <= 20:
                raise RefusedError("root_index")
        if self._is("{"):
            of = self._group()
        elif self._is("("):
            of = self._primary()[0]
        else:
            of = self._short()
        self._value(of)
        return Node("call", (of,), "sqrt") if index is None or index.value == 2 else Node("call", (of, index), "root")

    def _short(self) -> Node:
        """The one digit or letter that a command takes without braces."""
        token = self._next
        single = (token.kind in ("number", "name") and len(token.text) == 1) or (token.kind == "command" and token.text == "pi")
        if not single:
            raise RefusedError("argument")
        self._at += 1
        return (
            self._number(token) if token.kind == "number" else self._name(token) if token.kind == "name" else self._command("pi")
        )

    def _degree_power(self) -> bool:
        """The ring of degrees as a power, bare or in braces: stepped over where it stands here."""
        for marks in (["^", "deg"], ["^", "{", "deg", "}"]):
            here = self._tokens[self._at : self._at + len(marks)]
            if [token.text for token in here if token.kind == "mark"] == marks:
                self._at += len(marks)
                return True
        return False

    def _two_arguments(self) -> tuple[Node, Node]:
        token = self._next
        if token.kind == "number" and token.text.isdigit() and len(token.text) == 2 and not token.grouped:
            self._at += 1
            return number(int(token.text[0])), number(int(token.text[1]))
        first = self._group() if self._is("{") else self._short()
        return first, self._group() if self._is("{") else self._short()

    def _absolute(self, opened: str) -> Node:
        kept, self._bars = self._bars, self._bars + 1 if opened == "|" else 0
        self._brackets += 1
        found = self.sum()
        self._value(found)
        if not self._took("|" if opened == "|" else "rbar"):
            raise RefusedError("syntax")
        self._brackets, self._bars = self._brackets - 1, kept
        return Node("call", (found,), "abs")

    def _function(self, name: str) -> tuple[Node, bool]:
        base, power = None, None
        if name == "log" and self._took("_"):
            base = self._group() if self._is("{") else self._short()
        if self._took("^"):
            power = self._exponent()
            if power.kind != "num" or power.value.denominator != 1 or not 2 <= power.value <= 20:
                raise RefusedError("ambiguous_function")
        if self._is("(", "{", "lbar") or (self._is("|") and not self._bars):
            found = self._group() if self._is("{") else self._primary()[0]
            plain = True
        else:
            found, plain = self._loose(), False
        self._value(found)
        call = Node("call", (found,) if base is None else (found, base), name)
        return (call if power is None else Node("pow", (call, power))), plain and power is None

    def _loose(self) -> Node:
        """An argument without brackets: a figure, an atom, or both; refused where it might reach further."""
        parts = []
        if self._next.kind == "number":
            parts.append(self._primary()[0])
        if self._next.kind in ("name", "command") and self._next.text != "infty":
            parts.append(self._primary()[0])
        if not parts:
            raise RefusedError("argument")
        if self._took("deg") or self._degree_power():
            parts = [Node("degree", (mul(*parts),))]
        following = self._next
        if self._is("^", "/", "!", "(", "[", "|", "lbar", "_") or following.kind in ("number", "name", "command"):
            raise RefusedError("ambiguous_function")
        return mul(*parts)
