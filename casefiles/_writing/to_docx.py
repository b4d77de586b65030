"""Blocks to DOCX with python-docx, packed again so that the same blocks give the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, date, datetime
from typing import Any

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_BREAK
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt

from .blocks import Block

__all__ = ["to_docx"]

MARK = re.compile(r"(</?[bius]>)")
EPOCH = (1980, 1, 1, 0, 0, 0)


def runs(paragraph: Any, text: str, *, bold: bool = False) -> None:
    """Add marked text to a paragraph."""
    on = {"b": bold, "i": False, "u": False, "s": False}
    for piece in MARK.split(text):
        if MARK.fullmatch(piece):
            on[piece.strip("</>")] = not piece.startswith("</")
        elif piece:
            run = paragraph.add_run(piece)
            run.bold, run.italic, run.underline, run.font.strike = (
                on["b"] or None,
                on["i"] or None,
                on["u"] or None,
                on["s"] or None,
            )


def field(paragraph: Any, code: str) -> None:
    """A field such as PAGE."""
    for kind, text in (("begin", ""), ("", code), ("end", "")):
        run = paragraph.add_run()
        if kind:
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
        else:
            element = OxmlElement("w:instrText")
            element.text = text
        run._r.append(element)  # noqa: SLF001  # python-docx has no public call for fields


def render(document: Any, block: Block, labels: list[Block]) -> None:
    """One block into the document."""
    match block.kind:
        case "break" | "body":
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
        case "space":
            document.add_paragraph().paragraph_format.space_after = Pt(block.level)
        case "table":
            made = document.add_table(rows=len(block.rows), cols=len(block.rows[0]))
            made.style = "Table Grid"
            for index, row in enumerate(block.rows):
                for cell, text in zip(made.rows[index].cells, row, strict=True):
                    cell.paragraphs[0].paragraph_format.space_after = Pt(2)
                    runs(cell.paragraphs[0], text, bold=block.header and not index)
            document.add_paragraph()
        case "toc":
            for entry in labels:
                made = document.add_paragraph()
                made.paragraph_format.left_indent = Pt(18 if entry.kind == "section" else 0)
                made.paragraph_format.space_after = Pt(1)
                runs(made, entry.label.replace("\n", " "), bold=entry.kind != "section")
        case "signature":
            for line in block.lines:
                made = document.add_paragraph()
                made.paragraph_format.left_indent = Pt(200)
                made.paragraph_format.space_after = Pt(1)
                runs(made, line)
            document.add_paragraph()
        case "title" | "centre" | "article":
            for line in block.text.split("\n"):
                made = document.add_paragraph(style="Heading 1" if block.kind == "article" else None)
                made.alignment = (
                    WD_ALIGN_PARAGRAPH.LEFT if block.kind == "article" and "\n" not in block.text else WD_ALIGN_PARAGRAPH.CENTER
                )
                runs(made, line, bold=block.kind != "centre")
        case _:
            made = document.add_paragraph()
            made.alignment = WD_ALIGN_PARAGRAPH.JUSTIFY
            made.paragraph_format.left_indent = Pt(22 * block.level if block.kind == "para" else 0)
            runs(made, block.text)


def pack(raw: bytes) -> bytes:
    """The same members in a fixed order with fixed dates."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(target, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            new.writestr(info, old.read(name), compresslevel=9)
    return target.getvalue()


def to_docx(blocks: list[Block], *, head: str, name: str, dated: date) -> bytes:
    """The bytes of a DOCX file.

    Args:
        blocks: the document.
        head: running head.
        name: title in the properties.
        dated: day that the properties show.
    """
    document = Document()
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = "Times New Roman", Pt(11)
    normal.paragraph_format.space_after = Pt(8)
    heading = document.styles["Heading 1"]
    heading.font.name, heading.font.size, heading.font.color.rgb = "Times New Roman", Pt(11), None
    properties = document.core_properties
    stamp = datetime(dated.year, dated.month, dated.day, 12, tzinfo=UTC)
    properties.title, properties.author, properties.comments, properties.revision = name, head, "", 1
    properties.created = properties.modified = stamp
    part = document.sections[0]
    runs(part.header.paragraphs[0], f"<i>{head}</i>")
    part.footer.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.CENTER
    field(part.footer.paragraphs[0], "PAGE")
    labels = [block for block in blocks if block.label]
    for block in blocks:
        render(document, block, labels)
    target = io.BytesIO()
    document.save(target)
    return pack(target.getvalue())
