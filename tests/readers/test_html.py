"""HTML: what the walk writes, what it keeps apart, and what it refuses."""

from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.model.document import Document, Media, Refusal
from conformed_plugins.readers.html import VERSION, HtmlReader


def read(body: str | bytes, name: str = "deed.html") -> Document:
    """A page that must be read."""
    document = HtmlReader().read(name, body if isinstance(body, bytes) else body.encode())
    assert isinstance(document, Document), document
    return document


def refused(body: bytes) -> Refusal:
    """A page that must be refused."""
    refusal = HtmlReader().read("deed.html", body)
    assert isinstance(refusal, Refusal), refusal.text[:100]
    assert refusal.sentence.startswith("deed.html ")
    assert refusal.sha256 == hashlib.sha256(body).hexdigest()
    return refusal


def words(document: Document, kind: str) -> list[str]:
    """The words of one kind of run."""
    return [document.text[run.start : run.end] for run in getattr(document, kind)]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div><div><p>One</p></div></div>\n<div>Two</div>", "One\n\nTwo"),
        ("<p>One<br>Two<br/>\n Three</p>", "One\nTwo\nThree"),
        ("<p>  a \n <b> b</b> c<i>d</i> </p>", "a b cd "),
        ("<h1>SECTION 7</h1>text<ul><li>a</li><li>b</li></ul>", "SECTION 7\n\ntext\n\na\n\nb"),
        ("<p>&ldquo;A&rdquo;&nbsp;&#8211; &sect; 7 &amp; &lt;b&gt; 3&frac12;</p>", "“A”\u00a0– § 7 & <b> 3½"),
        ("<p>amor&shy;tisation 3.50\u22361.00 \u2212 5</p>", "amor\u00adtisation 3.50\u22361.00 \u2212 5"),
        ("<pre>a\n  b\tc</pre>", "a\n  b\tc"),
        ("<p>a<!-- not shown -->b</p>", "ab"),
        ("<title>T</title><style>p{}</style><script>var level = 4;</script><p>x<script>9</script>y</p>", "xy"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", "a\tb\nc\td"),
        ("<table><tr><td><p>a</p></td>\n<td><div>b</div><div>c</div></td></tr></table>z", "a\tb\n\nc\n\nz"),
        ("<table><tr><td>a</td><td></td><td> </td><td>b</td></tr></table>", "a\tb"),
        ('<div>(a)<font style="padding-left:23pt">The Loan</font></div>', "(a)\tThe Loan"),
        ('<p>Level <input value="4.00"> end</p>', "Level 4.00 end"),
        ("<p>plain < sign, 3 <4", "plain < sign, 3 <4"),
    ],
)
def test_what_is_written(body: str, text: str) -> None:
    """Blocks break lines, cells are parted by a tab and rows by a line end, characters stay, and code is no text."""
    document = read(f"<html><body>{body}</body></html>")
    assert document.text == text
    assert document.media is Media.HTML
    assert document.reader == f"html {VERSION}"


@pytest.mark.parametrize(
    "mark",
    [
        '<p style="page-break-before:always">',
        '<hr style="page-break-after: always">',
        "<hr>",
        '<hr width="100%" size="3">',
        '<div style="break-before:page"></div>',
        '<p style="PAGE-BREAK-AFTER: ALWAYS"></p><hr>',
        "<page>",
    ],
)
def test_page_marks(mark: str) -> None:
    """Page breaks of styles and rules across the page make one page mark, however many stand together."""
    document = read(f"<p>one</p>{mark}<p>two</p>")
    assert document.text == "one\n\f\ntwo"
    assert document.paged
    assert [document.text[p.start : p.end] for p in document.pages] == ["one\n", "\ntwo"]
    assert document.span(document.text.index("two"), len(document.text)).page == 2


def test_a_short_rule_is_no_page_mark() -> None:
    """A rule over part of the page is a line for a signature."""
    assert read('<p>one</p><hr width="30%"><p>two</p>').text == "one\n\ntwo"


@pytest.mark.parametrize(
    "form",
    [
        "<s>{}</s>",
        "<strike>{}</strike>",
        "<del>{}</del>",
        '<font style="color:#f00;TEXT-DECORATION: Line-Through">{}</font>',
        '<span style="text-decoration:underline line-through">{}</span>',
        '<span style="text-decoration-line:line-through !important">{}</span>',
        '<span class="x gone">{}</span>',
        '<a style="display:inline;text-decoration:line-through"><b>{}</b></a>',
        '<s><span style="text-decoration:none">{}</span></s>',
    ],
)
def test_struck_words_are_kept_apart(form: str) -> None:
    """Row 37: deleted words are in the text, listed as struck, word for word, and the live level beside them is not."""
    style = "<style>/* c */ .gone { text-decoration : line-through }</style>"
    document = read(f"{style}<p>is {form.format('4.00:1.00')}<i>3.50:1.00</i></p>")
    assert document.text == "is 4.00:1.003.50:1.00"
    assert words(document, "struck") == ["4.00:1.00"]
    assert "redline" in [note.code for note in document.notes]


def test_marks_of_a_filing_are_no_deletions() -> None:
    """In a table with the columns of a filing <S> opens a column: its levels are live, and its rows stay rows."""
    table = "<TABLE>\n<CAPTION>\nPeriod          Level\n"
    table += "<S>             <C>\nFirst quarter   4.25:1.00\nSecond quarter  4.00:1.00\n</TABLE>"
    document = read(f"<p>a <s>old</s></p>\n<PRE>\n{table}\n</PRE>\n<p>after</p>")
    assert words(document, "struck") == ["old"]
    assert "First quarter   4.25:1.00\nSecond quarter  4.00:1.00\n" in document.text


def test_struck_spaces_make_no_redline() -> None:
    """A space in a struck style is neither a deletion nor a sign that underlined words are insertions."""
    document = read("<p><u>Heading</u><s> &nbsp;</s>text</p>")
    assert (document.struck, document.inserted, document.notes) == ((), (), ())


def test_pictures_coded_as_text_are_left_out() -> None:
    """A coded picture between pages is no text, and a note names it; words after a block without an end stay."""
    block = "begin 644 seal.jpg\n" + "M)5!$1BTQ+C,@)>+CS],-C$@,!O8FH-CP0HO5'EP92`O0V%T86QO9PT\n" * 3
    document = read(f"<p>one</p>\n{block}`\nend\n<p>two</p>\n{block}three is live")
    assert document.text.split() == ["one", "two", "three", "is", "live"]
    assert [note.code for note in document.notes] == ["encoded_block", "encoded_block"]


def test_struck_words_over_blocks() -> None:
    """Separators between struck paragraphs and cells belong to no run, so a run is never more than the struck words."""
    document = read("<p>a</p><del><p>one two</p><table><tr><td>x</td><td>y</td></tr></table></del><p>b</p>")
    assert words(document, "struck") == ["one two", "x", "y"]


@pytest.mark.parametrize(
    ("body", "inserted"),
    [
        ("<p>a <ins>new</ins></p>", ["new"]),
        ("<p><u>Heading</u> text</p>", []),
        ("<p><u>kept</u> <s>old</s><u>new</u></p>", ["kept", "new"]),
        ('<p><u>Heading</u> <s style="color:red">old</s><u style="color:#0000FF">new</u></p>', ["new"]),
        ('<p><u>Heading</u> <s>old</s><u style="text-decoration-style:double">new</u></p>', ["new"]),
    ],
)
def test_inserted_words_of_a_redline(body: str, inserted: list[str]) -> None:
    """Row 37: underlining marks insertions only in a redline, and there the kind of line or colour that the redline uses."""
    assert words(read(body), "inserted") == inserted


@pytest.mark.parametrize(
    "form",
    [
        '<div style="display:none">{}</div>',
        '<span style="visibility:hidden">{}</span>',
        "<p hidden>{}</p>",
        '<div style="visibility:hidden"><b style="color:red">{}</b></div>',
        '<span style="display:none !important">{}</span>',
        '<span style="font-size:0px">{}</span>',
        '<span style="opacity:0">{}</span>',
        '<span style="color:#FFFFFF">{}</span>',
        '<font color="white">{}</font>',
        '<div style="position:absolute;left:-9999px">{}</div>',
        '<div style="display:none"><p style="display:block;visibility:visible">{}</p></div>',
        '<span class="off">{}</span>',
    ],
)
def test_words_that_nobody_sees_are_hidden(form: str) -> None:
    """Row 23: words that a browser does not show stay in the text, are listed as hidden, and a note says so."""
    document = read(f"<style>.off{{display:none}}</style><p>seen {form.format('the level is $1')} too</p>")
    assert words(document, "hidden") == ["the level is $1"]
    assert "seen" in document.text
    assert "hidden_text" in [note.code for note in document.notes]


@pytest.mark.parametrize(
    "body",
    [
        '<table><tr><td bgcolor="#003366"><font color="white">Period</font></td></tr></table>',
        '<p style="background:#000080 none"><span style="color:#fff">Period</span></p>',
        '<div style="visibility:hidden"><span style="visibility:visible">Period</span></div>',
        '<p style="font-size:10pt;opacity:0.9">Period</p>',
    ],
)
def test_words_that_are_seen_are_not_hidden(body: str) -> None:
    """Row 23: white words on a dark ground, and visible words inside hidden ones, are seen."""
    assert read(body).hidden == ()


@pytest.mark.parametrize(
    ("body", "text", "marks"),
    [
        ("3.50:1.00<sup>1</sup> or less", "3.50:1.00 1 or less", ["1"]),
        ('3.50:1.00<font style="position:relative;top:-4pt;font-size:7pt">(2)</font>', "3.50:1.00(2)", ["(2)"]),
        ("3<sup>1</sup>/<sub>2</sub> to 1", "3 1/2 to 1", []),
        ("the 1<sup>st</sup> day", "the 1st day", []),
        ("EBITDA<sup>*</sup> is", "EBITDA* is", ["*"]),
    ],
)
def test_raised_marks_are_no_digits(body: str, text: str, marks: list[str]) -> None:
    """Row 4: a raised note mark after a figure never runs into it, and a raised numerator stays part of its fraction."""
    document = read(f"<p>{body}</p>")
    assert document.text == text
    assert words(document, "furniture") == marks


def test_page_numbers_and_heads_are_furniture() -> None:
    """Row 29: page numbers and running heads beside page breaks are not live, so that a sentence across pages is whole."""
    page = (
        "<p>Mill and Weir Loan</p><p>the Borrower shall at all times keep {0}</p><p>{0}</p><hr style='page-break-after:always'>"
    )
    document = read("".join(page.format(n) for n in range(1, 6)))
    assert words(document, "furniture") == [w for n in range(1, 6) for w in ("Mill and Weir Loan", str(n))]


def test_tables_have_exact_cells() -> None:
    """Cells slice back to the text, spans of columns are filled up, inner tables come before the outer one."""
    data = b"<table><tr><th colspan=2>Period</th><th>Level</th></tr>"
    data += b"<tr><td>Q1</td><td></td><td> 4.25 :\n <b>1.00</b> </td></tr></table>"
    document = read(data)
    (table,) = HtmlReader().tables(document, data, ())
    assert [[cell.text for cell in row] for row in table.rows] == [["Period", "", "Level"], ["Q1", "", "4.25 : 1.00"]]
    assert [cell.span is None for cell in table.rows[1]] == [False, True, False]
    nested = b"<table><tr><td>o<table><tr><td>i</td></tr></table></td></tr></table>"
    inner, outer = HtmlReader().tables(read(nested), nested, ())
    assert inner.rows[0][0].text == "i"
    assert outer.rows[0][0].text == "o i"


def test_tables_of_some_pages() -> None:
    """Only the tables of the pages asked for are given."""
    data = b"<table><tr><td>a</td></tr></table><hr><table><tr><td>b</td></tr></table>"
    tables = HtmlReader().tables(read(data), data, (2,))
    assert [(table.page, table.rows[0][0].text) for table in tables] == [(2, "b")]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<p>Level – 4</p>".encode("cp1252"), "Level – 4"),
        ('<meta charset="iso-8859-1"><p>Level – 4</p>'.encode("cp1252"), "Level – 4"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>融資 4</p>'.encode("shift_jis"), "融資 4"),
        ("<p>Level – 4</p>".encode("utf-16"), "Level – 4"),
        (
            '<?xml version="1.0" encoding="latin-1"?><html xmlns="http://www.w3.org/1999/xhtml"><p>Level – 4</p></html>'.encode(),
            "Level – 4",
        ),
        ('<meta charset="utf-7"><p>+ADw-b+AD4- é</p>'.encode("latin-1"), "+ADw-b+AD4- é"),
    ],
)
def test_codings(data: bytes, text: str) -> None:
    """UTF-8 first, then what the page declares where it is a known coding, else Windows-1252."""
    assert read(data).text == text


def test_the_wrapper_of_a_filing_is_left_off() -> None:
    """The head that a filing system puts before the page is no text of the document."""
    document = read(
        b"<DOCUMENT>\n<TYPE>EX-10.1\n<FILENAME>x.htm\n<TEXT>\n<HTML><BODY><P>Deed</P></BODY></HTML>\n</TEXT>\n</DOCUMENT>\n"
    )
    assert document.text.strip() == "Deed"


@pytest.mark.parametrize(
    ("name", "head", "accepted"),
    [
        ("a.pdf", b"<!DOCTYPE html><html>", True),
        ("a.txt", b"<DOCUMENT>\n<TYPE>EX-10\n<TEXT>\n<HTML>\n<HEAD>", True),
        ("a.htm", b"<p>Deed</p>", True),
        ("a.txt", b"<p>Deed</p>", False),
        ("a.txt", b"<PAGE>\n<TABLE>\n<S>  <C>\n</TABLE>" * 20, False),
        ("a.md", b"# Deed\n<div><p>x</p></div>" * 20, False),
        ("a.html", b"%PDF-1.7 <html>", False),
        ("a.html", b"PK\x03\x04\x00<html>", False),
        ("a.html", b"just words", False),
        ("a", "<html>".encode("utf-16"), True),
    ],
)
def test_content_decides_before_the_name(name: str, head: bytes, *, accepted: bool) -> None:
    """Row 19: a page under a PDF's name is known for what it is, and a text with tags of a filing is no page."""
    assert HtmlReader().accepts(name, head) is accepted


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<html><body> <img src='page1.jpg'> </body></html>", "empty"),
        (b"<html><!-- nothing --></html>", "empty"),
        (b"<html>" + b"<div>" * 100_000 + b"x", "hostile"),
        (b"<html>" + b"<b>" * 100_000 + b"x", "hostile"),
        (b'<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><p>&b;</p>', "hostile"),
        (b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/hostname">]><p>&x;</p>', "hostile"),
        (b"<html>" + b"<i>x</i>" * 400_000, "too_large"),
        (b"<html>" + b"a<hr>" * 30_000, "hostile"),
        (b"<html>a\x00b</html>", "broken"),
    ],
)
def test_what_is_refused(data: bytes, code: str) -> None:
    """Empty, bottomless, bombing and endless pages are refused by name, each with its reason, in seconds."""
    begun = time.process_time()
    assert refused(data).code == code
    assert time.process_time() - begun < 5


def test_large_pages_are_read_soon() -> None:
    """A page of 1.6 MB with a style on every word is read in a time that a person does not notice; style sheets may repeat."""
    run = '<font style="color:#ff0000;font-family:Times;font-size:11pt;text-decoration:line-through">the Loan</font> and '
    data = ("<style>" + ".a{color:red}" * 20_000 + "</style>" + f"<div style='margin:1pt'>{run * 4}</div>" * 3_500).encode()
    assert len(data) > 1_600_000
    begun = time.process_time()
    document = read(data)
    assert time.process_time() - begun < 3
    assert len(document.struck) == 14_000


PIECES = st.recursive(
    st.sampled_from(
        ["word", " 4.00:1.00 ", "&nbsp;", "<br>", "\n", "1", "<hr>", "<sup>2</sup>", "é", "</p>", "</td>", "<td>", "&#x202e;"]
    ),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(
            [
                "p",
                "div",
                "s",
                "u",
                "ins",
                "table",
                "tr",
                "td",
                "b",
                "pre",
                "script",
                "p style='display:none'",
                "i style='text-decoration:line-through'",
            ]
        ),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


@given(st.lists(PIECES, max_size=6))
def test_every_offset_lies_in_the_text(pieces: list[str]) -> None:
    """Pages, runs and cells are sorted, disjoint and inside the text; reading again gives the same bytes."""
    data = f"<html>{''.join(pieces)}<p>end</p></html>".encode()
    first, second = HtmlReader().read("a.html", data), HtmlReader().read("a.html", data)
    assert first.model_dump_json() == second.model_dump_json()
    if isinstance(first, Refusal):
        return
    for stretches in (first.pages, first.struck, first.inserted, first.hidden, first.furniture):
        end = 0
        for stretch in stretches:
            assert end <= stretch.start <= stretch.end <= len(first.text)
            end = stretch.end
    assert all(run.start < run.end for run in (*first.struck, *first.hidden, *first.inserted))
    assert "\f" not in "".join(words(first, "struck"))
    assert first.text.count("\f") == len(first.pages) - 1
    for table in HtmlReader().tables(first, data, ()):
        assert len({len(row) for row in table.rows}) == 1
        for cell in (cell for row in table.rows for cell in row):
            if cell.span is not None:
                assert first.text[cell.span.start : cell.span.end] == cell.span.text
                assert " ".join(cell.span.text.split()) == cell.text


@given(st.binary(max_size=300))
def test_no_bytes_raise(data: bytes) -> None:
    """Any bytes at all end as a document or as a refusal."""
    assert isinstance(HtmlReader().read("a.html", b"<html>" + data), Document | Refusal)


def test_a_page_has_no_geometry() -> None:
    """Spans come back as they are, and there is no picture of a page."""
    document = read("<p>The Loan</p>")
    spans = (document.span(4, 8),)
    assert HtmlReader().boxes(document, b"", spans) == spans
    assert HtmlReader().image(document, b"", 1, 72) is None
