"""From covenant and certificate to an exact ratio, or to what must be asked."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.definitions import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Doubt, Limit, Unit
from conformed.rules.calculation.calculate import Calculated, CaseFacts, calculate
from conformed.rules.calculation.formula import run_steps

DAY = datetime.date(2024, 12, 31)
DEBT = "means all Indebtedness of the Group less the lesser of (a) unrestricted cash and (b) $60,000,000"
GROSS = "means all Indebtedness of the Group"
EBITDA = (
    "means, for four consecutive fiscal quarters, Net Income plus (a) interest, taxes, depreciation and amortization and "
    "(b) synergies not to exceed 25% of EBITDA {basis}"
)
BEFORE, AFTER = "(calculated before giving effect to this clause (b))", "(calculated after giving effect to this clause (b))"
BASE: dict[str, Any] = {"net_income": 30, "interest": 10, "taxes": 8, "depreciation_and_amortization": 12}
"""Lines of earnings before add-backs, millions: together 60."""


def covenant(
    level: str = "3.50",
    comparator: Comparator = Comparator.LE,
    metric: str = "total_leverage",
    debt: str = GROSS,
    basis: str = BEFORE,
) -> Covenant:
    """A covenant with definitions of its own wording."""
    definitions = (
        Definition(term="Total Debt", text=debt, instrument="a"),
        Definition(term="EBITDA", text=EBITDA.format(basis=basis), instrument="a"),
    )
    limit = Limit(unit=Unit.RATIO, value=Fraction(level), raw=f"{level} to 1.00", places=len(level.partition(".")[2]))
    return Covenant(
        name="Leverage Ratio",
        metric=metric,
        section="7.1",
        comparator=comparator,
        limit=limit,
        document="a",
        definitions=definitions,
    )


def certificate(currency: str = "USD", scale: int = 1000, signed: bool | None = True, **millions: object) -> Certificate:
    """A certificate with figures in millions, by name; ``ratio`` and ``required_level`` are pure numbers as written."""
    figures = []
    for name, value in millions.items():
        pure = name.startswith(("ratio", "required"))
        exact = Fraction(str(value))
        figures.append(
            Figure(
                name=name,
                label=name.replace("addback_", "").replace("_", " "),
                value=exact if pure else exact * 10**6,
                currency=None if pure else currency,
                scale=1 if pure else scale,
                raw=f"{value} to 1.00" if pure else str(value),
            )
        )
    stated = {f.name: f.value for f in figures}
    return Certificate(
        document="c.pdf",
        test_date=DAY,
        figures=tuple(figures),
        signed=signed,
        states_ratio=stated.get("ratio"),
        states_level=stated.get("required_level"),
    )


def run(terms: Covenant, *papers: Certificate, **facts: object) -> Calculated:
    """A calculation for the test date."""
    return calculate(terms, papers, CaseFacts(test_date=DAY, home="USD", **facts))  # type: ignore[arg-type]


def record(done: Calculated) -> Calculation:
    """The calculation of a run that has one, every step of it worked again from figures and expressions alone."""
    assert isinstance(done.calculation, Calculation)
    inputs = {figure.name: figure.value for figure in done.calculation.figures}
    assert run_steps(inputs, [(s.name, s.expression, s.unit) for s in done.calculation.steps]) == done.calculation.steps
    return done.calculation


def test_total_leverage_that_meets_its_level_exactly() -> None:
    """Debt parts tie to their total, earnings are built up, the ratio is exact and equality passes a maximum."""
    done = run(covenant(), certificate(debt_term=200, debt_notes=10, total_debt=210, **BASE, ebitda=60))
    assert done.result == "pass"
    assert record(done).ratio == Fraction(7, 2)
    assert done.calculation.codes == ("accept_calculation_complete",)  # type: ignore[union-attr]
    assert record(done).headroom_debt == 0
    assert run(covenant(comparator=Comparator.LT), certificate(total_debt=210, **BASE, ebitda=60)).result == "breach"


def test_net_leverage_takes_restricted_cash_out_before_the_cap() -> None:
    """Cash less restricted cash, then the cap (rule book 4.5)."""
    done = run(
        covenant("4.00", metric="net_leverage", debt=DEBT), certificate(total_debt=300, cash=90, restricted_cash=12, **BASE)
    )
    values = {step.name: step.value / 10**6 for step in record(done).steps}
    assert (values["eligible_cash"], values["netted_cash"], values["tested_debt"]) == (78, 60, 240)
    assert (done.result, record(done).ratio) == ("pass", Fraction(4))
    brackets = run(
        covenant("4.00", metric="net_leverage", debt=DEBT), certificate(total_debt=300, cash=90, restricted_cash=-12, **BASE)
    )
    assert record(brackets).ratio == Fraction(4)


@pytest.mark.parametrize(("basis", "allowed", "ratio", "result"), [(BEFORE, 15, "56/15", "breach"), (AFTER, 20, "7/2", "pass")])
def test_the_basis_of_a_cap_decides(basis: str, allowed: int, ratio: str, result: str) -> None:
    """A quarter of EBITDA before the add-back allows 15, after it 20; only the words differ."""
    done = run(covenant(basis=basis), certificate(total_debt=280, **BASE, addback_synergies=25))
    values = {step.name: step.value / 10**6 for step in record(done).steps}
    assert values["addbacks_allowed"] == allowed
    assert (record(done).ratio, done.result) == (Fraction(ratio), result)


def test_a_silent_cap_is_review_only_where_it_matters() -> None:
    """Silent on before or after: review when the readings allow different amounts, a finding when they do not."""
    assert (
        "review_cap_basis_ambiguous"
        in record(run(covenant(basis=""), certificate(total_debt=280, **BASE, addback_synergies=25))).codes
    )
    same = run(covenant(basis=""), certificate(total_debt=210, **BASE, addback_synergies=15))
    assert record(same).codes == ("accept_calculation_complete", "finding_reading_immaterial")
    assert same.result == "pass"


def test_a_line_that_no_clause_names_may_be_under_the_cap() -> None:
    """An add-back that the definition does not account for is asked about where the cap could bind, and only there."""
    binding = run(covenant("9.00"), certificate(total_debt=210, **BASE, addback_synergies=12, addback_rebranding=8))
    assert "review_cap_basis_ambiguous" in record(binding).codes
    free = run(covenant("9.00"), certificate(total_debt=210, **BASE, addback_synergies=2, addback_rebranding=1))
    assert free.result == "pass"
    assert record(free).ratio == Fraction(210, 63)


def test_a_fixed_cap_limits_its_items() -> None:
    """A ceiling in money is applied like a share."""
    fixed = covenant("9.00").model_copy(
        update={
            "definitions": (
                Definition(term="Total Debt", text=GROSS, instrument="a"),
                Definition(
                    term="EBITDA",
                    text="means Net Income plus (a) interest, taxes, depreciation and amortization and (b) severance "
                    "not exceeding $5,000,000",
                    instrument="a",
                ),
            )
        }
    )
    assert record(run(fixed, certificate(total_debt=195, **BASE, addback_severance=9))).ratio == 3


def test_a_tax_benefit_is_taken_out() -> None:
    """A line that starts with "minus" is subtracted when its figure is not in brackets, and added as it stands when it is."""
    for value in (8, -8):
        paper = certificate(total_debt=132, net_income=30, interest=10, depreciation_and_amortization=12)
        tax = Figure(
            name="taxes", label="minus tax benefit", value=Fraction(value) * 10**6, currency="USD", scale=1000, raw=str(value)
        )
        done = run(covenant(), paper.model_copy(update={"figures": (*paper.figures, tax)}))
        assert record(done).ratio == 3


def test_a_certificate_that_ignores_the_cap_is_a_finding() -> None:
    """The definition's cap is applied whatever the certificate adds up; its ratio then differs."""
    done = run(
        covenant(), certificate(total_debt=280, **BASE, addback_synergies=25, ebitda=85, ratio="3.29", required_level="3.75")
    )
    assert done.result == "breach"
    assert set(record(done).codes) == {
        "accept_calculation_complete",
        "finding_certificate_ratio_differs",
        "finding_certificate_uses_wrong_level",
    }


def test_a_ratio_stated_by_correct_rounding_is_no_difference() -> None:
    """The certificate's ratio is compared at the places that it shows."""
    done = run(covenant("4.00"), certificate(total_debt=200, **BASE, ratio="3.33", required_level="4.00"))
    assert record(done).codes == ("accept_calculation_complete",)


@pytest.mark.parametrize(
    ("paper", "code"),
    [
        (certificate(debt_term=200, debt_notes=5, total_debt=210, **BASE), "review_input_conflict"),
        (certificate(total_debt=210, **BASE, ebitda=66), "review_input_conflict"),
        (certificate(total_debt=210, **BASE, total_debt__2=211), "review_input_conflict"),
        (certificate(**BASE), "review_input_missing"),
        (certificate(total_debt=210), "review_input_missing"),
        (certificate(total_debt=210, ebitda=60), "review_input_missing"),
        (certificate(total_debt=210, net_income=30, interest=10, taxes=8, depreciation=12), "review_input_missing"),
        (certificate(total_debt=210, **BASE, signed=False), "review_certificate_unsigned"),
        (certificate(total_debt=210, **BASE, signed=None), "review_certificate_unsigned"),
        (certificate(total_debt="0.0000006", **BASE), "review_scale_suspect"),
        (certificate(total_debt=21000, **BASE), "review_scale_suspect"),
        (
            certificate(total_debt=210, net_income=-90, interest=10, taxes=8, depreciation_and_amortization=12),
            "review_ebitda_non_positive",
        ),
        (
            certificate(total_debt=210, **BASE).model_copy(
                update={"doubts": (Doubt(code="review_scale_unknown", sentence="No heading."),)}
            ),
            "review_scale_unknown",
        ),
        (certificate(total_debt=210, **BASE).model_copy(update={"test_date": None}), "review_period_mismatch"),
    ],
)
def test_what_is_open_goes_to_a_person(paper: Certificate, code: str) -> None:
    """Each thing that the figures leave open ends in review under its own code, never in pass."""
    done = run(covenant(), paper)
    assert done.result == "review"
    assert code in {reason.code for reason in done.reasons}
    assert "accept_calculation_complete" not in {reason.code for reason in done.reasons}
    assert all(reason.sentence for reason in done.reasons)


def test_mixed_currencies_are_not_added() -> None:
    """Debt in one currency and earnings in another need a rate that the agreement fixes."""
    euro = certificate(currency="EUR", total_debt=210).figures
    paper = certificate(**BASE)
    done = run(covenant(), paper.model_copy(update={"figures": (*euro, *paper.figures)}))
    assert "review_currency_mismatch" in record(done).codes


def test_earnings_of_zero_or_less_give_no_ratio() -> None:
    """No quotient is made; both amounts and the cross product are shown (CA-40, CA-41), net cash included."""
    losses = {**BASE, "net_income": -33}
    done = run(
        covenant(metric="net_leverage", debt=DEBT.replace("$60,000,000", "$90,000,000")),
        certificate(total_debt=14, cash=20, restricted_cash=0, **losses),
    )
    assert isinstance(record(done).ratio, Missing)
    values = {step.name: step.value / 10**6 for step in record(done).steps}
    assert (values["cross_left"], values["cross_right"]) == (-6, Fraction(7, 2) * -3)
    assert done.result == "review"


def test_a_definition_outside_the_pack_is_review() -> None:
    """A full run without the definition of earnings or debt cannot be complete."""
    bare = covenant().model_copy(update={"definitions": ()})
    done = run(bare, certificate(total_debt=210, **BASE))
    assert done.result == "review"
    assert sum(reason.code == "review_input_missing" for reason in done.reasons) == 2


@pytest.mark.parametrize(
    ("clause", "level", "debt", "result", "tested"),
    [
        (None, "3.50", "210.24", "breach", None),
        (RoundingTerms(carry="truncate"), "3.50", "210.24", "pass", "7/2"),
        (RoundingTerms(carry="unstated"), "3.50", "210.24", "pass", "7/2"),
        (RoundingTerms(carry="unstated"), "3.5", "212.4", "pass", "7/2"),
        (RoundingTerms(carry="unstated"), "3.50", "210.294", "review", "7/2"),
        (RoundingTerms(carry="truncate"), "3.50", "210.294", "pass", "7/2"),
    ],
)
def test_rounding_only_by_clause(clause: RoundingTerms | None, level: str, debt: str, result: str, tested: str | None) -> None:
    """Without a clause nothing is rounded; with one, the level's own places count, two ways to carry may be asked about."""
    done = run(covenant(level), certificate(total_debt=debt, **BASE), rounding=clause)
    assert done.result == result
    assert record(done).ratio == Fraction(debt) / 60
    if tested:
        comparison = record(done).comparison
        assert not isinstance(comparison, Missing)
        assert comparison.left == Fraction(tested)
        assert "tested as 3.50x under the rounding clause" in comparison.shown_left


def test_other_and_double_certificates() -> None:
    """A certificate for another date is not used; two for one date must agree; none at all is missing."""
    mine, other = certificate(total_debt=210, **BASE), certificate(total_debt=180, **BASE)
    old = other.model_copy(update={"test_date": datetime.date(2024, 9, 30), "document": "b.pdf"})
    assert record(run(covenant(), old, mine)).ratio == Fraction(7, 2)
    assert isinstance(run(covenant(), old).calculation, Missing)
    assert isinstance(run(covenant()).calculation, Missing)
    clash = run(covenant(), mine, other.model_copy(update={"document": "b.pdf"}))
    assert [reason.code for reason in clash.reasons] == ["review_input_conflict"]


def test_only_leverage_is_calculated() -> None:
    """Another metric is not forced into debt over earnings."""
    done = run(covenant(metric="interest_cover"), certificate(total_debt=210, **BASE))
    assert isinstance(done.calculation, Missing)
    assert done.result == "review"


def test_low_headroom_is_the_institutions_own_level() -> None:
    """The finding comes only where the ratio is nearer to the level than the alert, in turns, compared exactly."""
    paper = certificate(total_debt=189, **BASE)
    for alert, found in ((None, False), (Fraction(35, 100), False), (Fraction(350001, 10**6), True)):
        done = run(covenant(), paper, alert_headroom=alert)
        assert record(done).headroom_ebitda == Fraction(1, 10)
        assert ("finding_headroom_low" in record(done).codes) is found


def test_ranked_debt_is_never_the_total() -> None:
    """A senior ratio needs the senior line; total debt does not stand in for it."""
    senior = covenant(metric="senior_leverage")
    assert run(senior, certificate(total_debt=210, **BASE)).result == "review"
    assert record(run(senior, certificate(total_debt=210, senior_debt=180, **BASE))).ratio == 3


@given(st.integers(1, 10**6), st.integers(1, 10**5), st.integers(100, 900))
def test_the_result_is_that_of_whole_numbers(debt: int, income: int, level: int) -> None:
    """For any figures, pass and breach are what cross-multiplied integers say, and the trace recomputes."""
    lines = {"interest": 0, "taxes": 0, "depreciation_and_amortization": 0}
    done = run(covenant(f"{level // 100}.{level % 100:02d}"), certificate(total_debt=debt, net_income=income, **lines))
    ratio = Fraction(debt, income)
    assert record(done).ratio == ratio
    if Fraction(1, 10) <= ratio <= 100:
        assert done.result == ("pass" if debt * 100 <= level * income else "breach")
