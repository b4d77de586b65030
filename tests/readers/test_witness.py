"""A number is held against the page on which it stands: even letters on one line, and a picture that reads the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

pytest.importorskip("reportlab", reason="reportlab makes the PDFs of these tests")

from awkward.letters import row_12
from awkward.paper import Page, page

from conformed.model.document import Document
from conformed.ports import Witness
from conformed_plugins.readers.pdf import PdfReader
from conformed_plugins.readers.pdf_child.witness import same_figures

needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="the OCR program tesseract is not installed")
READER, BLIND = PdfReader(), PdfReader(ocr=False)


def drawn(write: Callable[[Page], None]) -> tuple[Document, bytes]:
    """A page as it is read, and its bytes."""
    data = page(write)
    return read(data), data


def read(data: bytes) -> Document:
    """The document, which must not be refused."""
    found = BLIND.read("a.pdf", data)
    assert isinstance(found, Document), found
    return found


def said(document: Document, data: bytes, words: str, reader: PdfReader = READER) -> str:
    """What speaks against some words, which must stand there once."""
    assert document.text.count(words) == 1, document.text
    start = document.text.index(words)
    (answer,) = reader.witness(document, data, [document.span(start, start + len(words))])
    return answer


def test_the_reader_is_a_witness() -> None:
    """The PDF reader is one that the product can ask; nothing asked is nothing said."""
    assert isinstance(READER, Witness)
    document, data = drawn(lambda sheet: sheet.write("3.50 to 1.00"))
    assert READER.witness(document, data, []) == ()


@needs_ocr
@pytest.mark.parametrize(
    "words", ["3.50 to 1.00", "3.50:1.00", "4.25x", "$1,250,000.00", "(3,118)", "three and one-half to one", "December 31, 2024"]
)
def test_what_a_page_shows_is_believed(words: str) -> None:
    """Numbers as they are written in agreements and certificates are read again from their picture: nothing speaks against them."""
    document, data = drawn(lambda sheet: sheet.write(f"The ratio is {words} at that time."))
    assert said(document, data, words) == ""


@needs_ocr
@pytest.mark.parametrize("number", [1, 3, 4])
def test_a_layer_that_lies_by_one_digit_is_told_of(number: int) -> None:
    """Row 12: 3.50 is drawn, the layer of words says another number, in fonts of every kind: the sight speaks against it."""
    variant = row_12()[number]
    document = read(variant.data)
    words = next(w for w in ("8.50 to 1.00", "3.60 to 1.00") if w in document.text)
    assert said(document, variant.data, words) == "the page as it is drawn reads 3.50 1.00"
    assert said(document, variant.data, words, BLIND) == ""


@needs_ocr
def test_a_picture_over_a_number_is_told_of() -> None:
    """Words covered by a picture of other figures: the layer still says the old ones, and the sight does not."""
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib.utils import ImageReader

    tile = Image.new("L", (300, 44), 255)
    ImageDraw.Draw(tile).text((4, 2), "8.50 to 1.00", fill=0, font=ImageFont.load_default(size=36))

    def write(sheet: Page) -> None:
        end = sheet.line("The ratio shall not exceed 3.50 to 1.00")
        wide = sheet.width("3.50 to 1.00")
        sheet.sheet.drawImage(ImageReader(tile), end - wide, sheet.last - 2, wide, 11)

    document, data = drawn(write)
    assert "drawn" in said(document, data, "3.50 to 1.00")


@needs_ocr
@pytest.mark.parametrize("turn", [90, 270])
def test_words_that_lie_on_their_side_are_seen_upright(turn: int) -> None:
    """Rows 7 and 8: a number on a turned page is looked at the way a person turns it."""
    from awkward.layout import row_07, row_08

    for variants in (row_07(), row_08()):
        variant = next(v for v in variants if v.name.endswith(str(turn)))
        assert said(read(variant.data), variant.data, "3.50 to 1.00") == ""


@pytest.mark.parametrize(
    ("size", "rise", "what"),
    [(7.0, 0.0, "its figures differ in size"), (10.0, 3.0, "its figures do not stand on one line"), (10.0, 0.0, "")],
)
def test_letters_of_one_number_are_even(size: float, rise: float, what: str) -> None:
    """A digit that is smaller, or stands higher than the others, is told of without any picture."""

    def write(sheet: Page) -> None:
        end = sheet.line("The ratio shall not exceed 3.5")
        sheet.sheet.setFont(sheet.font, size)
        sheet.sheet.drawString(end, sheet.last + rise, "0")
        sheet.sheet.setFont(sheet.font, sheet.size)

    document, data = drawn(write)
    words = next(w for w in ("3.50", "3.5 0") if w in document.text)
    assert said(document, data, words, BLIND) == what


def test_words_that_are_not_there_are_no_witness() -> None:
    """A span whose words stand elsewhere, or are of another file, is never passed over."""
    document, data = drawn(lambda sheet: sheet.write("The ratio is 3.50 to 1.00"))
    start = document.text.index("3.50")
    span = document.span(start, start + 4).model_copy(update={"text": "4.50"})
    assert BLIND.witness(document, data, [span]) == ("its words are not found again on the page",)
    good = document.span(start, start + 4)
    assert BLIND.witness(document, data, [good, span]) == ("", "its words are not found again on the page")


@pytest.mark.parametrize(
    ("layer", "sight", "same"),
    [
        ("3.50 to 1.00", "3.50 to 1.00", True),
        ("3.50:1.00", "3.50: 1.00", True),
        ("3.50 to 1.00", "3.5O to 1.00", True),
        ("1,250,000", "1.250.000", True),
        ("3½ to 1", "3% to 1", True),
        ("8.50 to 1.00", "3.50 to 1.00", False),
        ("3.50 to 1.00", "350 to 1.00", False),
        ("3.50 to 1.00", "3.50 to 1.00 1", False),
        ("3.50", "", False),
        ("three and one-half to one", "eight and one-half to one", False),
        ("December 31, 2024", "December 31, 2021", False),
        ("December 31, 2024", "September 31, 2024", False),
        ("3½ to 1", "3 to 1", False),
        ("(3,118)", "3,178", False),
    ],
)
def test_when_two_readings_are_one_number(layer: str, sight: str, same: bool) -> None:
    """Only numbers, words of numbers and months count, in order; what OCR is known to blur is one, what changes a value is not."""
    assert same_figures(layer, sight) is same


def test_a_form_is_looked_at_as_it_is_shown() -> None:
    """Values of form fields are found again on the page where they were read, all of them."""
    from awkward.certificates import row_tables

    variant = next(v for v in row_tables() if v.name == "pdf: form fields")
    document = read(variant.data)
    spans = [document.span(at, at + len(w)) for w in ("300,000", "40,000", "100,000") for at in [document.text.index(w)]]
    assert BLIND.witness(document, variant.data, spans) == ("", "", "")
    assert "Consolidated Total Debt 300,000" in document.text
