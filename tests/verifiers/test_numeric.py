"""The numeric verifier: exact, and for a person where it cannot read."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from conformed.model.answer import AnswerCheck
from conformed.ports import AnswerVerifier
from conformed_plugins.verifiers.numeric import NumericVerifier, verify_numeric
from conformed_plugins.verifiers.options import NumericOptions

EXACT = ("correct", "exact_numeric_equivalence")
MISMATCH = ("incorrect", "numeric_mismatch")
TABLE = [
    ("1,000", "1000", EXACT),
    ("1000.00", "1,000", EXACT),
    ("0.125", "1/8", EXACT),
    ("-2/4", "-0.5", EXACT),
    ("\u22120.5", "-1/2", EXACT),
    ("2", "4/2", EXACT),
    ("0.1", "0.1000001", MISMATCH),
    ("1/3", "0.33333333333333333333333333333333333333333333333333333333333", MISMATCH),
    ("1.005", "1.0050000001", MISMATCH),
    (
        "100000000000000000000000000000000000000000000000000000000000001",
        "1e62",
        ("review", "parse:integer:unsupported_numeric_form"),
    ),
    ("100000000000000000000000000000000000000000000000000000000000001", "1" + "0" * 62, MISMATCH),
    ("5", "-5", MISMATCH),
    ("35%", "35", ("review", "parse:unsupported_numeric_form:integer")),
    ("1/0", "1/0", ("review", "parse:zero_denominator:zero_denominator")),
    ("9" * 5000, "9", ("review", "parse:number_too_long:integer")),
    ("", "", ("review", "parse:unsupported_numeric_form:unsupported_numeric_form")),
]


@pytest.mark.parametrize(("candidate", "reference", "expected"), TABLE)
def test_equality_is_exact(candidate: str, reference: str, expected: tuple[str, str]) -> None:
    """Equal values are correct, other values incorrect however close, and what does not parse is for a person."""
    assert verify_numeric(candidate, reference) == expected


def test_vectors() -> None:
    """The outcomes worked out beforehand are met."""
    import json
    from pathlib import Path

    file = Path(__file__).parents[3] / "shared" / "vectors" / "numeric_verifier.json"
    if not file.is_file():
        pytest.skip(f"{file.name} does not lie beside the checkout")
    for case in json.loads(file.read_text(encoding="utf-8")):
        assert verify_numeric(case["candidate"], case["reference"]) == (case["outcome"], case["code"]), case


NUMBERS = st.from_regex(r"\A-?(?:[0-9]{1,60}(?:\.[0-9]{1,60})?|[0-9]{1,60}/[1-9][0-9]{0,30})\Z")


@given(NUMBERS, NUMBERS)
def test_it_agrees_with_fractions(one: str, other: str) -> None:
    """Whatever the form on either side, the outcome is that of Python's exact fractions."""
    assert verify_numeric(one, other)[0] == ("correct" if Fraction(one) == Fraction(other) else "incorrect")


@given(NUMBERS)
def test_a_number_equals_itself_as_a_fraction(text: str) -> None:
    """The decimal and the fraction of one value are equal in both directions."""
    fraction = Fraction(text)
    written = f"{fraction.numerator}/{fraction.denominator}"
    assert verify_numeric(text, written) == EXACT == verify_numeric(written, text)


@pytest.mark.parametrize(
    ("form", "candidate", "reference", "outcome", "code"),
    [
        ("ratio", "3.50:1.00", "3.5x", "correct", "exact_ratio_equivalence"),
        ("ratio", "3.75 to 1.00", "4.75 to 1.00", "incorrect", "ratio_mismatch"),
        ("ratio", "3.75", "3.75x", "review", "parse:unsupported_ratio_form:ratio"),
        ("money", "US$5 million", "USD 5,000,000", "correct", "exact_money_equivalence"),
        ("money", "USD 5", "EUR 5", "incorrect", "money_mismatch"),
        ("money", "$5", "USD 5", "review", "currency_not_stated"),
        ("money", "$5", "$5.00", "correct", "exact_money_equivalence"),
        ("percentage", "35%", "35 per cent", "correct", "exact_percentage_equivalence"),
        ("percentage", "35", "35%", "review", "parse:unsupported_percentage_form:percentage"),
        ("date", "2026-06-30", "June 30, 2026", "correct", "exact_date_equivalence"),
        ("date", "2026-06-29", "2026-06-30", "incorrect", "date_mismatch"),
        ("date", "03/04/2026", "2026-04-03", "review", "parse:ambiguous_date:date"),
        ("number", "0.50", "1/2", "correct", "exact_numeric_equivalence"),
    ],
)
def test_each_form_compares_values_of_its_kind(form: str, candidate: str, reference: str, outcome: str, code: str) -> None:
    """With an answer form declared, both sides are read under it and under nothing else."""
    verifier = NumericVerifier(NumericOptions.model_validate({"form": form}))
    verdict = verifier.check(AnswerCheck(candidate=candidate, reference=reference, facts={}))
    assert (verdict.outcome, verdict.code, verdict.verifier) == (outcome, code, "numeric")
    assert isinstance(verifier, AnswerVerifier)


def test_unknown_options_are_refused() -> None:
    """A misspelt form or key never becomes a default."""
    for options in ({"form": "numbers"}, {"shape": "number"}):
        with pytest.raises(ValidationError):
            NumericOptions.model_validate(options)
