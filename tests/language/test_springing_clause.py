"""The condition of a springing covenant, found whole in its clause (P06)."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from conformed.language.boxes import find_boxes, without_choice
from conformed.language.springing_clause import find_springing
from conformed.language.terms import read_terms
from conformed.language.traced import live_view
from conformed.model.covenant import Comparator, CovenantKind, CovenantTerms
from conformed.model.document import Document, Media, Page

HEAD = "The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 5.25 to 1.00"
USE = "the aggregate outstanding principal amount of Revolving Loans and drawn Letters of Credit"
BEYOND = f"{USE} exceeds 35% of the aggregate Revolving Commitments"


def terms(text: str) -> list[CovenantTerms]:
    """Every covenant of a clause."""
    document = Document(
        name="a.txt", sha256="0" * 64, media=Media.TEXT, reader="test", text=text, pages=(Page(number=1, start=0, end=len(text)),), paged=False
    )  # fmt: skip
    return list(read_terms(live_view(document), 0, len(text), section="7.11"))


def doubts(found: CovenantTerms) -> set[str]:
    """Review codes of terms."""
    return {d.code for d in found.doubts if d.code.startswith("review")}


@pytest.mark.parametrize(
    "clause",
    [
        f"{HEAD}; provided that this covenant shall be tested only if on such day {BEYOND}.",
        f"{HEAD}, but this covenant applies on that day only if {BEYOND}.",
        f"{HEAD}. This Section 7.11 shall only apply if, on such date, {BEYOND}.",
        f"{HEAD}. The provisions of this Section 7.11 shall be in effect solely to the extent that {BEYOND} on such day.",
        f"If on the last day of any fiscal quarter {BEYOND}, the Borrower shall not permit the Total Leverage Ratio on such day to be greater than 5.25 to 1.00.",
        HEAD.replace("quarter to be", f"quarter on which {BEYOND} to be") + ".",
    ],
)
def test_conditions_of_many_forms(clause: str) -> None:
    """Before, inside and behind the covenant, the condition becomes its trigger, and the rest reads as if it stood alone."""
    (found,) = terms(clause)
    assert found.trigger is not None
    assert (found.kind, found.trigger.comparator, found.trigger.level) == (CovenantKind.SPRINGING, Comparator.GT, Fraction(7, 20))
    assert (found.comparator, [r.limit.value for r in found.rows]) == (Comparator.LE, [Fraction(21, 4)])
    assert found.trigger.numerator == USE
    assert found.trigger.spans[0].text == "exceeds 35% of the aggregate Revolving Commitments"
    assert doubts(found) == set()


@pytest.mark.parametrize(
    ("clause", "comparator"),
    [(BEYOND.replace("exceeds", w), c) for w, c in (("is at least", Comparator.GE), ("equals or exceeds", Comparator.GE), ("is more than", Comparator.GT))],
)  # fmt: skip
def test_equality_is_by_the_triggers_own_words(clause: str, comparator: Comparator) -> None:
    """Whether exactly the share is enough is told by the trigger, never by the covenant."""
    (found,) = terms(f"{HEAD}; provided that this covenant shall be tested only if {clause}.")
    assert found.trigger is not None
    assert (found.trigger.comparator, found.comparator) == (comparator, Comparator.LE)


@pytest.mark.parametrize(
    "condition",
    [
        f"shall be tested only if {BEYOND} and no Default has occurred",
        f"shall be tested only if {BEYOND} for thirty consecutive days",
        f"shall be tested unless {BEYOND}",
        f"shall not be tested only if {BEYOND}",
        f"shall be tested only if {BEYOND.replace('exceeds', 'does not exceed')}",
        f"shall be tested only if {BEYOND.replace('Revolving Loans and', 'Revolving Loans, Term Loans and')}",
        f"shall be tested only if {BEYOND.replace('Revolving Commitments', 'Term Commitments')}",
        f"shall be tested only if {BEYOND.replace('35%', 'thirty-five per cent. (40%)')}",
        f"shall be tested only if {BEYOND.replace('the aggregate outstanding', 'the average daily')}",
    ],
)
def test_conditions_not_understood_stay_doubts(condition: str) -> None:
    """One word more, or another, and the condition is not taken: the covenant goes to a person."""
    (found,) = terms(f"{HEAD}; provided that this covenant {condition}.")
    assert found.trigger is None
    assert doubts(found)


@pytest.mark.parametrize(
    "clause",
    [
        f"Solely for the benefit of the Revolving Lenders, {HEAD[0].lower()}{HEAD[1:]}; provided that this covenant shall be tested only if {BEYOND}.",
        f"{HEAD}; provided that this covenant shall be tested only if {BEYOND}. This Section 7.11 is solely for the benefit of the Revolving Lenders.",
        f"{HEAD}; provided that this covenant shall be tested only if {BEYOND}. This Section 7.11 is for the sole benefit of the Revolving Lenders and may be amended or waived only with the consent of the Required Revolving Lenders.",
    ],
)
def test_beneficiary_and_class(clause: str) -> None:
    """A covenant for the revolving lenders alone says so, and theirs is the class that can change it."""
    (found,) = terms(clause)
    assert (found.beneficiary, found.consent_class) == ("revolving_lenders", "required_revolving_lenders")
    assert "Revolving Lenders" in found.spans["beneficiary"][0].text
    assert doubts(found) == set()


def test_without_words_for_whom_there_is_no_beneficiary() -> None:
    """Nothing said, nothing filled in."""
    (found,) = terms(f"{HEAD}; provided that this covenant shall be tested only if {BEYOND}.")
    assert (found.beneficiary, found.consent_class) == ("", "")


def test_offsets_stay_as_they_were() -> None:
    """What is taken out leaves blanks, so that every span is of the text as it stands."""
    text = f"{HEAD}; provided that this covenant shall be tested only if {BEYOND}."
    found = find_springing(text, 0, len(text))
    assert found is not None
    assert len(found.text) == len(text)
    assert text[found.at[0] : found.at[1]].startswith("exceeds 35%")
    assert BEYOND not in found.text
    assert terms(text)[0].rows[0].limit.spans[0].text == "5.25 to 1.00"


def test_two_covenants_under_one_condition_are_not_told_apart() -> None:
    """Where a provision states two figures, which of them the condition means is for a person."""
    found = terms(
        f"{HEAD}, or the Interest Coverage Ratio to be less than 2.00 to 1.00; provided that this covenant shall be tested only if {BEYOND}."
    )
    assert all(t.trigger is None for t in found)
    assert any(doubts(t) for t in found)


@pytest.mark.parametrize(
    "words",
    [
        "If ",
        "_",
        "[ ] ",
        "this covenant shall be tested only if the Revolving Loans ",
        "on which ",
        "(excluding ",
        "day on which the Revolving Loans ",
    ],
)
def test_hostile_length(words: str) -> None:
    """A hundred thousand characters of anything are searched for conditions and boxes within two seconds."""
    text = (words * (100_000 // len(words) + 1))[:100_000]
    started = time.process_time()
    find_springing(text, 0, len(text))
    find_boxes(text, 0, len(text))
    without_choice(text, 0, len(text))
    assert time.process_time() - started < 2
