"""Days on which papers are due and rights run out. Business days know no holidays here, so each such day is a stretch."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from conformed.language.cure_limits import CureLimits
from conformed.language.delivery import Delivery
from conformed.model.dates import FiscalCalendar
from conformed.model.decision import Reason
from conformed.model.span import Span

__all__ = ["Arrival", "Due", "after_days", "cure_deadline", "due_on", "late_delivery"]

_DAY = dt.timedelta(days=1)
_HOLIDAYS = 5
"""Holidays that may lie in any stretch, beside one in every five business days of it: more than any calendar has."""


@dataclass(frozen=True, slots=True)
class Due:
    """The last day for something: not before ``earliest``, not after ``latest``."""

    earliest: dt.date
    latest: dt.date


@dataclass(frozen=True, slots=True)
class Arrival:
    """A certificate and the day before which it cannot have been delivered.

    Attributes:
        document: the certificate.
        day: the day on which it was delivered where that is said, else the date that it bears.
        spans: where that stands.
    """

    document: str
    day: dt.date
    spans: tuple[Span, ...] = ()


def after_days(day: dt.date, count: int, *, business: bool) -> Due:
    """The day that lies some days after another.

    Business days are counted from Monday to Friday; a holiday can only move the day later.
    """
    if not business:
        return Due(day + count * _DAY, day + count * _DAY)

    def weekdays(number: int) -> dt.date:
        at = day
        while number:
            at += _DAY
            number -= at.weekday() < 5
        return at

    return Due(weekdays(count), weekdays(count + _HOLIDAYS + count // 5))


def due_on(deliveries: Sequence[Delivery], test: dt.date, calendar: FiscalCalendar | None) -> Due | None:
    """When the certificate for a test date was due, or None where the agreement does not say it.

    A duty that names the certificate goes before one of accounts, with which it comes. Without a fiscal calendar the test date
    may end a quarter or a year, and the day is a stretch.
    """
    year_end = None if calendar is None else any(calendar.year_end(y) == test for y in (test.year, test.year + 1))
    periods = {None: ("quarter", "year"), True: ("year",), False: ("quarter",)}[year_end]
    fitting = [d for d in deliveries if d.period in periods]
    if year_end and not fitting:
        fitting = list(deliveries)
    named = [d for d in fitting if d.certificate]
    days = [after_days(test, d.days, business=d.business) for d in named or fitting]
    return Due(min(d.earliest for d in days), max(d.latest for d in days)) if days else None


def cure_deadline(
    limits: CureLimits, deliveries: Sequence[Delivery], test: dt.date, calendar: FiscalCalendar | None, delivered: dt.date | None
) -> Due | None:
    """Until when a right to cure may be used, or None where its words or the papers do not fix the day."""
    if limits.days is None:
        return None
    starts = {
        "due": due_on(deliveries, test, calendar),
        "test": Due(test, test),
        "delivered": Due(delivered, delivered) if delivered else None,
    }.get(limits.runs_from)
    if starts is None:
        return None
    first = after_days(starts.earliest, limits.days, business=limits.business)
    last = after_days(starts.latest, limits.days, business=limits.business)
    return Due(first.earliest, last.latest)


def late_delivery(
    deliveries: Sequence[Delivery], arrival: Arrival | None, test: dt.date, calendar: FiscalCalendar | None
) -> Reason | None:
    """A certificate that came after the last day on which it can have been due; silent where either day is not shown."""
    due = due_on(deliveries, test, calendar)
    if arrival is None or due is None or arrival.day <= due.latest:
        return None
    sentence = f"{arrival.document} is of {arrival.day.isoformat()}; the agreement asks for it by {due.latest.isoformat()}."
    spans = (*arrival.spans, *(s for d in deliveries for s in d.spans[:1]))
    return Reason(code="finding_late_delivery", sentence=sentence, subject=arrival.document, spans=spans)
