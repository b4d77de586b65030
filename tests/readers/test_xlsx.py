"""Workbooks: cells as a person sees them, hidden and struck words, formulas without results, and hostile files."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.styles import Font

from conformed.model.document import Document, Media, Refusal
from conformed.ports import Reader
from conformed_plugins.readers.docx import DocxReader
from conformed_plugins.readers.xlsx import XlsxReader
from conformed_plugins.readers.xlsx_shown import shown

READER = XlsxReader()


def saved(book: Any) -> bytes:
    """The bytes of a workbook."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(rows: list[list[Any]], formats: dict[str, str] | None = None) -> Any:
    """A workbook of one sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Certificate"
    for row in rows:
        sheet.append(row)
    for place, pattern in (formats or {}).items():
        sheet[place].number_format = pattern
    return book


def read(data: bytes) -> Document:
    """A workbook that is read."""
    document = READER.read("c.xlsx", data)
    assert isinstance(document, Document), document
    return document


def refused(data: bytes) -> Refusal:
    """A workbook that is refused."""
    refusal = READER.read("c.xlsx", data)
    assert isinstance(refusal, Refusal)
    return refusal


def parts(data: bytes, change: dict[str, bytes | None]) -> bytes:
    """The same workbook with parts put in or taken out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in change:
                new.writestr(name, old.read(name))
        for name, part in change.items():
            if part is not None:
                new.writestr(name, part)
    return out.getvalue()


PLAIN = saved(workbook([["Total Debt", 412600], ["Consolidated EBITDA", -98240.5]], {"B1": "#,##0", "B2": "#,##0.0_);(#,##0.0)"}))


def test_rows_become_lines_and_cells_stand_apart() -> None:
    """Every row is a line with tabs, each figure as its format shows it, and the table's cells slice back to the text."""
    document = read(PLAIN)
    assert document.text == "Total Debt\t412,600\nConsolidated EBITDA\t(98,240.5)"
    assert (document.media, document.paged) == (Media.XLSX, False)
    (table,) = READER.tables(document, PLAIN, [])
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Total Debt", "412,600"],
        ["Consolidated EBITDA", "(98,240.5)"],
    ]
    for row in table.rows:
        for cell in row:
            assert cell.span is not None
            assert document.text[cell.span.start : cell.span.end] == cell.text
    assert isinstance(READER, Reader)


@pytest.mark.parametrize(
    ("value", "pattern", "words"),
    [
        (412600000, "#,##0,", "412,600"),
        (412600000, '"$"#,##0.0,,"m"', "$412.6m"),
        (412600, "[$€-407] #,##0", "€ 412,600"),
        (3.745268138801262, '0.00"x"', "3.75x"),
        (0.4, "0.0%", "40.0%"),
        (0.1 + 0.2, "General", "0.3"),
        (412600.5, "General", "412600.5"),
        (1e21, "General", ""),
        (-1500, "#,##0;(#,##0)", "(1,500)"),
        (-1500, "#,##0", "-1,500"),
        (0, '#,##0;(#,##0);"-"', "-"),
        (5, ";;;", ""),
        (2.675, "0.00", "2.68"),
        (True, "General", "TRUE"),
        (dt.date(2024, 9, 30), "dd/mm/yyyy", "30 September 2024"),
        ("nil", "@", "nil"),
        (None, "General", ""),
    ],
)
def test_a_cell_is_read_as_its_format_shows_it(value: Any, pattern: str, words: str) -> None:
    """Scaling commas, units, brackets, dashes for zero: the text is what a person sees, and a format of nothing shows nothing."""
    assert shown(value, pattern, is_date=isinstance(value, dt.date))[0] == words


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=4, allow_nan=False))
def test_no_binary_digit_reaches_the_text(value: Decimal) -> None:
    """A decimal that a person typed comes out as that decimal, whatever its binary neighbour is."""
    words, more = shown(float(value), "0.0000", is_date=False)
    assert Decimal(words) == value
    assert not more


def test_a_scaled_format_is_not_scaled_twice() -> None:
    """A cell of units that shows thousands is read in thousands, and the reader says that more digits are stored."""
    document = read(saved(workbook([["(in thousands)"], ["Total Debt", 412600123]], {"B2": "#,##0,"})))
    assert document.text.endswith("Total Debt\t412,600")
    assert "shown_rounded" in {note.code for note in document.notes}


def test_hidden_and_struck_words_are_kept_apart() -> None:
    """Hidden sheets, rows and columns and white words are hidden; struck cells are struck; the rest is live."""
    book = workbook([["live", "side"], ["row", "x"], ["old", "white"]])
    sheet = book.active
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["C"].hidden = True
    sheet["C1"] = "column"
    sheet["A3"].font = Font(strike=True)
    sheet["B3"].font = Font(color="FFFFFFFF")
    book.create_sheet("Back").append(["behind"])
    book["Back"].sheet_state = "hidden"
    document = read(saved(book))
    assert [document.text[run.start : run.end] for run in document.hidden] == ["column", "row", "x", "white", "behind"]
    assert [document.text[run.start : run.end] for run in document.struck] == ["old"]
    assert document.paged
    assert document.page_of(document.text.index("behind")) == 2
    assert "hidden_text" in {note.code for note in document.notes}


def test_a_formula_without_a_stored_result_is_told() -> None:
    """A formula is never worked out: without its result the cell is empty, and a note says so."""
    document = read(saved(workbook([["Total", "=1+1"]])))
    assert document.text == "Total"
    assert "formula_without_value" in {note.code for note in document.notes}


def test_comments_are_told_and_not_read() -> None:
    """A comment is no text of the sheet."""
    book = workbook([["Total Debt", 5]])
    book.active["B1"].comment = Comment("really 6", "A. Person")
    document = read(saved(book))
    assert "really" not in document.text
    assert "comments" in {note.code for note in document.notes}


ENTITY = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><worksheet/>'


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"PK\x03\x04 and nothing else", "broken"),
        (PLAIN[:-60], "broken"),
        (parts(PLAIN, {"xl/worksheets/sheet1.xml": ENTITY}), "hostile"),
        (parts(PLAIN, {"xl/worksheets/sheet1.xml": "<?xml version='1.0' encoding='UTF-16'?><a/>".encode("utf-16")}), "hostile"),
        (parts(PLAIN, {"xl/vbaProject.bin": b"x"}), "macros"),
        (parts(PLAIN, {"xl/big.xml": b"<a>" + b" " * 30_000_000 + b"</a>"}), "bomb"),
        (parts(PLAIN, {"xl/workbook.xml": None}), "unknown_format"),
        (parts(PLAIN, {"xl/workbook.xml": b"<workbook"}), "broken"),
        (
            parts(
                PLAIN, {"xl/worksheets/sheet1.xml": b'<worksheet><sheetData><row r="999999"><c/></row></sheetData></worksheet>'}
            ),
            "too_large",
        ),
        (
            parts(
                PLAIN,
                {"xl/worksheets/sheet1.xml": b'<worksheet><sheetData><row r="9"><c r="XFD9"/></row></sheetData></worksheet>'},
            ),
            "too_large",
        ),
        (parts(PLAIN, {"xl/worksheets/sheet1.xml": b"<worksheet><sheetData><row r='x'>"}), "broken"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600 + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "unknown_format"),
        (saved(openpyxl.Workbook()), "empty"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(data: bytes, code: str) -> None:
    """Damage, bombs, entities, macros and passwords each end in a refusal that names the file, never in an exception."""
    refusal = refused(data)
    assert refusal.code == code
    assert refusal.sentence.startswith("c.xlsx ")
    assert refusal.sha256


@given(st.integers(0, len(PLAIN) - 1), st.integers(1, 255))
def test_any_damaged_byte_is_read_or_refused(at: int, by: int) -> None:
    """One byte changed anywhere never raises."""
    damaged = PLAIN[:at] + bytes([PLAIN[at] ^ by]) + PLAIN[at + 1 :]
    assert isinstance(READER.read("c.xlsx", damaged), Document | Refusal)


def test_readers_know_their_own() -> None:
    """A workbook is no Word file and a Word file is no workbook, by content."""
    assert READER.accepts("c.xlsx", PLAIN[:4096])
    assert READER.accepts("c", PLAIN[:4096])
    assert not READER.accepts("c.xlsx", b"PK\x03\x04....word/document.xml")
    assert not READER.accepts("c.xlsx", b"%PDF-1.7")
    assert DocxReader().read("c.xlsx", PLAIN) is not None
