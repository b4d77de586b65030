"""Limits in a clause: ratio tokens and plain amounts of money, as one ordered list."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.minus_signs import negative
from conformed.language.ratios import find_ratios

__all__ = ["KnownLimits", "LimitToken", "find_limits"]

_CURRENCY = {"US$": "USD", "U.S.$": "USD", "U.S. $": "USD", "$": "USD", "USD": "USD", "£": "GBP", "GBP": "GBP", "€": "EUR", "EUR": "EUR",
             "C$": "CAD", "CDN$": "CAD", "A$": "AUD"}  # fmt: skip
_SCALE = {"million": 10**6, "billion": 10**9, "thousand": 10**3, "mm": 10**6, "mn": 10**6, "bn": 10**9}
_AMOUNT = re.compile(
    r"(?<![\w$])(?P<currency>US\$|U\.S\.\s?\$|C\$|CDN\$|A\$|\$|£|€|USD|GBP|EUR)\s*(?P<digits>\d[\dOolI]*(?:[.,][\dOolI]+)*)"
    r"(?:\s*(?P<scale>million|billion|thousand|MM|mm|mn|bn)\b)?",
)
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class LimitToken:
    """One limit in a text: ``unit`` is ``ratio`` or ``amount``; other fields as in RatioToken."""

    start: int
    end: int
    raw: str
    unit: str
    value: Fraction | None
    places: int | None = None
    currency: str | None = None
    problem: str = ""
    readings: tuple[Fraction, ...] = ()
    form: str = ""


def find_limits(text: str, start: int, end: int, unit: str) -> list[LimitToken]:
    """Limits of one unit between two offsets, in order.

    A bare ``$`` is read as US dollars only where the text has no other dollar; the caller knows its document.
    """
    if unit == "ratio":
        return [
            LimitToken(t.start, t.end, t.raw, "ratio", t.value, t.places, None, t.problem, t.readings, t.form)
            for t in find_ratios(text, start, end)
        ]
    found = []
    for m in _AMOUNT.finditer(text, start, end):
        whole = _WHOLE.fullmatch(m["digits"]) if not negative(text, m.start(), m.end()) else None
        value = Fraction(m["digits"].replace(",", "")) * _SCALE.get((m["scale"] or "").lower(), 1) if whole else None
        currency = _CURRENCY[re.sub(r"\s+", " ", m["currency"])]
        found.append(
            LimitToken(
                m.start(),
                m.end(),
                " ".join(m[0].split()),
                "amount",
                value,
                None,
                currency,
                "" if whole else "review_numeric_token_malformed",
            )
        )
    return found


class KnownLimits:
    """All limits of a stretch, found once, so that a long text is not searched again for every predicate in it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._found = {unit: find_limits(text, start, end, unit) for unit in ("ratio", "amount")}
        self._starts = {unit: [t.start for t in tokens] for unit, tokens in self._found.items()}

    def within(self, start: int, end: int, unit: str) -> list[LimitToken]:
        """Limits of one unit that lie whole between two offsets, in order."""
        first = bisect_left(self._starts[unit], start)
        last = bisect_left(self._starts[unit], end, first)
        return [t for t in self._found[unit][first:last] if t.end <= end]
