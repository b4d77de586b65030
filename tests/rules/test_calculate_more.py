"""Periods, currencies, eligibility, several caps, pro forma, frozen accounting, cures and lines, through ``calculate``."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.agreement import CureTerms, FrozenBasis
from conformed.language.rounding import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.rules.agreement_terms import AgreementTerms
from conformed.rules.calculate import Calculated, CaseFacts, calculate
from conformed.rules.formula import run_steps

DAY = dt.date(2024, 9, 30)
GROSS = "means all Indebtedness of the Group"
PLAIN = "means Net Income of the Group"


def figure(name: str, value: object, label: str = "", **more: Any) -> Figure:
    """A line in millions of dollars."""
    return Figure(
        name=name,
        label=label or name.replace("addback_", "").replace("_", " "),
        value=Fraction(str(value)) * 10**6,
        raw=str(value),
        **{"currency": "USD", "scale": 1000, **more},
    )


def period(value: object, months: int, end: dt.date, name: str = "net_income", **more: Any) -> Figure:
    """Earnings of one period, millions."""
    return figure(f"{name}__{months}m_{end:%Y%m%d}", value, name, months=months, as_of=end, **more)


def covenant(
    debt: str = GROSS, earnings: str = PLAIN, level: str = "4.00", metric: str = "", comparator: Comparator = Comparator.LE
) -> Covenant:
    """A covenant with definitions of its own wording."""
    words = {"Total Debt": debt, "EBITDA": earnings}
    return Covenant(
        name="Leverage Ratio",
        metric=metric or ("net_leverage" if "cash" in debt.lower() else "total_leverage"),
        section="7.1",
        comparator=comparator,
        limit=Limit(unit=Unit.RATIO, value=Fraction(level), raw=f"{level} to 1.00", places=len(level.partition(".")[2])),
        document="a",
        definitions=tuple(Definition(term=term, text=text, instrument="a") for term, text in words.items()),
    )


def run(terms: Covenant, *lines: Figure, paper: dict[str, Any] | None = None, **facts: Any) -> Calculated:
    """A calculation with one certificate."""
    certificate = Certificate(document="c", test_date=DAY, signed=True, figures=lines, **(paper or {}))
    return calculate(terms, (certificate,), CaseFacts(test_date=DAY, home="USD", **facts))


def record(done: Calculated) -> Calculation:
    """The record, each of its steps worked again from figures and expressions alone."""
    assert isinstance(done.calculation, Calculation)
    inputs = {f.name: f.value for f in done.calculation.figures}
    assert run_steps(inputs, [(s.name, s.expression, s.unit) for s in done.calculation.steps]) == done.calculation.steps
    return done.calculation


def value(done: Calculated, name: str) -> Fraction:
    """A line of the trace in millions."""
    return next(s.value for s in record(done).steps if s.name == name) / 10**6


def codes(done: Calculated) -> set[str]:
    """Codes of a calculation."""
    return {reason.code for reason in done.reasons}


D = dt.date
FY, YTD, PRIOR = (period(180, 12, D(2023, 12, 31)), period(140, 9, DAY), period(130, 9, D(2023, 9, 30)))


def test_full_year_and_stubs() -> None:
    """Full year + year to date - prior year to date, for every line of the definition apart."""
    parts = [period(v, m, e, "interest") for v, m, e in ((40, 12, D(2023, 12, 31)), (33, 9, DAY), (29, 9, D(2023, 9, 30)))]
    done = run(covenant(earnings="means Net Income plus interest"), figure("total_debt", 468), FY, YTD, PRIOR, *parts)
    assert (value(done, "net_income_12m"), value(done, "interest_12m"), value(done, "ebitda_tested")) == (190, 44, 234)
    assert (record(done).ratio, done.result) == (2, "pass")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ((FY, YTD, period(90, 6, D(2023, 9, 30))), "review_period_mismatch"),
        ((period(180, 12, D(2023, 9, 30)), YTD, PRIOR), "review_period_mismatch"),
        ((FY, YTD, PRIOR.model_copy(update={"basis": "restated"})), "review_comparatives_restated"),
        ((FY, YTD, PRIOR.model_copy(update={"currency": "EUR"})), "review_period_mismatch"),
        ((FY, YTD), "review_period_incomplete"),
        ((YTD,), "review_period_incomplete"),
        ((FY, period(140, 9, D(2024, 6, 30)), PRIOR), "review_period_incomplete"),
        ((period(60, 3, DAY), period(60, 3, D(2024, 6, 30)), period(60, 3, D(2024, 3, 31))), "review_period_incomplete"),
        (
            (
                period(60, 3, DAY),
                *(period(60, 3, d, basis="restated") for d in (D(2024, 6, 30), D(2024, 3, 31), D(2023, 12, 31))),
            ),
            "review_comparatives_restated",
        ),
    ],
)
def test_periods_that_do_not_line_up(lines: tuple[Figure, ...], code: str) -> None:
    """Stubs of different length, a year that ends elsewhere, a restated comparative, a missing period: each is asked about."""
    done = run(covenant(), figure("total_debt", 400), *lines)
    assert done.result == "review"
    assert code in codes(done)


def test_a_year_of_53_weeks_lines_up_and_is_not_scaled() -> None:
    """Fiscal years that end some days into the next month are the same months."""
    lines = (period(180, 12, D(2023, 12, 30)), period(140, 9, DAY), period(130, 9, D(2023, 10, 1)))
    assert value(run(covenant(), figure("total_debt", 380), *lines), "ebitda_tested") == 190


QUARTERS = tuple(period(v, 3, e) for v, e in ((41, D(2023, 12, 31)), (44, D(2024, 3, 31)), (48, D(2024, 6, 30)), (57, DAY)))


def test_four_single_quarters_are_added() -> None:
    """All four, and a column of twelve months to the test date goes before them."""
    assert value(run(covenant(), figure("total_debt", 380), *QUARTERS), "ebitda_tested") == 190
    whole = period(191, 12, DAY)
    assert value(run(covenant(), figure("total_debt", 380), *QUARTERS, whole), "ebitda_tested") == 191


ANNUAL = (
    "means Net Income, provided that EBITDA shall be (i) for the period ended March 31, 2024, that of the fiscal quarter then ended multiplied by "
    "four, (ii) for the period ended June 30, 2024, that of the two fiscal quarters then ended multiplied by two, and (iii) for the period ended "
    "September 30, 2024, that of the three fiscal quarters then ended multiplied by 4/3"
)


def test_annualised_as_the_definition_writes_it() -> None:
    """Three quarters times four thirds on the day that the words name; on another day, or without words, nothing is annualised."""
    done = run(covenant(earnings=ANNUAL), figure("total_debt", 400), *QUARTERS[1:])
    assert value(done, "ebitda_tested") == Fraction(149 * 4, 3)
    stub = run(covenant(earnings=ANNUAL), figure("total_debt", 400), period(149, 9, DAY))
    assert record(stub).ratio == record(done).ratio
    flat = run(covenant(earnings=ANNUAL), figure("total_debt", 400), figure("net_income", 149))
    assert "review_period_incomplete" in codes(flat)  # of which period, and annualised or not, is not shown
    odd = covenant(earnings="means Net Income on an annualized basis")
    assert "review_period_incomplete" in codes(run(odd, figure("total_debt", 400), figure("net_income", 149)))
    later = covenant(earnings=ANNUAL.replace("September 30, 2024", "October 31, 2024"))
    assert "review_period_incomplete" in codes(run(later, figure("total_debt", 400), *QUARTERS[1:]))
    assert "review_period_incomplete" in codes(run(covenant(earnings=ANNUAL), figure("total_debt", 400), *QUARTERS[2:]))


def test_quarters_named_by_their_place_after_closing() -> None:
    """The third full quarter after closing is known only where the day of closing is evidenced."""
    words = "means Net Income; for the third full fiscal quarter ending after the Closing Date, EBITDA of the three fiscal quarters then ended multiplied by 4/3"
    lines = (figure("total_debt", 400), *QUARTERS[1:])
    assert "review_period_incomplete" in codes(run(covenant(earnings=words), *lines))
    closed = run(covenant(earnings=words), *lines, agreement=AgreementTerms(closing=D(2023, 12, 15)))
    assert value(closed, "ebitda_tested") == Fraction(149 * 4, 3)
    late = run(covenant(earnings=words), *lines, agreement=AgreementTerms(closing=D(2024, 2, 15)))
    assert "review_period_incomplete" in codes(late)


DEEMED = "means Net Income; EBITDA shall be deemed to be $50,000,000 for the fiscal quarter ended December 31, 2023 and $52,000,000 for the fiscal quarter ended March 31, 2024"


def test_deemed_quarters_replace_the_accounts() -> None:
    """Named quarters take the agreement's figure; a certificate without quarters cannot show that, and is asked about."""
    done = run(covenant(earnings=DEEMED), figure("total_debt", 414), *QUARTERS)
    assert value(done, "ebitda_tested") == 50 + 52 + 48 + 57
    assert (record(done).ratio, done.result) == (2, "pass")
    whole = run(covenant(earnings=DEEMED), figure("total_debt", 414), figure("net_income", 190))
    assert "review_input_missing" in codes(whole)
    listed = (
        "means Net Income; for the fiscal quarters ended December 31, 2023 and March 31, 2024, EBITDA for such fiscal quarters shall be deemed to "
        "be $50,000,000 and $52,000,000, respectively."
    )
    assert value(run(covenant(earnings=listed), figure("total_debt", 414), *QUARTERS), "ebitda_tested") == 207
    uneven = listed.replace(" and $52,000,000", "")
    assert "review_period_mismatch" in codes(run(covenant(earnings=uneven), figure("total_debt", 414), *QUARTERS))
    past = run(covenant(earnings=DEEMED.replace("2023", "2021").replace("2024", "2022")), figure("total_debt", 380), *QUARTERS)
    assert value(past, "ebitda_tested") == 190


FX = ". Indebtedness in a currency other than Dollars shall be converted into Dollars at the {kind} used in the financial statements for the period"
AVERAGE, SPOT = FX.format(kind="average rate of exchange"), FX.format(kind="closing rate of exchange")


def rate(number: str, kind: str = "average", label: str = "", day: dt.date | None = DAY, name: str = "") -> Figure:
    """A rate line of a certificate."""
    return Figure(
        name=name or f"usd_per_eur_{kind}",
        label=label or f"{kind} rate used in the financial statements, US dollars per euro",
        value=Fraction(number),
        raw=number,
        as_of=day,
    )


EURO = (figure("debt_loans", 198), figure("debt_notes", 120, currency="EUR"), figure("net_income", 94))


def test_currency_at_the_rate_that_the_agreement_names() -> None:
    """Average or closing by the words; the direction of the rate is part of its unit."""
    both = (rate("1.0850"), rate("1.1120", "closing"))
    assert value(run(covenant(GROSS + AVERAGE), *EURO, *both), "tested_debt") == 198 + 120 * Fraction("1.085")
    assert value(run(covenant(GROSS + SPOT), *EURO, *both), "tested_debt") == 198 + 120 * Fraction("1.112")
    turned = rate("0.8", name="eur_per_usd_average", label="average rate of the financial statements, euros per US dollar")
    done = run(covenant(GROSS + AVERAGE), *EURO, turned)
    assert value(done, "tested_debt") == 198 + 120 / Fraction("0.8")
    assert (record(done).currency, done.result) == ("USD", "pass")


@pytest.mark.parametrize(
    ("words", "rates"),
    [
        ("", (rate("1.0850"),)),
        (AVERAGE, ()),
        (AVERAGE, (rate("1.1120", "closing"),)),
        (AVERAGE, (rate("1.0850"), rate("1.0860", name="usd_per_eur_average__2"))),
        (AVERAGE, (rate("1.0850", day=D(2024, 6, 30)),)),
        (AVERAGE, (rate("1.0850", label="average rate, US dollars per euro"),)),
        (AVERAGE.replace(" used in the financial statements for the period", ""), (rate("1.0850"),)),
        (AVERAGE.replace("average", "applicable"), (rate("1.0850"),)),
    ],
)
def test_a_rate_that_is_not_fixed_or_not_shown(words: str, rates: tuple[Figure, ...]) -> None:
    """Kind, source, day and direction must stand in the agreement and in the certificate; else nothing is converted."""
    done = run(covenant(GROSS + words), *EURO, *rates)
    assert done.result == "review"
    assert {"review_fx_basis_missing", "review_currency_mismatch"} & codes(done)
    assert "accept_calculation_complete" not in codes(done)


def test_a_cap_is_converted_before_it_is_applied() -> None:
    """Convert first, then take out what is not eligible, then cap."""
    words = "means all Indebtedness less unrestricted cash not exceeding €10,000,000. All amounts shall be converted into Dollars at the average rate of exchange used in the financial statements"
    done = run(
        covenant(words), figure("total_debt", 400), figure("unrestricted_cash", 30), figure("net_income", 100), rate("1.10")
    )
    assert value(done, "netted_cash") == 11


NETTED = "means all Indebtedness less unrestricted cash held in the United States in accounts subject to control agreements, not exceeding $60,000,000"
BASE = (figure("total_debt", 500), figure("net_income", 110))


def test_eligible_cash_by_place_and_control() -> None:
    """What is held elsewhere or not under control goes out before the cap; what is not shown is asked about."""
    lines = (figure("unrestricted_cash", 90), figure("foreign_cash", 25), figure("uncontrolled_cash", 10))
    done = run(covenant(NETTED, level="5.00"), *BASE, *lines)
    assert (value(done, "eligible_cash"), value(done, "netted_cash")) == (55, 55)
    assert done.result == "pass"
    anywhere = "means all Indebtedness less unrestricted cash, not exceeding $60,000,000"
    assert value(run(covenant(anywhere, level="5.00"), *BASE, *lines), "netted_cash") == 60  # place does not matter there
    share = "means all Indebtedness less 65% of the unrestricted cash of the Group"
    assert "review_cap_basis_ambiguous" in codes(run(covenant(share, level="5.00"), *BASE, lines[0]))
    bare = run(covenant(NETTED, level="5.00"), *BASE, figure("unrestricted_cash", 90))
    assert "review_cash_eligibility_unproven" in codes(bare)
    shown = figure("unrestricted_cash", 50, "unrestricted cash in the United States under control agreements")
    assert run(covenant(NETTED, level="5.00"), *BASE, shown).result == "pass"
    nil = (figure("foreign_cash", 0), figure("uncontrolled_cash", 0))
    assert run(covenant(NETTED, level="5.00"), *BASE, figure("unrestricted_cash", 50), *nil).result == "pass"


def test_a_term_for_cash_that_counts_is_evidence_and_a_plain_one_is_not() -> None:
    """A line that bears the defined term "Eligible Cash" is in that meaning; "Cash Equivalents" says nothing of restriction."""
    for term, result in (("Eligible Cash", "pass"), ("Cash Equivalents", "review")):
        base = covenant(f"means all Indebtedness less {term}, other than restricted cash", level="5.00")
        own = Definition(term=term, text=f"{term} means cash that is not restricted", instrument="a")
        done = run(
            base.model_copy(update={"definitions": (*base.definitions, own)}), *BASE, figure("cash", 50, f"Cash, being {term}")
        )
        assert done.result == result


@pytest.mark.parametrize(
    ("ceiling", "netted"),
    [
        ("the greater of $40,000,000 and 50% of EBITDA", 55),
        ("the greater of $70,000,000 and 50% of EBITDA", 70),
        ("25 per cent. of EBITDA", Fraction(55, 2)),
    ],
)
def test_a_cap_on_cash_as_a_share_of_earnings(ceiling: str, netted: object) -> None:
    """A share of EBITDA, or the greater of it and an amount."""
    done = run(
        covenant(f"means all Indebtedness less unrestricted cash not exceeding {ceiling}", level="5.00"),
        *BASE,
        figure("unrestricted_cash", 90),
    )
    assert value(done, "netted_cash") == netted


def test_a_cap_on_cash_with_two_limbs_and_no_order_is_asked() -> None:
    """An amount and a share without "greater of" fix no cap."""
    words = "means all Indebtedness less unrestricted cash not exceeding $40,000,000 or 50% of EBITDA"
    assert "review_cap_basis_ambiguous" in codes(run(covenant(words, level="5.00"), *BASE, figure("unrestricted_cash", 90)))


TWO = "means Net Income plus (a) severance not to exceed {one} plus (b) synergies not to exceed {two}"


def capped(one: str, two: str, severance: object, synergies: object) -> Calculated:
    """Earnings of 100 with two capped items."""
    words = TWO.format(one=one, two=two)
    return run(
        covenant(earnings=words),
        figure("total_debt", 200),
        figure("net_income", 100),
        figure("addback_severance", severance),
        figure("addback_synergies", synergies),
    )


def test_several_caps_that_may_refer_to_each_other() -> None:
    """Each before its own clause: open where the other item would move its limit, settled where it does not or the words order them."""
    mine = "10% of EBITDA before giving effect to this clause"
    out = "10% of EBITDA before giving effect to any such add-backs"
    last = "10% of EBITDA after all other adjustments but before giving effect to this clause"
    assert "review_cap_basis_ambiguous" in codes(capped(mine, mine, 20, 20))
    assert "review_cap_basis_ambiguous" in codes(capped(mine, mine, 5, 20))
    small = capped(mine, mine, 5, 6)
    assert (small.result, value(small, "ebitda_tested")) == ("pass", 111)
    assert value(capped(out, out, 20, 20), "ebitda_tested") == 120
    assert capped(out, out, 20, 20).result == "pass"
    ordered = capped(out, last, 20, 20)
    assert (ordered.result, value(ordered, "ebitda_tested")) == ("pass", 121)


def test_a_share_near_the_whole_after_hardly_bounds() -> None:
    """99.9% of EBITDA after the item allows 999 times what stands before it."""
    words = "means Net Income plus (a) losses and (b) synergies not to exceed 100% of EBITDA after giving effect thereto".replace(
        "100%", "99.9%"
    )
    done = run(covenant(earnings=words), figure("total_debt", 200), figure("net_income", 100), figure("addback_synergies", 300))
    assert value(done, "ebitda_tested") == 400


def test_a_line_under_two_caps_is_asked() -> None:
    """Two ceilings over one item without an order are a question."""
    words = "means Net Income plus (a) synergies not to exceed 10% of EBITDA before giving effect thereto; provided that synergies shall not exceed $5,000,000"
    assert "review_cap_basis_ambiguous" in codes(
        run(covenant(earnings=words), figure("total_debt", 200), figure("net_income", 100), figure("addback_synergies", 9))
    )


PRO_FORMA = "means Net Income, with the earnings of any acquired business for the part of the period prior to its acquisition"


def test_pro_forma_counts_only_the_part_before_closing() -> None:
    """A line that says so is added, one sold is taken out; without words of the definition, or of the line, it is asked about."""
    bought = figure("proforma_acquired", 7, "EBITDA of the acquired business before closing")
    sold = figure("proforma_disposed", 4, "EBITDA of the business sold")
    lines = (figure("total_debt", 200), figure("net_income", 100), bought, sold)
    done = run(covenant(earnings=PRO_FORMA), *lines)
    assert (done.result, value(done, "ebitda_tested")) == ("pass", 103)
    assert "review_proforma_unsupported" in codes(run(covenant(), *lines))
    whole = bought.model_copy(update={"label": "EBITDA of the acquired business for the year"})
    assert "review_proforma_unsupported" in codes(run(covenant(earnings=PRO_FORMA), *lines[:2], whole))


def test_projected_savings_need_what_the_definition_asks() -> None:
    """A certificate, actions and a horizon where the words ask for them."""
    words = (
        PRO_FORMA
        + " plus (b) cost savings certified by a Responsible Officer and realizable within 18 months, not to exceed $9,000,000"
    )
    lines = (figure("total_debt", 200), figure("net_income", 100), figure("addback_cost_savings", 5, "cost savings"))
    assert "review_proforma_unsupported" in codes(run(covenant(earnings=words), *lines))
    half = run(covenant(earnings=words), *lines, paper={"supports": ("certified",)})
    assert "review_proforma_unsupported" in codes(half)
    assert run(covenant(earnings=words), *lines, paper={"supports": ("certified", "horizon")}).result == "pass"


FROZEN = AgreementTerms(frozen=FrozenBasis(raw="computed on the Accounting Principles used in the Original Financial Statements"))
RECON = (figure("recon_debt", -18, "IFRS 16 adjustment to debt"), figure("recon_earnings", -6, "IFRS 16 adjustment to EBITDA"))


def test_frozen_accounting_moves_both_sides() -> None:
    """A change is taken out of debt and of earnings by the certificate's reconciliation; half of it is none (P43)."""
    lines = (figure("total_debt", 318), figure("net_income", 106))
    changed: dict[str, Any] = {"accounting": "changed"}
    done = run(covenant(), *lines, *RECON, paper=changed, agreement=FROZEN)
    assert (value(done, "tested_debt"), value(done, "ebitda_tested"), record(done).ratio) == (300, 100, 3)
    assert codes(done) == {"accept_calculation_complete", "finding_accounting_basis_frozen"}
    for some in ((), RECON[:1], RECON[1:]):
        half = run(covenant(), *lines, *some, paper=changed, agreement=FROZEN)
        assert "review_accounting_change_unreconciled" in codes(half)
    assert codes(run(covenant(), *lines, agreement=FROZEN)) == {"accept_calculation_complete"}
    kept: dict[str, Any] = {"accounting": "frozen", "supports": ("reconciliation",)}
    assert "finding_accounting_basis_frozen" in codes(run(covenant(), *lines, paper=kept, agreement=FROZEN))
    assert "review_accounting_change_unreconciled" in codes(run(covenant(), *lines, *RECON, paper=changed))
    assert codes(run(covenant(), *lines, paper=changed)) == {"accept_calculation_complete"}


def test_deemed_to_exceed() -> None:
    """Earnings of zero or less are a breach only where the agreement says so, in a definition or beside it; never a pass."""
    words = "means Net Income; if EBITDA is zero or negative the Leverage Ratio shall be deemed to exceed the level"
    lines = (figure("total_debt", 50), figure("net_income", -4))
    for terms, agreement in ((covenant(earnings=words), AgreementTerms()), (covenant(), AgreementTerms(non_positive="breach"))):
        done = run(terms, *lines, agreement=agreement)
        assert done.result == "breach"
        assert isinstance(record(done).ratio, Missing)
    assert run(covenant(), *lines).result == "review"
    assert run(covenant(), figure("total_debt", 50), figure("net_income", 0)).result == "review"
    unsigned = run(covenant(earnings=words), *lines, paper={}, agreement=AgreementTerms())
    assert unsigned.result == "breach"


def test_net_cash_with_positive_earnings_passes() -> None:
    """Net debt below zero with earnings meets any maximum."""
    done = run(
        covenant("means all Indebtedness less unrestricted cash"),
        figure("total_debt", 10),
        figure("unrestricted_cash", 30),
        figure("net_income", 5),
    )
    assert (done.result, record(done).ratio) == ("pass", -4)


CURE = AgreementTerms(cure=CureTerms(kind="ebitda"))


def test_the_least_cure_is_rounded_up_and_stands_beside_the_breach() -> None:
    """The first result stays; the least payable amount meets the level and one cent less does not."""
    done = run(covenant(level="3.75"), figure("total_debt", 412), figure("net_income", "104.2"), agreement=CURE)
    cure = record(done).cure
    assert cure is not None
    assert (done.result, cure.least, cure.met) == ("breach", Fraction(566666667, 100), True)
    assert Fraction(412 * 10**6) / (Fraction("104200000") + cure.least - Fraction(1, 100)) > Fraction("3.75")
    assert (
        record(run(covenant(level="4.00"), figure("total_debt", 412), figure("net_income", "104.2"), agreement=CURE)).cure is None
    )
    assert record(run(covenant(level="3.75"), figure("total_debt", 412), figure("net_income", "104.2"))).cure is None


def test_a_cure_in_debt_and_one_under_less_than() -> None:
    """Counted as less debt, the gap itself; under "less than" one cent more than equality."""
    debt = AgreementTerms(cure=CureTerms(kind="debt"))
    cure = record(run(covenant(), figure("total_debt", 412), figure("net_income", 100), agreement=debt)).cure
    assert cure is not None
    assert (cure.least, cure.ratio) == (12 * 10**6, 4)
    strict = record(
        run(covenant(comparator=Comparator.LT), figure("total_debt", 400), figure("net_income", 100), agreement=CURE)
    ).cure
    assert strict is not None
    assert (strict.least, strict.met) == (Fraction(1, 100), True)


def test_a_claimed_cure_is_a_second_calculation_and_a_question() -> None:
    """New money in the certificate never enters the first ratio; what it would give is shown, its conditions are asked about (P40)."""
    lines = (figure("total_debt", 402), figure("net_income", 98), figure("cure_amount", "2.5"))
    done = run(covenant(), *lines, agreement=CURE)
    cure = record(done).cure
    assert cure is not None
    assert (record(done).ratio, cure.claimed, cure.ratio, cure.met) == (Fraction(201, 49), 2_500_000, 4, True)
    assert "review_cure_conditions_unproven" in codes(done)


def test_lines_that_differ_are_told_one_by_one() -> None:
    """Each stated result stands beside its recalculation; those that differ are named in one finding."""
    lines = (
        *(figure("total_debt", 500), figure("unrestricted_cash", 90), figure("net_income", 110)),
        *(figure("stated_eligible_cash", 90, "Cash netted"), figure("stated_net_debt", 410, "Net Debt"), figure("ebitda", 110)),
        Figure(name="ratio", label="Leverage", value=Fraction("3.73"), raw="3.73 to 1.00"),
    )
    done = run(covenant("means all Indebtedness less unrestricted cash not exceeding $60,000,000"), *lines)
    found = {line.label: (line.agrees, line.stated, line.recalculated) for line in record(done).lines}
    assert found["Cash netted"] == (False, 90 * 10**6, 60 * 10**6)
    assert found["Net Debt"] == (False, 410 * 10**6, 440 * 10**6)
    assert found["ebitda"][0] is True
    assert found["Leverage"] == (False, Fraction("3.73"), 4)
    (why,) = [r.sentence for r in done.reasons if r.code == "finding_certificate_ratio_differs"]
    assert all(
        words in why for words in ("3.73 to 1.00", "4.00x", "'Cash netted' says USD 90,000,000", "'Net Debt'", "USD 440,000,000")
    )
    assert "'ebitda'" not in why


def test_a_declared_formula_is_used_as_it_stands() -> None:
    """A formula of the contract works out its metric; one that algebra proves to be leverage leaves the usual trace."""
    lines = (figure("total_debt", 300), figure("net_income", 60), figure("interest", 40))
    words = "means Net Income plus interest"
    cover = covenant(earnings=words, level="2.00", metric="interest_cover", comparator=Comparator.GE)
    assert isinstance(run(cover, *lines).calculation, Missing)
    done = run(cover, *lines, formulas={"interest_cover": "earnings / interest"})
    assert (record(done).ratio, done.result, record(done).headroom_debt) == (Fraction(5, 2), "pass", None)
    same = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / earnings - cash / earnings"})
    assert [s.expression for s in record(same).steps if s.name == "ratio"] == ["tested_debt / ebitda_tested"]
    other = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / (earnings - interest)"})
    assert (record(other).ratio, record(other).headroom_debt) == (5, Fraction(4 * 60 - 300) * 10**6)
    zero = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / (earnings - earnings)"})
    assert zero.result == "review"
    assert codes(zero) >= {"review_input_missing"}


@pytest.mark.parametrize(
    ("clause", "level", "ratio", "tested", "result"),
    [
        (RoundingTerms(carry="none", places=2), "3.50", "3.504", "3.50", "pass"),
        (RoundingTerms(carry="none", places=2), "3.50", "3.505", "3.51", "breach"),
        (RoundingTerms(carry="none", places=1, half="down"), "3.50", "3.59", "3.5", "pass"),
        (RoundingTerms(carry="none", places=2, half="ceiling"), "3.50", "3.5001", "3.51", "breach"),
        (RoundingTerms(carry="round"), "3.50", "3.5049", "3.51", "breach"),
    ],
)
def test_other_rounding_clauses(clause: RoundingTerms, level: str, ratio: str, tested: str, result: str) -> None:
    """Straight to named places, cut, up, or carried by rounding: as the words say, both figures kept."""
    done = run(
        covenant(level=level),
        figure("total_debt", Fraction(ratio) * 100),
        figure("net_income", 100),
        agreement=AgreementTerms(rounding=clause),
    )
    comparison = record(done).comparison
    assert isinstance(comparison, Comparison)
    assert (done.result, comparison.left, record(done).ratio) == (result, Fraction(tested), Fraction(ratio))


@given(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4), st.integers(0, 10**6))
def test_quarters_and_stubs_agree(quarters: list[int], before: int) -> None:
    """Four quarters added, and the same year cut into full year and stubs, give one figure."""
    last, *rest = quarters
    prior = before
    apart = [period(q, 3, e) for q, e in zip(quarters, (D(2023, 12, 31), D(2024, 3, 31), D(2024, 6, 30), DAY), strict=True)]
    stubs = (period(prior + last, 12, D(2023, 12, 31)), period(sum(rest), 9, DAY), period(prior, 9, D(2023, 9, 30)))
    one, other = (run(covenant(), figure("total_debt", 5), *lines) for lines in (apart, stubs))
    assert value(one, "ebitda_tested") == value(other, "ebitda_tested") == sum(quarters)
