"""What the PDF reader says of awkward pages: right, kept apart, or told of by name; never wrong without a word."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformed.model.document import Document
from conformed.model.span import Run
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


def words(document: Document, runs: Sequence[Run]) -> list[str]:
    """The slices of some runs."""
    return [document.text[run.start : run.end] for run in runs]


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


def test_a_raised_note_mark_is_no_digit_of_the_ratio() -> None:
    """Row 4: a small raised 1 right behind 3.50:1.00 is kept apart, so that the live words say 3.50:1.00."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
        end = 72 + sheet.stringWidth(SENTENCE + "3.50:1.00")
        sheet.setFont("Times-Roman", 6.5)
        sheet.drawString(end, 704.5, "1")

    document = read(draw(page))
    assert document.text.startswith(SENTENCE + "3.50:1.001")
    assert words(document, document.furniture) == ["1"]
    assert document.furniture[0].start == len(SENTENCE + "3.50:1.00")


def test_a_raised_fraction_is_told_of() -> None:
    """A raised numerator before a slash would run into the whole number before it: the page is marked as not to be believed."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "3")
        end = 72 + sheet.stringWidth(SENTENCE + "3")
        sheet.setFont("Times-Roman", 6.5)
        sheet.drawString(end, 704.5, "1")
        sheet.setFont("Times-Roman", 11)
        sheet.drawString(end + 3.4, 700, "/2 to 1.0")

    document = read(draw(page))
    assert "text_layer_suspect" in codes(document)
    assert not document.furniture


@pytest.mark.parametrize("how", ["line", "rectangle", "path"])
@pytest.mark.parametrize("turn", [None, 90])
def test_a_struck_ratio_is_kept_apart(how: str, turn: int | None) -> None:
    """Row 5: a ratio with a line through it is struck, the one after it is live and its underline does not strike it."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "4.00:1.00 3.50:1.00 at any time")
        start = 72 + sheet.stringWidth(SENTENCE)
        wide = sheet.stringWidth("4.00:1.00")
        if how == "line":
            sheet.line(start, 703.2, start + wide, 703.2)
        elif how == "rectangle":
            sheet.rect(start, 702.8, wide, 0.7, stroke=0, fill=1)
        else:
            path = sheet.beginPath()
            for left in (start, start + wide / 2):
                path.moveTo(left, 703.2)
                path.lineTo(left + wide / 2, 703.2)
            for left in (300, 320, 340):
                path.moveTo(left, 500)
                path.lineTo(left + 20, 500)
            sheet.drawPath(path, stroke=1, fill=0)
        after = start + wide + sheet.stringWidth(" ")
        sheet.line(after, 698.6, after + wide, 698.6)

    document = read(draw(page, turn=turn))
    assert words(document, document.struck) == ["4.00:1.00"]
    assert not document.inserted


def test_a_coloured_underline_is_an_insertion() -> None:
    """A redline's insertion, underlined in colour, is marked as inserted and not as struck."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
        start = 72 + sheet.stringWidth(SENTENCE)
        sheet.setStrokeColorRGB(0, 0, 1)
        sheet.line(start, 698.5, start + sheet.stringWidth("3.50:1.00"), 698.5)

    document = read(draw(page))
    assert words(document, document.inserted) == ["3.50:1.00"]
    assert not document.struck


def test_a_broad_band_behind_a_heading_does_not_strike_it() -> None:
    """A heading on a band of grey that was drawn as one broad line stays live."""

    def page(sheet: Any) -> None:
        sheet.setStrokeGray(0.9)
        sheet.setLineWidth(15)
        sheet.line(60, 703, 500, 703)
        sheet.drawString(72, 700, "Financial Covenants")

    document = read(draw(page))
    assert not document.struck
    assert not document.hidden


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


def test_invisible_and_white_words_are_hidden_but_a_banner_is_not() -> None:
    """Row 23: render mode 3 and white on white are hidden; white on a dark banner is live."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
        sheet.saveState()
        unseen = sheet.beginText(72, 680)
        unseen.setTextRenderMode(3)
        unseen.textLine("unseen 9.00:1.00")
        sheet.drawText(unseen)
        sheet.restoreState()
        sheet.rect(70, 600, 300, 30, fill=1, stroke=0)
        shown = sheet.beginText(72, 660)
        shown.setFillColorRGB(1, 1, 1)
        shown.textLine("white 8.00:1.00")
        shown.setTextOrigin(72, 610)
        shown.textLine("a banner")
        sheet.drawText(shown)

    document = read(draw(page))
    assert " ".join(words(document, document.hidden)).split() == ["unseen", "9.00:1.00", "white", "8.00:1.00"]
    assert "hidden_text" in codes(document)


def test_a_covered_ratio_is_hidden_and_the_one_on_top_is_live() -> None:
    """Row 23: only the characters under a filled box drawn later are hidden, not the rest of their line."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE + "9.00:1.00")
        start = 72 + sheet.stringWidth(SENTENCE)
        sheet.setFillColorRGB(1, 1, 1)
        sheet.rect(start - 1, 697, 60, 14, fill=1, stroke=0)
        sheet.setFillColorRGB(0, 0, 0)
        sheet.drawString(start, 700, "3.50:1.00")

    document = read(draw(page))
    assert words(document, document.hidden) == ["9.00:1.00"]


def test_words_outside_the_crop_box_are_hidden() -> None:
    """Row 24: what lies outside the visible part of the page is kept apart."""

    def page(sheet: Any) -> None:
        sheet.setCropBox((50, 50, 400, 780))
        sheet.drawString(72, 700, "inside 3.50")
        sheet.drawString(420, 700, "outside 9.00")

    document = read(draw(page))
    assert words(document, document.hidden) == ["outside 9.00"]
    assert (document.pages[0].width, document.pages[0].height) == (35000, 73000)


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


def test_a_watermark_is_kept_apart() -> None:
    """Row 26: a slanted DRAFT behind the words is not part of a sentence."""

    def page(sheet: Any) -> None:
        sheet.drawString(72, 700, SENTENCE)
        sheet.saveState()
        sheet.translate(200, 300)
        sheet.rotate(45)
        sheet.setFont("Helvetica", 80)
        sheet.setFillGray(0.9)
        sheet.drawString(0, 0, "DRAFT")
        sheet.restoreState()
        sheet.drawString(72, 686, "3.50:1.00.")

    document = read(draw(page))
    assert words(document, document.furniture) == ["DRAFT"]


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
