"""Names of instruments: ordinals, agreements, and who names whom."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.dates import find_dates

__all__ = ["AGREEMENT", "ORDINAL", "Named", "find_named", "ordinal"]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
             "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth")  # fmt: skip
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINAL = "(?:" + "|".join(sorted(_ORDINALS, key=len, reverse=True)) + ")"
AGREEMENT = (
    r"(?:(?:Senior|Secured|Unsecured|Revolving|Multicurrency|Syndicated|Term|Loan|Credit|Bridge|Facility|Facilities|Master|Existing|Original|Amended\s+and\s+Restated|"
    r"Fourth|Third|Second|First|Lien|and|Security|Note|Guaranty|Competitive|Advance|Five-Year|364-Day|Three-Year|Business|Financing|Day|Year|Line\s+of)\s+){1,7}Agreement"
)
_NAMED = re.compile(
    rf"(?:Amendments?\s+(?:Letter\s+)?(?:No\.?|Number|Nos\.?|\#)\s*(?P<no>\d{{1,2}})|(?P<ord>{ORDINAL})\s+(?:Omnibus\s+)?(?:Amendment|Supplement(?:al\s+Agreement)?)|"
    rf"Amendment\s+No\.?\s*(?P<word>{'|'.join(_CARDINALS)})\b)(?P<range>\s*(?:to|through|-)\s*(?:No\.?\s*)?(?P<last>\d{{1,2}}))?",
    re.IGNORECASE,
)


def ordinal(text: str) -> int | None:
    """The number behind ``Third``, ``three`` or ``3``."""
    word = text.strip().lower()
    if word.isdigit():
        return int(word)
    if word in _ORDINALS:
        return _ORDINALS.index(word) + 1
    return _CARDINALS.index(word) + 1 if word in _CARDINALS else None


@dataclass(frozen=True, slots=True)
class Named:
    """An amendment that a text names."""

    start: int
    end: int
    number: int
    dated: dt.date | None


def find_named(text: str, start: int = 0, end: int | None = None) -> list[Named]:
    """Amendments named in a text, each with the date that follows its name, if one does."""
    found = []
    end = len(text) if end is None else end
    for m in _NAMED.finditer(text, start, end):
        number = ordinal(m["no"] or m["ord"] or m["word"])
        if number is None:
            continue
        tail = text[m.end() : m.end() + 160]
        stop = re.search(
            rf"[;()]|\bAmendment\b(?=\s+(?:No|Number))|\b{ORDINAL}\s+Amendment|\b(?:and|,)\s+as\s+further", tail, re.IGNORECASE
        )
        tail = tail[: stop.start()] if stop else tail
        dates = find_dates(tail) if re.search(r"\bdated\b|^\s*(?:\([^)]*\))?\s*,?\s*(?:as\s+of|of)\b", tail) else []
        first = Named(m.start(), m.end(), number, dates[0].date if dates else None)
        found.append(first)
        if m["last"] and number < int(m["last"]) <= number + 20:
            found.extend(Named(m.start(), m.end(), n, None) for n in range(number + 1, int(m["last"]) + 1))
    return found
