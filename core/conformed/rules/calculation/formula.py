"""Worked out with exact fractions, and proved by algebra: the closed expression language of traces and of policy.

The grammar is that of ``conformed.rules.calculation.expression``. ``trunc(x, places)`` cuts towards zero; ``round_up_half(x, places)``
rounds halves away from zero; ``ceil_to(x, places)`` is the least multiple not below x. Algebra (sympy) is loaded only where
two formulas are to be proved equal or one is to be solved; nothing is ever evaluated as Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from conformed.errors import RuleError
from conformed.model.calculation import Step
from conformed.rules.calculation.expression import Binary, Call, Name, Negative, Node, Number, parse

__all__ = [
    "LEVERAGE",
    "NAMES",
    "ceil_to",
    "evaluate",
    "holds",
    "names_in",
    "proved_equal",
    "round_up_half",
    "run_steps",
    "solved",
    "trunc",
]

NAMES = ("debt", "cash", "earnings", "interest")
"""What a declared formula may name: debt of the ranking, cash netted after eligibility and cap, earnings of the definition, interest."""
LEVERAGE = "(debt - cash) / earnings"
"""The formula of a leverage ratio where none is declared."""
_MOST_BITS = 8192
"""Largest numerator or denominator, about 2,400 decimal digits."""
_MOST_TERMS = 400
"""Most terms that a formula may have once its brackets are multiplied out, for algebra to prove anything of it."""
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


_ROUNDING = {"trunc": trunc, "round_up_half": round_up_half, "ceil_to": ceil_to}


def evaluate(expression: str, values: Mapping[str, Fraction]) -> Fraction:
    """The exact value of an expression.

    Args:
        expression: text in the closed language.
        values: exact values of the names that it may use.

    Raises:
        RuleError: for text outside the language, an unknown name, or a division by zero.
    """
    return _value(parse(expression), values, expression)


def _value(node: Node, values: Mapping[str, Fraction], expression: str) -> Fraction:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        if node.name not in values:
            raise RuleError(f"{expression!r} uses {node.name!r}, which has no value yet.", "Name an input or an earlier step.")
        return values[node.name]
    if isinstance(node, Negative):
        return -_value(node.of, values, expression)
    if isinstance(node, Call):
        return _called(node.function, [_value(one, values, expression) for one in node.arguments], expression)
    left, right = _value(node.left, values, expression), _value(node.right, values, expression)
    if node.sign == "/":
        if right == 0:
            raise RuleError(f"{expression!r} divides by zero.")
        return _bounded(left / right, expression)
    return _bounded(left + right if node.sign == "+" else left - right if node.sign == "-" else left * right, expression)


def _bounded(value: Fraction, expression: str) -> Fraction:
    """The value, refused where it has grown beyond any figure of a credit: products of products would fill the memory."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise RuleError(f"{expression[:80]!r} gives a number of more than {_MOST_BITS} binary digits.", "Check its products.")
    return value


def _called(function: str, arguments: list[Fraction], expression: str) -> Fraction:
    if function in ("min", "max"):
        return min(arguments) if function == "min" else max(arguments)
    places = arguments[1]
    if places.denominator != 1 or not 0 <= places <= 12:
        raise RuleError(f"{expression!r}: places must be a whole number from 0 to 12, not {places}.")
    return _ROUNDING[function](arguments[0], int(places))


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
    """Names of values that an expression uses, in order of first use.

    Raises:
        RuleError: for text outside the language.
    """
    return tuple(dict.fromkeys(_names(parse(expression))))


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Negative):
        yield from _names(node.of)
    elif isinstance(node, Binary):
        yield from _names(node.left)
        yield from _names(node.right)
    elif isinstance(node, Call):
        for one in node.arguments:
            yield from _names(one)


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


def _small(node: Node, expression: str) -> None:
    """Refuses a formula whose brackets multiply out to more terms than any ratio of an agreement has."""
    above, below = _terms(node)
    if max(above, below) > _MOST_TERMS:
        raise RuleError(f"{expression[:80]!r} multiplies out to more than {_MOST_TERMS} terms.", "Write it with fewer brackets.")


def _terms(node: Node) -> tuple[int, int]:
    """An upper bound of the terms above and below the line; beyond the limit it stops growing."""
    if isinstance(node, Negative):
        return _terms(node.of)
    if isinstance(node, Call):
        inner = [_terms(one) for one in node.arguments]
        return max(1, *(max(pair) for pair in inner)), 1
    if not isinstance(node, Binary):
        return 1, 1
    (a, b), (c, d) = _terms(node.left), _terms(node.right)
    above, below = {"*": (a * c, b * d), "/": (a * d, b * c)}.get(node.sign, (a * d + c * b, b * d))
    return min(above, 10**6), min(below, 10**6)


def _symbolic(node: Node, sympy: Any) -> Any:
    """The same tree as objects of the algebra, built from its own classes. Functions stay opaque over simplified arguments."""
    if isinstance(node, Number):
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if isinstance(node, Name):
        return sympy.Symbol(node.name, real=True)
    if isinstance(node, Negative):
        return -_symbolic(node.of, sympy)
    if isinstance(node, Call):
        arguments = [sympy.cancel(sympy.together(_symbolic(one, sympy))) for one in node.arguments]
        ordered = sorted(arguments, key=sympy.default_sort_key) if node.function in ("min", "max") else arguments
        return sympy.Function(node.function)(*ordered)
    left, right = _symbolic(node.left, sympy), _symbolic(node.right, sympy)
    if node.sign == "/":
        if right == 0:
            raise RuleError("A formula divides by zero.")
        return left / right
    return left + right if node.sign == "+" else left - right if node.sign == "-" else left * right


def proved_equal(one: str, other: str) -> bool:
    """Whether algebra proves two expressions equal wherever both have a value. False says only that it is not proved.

    Raises:
        RuleError: for text outside the language, or a division by what is always zero.
    """
    import sympy

    trees = [parse(one), parse(other)]
    for tree, text in zip(trees, (one, other), strict=True):
        _small(tree, text)
    gap = sympy.together(_symbolic(trees[0], sympy) - _symbolic(trees[1], sympy))
    return bool(sympy.cancel(gap) == 0)


def solved(expression: str, target: str, unknown: str) -> str | None:
    """The value of one name at which an expression equals another name, as an expression; None where it is not linear in it.

    ``solved("(debt - cash) / earnings", "level", "debt")`` is an expression equal to ``level * earnings + cash``.

    Args:
        expression: a formula of plain arithmetic.
        target: the name that it is to equal.
        unknown: the name to solve for.

    Raises:
        RuleError: for text outside the language.
    """
    import sympy

    node = parse(expression)
    _small(node, expression)
    if unknown not in set(_names(node)) or _has_call(node):
        return None
    gap, _ = sympy.fraction(sympy.together(_symbolic(node, sympy) - sympy.Symbol(target, real=True)))
    line = sympy.Poly(gap, sympy.Symbol(unknown, real=True))
    if line.degree() != 1:
        return None
    slope, rest = line.all_coeffs()
    above, below = sympy.fraction(sympy.cancel(-rest / slope))
    return _written(above, sympy) if below == 1 else f"({_written(above, sympy)}) / ({_written(below, sympy)})"


def _has_call(node: Node) -> bool:
    if isinstance(node, Binary):
        return _has_call(node.left) or _has_call(node.right)
    return _has_call(node.of) if isinstance(node, Negative) else isinstance(node, Call)


def _written(polynomial: Any, sympy: Any) -> str:
    """A polynomial in the closed language: its terms in the algebra's own order."""
    found = ""
    for term in sympy.Add.make_args(sympy.expand(polynomial)):
        number, factors = term.as_coeff_Mul()
        names = [
            str(base) for base, power in sorted(factors.as_powers_dict().items(), key=str) for _ in range(int(power)) if base != 1
        ]
        size = abs(number)
        parts = ([] if size == 1 and names else [f"{size.p} / {size.q}" if size.q != 1 else str(size.p)]) + names
        sign = "-" if number < 0 else "+"
        found += f" {sign} {' * '.join(parts)}" if found else f"{'-' if number < 0 else ''}{' * '.join(parts)}"
    return found
