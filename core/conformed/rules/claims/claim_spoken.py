"""Shares and days in forms that only a sentence has: ``twenty per cent``, ``the thirtieth of September 2024``, ``30-Sep-24``."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

from conformed.language.dates import MONTH, parse_date
from conformed.language.words import number_in_words

__all__ = ["spoken_days", "spoken_months", "spoken_shares"]

_FIRST = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
_ORDINALS = {word: number for number, word in enumerate(_FIRST, 1)} | {"thirtieth": 30, "thirty-first": 31}
_ORDINALS |= {f"twenty-{word}": 20 + number for word, number in list(_ORDINALS.items())[:9]}
_DAY = re.compile(
    r"(?<![\w-])(?:(?P<word>"
    + "|".join(sorted(_ORDINALS, key=len, reverse=True))
    + rf")|(?P<figure>\d{{1,2}})(?:st|nd|rd|th))\s+(?:day\s+)?of\s+(?P<month>{MONTH})\s*,?\s+(?P<year>\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w./-])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)(?![\w-]|\.\d)")
_DASHED = re.compile(
    rf"(?<![\w./-])(?P<day>\d{{1,2}})[- ](?P<month>{MONTH})[- ](?P<year>20\d\d|\d\d(?!\d))(?![\w-])", re.IGNORECASE
)
_MONTH = re.compile(rf"(?<![\w-])(?<!\d )(?<!of )(?P<month>{MONTH}),?\s+(?P<year>20\d\d)(?!\d)", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\w.-])(?P<words>[a-z]+(?:[ -][a-z]+){0,4})\s+per\s?cent\b\.?", re.IGNORECASE)


def spoken_days(text: str) -> list[tuple[int, int, str]]:
    """Days with an ordinal before "of", with dots (day first, as only continental Europe writes) or dashes: start, end, ISO day.

    A day that does not exist is none.
    """
    found = []
    for m in _DAY.finditer(text):
        number = _ORDINALS[m["word"].lower()] if m["word"] else int(m["figure"])
        found.append((m, parse_date(f"{number} {m['month']} {m['year']}")))
    for m in _DASHED.finditer(text):
        year = m["year"] if len(m["year"]) == 4 else f"20{m['year']}"
        found.append((m, parse_date(f"{m['day']} {m['month']} {year}")))
    for m in _DOTTED.finditer(text):
        try:
            found.append((m, dt.date(int(m["year"]), int(m["month"]), int(m["day"]))))
        except ValueError:
            continue
    return [(m.start(), m.end(), day.isoformat()) for m, day in found if day is not None]


def spoken_months(text: str) -> list[tuple[int, int, str]]:
    """A month and its year with no day: start, end, ``2024-09``."""
    found = []
    for m in _MONTH.finditer(text):
        day = parse_date(f"1 {m['month']} {m['year']}")
        if day is not None:
            found.append((m.start(), m.end(), f"{day:%Y-%m}"))
    return found


def spoken_shares(text: str) -> list[tuple[int, int, Fraction]]:
    """Percentages written in words: start, end, share. The longest run of number words before "per cent" counts."""
    found = []
    for m in _SHARE.finditer(text):
        starts = [m.start("words"), *(m.start("words") + gap.end() for gap in re.finditer(" ", m["words"]))]
        for at in starts:
            value = number_in_words(text[at : m.end("words")])
            if value is not None:
                found.append((at, m.end(), value / 100))
                break
    return found
