"""The conditions of an elected increase, each shown, failed or open (rule book PR-42)."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conformed.model.dates import FiscalCalendar, Window, month_end
from conformed.model.election import Election, ElectionTerms

__all__ = ["Conditions", "check_election", "quarter_ends_after", "quarter_ends_in", "quarters_between"]

_QUARTER = 1461
"""Sixteen quarters of a year of 365.25 days, in days: enough to count quarter ends, of 52/53-week years too."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the evidence says of an election.

    Attributes:
        failed: conditions that the evidence shows as not met, in words.
        open: conditions that nothing shows, in words.
    """

    failed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def quarters_between(old: dt.date, new: dt.date) -> int | None:
    """Fiscal quarter ends between two others, both left out; None where the two are not a number of quarters apart."""
    days = 16 * (new - old).days
    count = (days + _QUARTER // 2) // _QUARTER
    return count - 1 if abs(days - count * _QUARTER) <= _QUARTER // 10 else None


def _quarter_later(day: dt.date, quarters: int) -> dt.date:
    """Another quarter end, the same day of its month or the last one."""
    month = day.month - 1 + 3 * quarters
    last = month_end(day.year + month // 12, month % 12 + 1)
    return last if day == month_end(day.year, day.month) or day.day > last.day else last.replace(day=day.day)


def quarter_ends_after(day: dt.date, count: int, calendar: FiscalCalendar) -> tuple[dt.date, ...]:
    """The end of the fiscal quarter in which a day falls, and those that follow it.

    Args:
        day: the day of the event.
        count: how many quarter ends.
        calendar: the fiscal calendar.
    """
    years = range(day.year - 1, day.year + 3 + count // 4)
    ends = sorted({calendar.quarter_end(y, q) for y in years for q in (1, 2, 3, 4)})
    return tuple(e for e in ends if e >= day)[:count]


def quarter_ends_in(window: Window) -> tuple[dt.date, ...]:
    """The quarter ends of a stretch that ends on one; none where it is open at an end.

    Args:
        window: one quarter end, or the days from within the first quarter to the last quarter end.
    """
    if window.start is None or window.end is None:
        return ()
    ends = [window.end]
    while (before := _quarter_later(window.end, -len(ends))) >= window.start and len(ends) < 40:
        ends.append(before)
    return tuple(reversed(ends))


def check_election(
    facts: Election,
    asks: ElectionTerms,
    days: Sequence[dt.date],
    notice: Sequence[dt.date],
    previous: Iterable[dt.date],
    tested: Callable[[dt.date], bool],
) -> Conditions:
    """Holds an election against what the agreement asks of it.

    Args:
        facts: what the papers show.
        asks: what the agreement asks.
        days: fiscal quarter ends of the increase.
        notice: days on which the notice may have been given (its date, the day of its signature).
        previous: last quarter ends of increases that were, or may have been, in force before.
        tested: whether the covenant was tested without increase on a quarter end, as far as the papers say.
    """
    failed: list[str] = []
    missing: list[str] = []
    if not asks.whole:
        missing.append("not every condition of the right is known")
    if facts.event_date is None:
        missing.append("nothing shows the day of the event")
    if not notice:
        missing.append("nothing shows the day of the notice")
    _timely(facts, asks, notice, failed, missing)
    if asks.sized and facts.size_met is None:
        missing.append("nothing shows that the event is of the size asked")
    if facts.size_met is False:
        failed.append("the event is not of the size asked")
    if not days:
        missing.append("the fiscal quarters of the increase are not known")
    else:
        _window(facts, asks, days, failed, missing)
        _gap(facts, asks, days[0], previous, tested, failed, missing)
    if facts.first and (facts.number or 1) > 1:
        missing.append("it is said to be the first and to be one of several")
    if asks.most is not None:
        number = 1 if facts.number is None and facts.first else facts.number
        if number is None:
            missing.append("nothing shows how many elections were made")
        elif number > asks.most:
            failed.append(f"it is number {number} of at most {asks.most}")
    return Conditions(tuple(failed), tuple(missing))


def _timely(facts: Election, asks: ElectionTerms, notice: Sequence[dt.date], failed: list[str], missing: list[str]) -> None:
    """Notice in time: each day on which it may have been given must say the same."""
    if asks.notice_days is None or facts.event_date is None or not notice:
        return
    said = {_late(facts.event_date, day, asks) for day in notice}
    if said == {"late"}:
        failed.append(f"notice was given more than {asks.notice_days} days after the event")
    elif said != {"in time"}:
        missing.append("whether notice was given in time is not plain")


def _late(event: dt.date, given: dt.date, asks: ElectionTerms) -> str:
    most = asks.notice_days or 0
    after = (given - event).days
    if after < 0:
        return "before"  # whether notice may be given before the event is for the words to say
    if after <= most:
        return "in time"
    if not asks.business_days:
        return "late"
    weekdays = sum((event + dt.timedelta(days=i)).weekday() < 5 for i in range(1, after + 1))
    return "in time" if weekdays <= most else "open"  # holidays are not in the pack


def _window(facts: Election, asks: ElectionTerms, days: Sequence[dt.date], failed: list[str], missing: list[str]) -> None:
    if asks.quarters is not None and len(days) > asks.quarters:
        failed.append(f"it covers {len(days)} fiscal quarters of at most {asks.quarters}")
    if any(quarters_between(a, b) != 0 for a, b in itertools.pairwise(days)):
        missing.append("its fiscal quarters do not follow each other")
    if facts.event_date is not None and days[0] < facts.event_date:
        missing.append("its first fiscal quarter ends before the event")


def _gap(
    facts: Election,
    asks: ElectionTerms,
    first: dt.date,
    previous: Iterable[dt.date],
    tested: Callable[[dt.date], bool],
    failed: list[str],
    missing: list[str],
) -> None:
    """Enough fiscal quarter ends, tested without increase, since the last increase."""
    known = [*previous, *([facts.previous_window_end] if facts.previous_window_end else [])]
    if not known:
        if facts.first is None:
            missing.append("nothing shows whether there was an increase before")
        return
    if facts.first:
        missing.append("it is said to be the first, and the pack shows another before it")
    last = max(known)
    if last >= first:
        failed.append("it begins before the increase before it has ended")
        return
    if asks.gap_quarters is None:
        return
    between = quarters_between(last, first)
    if between is None:
        missing.append("the increases are not a whole number of fiscal quarters apart")
    elif between < asks.gap_quarters:
        failed.append(f"{between} of {asks.gap_quarters} fiscal quarters lie between the two increases")
    else:
        days = [_quarter_later(last, i) for i in range(1, between + 1)]
        if sum(tested(day) for day in days) < asks.gap_quarters:
            missing.append("a fiscal quarter between the two increases was not tested")
