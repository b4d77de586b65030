"""Reader of HTML: parsed by lxml without a network, written out by our own walk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from conformed.model.document import Document, Media, Note, Refusal, Table
from conformed.model.span import Span
from conformed_plugins.readers.canon import Grid, Mark, live_notes, merge, tables_of
from conformed_plugins.readers.decoding import decode
from conformed_plugins.readers.encoded import encoded_blocks
from conformed_plugins.readers.furniture import edge_furniture
from conformed_plugins.readers.html_head import looks_like_html
from conformed_plugins.readers.html_rules import Rules
from conformed_plugins.readers.html_walk import DeepError, Walk

__all__ = ["VERSION", "HtmlReader"]

VERSION = "1.0.0"
"""Version of the reader; a change of what it writes is a new version."""

_LARGEST = 24 * 1024 * 1024
_MOST_TAGS = 600_000
_MOST_PAGES = 20_000
_DEEP = "nests elements more deeply than any document does. Save it again from a browser."
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9_.:-]{2,40})""", re.IGNORECASE)
_NAMED_ELSEWHERE = re.compile(
    r"(?:display|visibility|color|opacity|font-size|text-decoration[\w-]*|position)\s*:[^;{}]*\bvar\(", re.IGNORECASE
)
_ENTITY = re.compile(r"<!ENTITY\b", re.IGNORECASE)
_XML_HEAD = re.compile(r"^\s*<\?xml[^>]*\?>")
_WRAPPER = re.compile(r"\A\s*(?:<SEC-DOCUMENT>.*?)?<DOCUMENT>.*?<TEXT>", re.IGNORECASE | re.DOTALL)


class HtmlReader:
    """Reads HTML and XHTML, also inside the wrapper of a filing."""

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are HTML."""
        return looks_like_html(name, head)

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads a page, or refuses it by name."""
        digest = hashlib.sha256(data).hexdigest()
        walked = _walk(data)
        if isinstance(walked, tuple):
            return Refusal(name=name, code=walked[0], sentence=f"{name} {walked[1]}", sha256=digest)
        canon, text = walked.canon, walked.canon.text()
        pages = canon.pages()
        notes = [*walked.notes]
        struck = canon.runs(Mark.STRUCK)
        inserted = [(run.start, run.end) for run in canon.runs(Mark.INSERTED)]
        if struck:
            inserted += _insertions(walked)
            words = sum(run.end - run.start for run in struck)
            notes.append(
                Note(
                    code="redline", sentence=f"{len(struck)} runs of struck words ({words} characters) are kept apart as deleted."
                )
            )
        hidden = canon.runs(Mark.HIDDEN)
        if hidden:
            notes.append(
                Note(code="hidden_text", sentence=f"{len(hidden)} runs of words are in the file and not shown to a person.")
            )
        marks = live_notes(text, canon.notes)
        if marks:
            notes.append(
                Note(code="note_marks", sentence=f"{len(marks)} raised note marks are kept apart from the words before them.")
            )
        laid_over = [(run.start, run.end) for run in canon.runs(Mark.FURNITURE)]
        if laid_over:
            notes.append(Note(code="watermark", sentence="Words are laid across the page; they are kept apart from its text."))
        furniture = [*marks, *laid_over, *edge_furniture(text, [(page.start, page.end) for page in pages])]
        return Document(
            name=name,
            sha256=digest,
            media=Media.HTML,
            reader=f"html {VERSION}",
            text=text,
            pages=pages,
            paged=len(pages) > 1,
            struck=struck,
            inserted=merge(inserted),
            hidden=hidden,
            furniture=merge(furniture),
            notes=tuple(notes),
        )

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans as they are: a page of HTML has no fixed geometry."""
        return tuple(spans)

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """Every table with its exact cells; an enclosing table comes after those inside it."""
        walked = _walk(data)
        grids: list[Grid] = [] if isinstance(walked, tuple) else walked.grids
        return tables_of(document, grids, frozenset(pages))

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """None: a page of HTML has no fixed image."""
        return None


class _Walked(Walk):
    """A walk with the notes of its parsing."""

    def __init__(self, rules: Any, notes: list[Note]) -> None:
        super().__init__(rules)
        self.notes = notes


def _walk(data: bytes) -> _Walked | tuple[str, str]:
    """Parses and walks, or gives the code and the sentence of a refusal (without the name)."""
    if len(data) > _LARGEST:
        return "too_large", f"has {len(data)} bytes; a page of HTML may have {_LARGEST}. Split it."
    if data.count(b"<") > _MOST_TAGS:
        return "too_large", f"has more than {_MOST_TAGS} tags. Split it, or save the agreement alone."
    declared = _CHARSET.search(data[:4096])
    decoded = decode(data, declared[1].decode("ascii") if declared else "")
    if decoded is None or "\x00" in decoded.text:
        return "broken", "has characters that its coding does not allow. Save it again as UTF-8."
    if _ENTITY.search(decoded.text):
        return "hostile", "declares entities of its own, which a page of HTML has no need of. Save it again from a browser."
    notes = []
    if decoded.encoding != "utf-8":
        notes.append(Note(code="encoding", sentence=f"The page is not UTF-8; it was decoded as {decoded.encoding}."))
    blocks, named = encoded_blocks(decoded.text)
    notes += named
    cuts = [0, *(at for block in blocks for at in block), len(decoded.text)]
    text = "".join(decoded.text[start:end] for start, end in zip(cuts[::2], cuts[1::2], strict=True))
    text = _WRAPPER.sub("", _XML_HEAD.sub("", text), count=1)
    if len(re.findall(r"<html[\s>]", text, re.IGNORECASE)) > 1:
        notes.append(
            Note(code="several_pages", sentence="The file holds more than one page of HTML; they are read as one document.")
        )
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    # At a limit of its own the parser stops and says nothing: what follows would be lost without a word.
    if any(problem.type_name == "ERR_RESOURCE_LIMIT" for problem in parser.error_log.filter_from_fatals()):
        return "hostile", _DEEP
    if root is None:
        return "empty", "holds no words. Save the whole page from a browser and put it into the pack."
    sheet = "\n".join(style.text or "" for style in root.iter("style"))
    rules = Rules(sheet)
    walked = _Walked(rules, notes)
    try:
        walked.run(root)
    except DeepError:
        return "hostile", _DEEP
    notes += _styles(root, sheet, rules, walked)
    if len(walked.canon.feeds) > _MOST_PAGES:
        return "hostile", f"marks more than {_MOST_PAGES} pages. Save the agreement alone."
    if not walked.canon.length:
        return "empty", "holds no words. If it shows pictures of pages, put the PDF into the pack."
    return walked


def _styles(root: Any, sheet: str, rules: Rules, walked: _Walked) -> Iterator[Note]:
    """What styles do to the words that could not be followed: a person must look at the page itself."""
    if walked.written:
        said = f"{walked.written} places show figures that the page's style writes; the file's own text does not hold them."
        yield Note(code="text_layer_suspect", sentence=said)
    if rules.unread:
        said = f"{rules.unread} rules of the page's style strike or hide words by a selector that cannot be followed."
        yield Note(code="style_unread", sentence=said)
    if "@font-face" in sheet.lower():
        yield Note(code="fonts_own", sentence="The page brings fonts of its own, which may show other figures than its text has.")
    if _NAMED_ELSEWHERE.search(sheet) or any(_NAMED_ELSEWHERE.search(value) for value in root.xpath("//@style")):
        yield Note(code="style_unread", sentence="Styles take from names what may hide or strike words; they were not followed.")
    linked = any("stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link"))
    if linked or "@import" in sheet:
        yield Note(code="style_elsewhere", sentence="The page takes styles from another file, which may strike or hide words.")


def _insertions(walk: Walk) -> list[tuple[int, int]]:
    """In a redline the inserted words are underlined: in colour where the struck words are, else double where any are."""
    black, coloured = walk.struck_colours
    lines = walk.underlines
    if coloured > black:
        lines = [line for line in lines if line.coloured]
    elif any(line.double for line in lines):
        lines = [line for line in lines if line.double]
    return [(line.start, line.end) for line in lines]
