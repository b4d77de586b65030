"""Levels over time, as known on the knowledge date."""

from __future__ import annotations

import datetime as dt
import itertools
from fractions import Fraction

import pytest
from support import Paper, base, day, decided, set_level, stated, suspended, temporary

from conformed.model.covenant import Comparator, Covenant, Limit, TimelineEntry, Unit
from conformed.model.operation import EffectiveMode
from conformed.model.pack import InstrumentKind
from conformed.rules.precedence.timeline import shown_level

K = InstrumentKind


def life() -> list[Paper]:
    """An agreement with steps, a change, a holiday and a temporary level."""
    first = stated(rows=[("5", "2022-01-14", "2022-12-31"), ("9/2", "2023-01-01", None)])
    return [
        base("base", "2022-01-14", first),
        Paper("a1", K.AMENDMENT, day("2023-06-01"), [set_level("7.11", "4")], number=1),
        Paper(
            "a2", K.AMENDMENT, day("2024-01-01"), [suspended("7.11", ("2024-01-01", "2024-03-31"))], number=2, recites=[(1, None)]
        ),
        Paper(
            "a3",
            K.AMENDMENT,
            day("2024-06-01"),
            [temporary("7.11", "11/2", ("2024-06-01", "2024-06-30"))],
            number=3,
            recites=[(1, None), (2, None)],
        ),
        Paper("a4", K.AMENDMENT, day("2024-09-01"), [set_level("7.11", "7/2", mode=EffectiveMode.ON_CP)], number=4),
    ]


def entry_on(entries: tuple[TimelineEntry, ...], date: dt.date) -> TimelineEntry:
    """The entry of a day."""
    return next(e for e in entries if e.window.holds(date))


def test_life_of_an_agreement() -> None:
    """Every stretch has its level, its document and its window, without holes or overlaps."""
    entries = decided(life(), "2023-03-31").timeline
    assert [(e.window.start, e.level, e.document) for e in entries] == [
        (dt.date(2022, 1, 14), "≤ 5.00x", "base"),
        (dt.date(2023, 1, 1), "≤ 4.50x", "base"),
        (dt.date(2023, 6, 1), "≤ 4.00x", "a1"),
        (dt.date(2024, 1, 1), "not tested", "a1"),
        (dt.date(2024, 4, 1), "≤ 4.00x", "a1"),
        (dt.date(2024, 6, 1), "≤ 5.50x", "a3"),
        (dt.date(2024, 7, 1), "≤ 4.00x", "a1"),
        (dt.date(2024, 9, 1), "open: ≤ 3.50x or ≤ 4.00x", "a4"),
    ]
    for one, other in itertools.pairwise(entries):
        assert one.window.end == other.window.start - dt.timedelta(days=1)
    assert entries[-1].window.end is None


def test_it_agrees_with_the_answer_on_each_date() -> None:
    """The level of the stretch that holds a date is the level that the question about that date gives."""
    entries = decided(life(), "2023-03-31").timeline
    for text in ("2022-06-30", "2023-03-31", "2023-06-30", "2024-04-30", "2024-06-30", "2024-08-31"):
        found = decided(life(), text)
        assert entry_on(entries, dt.date.fromisoformat(text)).level == shown_level(found.covenant)
    assert decided(life(), "2024-02-29").result == "not_tested"


def test_it_does_not_depend_on_the_date_asked() -> None:
    """The timeline is of the case, not of the test date."""
    assert decided(life(), "2022-06-30").timeline == decided(life(), "2024-06-30").timeline


def test_known_later_is_not_in_it() -> None:
    """What came after the knowledge date has no entry."""
    entries = decided(life(), "2023-03-31", known="2023-12-31").timeline
    assert [e.level for e in entries] == ["≤ 5.00x", "≤ 4.50x", "≤ 4.00x"]


def test_more_changes_than_are_looked_at() -> None:
    """With more days of change than are looked at, the last entry ends where looking ended, and never says more."""
    rows = [
        ("4", (day := dt.date(2020, 1, 1) + dt.timedelta(days=30 * n)).isoformat(), (day + dt.timedelta(days=29)).isoformat())
        for n in range(60)
    ]
    steps = [(str(Fraction(3) + Fraction(n, 4)), a, b) for n, (_, a, b) in enumerate(rows)]
    entries = decided([base("base", "2020-01-01", stated(rows=steps))], "2020-03-31").timeline
    assert entries[-1].window.end is not None
    assert len(entries) < 60


def test_two_agreements_that_differ_are_open() -> None:
    """Two agreements in force with two levels give an open stretch."""
    entries = decided([base("one", "2022-01-14"), base("two", "2023-01-01", stated("7.11", "5"))], "2022-06-30").timeline
    assert [e.level for e in entries] == ["≤ 4.00x", "open: ≤ 4.00x or ≤ 5.00x"]


@pytest.mark.parametrize(
    ("value", "places", "comparator", "unit", "shown"),
    [
        ("15/4", 2, "le", "ratio", "≤ 3.75x"),
        ("7/2", 1, "lt", "ratio", "< 3.5x"),
        ("3", 0, "ge", "ratio", "≥ 3x"),
        ("1/3", 2, "le", "ratio", "≤ 1/3x"),
        ("1/20", 2, "gt", "ratio", "> 0.05x"),
        ("15/4", None, "le", "ratio", "≤ 15/4x"),
        ("50000000", None, "ge", "amount", "≥ USD 50000000"),
    ],
)
def test_shown_level(value: str, places: int | None, comparator: str, unit: str, shown: str) -> None:
    """A level is shown as it is written, and never rounded."""
    limit = Limit(unit=Unit(unit), value=Fraction(value), raw="x", places=places, currency="USD" if unit == "amount" else None)
    covenant = Covenant(
        name="Ratio", metric="total_leverage", section="1", comparator=Comparator(comparator), limit=limit, document="d"
    )
    assert shown_level(covenant) == shown
