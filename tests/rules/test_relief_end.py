"""A suspension that can end early: the notice that ends it, the word that none was given, and silence (P39, PR-40)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support import Paper, base, codes, day, decided, record, suspended

from conformed.model.decision import Effective
from conformed.model.pack import Execution, InstrumentKind

K = InstrumentKind
HOLIDAY = ("2024-03-15", "2024-12-31")
TEST = "2024-06-30"
ENDS = "The Borrower hereby notifies the Agent that it elects to end the Relief Period."
NONE = "The Agent confirms that no election notice to end the Relief Period has been received."


def notice(words: str, dated: str, execution: Execution = Execution.EXECUTED, kind: K = K.NOTICE) -> Paper:
    """A paper beside the amendment."""
    return Paper("note.txt", kind, day(dated), (), words=words, execution=execution)


def given(*more: Paper, test: str = TEST, known: str = "2030-01-01") -> Effective:
    """A holiday that the borrower may end, and some papers."""
    relief = Paper("a1.txt", K.AMENDMENT, day("2024-03-15"), [suspended("7.11", HOLIDAY, ends_early_on="notice")], number=1)
    return decided([base(), relief, *more], test, known=known)


def test_silence_leaves_it_open() -> None:
    """Neither a notice nor a confirmation: a review with the level that would be tested."""
    found = given()
    assert record(found) == ("review", None, {Fraction(4)})
    assert "review_suspension_end_unclear" in codes(found)


@pytest.mark.parametrize(
    ("dated", "result"), [("2024-07-10", "not_tested"), ("2024-06-30", "not_tested"), ("2024-06-29", "review")]
)
def test_a_confirmation_counts_for_its_own_day(dated: str, result: str) -> None:
    """What had come by a day says nothing of the days after it."""
    found = given(notice(NONE, dated))
    assert (found.result, "review_suspension_end_unclear" in codes(found)) == (result, result == "review")


@pytest.mark.parametrize("words", ["No notice was received.", "The Agent has received no notice about the Interest Period."])
def test_a_confirmation_about_something_else(words: str) -> None:
    """A paper that does not speak of the relief confirms nothing of it."""
    assert given(notice(words, "2024-07-10")).result == "review"


def test_a_notice_ends_it() -> None:
    """From the day after the notice the permanent text is tested again; before it nothing was."""
    found = given(notice(ENDS, "2024-05-20"))
    assert record(found) == ("determined", Fraction(4), set())
    assert {"reject_expired", "accept_reverted_after_lapse"} <= codes(found)
    assert given(notice(ENDS, "2024-05-20"), test="2024-03-31").result == "not_tested"
    assert given(notice(ENDS, "2024-08-20")).result == "not_tested"


def test_the_day_of_the_notice_itself() -> None:
    """Whether the day of the notice is still inside, no words say."""
    found = given(notice(ENDS, TEST))
    assert (found.result, "review_boundary_date_ambiguous" in codes(found)) == ("review", True)


def test_a_notice_that_was_not_known() -> None:
    """A notice made after the knowledge date ended nothing yet, and rules nothing out."""
    assert given(notice(ENDS, "2024-05-20"), known="2024-05-19").result == "review"


@pytest.mark.parametrize(
    ("words", "execution"),
    [
        (ENDS, Execution.UNSIGNED),
        (ENDS, Execution.DRAFT),
        (ENDS.replace("elects", "may elect"), Execution.EXECUTED),
        (ENDS.replace("elects", "does not elect"), Execution.EXECUTED),
        (ENDS.replace("Relief Period", "Interest Period"), Execution.EXECUTED),
    ],
)
def test_what_is_no_notice(words: str, execution: Execution) -> None:
    """Unsigned, a draft, a mere possibility, a denial or another period: still open."""
    found = given(notice(words, "2024-05-20", execution))
    assert (found.result, "review_suspension_end_unclear" in codes(found)) == ("review", True)


def test_two_notices_of_different_days() -> None:
    """Which of them ended it is a question."""
    other = Paper("other.txt", K.NOTICE, day("2024-04-02"), (), words=ENDS)
    assert given(notice(ENDS, "2024-05-20"), other).result == "review"
