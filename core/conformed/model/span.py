"""Where a fact stands: an exact slice of a document's canonical text."""

from __future__ import annotations

from conformed.model.base import Frozen

__all__ = ["Box", "Run", "Span"]


class Run(Frozen):
    """A half-open stretch of a document's canonical text, in code points."""

    start: int
    """First code point."""
    end: int
    """One past the last code point."""


class Box(Frozen):
    """A rectangle on a page, from the page's top left corner, in hundredths of a PDF point (1/7200 inch)."""

    page: int
    """1-based page."""
    left: int
    """Left edge."""
    top: int
    """Top edge."""
    right: int
    """Right edge."""
    bottom: int
    """Bottom edge."""


class Span(Frozen):
    """A place in a document and the exact words there.

    A fact that is interrupted (by a page's furniture, or by struck words) has several spans, in reading order.
    """

    document: str
    """Name of the document inside the pack."""
    sha256: str
    """Hash of the document's bytes, 64 lower-case hex digits."""
    page: int | None
    """1-based page; None where the format has no pages."""
    start: int
    """First code point in the document's canonical text."""
    end: int
    """One past the last code point."""
    text: str
    """The exact slice of the canonical text."""
    boxes: tuple[Box, ...] = ()
    """Rectangles on the page, one a line, where the format has geometry and it was asked for."""
