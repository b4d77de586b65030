"""Rows about where words stand: columns, turned pages, tables, form fields, heads and feet inside sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from awkward.paper import AFTER, BEFORE, CLAUSE, HEADING, LEVEL, SPACE, Page, Variant, docx, para, pdf, run, shut, web

__all__ = ["row_06", "row_07", "row_08", "row_09", "row_10", "row_25", "row_29"]

LEAD = f"{HEADING} {CLAUSE} the ratio set forth below opposite such period:"
STEPS = (
    ("March 1, 2023 through December 31, 2023", "4.25 to 1.00"),
    ("January 1, 2024 through June 30, 2024", "4.00 to 1.00"),
    ("July 1, 2024 through December 31, 2024", LEVEL),
    ("January 1, 2025 and thereafter", "3.25 to 1.00"),
)
HEADS = ("Period", "Maximum Leverage Ratio")


def _wrapped(text: str, wide: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > wide:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def row_06() -> list[Variant]:
    """Two columns drawn row by row."""
    text = [line for t in (*BEFORE, f"{HEADING} {CLAUSE} {LEVEL}.", *AFTER) for line in _wrapped(t, 44)]

    def columns(order: str, gap: float = 40.0) -> bytes:
        def draw(sheet: Any) -> None:
            sheet.setFont("Times-Roman", 10)
            half = (len(text) + 1) // 2
            pairs = (
                [(place, side) for place in range(half) for side in (0, 1)]
                if order == "rows"
                else [(p, s) for s in (0, 1) for p in range(half)]
            )
            for place, side in pairs:
                number = place + side * half
                if number < len(text):
                    sheet.drawString(60 + side * (226 + gap), 740 - 13 * place, text[number])

        return shut(draw)

    def cells(texts: Sequence[str]) -> str:
        return "".join(f"<p>{t}</p>" for t in texts)

    whole = (*BEFORE, f"{HEADING} {CLAUSE} {LEVEL}.", *AFTER)
    laid = f"<table><tr><td>{cells(whole[:7])}</td><td>{cells(whole[7:])}</td></tr></table>"
    words = f"<w:tbl><w:tr><w:tc>{''.join(map(para, whole[:7]))}</w:tc><w:tc>{''.join(map(para, whole[7:]))}</w:tc></w:tr></w:tbl>{para('')}"
    return [
        Variant("pdf: row by row", columns("rows"), "a.pdf", ("right", "flagged"), note="text_layer_suspect"),
        Variant("pdf: column by column", columns("columns"), "a.pdf"),
        Variant("pdf: row by row, a narrow gutter", columns("rows", 20), "a.pdf", ("right", "flagged")),
        Variant("html: two cells of a table", web(body=laid), "a.html"),
        Variant("html: columns by style", web(body=f'<div style="column-count:2">{cells(whole)}</div>'), "a.html"),
        Variant("docx: columns", docx(section="<w:cols w:num='2'/>", body="".join(map(para, whole))), "a.docx"),
        Variant("docx: two cells of a table", docx(body=words), "a.docx"),
    ]  # fmt: skip


def _turned(turn: int, *, page: bool, table: bool = False) -> bytes:
    """All words turned by quarters; with the page's own turn set against it, or without."""
    lines = [line for t in (*BEFORE, LEAD if table else f"{HEADING} {CLAUSE} {LEVEL}.") for line in _wrapped(t, 92)]

    def draw(sheet: Any) -> None:
        if page:
            sheet.setPageRotation(turn)
        wide, high = (792, 612) if turn % 180 else (612, 792)
        sheet.setPageSize((612, 792))
        sheet.saveState()
        if turn == 90:
            sheet.translate(612, 0)
            sheet.rotate(90)
        elif turn == 180:
            sheet.translate(612, 792)
            sheet.rotate(180)
        elif turn == 270:
            sheet.translate(0, 792)
            sheet.rotate(270)
        assert wide
        sheet.setFont("Times-Roman", 10)
        y = high - 50
        for line in lines:
            sheet.drawString(72, y, line)
            y -= 13
        if table:
            for row in (HEADS, *STEPS):
                sheet.drawString(72, y, row[0])
                sheet.drawString(360, y, row[1])
                y -= 13
        for line in AFTER:
            sheet.drawString(72, y, line[:100])
            y -= 13
        sheet.restoreState()

    return shut(draw)


def row_07() -> list[Variant]:
    """Words that stand upright only once the page is turned."""
    found = [Variant(f"pdf: turned {turn}", _turned(turn, page=True), "a.pdf") for turn in (90, 180, 270)]
    found.append(Variant("pdf: a table, turned 90", _turned(90, page=True, table=True), "a.pdf", ("right", "flagged")))
    return found


def row_08() -> list[Variant]:
    """Words that lie on a page that is not turned."""
    found = [Variant(f"pdf: lying {turn}", _turned(turn, page=False), "a.pdf") for turn in (90, 180, 270)]
    found.append(Variant("pdf: a table, lying 90", _turned(90, page=False, table=True), "a.pdf", ("right", "flagged")))
    return [
        *found,
        Variant("html: turned by style", web(f'<span style="writing-mode:vertical-rl">{LEVEL}</span>'), "a.html", ("right", "flagged")),
        Variant("docx: lying in a cell", docx(clause=f"<w:tbl><w:tr><w:tc><w:tcPr><w:textDirection w:val='btLr'/></w:tcPr>{para(f'{HEADING} {CLAUSE} {LEVEL}.')}</w:tc></w:tr></w:tbl>{para('')}"), "a.docx"),
    ]  # fmt: skip


def _table(page: Page, rows: Sequence[Sequence[str]], *, ruled: bool, at: Sequence[float] = (72, 330, 500)) -> None:
    for row in rows:
        for place, cell in zip(at, row, strict=False):
            page.sheet.drawString(place + 4, page.y, cell)
        if ruled:
            page.sheet.setLineWidth(0.5)
            page.sheet.line(at[0], page.y - 4, at[-1], page.y - 4)
            page.sheet.line(at[0], page.y + 9, at[-1], page.y + 9)
            for x in at:
                page.sheet.line(x, page.y - 4, x, page.y + 9)
        page.y -= 13
    page.y -= 6


def row_09() -> list[Variant]:
    """A ruled table of levels over two pages, its head repeated."""

    def over(first: int, *, head: bool = True, foot: bool = False) -> bytes:
        def draw(sheet: Any) -> None:
            page = Page(sheet)
            page.write(*BEFORE, LEAD)
            page.y = 40 + 13 * (first + 2)
            _table(page, (HEADS, *STEPS[:first]), ruled=True)
            if foot:
                sheet.drawString(300, 24, "- 41 -")
            sheet.showPage()
            page = Page(sheet)
            if foot:
                sheet.drawString(72, 770, "Bracken Mills Credit Agreement")
            _table(page, ((HEADS,) if head else ()) + STEPS[first:], ruled=True)
            page.write(*AFTER)
            if foot:
                sheet.drawString(300, 24, "- 42 -")

        return shut(draw)

    def html(rows: Sequence[Sequence[str]], *, head: bool = True) -> str:
        return (
            "<table>"
            + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in ((HEADS,) if head else ()) + tuple(rows))
            + "</table>"
        )

    def rows(some: Sequence[Sequence[str]], breaks: int = -1) -> str:
        out = ""
        for number, row in enumerate(some):
            last = "<w:r><w:lastRenderedPageBreak/></w:r>" if number == breaks else ""
            out += "<w:tr>" + "".join(f"<w:tc>{para(last + run(c))}</w:tc>" for c in row) + "</w:tr>"
        return out

    two = html(STEPS[:2]) + '<p style="page-break-before:always"></p>' + html(STEPS[2:])
    found = []
    for first in (1, 2, 3):
        found.append(Variant(f"pdf: {first} rows on the first page", over(first), "a.pdf"))
    return [
        *found,
        Variant("pdf: without a second head", over(2, head=False), "a.pdf"),
        Variant("pdf: with heads and feet of pages", over(2, foot=True), "a.pdf"),
        Variant("html: two tables, a break between", web(clause=f"<p>{LEAD}</p>{two}"), "a.html"),
        Variant("html: a break inside the table", web(clause=f"<p>{LEAD}</p>{html(STEPS[:2])[:-8]}<tr style='page-break-before:always'><td>{STEPS[2][0]}</td><td>{STEPS[2][1]}</td></tr><tr><td>{STEPS[3][0]}</td><td>{STEPS[3][1]}</td></tr></table>"), "a.html"),
        Variant("docx: laid out over two pages", docx(clause=para(LEAD) + f"<w:tbl>{rows((HEADS, *STEPS), 3)}</w:tbl>" + para("")), "a.docx"),
        Variant("docx: two tables", docx(clause=para(LEAD) + f"<w:tbl>{rows((HEADS, *STEPS[:2]))}</w:tbl>" + para("<w:r><w:br w:type='page'/></w:r>") + f"<w:tbl>{rows((HEADS, *STEPS[2:]))}</w:tbl>" + para("")), "a.docx"),
    ]  # fmt: skip


def row_10() -> list[Variant]:
    """A table of levels without lines."""

    def plain(draw: Callable[[Page], None]) -> bytes:
        def whole(page: Page) -> None:
            page.write(LEAD)
            draw(page)

        return pdf(whole)

    def wide(page: Page) -> None:
        _table(page, (HEADS, *STEPS), ruled=False)

    def close(page: Page) -> None:
        _table(page, (HEADS, *STEPS), ruled=False, at=(72, 290, 500))

    def by_column(page: Page) -> None:
        top = page.y
        for place in (0, 1):
            page.y = top
            for row in (HEADS, *STEPS):
                page.sheet.drawString(76 + 258 * place, page.y, row[place])
                page.y -= 13
        page.y -= 6

    def folded(page: Page) -> None:
        for period, level in STEPS:
            before, _, after = period.partition(" through ")
            page.sheet.drawString(76, page.y, before + (" through" if after else ""))
            page.sheet.drawString(334, page.y, level)
            page.y -= 13
            if after:
                page.sheet.drawString(76, page.y, after)
                page.y -= 13
        page.y -= 6

    def three(page: Page) -> None:
        _table(
            page,
            [("Period", "Leverage Ratio", "Interest Coverage Ratio"), *((p, lv, "3.00 to 1.00") for p, lv in STEPS)],
            ruled=False,
            at=(72, 300, 430),
        )

    pre = "\n".join(f"{p:<45}{lv}" for p, lv in (HEADS, *STEPS))
    tabs = "".join(para(run(p) + "<w:r><w:tab/></w:r>" + run(lv)) for p, lv in STEPS)
    dots = "".join(f"<p>{p} ........................ {lv}</p>" for p, lv in STEPS)
    return [
        Variant("pdf: wide", plain(wide), "a.pdf"),
        Variant("pdf: close", plain(close), "a.pdf"),
        Variant("pdf: drawn column by column", plain(by_column), "a.pdf", ("right", "flagged")),
        Variant("pdf: labels over two lines", plain(folded), "a.pdf", ("right", "flagged")),
        Variant("pdf: with another ratio beside", plain(three), "a.pdf", ("right", "flagged")),
        Variant("html: a table", web(clause=f"<p>{LEAD}</p><table>" + "".join(f"<tr><td>{p}</td><td>{lv}</td></tr>" for p, lv in STEPS) + "</table>"), "a.html"),
        Variant("html: blanks and a fixed font", web(clause=f"<p>{LEAD}</p><pre>{pre}</pre>"), "a.html"),
        Variant("html: dots", web(clause=f"<p>{LEAD}</p>{dots}"), "a.html", ("right", "flagged")),
        Variant("docx: tabs", docx(clause=para(LEAD) + tabs), "a.docx"),
        Variant("html: boxes by style", web(clause=f"<p>{LEAD}</p>" + "".join(f'<div style="display:flex"><div style="width:60%">{p}</div><div>{lv}</div></div>' for p, lv in STEPS)), "a.html", ("right", "flagged")),
    ]  # fmt: skip


def row_25() -> list[Variant]:
    """The level typed in a form field."""

    def field(value: str, **more: Any) -> Callable[[Page], None]:
        def draw(page: Page) -> None:
            page.write(f"{HEADING} {CLAUSE.removesuffix(' to be greater than')}")
            page.y += 6.5
            x = page.line("to be greater than")
            page.sheet.acroForm.textfield(
                name="level", value=value, x=x + 3, y=page.last - 3, width=80, height=14, fontSize=10, borderWidth=0,
                fontName="Times-Roman", **more,
            )  # fmt: skip
            page.sheet.setFont(page.font, page.size)
            page.sheet.drawString(x + 86, page.last, ".")
            page.y -= 6.5

        return draw

    def stale() -> bytes:
        """The field's value and what is drawn for it differ."""
        data = pdf(field(LEVEL))
        assert b"/V (3.50 to 1.00)" in data
        return data.replace(b"/V (3.50 to 1.00)", b"/V (8.50 to 1.00)")

    held = f"<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{run(LEVEL)}</w:sdtContent></w:sdt>"
    shown = f"<w:sdt><w:sdtPr><w:showingPlcHdr/><w:text/></w:sdtPr><w:sdtContent>{run('9.00 to 1.00')}</w:sdtContent></w:sdt>"
    old = (
        "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:textInput><w:default w:val='9.00 to 1.00'/></w:textInput></w:ffData></w:fldChar></w:r>"
        "<w:r><w:instrText> FORMTEXT </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>"
        f"{run(LEVEL)}<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    pick = (
        "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='9.00 to 1.00'/>"
        f"<w:listEntry w:val='{LEVEL}'/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMDROPDOWN </w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    options = f"<select><option>9.00 to 1.00</option><option selected>{LEVEL}</option></select>"
    return [
        Variant("pdf: a text field", pdf(field(LEVEL)), "a.pdf"),
        Variant("pdf: a field whose value is not what is drawn", stale(), "a.pdf", ("flagged",)),
        Variant("html: input", web(f'<input type="text" value="{LEVEL}">'), "a.html"),
        Variant("html: textarea", web(f"<textarea>{LEVEL}</textarea>"), "a.html"),
        Variant("html: select", web(options), "a.html", ("right", "flagged")),
        Variant("html: a hidden input", web(f'<input type="hidden" value="9.00 to 1.00">{LEVEL}'), "a.html"),
        Variant("html: a placeholder", web('<input type="text" placeholder="9.00 to 1.00">'), "a.html", ("flagged",), None),
        Variant("docx: a content control", docx(held), "a.docx"),
        Variant("docx: a control that shows its placeholder", docx(shown), "a.docx", ("flagged",), None),
        Variant("docx: an old form field", docx(old), "a.docx"),
        Variant("docx: an old list", docx(pick), "a.docx", ("right", "flagged")),
    ]  # fmt: skip


def row_29() -> list[Variant]:
    """Running heads, page numbers and stamps inside the sentence of the level."""
    cut = CLAUSE.removesuffix("to be greater than")

    def pages(*edges: str) -> bytes:
        def draw(sheet: Any) -> None:
            for number, part in enumerate(
                ([*BEFORE], [f"{HEADING} {cut}"], [f"to be greater than {LEVEL}.", *AFTER], ["Schedule 1 Commitments"]), 1
            ):
                if number > 1:
                    sheet.showPage()
                page = Page(sheet)
                if "head" in edges:
                    sheet.drawString(72, 775, "Bracken Mills Company - Credit Agreement")
                if "stamp" in edges:
                    sheet.drawString(72, 762, "Envelope ID: 7A0C-44D1-B2")
                if "number" in edges:
                    sheet.drawString(300, 24, str(number + 40))
                if "dashed" in edges:
                    sheet.drawString(296, 24, f"- {number + 40} -")
                if "ratio" in edges:
                    sheet.drawString(72, 775, f"Page {number} of 4")
                page.write(*part)

        return shut(draw)

    break_ = '<hr style="page-break-after:always">'
    edge = '<p style="text-align:center">42</p>'
    plain = "".join(f"<p>{t}</p>" for t in BEFORE)
    words = web(
        body=f"{plain}{edge.replace('42', '41')}{break_}<p>{HEADING} {cut}</p>{edge}{break_}<p>to be greater than {LEVEL}.</p>{''.join(f'<p>{t}</p>' for t in AFTER)}{edge.replace('42', '43')}"
    )
    filed = web(
        body=f"{plain}<p>41</p><page><p>{HEADING} {cut}</p><p>42</p><page><p>to be greater than {LEVEL}.</p>{''.join(f'<p>{t}</p>' for t in AFTER)}<p>43</p><page>"
    )
    foot = f"<w:ftr {SPACE}>{para('Bracken Mills Credit Agreement 9.00 to 1.00')}</w:ftr>"
    laid = docx(
        run("<"),
        clause=para(run(f"{HEADING} {cut}") + "<w:r><w:lastRenderedPageBreak/></w:r>" + run(f"to be greater than {LEVEL}.")),
        parts={"footer": (foot, "footer")},
    )
    return [
        Variant("pdf: a page number", pages("number"), "a.pdf"),
        Variant("pdf: a dashed number", pages("dashed"), "a.pdf"),
        Variant("pdf: head and number", pages("head", "number"), "a.pdf"),
        Variant("pdf: head, stamp and number", pages("head", "stamp", "number"), "a.pdf"),
        Variant("pdf: page N of M", pages("ratio"), "a.pdf"),
        Variant("html: a number and a rule", words, "a.html"),
        Variant("html: marks of a filing", filed, "a.html"),
        Variant("docx: a foot with a figure", laid, "a.docx"),
    ]  # fmt: skip
