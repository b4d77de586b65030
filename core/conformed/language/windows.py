"""Windows: the words that say for which test dates a level counts.

``on or prior to December 31, 2008``, ``from October 1, 2024 through and including June 30, 2025``, ``thereafter``,
``April 4, 1999- October 2, 1999``, ``March 31, 2006 and thereafter``, ``Fiscal year ending 1995 / Third fiscal quarter``.
A phrase is read only if every date, number and word of exception in it was understood.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass

from conformed.language.dates import MONTH, find_dates, parse_date
from conformed.model.dates import FiscalCalendar, Window

__all__ = ["Phrase", "chain", "read_phrase"]

_DAY = dt.timedelta(days=1)
_OPEN_START = (
    r"(?:the\s+)?(?:closing|effective|restatement|amendment|initial\s+borrowing|"
    r"original\s+closing)\s+(?:effective\s+)?date|(?:the\s+)?date\s+(?:hereof|of\s+this\s+agreement)|(?:inception)"
)
_OPEN_END = r"(?:the\s+)?(?:\w+\s+)?(?:maturity|termination|expiration|final\s+maturity)\s+date"

# D stands for a date; the phrase is matched after every date was replaced by a mark, so that the patterns stay short.
_PATTERNS: tuple[tuple[str, str], ...] = (
    ((
        r"(?:from|for|during)?\s*(?:and\s+after\s+|and\s+including\s+)?D\s*(?:and\s+)?(?:up\s+)?(?:to|through|until|"
        r"thru)\s+(?:and\s+including|\(and\s+including\))\s+D"
), "between_closed"),
    ((
        r"(?:beginning|commencing)\s+(?:on\s+or\s+after|after|on|"
        r"with)\s+D\s+(?:and\s+)?ending\s+(?:on\s+or\s+(?:before|prior\s+to)|prior\s+to|on)\s+D"
), "period_between"),
    ((
        r"after\s+D\s*,?\s*(?:and|but|through|to)\s+(?:(?:on\s+or\s+(?:prior\s+to|before))|"
        r"(?:up\s+to\s+)?(?:and\s+)?(?:through\s+)?(?:and\s+)?including|through|until\s+and\s+including)\s+D"
), "after_to_closed"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|on)\s+D\s*,?\s*(?:and|but|to\s+and|"
        r"through\s+and)?\s*(?:on\s+or\s+(?:prior\s+to|before)|(?:up\s+to\s+)?and\s+including|to\s+and\s+including|"
        r"through\s+and\s+including)\s+D"
), "between_closed"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from)\s+D\s*,?\s*(?:and|"
        r"but)\s+(?:at\s+any\s+time\s+)?(?:prior\s+to|before)\s+D"
), "between_before"),
    (r"after\s+D\s*,?\s*(?:and|but)\s+(?:prior\s+to|before)\s+D", "after_before"),
    (r"(?:from|for|during|between)?\s*(?:and\s+after\s+|and\s+including\s+)?D\s*,?\s*(?:through|thru|-|–)\s*,?\s*D", "between_closed"),
    ((
        r"(?:from|for|between)?\s*(?:and\s+including\s+)?D\s*,?\s*(?:to|until|and)\s+(?:but\s+(?:excluding|"
        r"not\s+including)\s+)D"
), "between_before"),
    (r"(?:from|between)\s*(?:and\s+including\s+)?D\s*,?\s*(?:to|until|and)\s+D", "between_open"),
    (r"D\s+to\s+D", "between_open"),
    ((
        r"(?:from\s+|for\s+|during\s+)?(?:the\s+period\s+from\s+)?S\s*,?\s*(?:up\s+)?(?:to|through|until|"
        r"thru)\s*(?:,?\s*and\s+including|\(and\s+including\))?\s*,?\s*D"
), "start_to"),
    (r"S\s*-\s*D", "start_to_closed"),
    ((
        r"(?:on\s+or\s+(?:prior\s+to|before)|(?:up\s+)?(?:to|through|until)\s*,?\s*(?:and\s+)?including|"
        r"not\s+later\s+than|through|thru|at\s+or\s+prior\s+to)\s+D"
), "to_closed"),
    (r"(?:prior\s+to|before|ending\s+before)\s+D", "before"),
    (r"(?:until|to|up\s+to)\s+D", "to_open"),
    ((
        r"(?:from\s+)?(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|commencing(?:\s+(?:on|with|"
        r"as\s+of))?|beginning(?:\s+(?:on|with|as\s+of))?|starting\s+(?:on|with)|at\s+and\s+after|"
        r"as\s+of\s+and\s+after)\s+(?:and\s+including\s+)?D\s*,?\s*(?:through|to|until)\s*,?\s*E"
), "from"),
    (r"D\s*,?\s*(?:through|to|until|-)\s*,?\s*E", "from"),
    ((
        r"(?:on\s+or\s+after|from\s+and\s+after|on\s+and\s+after|from|commencing(?:\s+(?:on|with|as\s+of))?|"
        r"beginning(?:\s+(?:on|with|as\s+of))?|starting\s+(?:on|with)|at\s+and\s+after|"
        r"as\s+of\s+and\s+after)\s+D(?:\s*,?\s*and\s+(?:at\s+all\s+times\s+|for\s+each\s+\S+\s+)?thereafter)?"
), "from"),
    ((
        r"D\s*,?\s*(?:and|or)\s+(?:for\s+|at\s+)?(?:each\s+|any\s+|every\s+|all\s+|"
        r"the\s+last\s+day\s+of\s+each\s+)?(?:(?:fiscal|financial|calendar|succeeding|subsequent|other|test|"
        r"relevant)\s+)*(?:quarters?|periods?|quarter\s+dates?|dates?|year|months?|quarter\s+end|times)?\s*(?:ending|"
        r"ended|ends|occurring|falling)?\s*(?:thereafter|after\s+(?:it|that|such\s+date)|later|after|"
        r"subsequent\s+thereto)"
), "from"),
    ((
        r"D\s*,?\s*and\s+(?:for\s+)?(?:each|any|every|all)\s+(?:subsequent|succeeding|"
        r"following)\s+(?:\w+\s+){0,3}?(?:dates?|quarters?|periods?|end|years?|months?)"
), "from"),
    (r"(?:after|subsequent\s+to|following|later\s+than|ending\s+after)\s+D", "after"),
    ((
        r"(?:at\s+any\s+time\s+|at\s+all\s+times\s+)?(?:there-?after|after\s+that|from\s+then\s+on|"
        r"(?:and\s+)?each\s+\w+\s+thereafter)"
), "then"),
    (r"D", "day"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern.replace(r"\s", r"[\s]"), re.IGNORECASE), name) for pattern, name in _PATTERNS)

_FILLER = re.compile(
    r"\b(?:for|the|a|an|of|on|in|at|and|or|any|each|every|all|time|times|as|to|such|with|day|last|date|dates|period|periods|quarter|quarters|quarterly|"
    r"fiscal|financial|calendar|year|years|month|months|test|relevant|measurement|computation|determination|calculation|reporting|covenant|"
    r"ending|ended|end|ends|expiring|occurring|falling|during|thereof|then|four|twelve|consecutive|rolling|nearest|about|closest|"
    r"ratio|ratios|maximum|minimum|leverage|coverage|level|levels|amount|amounts|applicable|required|percentage|total|net|senior|secured|"
    r"interest|fixed|charge|charges|consolidated|debt|ebitda|cash|flow|worth|tangible|capital|column|opposite|set|forth|below|above|is|be|shall|table|"
    r"S|C|CAPTION|TABLE|by|company|borrower|parent|its|case|commencing|beginning|that|which|this|section|corresponding|liquidity|indicated)\b",
    re.IGNORECASE,
)
_NEAR = re.compile(r"\b(?:nearest(?:\s+to)?|on\s+or\s+about|closest\s+to)\b", re.IGNORECASE)
_ORDINAL = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_FISCAL_QUARTER = re.compile(
    r"(?:\b(first|second|third|fourth|1st|2nd|3rd|4th)\s+(?:fiscal\s+)?quarter\b|\b(?:fiscal\s+quarter\s+|Q)([1-4])\b)",
    re.IGNORECASE,
)
_FISCAL_YEAR = re.compile(
    r"\bQ[1-4]\s+(?P<q>(?:19|20)\d\d)\b|\bfiscal\s+(?:year\s+)?(?:ending\s+|ended\s+)?(?:in\s+)?((?:19|20)\d\d)\b|\bFY\s?((?:19|20)\d\d|\d\d)\b", re.IGNORECASE
)


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


_RANGE = re.compile(rf"\b({MONTH}\s+\d{{1,2}})(\s*(?:-|to|through|thru)\s*)({MONTH}\s+\d{{1,2}}\s*,?\s+)(\d{{4}})\b", re.IGNORECASE)
_IN_YEAR = re.compile(r"\b(?:ending|ended|occurring|falling)\s+(?:in|during)\s+(?:calendar\s+(?:year\s+)?)?((?:19|20)\d\d)\b", re.IGNORECASE)


def _same_year(m: re.Match[str]) -> str:
    """Gives the first date of "January 1 - June 30, 2024" the year of the second, where it comes before it."""
    first, last = parse_date(f"{m[1]}, {m[4]}"), parse_date(f"{m[3]}{m[4]}")
    if first is None or last is None or first >= last:
        return m[0]
    return f"{m[1]}, {m[4]}{m[2]}{m[3]}{m[4]}"


def _in_year(text: str) -> Phrase | None:
    """ "each fiscal quarter ending in 2024": a calendar year."""
    years = list(_IN_YEAR.finditer(text))
    if len(years) != 1:
        return None
    rest = _IN_YEAR.sub(" ", text)
    onward = re.search(r"\b(?:and|or)\s+thereafter\b", rest, re.IGNORECASE)
    rest = rest.replace(onward[0], " ") if onward else rest
    if not _clean(rest):
        return None
    year = int(years[0][1])
    return Phrase((Window(start=dt.date(year, 1, 1), end=None if onward else dt.date(year, 12, 31)),))


_FOOTNOTE = re.compile(r"(?<![*\\])\*{1}(?![*])|[\u2020\u2021\u00a7\u00b9\u00b2\u00b3]")


def _clean(rest: str) -> bool:
    if _FOOTNOTE.search(rest):
        return False  # a mark that points to words elsewhere
    rest = _FILLER.sub(" ", rest)
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
    near = bool(_NEAR.search(text))
    text = _RANGE.sub(_same_year, text)
    dates = find_dates(text)
    marked, at = [], 0
    for token in dates:
        marked.append(text[at : token.start])
        marked.append(" \u0110 ")
        at = token.end
    marked.append(text[at:])
    plain = re.sub(_OPEN_START, " \u0160 ", "".join(marked), flags=re.IGNORECASE)
    plain = re.sub(_OPEN_END, " \u0112 ", plain, flags=re.IGNORECASE)
    plain = re.sub(r"\s+", " ", plain).strip()
    if not dates:
        return _in_year(text) or _fiscal(text, calendar, context) or _then(plain, near)
    days = [t.date for t in dates]
    for pattern, name in _translated():
        match = pattern.search(plain)
        if match is None:
            continue
        count = match[0].count("\u0110")
        if name == "day" and len(days) > 1:
            gaps = [text[a.end : b.start] for a, b in itertools.pairwise(dates)]
            if not all(re.search(r"[,;&]|\b(?:and|or)\b", gap, re.IGNORECASE) for gap in gaps):
                return None  # dates one under the other with nothing between them: the level of one of them is missing
            rest = plain.replace("\u0110", " ")
            if _clean(rest) and not re.search(r"\b(?:to|through|until|after|before|prior|from|thereafter)\b", rest):
                return Phrase(tuple(Window(start=d, end=d) for d in days), near=near)
            return None
        if name == "day" and re.search(r"\u0110.*\b(?:each|every|any|all)\b", plain):
            return None  # "December 31, 2024 and each": the label goes on where it was cut off
        if count != len(days) or not _clean(plain[: match.start()] + " " + plain[match.end() :]):
            continue
        return _window(name, days, match[0], near=near)
    return None


def _translated() -> tuple[tuple[re.Pattern[str], str], ...]:
    global _TRANSLATED  # noqa: PLW0603 - compiled once, on first use
    if _TRANSLATED is None:
        _TRANSLATED = tuple(
            (
                re.compile(
                    re.sub(
                        r"(?<![A-Za-z\\])([DSE])(?![A-Za-z])", lambda m: {"D": "\u0110", "S": "\u0160", "E": "\u0112"}[m[1]], p
                    ),
                    re.IGNORECASE,
                ),
                n,
            )
            for p, n in _PATTERNS
        )
    return _TRANSLATED


_TRANSLATED: tuple[tuple[re.Pattern[str], str], ...] | None = None


def _then(plain: str, near: bool) -> Phrase | None:  # noqa: FBT001
    match = re.search(
        r"\b(?:at\s+any\s+time\s+|at\s+all\s+times\s+)?(?:there-?after|after\s+that|from\s+then\s+on)\b", plain, re.IGNORECASE
    )
    if match and _clean(plain[: match.start()] + " " + plain[match.end() :]):
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
    quarter = _FISCAL_QUARTER.search(text)
    year = _FISCAL_YEAR.search(text) or _FISCAL_YEAR.search(context)
    if year is None:
        return None
    number = int(year[1] or year[2] or year[3])
    number += 2000 if number < 70 else 1900 if number < 100 else 0
    rest = _FISCAL_QUARTER.sub(" ", _FISCAL_YEAR.sub(lambda m: f"Q{m[0][1]} " if m["q"] else " ", text))
    onward = re.search(r"\b(?:and|or)\s+(?:each\s+\w+\s+(?:\w+\s+)?)?thereafter\b", rest, re.IGNORECASE)
    rest = re.sub(r"\bthereafter\b", " ", rest, flags=re.IGNORECASE) if onward else rest
    if not _clean(rest):
        return None
    if calendar is None:
        return Phrase((Window(),), needs_calendar=True)
    if quarter is None:
        end = calendar.year_end(number)
        start = calendar.year_end(number - 1) + _DAY
        return Phrase((Window(start=start, end=None if onward else end),))
    ordinal = _ORDINAL[quarter[1].lower()] if quarter[1] else int(quarter[2])
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
        result.append(Phrase(windows, False, phrase.near, phrase.period, phrase.needs_calendar))
    return result
