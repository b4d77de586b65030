"""How values are put before people: exact arithmetic only, half up, and no control character of a document gets through."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from fractions import Fraction

from conformed.model.base import Missing
from conformed.model.calculation import Figure
from conformed.model.covenant import Covenant, Limit, Unit
from conformed.model.dates import Window
from conformed.model.span import Span

__all__ = [
    "clean",
    "day",
    "decimal",
    "exact_and_shown",
    "figure",
    "level",
    "limit",
    "missing_or",
    "money",
    "one_line",
    "place",
    "quote",
    "share",
    "stretch",
    "unique",
    "value",
    "window",
    "words",
]

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]")
_SPACE = re.compile(r"\s+")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def clean(text: str) -> str:
    """Text of a document without anything that a terminal or a page would obey.

    Control characters (ESC among them), zero-width marks and marks that turn the direction of reading are taken out;
    a form feed, a carriage return and the separators of lines and paragraphs become a line's end.
    """
    return _CONTROL.sub("", re.sub("\r\n|[\r\x0c\u2028\u2029]", "\n", text))


def one_line(text: str) -> str:
    """Clean text with its white space collapsed."""
    return _SPACE.sub(" ", clean(text)).strip()


def quote(text: str, longest: int = 160) -> str:
    """A quote on one line, cut in its middle where it is longer than ``longest`` characters."""
    line = one_line(text)
    if len(line) <= longest:
        return line
    head = longest * 2 // 3
    return f"{line[:head].rstrip()} … {line[-(longest - head - 3) :].lstrip()}"


def day(date: dt.date | None) -> str:
    """A date that no reader takes for another: ``30 Sep 2026``."""
    return f"{date.day} {_MONTHS[date.month - 1]} {date.year}" if date else "—"


def window(days: Window) -> tuple[str, str]:
    """First and last day as shown; ``?`` marks an edge whose words are unclear."""
    start = day(days.start) if days.start else "start"
    end = day(days.end) if days.end else "onwards"
    return start + (" ?" if days.start_unclear else ""), end + (" ?" if days.end_unclear else "")


def stretch(days: Window) -> str:
    """A window in words: ``from 31 Mar 2026``, ``1 Jan 2026 to 30 Jun 2026``, ``to 30 Jun 2026``, ``always``."""
    start, end = window(days)
    if days.start and days.end:
        return f"{start} to {end}"
    if days.start:
        return f"from {start}"
    return f"to {end}" if days.end else "always"


def decimal(number: Fraction, places: int, *, separate: bool = False) -> str:
    """A number rounded half up (away from zero) to a number of decimals, for display only."""
    scaled = abs(number) * 10**places
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    digits = str(whole).rjust(places + 1, "0")
    left, right = (digits[:-places], digits[-places:]) if places else (digits, "")
    if separate:
        left = f"{int(left):,}"
    sign = "−" if number < 0 and whole else ""
    return f"{sign}{left}" + (f".{right}" if right else "")


def _places(number: Fraction) -> int | None:
    """How many decimals write the number exactly, if at most six do."""
    return next((places for places in range(7) if (number * 10**places).denominator == 1), None)


def level(number: Fraction, places: int | None = None) -> str:
    """A ratio as shown: ``3.75x``. At least two decimals, as many as the paper wrote and as are exact (up to 6)."""
    shown = max(2, places or 0, _places(number) or 0)
    return f"{decimal(number, shown)}x"


def money(amount: Fraction, currency: str | None) -> str:
    """An amount with its currency: ``USD 1,234,567`` and cents only where there are any; ``XXX`` (none stated) of a zero is left out."""
    if not amount and currency == "XXX":
        return "0"
    places = _places(amount)
    shown = decimal(amount, 0 if places == 0 else 2, separate=True)
    return f"{currency} {shown}" if currency else shown


def share(number: Fraction) -> str:
    """A share as a percentage with one decimal."""
    return f"{decimal(number * 100, 1)}%"


def limit(what: Limit) -> str:
    """A level or an amount as shown."""
    return money(what.value, what.currency or "XXX") if what.unit is Unit.AMOUNT else level(what.value, what.places)


def words(covenant: Covenant) -> str:
    """``≤ 3.75x``."""
    return f"{covenant.comparator.sign} {limit(covenant.limit)}"


def value(number: Fraction, unit: str) -> str:
    """A figure of a trace by its unit: ``x``, ``share``, a currency code, or empty for a pure number."""
    if unit == "x":
        if _places(number) is not None:
            return level(number)
        enough = next((n for n in range(4, 10) if not decimal(number, n).endswith("0")), 4)  # 3.5000 would look like 3.50
        return f"{decimal(number, enough)}x"
    if unit in ("share", "%"):
        return share(number)
    if unit:
        return money(number, unit)
    places = _places(number)
    return decimal(number, places if places is not None else 4, separate=True)


def figure(what: Figure) -> str:
    """A figure of a calculation: money, a level as a ratio, a share of something as a percentage, else the number."""
    if what.currency:
        return money(what.value, what.currency)
    if what.name == "level":
        return level(what.value)
    if "share" in what.name.split("_"):
        return share(what.value)
    return value(what.value, "")


def exact_and_shown(number: Fraction, unit: str) -> str:
    """The exact value, and behind it what it is about, where the two differ in writing."""
    shown = value(number, unit)
    return shown if _places(number) is not None else f"{shown} (exactly {number})"


def place(span: Span) -> str:
    """Where a span stands: ``loan.pdf p. 44``, or characters where there are no pages."""
    where = f"p. {span.page}" if span.page is not None else f"characters {span.start}–{span.end}"
    return f"{one_line(span.document)} {where}"


def missing_or(what: object) -> str:
    """The reason of a Missing, else nothing."""
    return one_line(what.reason) if isinstance(what, Missing) else ""


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Items without repeats, in their first order."""
    return tuple(dict.fromkeys(items))
