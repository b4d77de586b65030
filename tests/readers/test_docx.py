"""Word documents: revisions, struck and hidden words, automatic numbers, tables, notes, and hostile files."""

from __future__ import annotations

import hashlib
import io
import struct
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.document import Document, Media, Refusal
from conformed_plugins.readers.docx import VERSION, DocxReader
from conformed_plugins.readers.docx_numbering import formatted

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def part(root: str, body: str, namespace: str = W) -> bytes:
    """One part of a document."""
    return f'<w:{root} xmlns:w="{namespace}" xmlns:r="{R}" xmlns:v="urn:v">{body}</w:{root}>'.encode()


def relations(*words: str) -> bytes:
    """Relations, each of three words: id, kind and aim."""
    threes = zip(words[::3], words[1::3], words[2::3], strict=True)
    inner = "".join(f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{aim}"/>' for name, kind, aim in threes)
    return f"<Relationships>{inner}</Relationships>".encode()


def word(body: str, *, main: str = MAIN, namespace: str = W, **parts: str) -> bytes:
    """A Word document with a body and, by their names, further parts."""
    files = {
        "[Content_Types].xml": f'<Types><Override PartName="/word/document.xml" ContentType="{main}"/></Types>'.encode(),
        "_rels/.rels": relations("r1", "officeDocument", "word/document.xml"),
        "word/document.xml": part("document", f"<w:body>{body}</w:body>", namespace),
    }
    aims = [word for name in parts for word in (name, name.rstrip("0123456789"), f"{name}.xml")]
    files["word/_rels/document.xml.rels"] = relations(*aims)
    roots = {"header": "hdr", "footer": "ftr"}
    for name, inner in parts.items():
        kind = name.rstrip("0123456789")
        files[f"word/{name}.xml"] = part(roots.get(kind, kind), inner, namespace)
    return zipped(files)


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def p(*runs: str, properties: str = "") -> str:
    """A paragraph."""
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def r(text: str, properties: str = "") -> str:
    """A run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def tc(*blocks: str, properties: str = "") -> str:
    """A cell."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{''.join(blocks)}</w:tc>"


def tr(*cells: str, properties: str = "") -> str:
    """A row."""
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def read(data: bytes) -> Document:
    """A document that must be read."""
    document = DocxReader().read("deed.docx", data)
    assert isinstance(document, Document), document
    return document


def refused(data: bytes) -> Refusal:
    """A document that must be refused."""
    refusal = DocxReader().read("deed.docx", data)
    assert isinstance(refusal, Refusal), refusal.text[:100]
    assert refusal.sentence.startswith("deed.docx ")
    assert refusal.sha256 == hashlib.sha256(data).hexdigest()
    return refusal


def words(document: Document, kind: str) -> list[str]:
    """The words of one kind of run."""
    return [document.text[run.start : run.end] for run in getattr(document, kind)]


def codes(document: Document) -> list[str]:
    """Codes of the notes."""
    return [note.code for note in document.notes]


@pytest.mark.parametrize("namespace", [W, STRICT])
def test_paragraphs_and_runs_in_order(namespace: str) -> None:
    """Paragraphs are parted by a blank line, runs join without a seam, and characters stay as they are, in both dialects."""
    body = p(r("Level "), r("3.50"), r("\u22361.00\u00a0– “x”")) + p(
        r("a"), "<w:r><w:tab/><w:t> b </w:t><w:br/><w:noBreakHyphen/><w:softHyphen/></w:r>", r("c")
    )
    document = read(word(body, namespace=namespace))
    assert document.text == "Level 3.50\u22361.00\u00a0– “x”\n\na\tb\n\u2011\u00adc"
    assert document.media is Media.DOCX
    assert document.reader == f"docx {VERSION}"
    assert (document.paged, len(document.pages)) == (False, 1)
    assert document.notes == ()


TRACKED = p(
    r("shall not exceed "),
    "<w:del><w:r><w:delText>4.00:1.00</w:delText></w:r></w:del>",
    f"<w:ins>{r('3.50:1.00')}</w:ins>",
    r(" at any time"),
)


def test_tracked_revisions_are_kept_apart() -> None:
    """Row 37: a tracked deletion is struck, an insertion is live and marked, neither is lost, and a note says so."""
    document = read(word(TRACKED))
    assert document.text == "shall not exceed 4.00:1.003.50:1.00 at any time"
    assert words(document, "struck") == ["4.00:1.00"]
    assert words(document, "inserted") == ["3.50:1.00"]
    assert codes(document)[0] == "open_revisions"


def test_moved_words() -> None:
    """Row 37: words that were moved are struck where they were and inserted where they are."""
    document = read(word(p(f"<w:moveFrom>{r('the Loan')}</w:moveFrom>", r(" and "), f"<w:moveTo>{r('the Loan')}</w:moveTo>")))
    assert words(document, "struck") == ["the Loan"]
    assert words(document, "inserted") == ["the Loan"]
    assert document.struck[0].start < document.inserted[0].start


def test_revisions_of_blocks_and_rows() -> None:
    """Row 37: a deleted row and a deleted block of paragraphs are struck, an inserted row is marked."""
    table = f"<w:tbl>{tr(tc(p(r('old'))), properties='<w:del/>')}{tr(tc(p(r('new'))), properties='<w:ins/>')}</w:tbl>"
    document = read(word(f"{table}<w:ins>{p(r('added'))}</w:ins>{p(r('kept'))}"))
    assert words(document, "struck") == ["old"]
    assert words(document, "inserted") == ["new", "added"]


@pytest.mark.parametrize(
    ("properties", "struck"),
    [
        ("<w:strike/>", True),
        ("<w:dstrike w:val='1'/>", True),
        ("<w:strike w:val='0'/>", False),
        ("<w:strike w:val='false'/>", False),
        ("<w:rStyle w:val='Gone'/>", True),
        ("<w:rStyle w:val='Under'/>", True),
        ("<w:rStyle w:val='Gone'/><w:strike w:val='0'/>", False),
        ("<w:rPrChange><w:rPr><w:strike/></w:rPr></w:rPrChange>", False),
    ],
)
def test_words_struck_by_format(properties: str, *, struck: bool) -> None:
    """Row 37: a line through words strikes them, set on the run or by its style; what a change of format replaced does not."""
    styles = (
        "<w:style w:type='character' w:styleId='Gone'><w:rPr><w:strike/></w:rPr></w:style>"
        "<w:style w:type='character' w:styleId='Under'><w:basedOn w:val='Gone'/></w:style>"
    )
    document = read(word(p(r("is "), r("4.00:1.00", properties), r(" 3.50:1.00")), styles=styles))
    assert document.text == "is 4.00:1.00 3.50:1.00"
    assert words(document, "struck") == (["4.00:1.00"] if struck else [])


def test_insertions_of_a_redline_made_by_format() -> None:
    """Row 37: in a comparison without tracking, double underlined words are insertions, and an underlined heading is none."""
    body = p(r("Heading", "<w:u w:val='single'/>"), r("old", "<w:strike/>"), r("new", "<w:u w:val='double'/>"))
    assert words(read(word(body)), "inserted") == ["new"]
    assert words(read(word(p(r("Heading", "<w:u w:val='single'/>")))), "inserted") == []


@pytest.mark.parametrize(
    ("properties", "hidden"),
    [
        ("<w:vanish/>", True),
        ("<w:vanish w:val='off'/>", False),
        ("<w:color w:val='FFFFFF'/>", True),
        ("<w:color w:val='FFFFFF'/><w:shd w:fill='003366'/>", False),
        ("<w:color w:val='FFFFFF'/><w:highlight w:val='black'/>", False),
        ("<w:color w:val='FF0000'/>", False),
    ],
)
def test_hidden_words(properties: str, *, hidden: bool) -> None:
    """Row 23: hidden and white words stay in the text and are listed as hidden; white words on a dark ground are seen."""
    document = read(word(p(r("seen "), r("level is $1", properties))))
    assert words(document, "hidden") == (["level is $1"] if hidden else [])
    assert ("hidden_text" in codes(document)) is hidden


def test_instructions_of_fields_are_no_text() -> None:
    """The code of a field is left out and its result is kept."""
    char = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>"
    field = f"{char.format('begin')}<w:r><w:instrText>REF x</w:instrText></w:r>{char.format('separate')}"
    document = read(word(p(r("Section "), field, r("7.11"), f"<w:fldSimple w:instr='REF y'>{r(' (a)')}</w:fldSimple>")))
    assert document.text == "Section 7.11 (a)"


def level(at: int, form: str, text: str, extra: str = "", start: int = 1) -> str:
    """A level of a list."""
    return f"<w:lvl w:ilvl='{at}'><w:start w:val='{start}'/><w:numFmt w:val='{form}'/>{extra}<w:lvlText w:val='{text}'/></w:lvl>"


LISTS = (
    "<w:abstractNum w:abstractNumId='0'>"
    + level(0, "upperRoman", "ARTICLE %1", "<w:suff w:val='space'/>")
    + level(1, "decimal", "%1.%2", "<w:isLgl/>")
    + level(2, "lowerLetter", "(%3)")
    + level(3, "lowerRoman", "(%4)")
    + "</w:abstractNum><w:abstractNum w:abstractNumId='5'>"
    + level(0, "bullet", "\uf0b7")
    + "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    "<w:num w:numId='2'><w:abstractNumId w:val='0'/>"
    "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='7'/></w:lvlOverride></w:num>"
    "<w:num w:numId='3'><w:abstractNumId w:val='5'/></w:num>"
)


def item(text: str, at: int, number: int = 1, more: str = "") -> str:
    """A paragraph of a list."""
    return p(r(text), properties=f"<w:numPr><w:ilvl w:val='{at}'/><w:numId w:val='{number}'/></w:numPr>{more}")


def test_automatic_numbers_are_written_out() -> None:
    """Numbers that exist only as levels of a list are counted as the word processor does, and a note says so."""
    body = "".join(
        [
            *(
                item("Terms", 0),
                item("Defined", 1),
                item("x", 2),
                item("y", 3),
                item("z", 3),
                item("w", 2),
                item("Accounts", 1),
                item("v", 2),
            ),
            *(p(r("between")), item("Covenants", 0, 2), item("Leverage", 1, 2), item("dot", 0, 3), item("plain", 0, 0)),
        ]
    )
    document = read(word(body, numbering=LISTS))
    assert document.text.split("\n\n") == [
        *("ARTICLE I Terms", "1.1\tDefined", "(a)\tx", "(i)\ty", "(ii)\tz", "(b)\tw", "1.2\tAccounts", "(a)\tv", "between"),
        *("ARTICLE VII Covenants", "7.1\tLeverage", "•\tdot", "plain"),
    ]
    assert codes(document) == ["automatic_numbering"]
    assert "10 numbers" in document.notes[0].sentence


def test_numbers_of_styles() -> None:
    """A heading takes its number from its style, found through what the style is based on and the level that names it."""
    numbering = (
        "<w:abstractNum w:abstractNumId='1'>"
        + level(0, "decimal", "%1.", "<w:pStyle w:val='H1'/>")
        + level(1, "decimal", "%1.%2", "<w:pStyle w:val='H2'/>")
        + "</w:abstractNum><w:num w:numId='4'><w:abstractNumId w:val='1'/></w:num>"
    )
    styles = (
        "<w:style w:type='paragraph' w:styleId='H1'><w:pPr><w:numPr><w:numId w:val='4'/></w:numPr></w:pPr></w:style>"
        "<w:style w:type='paragraph' w:styleId='H2'><w:pPr><w:numPr><w:numId w:val='4'/></w:numPr></w:pPr></w:style>"
        "<w:style w:type='paragraph' w:styleId='Own'><w:basedOn w:val='H2'/></w:style>"
    )
    body = "".join(
        p(r(text), properties=f"<w:pStyle w:val='{style}'/>")
        for text, style in [("One", "H1"), ("A", "H2"), ("B", "Own"), ("Two", "H1"), ("C", "H2")]
    )
    assert read(word(body, numbering=numbering, styles=styles)).text.split("\n\n") == [
        "1.\tOne",
        "1.1\tA",
        "1.2\tB",
        "2.\tTwo",
        "2.1\tC",
    ]


def test_deleted_paragraphs_take_no_number() -> None:
    """A paragraph whose mark is deleted is not counted, so that the numbers are those of the final text."""
    body = (
        item("one", 2)
        + item("gone", 2, 1, "<w:rPr><w:del/></w:rPr>")
        + item("two", 2)
        + item("three", 2, 1, "<w:rPr><w:ins/></w:rPr>")
    )
    document = read(word(body, numbering=LISTS))
    assert document.text.split("\n\n") == ["(a)\tone", "gone", "(b)\ttwo", "(c)\tthree"]
    assert words(document, "inserted") == ["(c)"]


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (4, "upperRoman", "IV"), (1994, "lowerRoman", "mcmxciv"), (27, "lowerLetter", "aa"), (53, "upperLetter", "AAA"),
        (3, "decimalZero", "03"),
        (11, "ordinal", "11th"), (22, "ordinal", "22nd"), (21, "cardinalText", "Twenty-one"), (12, "ordinalText", "Twelfth"),
        (40, "ordinalText", "Fortieth"), (0, "upperRoman", "0"), (5, "none", ""), (2, "chicago", None),
    ],
)  # fmt: skip
def test_formats_of_numbers(value: int, form: str, shown: str | None) -> None:
    """Counters are shown as the file's format says; a format that is not known is said to be so."""
    assert formatted(value, form) == shown


def test_tables_have_exact_cells() -> None:
    """Cells are parted by tabs and rows by line ends, in order with the paragraphs; wide cells are filled up."""
    rows = tr(tc(p(r("Period")), properties="<w:gridSpan w:val='2'/>"), tc(p(r("Level")))) + tr(
        tc(p(r("Q1"))), tc(p()), tc(p(r("4.25 : 1.00")), p(r("(test)")))
    )
    data = word(p(r("before")) + f"<w:tbl><w:sdt><w:sdtContent>{rows}</w:sdtContent></w:sdt></w:tbl>" + p(r("after")))
    document = read(data)
    assert document.text == "before\n\nPeriod\tLevel\nQ1\t4.25 : 1.00\n\n(test)\n\nafter"
    (table,) = DocxReader().tables(document, data, ())
    assert [[cell.text for cell in row] for row in table.rows] == [["Period", "", "Level"], ["Q1", "", "4.25 : 1.00 (test)"]]
    span = table.rows[1][2].span
    assert span is not None
    assert document.text[span.start : span.end] == span.text == "4.25 : 1.00\n\n(test)"


def test_notes_stand_after_their_paragraph() -> None:
    """Row 4: the mark of a footnote never runs into the figure before it, and its words come after the paragraph."""
    notes = f"<w:footnote w:type='separator' w:id='-1'>{p(r('---'))}</w:footnote>"
    notes += f"<w:footnote w:id='2'>{p(r('as adjusted'))}</w:footnote>"
    document = read(
        word(p(r("3.50:1.00"), "<w:r><w:footnoteReference w:id='2'/></w:r>", r(" or less")) + p(r("next")), footnotes=notes)
    )
    assert document.text == "3.50:1.00 1 or less\n\n1\tas adjusted\n\nnext"
    assert words(document, "furniture") == ["1", "1"]


def test_raised_marks_are_no_digits() -> None:
    """Row 4 and 35: a raised note mark is set apart, a raised numerator stays a figure."""
    raised = "<w:vertAlign w:val='superscript'/>"
    document = read(word(p(r("3.50"), r("1", raised), r(" and 3"), r("1", raised), r("/2"))))
    assert document.text == "3.50 1 and 3 1/2"
    assert words(document, "furniture") == ["1"]


def test_heads_and_feet_are_furniture_at_the_end() -> None:
    """Words of heads, feet and watermarks are kept once, at the end, not live: they show a draft and state no term."""
    mark = "<w:p><w:r><w:pict><v:textpath string='DRAFT'/></w:pict></w:r></w:p>"
    document = read(word(p(r("deed")), header1=p(r("Draft of May")) + mark, header2=p(r("Draft of May")), footer1=p(r("12"))))
    assert document.text == "deed\n\nDRAFT\n\nDraft of May"
    assert words(document, "furniture") == ["DRAFT", "Draft of May"]
    assert codes(document) == ["watermark", "page_furniture"]


def test_pages_as_last_laid_out() -> None:
    """Where the word processor left the breaks of its layout, pages are told; a break that a person set is a mark and no page."""
    document = read(word(p(r("one "), "<w:r><w:lastRenderedPageBreak/></w:r>", r("two")) + p(r("three"))))
    assert document.text == "one \ftwo\n\nthree"
    assert document.paged
    assert document.span(document.text.index("two"), len(document.text)).page == 2
    document = read(word(p(r("one"), "<w:r><w:br w:type='page'/></w:r>") + p(r("two"))))
    assert document.text == "one\n\f\ntwo"
    assert (document.paged, len(document.pages)) == (False, 1)


def test_text_boxes_stand_after_their_paragraph() -> None:
    """Words of a text box are read once, though the file holds them twice for old programs."""
    box = f"<w:txbxContent>{p(r('boxed'))}</w:txbxContent>"
    choice = f"<w:Choice><w:drawing>{box}</w:drawing></w:Choice>"
    body = f"<w:r><w:AlternateContent>{choice}<w:Fallback><w:pict>{box}</w:pict></w:Fallback></w:AlternateContent></w:r>"
    assert read(word(p(r("out"), body, r("side")))).text == "outside\n\nboxed"


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (lambda: OLE, "unknown_format"),
        (lambda: word(p(r("x")), main="application/vnd.ms-word.document.macroEnabled.main+xml"), "macros"),
        (
            lambda: zipped(
                {"[Content_Types].xml": b"<Types/>", "word/vbaProject.bin": b"x", "word/document.xml": part("document", "")}
            ),
            "macros",
        ),
        (lambda: zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"}), "unknown_format"),
        (lambda: word(p()), "empty"),
        (lambda: word(p(r("x")))[:200], "broken"),
        (lambda: word("<w:p><w:r></w:p>"), "broken"),
        (lambda: word("<w:sdt>" * 240 + "</w:sdt>" * 240), "hostile"),
        (lambda: word("<w:sdt>" * 9000 + "</w:sdt>" * 9000), "broken"),
        (lambda: word(p(r("x")) + "<!--" + " " * 40_000_000 + "-->"), "bomb"),
        (lambda: word(item("x", 0), numbering="<w:num w:numId='junk'/>"), "broken"),
        (
            lambda: zipped(
                {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<!DOCTYPE d [<!ENTITY a 'b'>]><d>&a;</d>"}
            ),
            "hostile",
        ),
    ],
)
def test_what_is_refused(build: object, code: str) -> None:
    """Passwords, macros, the format of 1997, spreadsheets, cut and bottomless files, bombs and entities are refused by name."""
    assert callable(build)
    data = build()
    begun = time.process_time()
    assert refused(data).code == code
    assert time.process_time() - begun < 3


def test_external_entities_are_never_read(tmp_path: object) -> None:
    """A document type that points at a file outside is refused before anything of it is read."""
    secret = b'<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + part(
        "document", f"<w:body>{p(r('&x;'))}</w:body>"
    )
    assert refused(zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": secret})).code == "hostile"


def test_a_part_that_lies_about_its_size() -> None:
    """A directory that gives a false size ends in a refusal, not in an endless read."""
    data = bytearray(word(p(r("words " * 1000))))
    at = data.find(b"PK\x01\x02")
    for _ in range(2):
        at = data.find(b"PK\x01\x02", at + 1)
    struct.pack_into("<I", data, at + 24, 10)
    assert refused(bytes(data)).code == "broken"


@pytest.mark.parametrize(
    ("name", "head", "accepted"),
    [
        ("a.zip", word(p(r("x")))[:4096], True),
        ("a.docx", b"PK\x03\x04", True),
        ("a.zip", b"PK\x03\x04", False),
        ("a.doc", OLE, True),
        ("a.xls", OLE, False),
        ("a.docx", b"%PDF-1.7", False),
        ("a.docx", b"<html>", False),
    ],
)
def test_content_decides_before_the_name(name: str, head: bytes, *, accepted: bool) -> None:
    """A Word document is known by its first part under any name; a name alone admits only a zip or an old office file."""
    assert DocxReader().accepts(name, head) is accepted


def test_long_documents_are_read_soon() -> None:
    """Ten thousand numbered paragraphs are read in a time that a person does not notice."""
    data = word("".join(item("the Borrower shall keep its accounts " * 5, n % 3) for n in range(10_000)), numbering=LISTS)
    begun = time.process_time()
    document = read(data)
    assert time.process_time() - begun < 4
    assert len(document.text) > 1_500_000


RUNS = st.builds(
    r,
    st.sampled_from(["a", " b ", "1", "4.00:1.00", "é\u2028"]),
    st.sampled_from(["", "<w:strike/>", "<w:vanish/>", "<w:u/>", "<w:vertAlign w:val='superscript'/>"]),
)
INLINE = st.recursive(
    RUNS
    | st.sampled_from(
        ["<w:r><w:tab/><w:br w:type='page'/></w:r>", "<w:r><w:lastRenderedPageBreak/></w:r>", "<w:r><w:br/></w:r>"]
    ),
    lambda inner: st.builds(
        lambda tag, parts: f"<w:{tag}>{''.join(parts)}</w:{tag}>",
        st.sampled_from(["ins", "del", "moveTo", "moveFrom", "hyperlink"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=8,
)
PARAGRAPHS = st.builds(
    lambda parts, props: p(*parts, properties=props),
    st.lists(INLINE, max_size=4),
    st.sampled_from(["", "<w:numPr><w:ilvl w:val='2'/><w:numId w:val='1'/></w:numPr>", "<w:pageBreakBefore/>"]),
)
BLOCKS = st.recursive(
    PARAGRAPHS,
    lambda inner: st.builds(
        lambda cells: f"<w:tbl>{tr(*(tc(c) for c in cells))}{tr(tc(*cells))}</w:tbl>", st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(BLOCKS, max_size=4))
def test_every_offset_lies_in_the_text(blocks: list[str]) -> None:
    """Pages, runs and cells are sorted, disjoint and inside the text; reading again gives the same bytes."""
    data = word("".join(blocks), numbering=LISTS)
    first, second = DocxReader().read("a.docx", data), DocxReader().read("a.docx", data)
    assert first.model_dump_json() == second.model_dump_json()
    if isinstance(first, Refusal):
        assert first.code == "empty"
        return
    for stretches in (first.pages, first.struck, first.inserted, first.hidden, first.furniture):
        end = 0
        for stretch in stretches:
            assert end <= stretch.start <= stretch.end <= len(first.text)
            end = stretch.end
    assert all(run.start < run.end for run in (*first.struck, *first.inserted, *first.hidden))
    assert "\f" not in "".join(words(first, "struck"))
    for table in DocxReader().tables(first, data, ()):
        for cell in (cell for row in table.rows for cell in row):
            if cell.span is not None:
                assert first.text[cell.span.start : cell.span.end] == cell.span.text
                assert " ".join(cell.span.text.split()) == cell.text


@given(st.integers(0, 3000), st.binary(min_size=1, max_size=4))
def test_no_bytes_raise(at: int, noise: bytes) -> None:
    """A document with some bytes changed is read or refused, and nothing else happens."""
    data = bytearray(word(TRACKED + item("x", 0), numbering=LISTS, styles=""))
    data[at % len(data) : at % len(data) + len(noise)] = noise
    assert isinstance(DocxReader().read("a.docx", bytes(data)), Document | Refusal)


def test_a_document_has_no_geometry() -> None:
    """Spans come back as they are, and there is no picture of a page."""
    document = read(word(p(r("The Loan"))))
    spans = (document.span(4, 8),)
    assert DocxReader().boxes(document, b"", spans) == spans
    assert DocxReader().image(document, b"", 1, 72) is None
