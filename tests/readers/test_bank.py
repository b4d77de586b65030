"""The bank of awkward inputs: each of its 37 rows has a test and a verdict, and the traps are followed to what the grammar reads."""

from __future__ import annotations

import ast
import io
import zipfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformed.language.amounts import convention_of, find_amounts, read_amount
from conformed.language.currency import home_currency
from conformed.language.ratios import find_ratios
from conformed.language.scales import find_scales
from conformed.language.traced import live_view
from conformed.model.base import Missing
from conformed.model.document import Document
from conformed_plugins.readers.docx import DocxReader
from conformed_plugins.readers.html import HtmlReader
from conformed_plugins.readers.pdf import PdfReader

canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab makes the PDFs of these tests")

TESTS = Path(__file__).parents[1]
VERDICTS = {"right", "refused by name", "flagged"}
HERE = "readers/test_bank.py"

BANK: dict[int, tuple[str, str, tuple[str, ...]]] = {
    1: ("words broken at line ends", "right", ("readers/test_pdf_words.py::test_a_hyphen_at_a_lines_end_stays_visible", "language/test_traced.py::test_line_end_hyphens", f"{HERE}::test_broken_words_of_a_page_are_whole_in_the_view")),
    2: ("soft hyphens", "right", ("readers/test_pdf_words.py::test_a_soft_hyphen_keeps_its_place", "readers/test_text.py::test_characters_are_kept_as_decoded", f"{HERE}::test_broken_words_of_a_page_are_whole_in_the_view")),
    3: ("ligature glyphs", "right", ("readers/test_pdf_hostile.py::test_a_ligature_is_letters_and_boxes_stay_in_step", "language/test_traced.py::test_typography_is_folded")),
    4: ("a raised note mark behind a ratio", "right", ("readers/test_pdf_marks.py::test_a_raised_note_mark_is_no_digit_of_the_ratio", "readers/test_html.py::test_raised_marks_are_no_digits", "readers/test_docx.py::test_raised_marks_are_no_digits", f"{HERE}::test_only_the_live_level_is_read")),
    5: ("a struck ratio beside the live one", "right", ("readers/test_pdf_marks.py::test_a_struck_ratio_is_kept_apart", f"{HERE}::test_only_the_live_level_is_read")),
    6: ("two columns drawn row by row", "right", ("readers/test_pdf_words.py::test_two_columns_drawn_row_by_row_are_read_column_by_column", "readers/test_pdf_words.py::test_labels_and_figures_are_never_reordered")),
    7: ("upright words on a turned page", "right", ("readers/test_pdf_words.py::test_turned_pages_come_in_reading_order",)),
    8: ("turned words on an upright page", "right", ("readers/test_pdf_words.py::test_turned_pages_come_in_reading_order",)),
    9: ("a ruled table over two pages", "right", ("readers/test_pdf_places.py::test_a_table_that_goes_on_over_the_page_is_one_with_one_header",)),
    10: ("a table without lines", "right", ("readers/test_pdf_places.py::test_a_table_comes_with_every_cell_and_its_span", "readers/test_pdf_places.py::test_figures_of_an_unruled_table_keep_their_signs_and_all_digits")),
    11: ("a scanned page", "refused by name", ("readers/test_pdf_ocr.py::test_a_scan_without_ocr_is_refused_by_name", "readers/test_pdf_ocr.py::test_one_scanned_page_among_others_is_told_of")),
    12: ("a map of characters that lies", "flagged", ("readers/test_pdf_unseen.py::test_a_map_that_contradicts_the_encoding_is_told_of", "readers/test_witness.py::test_a_layer_that_lies_by_one_digit_is_told_of")),
    13: ("no map of characters", "flagged", ("readers/test_pdf_unseen.py::test_glyphs_without_letters_are_told_of",)),
    14: ("words drawn twice", "right", ("readers/test_pdf_words.py::test_words_drawn_twice_come_once",)),
    15: ("restricted by an owner's password", "flagged", ("readers/test_pdf_hostile.py::test_locked_and_restricted_files",)),
    16: ("a user's password", "refused by name", ("readers/test_pdf_hostile.py::test_locked_and_restricted_files",)),
    17: ("a wrong directory", "flagged", ("readers/test_pdf_hostile.py::test_a_wrong_directory_is_told_of",)),
    18: ("cut in half", "refused by name", ("readers/test_pdf_hostile.py::test_damaged_files_are_refused_by_name",)),
    19: ("no bytes; a page of HTML named .pdf", "refused by name", ("readers/test_pdf_hostile.py::test_damaged_files_are_refused_by_name", "readers/test_html.py::test_content_decides_before_the_name")),
    20: ("a stream that inflates to 300 MB", "refused by name", ("readers/test_pdf_hostile.py::test_a_stream_that_inflates_to_300_megabytes_is_refused_within_bounds",)),
    21: ("one page 50,000 times", "refused by name", ("readers/test_pdf_hostile.py::test_too_many_pages_are_refused", "readers/test_pdf_hostile.py::test_a_tree_that_loops_is_refused")),
    22: ("odd spaces, dashes, colons and quotes", "right", ("readers/test_text.py::test_characters_are_kept_as_decoded", "language/test_traced.py::test_typography_is_folded", f"{HERE}::test_odd_signs_read_like_plain_ones")),
    23: ("invisible, white and covered words", "flagged", ("readers/test_pdf_marks.py::test_invisible_and_white_words_are_hidden_but_a_banner_is_not", "readers/test_pdf_marks.py::test_a_covered_ratio_is_hidden_and_the_one_on_top_is_live", "readers/test_html.py::test_words_that_nobody_sees_are_hidden", "readers/test_docx.py::test_hidden_words", f"{HERE}::test_only_the_live_level_is_read")),
    24: ("words outside the crop box", "flagged", ("readers/test_pdf_marks.py::test_words_outside_the_crop_box_are_hidden", f"{HERE}::test_only_the_live_level_is_read")),
    25: ("a value typed in a form field", "right", ("readers/test_pdf_words.py::test_the_value_of_a_form_field_is_read_with_its_box", "readers/test_pdf_unseen.py::test_what_is_pinned_onto_a_page_is_told_of", "readers/test_witness.py::test_a_form_is_looked_at_as_it_is_shown")),
    26: ("a slanted DRAFT behind the words", "right", ("readers/test_pdf_marks.py::test_a_watermark_is_kept_apart", f"{HERE}::test_only_the_live_level_is_read")),
    27: ("a spaced heading", "right", ("readers/test_pdf_words.py::test_a_spaced_heading_is_one_heading",)),
    28: ("a number drawn in pieces", "right", ("readers/test_pdf_words.py::test_a_number_drawn_in_pieces_is_whole_and_a_list_stays_a_list", f"{HERE}::test_a_number_in_pieces_is_one_amount")),
    29: ("heads, numbers and stamps inside a sentence", "right", ("readers/test_pdf_furniture.py::test_heads_numbers_and_stamps_are_found_even_inside_a_sentence", "readers/test_html.py::test_page_numbers_and_heads_are_furniture", "readers/test_text.py::test_page_numbers_are_furniture")),
    30: ("scale bound to its column", "right", ("language/test_amounts.py::test_headings_of_scale", "language/test_amounts.py::test_what_is_no_heading", "extractors/test_certificate.py::test_no_heading_means_review", f"{HERE}::test_scale_of_a_page")),
    31: ("brackets: a negative or a note", "right", ("language/test_amounts.py::test_amounts_are_read_whole", "language/test_amounts.py::test_what_is_open_is_asked", f"{HERE}::test_brackets_in_a_table_of_a_page")),
    32: ("MM, mm, m and bn", "right", ("language/test_amounts.py::test_amounts_are_read_whole", "language/test_amounts.py::test_a_capital_m_needs_the_documents_word", f"{HERE}::test_amounts_of_a_page")),
    33: ("other habits of grouping", "flagged", ("language/test_amounts.py::test_digits_round_trip_in_each_convention", "language/test_amounts.py::test_what_is_open_is_asked", f"{HERE}::test_amounts_of_a_page")),
    34: ("a switch of currency inside a clause", "right", ("language/test_amounts.py::test_the_dollar_of_a_document", f"{HERE}::test_amounts_of_a_page")),
    35: ("mixed numbers and ratios in words", "right", ("language/test_amounts.py::test_ratios_in_words", f"{HERE}::test_ratios_in_words_on_a_page")),
    36: ("words against digits", "flagged", ("language/test_amounts.py::test_what_is_open_is_asked", "language/test_ratios.py::test_words_against_figures", f"{HERE}::test_amounts_of_a_page")),
    37: ("tracked and struck revisions", "right", ("readers/test_docx.py::test_tracked_revisions_are_kept_apart", "readers/test_docx.py::test_words_struck_by_format", "readers/test_html.py::test_struck_words_are_kept_apart", f"{HERE}::test_only_the_live_level_is_read")),
}  # fmt: skip
"""Row, what it is, the verdict, and the tests that show it."""


@cache
def functions_of(file: str) -> frozenset[str]:
    """Names of the test functions of a file."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))


def test_every_row_has_a_verdict() -> None:
    """The rows are 1 to 37, none is left out, and each ends in one of the three ways that are good."""
    assert sorted(BANK) == list(range(1, 38))
    assert {verdict for _, verdict, _ in BANK.values()} <= VERDICTS


@pytest.mark.parametrize("row", sorted(BANK))
def test_the_tests_of_a_row_are_there(row: int) -> None:
    """Each test that a row names is a test of that file: a test that is renamed or lost is missed here."""
    named = BANK[row][2]
    assert named
    assert [node for node in named if node.partition("::")[2] not in functions_of(node.partition("::")[0])] == []


ROW_LABELS = ("Total Debt", "Gain on sale", "Cash and equivalents", "Taxes")
SENTENCE = "The Leverage Ratio shall not exceed "


def pdf(*drawings: Callable[[Any], None]) -> Document:
    """A PDF of one page with some drawings on it, as it is read."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(612, 792), invariant=1)
    sheet.setFont("Times-Roman", 11)
    for drawing in drawings:
        drawing(sheet)
    sheet.showPage()
    sheet.save()
    found = PdfReader(ocr=False).read("case.pdf", out.getvalue())
    assert isinstance(found, Document), found
    return found


def write(*texts: str) -> Callable[[Any], None]:
    """Lines from the top of the page down."""

    def drawing(sheet: Any) -> None:
        for place, text in enumerate(texts):
            sheet.drawString(72, 700 - 14 * place, text)

    return drawing


def html(body: str) -> Document:
    """A page of HTML as it is read."""
    found = HtmlReader().read("case.html", f"<html><body>{body}</body></html>".encode())
    assert isinstance(found, Document), found
    return found


def docx(runs: str) -> Document:
    """A Word document of one paragraph as it is read."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types><Override PartName="/word/document.xml" ContentType="{kind}"/></Types>')
        relation = f'<Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", f"<Relationships>{relation}</Relationships>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body><w:p>{runs}</w:p></w:body></w:document>')
    found = DocxReader().read("case.docx", out.getvalue())
    assert isinstance(found, Document), found
    return found


def run(text: str, properties: str = "", kind: str = "t") -> str:
    """A run of a Word document."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:{kind} xml:space="preserve">{text}</w:{kind}></w:r>'


def note_mark(sheet: Any) -> None:
    """Row 4: a raised 1 right behind the ratio."""
    sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
    end = 72 + sheet.stringWidth(SENTENCE + "3.50:1.00")
    sheet.setFont("Times-Roman", 6.5)
    sheet.drawString(end, 704.5, "1")


def struck(sheet: Any) -> None:
    """Row 5: the old ratio with a line through it."""
    sheet.drawString(72, 700, SENTENCE + "4.00:1.00 3.50:1.00")
    start = 72 + sheet.stringWidth(SENTENCE)
    sheet.line(start, 703.2, start + sheet.stringWidth("4.00:1.00"), 703.2)


def white(sheet: Any) -> None:
    """Row 23: a second level in white on white."""
    sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
    sheet.setFillColorRGB(1, 1, 1)
    sheet.drawString(72, 686, SENTENCE + "9.00:1.00")


def cropped(sheet: Any) -> None:
    """Row 24: a second level outside what a reader sees."""
    sheet.setCropBox((50, 50, 500, 780))
    sheet.drawString(72, 700, SENTENCE + "3.50:1.00")
    sheet.drawString(520, 700, "9.00:1.00")


def stamped(sheet: Any) -> None:
    """Row 26: a slanted DRAFT drawn between the two halves of the sentence."""
    sheet.drawString(72, 700, SENTENCE)
    sheet.saveState()
    sheet.translate(200, 300)
    sheet.rotate(45)
    sheet.setFont("Helvetica", 80)
    sheet.setFillGray(0.9)
    sheet.drawString(0, 0, "DRAFT")
    sheet.restoreState()
    sheet.drawString(72, 686, "3.50:1.00")


WORD_REVISED = (
    run(SENTENCE)
    + f'<w:del w:id="1" w:author="a">{run("4.00:1.00", kind="delText")}</w:del>'
    + f'<w:ins w:id="2" w:author="a">{run("3.50:1.00")}</w:ins>'
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pdf(note_mark),
        lambda: pdf(struck),
        lambda: pdf(white),
        lambda: pdf(cropped),
        lambda: pdf(stamped),
        lambda: html(f"<p>{SENTENCE}3.50:1.00<sup>1</sup></p>"),
        lambda: html(f"<p>{SENTENCE}<s>4.00:1.00</s> <u>3.50:1.00</u></p>"),
        lambda: html(f'<p>{SENTENCE}<span style="display:none">9.00:1.00</span>3.50:1.00</p>'),
        lambda: docx(WORD_REVISED),
        lambda: docx(run(SENTENCE) + run("4.00:1.00", "<w:strike/>") + run(" 3.50:1.00")),
        lambda: docx(run(SENTENCE + "3.50:1.00") + run("1", '<w:vertAlign w:val="superscript"/>')),
        lambda: docx(run(SENTENCE) + run("9.00:1.00", "<w:vanish/>") + run("3.50:1.00")),
    ],
    ids=[
        *("pdf-4", "pdf-5", "pdf-23", "pdf-24", "pdf-26", "html-4", "html-37", "html-23", "docx-37", "docx-37-format"),
        *("docx-4", "docx-23"),
    ],
)  # fmt: skip
def test_only_the_live_level_is_read(make: Callable[[], Document]) -> None:
    """Rows 4, 5, 23, 24, 26 and 37, to the end: the grammar finds 3.50 to 1 and nothing else, and its place slices back."""
    document = make()
    view = live_view(document)
    (found,) = find_ratios(view.text)
    assert (found.value, found.places, found.problem) == (Fraction(7, 2), 2, "")
    assert "".join(span.text for span in view.spans(found.start, found.end)) == "3.50:1.00"
    assert "9.00" not in view.text
    assert "4.00" not in view.text


def test_broken_words_of_a_page_are_whole_in_the_view() -> None:
    """Rows 1 and 2: consolidated is joined since the page has it whole elsewhere, long-term keeps its hyphen, soft ones go.

    A soft hyphen of a PDF is a hyphen that is drawn, so there the word keeps it, as a reader sees it.
    """
    document = pdf(write("consolidated debt; the consoli-", "dated long-", "term debt and its amor\u00adtisation"))
    assert (
        " ".join(live_view(document).text.split()) == "consolidated debt; the consolidated long-term debt and its amor-tisation"
    )
    assert live_view(html("<p>amor&shy;tisation</p>")).text.strip() == "amortisation"
    assert live_view(docx(run("amor\u00adtisation"))).text.strip() == "amortisation"


def test_odd_signs_read_like_plain_ones() -> None:
    """Row 22: no-break spaces, a ratio sign, a minus sign and curly quotes are folded, and the words cite what stands there."""
    document = html("<p>&ldquo;Ratio&rdquo; 3.50\u22361.00 and \u22125,000\u00a0USD</p>")
    view = live_view(document)
    assert view.text.strip() == '"Ratio" 3.50:1.00 and -5,000 USD'
    (found,) = find_ratios(view.text)
    assert view.spans(found.start, found.end)[0].text == "3.50\u22361.00"


def amounts(document: Document) -> list[str]:
    """What the grammar makes of each amount of a document, by the document's own habit and dollar."""
    text = live_view(document).text
    found = find_amounts(text, convention=convention_of(text), home=home_currency(text))
    return [one.code if isinstance(one, Missing) else f"{one.currency} {one.value}" for _, _, one in found]


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["a basket of US$75MM, or £2.5m, or US$1.2bn"], ["USD 75000000", "GBP 2500000", "USD 1200000000"]),
        (["not more than €1.250.000,50 in all"], ["EUR 2500001/2"]),
        (["not more than EUR 1.250 in all"], ["review_numeric_token_malformed"]),
        (["US$5,000,000 of which C$6,000,000 and A$7,000,000"], ["USD 5000000", "CAD 6000000", "AUD 7000000"]),
        (["US$5,000,000 and C$6,000,000 and $7,000,000"], ["USD 5000000", "CAD 6000000", "XXX 7000000"]),
        (["Twenty-Five Million Dollars (US$2,500,000)"], ["review_words_figures_conflict"]),
        (["Twenty-Five Million Dollars (US$25,000,000)"], ["USD 25000000"]),
    ],
    ids=["32", "33-comma", "33-open", "34", "34-bare", "36", "36-agree"],
)
def test_amounts_of_a_page(lines: list[str], wanted: list[str]) -> None:
    """Rows 32 to 34 and 36, from a drawn page to the value: right, or asked by the code that names the doubt."""
    assert amounts(pdf(write(*lines))) == wanted


def test_a_number_in_pieces_is_one_amount() -> None:
    """Row 28: a sum drawn in three pieces with small gaps is one value."""

    def drawing(sheet: Any) -> None:
        at = 72.0
        for piece in ("US$1,", "250,", "000"):
            sheet.drawString(at, 700, piece)
            at += sheet.stringWidth(piece) + 1.2

    assert amounts(pdf(drawing)) == ["USD 1250000"]


def test_brackets_in_a_table_of_a_page() -> None:
    """Row 31: in a column of a drawn table brackets are a minus, a (1) behind a figure is its note, and a (1) alone is asked."""

    def drawing(sheet: Any) -> None:
        rows = (("Total Debt", "412,600 (1)"), ("Gain on sale", "(3,118)"), ("Cash and equivalents", "50,100"), ("Taxes", "(1)"))
        for place, (label, figure) in enumerate(rows):
            sheet.drawString(72, 700 - 16 * place, label)
            sheet.drawRightString(400, 700 - 16 * place, figure)

    text = live_view(pdf(drawing)).text
    cells = [line.removeprefix(label).strip() for line in text.splitlines() for label in ROW_LABELS if line.startswith(label)]
    read = [read_amount(cell, convention=convention_of("412,600 and 1,250,000")) for cell in cells]
    said = [one.code if isinstance(one, Missing) else one.value for one in read]
    assert said == [412_600, -3118, 50_100, "review_numeric_token_malformed"]


def test_scale_of_a_page() -> None:
    """Row 30: the heading of dollars is found with its place, the one of shares is none, and nothing is read from size."""
    document = pdf(write("(US dollars in thousands, shares in millions)", "Total Debt 412,600"))
    (heading,) = find_scales(live_view(document).text, "USD")
    assert (heading.factor, heading.currency) == (1000, "USD")
    assert find_scales(live_view(pdf(write("shares in thousands", "Total Debt 412,600"))).text, "USD") == ()


@pytest.mark.parametrize("words", ["three and one-half to one", "3½ to 1", "3 1/2 to 1.0"])
def test_ratios_in_words_on_a_page(words: str) -> None:
    """Row 35: words and mixed numbers on a page are 7/2."""
    (found,) = find_ratios(live_view(pdf(write(SENTENCE + words))).text)
    assert found.value == Fraction(7, 2)
