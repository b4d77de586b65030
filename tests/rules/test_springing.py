"""The trigger of a springing covenant: read from its words, worked out from facts and certificates, never guessed."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.trigger import letters_counted, read_trigger
from conformed.model.base import Missing
from conformed.model.calculation import Certificate, Figure
from conformed.model.covenant import Comparator, Trigger
from conformed.rules.calculation.formula import run_steps
from conformed.rules.timed.springing import Utilisation, utilisation_of

DAY = dt.date(2025, 3, 31)
PLAIN = "The covenant is tested only if the outstanding Revolving Loans and drawn letters of credit exceed 35% of the total Revolving Commitments."
FACTS = {"revolver": "27,000,000", "drawn_lc": "1,000,000", "commitments": "80,000,000"}


def trigger(text: str = PLAIN) -> Trigger:
    """The trigger of a clause."""
    found = read_trigger(text)
    assert found is not None
    return found


def use(text: str = PLAIN, *papers: Certificate, **facts: str) -> Utilisation:
    """The use under a clause."""
    return utilisation_of(trigger(text), facts, papers, DAY, "USD")


def paper(**labels: int) -> Certificate:
    """A signed certificate with lines of use, labels with underscores for blanks."""
    lines = tuple(
        Figure(name=name, label=name.replace("_", " "), value=Fraction(v), currency="USD", raw=str(v))
        for name, v in labels.items()
    )
    return Certificate(document="c", test_date=DAY, signed=True, figures=lines)


@pytest.mark.parametrize(
    ("text", "comparator", "share"),
    [
        (PLAIN, Comparator.GT, "7/20"),
        (
            "shall apply only if utilisation of the Facility is more than forty per cent. of the Total Commitments",
            Comparator.GT,
            "2/5",
        ),
        (
            "tested if outstanding revolving loans are greater than thirty-five percent (35%) of the Commitments",
            Comparator.GT,
            "7/20",
        ),
        ("only to the extent that Revolving Exposure equals or exceeds 37.5% of the Revolving Commitments", Comparator.GE, "3/8"),
        ("if and only if the aggregate Revolving Loans are at least 40% of the aggregate Commitments", Comparator.GE, "2/5"),
    ],
)
def test_triggers_are_read_by_their_own_words(text: str, comparator: Comparator, share: str) -> None:
    """Share and treatment of equality come from the trigger's words."""
    found = trigger(text)
    assert (found.comparator, found.level) == (comparator, Fraction(share))
    assert found.raw in text


@pytest.mark.parametrize(
    "text",
    [
        "tested if outstanding revolving loans are greater than thirty-five percent (40%) of the Commitments",
        "the Leverage Ratio shall not exceed 3.50 to 1.00",
        "Interest exceeds 35% of income only if the sun shines",
        "No Lender holds more than 35% of the Revolving Commitments.",
    ],
)
def test_other_words_are_no_trigger(text: str) -> None:
    """Words against figures, another subject, or no condition give nothing."""
    assert read_trigger(text) is None


def test_equality_is_not_more_than() -> None:
    """28 of 80 is exactly 35 per cent: not met under "exceed", met under "equals or exceeds"; one unit more meets both."""
    assert use(**FACTS).met is False
    assert [r.code for r in use(**FACTS).reasons] == ["not_tested_trigger_unmet"]
    assert use(PLAIN.replace("exceed", "equals or exceeds"), **FACTS).met is True
    assert use(**{**FACTS, "revolver": "27,000,001"}).met is True


def test_the_trace_recomputes() -> None:
    """Figures and steps alone give the use."""
    calculation = use(**FACTS).calculation
    assert not isinstance(calculation, Missing)
    again = run_steps({f.name: f.value for f in calculation.figures}, [(s.name, s.expression, s.unit) for s in calculation.steps])
    assert again == calculation.steps
    assert calculation.ratio == Fraction(7, 20)


def test_a_share_that_a_person_gives() -> None:
    """A fact in per cent is compared as it stands."""
    assert use(revolver_usage="35%").met is False
    assert use(revolver_usage="35.01%").met is True


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({}, "review_trigger_evidence_missing"),
        ({"revolver": "27000000", "commitments": "80000000"}, "review_trigger_evidence_missing"),
        ({"revolver": "27000000", "drawn_lc": "0"}, "review_trigger_evidence_missing"),
        ({**FACTS, "commitments": "0"}, "review_trigger_evidence_missing"),
        ({**FACTS, "revolver": "a lot"}, "review_trigger_evidence_missing"),
        ({**FACTS, "revolver": "-5"}, "review_trigger_evidence_missing"),
        ({**FACTS, "revolver": "EUR 27,000,000", "commitments": "USD 80,000,000"}, "review_currency_mismatch"),
    ],
)
def test_what_is_not_shown_is_asked(facts: dict[str, str], code: str) -> None:
    """A part without a source, or one that is no amount, is never taken for zero."""
    found = use(**facts)
    assert found.met is None
    assert code in {reason.code for reason in found.reasons}


OPEN = "tested only if Revolving Loans and letters of credit then outstanding are more than 35% of the Revolving Commitments"
OUT = OPEN.replace("letters of credit", "letters of credit (excluding undrawn letters of credit)")


def test_undrawn_letters_count_only_as_the_words_say() -> None:
    """Excluded, included, and silent are three things; silence matters only where it changes the answer."""
    parts = {**FACTS, "undrawn_lc": "9,000,000"}
    assert letters_counted(trigger(OUT).numerator)[0]["undrawn_lc"] is False
    assert use(OUT, **parts).met is False
    assert use(OPEN.replace("letters", "drawn or undrawn letters"), **parts).met is True
    silent = use(OPEN, **parts)
    assert silent.met is None
    assert [r.code for r in silent.reasons] == ["review_trigger_evidence_missing"]
    assert use(OPEN, **FACTS).met is None  # how much is undrawn is not known, and it could decide
    assert use(OPEN, **{**parts, "revolver": "30,000,000"}).met is True  # met without them
    little = use(OPEN, **{**parts, "revolver": "1,000,000"})
    assert little.met is False
    assert "finding_reading_immaterial" in {r.code for r in little.reasons}


def test_lines_of_a_certificate_are_evidence_too() -> None:
    """A signed certificate for the date gives the parts; one that differs from a fact is a conflict; another date counts for nothing."""
    lines = {"Revolving_Loans_outstanding": 27_000_000, "Drawn_letters_of_credit": 1_000_000, "Revolving_Commitments": 80_000_000}
    assert use(PLAIN, paper(**lines)).met is False
    assert use(PLAIN, paper(**{**lines, "Revolving_Loans_outstanding": 30_000_000})).met is True
    clash = use(PLAIN, paper(**lines), revolver="26,000,000")
    assert clash.met is None
    assert "review_input_conflict" in {r.code for r in clash.reasons}
    old: dict[str, Any] = {"test_date": dt.date(2024, 12, 31)}
    assert use(PLAIN, paper(**lines).model_copy(update=old)).met is None
    assert use(PLAIN, paper(**lines).model_copy(update={"signed": None})).met is None


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 10**9))
def test_the_answer_is_that_of_whole_numbers(loans: int, letters: int, commitments: int) -> None:
    """For any amounts the answer is that of cross-multiplied integers."""
    found = use(revolver=str(loans), drawn_lc=str(letters), commitments=str(commitments))
    assert found.met == ((loans + letters) * 20 > 7 * commitments)
