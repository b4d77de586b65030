"""Picks the level of a covenant for one test date (rule book PR-13, PR-35)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from conformed.model.covenant import CovenantTerms, Row
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Pick", "clip", "pick_row", "test_date_state"]

_READ_TWICE = {"review_words_figures_conflict", "review_numeric_token_malformed"}
_NEAR = datetime.timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Pick:
    """Rows that fit a test date: one with no review code decides; otherwise each is a reading."""

    rows: tuple[Row, ...]
    codes: tuple[str, ...] = ()
    not_tested: str = ""


def pick_row(terms: CovenantTerms, test: datetime.date) -> Pick:
    """The row whose window holds the test date.

    Codes: review_schedule_gap, review_schedule_overlap, review_boundary_date_ambiguous, and those of the row itself;
    finding_test_date_unconfirmed where the row says "nearest to" or "on or about".
    """
    if terms.first_test is not None and test < terms.first_test:
        return Pick((), ("not_tested_before_first_test",), "before_first_test")
    rows = terms.rows
    if not rows:
        return Pick((), ("review_input_missing",))
    fits = [r for r in rows if r.window.holds(test)]
    findings: list[str] = []
    if any(r.near for r in rows):
        findings.append("finding_test_date_unconfirmed")
        if not fits:
            close = [r for r in rows if r.window.start is not None and abs(r.window.start - test) <= _NEAR]
            fits = close if len(close) == 1 else []
    if not fits:
        return Pick((), ("review_schedule_gap", *findings))
    edges = [r for r in fits if r.window.edge_unclear(test)]
    unclear = [r.unclear for r in fits if r.unclear]
    values = {(r.limit.value, r.limit.unit, r.limit.currency) for r in fits}
    if edges and len(values) > 1:
        return Pick(tuple(fits), ("review_boundary_date_ambiguous", *findings))
    if edges and len(fits) == 1 and len(rows) > 1:
        return Pick(tuple(fits), ("review_boundary_date_ambiguous", *findings))
    if unclear:
        return Pick(tuple(fits), (*dict.fromkeys(unclear), *findings))
    if len(values) > 1:  # two readings of one number are told by the doubt about it, and are no two rows
        once = len({r.limit.spans for r in fits}) == 1 and any(d.code in _READ_TWICE for d in terms.doubts)
        return Pick(tuple(fits), (*(() if once else ("review_schedule_overlap",)), *findings))
    return Pick((fits[0],), tuple(findings))


def test_date_state(terms: CovenantTerms, test: datetime.date, calendar: FiscalCalendar | None) -> str:
    """Whether the date is one on which the covenant is tested: ``yes``, ``no`` or ``unknown``.

    A fiscal year of 52 or 53 weeks may end some days from the month's end, so that a week's distance is not a no.
    """
    if terms.tested == "any_time":
        return "yes"
    listed = [r.window for r in terms.rows if r.window.start is not None and r.window.start == r.window.end]
    if any(w.start == test for w in listed):
        return "yes"
    if terms.tested in {"each_fiscal_quarter_end", "quarter_date", "fiscal_year_end"} and calendar is not None:
        if terms.tested == "fiscal_year_end":
            ends = [calendar.year_end(y) for y in (test.year - 1, test.year, test.year + 1)]
        else:
            ends = [calendar.quarter_end(y, q) for y in (test.year - 1, test.year, test.year + 1) for q in (1, 2, 3, 4)]
        distance = min(abs(e - test) for e in ends)
        return "yes" if distance == datetime.timedelta(0) else "unknown" if distance <= _NEAR else "no"
    return "unknown"


def clip(rows: tuple[Row, ...], before: datetime.date) -> tuple[Row, ...]:
    """Rows as they stand for test dates before a day (the part of an old table that a new one leaves alone)."""
    last = before - datetime.timedelta(days=1)
    kept = []
    for row in rows:
        window = row.window
        if window.start is not None and window.start >= before:
            continue
        end = last if window.end is None or window.end > last else window.end
        kept.append(row.model_copy(update={"window": Window(start=window.start, end=end, start_unclear=window.start_unclear)}))
    return tuple(kept)
