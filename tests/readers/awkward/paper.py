"""The words of a small agreement and of its certificate, in every format, with a place for what is awkward.

The words are the same everywhere. A maker changes how they are written down, never what they mean, unless its row is about that.
"""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from reportlab.pdfgen import canvas

__all__ = [
    "AFTER",
    "BEFORE",
    "CERTIFIED",
    "CLAUSE",
    "HEADING",
    "LEVEL",
    "SPACE",
    "Page",
    "Variant",
    "docx",
    "figures_docx",
    "figures_html",
    "figures_pdf",
    "manifest",
    "page",
    "para",
    "pdf",
    "run",
    "shut",
    "web",
]

LEVEL = "3.50 to 1.00"
HEADING = "Section 6.10 Leverage Ratio."
CLAUSE = "The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be greater than"
BEFORE = (
    "CREDIT AGREEMENT",
    "dated as of March 1, 2023",
    "among BRACKEN MILLS COMPANY, as Borrower, the LENDERS party hereto, and HOLLOW BANK, as Administrative Agent",
    "ARTICLE I DEFINITIONS",
    (
        '"Consolidated EBITDA" means, for any period, Consolidated Net Income for that period plus, to the extent deducted in determining it, '
        "interest expense, income taxes, depreciation and amortization."
    ),
    '"Consolidated Net Income" means, for any period, the net income of the Borrower and its Subsidiaries for that period.',
    (
        '"Consolidated Total Debt" means, as of any date, the aggregate principal amount of all Indebtedness of the Borrower and its '
        "Subsidiaries on that date."
    ),
    '"Fiscal Quarter" means each period of three months ending on March 31, June 30, September 30 and December 31.',
    (
        '"Leverage Ratio" means, as of the last day of any Fiscal Quarter, the ratio of Consolidated Total Debt on that day to Consolidated '
        "EBITDA for the four Fiscal Quarters then ended."
    ),
    "ARTICLE VI NEGATIVE COVENANTS",
    "Section 6.01 Liens. The Borrower shall not create any Lien on its property other than Permitted Liens.",
)
AFTER = (
    "Section 6.11 Nature of Business. The Borrower shall not engage in any business other than the milling of timber.",
    "IN WITNESS WHEREOF, the parties have caused this Agreement to be executed by their authorised officers.",
    "BRACKEN MILLS COMPANY, as Borrower",
    "By: /s/ Ada Birch",
    "HOLLOW BANK, as Administrative Agent and a Lender",
    "By: /s/ Karl Osei",
)
MANIFEST = """pack: bracken
test_date: 2024-09-30
known_at: 2024-11-30
covenant: Leverage Ratio
fiscal_year_end: 12-31
documents:
- file: {agreement}
  kind: facility_agreement
  dated: 2023-03-01
  execution: executed
  effective_on: 2023-03-01
{more}attested_by: R. Bell, analyst
attestations:
- The agreement was seen signed and came into force on its date.
chain_complete: true
"""
CERTIFIED = ("COMPLIANCE CERTIFICATE", "BRACKEN MILLS COMPANY", "For the Fiscal Quarter ended September 30, 2024")
"""The head of the certificate."""


@dataclass(frozen=True)
class Variant:
    """One awkward file, and what must come of it.

    Attributes:
        name: format and what is awkward, such as ``pdf: struck by a rule``.
        data: the file.
        file: its name, whose ending may lie.
        want: the ends that are good: ``right``, ``flagged``, ``refused``.
        level: the true level, None where there is none that could be right.
        certificate: whether the file is a certificate; the agreement is then a plain one.
        figures: true figures of a certificate, by name, in whole units.
        note: code of the note that the document must bear, where the row asks for one.
        eye: whether it is put through with the OCR program, where there is one: slow, and needed where only a look can tell.
        full: whether a certificate is put through a whole run with its record; else it is read and worked, without one.
        differs: names of the lines of a certificate that the recomputation must report as different; no other may be.
    """

    name: str
    data: bytes
    file: str
    want: tuple[str, ...] = ("right",)
    level: Fraction | None = Fraction(7, 2)
    certificate: bool = False
    figures: dict[str, Fraction] = field(default_factory=dict)
    note: str = ""
    eye: bool = False
    full: bool = False
    differs: tuple[str, ...] = ()


def manifest(agreement: str, certificate: str = "") -> str:
    """What an analyst attests of the pack."""
    more = f"- file: {certificate}\n  kind: compliance_certificate\n" if certificate else ""
    return MANIFEST.format(agreement=agreement, more=more)


# PDF

LEFT, TOP, STEP, WIDE = 72, 740, 13, 92


def _lines(text: str) -> list[str]:
    words, lines = text.split(" "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > WIDE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip(" ")
    return lines


class Page:
    """A page that is written from the top down."""

    def __init__(self, sheet: Any, top: float = TOP) -> None:
        self.sheet, self.y, self.left, self.font, self.size = sheet, top, LEFT, "Times-Roman", 10.0
        sheet.setFont(self.font, self.size)

    def write(self, *paragraphs: str) -> None:
        """Paragraphs, wrapped."""
        for text in paragraphs:
            for line in _lines(text):
                self.line(line)
            self.y -= STEP / 2

    def line(self, text: str, left: float | None = None) -> float:
        """One line; the place where it ends."""
        start = self.left if left is None else left
        self.sheet.drawString(start, self.y, text)
        self.y -= STEP
        return start + self.width(text)

    def width(self, text: str) -> float:
        """How wide words are."""
        return float(self.sheet.stringWidth(text, self.font, self.size))

    @property
    def last(self) -> float:
        """Baseline of the line that was written last."""
        return self.y + STEP


def shut(draw: Callable[[Any], None], **options: Any) -> bytes:
    """A PDF of whatever a function draws, the same bytes every time."""
    out = io.BytesIO()
    sheet = canvas.Canvas(out, pagesize=(612, 792), invariant=1, **options)
    draw(sheet)
    sheet.showPage()
    sheet.save()
    return out.getvalue()


def pdf(
    awkward: Callable[[Page], None] | str, *, start: Callable[[Any], None] | None = None, before: Sequence[str] = BEFORE,
    after: Sequence[str] = AFTER, **options: Any,
) -> bytes:  # fmt: skip
    """The agreement as a PDF of one page, its clause written by a function, or a plain clause with some level."""

    def draw(sheet: Any) -> None:
        if start is not None:
            start(sheet)
        page = Page(sheet)
        page.write(*before)
        if isinstance(awkward, str):
            page.write(f"{HEADING} {CLAUSE} {awkward}.")
        else:
            awkward(page)
        page.write(*after)

    return shut(draw, **options)


def page(awkward: Callable[[Page], None]) -> bytes:
    """A PDF of one page that a function writes alone."""
    return shut(lambda sheet: awkward(Page(sheet)))


def figures_pdf(draw: Callable[[Page], None]) -> bytes:
    """The certificate as a PDF, its figures written by a function."""

    def whole(page: Page) -> None:
        page.write(*CERTIFIED)
        draw(page)
        page.y -= STEP
        page.write("Signed: /s/ Ada Birch")

    return page(whole)


# HTML


def web(
    level: str = "", *, clause: str = "", head: str = "", before: Sequence[str] = BEFORE, after: Sequence[str] = AFTER,
    body: str = "",
) -> bytes:  # fmt: skip
    """The agreement as a page of HTML: the level, the clause or all of the body in its own markup."""
    clause = clause or f"<p>{HEADING} {CLAUSE} {level}.</p>"

    def plain(words: Sequence[str]) -> str:
        return "".join(f"<p>{html.escape(text)}</p>\n" for text in words)

    body = body or plain(before) + clause + "\n" + plain(after)
    return f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>x</title>{head}</head><body>\n{body}</body></html>".encode()


def figures_html(table: str, *, head: str = "") -> bytes:
    """The certificate as a page of HTML, its figures in their own markup."""
    words = "".join(f"<p>{text}</p>" for text in CERTIFIED)
    return web(head=head, body=f"{words}{table}<p>Signed: /s/ Ada Birch</p>")


# DOCX

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACE = f'xmlns:w="{W}" xmlns:r="{_OFFICE}" xmlns:v="urn:schemas-microsoft-com:vml"'
"""Namespaces for the root of a part."""
_KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def run(text: str, properties: str = "", kind: str = "t") -> str:
    """A run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:{kind} xml:space="preserve">{html.escape(text, quote=False)}</w:{kind}></w:r>'


def para(inner: str, properties: str = "") -> str:
    """A paragraph of runs, or of plain words."""
    inner = inner if inner.lstrip().startswith("<w:") else run(inner)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def docx(
    runs: str = "", *, clause: str = "", body: str = "", before: Sequence[str] = BEFORE, after: Sequence[str] = AFTER,
    parts: dict[str, tuple[str, str]] | None = None, section: str = "",
) -> bytes:  # fmt: skip
    """The agreement as a Word document: the runs of the level, the clause or all of the body in their own XML.

    Args:
        runs: runs of the level.
        clause: whole paragraphs in place of the clause.
        body: the whole body.
        before: paragraphs before the clause.
        after: paragraphs after it.
        parts: further parts by kind of relationship: the part's XML and its kind of content.
        section: inside of the body's own section properties.
    """
    clause = clause or para(run(f"{HEADING} {CLAUSE} ") + runs + run("."))
    body = body or "".join(map(para, before)) + clause + "".join(map(para, after))
    body += f"<w:sectPr>{section}</w:sectPr>" if section else ""
    types = f'<Override PartName="/word/document.xml" ContentType="{_KIND}.document.main+xml"/>'
    relations = ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (kind, (xml, content)) in enumerate(sorted((parts or {}).items()), 1):
            types += f'<Override PartName="/word/{kind}.xml" ContentType="{_KIND}.{content}+xml"/>'
            relations += f'<Relationship Id="x{number}" Type="{_OFFICE}/{kind}" Target="{kind}.xml"/>'
            archive.writestr(_info(f"word/{kind}.xml"), xml)
        archive.writestr(_info("[Content_Types].xml"), f"<Types>{types}</Types>")
        root = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
        archive.writestr(_info("_rels/.rels"), f"<Relationships>{root}</Relationships>")
        archive.writestr(_info("word/_rels/document.xml.rels"), f"<Relationships>{relations}</Relationships>")
        archive.writestr(_info("word/document.xml"), f"<w:document {SPACE}><w:body>{body}</w:body></w:document>")
    return out.getvalue()


def _info(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))


def figures_docx(rows: Sequence[Sequence[str]], *, lead: Sequence[str] = (), table: str = "") -> bytes:
    """The certificate as a Word document with a table of plain cells, or a table in its own XML."""
    table = table or (
        "<w:tbl>"
        + "".join("<w:tr>" + "".join(f"<w:tc>{para(cell or ' ')}</w:tc>" for cell in row) + "</w:tr>" for row in rows)
        + "</w:tbl>"
    )
    body = "".join(map(para, (*CERTIFIED, *lead))) + table + para("Signed: /s/ Ada Birch")
    return docx(body=body)
