"""Ratio tokens: every form exactly, and refusal of everything that only looks like one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.ratios import find_ratios, number_words

FORMS = [
    ("3.50 to 1.00", "7/2", 2, "to"),
    ("3.5:1", "7/2", 1, "to"),
    ("4 : 1.0", "4", 0, "to"),
    ("4 to one", "4", 0, "to"),
    ("2.75x", "11/4", 2, "times"),
    ("2.75 times", "11/4", 2, "times"),
    ("3 1/2 to 1", "7/2", None, "to"),
    ("3½:1", "7/2", None, "to"),
    ("375 per cent. of", "15/4", None, "percent"),
    ("42.5% of", "17/40", None, "percent"),
    ("three and one-half to one", "7/2", None, "words"),
    ("two point two five (2.25) to one", "9/4", 2, "words"),
    ("Four (4) to One (1)", "4", 0, "words"),
    ("three and three-quarters to one (3.75 to 1.00)", "15/4", 2, "words"),
]


@pytest.mark.parametrize(("text", "value", "places", "form"), FORMS)
def test_forms(text: str, value: str, places: int | None, form: str) -> None:
    """Each form gives its exact quotient and the decimals as written."""
    (token,) = find_ratios(f"not more than {text} EBITDA")
    assert (token.value, token.places, token.form, token.problem) == (Fraction(value), places, form, "")


REFUSED = ["3.5O to 1.00", "3.l5:1", "3,50 to 1.00", "3.50 to 1.0O", "3.55:1:00", "6.50 to 10.0", "I.50 to 1.00"]


@pytest.mark.parametrize("text", REFUSED)
def test_spoilt_tokens_are_refused(text: str) -> None:
    """A letter among the digits, a decimal comma or a spoilt second term gives no number."""
    tokens = find_ratios(f"not more than {text}.")
    assert all(t.value is None for t in tokens)
    assert not tokens or tokens[0].problem == "review_numeric_token_malformed"


@pytest.mark.parametrize(
    "text", ["12:30 p.m.", "Section 7.1 to 7.3", "2 to 3 members", "page 3 of 1", "1.01:2.02", "60% at any time"]
)
def test_what_is_no_ratio(text: str) -> None:
    """Clock times, ranges of sections, counts and bare percentages are no ratios."""
    assert find_ratios(text) == []


def test_words_against_figures() -> None:
    """Where words and figures differ there is no value but both readings (P10)."""
    (token,) = find_ratios("not exceed three point seven five (3.50) to one")
    assert token.value is None
    assert token.problem == "review_words_figures_conflict"
    assert token.readings == (Fraction(15, 4), Fraction(7, 2))


decimals = st.tuples(st.integers(0, 99), st.integers(0, 99), st.sampled_from([1, 2])).map(
    lambda t: (t[0], t[1] % 10 ** t[2], t[2])
)


@given(decimals, st.sampled_from(["{} to 1.00", "{}:1", "{} : 1.0", "{}x", "{} times", "{} to one"]))
def test_any_decimal_is_read_back(number: tuple[int, int, int], form: str) -> None:
    """Any level with one or two decimals, printed in any form, is read back exactly with its places."""
    whole, part, places = number
    written = f"{whole}.{part:0{places}d}"
    (token,) = find_ratios("shall not exceed " + form.format(written) + " at any time")
    assert token.value == Fraction(written)
    assert token.places == places


UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@given(st.integers(1, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 99))
def test_words_and_figures_agree_only_if_equal(whole: int, tenth: int, hundredth: int, other: int) -> None:
    """Words with figures beside them have a value exactly when both are the same number."""
    words = f"{UNITS[whole]} point {UNITS[tenth]} {UNITS[hundredth]}"
    figure = f"{whole}.{other:02d}"
    (token,) = find_ratios(f"not exceed {words} ({figure}) to one")
    same = other == tenth * 10 + hundredth
    assert (token.value == Fraction(figure)) if same else (token.value is None and len(token.readings) == 2)


@given(st.text(alphabet="0123456789.,:xOlI to1one()½%", max_size=40))
def test_no_value_from_spoilt_characters(text: str) -> None:
    """Whatever the characters, a token with a value has only digits, one point, a fraction or words in its figure."""
    for token in find_ratios(text):
        if token.value is not None:
            assert "," not in token.raw
            assert not any(c in token.raw for c in "OlI")


@pytest.mark.parametrize(
    ("words", "value"),
    [("three and one-half", "7/2"), ("four", "4"), ("two and a quarter", "9/4"), ("one point zero five", "21/20"), ("umpteen", None), ("three point", None)],
)  # fmt: skip
def test_number_words(words: str, value: str | None) -> None:
    """Words are read whole or not at all."""
    assert number_words(words) == (Fraction(value) if value else None)
