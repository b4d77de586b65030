"""Reader of plain text and Markdown: decoded once, kept character for character, page marks found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import islice

from conformed.model.document import Cell, Document, Media, Note, Page, Refusal, Table
from conformed.model.span import Span
from conformed_plugins.readers.canon import merge
from conformed_plugins.readers.decoding import decode, is_textual
from conformed_plugins.readers.encoded import encoded_blocks
from conformed_plugins.readers.furniture import edge_furniture, lone_numbers
from conformed_plugins.readers.html import HtmlReader
from conformed_plugins.readers.html_head import looks_like_html

__all__ = ["VERSION", "TextReader"]

VERSION = "1.0.0"
"""Version of the reader; a change of what it writes is a new version."""

_LARGEST = 16 * 1024 * 1024
_MOST_MARKS = 20_000
_NAMES = (".txt", ".text", ".asc", ".md", ".markdown")
_FOREIGN = (
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"{\\rtf",
    b"\x1f\x8b",
    b"%!PS",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
)
# The head of a whole filing may be longer than the bytes by which a reader is chosen.
_LONGEST_HEAD = 65536
_PAGE_OF_HTML = re.compile(r"^<TEXT>\s*(?:<!DOCTYPE\s+html|<html[\s>])", re.MULTILINE | re.IGNORECASE)
_PAGE_MARK = re.compile(r"^[ \t]*<PAGE>[ \t]*\d{0,4}[ \t]*(?=\r?$)|\f", re.MULTILINE | re.IGNORECASE)
_TAG_LINE = re.compile(
    r"^[ \t]*(?:</?(?:TABLE|CAPTION|S|C|FN|F\d{1,2}|DOCUMENT|TEXT|PAGE|SEC-DOCUMENT|SEC-HEADER)>[ \t]*)+(?=\r?$)"
    r"|^[ \t]*<(?:TYPE|SEQUENCE|FILENAME|DESCRIPTION)>[^\r\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_TABLE_TAG = re.compile(r"^[ \t]*<(/?)TABLE>", re.MULTILINE | re.IGNORECASE)
_LINE = re.compile(r"[^\r\n\f]+")
_WORDS = re.compile(r"\S+(?:[ ]\S+)*")
_PIPE_CELL = re.compile(r"[^|\s](?:[^|\r\n]*[^|\s])?")


class TextReader:
    """Reads plain text and Markdown."""

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are text and nothing that another reader knows better; a text's name admits doubtful bytes."""
        if not head or head.startswith(_FOREIGN) or b"%PDF-" in head[:1024] or looks_like_html(name, head):
            return head.startswith((b"{\\rtf", b"%!PS")) and name.lower().endswith(_NAMES)
        return is_textual(head) or name.lower().endswith(_NAMES)

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads a text, or refuses it by name."""
        digest = hashlib.sha256(data).hexdigest()
        refusal = _refuse(name, data)
        decoded = None if refusal else decode(data)
        if refusal or decoded is None:
            code, sentence = refusal or (
                "broken",
                "begins with a byte order mark and is not in that coding. Save it again as UTF-8.",
            )
            return Refusal(name=name, code=code, sentence=f"{name} {sentence}", sha256=digest)
        text = decoded.text
        if _PAGE_OF_HTML.search(text, 0, _LONGEST_HEAD):
            return HtmlReader().read(name, data)
        hidden, notes = encoded_blocks(text)
        if hidden and sum(end - start for start, end in hidden) * 2 > len(text.strip()):
            inner = notes[0].sentence.split("'")[1]
            return Refusal(
                name=name,
                code="encoded_file",
                sentence=f"{name} holds the encoded file '{inner}' and hardly any words. Decode it and put that into the pack.",
                sha256=digest,
            )
        marks = [(m.start(), m.end()) for m in islice(_PAGE_MARK.finditer(text), _MOST_MARKS + 1)]
        tags = [(m.start(), m.end()) for m in islice(_TAG_LINE.finditer(text), _MOST_MARKS + 1)]
        if len(marks) + len(tags) > _MOST_MARKS:
            sentence = f"{name} has more than {_MOST_MARKS} marks of pages and tables. Put the agreement alone into the pack."
            return Refusal(name=name, code="hostile", sentence=sentence, sha256=digest)
        pages = _pages(text, marks)
        stretches = [(page.start, page.end) for page in pages]
        furniture = [*marks, *tags]
        furniture += edge_furniture(text, stretches) if marks else lone_numbers(text)
        if decoded.encoding != "utf-8":
            notes.append(Note(code="encoding", sentence=f"The text is not UTF-8; it was decoded as {decoded.encoding}."))
        if "\x00" in text or "\ufffd" in text:
            notes.append(
                Note(code="damaged_characters", sentence="The text holds characters that stand for nothing (NUL or U+FFFD).")
            )
        return Document(
            name=name,
            sha256=digest,
            media=Media.MARKDOWN if name.lower().endswith((".md", ".markdown")) else Media.TEXT,
            reader=f"text {VERSION}",
            text=text,
            pages=pages,
            paged=bool(marks),
            hidden=merge(hidden),
            furniture=merge(furniture),
            notes=tuple(notes),
        )

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans as they are: a text has no geometry."""
        return tuple(spans)

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """Tables between <TABLE> tags, and the pipe tables of Markdown, cut where columns are cut by the writer."""
        if document.media is Media.HTML:
            return HtmlReader().tables(document, data, pages)
        wanted = frozenset(pages)
        found = []
        for rows in _blocks(document):
            page = document.page_of(rows[0][0][0])
            if document.paged and wanted and page not in wanted:
                continue
            width = max(len(row) for row in rows)
            cells = [[Cell(text=" ".join(document.text[s:e].split()), span=document.span(s, e)) for s, e in row] for row in rows]
            found.append(Table(page=page, rows=tuple(tuple(row + [Cell(text="")] * (width - len(row))) for row in cells)))
        return tuple(found)

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """None: a text has no page images."""
        return None


def _refuse(name: str, data: bytes) -> tuple[str, str] | None:
    if not data.strip(b" \t\r\n\f\x00\xef\xbb\xbf\xff\xfe"):
        return "empty", "holds no words. Put the full document into the pack."
    if len(data) > _LARGEST:
        return "too_large", f"has {len(data)} bytes; a text may have {_LARGEST}. Split it, or leave out what is no agreement."
    if data.startswith((b"{\\rtf", b"%!PS")):
        return "unknown_format", "is RTF or PostScript and not plain text. Save it as DOCX or PDF."
    sample = data[:65536]
    if not is_textual(sample) and (b"\x00" in sample or not is_textual(data)) and data.count(b"\x00") * 1000 > len(data):
        return "binary", "is binary data and not text. Put the document itself (PDF, DOCX, HTML or text) into the pack."
    if not is_textual(data.replace(b"\x00", b"")):
        return "binary", "is full of control characters and cannot be read as text. Save it again as UTF-8."
    return None


def _pages(text: str, marks: list[tuple[int, int]]) -> tuple[Page, ...]:
    """Pages between the marks. A mark before the first words opens page 1; one after the last words opens none."""
    stretches: list[tuple[int, int]] = []
    start = 0
    for first, after in marks:
        if stretches or text[start:first].strip():
            stretches.append((start, first))
        start = after
    if text[start:].strip() or not stretches:
        stretches.append((start, len(text)))
    return tuple(Page(number=n, start=s, end=e) for n, (s, e) in enumerate(stretches, 1))


def _table_stretches(text: str) -> list[tuple[int, int]]:
    """Stretches from a <TABLE> tag to the </TABLE> that follows it before the next <TABLE>."""
    stretches, start = [], -1
    for tag in _TABLE_TAG.finditer(text):
        if not tag.group(1):
            start = tag.start()
        elif start >= 0:
            stretches.append((start, tag.end()))
            start = -1
    return stretches


def _blocks(document: Document) -> list[list[list[tuple[int, int]]]]:
    """Rows of cells, each cell a stretch."""
    text = document.text
    blocks = []
    for start, end in _table_stretches(text):
        rows = []
        for line in _LINE.finditer(text, start, end):
            row = (
                []
                if _TAG_LINE.match(line.group())
                else [(c.start(), c.end()) for c in _WORDS.finditer(text, line.start(), line.end())]
            )
            if row:
                rows.append(row)
        if rows:
            blocks.append(rows)
    if document.media is Media.MARKDOWN:
        for found in re.finditer(r"(?:^[ \t]*\|[^\r\n]*\|[ \t]*\r?(?:\n|\Z)){2,}", text, re.MULTILINE):
            rows = []
            for line in re.compile(r"[^\r\n]+").finditer(text, found.start(), found.end()):
                if re.fullmatch(r"[\s|:-]+", line.group()):
                    continue
                rows.append(
                    [
                        (c.start(), c.end())
                        for c in re.compile(r"[^|\s](?:[^|\r\n]*[^|\s])?").finditer(text, line.start(), line.end())
                    ]
                )
            rows = [row for row in rows if row]
            if rows:
                blocks.append(rows)
    return sorted(blocks)
