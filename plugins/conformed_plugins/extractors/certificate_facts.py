"""What a certificate says of itself: the day that it is about, and whether it is signed."""

from __future__ import annotations

import datetime
import re

from conformed.language.dates import find_dates
from conformed.language.traced import Traced
from conformed.model.pack import Execution, Instrument
from conformed.model.span import Span

__all__ = ["signature", "stub_period", "test_date"]

_CUES = (
    r"test(?:ing)? date|calculation date|measurement date|determination date",
    (
        r"(?:fiscal )?(?:quarter|year|month|period)s? (?:ended|ending)|period end(?:ed|ing)?|"
        r"four (?:consecutive )?fiscal quarters (?:ended|ending)|quarter date|relevant period"
    ),
    r"\bas (?:of|at)\b(?! the date)",
)
_NOT = re.compile(
    r"dated (?:as )?of\s*$|\bdated\s*$|agreement,?\s+(?:made |entered into )?as of\s*$|restated (?:as of|on)\s*$|"
    r"amended (?:as of|on)\s*$",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"/s/\s*[A-Z]|/[sS]/[A-Z]|\b(?:electronically|digitally) signed(?: by)?\b|\bdocusigned by\b|\be-signed\b", re.IGNORECASE
)
_UNSIGNED = re.compile(r"\b(?:By|Signed|Signature)\s*:?\s*_{3,}", re.IGNORECASE)


def test_date(live: Traced) -> tuple[datetime.date | None, tuple[Span, ...], bool]:
    """The day that the figures are about, its span, and whether more than one day is named with equal right.

    The strongest words win: a test date by name, then the end of a quarter or period, then "as of".
    """
    text = live.text
    for cue in _CUES:
        days: dict[datetime.date, tuple[int, int]] = {}
        for match in re.finditer(cue, text, re.IGNORECASE):
            if _NOT.search(text[max(0, match.start() - 40) : match.end()]) or _heads_columns(text, match.start()):
                continue
            near = find_dates(text, match.end(), min(len(text), match.end() + 45))
            if near and "." not in text[match.end() : near[0].start].replace("U.S.", ""):
                days.setdefault(near[0].date, (near[0].start, near[0].end))
        if len(days) == 1:
            day, (start, end) = days.popitem()
            return day, live.spans(start, end), False
        if days:
            return None, (), True
    return None, (), False


def _heads_columns(text: str, at: int) -> bool:
    """Whether a line holds the heads of several columns: more than one day, with tabs or wide gaps between."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return len({day.date for day in find_dates(line)}) > 1 and re.search(r"\S(?:\t|\s{3,})\S", line) is not None


_STUB = re.compile(
    r"\b(?P<count>three|six|nine|3|6|9)(?:-|\s)months?(?:\s+period)?\s+(?:ended|ending)|\byear[- ]to[- ]date\b", re.IGNORECASE
)
_COUNTS = {"three": 3, "six": 6, "nine": 9, "3": 3, "6": 6, "9": 9}
_YEAR = re.compile(
    r"\b(?:twelve|12)(?:-|\s)months?\b|\bfour\s+(?:consecutive\s+)?(?:full\s+)?fiscal\s+quarters\b|\bLTM\b|\bTTM\b", re.IGNORECASE
)


def stub_period(live: Traced) -> int | None:
    """How many months of a year the figures are said to be of, where twelve are nowhere spoken of; 0 for an unclear part of a year.

    None where nothing says that they are of less than twelve months. Nothing is annualised here (rule CA-23).
    """
    found = list(_STUB.finditer(live.text))
    if not found or _YEAR.search(live.text):
        return None
    counts = {_COUNTS[m["count"].lower()] for m in found if m["count"]}
    return counts.pop() if len(counts) == 1 else 0


def signature(live: Traced, instrument: Instrument) -> tuple[bool | None, tuple[Span, ...]]:
    """Whether it is signed, and where that shows. What a person attests of it goes before what the text shows."""
    if instrument.execution_attested and instrument.execution is not Execution.UNKNOWN:
        return instrument.execution is Execution.EXECUTED, ()
    mark = _SIGNED.search(live.text)
    if mark:
        line_end = live.text.find("\n", mark.start())
        return True, live.spans(mark.start(), line_end if line_end >= 0 else len(live.text))
    blank = _UNSIGNED.search(live.text)
    return (False, live.spans(*blank.span())) if blank else (None, ())
