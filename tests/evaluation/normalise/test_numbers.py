"""Numbers: the representation changes, the value never does, and what is not read whole is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.normalise import normalise_number

READ = {
    "1,234,567": ("1234567", "integer"),
    "+0": ("0", "integer"),
    "-000": ("0", "integer"),
    "1,234.": ("1234", "decimal"),
    "-00.250": ("-0.25", "decimal"),
    ".0": ("0", "decimal"),
    "4/2": ("2", "fraction"),
    "0/7": ("0", "fraction"),
    "-6/-4": ("3/2", "fraction"),
    "\u22125": ("-5", "integer"),
    "\u00a05\u202f": ("5", "integer"),
    "1\u2009/\u20093": ("1/3", "fraction"),
}
REFUSED = {
    **dict.fromkeys(
        [
            "", " ", ".", "-", "+-5", "- 5", "1 234", "1,23", "12,34,567", "0,123", "0123,456", "1234,567", ",123", "1.2.3",
            "1,234,5", "1e5", "1E-5", "NaN", "-inf", "0x1F", "0b1", "1_0", "5%", "$5", "5x", "1/2/3", "1.5/2", "1,000/2",
            "\u0663", "3.\u0667\u0665", "\uff15", "\u00bd", "\u20135", "\u20145", "\uff0d5", "5\u200b", "\u06f1\u06f2",
            "1\u22152", "1\u20442", "\u00b2", "1,\u00a0234", "five", "5\x00", "4\n2",
        ],
        "unsupported_numeric_form",
    ),
    "1/0": "zero_denominator",
    "0/-00": "zero_denominator",
    "9" * 641: "number_too_long",
    "9" * 5000: "number_too_long",
    "1/" + "9" * 5000: "number_too_long",
    "1," * 1_000_000: "number_too_long",
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_right_forms_are_read(text: str, expected: tuple[str, str]) -> None:
    """Signs, groups, decimals, fractions, and the few characters beyond ASCII that the rule maps."""
    assert normalise_number(text) == expected


@pytest.mark.parametrize(("text", "code"), REFUSED.items(), ids=[repr(text[:20]) for text in REFUSED])
def test_everything_else_is_refused_with_a_code(text: str, code: str) -> None:
    """Wrong groups, digits of other scripts, look-alike signs, exponents, units and hostile lengths."""
    assert normalise_number(text) == (None, code)


def test_vectors(vectors: Callable[[str], list[dict[str, Any]]]) -> None:
    """The normal forms worked out beforehand are met."""
    for case in vectors("numbers"):
        assert normalise_number(case["text"]) == (case["normalised"], case["kind"]), case


def test_the_longest_number_is_read_to_its_last_digit() -> None:
    """640 digits keep every one of them, whatever Python's limit for digits is set to."""
    text = "7" * 640
    assert normalise_number(text) == (text, "integer")


@given(st.from_regex(r"\A[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60}|[0-9]{1,60}/[1-9][0-9]{0,30})\Z"))
def test_the_value_never_changes(text: str) -> None:
    """Python's own exact reading of the text and of its normal form agree."""
    normal, _kind = normalise_number(text)
    assert normal is not None
    assert Fraction(normal) == Fraction(text.rstrip("."))


@given(st.from_regex(r"\A-?[0-9]{1,60}(?:\.[0-9]{1,60})?\Z"), st.from_regex(r"\A-?[0-9]{1,60}(?:\.[0-9]{1,60})?\Z"))
def test_decimals_of_one_value_have_one_text(one: str, other: str) -> None:
    """Two decimals have the same normal form exactly where they have the same value."""
    assert (normalise_number(one)[0] == normalise_number(other)[0]) == (Fraction(one) == Fraction(other))


@given(st.from_regex(r"\A-?[0-9]{1,60}(?:\.[0-9]{1,60})?\Z"))
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    """Normalising twice is normalising once."""
    normal, _kind = normalise_number(text)
    assert normal is not None
    assert normalise_number(normal)[0] == normal


@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    """Any text is either read or refused with a code, and what is read is plain ASCII."""
    normal, kind = normalise_number(text)
    assert kind
    assert normal is None or normal.isascii()


def test_what_is_no_text_is_refused() -> None:
    """A number that is none yet is a program's fault."""
    with pytest.raises(TypeError):
        normalise_number(5)  # type: ignore[arg-type]
