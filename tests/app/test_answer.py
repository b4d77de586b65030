"""The answer of ``conformed covenant`` has the shape that programs read, and fails closed."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction

import pytest

from conformed.app.answer import answer_of, shape_of
from conformed.app.copies.copy_text import answer_text
from conformed.model.base import Missing
from conformed.model.covenant import Comparator, Covenant, Limit, Unit
from conformed.model.decision import Decision, Effective, Overlay, Reason
from conformed.model.pack import Question

QUESTION = Question(test_date=dt.date(2026, 9, 30), known_at=dt.date(2026, 11, 15))


def governing(decision: Decision) -> Covenant:
    """The covenant of the fixture."""
    assert isinstance(decision.covenant, Covenant)
    return decision.covenant


def test_a_determined_level_with_its_words(decision: Decision) -> None:
    """Level as an exact quotient, comparator, section, document, and spans with page, range and text, level first."""
    effective = Effective(
        result="determined",
        covenant=governing(decision),
        reasons=(
            Reason(code="accept_base_statement", sentence="It says so."),
            Reason(code="accept_base_statement", sentence="Twice."),
        ),
    )
    answer = json.loads(answer_of("northwind", QUESTION, effective).model_dump_json())
    assert answer["result"] == "determined"
    assert answer["overlay"] == "none"
    assert answer["covenant"]["level"] == "7/2"
    assert answer["covenant"]["amount"] is None
    assert answer["covenant"]["comparator"] == "le"
    assert (answer["covenant"]["section"], answer["covenant"]["metric"]) == ("7.11", "total_leverage")
    assert answer["covenant"]["document"] == "second-amendment.html"
    assert answer["covenant"]["spans"][0] == {
        "document": "second-amendment.html",
        "page": None,
        "start": 141,
        "end": 153,
        "text": "3.50 to 1.00",
    }
    assert answer["codes"] == ["accept_base_statement"]
    assert answer["candidates"] == []


def test_the_text_shows_each_place_once_and_no_blank_one(decision: Decision) -> None:
    """The record keeps every span; the screen leaves out blank stretches and words that it has shown already."""
    answer = answer_of("northwind", QUESTION, Effective(result="determined", covenant=governing(decision)))
    assert answer.covenant is not None
    first = answer.covenant.spans[0]
    blank = first.model_copy(update={"text": " \n"})
    crowded = answer.covenant.model_copy(update={"spans": (*answer.covenant.spans, blank, first)})
    text = answer_text(answer.model_copy(update={"covenant": crowded}), width=200)
    assert text.count("characters 141–153: “3.50 to 1.00”") == 1
    assert "“”" not in text


def test_an_amount_covenant_has_an_amount_in_place_of_a_level(decision: Decision) -> None:
    """Amounts are whole units as a plain number, with their currency."""
    amount = governing(decision).model_copy(
        update={"comparator": Comparator.GE, "limit": Limit(unit=Unit.AMOUNT, value=Fraction(50_000_000), raw="$50,000,000")}
    )
    shape = shape_of(amount).model_dump(mode="json")
    assert shape["level"] is None
    assert shape["amount"] == {"value": "50000000", "currency": "XXX"}


@pytest.mark.parametrize("word", ["determined", "review", "certain", ""])
def test_without_a_covenant_nothing_is_determined(word: str) -> None:
    """A result word that does not fit the record, or is not known, becomes review, with the reason's code."""
    effective = Effective(result=word, covenant=Missing(reason="Two readings.", code="review_target_ambiguous"))
    answer = answer_of("northwind", QUESTION, effective)
    assert answer.result == "review"
    assert answer.covenant is None
    assert answer.codes == ("review_target_ambiguous",)


def test_a_review_never_shows_a_governing_covenant(decision: Decision) -> None:
    """Even if precedence leaves one in, a review carries candidates only."""
    effective = Effective(result="review", covenant=governing(decision), candidates=(governing(decision),))
    answer = answer_of("northwind", QUESTION, effective)
    assert answer.covenant is None
    assert answer.candidates[0].level == "7/2"


def test_not_tested_says_why() -> None:
    """The reason word is there for not_tested and for nothing else."""
    gone = Missing(reason="Suspended.")
    answer = answer_of(
        "p", QUESTION, Effective(result="not_tested", not_tested="suspended", overlay=Overlay.WAIVED, covenant=gone)
    )
    assert (answer.result, answer.reason, answer.overlay) == ("not_tested", "suspended", "waived")
    assert answer_of("p", QUESTION, Effective(result="review", not_tested="suspended", covenant=gone)).reason == ""


def test_the_answer_as_text(decision: Decision) -> None:
    """People get the same answer in words: covenant with sign, section, instrument, place and quote; readings; codes."""
    done = answer_text(answer_of("p", QUESTION, Effective(result="determined", covenant=governing(decision))))
    assert "Total Leverage Ratio ≤ 3.50x" in done
    assert "Second Amendment dated 3 March 2026 (second-amendment.html)" in done
    assert "“3.50 to 1.00”" in done
    amount = governing(decision).model_copy(
        update={"limit": Limit(unit=Unit.AMOUNT, value=Fraction(50_000_000), raw="$50,000,000", currency="USD"), "reading": "x"}
    )
    open_text = answer_text(
        answer_of("p", QUESTION, Effective(result="review", covenant=Missing(reason="Open."), candidates=(amount,)))
    )
    assert "Reading 1" in open_text
    assert "≤ USD 50,000,000" in open_text
    assert "review_input_missing" in open_text
