"""Windows: the words that say for which test dates a level counts.

``on or prior to December 31, 2008``, ``from October 1, 2024 through and including June 30, 2025``, ``thereafter``,
``April 4, 1999- October 2, 1999``, ``March 31, 2006 and thereafter``, ``Fiscal year ending 1995 / Third fiscal quarter``.
A phrase is read only if every date, number and word of exception in it was understood.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass, replace

from conformed.language.dates import MONTH, find_dates, parse_date
from conformed.language.window_words import (
    FILLER,
    FISCAL_QUARTER,
    FISCAL_YEAR,
    FOOTNOTE,
    NEAR,
    OPEN_END,
    OPEN_START,
    ORDINAL_QUARTERS,
    TRANSLATED,
)
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Phrase", "chain", "only_filler", "read_phrase"]

_DAY = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A window as read from words.

    Attributes:
        windows: one window, or one a date where the words list several dates.
        then: the words are only "thereafter": the window begins when the one before ends.
        near: "nearest to", "on or about".
        period: the words bound the *beginning* of a period, which a rolling test period may not meet.
        needs_calendar: a fiscal label that needs the fiscal calendar.
    """

    windows: tuple[Window, ...]
    then: bool = False
    near: bool = False
    period: bool = False
    needs_calendar: bool = False


_PERIOD_END = re.compile(  # "commencing with the fiscal quarter ending June 30, 2024": the period is known by its last day
    r"\bthe (?:last day of the )?(?:(?:first|fiscal|financial|calendar|test|relevant|measurement) )*(?:quarter|period|month) (?:ending|ended) (?:on )?\u0110",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"\b({MONTH}\s+\d{{1,2}})(\s*(?:-|to|through|thru)\s*)({MONTH}\s+\d{{1,2}}\s*,?\s+)(\d{{4}})\b", re.IGNORECASE
)
_IN_YEAR = re.compile(
    r"\b(?:ending|ended|occurring|falling)\s+(?:in|during)\s+(?:calendar\s+(?:year\s+)?)?((?:19|20)\d\d)\b", re.IGNORECASE
)


def _same_year(m: re.Match[str]) -> str:
    """Gives the first date of "January 1 - June 30, 2024" the year of the second, where it comes before it."""
    first, last = parse_date(f"{m[1]}, {m[4]}"), parse_date(f"{m[3]}{m[4]}")
    if first is None or last is None or first >= last:
        return m[0]
    return f"{m[1]}, {m[4]}{m[2]}{m[3]}{m[4]}"


def _in_year(text: str) -> Phrase | None:
    """A calendar year, as in "each fiscal quarter ending in 2024"."""
    years = list(_IN_YEAR.finditer(text))
    if len(years) != 1:
        return None
    rest = _IN_YEAR.sub(" ", text)
    onward = re.search(r"\b(?:and|or)\s+thereafter\b", rest, re.IGNORECASE)
    rest = rest.replace(onward[0], " ") if onward else rest
    if not only_filler(rest):
        return None
    year = int(years[0][1])
    return Phrase((Window(start=dt.date(year, 1, 1), end=None if onward else dt.date(year, 12, 31)),))


def only_filler(rest: str) -> bool:
    """Whether words say nothing about which days are meant, and hold no number, exception or mark of a footnote."""
    if FOOTNOTE.search(rest):
        return False  # a mark that points to words elsewhere
    rest = FILLER.sub(" ", rest)
    rest = re.sub(r"\((?:and|[a-z]|[ivx]+)?\)|[\s,;:.()|=\-\"'_*<>/]+", "", rest)
    return not rest


def read_phrase(text: str, calendar: FiscalCalendar | None = None, context: str = "") -> Phrase | None:
    """Reads one label or window phrase.

    Args:
        text: the words.
        calendar: the fiscal calendar, where it is known.
        context: a heading above the row that gives the fiscal year.

    Returns:
        The window, or None where a date, number or word of exception was not understood.
    """
    near = bool(NEAR.search(text))
    text = _RANGE.sub(_same_year, text)
    dates = find_dates(text)
    marked, at = [], 0
    for token in dates:
        marked.append(text[at : token.start])
        marked.append(" \u0110 ")
        at = token.end
    marked.append(text[at:])
    plain = re.sub(OPEN_START, " \u0160 ", "".join(marked), flags=re.IGNORECASE)
    plain = re.sub(OPEN_END, " \u0112 ", plain, flags=re.IGNORECASE)
    plain = _PERIOD_END.sub(" \u0110 ", re.sub(r"\s+", " ", plain)).strip()
    if not dates:
        return _in_year(text) or _fiscal(text, calendar, context) or _then(plain, near=near)
    days = [t.date for t in dates]
    for pattern, name in TRANSLATED:
        match = pattern.search(plain)
        if match is None:
            continue
        count = match[0].count("\u0110")
        if name == "day" and len(days) > 1:
            gaps = [text[a.end : b.start] for a, b in itertools.pairwise(dates)]
            if not all(re.search(r"[,;&]|\b(?:and|or)\b", gap, re.IGNORECASE) for gap in gaps):
                return None  # dates one under the other with nothing between them: the level of one of them is missing
            rest = plain.replace("\u0110", " ")
            if only_filler(rest) and not re.search(r"\b(?:to|through|until|after|before|prior|from|thereafter)\b", rest):
                return Phrase(tuple(Window(start=d, end=d) for d in days), near=near)
            return None
        if name == "day" and re.search(r"\u0110.*\b(?:each|every|any|all)\b", plain):
            return None  # "December 31, 2024 and each": the label goes on where it was cut off
        if count != len(days) or not only_filler(plain[: match.start()] + " " + plain[match.end() :]):
            continue
        return _window(name, days, match[0], near=near)
    return None


def _then(plain: str, *, near: bool) -> Phrase | None:
    match = re.search(
        r"\b(?:at\s+any\s+time\s+|at\s+all\s+times\s+)?(?:there-?after|after\s+that|from\s+then\s+on|(?:each|any|every)\s+(?:later|subsequent|succeeding|following)\s+(?:(?:fiscal|financial|relevant|test|quarter)\s+)*(?:quarter|period|date))\b",
        plain,
        re.IGNORECASE,
    )
    if match and only_filler(plain[: match.start()] + " " + plain[match.end() :]):
        return Phrase((Window(),), then=True, near=near)
    return None


def _window(name: str, days: list[dt.date], words: str, *, near: bool) -> Phrase | None:
    first, last = days[0], days[-1]
    if (
        name in {"between_closed", "between_before", "between_open", "after_to_closed", "after_before", "period_between"}
        and last <= first
    ):
        return None
    including = bool(re.search(r"including|through|thru", words, re.IGNORECASE))
    table = {
        "between_closed": Window(start=first, end=last),
        "period_between": Window(start=first, end=last),
        "after_to_closed": Window(start=first + _DAY, end=last),
        "between_before": Window(start=first, end=last - _DAY),
        "after_before": Window(start=first + _DAY, end=last - _DAY),
        "between_open": Window(start=first, end=last, end_unclear=True),
        "start_to": Window(end=last, end_unclear=not including),
        "start_to_closed": Window(end=last),
        "to_closed": Window(end=last),
        "before": Window(end=last - _DAY),
        "to_open": Window(end=last, end_unclear=True),
        "from": Window(start=first),
        "after": Window(start=first + _DAY),
        "then": Window(),
        "day": Window(start=first, end=first),
    }
    return Phrase((table[name],), near=near, period=name == "period_between", then=name == "then")


def _fiscal(text: str, calendar: FiscalCalendar | None, context: str) -> Phrase | None:
    quarter = FISCAL_QUARTER.search(text)
    year = FISCAL_YEAR.search(text) or FISCAL_YEAR.search(context)
    if year is None:
        return None
    number = int(year[1] or year[2] or year[3])
    number += 2000 if number < 70 else 1900 if number < 100 else 0
    rest = FISCAL_QUARTER.sub(" ", FISCAL_YEAR.sub(lambda m: f"Q{m[0][1]} " if m["q"] else " ", text))
    onward = re.search(r"\b(?:and|or)\s+(?:each\s+\w+\s+(?:\w+\s+)?)?thereafter\b", rest, re.IGNORECASE)
    rest = re.sub(r"\bthereafter\b", " ", rest, flags=re.IGNORECASE) if onward else rest
    if not only_filler(rest):
        return None
    if calendar is None:
        return Phrase((Window(),), needs_calendar=True)
    if quarter is None:
        end = calendar.year_end(number)
        start = calendar.year_end(number - 1) + _DAY
        return Phrase((Window(start=start, end=None if onward else end),))
    ordinal = ORDINAL_QUARTERS[quarter[1].lower()] if quarter[1] else int(quarter[2])
    day = calendar.quarter_end(number, ordinal)
    return Phrase((Window(start=day, end=None if onward else day),))


def chain(phrases: list[Phrase]) -> list[Phrase]:
    """Ties windows of one enumeration together: "thereafter" begins where the one before ends; steps that meet are closed.

    An edge stays unclear only where the next step does not begin on the following day.
    """
    result: list[Phrase] = []
    for position, phrase in enumerate(phrases):
        windows = phrase.windows
        if phrase.then and result:
            before = result[-1].windows[-1]
            if before.end is None:
                begin = before.start
                windows = (Window(start=begin + _DAY if begin else None),)
            elif before.end_unclear:
                windows = (Window(start=before.end, start_unclear=True),)
            else:
                windows = (Window(start=before.end + _DAY),)
        following = phrases[position + 1].windows[0] if position + 1 < len(phrases) and not phrases[position + 1].then else None
        last = windows[-1]
        if last.end_unclear and following is not None and following.start is not None and last.end is not None:
            if following.start == last.end + _DAY:
                windows = (*windows[:-1], last.model_copy(update={"end_unclear": False}))
            elif following.start == last.end:
                windows = (*windows[:-1], last)
        if last.start is None and result and result[-1].windows[-1].end is not None and not phrase.then and last.end is not None:
            # "(ii) 4.25 through June 30, 2025" after "(i) 4.50 through September 30, 2024": the step begins when the one before ends.
            before = result[-1].windows[-1]
            if before.end is not None and before.end < last.end:
                start = before.end if before.end_unclear else before.end + _DAY
                windows = (*windows[:-1], windows[-1].model_copy(update={"start": start, "start_unclear": before.end_unclear}))
        result.append(replace(phrase, windows=windows, then=False))
    return result
