"""Ratios, money, percentages and dates: one text for one value, and no guess between two readings."""

from __future__ import annotations

import calendar
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.normalise import (
    NORMALISERS,
    normalise_date,
    normalise_money,
    normalise_percentage,
    normalise_ratio,
)

CASES = {
    "ratio": {
        "3.50:1.00": "3.5x", "3.50x": "3.5x", "3.50 X": "3.5x", "3.5 to 1": "3.5x", "3.5 TO 1.00": "3.5x", "7:2": "3.5x",
        "3.5 times": "3.5x", "10:3": "10/3x", "1,000:1": "1000x", "\u22121.5x": "-1.5x", "0:1": "0x",
    },
    "money": {
        "US$2.5 million": "USD 2500000", "USD 2,500,000.00": "USD 2500000", "2.5 million USD": "USD 2500000",
        "\u20ac1.5bn": "EUR 1500000000", "GBP 10": "GBP 10", "\u00a3(10)": "GBP -10", "-$5": "XXX -5", "+$5": "XXX 5",
        "$5.10": "XXX 5.1", "US$0.001": "USD 0.001", "\u22125 EUR": "EUR -5",
    },
    "percentage": {
        "2.50 per cent": "2.5%", "2.5%": "2.5%", "250 bps": "2.5%", "1 basis point": "0.01%", "5/2 %": "2.5%", "1/3%": "1/3%",
        "-0.0%": "0%", "1,250 percent": "1250%", "\u22125%": "-5%",
    },
    "date": {
        "2026-03-31": "2026-03-31", "31 March 2026": "2026-03-31", "March 31, 2026": "2026-03-31", "31/03/2026": "2026-03-31",
        "03/31/2026": "2026-03-31", "31st day of March, 2026": "2026-03-31", "Mar. 31, 2026": "2026-03-31",
        "05/05/2026": "2026-05-05", "29 February 2028": "2028-02-29",
    },
}  # fmt: skip
REFUSED = {
    "ratio": {
        "3.5": "unsupported_ratio_form", "to 1": "unsupported_ratio_form", "3.5:1:1": "unsupported_ratio_form", "3.5%": "unsupported_ratio_form",
        "3,5x": "unsupported_ratio_form", "3.5O:1": "unsupported_ratio_form", "\u0663:1": "unsupported_ratio_form", "3:0": "zero_denominator",
        "3.5:0.00": "zero_denominator", "12:30": "ambiguous_ratio", "9" * 81 + "x": "number_too_long", "9" * 5000 + ":1": "number_too_long",
    },
    "money": {
        "5": "no_currency", "5 million": "no_currency", "$5M": "review_scale_unknown", "\u20ac5 USD": "review_currency_mismatch",
        "$1,00": "unsupported_money_form", "$5 (1)": "unsupported_money_form", "\u0663 USD": "unsupported_money_form",
        "$5 and change": "unsupported_money_form", "--$5": "unsupported_money_form", "+-$5": "unsupported_money_form",
        "$" + "9" * 301: "number_too_long", "$" + "9" * 5000: "number_too_long",
    },
    "percentage": {
        "5": "unsupported_percentage_form", "5 percentage points": "unsupported_percentage_form", "5%%": "unsupported_percentage_form",
        "\u0665%": "unsupported_percentage_form", "5\uff05": "unsupported_percentage_form", "1/0%": "zero_denominator",
        "9" * 81 + "%": "number_too_long", "9" * 5000 + "%": "number_too_long",
    },
    "date": {
        "03/04/2026": "ambiguous_date", "2026-02-30": "no_such_date", "30 February 2026": "no_such_date", "29 February 2026": "no_such_date",
        "45/45/2026": "no_such_date", "31/03/26": "unsupported_date_form", "31.03.2026": "unsupported_date_form",
        "March 2026": "unsupported_date_form", "\u0663\u0661 March 2026": "unsupported_date_form", "31 March 2026 or later": "unsupported_date_form",
        "1 " * 500_000: "unsupported_date_form",
    },
}  # fmt: skip


@pytest.mark.parametrize(("form", "text", "normal"), [(f, t, n) for f, rows in CASES.items() for t, n in rows.items()])
def test_one_text_for_one_value(form: str, text: str, normal: str) -> None:
    """The ways to write a value end in one normal form."""
    assert NORMALISERS[form](text) == (normal, form)


@pytest.mark.parametrize(
    ("form", "text", "code"),
    [pytest.param(f, t, c, id=f"{f}-{t[:20]}") for f, rows in REFUSED.items() for t, c in rows.items()],
)
def test_what_is_unclear_is_refused_with_a_code(form: str, text: str, code: str) -> None:
    """Two readings, no currency, no such day, zero below the line, digits of other scripts, hostile lengths."""
    assert NORMALISERS[form](text) == (None, code)


@pytest.mark.parametrize("form", NORMALISERS)
@given(text=st.text(max_size=40))
def test_no_text_raises(form: str, text: str) -> None:
    """Any text is read or refused, by every normaliser."""
    normal, code = NORMALISERS[form](text)
    assert code
    assert normal is None or normal.isascii()


@pytest.mark.parametrize("form", NORMALISERS)
def test_what_is_no_text_is_refused(form: str) -> None:
    """A float is no answer's text."""
    with pytest.raises(TypeError):
        NORMALISERS[form](3.5)  # type: ignore[arg-type]


DECIMALS = st.from_regex(r"\A-?[0-9]{1,40}(?:\.[0-9]{1,40})?\Z")


@given(DECIMALS, st.from_regex(r"\A[0-9]{1,40}(?:\.[0-9]{1,39})?[1-9]\Z"))
def test_a_ratio_keeps_its_quotient(first: str, second: str) -> None:
    """The normal form of ``a to b`` is a divided by b, exactly."""
    normal, _kind = normalise_ratio(f"{first} to {second}")
    assert normal is not None
    assert Fraction(normal[:-1]) == Fraction(first) / Fraction(second)


@given(DECIMALS)
def test_percentages_and_basis_points_keep_their_value(number: str) -> None:
    """A hundred basis points are one per cent, to the last digit."""
    percent, _kind = normalise_percentage(f"{number}%")
    points, _kind = normalise_percentage(f"{number}bps")
    assert percent is not None
    assert points is not None
    assert Fraction(percent[:-1]) == Fraction(points[:-1]) * 100 == Fraction(number)


@given(st.from_regex(r"\A[1-9][0-9]{0,40}\.[0-9]{1,40}\Z"), st.sampled_from([("", 1), (" thousand", 10**3), (" billion", 10**9)]))
def test_money_keeps_its_amount(number: str, scale: tuple[str, int]) -> None:
    """An amount with sixty digits and a scale word loses none of them."""
    normal, _kind = normalise_money(f"USD {number}{scale[0]}")
    assert normal is not None
    assert Fraction(normal.removeprefix("USD ")) == Fraction(number) * scale[1]


def test_the_caller_says_which_dollar() -> None:
    """A bare sign is no currency until it is said which one it is."""
    assert normalise_money("$5", home="CAD") == ("CAD 5", "money")
    assert normalise_money("$5") == ("XXX 5", "money")


@given(st.dates())
def test_every_day_comes_back(day: object) -> None:
    """A date in words and in ISO form is the same day."""
    iso = str(day)
    months = list(calendar.month_name)[1:]
    year, month, number = re.split("-", iso)
    assert normalise_date(f"{int(number)} {months[int(month) - 1]} {year}") == (iso, "date") == normalise_date(iso)


def test_the_texts_are_decimal_where_the_value_ends() -> None:
    """A quotient with an end is written as a decimal that Python reads back exactly."""
    assert Decimal(str(normalise_ratio("1:1024")[0])[:-1]) == Decimal(1) / Decimal(1024)
