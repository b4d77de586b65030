"""The row of the test date (PR-13, PR-35)."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import base, codes, day, decided, doubt, record, stated

from conformed.model.covenant import Comparator, CovenantTerms, Limit, Row, Unit
from conformed.model.dates import FiscalCalendar, Window
from conformed.model.pack import Manifest
from conformed.rules.precedence import schedule
from conformed.rules.precedence.schedule import clip, pick_row

D = dt.date


def row(level: int, start: str | None = None, end: str | None = None, **more: Any) -> Row:
    """One step."""
    edges = {k: more.pop(k) for k in ("start_unclear", "end_unclear") if k in more}
    return Row(
        limit=Limit(unit=Unit.RATIO, value=Fraction(level), raw=str(level)),
        window=Window(start=day(start), end=day(end), **edges),
        **more,
    )


def terms(*rows: Row, tested: str = "each_fiscal_quarter_end", first: str | None = None) -> CovenantTerms:
    """A covenant of some steps."""
    return CovenantTerms(
        name="Ratio",
        metric="total_leverage",
        section="7.11",
        comparator=Comparator.LE,
        rows=rows,
        tested=tested,
        first_test=day(first),
    )


STEPS = (row(5, None, "2024-09-29"), row(4, "2024-09-30", "2025-06-30"), row(3, "2025-07-01", None))


@pytest.mark.parametrize(
    ("test", "level"), [("2024-09-29", 5), ("2024-09-30", 4), ("2025-06-30", 4), ("2025-07-01", 3), ("2031-01-01", 3)]
)
def test_windows_that_meet_without_sharing_a_day(test: str, level: int) -> None:
    """Both ends of a window are inside, and neighbours leave no doubt."""
    found = pick_row(terms(*STEPS), D.fromisoformat(test))
    assert ([r.limit.value for r in found.rows], found.codes) == ([level], ())


@pytest.mark.parametrize(
    ("rows", "code", "levels"),
    [
        ((row(5, "2024-01-01", "2024-03-31"), row(4, "2024-07-01", None)), "review_schedule_gap", []),
        ((row(5, None, "2024-06-30"), row(4, "2024-06-30", None)), "review_schedule_overlap", [5, 4]),
        ((row(5, None, "2024-06-30", end_unclear=True), row(4, "2024-06-30", None)), "review_boundary_date_ambiguous", [5, 4]),
        ((row(5, None, "2024-06-30", end_unclear=True), row(4, "2024-07-01", None)), "review_boundary_date_ambiguous", [5]),
        ((row(5, None, "2024-06-30", unclear="review_boundary_date_ambiguous"),), "review_boundary_date_ambiguous", [5]),
        ((), "review_input_missing", []),
    ],
)
def test_doubtful_rows(rows: tuple[Row, ...], code: str, levels: list[int]) -> None:
    """No row, two rows, or an edge whose words do not say which side: each has its code and its readings."""
    found = pick_row(terms(*rows), D(2024, 6, 30))
    assert code in found.codes
    assert [r.limit.value for r in found.rows] == levels


def test_two_rows_of_one_level_are_no_overlap() -> None:
    """Rows that overlap and agree leave one level."""
    found = pick_row(terms(row(5, None, "2024-06-30"), row(5, "2024-06-30", None)), D(2024, 6, 30))
    assert ([r.limit.value for r in found.rows], found.codes) == ([5], ())


def test_nearest_row() -> None:
    """A row on or about a day takes the one row within a week and says so; two of them, or none, are a gap (PR-13)."""
    near = row(5, "2024-06-30", "2024-06-30", near=True)
    assert pick_row(terms(near), D(2024, 7, 3)).codes == ("finding_test_date_unconfirmed",)
    assert "review_schedule_gap" in pick_row(terms(near), D(2024, 7, 8)).codes
    both = terms(near, row(4, "2024-07-05", "2024-07-05", near=True))
    assert "review_schedule_gap" in pick_row(both, D(2024, 7, 3)).codes


def test_before_the_first_test() -> None:
    """Before the first test there is no level (P09); with a doubt in the clause it is a review."""
    found = pick_row(terms(*STEPS, first="2024-12-31"), D(2024, 9, 30))
    assert found.not_tested == "before_first_test"
    papers = [base("base.txt", "2022-01-14", stated(terms={"first_test": "2024-12-31"}))]
    whole = decided(papers, "2024-09-30")
    assert (record(whole), whole.not_tested, codes(whole) >= {"not_tested_before_first_test"}) == (
        ("not_tested", None, set()),
        "before_first_test",
        True,
    )
    open_ = [
        base(
            "base.txt",
            "2022-01-14",
            stated(terms={"first_test": "2024-12-31", "doubts": (doubt("review_clause_not_fully_read"),)}),
        )
    ]
    assert decided(open_, "2024-09-30").result == "review"


@pytest.mark.parametrize(
    ("tested", "test", "state"),
    [
        ("each_fiscal_quarter_end", "2024-06-30", "yes"),
        ("each_fiscal_quarter_end", "2024-06-28", "unknown"),
        ("each_fiscal_quarter_end", "2024-05-15", "no"),
        ("fiscal_year_end", "2024-12-31", "yes"),
        ("fiscal_year_end", "2024-06-30", "no"),
        ("any_time", "2024-05-15", "yes"),
        ("unstated", "2024-06-30", "unknown"),
    ],
)
def test_whether_the_date_is_a_test_date(tested: str, test: str, state: str) -> None:
    """Fiscal labels go by the calendar in the pack; a week's distance is no certainty, since fiscal years may have 52 weeks."""
    assert (
        schedule.test_date_state(terms(*STEPS, tested=tested), D.fromisoformat(test), FiscalCalendar(end_month=12, end_day=31))
        == state
    )


def test_no_calendar_no_snap() -> None:
    """Without a calendar nothing is snapped to a calendar quarter."""
    assert schedule.test_date_state(terms(*STEPS), D(2024, 6, 30), None) == "unknown"


def test_not_a_test_date() -> None:
    """A stepped covenant asked for between its test dates is not tested; one level for all dates is told with a finding."""
    calendar = Manifest(fiscal_year_end="12-31")
    stepped = [base("base.txt", "2022-01-14", stated(rows=[("4", "2022-01-01", "2024-12-31"), ("15/4", "2025-01-01", None)]))]
    found = decided(stepped, "2024-05-15", manifest=calendar)
    assert (record(found), found.not_tested) == (("not_tested", None, set()), "not_a_test_date")
    flat = decided([base()], "2024-05-15", manifest=calendar)
    assert (record(flat), "finding_test_date_unconfirmed" in codes(flat)) == (("determined", Fraction(4), set()), True)


def test_schedule_row_is_said() -> None:
    """The level of a base's schedule says so."""
    stepped = [base("base.txt", "2022-01-14", stated(rows=[("4", None, "2024-12-31"), ("15/4", "2025-01-01", None)]))]
    found = decided(stepped, "2024-06-30")
    assert {c for c in codes(found) if c.startswith("accept")} == {"accept_schedule_row"}
    assert found.covenant.row


_DAYS = st.dates(D(2024, 1, 1), D(2025, 12, 31))


@given(cuts=st.lists(_DAYS, min_size=1, max_size=6, unique=True), before=_DAYS, test=_DAYS)
def test_clip_keeps_what_was_before(cuts: list[dt.date], before: dt.date, test: dt.date) -> None:
    """Clipped rows say the same of every day before the cut, and nothing of the days from it on."""
    edges = sorted(cuts)
    rows = tuple(
        Row(
            limit=Limit(unit=Unit.RATIO, value=Fraction(i + 2), raw="x"),
            window=Window(start=a, end=b - dt.timedelta(days=1) if b else None),
        )
        for i, (a, b) in enumerate(zip([None, *edges], [*edges, None], strict=True))
    )
    kept = [r.limit.value for r in clip(rows, before) if r.window.holds(test)]
    whole = [r.limit.value for r in rows if r.window.holds(test)]
    assert kept == (whole if test < before else [])
    assert len(whole) == 1
