"""Times that stand in the words above a list of covenants hold for everything under it, or go to a person."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from conformed.language.lead_times import lead_times

ITEM = "(a) Cover Ratio. Permit the Cover Ratio at any fiscal quarter end to be less than 2.00 to 1.00."


@pytest.mark.parametrize(
    "lead",
    [
        "The Mill will not, commencing with the fiscal quarter ending December 31, 2023:",
        "Keep the Mill's finances as follows, with compliance determined commencing with the Mill's financial statements for the period ending December 31, 2023:",
        "From the date hereof the Mill will do the following, beginning on December 31, 2023:",
    ],
)
def test_a_first_test_above_the_list_holds_for_its_items(read, answer, lead: str) -> None:
    """Before the day that the words above give, an item is not tested; from that day on it is."""
    (reading,) = read(ITEM, lead)
    assert answer(reading, "2023-09-30")[0] == "not_tested"
    assert answer(reading, "2023-12-31") == ("ge", Fraction(2))


@pytest.mark.parametrize(
    ("lead", "code"),
    [
        ("The Mill will not, after the Bleaching Date:", "review_trigger_evidence_missing"),
        ("The Mill will not, until June 30, 2025:", "review_trigger_evidence_missing"),
        ("The Mill will not, commencing with the first quarter in which the new looms run:", "review_input_missing"),
        ("The Mill will not:", ""),
        ("From and after the Closing Date until all Loans are paid the Mill will not:", ""),
        ("Except as the Credit Agreement dated March 1, 2022 allows, the Mill will not:", ""),
    ],
)
def test_a_time_above_the_list_that_was_not_understood_is_a_doubt(lead: str, code: str) -> None:
    """A named day, a loose date and a start without a date stay open; the closing, repayment and dates of papers do not."""
    assert lead_times(lead).unread == code


def test_days_of_testing_above_the_list_are_the_items() -> None:
    """An item that does not say when it is tested takes it from the words above; an item's own words stand."""
    assert lead_times("The Mill shall have, tested as of the close of each fiscal quarter:").tested == "each_fiscal_quarter_end"
    assert lead_times("The Mill shall have:").tested == ""


def test_the_items_own_first_test_stands(read) -> None:
    """The nearer words win: an item with a first test of its own keeps it."""
    own = "Permit the Cover Ratio at any fiscal quarter end, commencing with the fiscal quarter ending June 30, 2024, to be less than 2.00 to 1.00."
    (reading,) = read(own, "The Mill will not, commencing with the fiscal quarter ending December 31, 2023:")
    assert reading.first_test == dt.date(2024, 6, 30)


def test_an_instruction_above_new_text_gives_no_first_test() -> None:
    """The words "Commencing with ..., Section 7.1 is amended to read" times the change, not the test."""
    assert lead_times(
        "Commencing with the quarter ending June 30, 2024, Section 7.1 is amended to read as follows:"
    ) == lead_times("")
