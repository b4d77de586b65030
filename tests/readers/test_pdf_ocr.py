"""Pages that are pictures: read by OCR and marked so, or told of, or refused by name; never an empty silence."""

from __future__ import annotations

import io
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed.model.document import Document, Refusal
from conformed_plugins.readers import pdf_ocr
from conformed_plugins.readers.pdf import PdfReader

canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab makes the PDFs of these tests")
pytest.importorskip("PIL")

needs_ocr = pytest.mark.skipif(shutil.which("tesseract") is None, reason="the OCR program tesseract is not installed")
PLAIN = PdfReader(ocr=False)


def made(*pages: Callable[[Any], None]) -> bytes:
    """A PDF with one page for each drawing."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(612, 792), invariant=1)
    for page in pages:
        sheet.setFont("Helvetica", 16)
        page(sheet)
        sheet.showPage()
    sheet.save()
    return out.getvalue()


def typed(sheet: Any) -> None:
    """Two lines with a ratio."""
    sheet.drawString(90, 650, "The Leverage Ratio shall not exceed")
    sheet.drawString(90, 620, "3.50 to 1.00 at any time.")


def scanned(sheet: Any) -> None:
    """The same lines as a picture of a page."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    data = made(typed)
    document = PLAIN.read("x.pdf", data)
    assert isinstance(document, Document)
    image = PLAIN.image(document, data, 1, 150)
    assert image is not None
    with Image.open(io.BytesIO(image)) as opened:
        sheet.drawImage(ImageReader(opened.convert("L")), 0, 0, 612, 792)


def test_a_scan_without_ocr_is_refused_by_name() -> None:
    """Row 11: a file of pictures only, and no OCR: refused as no_text_layer, with the mend."""
    found = PLAIN.read("scan.pdf", made(scanned))
    assert isinstance(found, Refusal)
    assert found.code == "no_text_layer"
    assert "scan.pdf has no text layer" in found.sentence
    assert "searchable copy" in found.sentence


def test_one_scanned_page_among_others_is_told_of() -> None:
    """Without OCR a scanned page in a document with words is empty and carries its note; the rest is read."""
    document = PLAIN.read("mixed.pdf", made(typed, scanned))
    assert isinstance(document, Document)
    assert document.text.startswith("The Leverage Ratio")
    assert [(note.code, note.page) for note in document.notes] == [("no_text_layer", 2)]
    assert document.pages[1].start == document.pages[1].end


def test_a_blank_file_is_refused() -> None:
    """A file whose pages show nothing is refused, and the sentence does not speak of pictures."""
    found = PLAIN.read("blank.pdf", made(lambda _sheet: None))
    assert isinstance(found, Refusal)
    assert "blank" in found.sentence
    assert "picture" not in found.sentence


def test_an_invisible_layer_on_a_scan_is_marked_and_not_hidden() -> None:
    """A searchable scan (invisible words on a picture) is read and marked as OCR; its words are not called hidden."""

    def page(sheet: Any) -> None:
        scanned(sheet)
        layer = sheet.beginText(90, 650)
        layer.setTextRenderMode(3)
        layer.textLine("The Leverage Ratio shall not exceed")
        sheet.drawText(layer)

    document = PLAIN.read("searchable.pdf", made(page))
    assert isinstance(document, Document)
    assert document.text == "The Leverage Ratio shall not exceed"
    assert [note.code for note in document.notes] == ["ocr"]
    assert document.hidden == ()


@needs_ocr
def test_a_scan_is_read_by_ocr_with_boxes() -> None:
    """A scanned page is read, marked as OCR, and its words have rectangles where they stand."""
    data = made(typed, scanned)
    reader = PdfReader()
    document = reader.read("scan.pdf", data)
    assert isinstance(document, Document)
    assert [(note.code, note.page) for note in document.notes] == [("ocr", 2)]
    second = document.text[document.pages[1].start :]
    assert "3.50 to 1.00" in second
    start = document.pages[1].start + second.index("3.50")
    (span,) = reader.boxes(document, data, [document.span(start, start + 12)])
    (box,) = span.boxes
    assert box.page == 2
    assert 8800 < box.left < 9300
    assert (792 - 640) * 100 < box.top < box.bottom < (792 - 612) * 100
    assert PdfReader().boxes(document, data, [document.span(start, start + 12)]) == (span,)


@needs_ocr
def test_a_stamp_on_a_scan_does_not_hide_the_scan() -> None:
    """A typed stamp over a full-page picture does not count as the page's words: the picture is read as well."""

    def page(sheet: Any) -> None:
        scanned(sheet)
        sheet.drawString(20, 20, "Envelope ID 77AA")

    document = PdfReader().read("stamped.pdf", made(page))
    assert isinstance(document, Document)
    assert document.text.startswith("Envelope ID 77AA\r\n")
    assert "3.50 to 1.00" in document.text


@needs_ocr
def test_ocr_is_bounded_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages beyond the limit are not read, and each says so."""
    monkeypatch.setattr(pdf_ocr, "MOST_PAGES", 1)
    document = PdfReader().read("scan.pdf", made(scanned, scanned))
    assert isinstance(document, Document)
    assert [(note.code, note.page) for note in document.notes] == [("ocr", 1), ("no_text_layer", 2)]


def test_an_ocr_program_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An OCR program that never ends is stopped after its time; the page is empty and says why."""
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(pdf_ocr, "PAGE_SECONDS", 2)
    begun = time.monotonic()
    document = PdfReader().read("mixed.pdf", made(typed, scanned))
    assert time.monotonic() - begun < 12
    assert isinstance(document, Document)
    (note,) = document.notes
    assert (note.code, note.page) == ("no_text_layer", 2)
    assert "2 seconds" in note.sentence
