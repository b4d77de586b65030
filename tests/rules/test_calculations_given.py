"""The numeric cases of the rule book through ``calculate`` itself: terms become definitions, inputs become a certificate."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from conformed.language.agreement import CureTerms
from conformed.language.rounding import read_rounding
from conformed.language.trigger import read_trigger
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.calculate import Calculated, CaseFacts, calculate
from conformed.rules.timed.springing import utilisation_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "domain" / "calculations.yaml"
DAY = dt.date(2024, 9, 30)
CASES: list[dict[str, Any]] = YAML(typ="safe").load(SHARED)["cases"] if SHARED.exists() else []
NAMES = {
    "ratio": "ratio", "tested": "tested", "carried": "carried", "carry_cut": "carried", "tested_cut": "tested", "headroom_debt": "headroom_debt",
    "ebitda_ltm": "ebitda_tested", "ebitda": "ebitda_tested", "limit": "addback_limit", "allowed": "addbacks_allowed", "eligible": "eligible_cash",
    "netted": "netted_cash", "net_debt": "tested_debt", "cross_left": "cross_left", "cross_right": "cross_right", "debt": "tested_debt",
    "before_synergies": "ebitda_base", "least_cure": "least_cure", "least_cure_cents": "least_cure_payable", "cured_ratio": "cured_ratio",
    "utilisation": "utilisation",
}  # fmt: skip
"""Names of answers and of the lines of our trace that must hold them; answers of careless programs have none."""
LESS = "carrying the result, without rounding, to one place more than the level has and rounding the result, a half going up"
OPEN = "carrying the result to one place more than the level has and rounding the result up or down to the nearest number"


def figure(name: str, value: str, label: str = "", scale: int = 1, **more: Any) -> Figure:
    """A line in dollars unless something else is said."""
    return Figure(
        name=name,
        label=label or name.replace("_", " "),
        value=Fraction(value) * scale,
        scale=scale,
        raw=value,
        as_of=more.pop("as_of", DAY),
        **{"currency": "USD", **more},
    )


def period(name: str, value: str, months: int, end: dt.date) -> Figure:
    """A line of earnings of one period."""
    return figure(f"{name}__{months}m_{end:%Y%m%d}", value, name, as_of=end, months=months)


def lines(terms: dict[str, Any], inputs: dict[str, str]) -> list[Figure]:
    """The certificate's lines for the inputs of a case."""
    quarters = {"q1": dt.date(2024, 3, 31), "q2": dt.date(2024, 6, 30), "q3": dt.date(2024, 9, 30), "q4": dt.date(2023, 12, 31)}
    if "q4" in inputs:
        quarters = {"q1": dt.date(2023, 12, 31), "q2": dt.date(2024, 3, 31), "q3": dt.date(2024, 6, 30), "q4": DAY}
    found = []
    for name, value in inputs.items():
        if name in ("debt", "net_debt"):
            found.append(figure("total_debt", value))
        elif name == "debt_millions":
            found.append(figure("total_debt", value, scale=10**6))
        elif name == "ebitda_thousands":
            found.append(figure("ebitda", value, scale=1000))
        elif name in ("usd_debt", "eur_debt"):
            found.append(figure(f"debt_{name[:3]}_loans", value, currency=name[:3].upper()))
        elif name.startswith("usd_per_eur"):
            kind = "average" if name.endswith("average") else "closing"
            label = f"{kind} rate used in the financial statements, US dollars per euro"
            found.append(figure(f"usd_per_eur_{kind}", value, label, currency=None))
        elif name in quarters:
            found.append(period("ebitda", value, 3, quarters[name]))
        elif name == "fy2023":
            found.append(period("ebitda", value, 12, dt.date(2023, 12, 31)))
        elif name.startswith("ytd_9m"):
            found.append(period("ebitda", value, 9, dt.date(int(name[-4:]), 9, 30)))
        elif name in ("cash", "ebitda"):
            found.append(figure(name, value))
        elif name == "restricted":
            found.append(figure("restricted_cash", value))
        elif name in ("base", "group"):
            found.append(figure("net_income", value))
        elif name in ("requested", "synergies"):
            found.append(figure("addback_synergies", value, "synergies"))
        elif name == "target_before_closing":
            found.append(figure("proforma_acquired", value, "EBITDA of the acquired business before closing"))
        else:
            assert name in ("level", "cap", "fixed", "netting_cap"), name
    return found


def definitions(terms: dict[str, Any], inputs: dict[str, str]) -> tuple[Definition, ...]:
    """The words of an agreement that has these terms."""
    debt = "means all Indebtedness of the Group"
    if terms.get("netting") == "capped":
        debt += f" less unrestricted cash in an aggregate amount not exceeding ${int(inputs['netting_cap']):,}"
    elif terms.get("netting") == "uncapped":
        debt += " less the aggregate amount of cash of the Group"
    if "fx_debt" in terms:
        debt += ". Indebtedness in another currency shall be converted into Dollars at the average rate of exchange used in the financial statements for the period"
    earnings = "means Net Income"
    if terms.get("pro_forma"):
        earnings += ", with the earnings of any acquired business for the part of the period prior to its acquisition"
    if "cap_kind" in terms:
        basis = {"before": " before giving effect to this clause (b)", "after": " after giving effect to this clause (b)"}.get(
            terms["cap_basis"], ""
        )
        share = f"{Fraction(inputs['cap']) * 100}% of EBITDA{basis}"
        ceiling = f"the greater of ${int(inputs['fixed']):,} and {share}" if terms["cap_kind"] == "greater_of" else share
        earnings += f" plus (a) losses and (b) synergies not to exceed {ceiling}"
    if terms.get("period") == "annualise":
        earnings += f"; for the period ended September 30, 2024, EBITDA is that of the three fiscal quarters then ended multiplied by {terms['factor']}"
    return (Definition(term="Total Debt", text=debt, instrument="a"), Definition(term="EBITDA", text=earnings, instrument="a"))


def run(case: dict[str, Any]) -> Calculated:
    """A case through the calculation."""
    terms, inputs = case["terms"], case["inputs"]
    compare = case.get("compare", {"comparator": "le"})
    level = inputs["level"]
    limit = Limit(unit=Unit.RATIO, value=Fraction(level), raw=f"{level} to 1.00", places=len(level.partition(".")[2]))
    metric = "net_leverage" if "netting" in terms else "total_leverage"
    covenant = Covenant(
        name="Leverage",
        metric=metric,
        section="7.1",
        comparator=Comparator(compare["comparator"]),
        limit=limit,
        document="a",
        definitions=definitions(terms, inputs),
    )
    paper = Certificate(document="c", test_date=DAY, signed=True, figures=tuple(lines(terms, inputs)))
    clause = case.get("rounding")
    rounding = read_rounding(LESS if clause["carry"] == "truncate_one_more" else OPEN) if clause else None
    agreement = AgreementTerms(rounding=rounding, cure=CureTerms(kind=terms["cure"]) if "cure" in terms else None)
    return calculate(covenant, (paper,), CaseFacts(test_date=DAY, home="USD", agreement=agreement))


@pytest.mark.skipif(not CASES, reason="the shared numeric cases are not there")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_numeric_case_is_right_to_the_fraction(case: dict[str, Any]) -> None:
    """Result, codes and every answer that is not a careless program's come out of definitions and a certificate."""
    if case["terms"]["formula"] == "utilisation":
        springing(case)
    else:
        given_by_certificate(case)


def given_by_certificate(case: dict[str, Any]) -> None:
    """A case of a ratio."""
    done = run(case)
    record = done.calculation
    assert isinstance(record, Calculation)
    values = {step.name: step.value for step in (*record.steps, *(record.cure.steps if record.cure else ()))}
    expected = {name: Fraction(answer) for name, answer in case["answers"].items() if name in NAMES}
    assert {name: values.get(NAMES[name]) for name in expected} == expected
    assert expected or case["id"] == "C12"
    assert done.result == case["result"]
    assert {code for code in record.codes if code != "accept_calculation_complete" or done.result != "review"} == set(
        case["codes"]
    )
    if "display" in case:
        assert isinstance(record.comparison, Comparison)
        shown = f"{record.comparison.shown_left}{',' if 'tested as' in record.comparison.shown_left else ''} against {record.comparison.shown_right}"
        assert shown == case["display"]
    if case["id"] == "C12":
        (why,) = [reason.sentence for reason in done.reasons if reason.code == "review_cap_basis_ambiguous"]
        debt = Fraction(case["inputs"]["debt"])
        for name, allowed in (("ratio_before", 15), ("ratio_after", 20)):
            assert f"{allowed},000,000" in why
            assert debt / (60 + allowed) / 10**6 == Fraction(case["answers"][name])
    if record.cure is not None:
        assert record.cure.met
        below = record.cure.least - Fraction(1, 100)
        assert Fraction(case["inputs"]["debt"]) / (Fraction(case["inputs"]["ebitda"]) + below) > Fraction(case["inputs"]["level"])


def springing(case: dict[str, Any]) -> None:
    """The case of a trigger: facts by name, the clause in words."""
    clause = (
        "but only if the outstanding Revolving Loans and drawn letters of credit are more than 40% of the Revolving Commitments"
    )
    trigger = read_trigger(clause)
    assert trigger is not None
    assert trigger.comparator.value == case["compare"]["comparator"]
    given = {name: value for name, value in case["inputs"].items() if name != "trigger"}
    found = utilisation_of(trigger, given, (), DAY)
    assert not isinstance(found.calculation, Missing)
    assert found.calculation.ratio == Fraction(case["answers"]["utilisation"])
    assert found.met is False
    assert [reason.code for reason in found.reasons] == case["codes"]
