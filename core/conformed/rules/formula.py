"""The closed expression language of the trace: read by a small parser of its own, worked out with exact fractions.

Grammar, and nothing else::

    sum     = product { ("+" | "-") product }
    product = factor  { ("*" | "/") factor }
    factor  = "-" factor | number | name | function "(" sum { "," sum } ")" | "(" sum ")"

Functions: min and max of two or more; ``trunc(x, places)`` cuts towards zero; ``round_up_half(x, places)`` rounds halves
away from zero; ``ceil_to(x, places)`` is the least multiple not below x. No evaluation by the language's own interpreter,
no attribute, no power: text that does not fit is refused with its place.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from conformed.errors import RuleError
from conformed.model.calculation import Step

__all__ = ["ceil_to", "evaluate", "holds", "names_in", "round_up_half", "run_steps", "trunc"]

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<mark><=|>=|==|[-+*/(),<>]))", re.ASCII)
_LONGEST = 2000
_DEEPEST = 60
_COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def trunc(value: Fraction, places: int) -> Fraction:
    """Cuts towards zero after some decimals."""
    scale = 10**places
    cut = abs(value.numerator) * scale // value.denominator
    return Fraction(cut if value >= 0 else -cut, scale)


def round_up_half(value: Fraction, places: int) -> Fraction:
    """Rounds to some decimals, halves away from zero (rule CA-52: not half to even)."""
    scale = 10**places
    cut = (2 * abs(value.numerator) * scale + value.denominator) // (2 * value.denominator)
    return Fraction(cut if value >= 0 else -cut, scale)


def ceil_to(value: Fraction, places: int) -> Fraction:
    """The least number of that many decimals that is not below the value (rule CA-53)."""
    scale = 10**places
    return Fraction(-(-value.numerator * scale // value.denominator), scale)


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

    def __init__(self, expression: str, values: Mapping[str, Fraction]) -> None:
        self.expression, self.values = expression, values
        self.tokens, self.at, self.depth = _tokens(expression), 0, 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def refuse(self, wanted: str) -> RuleError:
        place = self.tokens[self.at][2] + 1 if self.at < len(self.tokens) else len(self.expression) + 1
        return RuleError(
            f"{self.expression!r}: at character {place} stands {self.peek() or 'its end'!r}, where {wanted} was expected."
        )

    def take(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.refuse(repr(mark))
        self.at += 1

    def sum(self) -> Fraction:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise RuleError(f"{self.expression!r} is nested more than {_DEEPEST} deep.")
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.peek()
            self.at += 1
            value = value + self.product() if sign == "+" else value - self.product()
        self.depth -= 1
        return value

    def product(self) -> Fraction:
        value = self.factor()
        while self.peek() in ("*", "/"):
            sign = self.peek()
            self.at += 1
            right = self.factor()
            if sign == "/" and right == 0:
                raise RuleError(f"{self.expression!r} divides by zero.")
            value = value * right if sign == "*" else value / right
        return value

    def factor(self) -> Fraction:
        sign = 1
        while self.peek() == "-":
            sign, self.at = -sign, self.at + 1
        if self.at >= len(self.tokens):
            raise self.refuse("a number, a name or a bracket")
        kind, text, _ = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return sign * Fraction(text)
        if kind == "name" and self.peek() == "(":
            return sign * self.call(text)
        if kind == "name":
            if text not in self.values:
                raise RuleError(
                    f"{self.expression!r} uses {text!r}, which has no value yet.", "Name an input or an earlier step."
                )
            return sign * self.values[text]
        if text == "(":
            value = self.sum()
            self.take(")")
            return sign * value
        self.at -= 1
        raise self.refuse("a number, a name or a bracket")

    def call(self, name: str) -> Fraction:
        self.take("(")
        arguments = [self.sum()]
        while self.peek() == ",":
            self.at += 1
            arguments.append(self.sum())
        self.take(")")
        if name in ("min", "max") and len(arguments) >= 2:
            return min(arguments) if name == "min" else max(arguments)
        rounding = {"trunc": trunc, "round_up_half": round_up_half, "ceil_to": ceil_to}.get(name)
        if rounding is None or len(arguments) != 2:
            raise RuleError(f"{self.expression!r} calls {name!r} with {len(arguments)} arguments; there is no such function.")
        places = arguments[1]
        if places.denominator != 1 or not 0 <= places <= 12:
            raise RuleError(f"{self.expression!r}: places must be a whole number from 0 to 12, not {places}.")
        return rounding(arguments[0], int(places))


def evaluate(expression: str, values: Mapping[str, Fraction]) -> Fraction:
    """The exact value of an expression.

    Args:
        expression: text in the language above.
        values: exact values of the names that it may use.

    Raises:
        RuleError: for text outside the language, an unknown name, or a division by zero.
    """
    reader = _Reader(expression, values)
    value = reader.sum()
    if reader.at != len(reader.tokens):
        raise reader.refuse("an operator or the end")
    return value


def holds(statement: str, values: Mapping[str, Fraction]) -> bool:
    """Whether a statement ``expression (==|<=|>=|<|>) expression`` is true, exactly.

    Raises:
        RuleError: as ``evaluate``, or where there is no single comparison.
    """
    parts = re.split(r"(==|<=|>=|<|>)", statement)
    if len(parts) != 3:
        raise RuleError(f"{statement!r} is not one comparison of two expressions.")
    return _COMPARE[parts[1]](evaluate(parts[0], values), evaluate(parts[2], values))


def names_in(expression: str) -> tuple[str, ...]:
    """Names of values that an expression uses, in order of first use."""
    tokens = _tokens(expression)
    calls = {i for i, (_, text, _) in enumerate(tokens[1:]) if text == "("}
    return tuple(dict.fromkeys(text for i, (kind, text, _) in enumerate(tokens) if kind == "name" and i not in calls))


def run_steps(inputs: Mapping[str, Fraction], lines: Iterable[tuple[str, str, str]]) -> tuple[Step, ...]:
    """Works out ``name = expression`` lines in order, each over inputs and earlier names.

    Args:
        inputs: exact inputs.
        lines: name, expression, unit (currency code, ``x`` or empty).

    Raises:
        RuleError: as ``evaluate``, or where a name is given twice.
    """
    values = dict(inputs)
    steps = []
    for name, expression, unit in lines:
        if name in values:
            raise RuleError(f"The name {name!r} is given twice.", "Name each step once.")
        values[name] = evaluate(expression, values)
        steps.append(Step(name=name, expression=expression, value=values[name], unit=unit))
    return tuple(steps)
