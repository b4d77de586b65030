"""Blocks to a PDF: base-14 fonts, compressed, the same bytes on every run."""

from __future__ import annotations

import io
import re
from typing import Any

from reportlab import rl_config
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY, TA_LEFT, TA_RIGHT
from reportlab.lib.pagesizes import A4, LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, KeepTogether, PageBreak, PageTemplate, Paragraph, Spacer, Table, TableStyle
from reportlab.platypus.doctemplate import ActionFlowable, NextPageTemplate
from reportlab.platypus.tableofcontents import TableOfContents

from .blocks import Block

__all__ = ["to_pdf"]

ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
NUMBER = re.compile(r"[$£(]?[\d,.]+\)?%?x?|—|nil")


class Writer(BaseDocTemplate):
    """A document with front matter in Roman numbers and a running head."""

    def __init__(self, target: io.BytesIO, *, head: tuple[str, str], size: int, a4: bool, name: str) -> None:
        """Lay out the two page templates."""
        self.head, self.size, self.front = head, size, -1
        super().__init__(
            target,
            pagesize=A4 if a4 else LETTER,
            title=name,
            author=head[0],
            subject="",
            creator="",
            leftMargin=86,
            rightMargin=86,
            topMargin=86,
            bottomMargin=80,
            pageCompression=1,
            invariant=1,
        )
        frame = Frame(self.leftMargin, self.bottomMargin, self.width, self.height, id="text", leftPadding=0, rightPadding=0)
        self.addPageTemplates(
            [
                PageTemplate("cover", [frame]),
                PageTemplate("front", [frame], onPageEnd=self.furniture),
                PageTemplate("body", [frame], onPageEnd=self.furniture),
            ]
        )

    def furniture(self, canvas: Any, _doc: Any) -> None:
        """Running head and page number."""
        width, height = self.pagesize
        canvas.saveState()
        canvas.setFont("Times-Italic", 9)
        canvas.drawString(self.leftMargin, height - 54, self.head[0])
        canvas.drawRightString(width - self.rightMargin, height - 54, self.head[1])
        canvas.setLineWidth(0.4)
        canvas.line(self.leftMargin, height - 59, width - self.rightMargin, height - 59)
        canvas.setFont("Times-Roman", 10)
        canvas.drawCentredString(width / 2, 46, self.printed())
        canvas.restoreState()

    def printed(self) -> str:
        """The page number as printed."""
        return str(self.page - self.front) if self.front >= 0 else ROMAN[min(self.page - 1, len(ROMAN) - 1)]

    def start_body(self) -> None:
        """Page numbers start again on this page."""
        self.front = self.page - 1

    def beforeDocument(self) -> None:  # noqa: N802  # a name of reportlab
        """Each pass starts without body pages."""
        self.front = -1

    def afterFlowable(self, flowable: Any) -> None:  # noqa: N802  # a name of reportlab
        """Tell the table of contents where a heading fell."""
        label = getattr(flowable, "contents", None)
        if label:
            self.notify("TOCEntry", (label[0], label[1], self.page - self.front))


class StartBody(ActionFlowable):
    """Marks the first page of the body."""

    def apply(self, doc: Any) -> None:
        """Called when the page has begun."""
        doc.start_body()


def markup(text: str) -> str:
    """Our marks to reportlab's."""
    text = text.replace("&", "&amp;").replace("\n", "<br/>")
    return text.replace("<s>", "<strike>").replace("</s>", "</strike>")


def styles(size: int) -> dict[str, ParagraphStyle]:
    """Paragraph styles for a size of type."""
    base = ParagraphStyle(
        "base", fontName="Times-Roman", fontSize=size, leading=size * 1.28, spaceAfter=size * 0.8, alignment=TA_JUSTIFY
    )
    return {
        "base": base,
        "title": ParagraphStyle(
            "title", base, fontName="Times-Bold", fontSize=size + 7, leading=(size + 7) * 1.3, alignment=TA_CENTER
        ),
        "centre": ParagraphStyle("centre", base, alignment=TA_CENTER),
        "article": ParagraphStyle("article", base, fontName="Times-Bold", alignment=TA_CENTER, spaceBefore=size, keepWithNext=1),
        "cell": ParagraphStyle("cell", base, spaceAfter=0, alignment=0, fontSize=size - 0.5, leading=size * 1.15),
        "number": ParagraphStyle("number", base, spaceAfter=0, alignment=TA_RIGHT, fontSize=size - 0.5, leading=size * 1.15),
        "sign": ParagraphStyle("sign", base, spaceAfter=2, alignment=0),
    }


def grid(block: Block, style: dict[str, ParagraphStyle], width: float) -> Table:
    """A ruled table with numbers to the right."""
    rows = []
    for index, row in enumerate(block.rows):
        cells = []
        for column, cell in enumerate(row):
            look = style["number"] if column and NUMBER.fullmatch(cell) else style["cell"]
            cells.append(Paragraph(markup(f"<b>{cell}</b>" if block.header and not index else cell), look))
        rows.append(cells)
    total = sum(block.widths)
    made = Table(
        rows,
        colWidths=[width * share / total for share in block.widths],
        repeatRows=1 if block.header else 0,
        splitByRow=int(len(rows) > 7),
    )
    made.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, "black"),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ]
        )
    )
    made.spaceAfter = 10
    return made


def contents(size: int) -> TableOfContents:
    """A table of contents with dotted leaders."""
    made = TableOfContents()
    made.levelStyles = [
        ParagraphStyle("toc0", fontName="Times-Bold", fontSize=size - 1, leading=size * 1.25, spaceBefore=5),
        ParagraphStyle("toc1", fontName="Times-Roman", fontSize=size - 1, leading=size * 1.2, leftIndent=18),
    ]
    made.dotsMinLevel = 0
    return made


def to_pdf(
    blocks: list[Block], *, head: tuple[str, str], name: str, size: int = 11, a4: bool = False, cover: bool = False
) -> bytes:
    """The bytes of a PDF.

    Args:
        blocks: the document.
        head: running head, left and right.
        name: title in the document information.
        size: size of type in points.
        a4: A4 paper; otherwise US Letter.
        cover: the first page is a cover without furniture.
    """
    rl_config.useA85 = 0
    target = io.BytesIO()
    writer = Writer(target, head=head, size=size, a4=a4, name=name)
    style = styles(size)
    story: list[Any] = [NextPageTemplate("front")] if cover else [StartBody(), NextPageTemplate("body")]
    if not cover:
        writer.pageTemplates = [template for template in writer.pageTemplates if template.id == "body"]
    for block in blocks:
        match block.kind:
            case "break":
                story.append(PageBreak())
            case "body":
                story += [NextPageTemplate("body"), PageBreak(), StartBody()]
            case "toc":
                story.append(contents(size))
            case "space":
                story.append(Spacer(1, block.level))
            case "table":
                story.append(grid(block, style, writer.width))
            case "signature":
                story += [
                    KeepTogether(
                        [
                            Paragraph(markup(line), ParagraphStyle("s", style["sign"], leftIndent=writer.width * 0.4))
                            for line in block.lines
                        ]
                    ),
                    Spacer(1, 16),
                ]
            case "title" | "centre" | "article":
                left = block.kind == "article" and "\n" not in block.text
                look = ParagraphStyle("h", style[block.kind], alignment=TA_LEFT) if left else style[block.kind]
                story.append(Paragraph(markup(block.text), look))
            case _:
                look = ParagraphStyle("p", style["base"], leftIndent=22 * block.level if block.kind == "para" else 0)
                look.keepWithNext = int(block.text.endswith(("</b>", ":")) and block.kind in {"section", "para"})
                story.append(Paragraph(markup(block.text), look))
        if block.label:
            story[-1].contents = (0 if block.kind != "section" else 1, markup(block.label.replace("\n", " ")))
    writer.multiBuild(story)
    return target.getvalue()
