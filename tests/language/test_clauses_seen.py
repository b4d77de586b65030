"""Kinds of clause that a sample of unseen agreements got wrong, or sent to a person without need, each in own words."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from conformed.language.clauses import read_clauses
from conformed.language.ratios import find_ratios
from conformed.language.subjects import find_subject, metric_of


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("The Mill shall have no Debt, except for (a) trade credit and (b) other debt not to exceed $250,000 at any time.", True),
        (
            "The Mill shall not permit its Debt, other than (i) trade credit and (ii) leases, to exceed $250,000 at any time.",
            True,
        ),
        ("The Mill shall not permit its Debt to exceed $250,000 at any time.", False),
        ("The Mill shall at all times maintain Liquidity of not less than $250,000.", False),
    ],
)
def test_an_amount_that_bounds_an_exception_is_no_level(read, text: str, doubted: bool) -> None:
    """What an exception lets through is not the figure that the sentence names first."""
    (reading,) = read(text)
    assert ("review_clause_not_fully_read" in {d.code for d in reading.doubts}) is doubted


@pytest.mark.parametrize(
    ("text", "name", "metric"),
    [
        (
            "The Mill shall not permit its Debt Service coverage Ratio to be less",
            "Debt Service coverage Ratio",
            "debt_service_cover",
        ),
        ("The Mill will achieve Net Cash Flow of not less", "Net Cash Flow", "net_cash_flow"),
        ("The Total Debt to EBITDA Ratio will not exceed", "Total Debt to EBITDA Ratio", "total_leverage"),
        ("The Mill shall maintain Debt of not more", "Debt", "debt"),
    ],
)
def test_the_name_of_a_figure_is_whole(text: str, name: str, metric: str) -> None:
    """A name goes on behind a word that could end it, and has no article."""
    subject = find_subject(text, 0, len(text))
    assert subject is not None
    assert subject.name == name
    assert metric_of(subject.name, subject.upper, subject.lower) == metric


@pytest.mark.parametrize(
    ("lower", "leverage"),
    [("Total Capital", False), ("Total Cap", False), ("Gross Asset Value", False), ("EBITDA", True), ("Cash Flow", True)],
)
def test_debt_over_capital_or_asset_value_is_not_leverage(lower: str, leverage: bool) -> None:
    """A share of capital or of assets is another figure than debt over earnings."""
    metric = metric_of(f"ratio of Total Debt to {lower}", "Total Debt", lower)
    assert (metric == "total_leverage") is leverage


@pytest.mark.parametrize(
    ("text", "lead", "level"),
    [
        ("The Mill shall have, as of the end of each fiscal quarter, a ratio of Debt to Net Worth of not greater than 1.25 to 1.00 (to be tested quarterly).", "", Fraction(5, 4)),
        ("For each fiscal quarter of the Mill ending on or after the date hereof, a Cover Ratio of not less than 2.0 to 1;", "The Mill shall maintain:", Fraction(2)),
        ("The Mill will maintain, at all times, a ratio of (a) total liabilities (excluding any Junior Debt), to (b) Net Worth of not greater than 1.75 to 1.0.", "", Fraction(7, 4)),
        ("The Mill shall not permit the Debt Ratio for any period of four fiscal quarters ending on or immediately prior to any date to exceed 3.50 to 1.00.", "", Fraction(7, 2)),
        ("The Mill shall not permit the ratio of Debt to EBITDA to exceed at any time 3.25 to 1.00.", "", Fraction(13, 4)),
    ],
)  # fmt: skip
def test_plain_words_about_the_test_leave_no_doubt(read, answer, text: str, lead: str, level: Fraction) -> None:
    """When it is tested, from which signing, and what its terms leave out are no conditions of the covenant."""
    (reading,) = read(text, lead)
    assert answer(reading, "2024-06-30")[1] == level


@pytest.mark.parametrize(
    "text",
    [
        "The Mill shall have, as of the end of each fiscal quarter, a ratio of Debt to Net Worth of not greater than 1.25 to 1.00 (when tested quarterly).",
        "The Mill will maintain, at all times, a ratio of (a) total liabilities (excluding Junior Debt if the Agent so elects), to (b) Net Worth of not greater than 1.75 to 1.0.",
        "For each fiscal quarter of the Mill ending on or after the Bleaching Date, the Mill shall maintain a Cover Ratio of not less than 2.0 to 1.",
        "The Mill shall not permit the Debt Ratio immediately prior to any Draw to exceed 3.50 to 1.00.",
    ],
)
def test_what_only_looks_like_them_goes_to_a_person(read, goes_to_a_person, text: str) -> None:
    """A condition within the brackets, a day that no word gives, and a test at a draw stay open."""
    assert goes_to_a_person(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "The Mill shall maintain at all times a ratio of Debt to Net Worth of not more than 2.75 to 1.0 measured as of fiscal quarter end June 30, 2023 and each successive fiscal quarter end thereafter.",
        "The Mill shall not permit the Debt Ratio, as of June 30, 2023 and the last day of each fiscal month thereafter, to exceed 2.75 to 1.0.",
    ],
)
def test_a_day_and_each_quarter_or_month_end_after_it_is_a_first_test(read, answer, text: str) -> None:
    """Before the day it is not tested; from it on the one level holds."""
    (reading,) = read(text)
    assert reading.first_test == dt.date(2023, 6, 30)
    assert answer(reading, "2023-03-31")[0] == "not_tested"
    assert answer(reading, "2024-03-31") == ("le", Fraction(11, 4))


def test_a_number_of_a_section_is_no_part_of_a_ratio() -> None:
    """The words "in Section 7.11 to 5.00 to 1.00" hold one ratio, 5 to 1."""
    (token,) = find_ratios("the ratio in Section 7.11 to 5.00 to 1.00 is changed")
    assert token.value == Fraction(5)


_LIST = """6.15 Loom Covenants.
(a) Looms. {first}
(d) Cover. Have a Cover Ratio on the last day of each fiscal quarter of not less than 2.00 to 1.00.
6.16 Sheds. The Mill shall keep its sheds."""


@pytest.mark.parametrize(
    ("first", "doubted"),
    [
        ("Fail to keep ten looms.", True),
        ("Have a Debt Ratio on the last day of any fiscal quarter greater than 3.00 to 1.00.", True),
        ("Keep ten looms.", False),
        ("Have a Debt Ratio on the last day of any fiscal quarter of not greater than 3.00 to 1.00.", False),
    ],
)
def test_a_duty_beside_forbidden_items_is_a_doubt(first: str, doubted: bool) -> None:
    """Where no words above a list are seen, the other items say whether it forbids; a duty among those is a slip or is turned round."""
    text = _LIST.format(first=first)
    (reading,) = read_clauses(text, text.index("(d)"), text.index("6.16"))
    assert ("review_comparator_ambiguous" in {d.what for d in reading.doubts}) is doubted
