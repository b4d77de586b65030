"""JSON with two meanings, or with numbers that are not exact, is not read."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_plugins.verifiers.strict_json import exact_number, read_json, written

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, "a": 1}', "duplicate_key"), ('[{"b": {"a": 1, "a": 2}}]', "duplicate_key"), ('{"a": 1, "\\u0061": 1}', "duplicate_key"),
        ("1.5", "float_refused"), ("1.0", "float_refused"), ("1e3", "float_refused"), ("-0.0", "float_refused"), ("[1, 2.0]", "float_refused"),
        ("NaN", "nan_refused"), ("[Infinity]", "nan_refused"), ("-Infinity", "nan_refused"), ("", "not_json"), ("{", "not_json"), ("1 2", "not_json"),
        ("{'a': 1}", "not_json"), ("[1,]", "not_json"), ("// a\n1", "not_json"), ("\ufeff1", "not_json"), ("01", "not_json"), ("+1", "not_json"),
        ('"\t"', "not_json"), ('"\\ud800"', "surrogate_refused"), ("9" * 1001, "number_too_long"), ("[" * 34 + "]" * 34, "json_too_deep"),
        ("[" * 30_000, "json_too_deep"), ("[" + "1," * 2000 + "1]", "json_too_many_values"), ('"' + "a" * 70_000 + '"', "json_too_long"), ("```json\n1\n```", "not_json"),
    ],
)  # fmt: skip
def test_what_is_refused_is_refused_by_name(text: str, code: str) -> None:
    """Each refusal has its own code, and none raises."""
    assert read_json(text) == (None, code)


@given(PLAIN)
def test_what_is_read_is_what_was_written(value: object) -> None:
    """Whatever plain value is written is read back the same, and has one text."""
    read, code = read_json(json.dumps(value, indent=1))
    assert (code, written(read)) == ("", written(value))
    assert read == value


def test_types_are_told_apart_in_the_text() -> None:
    """Python holds 1 and True for equal; the texts are not."""
    assert len({written(value) for value in (1, True, "1", [1], None, "null", {}, [])}) == 8
    assert written({"b": (1, 2), "a": 1}) == '{"a":1,"b":[1,2]}'


@pytest.mark.parametrize(
    ("value", "number"),
    [(3, Fraction(3)), ("3.50", Fraction(7, 2)), ("-7/2", Fraction(-7, 2)), ("0", Fraction(0)), ("-0.0", Fraction(0))],
)
def test_exact_numbers_are_read(value: object, number: Fraction) -> None:
    """Integers, decimals and fractions are exact."""
    assert exact_number(value) == number


@pytest.mark.parametrize(
    "value",
    [
        True,
        1.5,
        None,
        "",
        " 1",
        "1 ",
        "1e999999999",
        "1_000",
        "1,000",
        "+1",
        "1/0",
        "1/-2",
        ".5",
        "5.",
        "٣",
        "１",
        "inf",
        "nan",
        "1.5/2",
        "9" * 300,
    ],
)
def test_other_writings_are_none(value: object) -> None:
    """Exponents above all: a short text would be a number of any length."""
    assert exact_number(value) is None
