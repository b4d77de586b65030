"""Where words stand: rectangles on the page as shown, tables with exact spans, pictures of pages."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformed.model.document import Document, Table
from conformed.model.span import Span
from conformed_plugins.readers.pdf import PdfReader

canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab makes the PDFs of these tests")

Drawing = Callable[[Any], None]
READER = PdfReader(ocr=False)


def draw(*pages: Drawing, turn: int | None = None) -> bytes:
    """A PDF with one page for each drawing, 612 x 792 points as shown, Times 11."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(612, 792), invariant=1)
    for page in pages:
        if turn is not None:
            sheet.setPageRotation(turn)
        sheet.setFont("Times-Roman", 11)
        page(sheet)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


def read(data: bytes) -> Document:
    """The document, which must not be refused."""
    found = READER.read("case.pdf", data)
    assert isinstance(found, Document), found
    return found


def span_of(document: Document, words: str) -> Span:
    """The span of the first place of some words."""
    start = document.text.index(words)
    return document.span(start, start + len(words))


def prose(sheet: Any) -> None:
    """Twelve lines of words of different widths, in a font with wide and narrow letters."""
    for place in range(12):
        sheet.drawString(
            72 + place, 700 - 20 * place, f"Section 7.{place:02} of William's Ilium covenant shall not exceed {place}.50 to 1.00"
        )


def test_boxes_agree_with_the_second_engine() -> None:
    """Left and right edges are within half a point of pdfplumber's, and the rectangles lie over its lines."""
    pdfplumber = pytest.importorskip("pdfplumber")
    data = draw(prose)
    document = read(data)
    spans = [
        document.span(hit.start(), hit.end())
        for hit in re.finditer(r"William's Ilium|\d\.50 to 1\.00|Section 7\.\d\d", document.text)
    ]
    assert len(spans) == 36
    with pdfplumber.open(io.BytesIO(data)) as opened:
        letters = opened.pages[0].chars
    squeezed = "".join(letter["text"] for letter in letters if not letter["text"].isspace())
    drawn = [letter for letter in letters if not letter["text"].isspace()]
    for span in READER.boxes(document, data, spans):
        (box,) = span.boxes
        at = len("".join(document.text[: span.start].split()))
        words = "".join(span.text.split())
        assert squeezed[at : at + len(words)] == words
        there = drawn[at : at + len(words)]
        assert abs(box.left / 100 - min(one["x0"] for one in there)) <= 0.5
        assert abs(box.right / 100 - max(one["x1"] for one in there)) <= 0.5
        middle = (there[0]["top"] + there[0]["bottom"]) * 50
        assert box.top < middle < box.bottom


def test_a_span_over_a_line_end_and_a_page_end_has_a_box_for_each_line() -> None:
    """A sentence that goes on over a line and over a page has one rectangle for each line, each with its page."""

    def two_lines(sheet: Any) -> None:
        sheet.drawString(72, 100, "shall not")
        sheet.drawString(72, 80, "exceed the")

    data = draw(
        two_lines,
        lambda sheet: sheet.drawString(72, 700, "ratio of 3.50"),
    )
    document = read(data)
    (span,) = READER.boxes(document, data, [document.span(0, len(document.text))])
    assert [box.page for box in span.boxes] == [1, 1, 2]
    assert span.boxes[0].bottom <= span.boxes[1].bottom
    assert all(7150 <= box.left <= 7250 for box in span.boxes)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_lie_on_the_page_as_shown(turn: int) -> None:
    """On a page with /Rotate the rectangle is where a person sees the word: there is ink under it in the page's picture."""

    def page(sheet: Any) -> None:
        sheet.setFont("Helvetica-Bold", 30)
        sheet.drawString(300, 200, "WORD")

    data = draw(page, turn=turn)
    document = read(data)
    (span,) = READER.boxes(document, data, [span_of(document, "WORD")])
    (box,) = span.boxes
    image = READER.image(document, data, 1, 72)
    assert image is not None
    pixels, width, height = _pixels(image)
    assert (width, height) == (612, 792)
    dark = [(x, y) for y in range(height) for x in range(width) if pixels[3 * (y * width + x)] < 100]
    assert len(dark) > 200
    assert all(box.left / 100 - 1 <= x <= box.right / 100 + 1 and box.top / 100 - 1 <= y <= box.bottom / 100 + 1 for x, y in dark)


def _pixels(image: bytes) -> tuple[bytes, int, int]:
    pytest.importorskip("PIL")
    from PIL import Image

    with Image.open(io.BytesIO(image)) as opened:
        return opened.convert("RGB").tobytes(), opened.width, opened.height


def test_boxes_never_leave_the_page() -> None:
    """Words that run off the page give a rectangle that ends at its edge."""
    data = draw(lambda sheet: sheet.drawString(560, 786, "running off the page"))
    document = read(data)
    (span,) = READER.boxes(document, data, [document.span(0, len("running off"))])
    assert all(0 <= box.left < box.right <= 61200 and 0 <= box.top < box.bottom <= 79200 for box in span.boxes)
    assert span.boxes


def test_a_span_that_is_not_in_the_document_gets_no_box() -> None:
    """A span whose words do not stand at its place, or of another file, stays without rectangles."""
    data = draw(prose)
    document = read(data)
    true = span_of(document, "7.03")
    invented = true.model_copy(update={"text": "9.03"})
    elsewhere = true.model_copy(update={"sha256": "0" * 64})
    one, two, three = READER.boxes(document, data, [invented, elsewhere, true])
    assert (one, two) == (invented, elsewhere)
    assert three.boxes


def test_other_bytes_than_those_read_give_no_box() -> None:
    """When the bytes are not those of the document, no rectangle is made up."""
    document = read(draw(prose))
    other = draw(lambda sheet: sheet.drawString(72, 700, "something else altogether"))
    span = span_of(document, "7.03")
    assert READER.boxes(document, other, [span]) == (span,)


def rows_of(table: Table) -> list[list[str]]:
    """The words of a table."""
    return [[cell.text for cell in row] for row in table.rows]


def certified(document: Document, table: Table) -> bool:
    """Whether every cell with words has a span that slices to its words."""
    cells = [cell for row in table.rows for cell in row if cell.text]
    return all(
        cell.span is not None and " ".join(document.text[cell.span.start : cell.span.end].split()) == cell.text for cell in cells
    )


def grid(sheet: Any, rows: Sequence[tuple[str, ...]], top: float, *, ruled: bool) -> None:
    """Draws rows of cells 150 points wide, with or without lines around them."""
    for place, row in enumerate(rows):
        height = top - 20 * place
        for column, text in enumerate(row):
            sheet.drawString(76 + 150 * column, height, text)
            if ruled:
                sheet.rect(72 + 150 * column, height - 6, 150, 20)


STEPS = [
    ("Quarter Ending", "Maximum Ratio"),
    ("March 31, 2025", "4.50 to 1.00"),
    ("June 30, 2025", "4.25 to 1.00"),
    ("After", "4.00 to 1.00"),
]


@pytest.mark.parametrize("turn", [None, 90])
@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_comes_with_every_cell_and_its_span(ruled: bool, turn: int | None) -> None:
    """Row 10 and its ruled sister: rows with label and figure, each cell an exact slice of the text."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 740, "The ratio shall not exceed the level that is set out beside each period in the table below:")
        grid(sheet, STEPS, 690, ruled=ruled)
        sheet.drawString(
            72, 560, "The foregoing applies to each Test Period that ends after the Closing Date and before maturity."
        )

    data = draw(page, turn=turn)
    document = read(data)
    (table,) = READER.tables(document, data, [1])
    assert rows_of(table) == [list(row) for row in STEPS]
    assert certified(document, table)
    assert table.page == 1


def test_figures_of_an_unruled_table_keep_their_signs_and_all_digits() -> None:
    """Money signs, brackets and right-aligned figures stay with their column, none is cut."""
    rows = [
        ("", "FY 2023", "FY 2024"),
        ("Consolidated EBITDA", "$ 12,345", "13,456"),
        ("Debt", "(41,000)", "1"),
        ("Ratio", "3.24x", "3.05x"),
    ]

    def page(sheet: Any) -> None:
        for place, (label, one, two) in enumerate(rows):
            sheet.drawString(72, 700 - 14 * place, label)
            sheet.drawRightString(360, 700 - 14 * place, one)
            sheet.drawRightString(460, 700 - 14 * place, two)

    data = draw(page)
    document = read(data)
    (table,) = READER.tables(document, data, [1])
    assert rows_of(table) == [list(row) for row in rows]
    assert certified(document, table)


def test_a_table_that_goes_on_over_the_page_is_one_with_one_header() -> None:
    """Row 9: a ruled table over two pages with its header repeated is one table, header once, spans of both pages kept."""
    more = [STEPS[0], ("March 31, 2026", "3.75 to 1.00"), ("June 30, 2026", "3.50 to 1.00")]
    data = draw(lambda sheet: grid(sheet, STEPS, 120, ruled=True), lambda sheet: grid(sheet, more, 740, ruled=True))
    document = read(data)
    (table,) = READER.tables(document, data, [1, 2])
    assert rows_of(table) == [list(row) for row in [*STEPS, *more[1:]]]
    assert certified(document, table)
    last = table.rows[-1][1].span
    assert last is not None
    assert last.page == 2


def test_two_tables_with_words_between_them_stay_two() -> None:
    """A table at the top of a page does not go on when the page before ends in prose."""

    def first(sheet: Any) -> None:
        grid(sheet, STEPS, 700, ruled=True)
        for place in range(8):
            sheet.drawString(72, 500 - 14 * place, "Words of a paragraph that stands below the table on its page.")

    data = draw(first, lambda sheet: grid(sheet, STEPS, 740, ruled=True))
    assert len(READER.tables(read(data), data, [1, 2])) == 2


def test_prose_is_no_table() -> None:
    """Paragraphs, numbered clauses and two columns of prose give no table."""

    def clauses(sheet: Any) -> None:
        for place in range(10):
            sheet.drawString(72, 700 - 14 * place, f"({place})")
            sheet.drawString(
                110, 700 - 14 * place, "the Borrower shall deliver its accounts within forty days of the quarter's end;"
            )

    data = draw(prose, clauses)
    assert READER.tables(read(data), data, [1, 2]) == ()


def test_pages_that_do_not_exist_are_no_error() -> None:
    """Asking for page 0 or 99 gives nothing."""
    data = draw(prose)
    document = read(data)
    assert READER.tables(document, data, [0, 99]) == ()
    assert READER.image(document, data, 99, 72) is None
    assert READER.image(document, data, 1, 100_000) is None


def test_an_image_has_the_size_of_the_page_at_its_resolution() -> None:
    """A letter page at 144 dots per inch is a PNG of 1224 x 1584 pixels."""
    data = draw(prose)
    image = READER.image(read(data), data, 1, 144)
    assert image is not None
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", image[16:24]) == (1224, 1584)
