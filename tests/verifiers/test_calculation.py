"""A trace is right when every line is, exactly, and rests on what was given."""

from __future__ import annotations

import ast
import importlib.util
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.calculation import CalculationVerifier
from conformed_plugins.verifiers.expression import Refused, worked
from conformed_plugins.verifiers.options import CalculationOptions

FACTS = {
    "figures": {"debt": "700", "cash": 150, "ebitda": "160", "cap": "100"},
    "constants": ["4/3", "4", "3", "0.5"],
    "required": ["debt", "ebitda"],
}
RIGHT = [
    {"name": "netted", "expression": "min(cash, cap)", "value": 100},
    {"name": "net_debt", "expression": "debt - netted", "value": "600"},
    {"name": "ratio", "expression": "net_debt / ebitda", "value": "15/4", "unit": "x"},
]


def check(steps: Any, reference: str = "3.75", **facts: Any) -> tuple[str, str]:
    """Outcome and code."""
    text = steps if isinstance(steps, str) else json.dumps({"steps": steps})
    found = CalculationVerifier().check(AnswerCheck(candidate=text, reference=reference, facts={**FACTS, **facts}))
    assert (found.verifier, found.version) == ("calculation", "1.0.0")
    return found.outcome.value, found.code


def one(expression: str, value: Any = "1") -> list[dict[str, Any]]:
    """A trace of one step."""
    return [{"name": "ratio", "expression": expression, "value": value}]


def test_a_right_trace_is_right() -> None:
    """Values may be written as integers, decimals or fractions."""
    assert check(RIGHT) == ("correct", "trace_holds")
    assert check([*RIGHT[:2], {**RIGHT[2], "value": "3.75"}], "15/4") == ("correct", "trace_holds")
    assert check(one("(debt - min(cash, cap)) / ebitda", "3.75")) == ("correct", "trace_holds")


@pytest.mark.parametrize(
    ("steps", "reference", "code"),
    [
        ([RIGHT[0], {**RIGHT[1], "value": "601"}, RIGHT[2]], "3.75", "step_differs:2"),
        ([*RIGHT[:2], {**RIGHT[2], "value": "3.7500000001"}], "3.75", "step_differs:3"),
        (RIGHT, "3.76", "result_differs"),
        (RIGHT[:2], "3.75", "result_differs"),
        ([{**RIGHT[0], "name": "debt"}], "3.75", "name_given_twice:1"),
        ([*RIGHT, RIGHT[0]], "3.75", "name_given_twice:4"),
        (one("3 + 3 / 4", "3.75"), "3.75", "figure_unused"),
        (one("3.75", "3.75"), "3.75", "constant_not_given:1"),
        (one("600 / ebitda", "3.75"), "3.75", "constant_not_given:1"),
        (one("netdebt / ebitda", "3.75"), "3.75", "name_unknown:1"),
        (one("debt / (cash - cash)", "0"), "3.75", "division_by_zero:1"),
        ([{"name": "a", "expression": "b + debt", "value": 1}, {"name": "b", "expression": "debt", "value": 700}], "3.75", "name_unknown:1"),
        ([{"name": "a", "expression": "a", "value": 1}], "3.75", "name_unknown:1"),
        ([*RIGHT, {"name": "last", "expression": "cash / cash * 3 + 3 / 4", "value": "3.75"}], "3.75", "figure_unused"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_wrong(steps: Any, reference: str, code: str) -> None:
    """A value that differs by anything, a figure from nowhere, a result that rests on nothing, a name used early: each is named."""
    assert check(steps, reference) == ("incorrect", code)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')", "debt.real", "debt ** 2", "debt // 2", "debt % 2", "debt if debt else 1", "[debt]", "lambda: 1", "debt = 1", "debt; cash", "debt cash",
        "2debt", "debt2.x", "(debt", "debt)", "", " ", "+debt", "debt +", "* debt", "min(debt)", "min()", "min(debt,)", "sum(debt, cash)", "pow(debt, 3)",
        "trunc(debt)", "trunc(debt, cash)", "trunc(debt, 21)", "trunc(debt, 0.5)", "trunc(debt, -1)", "trunc(debt, 3, 3)", "debt!", "de\u00adbt", "ｄebt", "٣", "debt−cash", "Debt",
        "1e5", "0x10", "1_0", "'debt'", "debt/*c*/", "#debt", "trunc(debt, ", "min(debt, cash", "\x00", "1..2", "debt(cash)", "()",
    ],
)  # fmt: skip
def test_what_is_outside_the_language_is_a_review(expression: str) -> None:
    """Nothing outside the closed language is worked out, and nothing raises."""
    outcome, code = check(one(expression))
    assert outcome == "review"
    assert code in ("expression_refused:1", "function_refused:1")


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ("no JSON", "not_json"), ({}, "trace_malformed"), ([], "trace_malformed"), ([{"name": "a"}], "trace_malformed"), ([{**RIGHT[0], "more": 1}], "trace_malformed"),
        ([{**RIGHT[0], "value": True}], "trace_malformed"), ([{**RIGHT[0], "name": "A b"}], "trace_malformed"), ('{"steps": [], "steps": []}', "duplicate_key"),
        ('{"steps": [{"name": "a", "expression": "debt", "value": 700.0}]}', "float_refused"), (one("debt", "1e99999999"), "value_not_exact:1"),
        (one("debt", " 700"), "value_not_exact:1"), (one("(" * 60 + "debt" + ")" * 60), "expression_too_deep:1"), (one("-" * 60 + "debt"), "expression_too_deep:1"),
        (one("debt + " * 300 + "debt"), "expression_too_long:1"),
        ([{"name": f"a{n}", "expression": "debt", "value": 700} for n in range(201)], "trace_too_long"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_review(steps: Any, code: str) -> None:
    """Malformed, too long, too deep: a person looks."""
    assert check(steps) == ("review", code)


def test_numbers_may_not_grow_without_end() -> None:
    """A product that passes the limit ends there, at the first step that passes it, and goes to a person."""
    request = AnswerCheck(
        candidate=json.dumps({"steps": one("debt * debt * debt * debt * debt * debt * debt")}), reference="1", facts=FACTS
    )
    found = CalculationVerifier(CalculationOptions(bits=64)).check(request)
    assert (found.outcome, found.code) == ("review", "number_too_large:1")
    assert CalculationVerifier().check(request).code == "step_differs:1"
    for expression in ("a * a", "1 / a / a", "a * a - a * a"):
        with pytest.raises(Refused, match="number_too_large"):
            worked(expression, {"a": Fraction(2) ** 3000}, {Fraction(1)}, bits=4096)


@pytest.mark.parametrize(
    ("facts", "reference", "code"),
    [
        ({"figures": {}}, "1", "facts_malformed"), ({"figures": {"debt": "1e9"}}, "1", "facts_malformed"), ({"figures": {"debt": True}}, "1", "facts_malformed"),
        ({"figures": {"Debt": 1}}, "1", "facts_malformed"), ({"constants": ["x"]}, "1", "facts_malformed"), ({"required": ["revenue"]}, "1", "facts_malformed"),
        ({}, "", "reference_malformed"), ({}, "about 4", "reference_malformed"),
    ],
)  # fmt: skip
def test_bad_facts_are_an_error(facts: Any, reference: str, code: str) -> None:
    """The item is at fault, not the answer."""
    assert check(RIGHT, reference, **facts) == ("error", code)


def test_missing_figures_are_an_error() -> None:
    """Without figures there is nothing to calculate from."""
    found = CalculationVerifier().check(AnswerCheck(candidate=json.dumps({"steps": RIGHT}), reference="1"))
    assert (found.outcome, found.code) == ("error", "figures_missing")


def _recomputation() -> Any:
    """The independent recomputation that is delivered with the evidence."""
    path = Path(__file__).parents[2] / "docs" / "recompute.py"
    spec = importlib.util.spec_from_file_location("recompute", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = {"a": Fraction(7, 3), "b": Fraction(-5, 2), "c": Fraction(0), "d": Fraction(1250)}
ATOMS = st.sampled_from([*NAMES, "3", "0.5"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("({})".format, inner),
        st.builds("-{}".format, ATOMS),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["trunc", "round_up_half", "ceil_to"]), inner, st.integers(0, 5)),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_it_works_out_what_the_independent_recomputation_does(expression: str) -> None:
    """Two programs that share no line agree on every expression of the language: order of signs, brackets, roundings."""
    try:
        right = _RECOMPUTATION.work(ast.parse(expression, mode="eval").body, expression, NAMES)
    except ZeroDivisionError:
        with pytest.raises(Refused, match="division_by_zero"):
            worked(expression, NAMES, {Fraction(3), Fraction(1, 2)}, bits=4096)
        return
    assert worked(expression, NAMES, {Fraction(3), Fraction(1, 2)}, bits=4096)[0] == right


_RECOMPUTATION = _recomputation()
