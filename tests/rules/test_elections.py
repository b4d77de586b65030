"""Elected increases (PR-42): the worked cases are packs of casefiles/rules/packs.yaml; here what they cannot say."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Act, Paper, base, candidates, codes, day, decided, level_of, stated

from conformed.model.dates import FiscalCalendar, Window
from conformed.model.election import Election, ElectionTerms
from conformed.model.operation import Op, Target
from conformed.model.pack import InstrumentKind
from conformed.rules.timed.election_conditions import check_election, quarter_ends_after, quarter_ends_in, quarters_between

CALENDAR = FiscalCalendar(end_month=12, end_day=31)
QUARTERS = [dt.date(2024, 6, 30), dt.date(2024, 9, 30), dt.date(2024, 12, 31), dt.date(2025, 3, 31)]
GOOD: dict[str, Any] = {"event_date": dt.date(2024, 5, 20), "size_met": True, "first": True}
ASKS: dict[str, Any] = {"notice_days": 30, "gap_quarters": 2, "quarters": 4, "most": 2, "whole": True}


def held(
    facts: dict[str, Any] | None = None, asks: dict[str, Any] | None = None, notice: str = "2024-06-10", **more: Any
) -> tuple[int, int]:
    """How many conditions failed, and how many are open."""
    found = check_election(
        Election.model_validate({**GOOD, **(facts or {})}),
        ElectionTerms.model_validate({**ASKS, **(asks or {})}),
        more.get("days", QUARTERS),
        [dt.date.fromisoformat(n) for n in notice.split()],
        more.get("previous", []),
        more.get("tested", lambda _: True),
    )
    return len(found.failed), len(found.open)


@pytest.mark.parametrize(
    ("facts", "asks", "notice", "more", "wanted"),
    [
        ({}, {}, "2024-06-10", {}, (0, 0)),
        ({}, {"whole": False}, "2024-06-10", {}, (0, 1)),
        ({}, {"sized": False}, "2024-06-10", {}, (0, 0)),
        ({"size_met": None}, {"sized": False}, "2024-06-10", {}, (0, 0)),
        ({"size_met": None}, {}, "2024-06-10", {}, (0, 1)),
        ({}, {}, "", {}, (0, 1)),
        ({}, {}, "2024-05-19", {}, (0, 1)),
        ({}, {}, "2024-06-19", {}, (0, 0)),
        ({}, {}, "2024-06-20", {}, (1, 0)),
        ({}, {}, "2024-06-10 2024-06-25", {}, (0, 1)),
        ({}, {"business_days": True}, "2024-07-01", {}, (0, 0)),
        ({}, {"business_days": True}, "2024-07-02", {}, (0, 1)),
        ({"first": None}, {}, "2024-06-10", {}, (0, 2)),
        ({"first": None, "number": 1}, {}, "2024-06-10", {}, (0, 1)),
        ({"number": 2}, {}, "2024-06-10", {}, (0, 1)),
        ({"first": None, "number": 2, "previous_window_end": dt.date(2023, 9, 30)}, {}, "2024-06-10", {}, (0, 0)),
        ({"first": None, "number": 3, "previous_window_end": dt.date(2023, 9, 30)}, {}, "2024-06-10", {}, (1, 0)),
        ({"first": None, "number": 2, "previous_window_end": dt.date(2023, 12, 31)}, {}, "2024-06-10", {}, (1, 0)),
        ({"first": None, "number": 2, "previous_window_end": dt.date(2023, 8, 10)}, {}, "2024-06-10", {}, (0, 1)),
        ({}, {}, "2024-06-10", {"previous": [dt.date(2023, 3, 31)]}, (0, 1)),
        ({}, {}, "2024-06-10", {"days": [*QUARTERS, dt.date(2025, 6, 30)]}, (1, 0)),
        ({}, {}, "2024-06-10", {"days": [QUARTERS[0], QUARTERS[2]]}, (0, 1)),
        ({}, {}, "2024-06-10", {"days": []}, (0, 1)),
        ({"event_date": dt.date(2024, 7, 1)}, {}, "2024-07-10", {}, (0, 1)),
    ],
)
def test_each_condition(
    facts: dict[str, Any], asks: dict[str, Any], notice: str, more: dict[str, Any], wanted: tuple[int, int]
) -> None:
    """Each condition alone is shown, failed or open; what nothing shows is never counted as met."""
    assert held(facts, asks, notice, **more) == wanted


def test_a_quarter_that_was_not_tested_is_no_gap() -> None:
    """Quarter ends of the gap count only where the covenant was tested."""
    facts = {"first": None, "number": 2, "previous_window_end": dt.date(2023, 9, 30)}
    assert held(facts, tested=lambda d: d != dt.date(2023, 12, 31)) == (0, 1)
    assert held(facts, tested=lambda d: d != dt.date(2023, 9, 30)) == (0, 0)


@given(st.dates(dt.date(2015, 1, 1), dt.date(2035, 1, 1)), st.integers(1, 24), st.integers(1, 12))
def test_quarter_ends_are_counted_alike(event: dt.date, count: int, month: int) -> None:
    """Ends counted from an event follow each other, and the ones between first and last are two fewer than all."""
    calendar = FiscalCalendar(end_month=month, end_day=31)
    ends = quarter_ends_after(event, count, calendar)
    assert len(ends) == count
    assert event <= ends[0] < event + dt.timedelta(days=93)
    assert all(calendar.is_quarter_end(e) for e in ends)
    if count > 1:
        assert quarters_between(ends[0], ends[-1]) == count - 2
        assert quarter_ends_in(Window(start=ends[0], end=ends[-1])) == ends


def elect(*windows: str, **facts: Any) -> Paper:
    """A notice of the kind that a structured case gives."""
    words = "We choose the increase."
    election = Election(**{**GOOD, "asks": ElectionTerms(**ASKS), **facts})

    def build(quote: Any) -> dict[str, Any]:
        days = tuple(Window(start=day(d), end=day(d)) for d in windows or map(str, QUARTERS))
        return {
            "op": Op.ELECT_INCREASE,
            "target": Target(section="7.11"),
            "delta": "1/2",
            "instruction": quote(words),
            "windows": days,
        }

    return Paper("notice.txt", InstrumentKind.NOTICE, day("2024-06-10"), [Act(words, build, extra={"election": election})])


def test_elected_level_on_every_day_of_the_increase() -> None:
    """The timeline shows the increase once, from its first quarter end to its last."""
    found = decided([base("base.txt", "2022-01-14", stated("7.11", "4")), elect()], "2024-12-31")
    assert (found.result, str(level_of(found)), codes(found) & {"accept_elected_increase", "accept_base_statement"}) == (
        "determined",
        "9/2",
        {"accept_elected_increase"},
    )
    shown = [(str(t.window.start), str(t.window.end), t.level) for t in found.timeline if t.document == "notice.txt"]
    assert shown == [("2024-06-30", "2025-03-31", "≤ 4.50x")]


def test_elected_level_cites_both_places() -> None:
    """The places of an elected level are the notice's words and those of the level that it raises: both must be witnessed."""
    found = decided([base("base.txt", "2022-01-14", stated("7.11", "4")), elect()], "2024-12-31")
    assert {s.document for s in found.covenant.limit.spans} == {"notice.txt", "base.txt"}  # type: ignore[union-attr]


def test_minimum_is_never_raised_by_election() -> None:
    """An increase of a minimum would bind more: a person reads it."""
    paper = base("base.txt", "2022-01-14", stated("7.11", "3", metric="interest_cover", comparator="ge"))
    found = decided([paper, elect()], "2024-12-31")
    assert (found.result, {str(c) for c in candidates(found)}) == ("review", {"3", "7/2"})


def test_only_a_notice_elects() -> None:
    """The same words in a certificate elect nothing that counts."""
    paper = elect()
    paper.kind = InstrumentKind.COMPLIANCE_CERTIFICATE
    found = decided([base("base.txt", "2022-01-14", stated("7.11", "4")), paper], "2024-12-31")
    assert found.result == "review"
    assert "review_election_evidence_missing" in codes(found)


def test_attested_that_none_was_made_does_not_hide_a_notice() -> None:
    """A general attestation does not do away with a notice that is in the pack."""
    found = decided([base("base.txt", "2022-01-14", stated("7.11", "4")), elect(size_met=None)], "2024-12-31", no_election=True)
    assert found.result == "review"
