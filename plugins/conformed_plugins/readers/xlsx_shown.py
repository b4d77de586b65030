"""What a cell shows a person: the stored number under its format, in exact decimal arithmetic. No binary number goes on."""

from __future__ import annotations

import datetime as dt
import re
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation

__all__ = ["shown"]

_DIGITS = Context(prec=15, rounding=ROUND_HALF_UP)
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|_.|\*.|\[[^\]]*\]')
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_LARGEST = Decimal(10) ** 18


def shown(value: object, pattern: str, *, is_date: bool) -> tuple[str, bool]:
    """The words of a cell, and whether it is stored with more digits than it shows.

    Args:
        value: what the library read: a number, text, a date, a truth value, or nothing.
        pattern: the cell's number format.
        is_date: whether the format is one of dates.
    """
    if value is None:
        return "", False
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), False
    if isinstance(value, dt.datetime | dt.date):
        return f"{value.day} {_MONTHS[value.month - 1]} {value.year}", False
    if isinstance(value, int | float) and not is_date:
        return _number(value, pattern)
    return str(value).strip(), False


def _number(value: float, pattern: str) -> tuple[str, bool]:
    try:
        stored = _DIGITS.create_decimal(repr(value))
    except InvalidOperation:
        return "", False
    if not stored.is_finite() or abs(stored) > _LARGEST:
        return "", False
    sections = _sections(pattern)
    section = (
        sections[1] if len(sections) > 1 and stored < 0 else sections[2] if len(sections) > 2 and stored == 0 else sections[0]
    )
    if pattern.strip() in ("", "General", "@"):
        return f"{stored:f}" if stored == stored.to_integral_value() else f"{stored.normalize():f}", False
    if not section.strip():
        return "", False  # a format of nothing shows nothing
    bare = _LITERAL.sub("", section)
    if not re.search(r"[0#?]", bare):
        return _literals(section), False  # words in place of the number, such as a dash for zero
    figure = stored * (100 if "%" in bare else 1)
    scaled = re.search(r"[0#?](,+)(?:\.[0#?]*)?[^0#?,.]*$", bare)
    if scaled:
        figure = figure.scaleb(-3 * len(scaled[1]))
    decimals = re.search(r"\.([0#?]+)", bare)
    places = len(decimals[1]) if decimals else 0
    if re.search(r"[0#?]\s+\?+/|E[+-]", bare):
        return f"{stored.normalize():f}", False
    whole = figure.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    grouped = "," in re.sub(r",+(?=[^0#?]*$)", "", bare.partition(".")[0])
    digits = f"{abs(whole):,f}" if grouped else f"{abs(whole):f}"
    if decimals and "#" in decimals[1]:
        digits = digits.rstrip("0").rstrip(".") if decimals[1].startswith("#") else digits
    minus = "-" if whole < 0 and len(sections) < 2 else ""
    return _around(section, f"{minus}{digits}"), whole != figure


def _sections(pattern: str) -> list[str]:
    """Parts of a format for positive, negative and zero; a semicolon inside a quotation parts nothing."""
    found, at, inside = [""], 0, False
    while at < len(pattern):
        mark = pattern[at]
        if mark == '"':
            inside = not inside
        if mark == ";" and not inside:
            found.append("")
        else:
            found[-1] += mark
        at += 1
    return found


def _literals(section: str) -> str:
    kept = [m[1] or m[2] or m[3] or "" for m in _LITERAL.finditer(section)]
    rest = re.sub(r"[^$€£¥()\-–—+/: ]", "", _LITERAL.sub("", section))
    return ("".join(kept) + rest).strip()


def _around(section: str, digits: str) -> str:
    """The digits between the words and signs of their format: ``$``, brackets, ``x``, ``%``."""

    def plain(part: str) -> str:
        out, at = "", 0
        for match in _LITERAL.finditer(part):
            out += re.sub(r"[0#?,.]", "", part[at : match.start()])
            out += match[1] or match[2] or match[3] or ""
            at = match.end()
        return out + re.sub(r"[0#?,.]", "", part[at:])

    masked = _LITERAL.sub(lambda m: "\x00" * len(m[0]), section)
    core = re.search(r"[0#?][0#?,.]*", masked)
    assert core is not None
    last = max(m.end() for m in re.finditer(r"[0#?][0#?,.]*", masked))
    return f"{plain(section[: core.start()])}{digits}{plain(section[last:])}".strip()
