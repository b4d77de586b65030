"""Words that are struck, inserted, hidden or mere marks: kept apart in the text, never read as live."""

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
