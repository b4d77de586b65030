"""Small documents and readings for the tests of contract language."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

import pytest

from conformed.language.terms import read_terms
from conformed.language.traced import live_view
from conformed.model.covenant import Comparator, CovenantKind, CovenantTerms
from conformed.model.dates import FiscalCalendar
from conformed.model.document import Document, Media, Page
from conformed.model.span import Run

Read = Callable[..., tuple[CovenantTerms, ...]]
Answer = Callable[[CovenantTerms, str], tuple[str | None, Fraction | None]]


def document_of(text: str, name: str = "agreement.txt", **runs: tuple[Run, ...]) -> Document:
    """A plain text document of one page."""
    return Document(
        name=name,
        sha256="0" * 64,
        media=Media.TEXT,
        reader="text 1.0.0",
        text=text,
        pages=(Page(number=1, start=0, end=len(text)),),
        paged=False,
        struck=runs.get("struck", ()),
        hidden=runs.get("hidden", ()),
        furniture=runs.get("furniture", ()),
    )


@pytest.fixture(scope="session")
def document() -> Callable[..., Document]:
    """Makes documents."""
    return document_of


@pytest.fixture
def read() -> Read:
    """Reads the maintenance covenants of a text that is one provision."""

    def reader(text: str, lead: str = "", calendar: FiscalCalendar | None = None) -> tuple[CovenantTerms, ...]:
        view = live_view(document_of(text))
        terms = read_terms(view, 0, len(view.text), section="7.1", lead=lead, calendar=calendar)
        return tuple(t for t in terms if t.kind is CovenantKind.MAINTENANCE)

    return reader


def is_open(terms: CovenantTerms, day: dt.date | None = None) -> bool:
    """Whether a person has to look: a doubt, no comparator, a right to another level, or an unclear, absent or double row."""
    if any(d.code.startswith("review") for d in terms.doubts) or not isinstance(terms.comparator, Comparator) or terms.increases:
        return True
    rows = [r for r in terms.rows if day is None or r.window.holds(day)]
    levels = {r.limit.value for r in rows}
    unclear = any(r.unclear or (day is not None and r.window.edge_unclear(day)) for r in rows)
    return unclear or not rows or (day is not None and len(levels) != 1)


@pytest.fixture
def answer() -> Answer:
    """What a reading says for a day: comparator and level; ``open`` where it goes to a person, ``not_tested`` before the first test."""

    def on(terms: CovenantTerms, day: str) -> tuple[str | None, Fraction | None]:
        date = dt.date.fromisoformat(day)
        if terms.first_test is not None and date < terms.first_test:
            return "not_tested", None
        if is_open(terms, date):
            return "open", None
        assert isinstance(terms.comparator, Comparator)
        return terms.comparator.value, next(r.limit.value for r in terms.rows if r.window.holds(date))

    return on


@pytest.fixture
def goes_to_a_person() -> Callable[[tuple[CovenantTerms, ...]], bool]:
    """Whether nothing was read, or everything that was read is open."""
    return lambda terms: all(is_open(t) for t in terms)


@pytest.fixture
def calendar_year() -> FiscalCalendar:
    """A fiscal year that is the calendar year."""
    return FiscalCalendar(end_month=12, end_day=31)
