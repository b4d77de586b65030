"""The reader of PDF files: one fast pass for the text, geometry only where it is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from conformed.model.document import Document, Refusal, Table
from conformed.model.span import Box, Span
from conformed_plugins.readers.pdf_assemble import assemble
from conformed_plugins.readers.pdf_ocr import Ocr
from conformed_plugins.readers.pdf_process import FIRST_SECONDS, Bounds, ChildError, Children
from conformed_plugins.readers.pdf_tables import build

__all__ = ["VERSION", "PdfReader"]

VERSION = "1.0.0"
MOST_PAGES = 3_000
MOST_BYTES = 200 << 20
MOST_DPI = 600
TABLE_SECONDS = 0.5
WITNESS_SECONDS = 20.0
"""For one picture of all numbers that decide."""


class PdfReader:
    """Reads PDF files.

    Args:
        ocr: whether pages that are pictures may be read by OCR.
    """

    def __init__(self, *, ocr: bool = True) -> None:
        self._children = Children()
        self._ocr = Ocr(self._children, allowed=ocr)

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are a PDF, or the name says so and the bytes are of no other known format."""
        return b"%PDF-" in head[:1024] or name.lower().endswith(".pdf")

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads one file, or refuses it by name."""
        digest = hashlib.sha256(data).hexdigest()
        try:
            _check_size(data)
            found = self._children.ask(digest, data, {"do": "read", "most": MOST_PAGES})
            self._ocr.fill(digest, data, found["pages"])
            return assemble(name, digest, found, f"pdf {VERSION}")
        except ChildError as failure:
            return Refusal(name=name, code=failure.code, sentence=f"{name} {failure.sentence}", sha256=digest)

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The same spans with their rectangles, one a line, on the page as shown.

        A span whose words are not found again at their place stays without rectangles.
        """
        wanted: list[tuple[int, int, int, str]] = []
        owners: list[int] = []
        for owner, span in enumerate(spans):
            for page, start, end in _parts(document, span):
                base = document.pages[page].start
                wanted.append((page, start - base, end - base, document.text[start:end]))
                owners.append(owner)
        if not wanted or not _same(document, data):
            return tuple(spans)
        try:
            found = self._children.ask(document.sha256, data, {"do": "boxes", "spans": wanted})
        except ChildError:
            return tuple(spans)
        boxes: dict[int, list[Box]] = {}
        for owner, (page, start, end, _), lines in zip(owners, wanted, found, strict=True):
            if lines is None:
                lines = self._ocr.boxes(document, data, page, start, end)
            for left, top, right, bottom in lines:
                boxes.setdefault(owner, []).append(Box(page=page + 1, left=left, top=top, right=right, bottom=bottom))
        return tuple(
            span.model_copy(update={"boxes": tuple(boxes[owner])}) if owner in boxes else span for owner, span in enumerate(spans)
        )

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """Tables on some pages (1-based), each cell with its span where the words stand in one piece in the text.

        A table that goes on over the next page asked for is one table, its repeated header kept once.
        """
        wanted = sorted({page - 1 for page in pages if 1 <= page <= len(document.pages)})
        if not wanted or not _same(document, data):
            return ()
        try:
            found = self._children.ask(
                document.sha256, data, {"do": "tables", "pages": wanted}, Bounds(FIRST_SECONDS + TABLE_SECONDS * len(wanted))
            )
        except ChildError:
            return ()
        return build(document, found)

    def witness(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[str, ...]:
        """For each span what speaks against the numbers in it, in a few words; empty where nothing does.

        Letters of one number must be of one size and on one line; where the OCR program is installed, what is drawn there
        must read the same. A span that could not be looked at is not passed over: that, too, is said.
        """
        if not spans or not _same(document, data):
            return ("",) * len(spans)
        wanted: list[tuple[int, int, int, str]] = []
        owners: list[int] = []
        for owner, span in enumerate(spans):
            for page, start, end in _parts(document, span):
                base = document.pages[page].start
                wanted.append((page, start - base, end - base, document.text[start:end]))
                owners.append(owner)
        said = ["its words are not found again on the page"] * len(spans)
        for owner in owners:
            said[owner] = ""
        request = {"do": "witness", "spans": wanted, "program": self._ocr.program or "", "seconds": WITNESS_SECONDS}
        longest = FIRST_SECONDS + WITNESS_SECONDS * 2
        try:
            found = self._children.ask(document.sha256, data, request, Bounds(first=longest, cap=longest)) if wanted else []
        except ChildError:
            return ("the page could not be looked at again",) * len(spans)
        for owner, sentence in zip(owners, found, strict=True):
            said[owner] = said[owner] or sentence
        return tuple(said)

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """A page (1-based) as a PNG at some dots per inch; None where it cannot be drawn within the bounds."""
        if not 1 <= page <= len(document.pages) or not 1 <= dpi <= MOST_DPI or not _same(document, data):
            return None
        try:
            drawn = self._children.ask(document.sha256, data, {"do": "image", "page": page - 1, "dpi": dpi})
        except ChildError:
            return None
        return drawn if isinstance(drawn, bytes) else None


def _same(document: Document, data: bytes) -> bool:
    """Whether the bytes are those of the document."""
    return hashlib.sha256(data).hexdigest() == document.sha256


def _check_size(data: bytes) -> None:
    if not data:
        raise ChildError("empty", "is empty. Ask for the file again.")
    if len(data) > MOST_BYTES:
        raise ChildError("too_large", f"is larger than {MOST_BYTES >> 20} megabytes. Split it.")


def _parts(document: Document, span: Span) -> Iterator[tuple[int, int, int]]:
    """The stretch of a span on each page that it touches: 0-based page, start, end in the canonical text."""
    if span.sha256 != document.sha256 or document.text[span.start : span.end] != span.text:
        return
    index = document.page_of(span.start) - 1
    while index < len(document.pages) and document.pages[index].start < span.end:
        page = document.pages[index]
        start, end = max(span.start, page.start), min(span.end, page.end)
        if end > start:
            yield index, start, end
        index += 1
