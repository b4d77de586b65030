"""A document as a reader gives it: one canonical text whose offsets never change, and what is known of its stretches."""

from __future__ import annotations

from enum import StrEnum

from conformed.model.base import Frozen
from conformed.model.span import Run, Span

__all__ = ["Cell", "Document", "Media", "Note", "Page", "Refusal", "Table"]


class Media(StrEnum):
    """What a document is made of."""

    PDF = "pdf"
    HTML = "html"
    DOCX = "docx"
    XLSX = "xlsx"
    TEXT = "text"
    MARKDOWN = "markdown"


class Page(Frozen):
    """One page and its stretch of the canonical text."""

    number: int
    """1-based."""
    start: int
    """First code point of the page."""
    end: int
    """One past its last code point (the page mark itself belongs to no page)."""
    width: int = 0
    """Hundredths of a point as shown (after rotation); 0 where there is no geometry."""
    height: int = 0
    """Hundredths of a point as shown; 0 where there is no geometry."""


class Note(Frozen):
    """Something about a document, or a page of it, that a person should know (opened with repairs, read by OCR ...)."""

    code: str
    """Short constant name such as ``ocr``, ``restricted``, ``repaired``, ``no_text_layer``, ``hidden_text``."""
    sentence: str
    """Plain words."""
    page: int | None = None
    """1-based page, None for the whole document."""


class Document(Frozen):
    """A document that was read."""

    name: str
    """Path inside the pack, with forward slashes."""
    sha256: str
    """Hash of the bytes, 64 lower-case hex digits."""
    media: Media
    """Format, by content and not by name."""
    reader: str
    """Name and version of the reader, e.g. ``pdf 1.0.0``."""
    text: str
    """Canonical text. Page marks are form feeds. Never normalised: every offset of the product points into it."""
    pages: tuple[Page, ...]
    """At least one. Formats without pages have a single page."""
    paged: bool
    """Whether page numbers mean anything to a person who opens the file."""
    struck: tuple[Run, ...] = ()
    """Struck-through or deleted words: kept in the text, never read as live. Sorted, disjoint."""
    inserted: tuple[Run, ...] = ()
    """Words marked as inserted (underlined in a redline, tracked insertions). Sorted, disjoint."""
    hidden: tuple[Run, ...] = ()
    """Words that a person would not see (white on white, covered, outside the crop box, display:none). Never live."""
    furniture: tuple[Run, ...] = ()
    """Running heads, page numbers and stamps that stand inside sentences. Not live. Sorted, disjoint."""
    notes: tuple[Note, ...] = ()
    """What a person should know of how it was read."""

    def page_of(self, offset: int) -> int:
        """The 1-based page on which a code point stands."""
        low, high = 0, len(self.pages) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if self.pages[middle].start <= offset:
                low = middle
            else:
                high = middle - 1
        return self.pages[low].number

    def span(self, start: int, end: int) -> Span:
        """The span of one stretch: the exact slice, with its page."""
        page = self.page_of(start) if self.paged else None
        return Span(document=self.name, sha256=self.sha256, page=page, start=start, end=end, text=self.text[start:end])


class Refusal(Frozen):
    """A file that was not read, and why. The rest of the pack is unharmed."""

    name: str
    """Path inside the pack."""
    code: str
    """Short constant name: ``encrypted``, ``broken``, ``empty``, ``too_large``, ``timeout``, ``unknown_format`` ..."""
    sentence: str
    """One sentence for a person: the file, what is wrong, the mend."""
    sha256: str | None = None
    """Hash of the bytes where they could be read."""


class Cell(Frozen):
    """A cell of a table."""

    text: str
    """Words of the cell, white space collapsed."""
    span: Span | None = None
    """Where they stand in the canonical text, where the reader could tell exactly."""


class Table(Frozen):
    """A table: rows of cells, ragged rows padded with empty cells."""

    page: int
    """1-based page on which it begins."""
    rows: tuple[tuple[Cell, ...], ...]
    """Rows from top to bottom."""
