"""Formulas of a contract: read by the product's own reader, kept as text, refused at their place, told when they change."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import PolicyError
from conformed.policy.diff import diff
from conformed.policy.load import load_text
from conformed.policy.schema import TaskContract
from conformed.rules.calculation.formula import NAMES, evaluate, names_in, proved_equal, solved

GOOD = (Path(__file__).parent / "good.yaml").read_text()


def contract(formulas: str) -> TaskContract:
    """The good contract with formulas."""
    return load_text(f"{GOOD.rstrip()}\nformulas: {formulas}\n", TaskContract, name="x").value


def test_formulas_are_kept_by_metric() -> None:
    """Any metric may have one; without the section there are none."""
    found = contract('{net_leverage: "(debt - min(cash, 50000000)) / earnings", interest_cover: earnings / interest}').formulas
    assert found == {"net_leverage": "(debt - min(cash, 50000000)) / earnings", "interest_cover": "earnings / interest"}
    assert load_text(GOOD, TaskContract, name="x").value.formulas == {}


def test_a_changed_formula_is_told() -> None:
    """The difference of two contracts names the metric and both formulas."""
    old, new = contract("{net_leverage: (debt - cash) / earnings}"), contract("{net_leverage: debt / earnings}")
    assert [c.sentence for c in diff(old, new)] == [
        'formulas.net_leverage: "(debt - cash) / earnings" becomes "debt / earnings".'
    ]


@pytest.mark.parametrize(
    "formula",
    [
        "debt.__class__ / earnings",
        "earnings if debt else cash",
        "lambda: earnings",
        "earnings[0]",
        "'earnings'",
        "earnings == 1",
        "f(earnings)",
        "earnings /",
        "EARNINGS",
    ],
)
def test_what_is_no_formula_is_refused(formula: str) -> None:
    """Nothing outside the closed language loads; the message has file, line and column."""
    with pytest.raises(PolicyError) as caught:
        contract(f'{{net_leverage: "{formula}"}}')
    assert caught.value.line == len(GOOD.rstrip().splitlines()) + 1


TREES = st.recursive(
    st.sampled_from([*NAMES, "2", "0.5"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=6,
)
VALUES = st.fixed_dictionaries({name: st.fractions(min_value=1, max_value=100, max_denominator=8) for name in NAMES})


@settings(deadline=None)  # the algebra is loaded by the first example
@given(TREES, TREES, VALUES)
def test_what_algebra_proves_is_so(one: str, other: str, values: dict[str, Fraction]) -> None:
    """Two formulas that are proved equal have equal values; a formula is proved equal to itself turned round."""
    if proved_equal(one, other):
        assert evaluate(one, values) == evaluate(other, values)
    assert proved_equal(f"{one} + {other}", f"{other} + {one}")
    assert not proved_equal(f"{one}", f"{one} + 1")


@settings(deadline=None)
@given(TREES, VALUES, st.fractions(min_value=1, max_value=9, max_denominator=8))
def test_what_is_solved_meets_the_level(tree: str, values: dict[str, Fraction], level: Fraction) -> None:
    """The debt that is solved for brings the formula exactly to the level."""
    tree = tree.replace("debt", "cash")
    formula = f"(3 * debt + {tree}) / earnings"
    most = solved(formula, "level", "debt")
    assert most is not None
    debt = evaluate(most, {**values, "level": level})
    assert evaluate(formula, {**values, "debt": debt}) == level
    assert set(names_in(most)) <= {*NAMES, "level"}


def test_what_cannot_be_solved_gives_nothing() -> None:
    """A function, a square, or a formula without the name has no solution here."""
    assert [solved(f, "level", "debt") for f in ("min(debt, cash) / earnings", "debt * debt / earnings", "cash / earnings")] == [
        None,
        None,
        None,
    ]
    assert not proved_equal("debt / earnings", "earnings / debt")
    assert proved_equal("min(debt, cash + 0)", "min(cash, debt)")
