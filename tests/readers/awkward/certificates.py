"""Filled certificates as banks get them: tables with heads, periods, scales, marks, totals and formulas, in every format."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from awkward.amounts import ROWS, THOUSANDS, TRUE
from awkward.paper import CERTIFIED, Page, Variant, figures_docx, figures_html, figures_pdf, para, run, shut

__all__ = ["row_tables"]

BOTH = {
    "plain",
    "the scale heads the column",
    "the year before to the right",
    "no heads",
    "numbers of lines in a column",
    "a loss in brackets",
}
"""Tables that are drawn with lines and without."""
Cells = Sequence[Sequence[str]]
HARD = {"net_income": Fraction(40_000_000), "interest": Fraction(25_000_000), "taxes": Fraction(15_000_000), **TRUE}


def _pdf(rows: Cells, lead: Sequence[str], *, ruled: bool) -> bytes:
    def draw(page: Page) -> None:
        page.write(*lead)
        width = max(map(len, rows))
        edges = [72.0, 300.0, *(300.0 + 120 * n for n in range(1, width))]
        for row in rows:
            page.sheet.drawString(76, page.y, row[0])
            for place, cell in enumerate(row[1:]):
                page.sheet.drawRightString(edges[place + 2] - 6, page.y, cell)
            if ruled:
                for y in (page.y - 4, page.y + 9):
                    page.sheet.line(edges[0], y, edges[-1], y)
                for x in edges:
                    page.sheet.line(x, page.y - 4, x, page.y + 9)
            page.y -= 13

    return figures_pdf(draw)


def _html(rows: Cells, lead: Sequence[str]) -> bytes:
    head = "".join(f"<p>{text}</p>" for text in lead)
    return figures_html(
        head + "<table>" + "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows) + "</table>"
    )


def _xlsx(rows: Cells, lead: Sequence[str], *, formulas: bool = False, cached: bool = True) -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("Certificate")
    money, share = book.add_format({"num_format": "#,##0;(#,##0)"}), book.add_format({"num_format": "0.0%"})
    at = 0
    for text in (*CERTIFIED, *lead):
        sheet.write_string(at, 0, text)
        at += 1
    first = at
    for row in rows:
        for place, cell in enumerate(row):
            plain = cell.replace(",", "").replace("(", "-").rstrip(")")
            if place and formulas and row[0] == "Consolidated EBITDA":
                sheet.write_formula(
                    at, place, f"=SUM({chr(65 + place)}{first + 2}:{chr(65 + place)}{at})", money, float(plain) if cached else ""
                )
            elif place and cell.endswith("%"):
                sheet.write_number(at, place, float(cell[:-1]) / 100, share)
            elif place and plain.lstrip("-").isdigit():
                sheet.write_number(at, place, float(plain), money)
            elif cell:
                sheet.write_string(at, place, cell)
        at += 1
    sheet.write_string(at + 1, 0, "Signed: /s/ Ada Birch")
    book.close()
    return out.getvalue()


def _all(
    name: str,
    rows: Cells,
    lead: Sequence[str],
    want: tuple[str, ...] = ("right",),
    figures: dict[str, Fraction] | None = None,
    differs: tuple[str, ...] = (),
) -> list[Variant]:
    one = Variant("", b"", "", want, certificate=True, figures=HARD if figures is None else figures, differs=differs)
    return [
        replace(one, name=f"pdf: {name}, ruled", data=_pdf(rows, lead, ruled=True), file="c.pdf"),
        *([replace(one, name=f"pdf: {name}, unruled", data=_pdf(rows, lead, ruled=False), file="c.pdf")] if name in BOTH else []),
        replace(one, name=f"html: {name}", data=_html(rows, lead), file="c.html", full=True),
        replace(one, name=f"docx: {name}", data=figures_docx(rows, lead=lead), file="c.docx"),
        replace(one, name=f"xlsx: {name}", data=_xlsx(rows, lead), file="c.xlsx"),
    ]


def _beside(
    other: str, *, first: bool = False, heads: tuple[str, str] = ("September 30, 2024", "September 30, 2023"), lead: str = ""
) -> list[list[str]]:
    """Another column beside the one that counts."""
    found = [[lead, *(reversed(heads) if first else heads)]]
    for number, (label, figure) in enumerate(ROWS):
        wrong = f"{other}{number},500" if number < 6 else figure.replace("3.", "2.")
        found.append([label, wrong, figure] if first else [label, figure, wrong])
    return found


def row_tables() -> list[Variant]:
    """Every kind of table."""
    found = _all("plain", ROWS, (THOUSANDS,))
    found += _all("the scale heads the column", [("", "US$ 000s"), *ROWS], ())
    found += _all("the scale in the head of a label", [("US$ in thousands", "Amount"), *ROWS], ())
    found += _all("the year before to the right", _beside("9"), (THOUSANDS,), ("right", "flagged"))
    found += _all("the year before to the left", _beside("9", first=True), (THOUSANDS,), ("right", "flagged"))
    twelve = ("Twelve months ended September 30, 2024", "Twelve months ended September 30, 2023")
    found += _all("heads of periods", _beside("9", heads=twelve), (THOUSANDS,), ("right", "flagged"))
    found += _all("heads that do not say", _beside("9", heads=("Current", "Prior")), (THOUSANDS,), ("right", "flagged"))
    found += _all("no heads", _beside("9")[1:], (THOUSANDS,), ("flagged",))
    found += _all(
        "a column of shares",
        [[a, b, "25.0%"] if n < 6 else [a, b, ""] for n, (a, b) in enumerate(ROWS)],
        (THOUSANDS,),
        ("right", "flagged"),
    )
    found += _all(
        "a currency in each column",
        [
            ("", "US$ thousands", "C$ thousands"),
            *((a, b, b.replace("00,", "50,")) for a, b in ROWS[:6]),
            *((a, b, "") for a, b in ROWS[6:]),
        ],
        (),
        ("right", "flagged"),
    )
    found += _all(
        "sections and numbers of lines",
        [
            ("A. DEBT", ""),
            ("1. Consolidated Total Debt", "300,000"),
            ("B. EARNINGS", ""),
            *((f"{n}. {a}", b) for n, (a, b) in enumerate(ROWS[1:], 2)),
        ],
        (THOUSANDS,),
    )
    found += _all(
        "numbers of lines in a column", [(str(n), a, b) for n, (a, b) in enumerate(ROWS, 1)], (THOUSANDS,), ("right", "flagged")
    )
    found += _all(
        "parts that add to a total",
        [("Term loans", "200,000"), ("Revolving loans", "90,000"), ("Finance leases", "10,000"), *ROWS],
        (THOUSANDS,),
    )
    found += _all(
        "a total that does not add",
        [("Term loans", "200,000"), ("Revolving loans", "80,000"), ("Finance leases", "10,000"), *ROWS],
        (THOUSANDS,),
        ("flagged",),
    )
    wrong = [(a, "110,000" if a == "Consolidated EBITDA" else b) for a, b in ROWS]
    found += _all(
        "earnings that do not add",
        wrong,
        (THOUSANDS,),
        ("flagged",),
        {**HARD, "ebitda": Fraction(110_000_000)},
        ("ebitda_computed",),
    )
    ratio = [(a, "2.90 to 1.00" if a == "Leverage Ratio" else b) for a, b in ROWS]
    found += _all("a ratio that is another", ratio, (THOUSANDS,), ("right",), HARD, ("ratio",))
    loss = [
        ("Consolidated Total Debt", "300,000"),
        ("Consolidated Net Income", "(40,000)"),
        ("plus interest expense", "105,000"),
        *ROWS[3:],
    ]
    found += _all("a loss in brackets", loss, (THOUSANDS,), ("right",), {"net_income": Fraction(-40_000_000), **TRUE})
    found += _all(
        "a zero as a dash",
        [
            ("Consolidated Total Debt", "300,000"),
            ("Consolidated Net Income", "55,000"),
            ("plus interest expense", "25,000"),
            ("plus income taxes", "-"),
            *ROWS[4:],
        ],
        (THOUSANDS,),
        ("right",),
        {"taxes": Fraction(0), **TRUE},
    )
    return [*found, *_single()]


def _single() -> list[Variant]:
    """What only one format has."""
    one = Variant("", b"", "", certificate=True, figures=HARD)
    marked = (
        "<p>"
        + THOUSANDS
        + "</p><table>"
        + "".join(
            f"<tr><td>{a}<sup>1</sup></td><td>{b}<sup>(2)</sup></td></tr>" if n < 6 else f"<tr><td>{a}</td><td>{b}</td></tr>"
            for n, (a, b) in enumerate(ROWS)
        )
        + "</table>"
    )
    spread = (
        "<p>"
        + THOUSANDS
        + "</p><table><tr><td colspan=3>EARNINGS AND DEBT</td></tr>"
        + "".join(f"<tr><td rowspan=1 colspan=2>{a}</td><td>{b}</td></tr>" for a, b in ROWS)
        + "</table>"
    )
    rows = "".join(
        f"<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{para(a)}</w:tc><w:tc>{para(run(b) + run('1', f'<w:vertAlign w:val={chr(39)}superscript{chr(39)}/>') if n < 6 else b)}</w:tc></w:tr>"
        for n, (a, b) in enumerate(ROWS)
    )
    table = f"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='3'/></w:tcPr>{para('EARNINGS AND DEBT')}</w:tc></w:tr>{rows}</w:tbl>"
    kept = "".join(f"<w:tr><w:tc>{para(a)}</w:tc><w:tc>{para(b)}</w:tc></w:tr>" for a, b in ROWS)
    gone = (
        "<w:tr><w:trPr><w:del w:id='1' w:author='a'/></w:trPr>"
        f"<w:tc>{para('Consolidated Total Debt')}</w:tc><w:tc>{para('250,000')}</w:tc></w:tr>"
    )
    struck = (
        "<p>"
        + THOUSANDS
        + "</p><table><tr><td>Consolidated Total Debt</td><td><s>250,000</s> 300,000</td></tr>"
        + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in ROWS[1:])
        + "</table>"
    )

    def two_pages(sheet: object) -> None:
        page = Page(sheet)
        page.write(*CERTIFIED, THOUSANDS)
        for part in (ROWS[:3], ROWS[3:]):
            for a, b in part:
                page.sheet.drawString(76, page.y, a)
                page.sheet.drawRightString(400, page.y, b)
                for y in (page.y - 4, page.y + 9):
                    page.sheet.line(72, y, 410, y)
                for x in (72, 300, 410):
                    page.sheet.line(x, page.y - 4, x, page.y + 9)
                page.y -= 13
            if part is ROWS[:3] or part == ROWS[:3]:
                page.sheet.showPage()
                page = Page(page.sheet)
        page.write("Signed: /s/ Ada Birch")

    def marks(page: Page) -> None:
        page.write(THOUSANDS)
        for n, (a, b) in enumerate(ROWS):
            page.sheet.drawString(76, page.y, a)
            page.sheet.drawRightString(400, page.y, b)
            if n < 6:
                page.sheet.setFont(page.font, 6)
                page.sheet.drawString(400, page.y + 4, "1")
                page.sheet.setFont(page.font, page.size)
            page.y -= 13

    def lie(page: Page) -> None:
        """The total of debt is drawn as a picture of other figures: the layer of words says 300,000."""
        page.write(THOUSANDS)
        for a, b in ROWS:
            page.sheet.drawString(76, page.y, a)
            page.sheet.drawRightString(400, page.y, b)
            if a == "Consolidated Total Debt":
                page.sheet.saveState()
                page.sheet.setFillColorRGB(1, 1, 1)
                page.sheet.rect(360, page.y - 2, 45, 11, stroke=0, fill=1)
                page.sheet.restoreState()
                page.sheet.drawRightString(400, page.y, "380,000")
            page.y -= 13

    def fields(page: Page) -> None:
        page.write(THOUSANDS)
        for n, (a, b) in enumerate(ROWS):
            page.sheet.drawString(76, page.y, a)
            page.sheet.acroForm.textfield(
                name=f"f{n}", value=b, x=330, y=page.y - 3, width=90, height=12, fontSize=9, borderWidth=0, fontName="Times-Roman"
            )
            page.sheet.setFont(page.font, page.size)
            page.y -= 16

    return [
        replace(one, name="html: note marks in labels and cells", data=figures_html(marked), file="c.html"),
        replace(one, name="html: merged cells", data=figures_html(spread), file="c.html"),
        replace(one, name="html: a struck figure before the live one", data=figures_html(struck), file="c.html"),
        replace(one, name="docx: merged cells and note marks", data=figures_docx((), lead=(THOUSANDS,), table=table), file="c.docx"),
        replace(one, name="docx: a deleted row", data=figures_docx((), lead=(THOUSANDS,), table=f"<w:tbl>{gone}{kept}</w:tbl>"), file="c.docx"),
        replace(one, name="pdf: over two pages", data=shut(two_pages), file="c.pdf"),
        replace(one, name="pdf: note marks", data=figures_pdf(marks), file="c.pdf"),
        replace(one, name="pdf: form fields", data=figures_pdf(fields), file="c.pdf", want=("right", "flagged")),
        replace(one, name="pdf: another figure drawn over", data=figures_pdf(lie), file="c.pdf", figures={**HARD, "total_debt": Fraction(380_000_000)}, differs=("ratio",)),
        replace(one, name="xlsx: formulas with results", data=_xlsx(ROWS, (THOUSANDS,), formulas=True), file="c.xlsx"),
        replace(one, name="xlsx: formulas without results", data=_xlsx(ROWS, (THOUSANDS,), formulas=True, cached=False), file="c.xlsx", want=("flagged",)),
    ]  # fmt: skip
