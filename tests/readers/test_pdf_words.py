"""Awkward pages: the right words in the right order, or told of by name; never wrong without a word."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from conformed.model.document import Document
from conformed_plugins.readers.pdf import PdfReader

canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab makes the PDFs of these tests")


Drawing = Callable[[Any], None]


SENTENCE = "The Leverage Ratio shall not exceed "


READER = PdfReader(ocr=False)


def draw(*pages: Drawing, turn: int | None = None, **options: Any) -> bytes:
    """A PDF with one page for each drawing, 612 x 792 points, Times 11."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(612, 792), invariant=1, **options)
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


def codes(document: Document) -> set[str]:
    """The codes of a document's notes."""
    return {note.code for note in document.notes}


def lines(*texts: str, x: float = 72, y: float = 700, step: float = 14) -> Drawing:
    """A drawing of lines from the top down."""

    def page(sheet: Any) -> None:
        for place, text in enumerate(texts):
            sheet.drawString(x, y - step * place, text)

    return page


def test_pages_are_joined_by_a_form_feed_and_know_their_stretch() -> None:
    """The canonical text is the pages joined by form feeds; each page's stretch slices its own words."""
    document = read(draw(lines("first page"), lines("second page")))
    assert document.text == "first page\fsecond page"
    assert [document.text[page.start : page.end] for page in document.pages] == ["first page", "second page"]
    assert document.page_of(document.text.index("second")) == 2
    assert (document.pages[0].width, document.pages[0].height) == (61200, 79200)


def test_a_hyphen_at_a_lines_end_stays_visible() -> None:
    """Row 1: a word broken over two lines keeps a mark between its halves; nothing is joined in the canonical text."""
    text = read(draw(lines("the consoli-", "dated long-", "term debt"))).text
    assert text == "the consoli\ufffedated long\ufffeterm debt"


def test_a_soft_hyphen_keeps_its_place() -> None:
    """Row 2: a soft hyphen inside a word takes one code point and no letter is lost."""
    text = read(draw(lines("amor\u00adtisation of debt"))).text
    assert text[:4] == "amor"
    assert text[4] in "-\u00ad"
    assert text[5:] == "tisation of debt"


@pytest.mark.parametrize("by_word", [False, True])
def test_two_columns_drawn_row_by_row_are_read_column_by_column(by_word: bool) -> None:
    """Row 6: prose in two columns comes left column first, then the right one."""
    left = [
        "The Borrower shall deliver to the",
        "Agent within ninety days of the",
        "end of each year its statements,",
        "audited by an able accountant.",
    ]
    right = [
        "No Lender is bound to enquire of",
        "the use of any Loan, and each of",
        "them may rely upon a notice that",
        "it believes to be a true notice.",
    ]

    def page(sheet: Any) -> None:
        sheet.drawString(72, 730, "GENERAL TERMS")
        for place in range(12):
            put(sheet, 72, 700 - 14 * place, left[place % 4])
            put(sheet, 330, 700 - 14 * place, right[place % 4])

    def put(sheet: Any, x: float, y: float, text: str) -> None:
        for piece in text.split() if by_word else [text]:
            sheet.drawString(x, y, piece)
            x += sheet.stringWidth(piece + " ")

    text = read(draw(page)).text
    assert text.split("\r\n") == ["GENERAL TERMS", *left * 3, *right * 3]


def test_labels_and_figures_are_never_reordered() -> None:
    """Rows of labels and figures stay rows, however many there are; so do terms and their meanings, which are told of."""

    def figures(sheet: Any) -> None:
        for place in range(12):
            sheet.drawString(72, 700 - 14 * place, f"Quarter {place} of the term")
            sheet.drawString(330, 700 - 14 * place, f"{place}.50 to 1.00 at most")

    def terms(sheet: Any) -> None:
        for place in range(12):
            sheet.drawString(72, 700 - 14 * place, "Each defined term of art and use" if place % 3 else "Term")
            sheet.drawString(330, 700 - 14 * place, "has the meaning given to it above" if place % 2 else "means this")

    assert read(draw(figures)).text.startswith("Quarter 0 of the term 0.50 to 1.00 at most\r\nQuarter 1")
    document = read(draw(terms))
    assert document.text.startswith("Term means this\r\nEach defined term of art and use has")
    assert "text_layer_suspect" in codes(document)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turned_pages_come_in_reading_order(turn: int, angle: int) -> None:
    """Rows 7 and 8: whatever /Rotate says and whichever way the words were drawn, lines come in order."""

    def page(sheet: Any) -> None:
        sheet.translate(306, 396)
        sheet.rotate(angle)
        for place, text in enumerate(("Alpha comes first", "Beta comes second", "Gamma comes last")):
            sheet.drawString(-100, -20 * place, text)

    document = read(draw(page, turn=turn))
    assert document.text == "Alpha comes first\r\nBeta comes second\r\nGamma comes last"
    assert (document.pages[0].width, document.pages[0].height) == (61200, 79200)


def test_words_drawn_twice_come_once() -> None:
    """Row 14: bold made by drawing twice, 0.3 points apart, gives the words once, double letters included."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, "still 3.50:1.00")
        sheet.drawString(72.3, 700, "still 3.50:1.00")

    assert read(draw(page)).text == "still 3.50:1.00"


def test_the_value_of_a_form_field_is_read_with_its_box() -> None:
    """Row 25: a ratio typed into a form field is part of the text, and its rectangle is the field's."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, "Leverage Ratio:")
        sheet.acroForm.textfield(name="ratio", value="3.45:1.00", x=250, y=695, width=100, height=18)

    data = draw(page)
    document = read(data)
    start = document.text.index("3.45:1.00")
    (span,) = READER.boxes(document, data, [document.span(start, start + 9)])
    (box,) = span.boxes
    assert 25000 <= box.left < box.right <= 35000
    assert 79200 - 71300 <= box.top < box.bottom <= 79200 - 69500 + 300


def test_a_spaced_heading_is_one_heading() -> None:
    """Row 27: letters set apart in a heading still make its words."""

    def page(sheet: Any) -> None:
        wide = sheet.beginText(72, 700)
        wide.setCharSpace(4)
        wide.textLine("SECTION 7.11")
        sheet.drawText(wide)

    assert read(draw(page)).text == "SECTION 7.11"


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_a_number_drawn_in_pieces_is_whole_and_a_list_stays_a_list(angle: int) -> None:
    """Row 28: small gaps inside 1,250,000 are no spaces; drawn spaces in a list of sections stay."""

    def page(sheet: Any) -> None:
        sheet.translate(306, 396)
        sheet.rotate(angle)
        x = -100.0
        for piece in ("$1,", "250,", "000"):
            sheet.drawString(x, 0, piece)
            x += sheet.stringWidth(piece) + 2
        sheet.drawString(x + 8, 0, "of debt")
        sheet.drawString(-100, -20, "Sections 14, 250 and 300")

    assert read(draw(page)).text == "$1,250,000 of debt\r\nSections 14, 250 and 300"


def test_two_readings_give_the_same_document() -> None:
    """Reading twice gives the same document, byte for byte."""
    data = draw(lines("- 1 -", SENTENCE), lines("- 2 -", "3.50 to 1.00"), lines("- 3 -", "at any time."))
    assert PdfReader().read("case.pdf", data) == PdfReader().read("case.pdf", data)
