"""Builds one canonical text piece by piece, with the runs that are struck, inserted, hidden or furniture.

Used by the readers that walk a tree (HTML, DOCX). Words are written exactly as they stand in the file. Separators
between them (tab, line, paragraph, page) are held back until the next word comes, so that nested blocks give one break
and not many, and a separator never belongs to a run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

from conformed.model.document import Cell, Document, Page, Table
from conformed.model.span import Run

__all__ = ["Canon", "Gap", "Grid", "Mark", "live_notes", "merge", "tables_of"]


class Gap(IntEnum):
    """What stands between two words. A wider gap swallows a narrower one."""

    NONE = 0
    TAB = 1
    LINE = 2
    PARAGRAPH = 3
    FEED = 4
    """A page mark inside a paragraph."""
    PAGE = 5
    """A page mark between paragraphs."""


class Mark(IntFlag):
    """What is known of a stretch of words."""

    PLAIN = 0
    STRUCK = 1
    INSERTED = 2
    HIDDEN = 4
    FURNITURE = 8


_SEPARATOR = {Gap.TAB: "\t", Gap.LINE: "\n", Gap.PARAGRAPH: "\n\n", Gap.FEED: "\f", Gap.PAGE: "\n\f\n"}
_SINGLE = (Mark.STRUCK, Mark.INSERTED, Mark.HIDDEN, Mark.FURNITURE)


@dataclass(slots=True)
class Grid:
    """A table while it is read: per cell its stretch of the text and how many columns it spans."""

    start: int
    """Code point at which the table begins."""
    rows: list[list[tuple[int, int, int]]] = field(default_factory=list)
    """Rows of (first code point, one past the last, columns)."""


def merge(runs: list[tuple[int, int]]) -> tuple[Run, ...]:
    """Sorts stretches and joins those that touch or overlap; empty ones vanish."""
    joined: list[list[int]] = []
    for start, end in sorted(runs):
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return tuple(Run(start=start, end=end) for start, end in joined)


class Canon:
    """The text under construction."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._gap = Gap.NONE
        self._sealed = False
        self._runs: dict[Mark, list[tuple[int, int]]] = {mark: [] for mark in _SINGLE}
        self.length = 0
        """Code points written so far."""
        self.last = "\n"
        """Last code point written; a line end before the first."""
        self.feeds: list[int] = []
        """Where the page marks stand."""
        self.notes: list[tuple[int, int]] = []
        """Raised note marks: in the text, and no part of the figure before them."""

    @property
    def at_break(self) -> bool:
        """Whether white space would be lost here, as a page would show it."""
        return self._gap != Gap.NONE or self.last in " \t\n\f"

    @property
    def next_start(self) -> int:
        """Where the next word will begin, the held-back separator counted."""
        return self.length + len(_SEPARATOR.get(self._gap, "")) * bool(self.length or self._gap >= Gap.FEED)

    def gap(self, gap: Gap) -> None:
        """Asks for a separator before the next word."""
        if self._sealed and gap < Gap.FEED:
            return
        wide, narrow = max(self._gap, gap), min(self._gap, gap)
        self._gap = Gap.PAGE if wide == Gap.FEED and narrow in {Gap.LINE, Gap.PARAGRAPH} else wide

    def open_cell(self, *, first: bool) -> None:
        """A cell begins: one tab (or the row's line end) and no block break until its first word."""
        if not first:
            self._gap = self._gap if self._gap >= Gap.FEED else Gap.TAB
        self.seal()

    def seal(self) -> None:
        """No block break counts until the next word: it goes on where it is."""
        self._sealed = True

    def close_cell(self) -> None:
        """A cell ends: block breaks inside it at its end do not count."""
        self._sealed = False
        if self._gap not in {Gap.PAGE, Gap.FEED, Gap.TAB}:
            self._gap = Gap.NONE

    def write(self, text: str, mark: Mark = Mark.PLAIN) -> int:
        """Writes words as they are and returns where they begin."""
        if not text:
            return self.length
        if self._gap != Gap.NONE:
            if self.length or self._gap >= Gap.FEED:
                separator = _SEPARATOR[self._gap]
                if self._gap >= Gap.FEED:
                    self.feeds.append(self.length + separator.index("\f"))
                self._parts.append(separator)
                self.length += len(separator)
            self._gap = Gap.NONE
        self._sealed = False
        start = self.length
        self._parts.append(text)
        self.length += len(text)
        self.last = text[-1]
        if mark:
            for single in _SINGLE:
                if single & mark:
                    self.mark(single, start, self.length)
        return start

    def mark(self, single: Mark, start: int, end: int) -> None:
        """Adds a run by hand."""
        runs = self._runs[single]
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))

    def runs(self, single: Mark) -> tuple[Run, ...]:
        """The runs of one kind, sorted and disjoint."""
        return merge(self._runs[single])

    def text(self) -> str:
        """The whole text."""
        return "".join(self._parts)

    def pages(self) -> tuple[Page, ...]:
        """The pages between the marks; a mark belongs to none."""
        pages, start = [], 0
        for feed in self.feeds:
            pages.append((start, feed))
            start = feed + 1
        pages.append((start, self.length))
        return tuple(Page(number=number, start=first, end=last) for number, (first, last) in enumerate(pages, 1))


def live_notes(text: str, notes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Raised marks that are notes: the numerator of a fraction is raised too, and is part of a figure."""
    return [(start, end) for start, end in notes if text[end : end + 3].lstrip()[:1] not in {"/", "⁄", "∕"}]


def tables_of(document: Document, grids: list[Grid], pages: frozenset[int]) -> tuple[Table, ...]:
    """Turns grids into tables whose cells carry exact spans.

    Args:
        document: the document whose text the grids point into.
        grids: tables in order of their first cell.
        pages: 1-based pages wanted; all pages where it is empty or the format has none.
    """
    found = []
    for grid in grids:
        page = document.page_of(grid.start)
        if document.paged and pages and page not in pages:
            continue
        rows = [[item for cell in row for item in _cells(document, cell)] for row in grid.rows]
        width = max((len(row) for row in rows), default=0)
        if width:
            padded = tuple(tuple(row + [Cell(text="")] * (width - len(row))) for row in rows)
            found.append(Table(page=page, rows=padded))
    return tuple(found)


def _cells(document: Document, cell: tuple[int, int, int]) -> list[Cell]:
    start, end, columns = cell
    text = document.text[start:end]
    inner = text.strip(" \t\r\n\f")
    start += len(text) - len(text.lstrip(" \t\r\n\f"))
    span = document.span(start, start + len(inner)) if inner else None
    return [Cell(text=" ".join(inner.split()), span=span)] + [Cell(text="")] * (columns - 1)
