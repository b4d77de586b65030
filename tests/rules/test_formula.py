"""The expression language of the trace: exact, closed, and safe on any text."""

from __future__ import annotations

import contextlib
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import RuleError
from conformed.rules.calculation.formula import (
    LEVERAGE,
    ceil_to,
    evaluate,
    holds,
    names_in,
    proved_equal,
    round_up_half,
    run_steps,
    solved,
    trunc,
)

CENTS = st.decimals(min_value=-(10**9), max_value=10**9, places=5, allow_nan=False)
LEAVES = st.sampled_from(["a", "b", "7", "0.25", "12.5", "3"])
TREES = st.recursive(
    LEAVES, lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"), max_leaves=12
)


@given(TREES)
def test_it_agrees_with_exact_arithmetic(expression: str) -> None:
    """Sums and products of any shape equal the same tree worked with fractions by another program."""
    values = {"a": Fraction(22, 7), "b": Fraction(-5, 3)}
    exact = __import__("re").sub(r"\d+(?:\.\d+)?", lambda m: f"Fraction('{m[0]}')", expression)
    assert evaluate(expression, values) == eval(exact, {"Fraction": Fraction, **values})


@given(CENTS, st.integers(0, 4))
def test_rounding_is_that_of_decimal(value: Decimal, places: int) -> None:
    """Cutting, half up and up agree with the decimal module's modes, for negative numbers too."""
    unit = Decimal(1).scaleb(-places)
    exact = Fraction(value)
    assert trunc(exact, places) == Fraction(value.quantize(unit, ROUND_DOWN))
    assert round_up_half(exact, places) == Fraction(value.quantize(unit, ROUND_HALF_UP))
    assert ceil_to(exact, places) == Fraction(value.quantize(unit, ROUND_CEILING))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "a ** 2",
        "__import__('os')",
        "a.b",
        "a[0]",
        "lambda: 1",
        "min(1)",
        "trunc(1)",
        "trunc(1, 1/2)",
        "trunc(1, 99)",
        "pow(2, 3)",
        "1 / 0",
        "a / (b - b)",
        "1e9",
        "(1",
        "1 2",
        "x",
        "1,000",
        "(" * 100 + "1" + ")" * 100,
        "1+" * 2000 + "1",
        "１",
        "a == b",
        "'a'",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """Text outside the grammar, unknown names and functions, and division by zero raise the package's own error."""
    with pytest.raises(RuleError):
        evaluate(text, {"a": Fraction(1), "b": Fraction(2)})


@given(st.text(max_size=40))
def test_no_text_raises_anything_else(text: str) -> None:
    """Whatever the text, the outcome is a fraction or a RuleError."""
    with contextlib.suppress(RuleError):
        assert isinstance(evaluate(text, {}), Fraction)


def test_a_decimal_is_never_binary() -> None:
    """0.1 + 0.2 is three tenths, and a quotient at the level equals it."""
    assert evaluate("0.1 + 0.2", {}) == Fraction(3, 10)
    assert evaluate("141.05 / (9.8 + 10.0 + 11.1 + 9.4)", {}) == Fraction(7, 2)


def test_precedence_and_signs() -> None:
    """Products bind before sums, division is left to right, and minus signs stack."""
    assert evaluate("2 + 3 * 4 - 6 / 3 / 2", {}) == 13
    assert evaluate("--3 - -2", {}) == 5
    assert evaluate("max(1, min(5, 3), -2)", {}) == 3


def test_steps_stand_on_earlier_ones() -> None:
    """Each line may use inputs and earlier lines; a later name or a name given twice is refused."""
    steps = run_steps({"debt": Fraction(7)}, [("half", "debt / 2", "USD"), ("ratio", "debt / half", "x")])
    assert [(s.name, s.value, s.unit) for s in steps] == [("half", Fraction(7, 2), "USD"), ("ratio", Fraction(2), "x")]
    with pytest.raises(RuleError, match="no value yet"):
        run_steps({}, [("a", "b", ""), ("b", "1", "")])
    with pytest.raises(RuleError, match="given twice"):
        run_steps({"a": Fraction(1)}, [("a", "2", "")])


def test_names_and_statements() -> None:
    """Names used are listed without functions; a statement holds only when exactly true."""
    assert names_in("min(asked, share * base) + base") == ("asked", "share", "base")
    assert holds("1 / 3 * 3 == 1", {})
    assert not holds("0.333333 == 1 / 3", {})
    with pytest.raises(RuleError):
        holds("1 < 2 < 3", {})


SQUARES = [("a0", "9" * 1000, ""), *((f"a{i}", f"a{i - 1} * a{i - 1}", "") for i in range(1, 40))]


def test_numbers_do_not_grow_without_end() -> None:
    """Products of products are refused before they fill the memory, and with a sentence."""
    with pytest.raises(RuleError, match="binary digits"):
        run_steps({}, SQUARES)


@pytest.mark.parametrize(
    "formula",
    [
        "*".join(["(debt - cash + interest)"] * 40) + " / earnings",
        "+".join(f"1 / (debt + {i})" for i in range(1, 60)),
        " / ".join(f"(debt * {i} + cash / (earnings + {i}))" for i in range(1, 30)),
    ],
)
def test_algebra_is_not_asked_to_multiply_out_a_monster(formula: str) -> None:
    """A formula whose brackets multiply out to thousands of terms is refused at once, and not handed to the algebra."""
    for ask in (lambda: proved_equal(formula, LEVERAGE), lambda: solved(formula, "level", "debt")):
        with pytest.raises(RuleError, match="multiplies out"):
            ask()


@pytest.mark.parametrize(
    "text",
    [
        "a.__class__", "().__class__", "a**b", "9**9**9", "a if a else a", "a;b", "1_000", "\u0661\u0662", "\uff41+1", "a\uff0bb",
        "0x10", "1e999", "inf", "1.", "'a'", "a\x00", "(" * 100 + "1" + ")" * 100, "min(" * 70 + "1, 1" + ")" * 70, "a:=1", "#",
        "f'{a}'", "\u00b5", "9" * 3000,
    ],
)  # fmt: skip
def test_hostile_texts_are_refused(text: str) -> None:
    """Attributes, powers, lookalikes of letters and digits, depth, length and other notations are outside the language."""
    with pytest.raises(RuleError):
        evaluate(text, {"a": Fraction(1), "b": Fraction(2)})
