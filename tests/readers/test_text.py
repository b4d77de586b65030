"""Plain text and Markdown: what the reader keeps, what it marks and what it refuses."""

from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.document import Document, Media, Refusal
from conformed_plugins.readers.text import VERSION, TextReader

PROSE = "The Borrower shall keep its accounts in good order and shall answer every fair question of the Agent"


def read(data: bytes | str, name: str = "loan.txt") -> Document:
    """A text that must be read."""
    document = TextReader().read(name, data if isinstance(data, bytes) else data.encode())
    assert isinstance(document, Document), document
    return document


def refused(data: bytes, name: str = "loan.txt") -> Refusal:
    """A text that must be refused."""
    refusal = TextReader().read(name, data)
    assert isinstance(refusal, Refusal), refusal.text[:100]
    return refusal


def words(document: Document, kind: str) -> list[str]:
    """The words of one kind of run."""
    return [document.text[run.start : run.end] for run in getattr(document, kind)]


def test_characters_are_kept_as_decoded() -> None:
    """Rows 1, 2 and 22: hyphens at line ends, soft hyphens, no-break spaces and odd signs stand in the text as in the file."""
    text = "consoli-\r\ndated “Leverage”\u00a0means 3.50\u2236 1.00\r\namor\u00adtisation – \u2212 5\ttab\n"
    document = read(text)
    assert document.text == text
    assert document.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert document.reader == f"text {VERSION}"
    assert document.notes == ()
    assert not document.paged


@pytest.mark.parametrize(
    ("data", "text", "codec"),
    [
        ("Level – 4".encode("cp1252"), "Level – 4", "cp1252"),
        ("Level – 4".encode("utf-16"), "Level – 4", "utf-16"),
        (b"\xfe\xff" + "Level – 4".encode("utf-16-be"), "Level – 4", "utf-16"),
        (b"caf\x8f level", "caf\x8f level", "latin-1"),
    ],
)
def test_the_coding_used_is_named(data: bytes, text: str, codec: str) -> None:
    """A file that is not UTF-8 is decoded once by a fixed order of codecs, and the note says which."""
    document = read(data)
    assert document.text == text
    assert [note.code for note in document.notes] == ["encoding"]
    assert codec in document.notes[0].sentence


def test_a_broken_mark_of_coding_is_refused() -> None:
    """A byte order mark of UTF-16 with half a character behind it is refused and not repaired."""
    assert refused(b"\xff\xfea\x00b").code == "broken"


def test_markdown_by_name() -> None:
    """The name decides between text and Markdown, whose content is alike."""
    assert read("# Loan\n", "a.MD").media is Media.MARKDOWN
    assert read("# Loan\n", "a.txt").media is Media.TEXT


def test_page_marks_cut_pages_and_are_not_live() -> None:
    """A <PAGE> line and a form feed end a page, belong to none, and stand apart from the sentence that they interrupt."""
    document = read("one two\n<PAGE>   2\nthree\f four\n")
    assert document.paged
    assert [document.text[p.start : p.end].strip() for p in document.pages] == ["one two", "three", "four"]
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert words(document, "furniture") == ["<PAGE>   2", "\f"]
    at = document.text.index("three")
    assert document.span(at, at + 5).page == 2


def test_marks_at_the_rim_make_no_empty_page() -> None:
    """A mark before the first words opens page 1, and one after the last words opens none."""
    document = read("<PAGE>\n\nalpha\n<PAGE>\nomega\n<PAGE>\n \n")
    assert [document.text[p.start : p.end].strip() for p in document.pages] == ["alpha", "omega"]


def paged(*, last: str, first: str = "") -> Document:
    """Six pages that begin and end with a line."""
    pages = [f"{first}\n{PROSE} on\n\n{last.format(n=n)}\n" for n in range(1, 7)]
    return read("<PAGE>\n".join(pages))


@pytest.mark.parametrize("form", ["{n}", "-{n}-", "- {n} -", "Page {n}", "page {n} of 6", "C-{n}", "   {n}   "])
def test_page_numbers_are_furniture(form: str) -> None:
    """Row 29: a number beside a page mark that counts on with the pages is no part of the sentence across the pages."""
    found = [run for run in words(paged(last=form), "furniture") if run != "<PAGE>"]
    assert found == [form.format(n=n).strip() for n in range(1, 7)]


def test_running_heads_are_furniture_by_vote() -> None:
    """Row 29: a line that opens most pages word for word is furniture; a number with a constant beside it too."""
    document = paged(last="E-{n}          Exhibit to the Loan", first="Harbour Works Loan Deed")
    found = words(document, "furniture")
    assert found.count("Harbour Works Loan Deed") == 6
    assert sum(run.startswith("E-") for run in found) == 6


@pytest.mark.parametrize(
    "line",
    [
        "31",
        "Third Quarter          4.25",
        "Section 7.{n}",
        "({n})",
        "$50,000",
        "ARTICLE VII",
        "Signature Page to the Loan",
        "Title: Director",
        "4.{n}0 to 1.00",
    ],
)
def test_words_at_the_rim_of_a_page_are_kept(line: str) -> None:
    """Row 29: a lone figure, a table row, a heading, an enumerator or a signature line beside a page mark stays live."""
    assert set(words(paged(last=line), "furniture")) == {"<PAGE>"}


def test_a_line_on_some_pages_is_kept() -> None:
    """Row 29: a line that fewer than half of the pages bear is no running head, however often it stands there."""
    pages = [f"{'Loan of the Mill' if n < 3 else f'Part {n} of it'}\n{PROSE} and {n}\n" for n in range(8)]
    assert set(words(read("<PAGE>\n".join(pages)), "furniture")) == {"<PAGE>"}


def lost(form: str, *, blank: str = "\n\n", caption: str = "", full_stop: str = "") -> str:
    """Twelve pages without marks between them."""
    long = ", ".join([PROSE] * 8)
    return "".join(f"{long}{full_stop}\n{blank}{form.format(n=n)}\n{blank}{caption}and {long}\n" for n in range(1, 13))


@pytest.mark.parametrize("form", ["{n}", "-{n}-", "-{n}-\n\n\n" + "-" * 60])
def test_lost_page_marks_are_found_by_a_chain(form: str) -> None:
    """Numbers alone on a line that count on, twice and more inside a sentence, are page numbers of a text without marks."""
    document = read(lost(form))
    assert words(document, "furniture") == [form.format(n=n) for n in range(1, 13)]
    assert not document.paged


def test_clause_numbers_on_a_line_of_their_own_are_kept() -> None:
    """A chain of numbers that are followed by captions is the numbering of clauses, even with much white space around it."""
    text = lost("{n}", blank="\n\n\n\n", full_stop=".").replace("and The", "GENERAL UNDERTAKINGS\n\nThe")
    assert words(read(text), "furniture") == []


def test_a_column_of_numbers_is_kept() -> None:
    """Numbers close together, as in a table that was cut into lines, are no page numbers."""
    assert words(read("".join(f"up to and with\n\n{n}\n\nper cent of it\n" for n in range(1, 30))), "furniture") == []
    assert words(read("\n\n\n".join(str(n) for n in range(1, 40))), "furniture") == []


def test_tags_of_the_filing_are_furniture_and_tables_are_read() -> None:
    """Lines that hold only tags of a filing are not live, and the rows between them are a table with exact cells."""
    document = read(
        "x\n<TABLE>\n<CAPTION>\nPeriod          Level\n<S>             <C>\n"
        "First quarter   4.25:1.00\nSecond quarter  $ 1,250\n</TABLE>\ny\n"
    )
    assert words(document, "furniture") == ["<TABLE>", "<CAPTION>", "<S>             <C>", "</TABLE>"]
    (table,) = TextReader().tables(document, document.text.encode(), ())
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Period", "Level"],
        ["First quarter", "4.25:1.00"],
        ["Second quarter", "$ 1,250"],
    ]
    span = table.rows[1][1].span
    assert span is not None
    assert document.text[span.start : span.end] == span.text == "4.25:1.00"


def test_tables_of_markdown() -> None:
    """Rows between bars are a table; the line under the head is none of its rows."""
    document = read("| Period | Level |\n| --- | ---: |\n| Q1 | 4.25x |\n\nend\n", "a.md")
    (table,) = TextReader().tables(document, b"", ())
    assert [[cell.text for cell in row] for row in table.rows] == [["Period", "Level"], ["Q1", "4.25x"]]


def test_tables_of_some_pages() -> None:
    """Only the tables of the pages asked for are given."""
    document = read("a\n<TABLE>\nr1  1\n</TABLE>\n\fb\n<TABLE>\nr2  2\n</TABLE>\n")
    tables = TextReader().tables(document, b"", (2,))
    assert [(table.page, table.rows[0][0].text) for table in tables] == [(2, "r2")]


UUENCODED = "begin 644 deed.pdf\n" + 'M)5!$1BTQ+C,@)>+CS],-"C$@,"!O8FH-"CP\\#0HO5\'EP92`O0V%T86QO9PT*\n' * 40 + "`\nend\n"


def test_an_encoded_file_in_a_text_is_refused_by_its_name() -> None:
    """A text that is nothing but an encoded file is refused, with the name of the file inside it."""
    refusal = refused(f"<TEXT>\n{UUENCODED}</TEXT>\n".encode())
    assert refusal.code == "encoded_file"
    assert refusal.sentence.startswith("loan.txt ")
    assert "deed.pdf" in refusal.sentence


def test_an_encoded_block_beside_words_is_hidden() -> None:
    """An encoded block beside an agreement is not live, is named in a note, and the words around it stay live."""
    document = read(f"{PROSE}.\n" * 60 + UUENCODED + "The end.\n")
    assert words(document, "hidden") == [UUENCODED.rstrip("\n")]
    assert [note.code for note in document.notes] == ["encoded_block"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b" \r\n\t ", "empty"),
        (bytes(range(256)) * 20, "binary"),
        (b"PK" + b"\x00\x01\x02" * 1000, "binary"),
        (b"{\\rtf1 words}", "unknown_format"),
        (b"word\n" * 4_000_000, "too_large"),
        (b"word\x0c" * 30_000, "hostile"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, code: str) -> None:
    """Row 19 for texts: empty, binary, foreign, huge and senseless files are refused by name, each with its reason and hash."""
    refusal = refused(data)
    assert (refusal.name, refusal.code) == ("loan.txt", code)
    assert refusal.sha256 == hashlib.sha256(data).hexdigest()
    assert refusal.sentence.startswith("loan.txt ")


def test_a_stray_nul_is_named_and_kept() -> None:
    """A NUL in a long text does not shift an offset: it is kept, and a note says so."""
    document = read((PROSE * 50 + "\x00 level").encode())
    assert document.text.endswith("\x00 level")
    assert [note.code for note in document.notes] == ["damaged_characters"]


@pytest.mark.parametrize(
    ("name", "head", "accepted"),
    [
        ("a", b"The Loan", True),
        ("a.pdf", b"The Loan", True),
        ("a.txt", b"%PDF-1.7\n", False),
        ("a.txt", b"<html><body>", False),
        ("a.txt", b"<PAGE>\n<TABLE>\n<S> <C>\nLevel 4.00\n</TABLE>", True),
        ("a.txt", b"PK\x03\x04abc", False),
        ("a.bin", b"\x89PNG\r\n", False),
        ("a.bin", b"\x00\x01\x02", False),
        ("a.txt", b"\x00\x01\x02", True),
        ("a", "é".encode() * 3000 + b"\xc3", True),
        ("a", b"\xff\xfeL\x00", True),
        ("a.txt", b"", False),
        ("a.rtf", b"{\\rtf1", False),
    ],
)
def test_content_decides_before_the_name(name: str, head: bytes, *, accepted: bool) -> None:
    """Bytes of text are accepted under any name, and bytes of another format under none; doubtful bytes by a text's name."""
    assert TextReader().accepts(name, head) is accepted


def test_a_page_behind_a_long_head_of_a_filing_is_read_as_one() -> None:
    """Where the head of a filing is longer than what decides, the page of HTML behind it is read as HTML all the same."""
    head = "<SEC-DOCUMENT>x.txt\n" + "FILER: A COMPANY\n" * 400 + "<DOCUMENT>\n<TYPE>EX-10\n<TEXT>\n"
    data = f"{head}<HTML><BODY><P>is <S>4.00</S> 3.50</P><TABLE><TR><TD>a</TD></TR></TABLE></BODY></HTML>\n</TEXT>\n".encode()
    assert TextReader().accepts("x.txt", data[:4096])
    document = read(data, "x.txt")
    assert document.media is Media.HTML
    assert document.text.startswith("is 4.00 3.50")
    assert words(document, "struck") == ["4.00"]
    assert TextReader().tables(document, data, ())[0].rows[0][0].text == "a"


LINES = st.lists(
    st.sampled_from(
        [
            "<PAGE>",
            "\f",
            "12",
            "-3-",
            "Head of it",
            "Section 1",
            "<TABLE>",
            "</TABLE>",
            "4.00:1.00",
            "a b  c",
            "",
            "é\u2028x",
            "begin 644 x",
            "end",
        ]
    ),
    max_size=40,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
def test_every_offset_lies_in_the_text(lines: list[str], newline: str) -> None:
    """Pages and runs are sorted, disjoint, inside the text, and no run is empty; reading again gives the same bytes."""
    data = newline.join([*lines, "word"]).encode()
    first, second = TextReader().read("a.txt", data), TextReader().read("a.txt", data)
    assert first.model_dump_json() == second.model_dump_json()
    if isinstance(first, Refusal):
        return
    assert first.text == data.decode()
    for stretches in (first.pages, first.furniture, first.hidden):
        ends = [0]
        for stretch in stretches:
            assert ends[-1] <= stretch.start <= stretch.end <= len(first.text)
            ends.append(stretch.end)
    assert all(run.start < run.end for run in (*first.furniture, *first.hidden))
    assert first.pages


@given(st.binary(max_size=400))
def test_no_bytes_raise(data: bytes) -> None:
    """Any bytes at all end as a document or as a refusal."""
    result = TextReader().read("a.txt", data)
    assert isinstance(result, Document | Refusal)
    if isinstance(result, Document):
        TextReader().tables(result, data, ())


def test_senseless_texts_end_soon() -> None:
    """Texts that would blow up a careless search (line ends, spaces, unclosed tables) are read in seconds."""
    for data in (
        b"x" + b"\n" * 2_000_000,
        b" " * 2_000_000 + b"x",
        b"<TABLE>\n" * 19_000,
        b"x\n" + b"1\n\n" * 300_000,
        b"|" * 1_000_000 + b"x",
    ):
        begun = time.process_time()
        document = read(data, "a.md")
        TextReader().tables(document, data, ())
        assert time.process_time() - begun < 5


def test_a_text_has_no_geometry() -> None:
    """Spans come back as they are, and there is no picture of a page."""
    document = read("The Loan")
    spans = (document.span(4, 8),)
    assert TextReader().boxes(document, b"The Loan", spans) == spans
    assert TextReader().image(document, b"The Loan", 1, 72) is None
