"""Every field quotes its source to the letter, and shows what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.provenance import ProvenanceVerifier

TEXT = "The Borrower shall not permit the Net Ratio to exceed 14.75 to 1.00 on any test date. Tests fall on 30 June; debt is USD 5 million (-250 in one case)."
SOURCES = {"agreement": TEXT, "letter": "Yes. Yes. Margin: 4.75%."}


def field(
    value: Any, quote: str, *, source: str = "agreement", at: int | None = None, length: int | None = None
) -> dict[str, Any]:
    """A field with one span at its place."""
    start = SOURCES[source].find(quote) if at is None else at
    return {"value": value, "spans": [{"source": source, "start": start, "end": start + (length or len(quote)), "text": quote}]}


def check(fields: Any, reference: str = "", **facts: Any) -> tuple[str, str]:
    """Outcome and code."""
    text = fields if isinstance(fields, str) else json.dumps({"fields": fields})
    found = ProvenanceVerifier().check(AnswerCheck(candidate=text, reference=reference, facts={"sources": SOURCES, **facts}))
    return found.outcome.value, found.code


GOOD = {"level": field("14.75", "exceed 14.75 to 1.00"), "day": field("30 June", "30 June"), "whole": field(30, "on 30 June")}


def test_right_quotations_are_right() -> None:
    """With places or, where the words stand once, without."""
    assert check(GOOD) == ("correct", "every_field_quoted")
    loose = {"level": {"value": "14.75", "spans": [{"source": "agreement", "text": "14.75 to 1.00"}]}}
    assert check(loose, '{"level": "14.75"}', required=["level"]) == ("correct", "every_field_quoted")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"level": field("14.75", "exceed 14.75 to 1.00", at=0)}, "quote_differs"),
        ({"level": field("14.75", "exceed 14.75  to 1.00", at=48)}, "quote_differs"),
        ({"level": field("14.75", "Exceed 14.75", at=48)}, "quote_differs"),
        ({"level": field("14.75", "14.75", length=6)}, "quote_differs"),
        ({"level": field("14.75", "14.75", length=4)}, "quote_differs"),
        ({"level": field("30", "30 June", at=10_000)}, "quote_differs"),
        ({"level": {"value": "9", "spans": [{"source": "agreement", "text": "9"}]}}, "quote_differs"),
        ({"level": {"value": "14.75", "spans": [{"source": "other", "text": "14.75"}]}}, "source_unknown"),
        ({"level": {"value": "14.75", "spans": [*GOOD["level"]["spans"], {"source": "letter", "text": "No."}]}}, "quote_differs"),
        ({**GOOD, "last": field("x", "nowhere", at=3)}, "quote_differs"),
    ],
)  # fmt: skip
def test_a_quotation_that_does_not_stand_is_wrong(fields: Any, code: str) -> None:
    """One letter, one space, one place off, or one bad quotation among good ones."""
    assert check(fields) == ("incorrect", code)


@pytest.mark.parametrize(
    ("value", "quote", "source"),
    [
        ("4.75", "14.75 to", "agreement"), ("4.75", "4.75 to 1.00", "agreement"), ("14", "14.75", "agreement"), ("14", "exceed 14", "agreement"), (".75", "14.75", "agreement"),
        ("1", "1.00", "agreement"), (5, "USD 5 million", "agreement"), (5, "USD 5", "agreement"), ("250", "-250", "agreement"), (250, "250 in", "agreement"),
        ("4.75", "4.75%", "letter"), ("orrow", "Borrower", "agreement"), ("15", "14.75", "agreement"), (True, "Borrower", "agreement"), (None, "Borrower", "agreement"), ("", "Borrower", "agreement"),
    ],
)  # fmt: skip
def test_a_value_that_its_quotation_does_not_show_goes_to_a_person(value: Any, quote: str, source: str) -> None:
    """Part of a number, a number without its sign or scale, a number cut short by the quotation: none is shown."""
    assert check({"level": field(value, quote, source=source)}) == ("review", "value_not_shown")


@pytest.mark.parametrize(
    ("value", "quote", "source"),
    [
        ("-250", "(-250 in", "agreement"),
        ("4.75%", "4.75%", "letter"),
        ("USD 5 million", "USD 5 million", "agreement"),
        (-250, "-250", "agreement"),
        ("1.00", "1.00 on", "agreement"),
    ],
)
def test_a_value_written_as_it_stands_is_shown(value: Any, quote: str, source: str) -> None:
    """With sign and scale it is what the source says."""
    assert check({"level": field(value, quote, source=source)}) == ("correct", "every_field_quoted")


@pytest.mark.parametrize(
    ("spans", "code"),
    [
        ([{"source": "letter", "text": "Yes."}], "quote_ambiguous"), ([{"source": "letter", "text": "Yes.", "start": 0}], "quote_ambiguous"),
        ([{"source": "letter", "text": ""}], "answer_malformed"), ([], "answer_malformed"), ([{"source": "letter", "start": -1, "end": 4, "text": "Yes."}], "answer_malformed"),
        ([{"source": "letter", "start": True, "end": 4, "text": "Yes."}], "answer_malformed"), ([{"text": "Yes."}], "answer_malformed"),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_told_goes_to_a_person(spans: Any, code: str) -> None:
    """Words that stand twice, half a place, no place."""
    assert check({"answer": {"value": "Yes", "spans": spans}}) == ("review", code)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"fields": {}}', '{"fields": 5}', '{"fields": {}, "more": 1}', '{"fields": {"a": 1}}']
)
def test_what_is_no_answer_goes_to_a_person(text: str) -> None:
    """Malformed answers are not wrong ones."""
    assert check(text)[0] == "review"


def test_fields_that_must_be_there_are_asked_for() -> None:
    """A field that is left out, or has another value than the right one or another type, is wrong."""
    assert check(GOOD, required=["level", "cap"]) == ("incorrect", "field_missing")
    assert check(GOOD, '{"cap": 1}') == ("incorrect", "field_missing")
    assert check(GOOD, '{"whole": "30"}') == ("incorrect", "field_differs")
    assert check(GOOD, '{"whole": 30, "level": "14.75"}') == ("correct", "every_field_quoted")


@pytest.mark.parametrize(
    ("facts", "reference", "code"),
    [
        ({"sources": {}}, "", "facts_malformed"),
        ({"sources": {"a": 1}}, "", "facts_malformed"),
        ({"required": "level"}, "", "facts_malformed"),
        ({}, "[]", "reference_malformed"),
        ({}, "{", "reference_malformed"),
    ],
)
def test_bad_facts_are_an_error(facts: Any, reference: str, code: str) -> None:
    """The item is at fault."""
    assert check(GOOD, reference, **facts) == ("error", code)


@given(st.integers(0, len(TEXT) - 1), st.integers(1, 40), st.integers(-3, 3))
def test_only_the_exact_slice_stands(start: int, length: int, shift: int) -> None:
    """Whatever slice is quoted, it stands at its own place and at another only where the same letters stand there."""
    quote = TEXT[start : start + length]
    moved = max(0, start + shift)
    _, code = check(
        {"a": {"value": quote, "spans": [{"source": "agreement", "start": moved, "end": moved + len(quote), "text": quote}]}}
    )
    assert (code == "quote_differs") == (TEXT[moved : moved + len(quote)] != quote)
