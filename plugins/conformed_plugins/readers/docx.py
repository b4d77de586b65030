"""Reader of Word documents (DOCX): our own, over the XML, because revisions, hidden words and automatic numbers matter."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from conformed.model.document import Document, Media, Note, Page, Refusal, Table
from conformed.model.span import Span
from conformed_plugins.readers.canon import Gap, Mark, live_notes, merge, tables_of
from conformed_plugins.readers.docx_numbering import Numbering
from conformed_plugins.readers.docx_package import Package, PackageError, local
from conformed_plugins.readers.docx_styles import COMMON, Look, Styles, attribute
from conformed_plugins.readers.docx_walk import Body

__all__ = ["VERSION", "DocxReader"]

VERSION = "1.0.0"
"""Version of the reader; a change of what it writes is a new version."""

_LARGEST = 48 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_WORD_NAMES = (".docx", ".docm", ".dotx", ".dotm")
_SEPARATORS = {"separator", "continuationSeparator", "continuationNotice"}


class DocxReader:
    """Reads Word documents of 2007 and later."""

    def accepts(self, name: str, head: bytes) -> bool:
        """Whether the bytes are a Word file, also one that will be refused by name (macros, a password, the format of 1997)."""
        lower = name.lower()
        if head.startswith(_ZIP):
            return b"[Content_Types].xml" in head or b"word/" in head[:512] or lower.endswith(_WORD_NAMES)
        return head.startswith(_OLE) and lower.endswith((*_WORD_NAMES, ".doc", ".dot"))

    def read(self, name: str, data: bytes) -> Document | Refusal:
        """Reads a document, or refuses it by name."""
        digest = hashlib.sha256(data).hexdigest()
        try:
            body, numbering, extra = _walk(data)
        except PackageError as problem:
            return Refusal(name=name, code=problem.code, sentence=f"{name} {problem.sentence}", sha256=digest)
        canon = body.canon
        if not canon.length:
            sentence = f"{name} holds no words. If it shows pictures of pages, put the PDF into the pack."
            return Refusal(name=name, code="empty", sentence=sentence, sha256=digest)
        text = canon.text()
        laid_out = bool(body.seen["laid_out"])
        struck, hidden = canon.runs(Mark.STRUCK), canon.runs(Mark.HIDDEN)
        inserted = [(run.start, run.end) for run in canon.runs(Mark.INSERTED)]
        if sum(body.struck_colours):
            inserted += _insertions(body)
        marks = live_notes(text, canon.notes)
        furniture = [*((run.start, run.end) for run in canon.runs(Mark.FURNITURE)), *marks]
        return Document(
            name=name,
            sha256=digest,
            media=Media.DOCX,
            reader=f"docx {VERSION}",
            text=text,
            pages=canon.pages() if laid_out else (Page(number=1, start=0, end=len(text)),),
            paged=laid_out,
            struck=struck,
            inserted=merge(inserted),
            hidden=hidden,
            furniture=merge(furniture),
            notes=_notes(body, numbering, extra, struck=len(struck), hidden=len(hidden)),
        )

    def boxes(self, document: Document, data: bytes, spans: Sequence[Span]) -> tuple[Span, ...]:
        """The spans as they are: a Word file has no fixed geometry."""
        return tuple(spans)

    def tables(self, document: Document, data: bytes, pages: Sequence[int]) -> tuple[Table, ...]:
        """Every table with its exact cells; an enclosing table comes after those inside it."""
        try:
            body, _, _ = _walk(data)
        except PackageError:
            return ()
        return tables_of(document, body.grids, frozenset(pages))

    def image(self, document: Document, data: bytes, page: int, dpi: int) -> bytes | None:
        """None: a Word file has no fixed image."""
        return None


def _walk(data: bytes) -> tuple[Body, Numbering, list[Note]]:
    """Opens and walks.

    Raises:
        PackageError: with the code and sentence of the refusal.
    """
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise PackageError("encrypted", "is encrypted. Save it without a password.")
        raise PackageError("unknown_format", "is in the Word format of 1997. Save it as DOCX or PDF.")
    if len(data) > _LARGEST:
        raise PackageError("too_large", f"has {len(data)} bytes; a Word document may have {_LARGEST}. Take the pictures out.")
    package = Package(data)
    root = package.xml(package.main)
    if root is None or local(root) != "document":
        raise PackageError("unknown_format", "is an office file and not a Word document. Save it as PDF.")
    related = package.related(package.main)
    parts = dict(related.values())
    try:
        styles = Styles(package.xml(parts.get("styles", "")))
        numbering = Numbering(package.xml(parts.get("numbering", "")), styles)
        notes = {kind: _foot(package.xml(parts.get(f"{kind}s", ""))) for kind in ("footnote", "endnote")}
        body = Body(styles, numbering, notes)
        body.own_fonts = _own_fonts(package.xml(parts.get("fontTable", "")))
        for element in root:
            if local(element) == "body":
                body.blocks(element)
        extra = _margins(package, sorted({aim for kind, aim in related.values() if kind in {"header", "footer"}}), body, styles)
    except (ValueError, RecursionError) as problem:
        raise PackageError("broken", "is damaged: a number or a nesting in it makes no sense. Save it again.") from problem
    if package.read(parts.get("comments", "")):
        extra.append(Note(code="comments", sentence="The document has comments in its margin; they are not read."))
    return body, numbering, extra


def _own_fonts(root: Any | None) -> frozenset[str]:
    """Fonts that the file brings along under a name that other machines do not have."""
    found = set()
    for font in root if root is not None else ():
        name = (attribute(font, "name") or "").lower()
        if name not in COMMON and any(local(inner).startswith("embed") for inner in font):
            found.add(name)
    return frozenset(found)


def _foot(root: Any | None) -> dict[str, Any]:
    """Notes by id, without the rules that separate them from the page."""
    found = {}
    for element in root if root is not None else ():
        if attribute(element, "type") not in _SEPARATORS:
            found[attribute(element, "id") or ""] = element
    return found


def _margins(package: Package, parts: list[str], body: Body, styles: Styles) -> list[Note]:
    """Writes heads and feet once each at the end, as furniture: they are evidence of a draft, never of a term."""
    notes: list[Note] = []
    seen: set[str] = set()
    for part in parts:
        root = package.xml(part)
        if root is None:
            continue
        marks = [attribute(shape, "string") or "" for shape in root.iter() if local(shape) == "textpath"]
        aside = Body(styles, Numbering(None, styles), {})
        aside.blocks(root)
        for line in (*marks, *aside.canon.text().splitlines()):
            plain = line.strip("\t \f")
            if any(c.isalpha() for c in plain) and plain not in seen:
                seen.add(plain)
                body.canon.gap(Gap.PARAGRAPH)
                body.canon.write(plain, Mark.FURNITURE)
        if any(marks):
            notes.append(Note(code="watermark", sentence="The pages bear a watermark; its words stand at the end of the text."))
    if seen:
        notes.append(
            Note(code="page_furniture", sentence=f"{len(seen)} running heads and feet stand at the end of the text, once each.")
        )
    return notes


def _insertions(body: Body) -> list[tuple[int, int]]:
    """Inserted words of a redline made by format: in colour where the struck words are, else double underlined where any are."""

    def coloured(look: Look) -> bool:
        return look.colour not in {None, "auto", "000000"}

    black, bright = body.struck_colours
    lines = body.underlines
    if bright > black:
        lines = [line for line in lines if coloured(line[2])]
    elif any(line[2].underline == "double" for line in lines):
        lines = [line for line in lines if line[2].underline == "double"]
    return [(start, end) for start, end, _ in lines]


def _notes(body: Body, numbering: Numbering, extra: list[Note], *, struck: int, hidden: int) -> tuple[Note, ...]:
    seen = body.seen
    found = []
    if seen["revision"]:
        sentence = (
            f"The document has {seen['revision']} open tracked revisions; deletions are kept apart and insertions read as live."
        )
        found.append(Note(code="open_revisions", sentence=sentence))
    if struck:
        found.append(Note(code="redline", sentence=f"{struck} runs of struck or deleted words are kept apart as deleted."))
    if hidden:
        found.append(Note(code="hidden_text", sentence=f"{hidden} runs of words are in the file and not shown to a person."))
    if numbering.written:
        sentence = (
            f"{numbering.written} numbers of paragraphs are automatic; they were written out as the word processor counts them."
        )
        found.append(Note(code="automatic_numbering", sentence=sentence))
    if numbering.unsure:
        found.append(
            Note(
                code="numbering_unsure",
                sentence="Some automatic numbers are in a format that is not known; they are shown as digits.",
            )
        )
    if seen["note"]:
        found.append(Note(code="note_marks", sentence=f"{seen['note']} notes stand after the paragraphs that they belong to."))
    if seen["laid_out"]:
        found.append(
            Note(
                code="pages_as_saved",
                sentence="Pages are those of the last time the document was laid out; another machine may differ.",
            )
        )
    if seen["altChunk"]:
        found.append(
            Note(code="embedded_part", sentence=f"{seen['altChunk']} embedded documents are not read. Put them into the pack.")
        )
    if seen["picture"]:
        found.append(Note(code="pictures", sentence=f"{seen['picture']} pictures or drawings hold no text that can be read."))
    if seen["prompt"]:
        found.append(
            Note(code="not_filled_in", sentence=f"{seen['prompt']} fields show their prompt: nobody has filled them in.")
        )
    if seen["own_font"]:
        said = f"{seen['own_font']} runs with figures are set in a font of the file's own, which may show other figures."
        found.append(Note(code="fonts_own", sentence=said))
    if seen["formula"]:
        found.append(Note(code="formula", sentence=f"{seen['formula']} formulas are written out without their layout."))
    return (*found, *extra)
