"""Money, number words and headings of scale: read whole, or refused with the question."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from conformed.language.amounts import Convention, convention_of, find_amounts, is_dash, is_nil, read_amount, read_number
from conformed.language.currency import home_currency
from conformed.language.scales import find_scales
from conformed.language.words import mixed_number, number_in_words, ratio_in_words
from conformed.model.base import Missing

P, C = Convention.POINT, Convention.COMMA


@pytest.mark.parametrize(
    ("text", "convention", "value", "currency"),
    [
        ("$50,000,000", P, 50_000_000, "USD"),
        ("$75MM", P, 75_000_000, "USD"),
        ("$75mm", None, 75_000_000, "USD"),
        ("£2.5m", P, 2_500_000, "GBP"),
        ("$1.2bn", P, 1_200_000_000, "USD"),
        ("U.S. $75.5 million", P, 75_500_000, "USD"),
        ("US$\u00a010,000", P, 10_000, "USD"),
        ("C$5,000,000", P, 5_000_000, "CAD"),
        ("A$1,250", P, 1250, "AUD"),
        ("€1.250.000,50", C, Fraction("1250000.5"), "EUR"),
        ("EUR 1.250", C, 1250, "EUR"),
        ("EUR 1.250", P, Fraction("1.25"), "EUR"),
        ("CHF 1'250'000.00", Convention.APOSTROPHE, 1_250_000, "CHF"),
        ("₹12,50,000", Convention.INDIAN, 1_250_000, "INR"),
        ("(3,118)", P, -3118, None),
        ("$(3,118)", P, -3118, "USD"),
        ("($3,118.25)", P, Fraction("-3118.25"), "USD"),
        ("−5,000,000", P, -5_000_000, None),
        ("412,600 (1)", P, 412_600, None),
        ("1,000 USD", P, 1000, "USD"),
        ("Twenty-Five Million Dollars ($25,000,000)", P, 25_000_000, "USD"),
        ("Five Hundred Thousand Dollars", P, 500_000, "USD"),
    ],
)
def test_amounts_are_read_whole(text: str, convention: Convention | None, value: Fraction, currency: str | None) -> None:
    """Each form gives its exact value and currency."""
    amount = read_amount(text, convention=convention, home="USD")
    assert not isinstance(amount, Missing), amount
    assert (amount.value, amount.currency) == (value, currency)


@pytest.mark.parametrize(
    ("text", "convention", "code"),
    [
        ("EUR 1.250", None, "review_numeric_token_malformed"),
        ("$412,600", None, "review_numeric_token_malformed"),
        ("$5,00", None, "review_numeric_token_malformed"),
        ("(1)", P, "review_numeric_token_malformed"),
        ("12,50,000", P, "review_numeric_token_malformed"),
        ("1,25,00", P, "review_numeric_token_malformed"),
        ("$1,250.000,00", P, "review_numeric_token_malformed"),
        ("$5O,000", P, "review_numeric_token_malformed"),
        ("3,118)", P, "review_numeric_token_malformed"),
        ("(-3,118)", P, "review_numeric_token_malformed"),
        ("$50,000,000 or more", P, "review_numeric_token_malformed"),
        ("50 m", P, "review_numeric_token_malformed"),
        ("—", P, "review_numeric_token_malformed"),
        ("", P, "review_numeric_token_malformed"),
        ("US$5 EUR", P, "review_currency_mismatch"),
        ("$75M", P, "review_scale_unknown"),
        ("Twenty-Five Million Dollars ($2,500,000)", P, "review_words_figures_conflict"),
    ],
)
def test_what_is_open_is_asked(text: str, convention: Convention | None, code: str) -> None:
    """Two readings, a remainder, unpaired brackets, an unexplained M, words against digits: never a number."""
    amount = read_amount(text, convention=convention, home="USD")
    assert isinstance(amount, Missing)
    assert amount.code == code


def test_a_capital_m_needs_the_documents_word() -> None:
    """M is thousand or million only as the document defines it (CA-11)."""
    amount = read_amount("$75M", convention=P, home="USD", capital_m=1000)
    assert not isinstance(amount, Missing)
    assert amount.value == 75_000


@given(st.integers(0, 10**14 - 1))
def test_number_words_agree_with_another_writer(number: int) -> None:
    """What num2words writes is read back, with and without its commas and "and"."""
    words = num2words(number)
    assert number_in_words(words) == number
    assert number_in_words(words.replace(",", "").replace(" and ", " ").title()) == number


@given(st.integers(0, 10**12), st.sampled_from(["thousand", "two", "and", "million", "half", "dollars", "x"]))
def test_trailing_words_are_never_dropped(number: int, word: str) -> None:
    """A further word either changes the value or makes the text unreadable: it is never passed over."""
    assert number_in_words(f"{num2words(number)} {word}") != number


@given(st.integers(0, 10**11), st.integers(0, 99))
def test_digits_round_trip_in_each_convention(units: int, cents: int) -> None:
    """A number written with groups and two decimals is read back exactly in its own convention."""
    point = f"{units:,}.{cents:02d}"
    comma = point.replace(",", "_").replace(".", ",").replace("_", ".")
    swiss = point.replace(",", "'")
    value = units + Fraction(cents, 100)
    assert [read_number(point, P), read_number(comma, C), read_number(swiss, Convention.APOSTROPHE)] == [value] * 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("three and one-half to one", "7/2"),
        ("3 1/2 to 1.0", "7/2"),
        ("3½ to 1", "7/2"),
        ("four and three quarters to one", "19/4"),
        ("3.25:1", "13/4"),
    ],
)
def test_ratios_in_words(text: str, value: str) -> None:
    """Mixed numbers and words give the quotient."""
    assert ratio_in_words(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    ["two five hundred", "one million one million", "three and", "hundred", "three halves and", "3 5/2", "two million thousand"],
)
def test_impossible_words_are_nothing(text: str) -> None:
    """Words that are no number give none, however many of them are numbers."""
    assert number_in_words(text) is None
    assert mixed_number(text) is None


def test_two_million_five_hundred_thousand() -> None:
    """The form that public word readers get wrong."""
    assert number_in_words("two million five hundred thousand") == 2_500_000


@pytest.mark.parametrize(
    ("text", "factor", "currency"),
    [
        ("(in thousands)", 1000, None),
        ("(000s)", 1000, None),
        ("(000's omitted)", 1000, None),
        ("$ in thousands, except ratios", 1000, "USD"),
        ("(U.S. dollars in thousands)", 1000, "USD"),
        ("US$ millions", 10**6, "USD"),
        ("£m", 10**6, "GBP"),
        ("(in thousands of Canadian dollars)", 1000, "CAD"),
        ("All amounts are stated in millions of euros", 10**6, "EUR"),
        ("Expressed in dollars", 1, "USD"),
        ("(in whole dollars)", 1, "USD"),
    ],
)
def test_headings_of_scale(text: str, factor: int, currency: str | None) -> None:
    """Each way to head a column gives factor and currency, with the place of its words."""
    (heading,) = find_scales(text, "USD")
    assert (heading.factor, heading.currency) == (factor, currency)
    assert 0 <= heading.start < heading.end <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "shares in thousands",
        "payable in Dollars on demand of the Agent and in immediately available funds",
        "$50,000",
        "$5 million",
        "$M",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    """Counts of shares, sentences about payment, amounts and an unexplained M head nothing."""
    assert find_scales(text, "USD") == ()


def test_the_dollar_of_a_document() -> None:
    """A bare dollar sign means the one dollar that the document names, and nothing where it names two or none."""
    assert home_currency("lawful money of the United States; $5") == "USD"
    assert home_currency("C$5 and $6") == "CAD"
    assert home_currency("US$5 and C$6") == "XXX"
    assert home_currency("$6") == "XXX"
    assert [
        a.currency for _, _, a in find_amounts("US$5,000 and C$6,000 and €7", convention=P) if not isinstance(a, Missing)
    ] == ["USD", "CAD", "EUR"]


def test_the_habit_of_a_document() -> None:
    """Only tokens that one habit alone can have written prove it; two proofs that differ prove nothing."""
    assert convention_of("$1,250,000") is P
    assert convention_of("a ratio of 3.50 to 1.00 and 412,600") is P
    assert convention_of("EUR 1.250.000,00") is C
    assert convention_of("EUR 1.250") is None
    assert convention_of("1.250.000,00 and 1,250,000.00") is None


def test_dashes_and_nil() -> None:
    """A dash is no number by itself; "nil" says zero."""
    assert all(is_dash(text) for text in ("-", "—", "$ –", "(—)"))
    assert all(is_nil(text) for text in ("nil", "None", "-0-"))
    assert not is_dash("-5")
