"""Dates as contracts write them. Only whole dates are dates; a blank day or year is none."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

__all__ = ["MONTH", "DateToken", "find_dates", "parse_date"]

_MONTHS = {
    name: number
    for number, name in enumerate(
        (
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ),
        1,
    )
}
_SHORT = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "sept": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
MONTH = "(?:" + "|".join([*_MONTHS, *(rf"{s}\.?" for s in sorted(_SHORT, key=len, reverse=True))]) + ")"
_DATE = re.compile(
    rf"\b(?P<m1>{MONTH})\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<y1>\d{{4}})\b(?!\s*_)"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?(?P<m2>{MONTH})\s*,?\s+(?P<y2>\d{{4}})\b(?!\s*_)"
    r"|(?<![\d/])(?P<a4>\d{1,2})/(?P<b4>\d{1,2})/(?P<y4>\d{4})(?![\d/])"
    r"|\b(?P<y3>\d{4})-(?P<m3>\d{2})-(?P<d3>\d{2})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DateToken:
    """A whole date in a text."""

    start: int
    end: int
    date: dt.date


def _month(name: str) -> int:
    name = name.lower().rstrip(".")
    return _MONTHS.get(name) or _SHORT[name]


def _read(m: re.Match[str]) -> dt.date | None:
    if m["m1"]:
        parts = (int(m["y1"]), _month(m["m1"]), int(m["d1"]))
    elif m["m2"]:
        parts = (int(m["y2"]), _month(m["m2"]), int(m["d2"]))
    elif m["y4"]:
        a, b = int(m["a4"]), int(m["b4"])
        if (a > 12) == (b > 12) and a != b:
            return None  # 03/04/2024 is two days; 31/03/2024 and 03/31/2024 are one
        parts = (int(m["y4"]), b, a) if a > 12 else (int(m["y4"]), a, b)
    else:
        parts = (int(m["y3"]), int(m["m3"]), int(m["d3"]))
    try:
        return dt.date(*parts)
    except ValueError:
        return None


def find_dates(text: str, start: int = 0, end: int | None = None) -> list[DateToken]:
    """All whole, existing dates of a text, in order."""
    found = []
    for m in _DATE.finditer(text, start, len(text) if end is None else end):
        day = _read(m)
        if day is not None:
            found.append(DateToken(m.start(), m.end(), day))
    return found


def parse_date(text: str) -> dt.date | None:
    """The date that a text is, if it is one and nothing else."""
    m = _DATE.fullmatch(text.strip())
    return _read(m) if m else None
