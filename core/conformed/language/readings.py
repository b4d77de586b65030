"""Readings of one provision, looked at together: neighbours, repetitions, and the words of the enclosing provision."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field, replace

from conformed.language.conditions import Found, standing_stops
from conformed.language.lead_times import lead_times
from conformed.language.schedules import Step
from conformed.language.subjects import Subject
from conformed.model.covenant import Comparator, CovenantKind

__all__ = ["ClauseReading", "as_one_provision"]


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """One covenant as read from a text; offsets are of that text."""

    start: int
    end: int
    subject: Subject
    kind: CovenantKind
    comparator: Comparator | None
    comparator_at: tuple[int, int]
    unit: str
    steps: tuple[Step, ...]
    tested: Found
    first: dt.date | None = None
    increases: tuple[Found, ...] = ()
    doubts: tuple[Found, ...] = field(default=())


def as_one_provision(readings: list[ClauseReading], lead: str) -> list[ClauseReading]:
    """Settles what readings of one provision mean for each other; maintenance covenants come first.

    Args:
        readings: in the order of the text.
        lead: words of the enclosing provision before this one.
    """
    apart = [_without_neighbours(r, readings) for r in readings]
    return _keep_first(_one_of_a_kind(_timed_by_lead(_under_lead(apart, lead), lead)))


def _without_neighbours(reading: ClauseReading, readings: list[ClauseReading]) -> ClauseReading:
    """Drops doubts about levels that another covenant of the provision, of another figure, accounts for."""
    theirs = {
        s.limit.start
        for r in readings
        if r is not reading and r.kind is CovenantKind.MAINTENANCE and r.subject.name != reading.subject.name
        for s in r.steps
    }
    return replace(
        reading,
        doubts=tuple(
            d
            for d in reading.doubts
            if not (d.what == "review_clause_not_fully_read" and d.value is not None and d.start in theirs)
        ),
    )


_LEAD_CONDITION = re.compile(r"\b(?:[Ii]f|[Ww]hen|[Ww]henever|[Ww]hile|only|solely)\b|\b[Dd]uring\s+(?:an?|any|each)\s+[A-Z]")
_LEAD_SENTENCE = re.compile(r"[.;]\s+(?=[A-Z])")


_BOXES = re.compile(r"\b(?:marked|checked|selected|initial+ed|ticked)\b", re.IGNORECASE)


def _under_lead(readings: list[ClauseReading], lead: str) -> list[ClauseReading]:
    """A condition in the words of the enclosing provision rules everything under it."""
    last = _LEAD_SENTENCE.split(lead.strip())[-1]
    if (not _LEAD_CONDITION.search(last) and not standing_stops(lead, 0, len(lead))) or _BOXES.search(lead):
        return readings
    words = "The words of the enclosing provision set a condition."
    return [
        replace(r, doubts=(*r.doubts, Found(r.start, r.end, "review_trigger_evidence_missing", None, words)))
        if r.kind is CovenantKind.MAINTENANCE
        else r
        for r in readings
    ]


def _timed_by_lead(readings: list[ClauseReading], lead: str) -> list[ClauseReading]:
    """A first test, or days of testing, that the words of the enclosing provision give hold for everything under it."""
    times = lead_times(_LEAD_SENTENCE.split(lead.strip())[-1])
    result = []
    for r in readings:
        if r.kind is CovenantKind.MAINTENANCE:
            doubts = r.doubts
            if times.unread and not (times.first and r.first):
                doubts = (*doubts, Found(r.start, r.end, times.unread, None, times.sentence))
            tested = replace(r.tested, what=times.tested) if times.tested and r.tested.what == "unstated" else r.tested
            r = replace(r, first=r.first or times.first, tested=tested, doubts=doubts)
        result.append(r)
    return result


def _one_of_a_kind(readings: list[ClauseReading]) -> list[ClauseReading]:
    """Two different statements of one figure in one provision are a doubt on each: neither is first by its place."""
    result = []
    for r in readings:
        others = [
            o
            for o in readings
            if o is not r
            and o.kind is r.kind is CovenantKind.MAINTENANCE
            and o.unit == r.unit
            and o.subject.name == r.subject.name
            and (o.comparator, [(s.limit.value, s.windows) for s in o.steps])
            != (r.comparator, [(s.limit.value, s.windows) for s in r.steps])
        ]
        if others:
            words = "The provision states this figure more than once, in different ways."
            doubt = Found(r.start, r.end, "review_clause_not_fully_read", None, words)
            r = replace(r, doubts=(*r.doubts, doubt))
        result.append(r)
    return result


def _keep_first(readings: list[ClauseReading]) -> list[ClauseReading]:
    maintenance = [r for r in readings if r.kind is CovenantKind.MAINTENANCE]
    return maintenance + [r for r in readings if r.kind is not CovenantKind.MAINTENANCE]
