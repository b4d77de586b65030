"""Twelve months of several periods, and currencies at the agreement's rates, through ``calculate``."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_figures import DAY, GROSS, QUARTERS, D, codes, covenant, figure, period, record, run, value

from conformed.language.conversion import read_redenomination
from conformed.model.calculation import Figure
from conformed.rules.calculation.agreement_terms import AgreementTerms

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


def test_a_redenominated_cap_stays_an_exact_fraction() -> None:
    """A cap in the old currency is divided by the fixed rate, never rounded; before its day the rate does not count."""
    clause = "From 1 January 2024 each reference to leva in this Agreement is a reference to euro at 1.95583 leva for one euro."
    rule = read_redenomination(clause)
    assert rule is not None
    terms = covenant("means all Indebtedness less unrestricted cash not exceeding BGN 30,000,000")
    lines = tuple(figure(n, v, currency="EUR") for n, v in (("total_debt", 100), ("unrestricted_cash", 30), ("net_income", 50)))
    done = run(terms, *lines, agreement=AgreementTerms(conversions=(rule,)))
    assert value(done, "netted_cash") * 10**6 == Fraction(3000000000000, 195583)
    assert done.result == "pass"
    later = rule.model_copy(update={"since": D(2026, 1, 1)})
    assert "review_fx_basis_missing" in codes(run(terms, *lines, agreement=AgreementTerms(conversions=(later,))))
    assert read_redenomination(clause.replace(" at 1.95583 leva for one euro", "")) is None
    assert read_redenomination("Interest is payable at 1.95583 leva for one euro.") is None


@given(st.lists(st.integers(-(10**6), 10**6), min_size=4, max_size=4), st.integers(0, 10**6))
def test_quarters_and_stubs_agree(quarters: list[int], before: int) -> None:
    """Four quarters added, and the same year cut into full year and stubs, give one figure."""
    last, *rest = quarters
    prior = before
    apart = [period(q, 3, e) for q, e in zip(quarters, (D(2023, 12, 31), D(2024, 3, 31), D(2024, 6, 30), DAY), strict=True)]
    stubs = (period(prior + last, 12, D(2023, 12, 31)), period(sum(rest), 9, DAY), period(prior, 9, D(2023, 9, 30)))
    one, other = (run(covenant(), figure("total_debt", 5), *lines) for lines in (apart, stubs))
    assert value(one, "ebitda_tested") == value(other, "ebitda_tested") == sum(quarters)
