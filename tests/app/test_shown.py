"""How values are shown: exact arithmetic, half up, and nothing that a terminal obeys."""

from __future__ import annotations

import datetime as dt
import unicodedata
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformed.app.pages import shown
from conformed.model.dates import Window

NUMBERS = st.fractions(min_value=-(10**12), max_value=10**12, max_denominator=10**6)


@given(NUMBERS, st.integers(0, 6))
@example(Fraction(1, 8), 2)
@example(Fraction(-5, 2), 0)
@example(Fraction(34995, 10000), 3)
def test_rounds_half_up_like_decimal(number: Fraction, places: int) -> None:
    """Display rounding is half up, checked against the decimal module, for any number and any places."""
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        expected = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert Decimal(shown.decimal(number, places).replace("−", "-")) == expected


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [
        (Fraction(7, 2), None, "3.50x"),
        (Fraction(15, 4), None, "3.75x"),
        (Fraction(17, 4), 3, "4.250x"),
        (Fraction(27, 8), None, "3.375x"),
        (Fraction(1, 3), None, "0.33x"),
    ],
)
def test_level_keeps_the_places_that_are_exact(number: Fraction, places: int | None, text: str) -> None:
    """A level of 3.375 is never shown as 3.38, and one written with three decimals keeps them."""
    assert shown.level(number, places) == text


def test_inexact_values_say_what_they_are_exactly() -> None:
    """A ratio that has no finite decimal stands beside its exact quotient."""
    assert shown.exact_and_shown(Fraction(4749, 1268), "x") == "3.7453x (exactly 4749/1268)"
    assert shown.exact_and_shown(Fraction(7, 2), "x") == "3.50x"


def test_money_shows_cents_only_where_there_are_any() -> None:
    """Whole amounts have no decimals, others two, and the currency always stands before."""
    assert shown.money(Fraction(1_234_567), "USD") == "USD 1,234,567"
    assert shown.money(Fraction(-10_001, 100), "EUR") == "EUR −100.01"


@given(st.text())
def test_clean_text_holds_nothing_that_a_terminal_obeys(text: str) -> None:
    """Whatever a document holds, cleaned text has no control or direction-turning character but line ends and tabs."""
    for character in shown.clean(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u200b\ufeff"


@given(st.text(), st.integers(12, 200))
def test_quotes_are_one_line_and_bounded(text: str, longest: int) -> None:
    """A quote for a screen is one line and at most two characters longer than asked, whatever it quotes."""
    quote = shown.quote(text, longest)
    assert "\n" not in quote
    assert len(quote) <= longest + 2


def test_a_long_quote_keeps_both_ends() -> None:
    """What is cut is the middle: levels often stand at the end of a sentence."""
    quote = shown.quote("The Borrower shall not permit " + "x" * 400 + " to exceed 3.50 to 1.00.", 80)
    assert quote.startswith("The Borrower")
    assert quote.endswith("3.50 to 1.00.")


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (Window(), "always"),
        (Window(start=dt.date(2026, 3, 31)), "from 31 Mar 2026"),
        (Window(end=dt.date(2026, 3, 31), end_unclear=True), "to 31 Mar 2026 ?"),
        (Window(start=dt.date(2026, 1, 1), end=dt.date(2026, 3, 31)), "1 Jan 2026 to 31 Mar 2026"),
    ],
)
def test_a_window_says_where_its_edges_are_unclear(window: Window, text: str) -> None:
    """Open ends are words, and an edge whose words are unclear carries a question mark."""
    assert shown.stretch(window) == text


def test_a_ratio_beside_a_round_number_does_not_look_round() -> None:
    """A quotient just off a level shows the digit that says so."""
    assert shown.value(Fraction(35 * 10**7 - 1, 10**8), "x") == "3.49999999x"
    assert shown.value(Fraction(4749, 1268), "x") == "3.7453x"
    assert shown.value(Fraction(7, 2), "x") == "3.50x"
