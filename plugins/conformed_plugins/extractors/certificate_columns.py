"""Which of several columns holds the figure for the test date: by their headings, never by their place."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

from conformed.language.dates import find_dates
from conformed_plugins.extractors.certificate_lines import Line

__all__ = ["Columns", "Period", "pick_cell"]

_TWELVE = re.compile(
    r"\b(?:LTM|TTM|last twelve months|twelve months|four (?:fiscal )?quarters|12 months|test period|relevant period)\b",
    re.IGNORECASE,
)


_MONTHS = (
    (
        12,
        r"\b(?:twelve|12)[\s-]*months?\b|\b(?:LTM|TTM)\b|\b(?:fiscal |financial )?years?\s+(?:ended|ending|to)\b|\bfour (?:fiscal )?quarters\b",
    ),
    (9, r"\b(?:nine|9)[\s-]*months?\b|\bthree (?:fiscal )?quarters\b"),
    (6, r"\b(?:six|6)[\s-]*months?\b|\bhalf[\s-]*year\b|\btwo (?:fiscal )?quarters\b"),
    (3, r"\b(?:three|3)[\s-]*months?\b|\bquarters?\s+(?:ended|ending|to)\b"),
)
_RESTATED = re.compile(r"\brestated\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """What the head of a column says of its figures.

    Attributes:
        months: how many months they cover.
        end: day on which the period ends.
        restated: whether the head says that they were restated.
    """

    months: int
    end: datetime.date
    restated: bool


class Columns:
    """Heads of columns, found above the lines that have several cells."""

    def __init__(self, text: str, lines: list[Line]) -> None:
        self._text = text
        self._lines = lines
        self._at = {line.start: i for i, line in enumerate(lines)}

    def heads(self, line: Line) -> list[str]:
        """Heads of the cells of a line, from the nearest line above that has as many; empty where there is none."""
        wanted = len(line.cells)
        for above in reversed(self._lines[max(0, self._at[line.start] - 40) : self._at[line.start]]):
            words = self._text[above.start : above.end]
            pieces = [p.strip() for p in re.split(r"\t|\s{2,}", words) if p.strip()]
            dates = find_dates(words)
            if len(pieces) >= wanted and (len(above.cells) == 0 or len(dates) >= wanted):
                return pieces[-wanted:]
            if len(dates) == wanted and len(words) - sum(d.end - d.start for d in dates) <= 20 * wanted:  # not a sentence
                return [words[d.start : d.end] for d in dates]
        return []

    def periods(self, line: Line) -> list[Period] | None:
        """Length and end of the period of each cell; None unless every head gives both, also over two lines of heads."""
        wanted = len(line.cells)
        parts: list[list[str]] = []
        for above in reversed(self._lines[max(0, self._at[line.start] - 40) : self._at[line.start]]):
            words = self._text[above.start : above.end]
            if above.cells and not find_dates(words):
                continue  # another line of the statement
            parts.insert(0, _pieces(words, wanted))
            whole = ["\n".join(piece) for piece in zip(*parts, strict=True)] if all(len(p) == wanted for p in parts) else []
            if not whole:
                return None
            read = [_period(head) for head in whole]
            found = [one for one in read if one is not None]
            if len(found) == wanted:
                return found
            if len(parts) == 3:
                return None
        return None


def _pieces(words: str, wanted: int) -> list[str]:
    """A line of heads cut into as many as there are cells; one piece heads all of them."""
    pieces = [piece.strip() for piece in re.split(r"\t|\s{2,}", words) if piece.strip()]
    days = find_dates(words)
    if len(pieces) >= wanted:
        return pieces[-wanted:]
    if len(days) == wanted:
        starts = [0, *(day.end for day in days[:-1])]
        return [words[start : day.end].strip() for start, day in zip(starts, days, strict=True)]
    return pieces * wanted if len(pieces) == 1 else pieces


def _period(head: str) -> Period | None:
    lengths = [months for months, pattern in _MONTHS if re.search(pattern, head, re.IGNORECASE)]
    days = {day.date for day in find_dates(head)}
    if len(lengths) != 1 or len(days) != 1:
        return None
    return Period(lengths[0], days.pop(), restated=_RESTATED.search(head) is not None)


def pick_cell(columns: Columns, line: Line, day: datetime.date | None) -> tuple[tuple[int, int], bool]:
    """The cell that counts, and whether that stays open.

    One cell: that one. Several: the only column headed by twelve months, else the only one headed by the test date.
    """
    if len(line.cells) == 1:
        return line.cells[0], False
    heads = columns.heads(line)
    twelve = [i for i, head in enumerate(heads) if _TWELVE.search(head)]
    dated = [i for i, head in enumerate(heads) if day is not None and [d.date for d in find_dates(head)] == [day]]
    both = [i for i in twelve if i in dated]
    for chosen in (both, twelve, dated):
        if len(chosen) == 1:
            return line.cells[chosen[0]], False
    return line.cells[-1], True
