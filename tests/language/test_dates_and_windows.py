"""Dates and windows: which days the words mean, to the day, and refusal of what is not understood."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.dates import find_dates, parse_date
from conformed.language.windows import chain, read_phrase
from conformed.model.dates import FiscalCalendar, Window

D = dt.date.fromisoformat
CALENDAR = FiscalCalendar(end_month=12, end_day=31)
JUNE_YEAR = FiscalCalendar(end_month=6, end_day=30)


@given(st.dates(dt.date(1980, 1, 1), dt.date(2099, 12, 31)))
def test_a_date_is_read_back_in_every_style(day: dt.date) -> None:
    """US, UK, ISO and "day of" styles of any date give that date."""
    month = day.strftime("%B")
    for text in (
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        day.isoformat(),
        f"{day.day}th day of {month}, {day.year}",
    ):
        assert parse_date(text) == day
        assert [t.date for t in find_dates(f"ending {text}; and")] == [day]


@pytest.mark.parametrize(
    "text", ["February 30, 2024", "June ___, 2024", "June 30, 20_4", "30 June", "03/04/2024", "13/13/2024", "June 2024"]
)
def test_no_whole_date(text: str) -> None:
    """Impossible days, blanks, missing years and slashes that could be two days are no dates."""
    assert find_dates(text) == []


def test_slashes_that_can_be_one_day_only() -> None:
    """31/03/2024 and 03/31/2024 are the same day whoever wrote them."""
    assert parse_date("31/03/2024") == parse_date("03/31/2024") == D("2024-03-31")


WINDOWS = [
    ("31 March 2024 and each Quarter Date after it up to and including 31 December 2024", "2024-03-31", "2024-12-31"),
    (
        "September 30, 2024 and each fiscal quarter ending thereafter through and including June 30, 2025",
        "2024-09-30",
        "2025-06-30",
    ),
    ("Amendment No. 2 Effective Date through and including December 31, 2023", None, "2023-12-31"),
    ("Third Amendment Effective Date through December 31, 2023", None, "2023-12-31"),
    ("June 30, 2024", "2024-06-30", "2024-06-30"),
    ("fiscal quarter ending June 30, 2024", "2024-06-30", "2024-06-30"),
    ("on or prior to June 30, 2024", None, "2024-06-30"),
    ("on or before 30 June 2024", None, "2024-06-30"),
    ("prior to June 30, 2024", None, "2024-06-29"),
    ("before 30 June 2024", None, "2024-06-29"),
    ("through June 30, 2024", None, "2024-06-30"),
    ("up to and including June 30, 2024", None, "2024-06-30"),
    ("after June 30, 2024", "2024-07-01", None),
    ("on or after June 30, 2024", "2024-06-30", None),
    ("from and after June 30, 2024", "2024-06-30", None),
    ("June 30, 2024 and thereafter", "2024-06-30", None),
    ("June 30, 2024 and each fiscal quarter ending thereafter", "2024-06-30", None),
    ("31 December 2024 and each Quarter Date after it", "2024-12-31", None),
    ("commencing with the fiscal quarter ending June 30, 2024", "2024-06-30", None),
    ("from April 1, 2024 through and including June 30, 2024", "2024-04-01", "2024-06-30"),
    ("April 1, 2024 - June 30, 2024", "2024-04-01", "2024-06-30"),
    ("April 1 - June 30, 2024", "2024-04-01", "2024-06-30"),
    ("on or after April 1, 2024 but before June 30, 2024", "2024-04-01", "2024-06-29"),
    ("after April 1, 2024 and on or prior to June 30, 2024", "2024-04-02", "2024-06-30"),
    ("after April 1, 2024 but prior to June 30, 2024", "2024-04-02", "2024-06-29"),
    ("April 1, 2024 to but excluding June 30, 2024", "2024-04-01", "2024-06-29"),
    ("Closing Date through June 30, 2024", None, "2024-06-30"),
    ("June 30, 2024 through the Maturity Date", "2024-06-30", None),
    ("each fiscal quarter ending in 2024", "2024-01-01", "2024-12-31"),
]


@pytest.mark.parametrize(("text", "start", "end"), WINDOWS)
def test_windows(text: str, start: str | None, end: str | None) -> None:
    """Every phrase gives its first and last day, both clear."""
    phrase = read_phrase(text)
    assert phrase is not None
    assert phrase.windows == (Window(start=D(start) if start else None, end=D(end) if end else None),)


@pytest.mark.parametrize("text", ["until June 30, 2024", "from April 1, 2024 until June 30, 2024", "to June 30, 2024"])
def test_until_leaves_the_day_open(text: str) -> None:
    """The word "until" does not say on which side its day is (P05)."""
    phrase = read_phrase(text)
    assert phrase is not None
    assert phrase.windows[0].edge_unclear(D("2024-06-30"))
    assert not phrase.windows[0].edge_unclear(D("2024-06-29"))


REFUSED = [
    "June 30, 2024 (or, if later, the Opening Date)",
    "June 30, 2024, except September 30, 2024",
    "June 30, 2024 unless waived",
    "June 30, 2024*",
    "June 30, 2024\nSeptember 30, 2024",
    "December 31, 2024 and each",
    "the first anniversary of the Closing Date",
    "from the Conversion Date",
    "June 30, 2024 through",
    "June 30, 2024 plus 90 days",
    "April 31, 2024",
    "June 30, 2024 until April 1, 2024",
    "",
    "Maximum Ratio",
]


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """A phrase with a date, number or word of exception that was not understood is no window."""
    assert read_phrase(text, CALENDAR) is None


def test_listed_dates() -> None:
    """Dates in a list are each a day of their own."""
    phrase = read_phrase("March 31, 2024, June 30, 2024 and September 30, 2024")
    assert phrase is not None
    assert (
        [w.start for w in phrase.windows]
        == [w.end for w in phrase.windows]
        == [D("2024-03-31"), D("2024-06-30"), D("2024-09-30")]
    )


def test_fiscal_labels_need_the_calendar() -> None:
    """A fiscal quarter is a day only where the fiscal year is known."""
    assert read_phrase("Second fiscal quarter", CALENDAR, "Fiscal year 2024").windows == (
        Window(start=D("2024-06-30"), end=D("2024-06-30")),
    )
    assert read_phrase("Second fiscal quarter", JUNE_YEAR, "Fiscal year 2024").windows == (
        Window(start=D("2023-12-31"), end=D("2023-12-31")),
    )
    assert read_phrase("Q3 2024", CALENDAR).windows == (Window(start=D("2024-09-30"), end=D("2024-09-30")),)
    assert read_phrase("Fiscal year 2024", JUNE_YEAR).windows == (Window(start=D("2023-07-01"), end=D("2024-06-30")),)
    assert read_phrase("Fiscal year 2024", None).needs_calendar


def test_thereafter_begins_when_the_step_before_ends() -> None:
    """The word "thereafter" has no days of its own: it begins on the day after the step before, unclear where that one's end is."""
    clear = chain([read_phrase("through June 30, 2024"), read_phrase("thereafter")])
    assert clear[1].windows == (Window(start=D("2024-07-01")),)
    unclear = chain([read_phrase("until June 30, 2024"), read_phrase("thereafter")])
    assert unclear[1].windows[0].edge_unclear(D("2024-06-30"))


def test_steps_that_meet_are_closed() -> None:
    """An "until" whose next step begins on the following day is not unclear any more."""
    first, _ = chain([read_phrase("until June 30, 2024"), read_phrase("from and after July 1, 2024")])
    assert not first.windows[0].edge_unclear(D("2024-06-30"))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("beginning with the fiscal quarter ending June 30, 2024", "2024-06-30", None),
        ("through the fiscal quarter ending June 30, 2024", None, "2024-06-30"),
        ("after the fiscal quarter ended June 30, 2024", "2024-07-01", None),
        ("prior to the fiscal quarter ending June 30, 2024", None, "2024-06-29"),
        ("for the fiscal quarter ending June 30, 2024", "2024-06-30", "2024-06-30"),
        (
            "from the fiscal quarter ending June 30, 2024 through and including the fiscal quarter ending March 31, 2025",
            "2024-06-30",
            "2025-03-31",
        ),
    ],
)
def test_a_quarter_is_known_by_its_last_day(text: str, start: str | None, end: str | None) -> None:
    """Words about a window keep their meaning where a quarter stands in place of its last day."""
    phrase = read_phrase(text)
    assert phrase is not None
    assert phrase.windows == (Window(start=D(start) if start else None, end=D(end) if end else None),)
