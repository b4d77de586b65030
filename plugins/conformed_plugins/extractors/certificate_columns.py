"""Which of several columns holds the figure for the test date: by their headings, never by their place."""

from __future__ import annotations

import datetime
import re

from conformed.language.dates import find_dates
from conformed_plugins.extractors.certificate_lines import Line

__all__ = ["Columns", "pick_cell"]

_TWELVE = re.compile(
    r"\b(?:LTM|TTM|last twelve months|twelve months|four (?:fiscal )?quarters|12 months|test period|relevant period)\b",
    re.IGNORECASE,
)


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
