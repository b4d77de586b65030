"""Fills the slots of a wording, so that every figure, level and date of a clause is told apart from the others."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from conformed_plugins.training.synth.values import Draw, day_in
from conformed_plugins.training.synth.words import AGENTS, COVERS, LEVERAGES, PARTIES, Comparisons

__all__ = ["filled", "slots", "written"]

_SLOT = re.compile(r"\{(\w+)\}")
_ARTICLE = re.compile(r"\b([Aa]) (\{[Rr]\d?\})")
_FIGURES = ("R", "r1", "r2")
_LEVELS = ("L", "l1", "l2")
_DAYS = ("T", "d0", "d9", "d2")
_ROUND = ("10,000,000", "15,000,000", "25,000,000", "40,000,000", "50,000,000", "75,000,000")


def slots(text: str) -> tuple[str, ...]:
    """Names of the slots of a text, in order.

    ``R`` ``D…`` ``L`` ``T`` are asked for. ``r1 r2`` are other figures, ``l1 l2`` other levels, ``d0`` a date before ``T``,
    ``d9`` one after it, ``d2`` any other; ``who`` a borrower, ``ag`` an agent, ``sec sec2`` sections, ``pct pct2`` shares.
    """
    return tuple(_SLOT.findall(text))


def written(text: str, values: dict[str, str]) -> str:
    """The text with its slots filled; "a" becomes "an" before a figure that begins with a vowel."""
    text = _ARTICLE.sub(lambda m: f"{m[1]}n {m[2]}" if values[m[2][1:-1]][0] in "AEIOU" else m[0], text)
    return text.format_map(values)


def filled(text: str, style: str, pool: Comparisons, draw: Draw) -> tuple[dict[str, str], str]:
    """Values of the slots, and the comparator that the words of comparison ask for (empty where there are none)."""
    names = slots(text)
    values: dict[str, str] = {}
    sense = ""
    for name in names:
        if name[0] == "D":
            values[name], sense = draw.pick(pool[name])
    taken: list[str] = []
    for name in _FIGURES:
        if name in names:
            own = LEVERAGES + COVERS if name != "R" else COVERS if sense in {"ge", "gt"} else LEVERAGES
            taken.append(_apart(own, taken, draw))
            values[name] = taken[-1]
    numbers: set[int] = set()
    for name in _LEVELS:
        if name in names:
            number = draw.hundredths()
            while number in numbers:
                number = draw.hundredths()
            numbers.add(number)
            values[name] = draw.level(number)
    values.update((name, day_in(style, day)) for name, day in _days(names, draw).items())
    values.update((name, _other(name, draw)) for name in dict.fromkeys(names) if name not in values)
    return values, sense


def _apart(names: Sequence[str], taken: Sequence[str], draw: Draw) -> str:
    """A figure that is no part of another of the clause, and has none of them as a part."""
    value = draw.pick(names)
    while any(value in one or one in value for one in taken):
        value = draw.pick(names)
    return value


def _days(names: Sequence[str], draw: Draw) -> dict[str, dt.date]:
    first, last = draw.ranges.years
    margin = dt.date(first, 2, 1), dt.date(last, 11, 30)  # room for a date before, and one after
    days: dict[str, dt.date] = {}
    for name in _DAYS:
        if name not in names:
            continue
        asked = days.get("T")
        after = margin[0] if name == "T" else asked if name == "d9" else None
        before = margin[1] if name == "T" else asked if name == "d0" else None
        day = draw.date(after, before)
        while day in days.values():
            day = draw.date(after, before)
        days[name] = day
    return days


def _other(name: str, draw: Draw) -> str:
    if name == "who":
        return draw.pick(PARTIES)
    if name == "ag":
        return draw.pick(AGENTS)
    if name in {"sec", "sec2"}:
        return f"{5 + draw.below(20)}.{1 + draw.below(19)}" + draw.pick(("", "", "(a)", "(b)"))
    if name in {"pct", "pct2"}:
        return f"{15 + 5 * draw.below(7)}%"
    if name == "amt":
        return draw.pick(_ROUND)
    if name == "cur":
        return draw.pick(("USD", "EUR", "GBP"))
    if name == "low":
        return draw.pick("abcdefgh")
    if name == "art":
        return draw.pick(("II", "IV", "V", "VI", "VII", "VIII", "IX"))
    if name == "num":
        return str(1 + draw.below(9))
    raise KeyError(name)
