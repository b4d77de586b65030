"""Reader of workbooks (XLSX): every sheet a page, every row a line, every cell as a person sees it."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformed.model.document import Document, Media, Note, Refusal, Table
from conformed.model.span import Span
from conformed_plugins.readers.canon import Canon, Gap, Grid, Mark, tables_of
from conformed_plugins.readers.xlsx_package import BROKEN, Guarded, WorkbookError, guard
from conformed_plugins.readers.xlsx_shown import shown

__all__ = ["VERSION", "XlsxReader"]

VERSION = "1.0.0"
"""Version of the reader; a change of what it writes is a new version."""

_LARGEST = 32 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_NAMES = (".xlsx", ".xlsm", ".xltx", ".xltm")
_WHITE = {"FFFFFFFF", "00FFFFFF"}


class XlsxReader:
    """Reads workbooks of 2007 and later. Formulas are not worked out: their stored results are read, as a person saw them."""

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are a workbook, also one that will be refused by name (macros, a password, the format of 1997)."""
        lower = name.lower()
        if head.startswith(_ZIP):
            return b"word/" not in head and (b"xl/" in head or lower.endswith(_NAMES))
        return head.startswith(_OLE) and lower.endswith((*_NAMES, ".xls", ".xlt"))

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads a workbook, or refuses it by name."""
        digest = hashlib.sha256(data).hexdigest()
        try:
            book = _walk(data)
        except WorkbookError as problem:
            return Refusal(name=name, code=problem.code, sentence=f"{name} {problem.sentence}", sha256=digest)
        canon = book.canon
        if not canon.length:
            return Refusal(
                name=name, code="empty", sentence=f"{name} holds no words. Put the filled workbook into the pack.", sha256=digest
            )
        return Document(
            name=name,
            sha256=digest,
            media=Media.XLSX,
            reader=f"xlsx {VERSION}",
            text=canon.text(),
            pages=canon.pages(),
            paged=len(canon.pages()) > 1,
            struck=canon.runs(Mark.STRUCK),
            hidden=canon.runs(Mark.HIDDEN),
            notes=_notes(book),
        )

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans as they are: a workbook has no fixed geometry."""
        return tuple(spans)

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """One table a sheet, with its exact cells."""
        try:
            book = _walk(data)
        except WorkbookError:
            return ()
        return tables_of(document, book.grids, frozenset(pages))

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """None: a workbook has no fixed image."""
        return None


@dataclass(slots=True)
class _Book:
    """A workbook while it is read."""

    guarded: Guarded
    canon: Canon = field(default_factory=Canon)
    grids: list[Grid] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    rounded: int = 0
    hollow: int = 0
    failed: int = 0


def _walk(data: bytes) -> _Book:
    """Guards, opens and walks.

    Raises:
        WorkbookError: with the code and sentence of the refusal.
    """
    if len(data) > _LARGEST:
        raise WorkbookError("too_large", f"has {len(data)} bytes; a workbook may have {_LARGEST}. Take the pictures out.")
    book = _Book(guard(data))
    import openpyxl

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the library tells of extensions that hold no words
            values = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            formulas = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
            for sheet, source in zip(values.worksheets, formulas.worksheets, strict=True):
                _sheet(book, sheet, source)
            values.close()
            formulas.close()
    except (*BROKEN, RecursionError) as problem:
        raise WorkbookError("broken", "is damaged: a sheet in it cannot be read. Save it again.") from problem
    return book


def _rows(sheet: Any, source: Any, columns: int) -> Iterator[tuple[Any, Any]]:
    sheet.reset_dimensions()
    source.reset_dimensions()
    return zip(sheet.iter_rows(max_col=columns), source.iter_rows(max_col=columns), strict=True)


def _sheet(book: _Book, sheet: Any, source: Any) -> None:
    """Writes one sheet: a page, its rows as lines and its cells apart by tabs."""
    canon, name = book.canon, str(sheet.title)
    gone = sheet.sheet_state != "visible"
    rows, columns = book.guarded.hidden_rows.get(name, set()), book.guarded.hidden_columns.get(name, set())
    if canon.length:
        canon.gap(Gap.PAGE)
    grid: Grid | None = None
    for cells, formulas in _rows(sheet, source, book.guarded.columns):
        written: list[tuple[int, int, int]] = []
        for cell, formula in zip(cells, formulas, strict=True):
            words, more = shown(
                cell.value, str(getattr(cell, "number_format", None) or ""), is_date=bool(getattr(cell, "is_date", False))
            )
            if cell.value is None and getattr(formula, "data_type", "") == "f":
                book.hollow += 1
            if getattr(cell, "data_type", "") == "e":
                book.failed += 1
            book.rounded += more
            if not words:
                written.append((canon.length, canon.length, 1))
                continue
            unseen = gone or cell.row in rows or cell.column in columns or _is_white(cell)
            mark = (Mark.HIDDEN if unseen else Mark.PLAIN) | (Mark.STRUCK if _is_struck(cell) else Mark.PLAIN)
            canon.gap(Gap.TAB if any(end > start for start, end, _ in written) else Gap.LINE)
            start = canon.write(" ".join(words.split()), mark)
            written.append((start, canon.length, 1))
        filled = [piece for piece in written if piece[1] > piece[0]]
        if filled:
            grid = grid or Grid(start=filled[0][0])
            last = max(index for index, piece in enumerate(written) if piece[1] > piece[0])
            grid.rows.append(written[: last + 1])
    if grid is not None:
        book.grids.append(grid)
        (book.unseen if gone else book.sheets).append(name)


def _is_struck(cell: Any) -> bool:
    font = getattr(cell, "font", None)
    return bool(font is not None and font.strike)


def _is_white(cell: Any) -> bool:
    """White words on no ground: there, and not shown."""
    font, fill = getattr(cell, "font", None), getattr(cell, "fill", None)
    colour = getattr(getattr(font, "color", None), "rgb", None)
    return isinstance(colour, str) and colour in _WHITE and getattr(fill, "fill_type", None) is None


def _notes(book: _Book) -> tuple[Note, ...]:
    found = [
        Note(
            code="sheets", sentence=f"Pages are the sheets of the workbook, in order: {', '.join([*book.sheets, *book.unseen])}."
        )
    ]
    hidden = book.canon.runs(Mark.HIDDEN)
    if hidden:
        found.append(
            Note(
                code="hidden_text",
                sentence=f"{len(hidden)} runs of words are in hidden sheets, rows or columns, or white; they are kept apart.",
            )
        )
    if book.rounded:
        said = f"{book.rounded} numbers are stored with more digits than they show; they are read as shown."
        found.append(Note(code="shown_rounded", sentence=said))
    if book.hollow:
        said = f"{book.hollow} formulas have no stored result; open and save the workbook, or put a PDF of it into the pack."
        found.append(Note(code="formula_without_value", sentence=said))
    if book.failed:
        found.append(Note(code="formula_error", sentence=f"{book.failed} cells show an error in place of a value."))
    guarded = book.guarded
    if guarded.comments:
        found.append(Note(code="comments", sentence="Cells have comments; they are not read."))
    if guarded.pictures:
        found.append(Note(code="pictures", sentence=f"{guarded.pictures} drawings or charts hold no text that can be read."))
    if guarded.linked:
        found.append(
            Note(code="linked_files", sentence="Some cells are linked to other workbooks; their stored results are read.")
        )
    return tuple(found)
