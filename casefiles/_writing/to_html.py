"""Blocks to HTML as a filing agent would write it: inline styles, page numbers and rules between pages."""

from __future__ import annotations

import re

from .blocks import Block

__all__ = ["to_html"]

FONT = "font-family:'Times New Roman',Times,serif;font-size:10pt"
CELL = "border:1px solid #000;padding:2pt 5pt;vertical-align:top"
WORDS_A_PAGE = 430


def markup(text: str) -> str:
    """Our marks to spans with inline styles."""
    text = text.replace("&", "&amp;").replace("\n", "<br>")
    text = text.replace("<u>", '<span style="text-decoration:underline;color:#0000c0">').replace("</u>", "</span>")
    text = text.replace("<s>", '<span style="text-decoration:line-through;color:#c00000">').replace("</s>", "</span>")
    text = text.replace("<b>", '<span style="font-weight:bold">').replace("</b>", "</span>")
    return text.replace("<i>", '<span style="font-style:italic">').replace("</i>", "</span>").replace("$", "&#36;")


def paragraph(text: str, extra: str = "", indent: int = 0) -> str:
    """One paragraph."""
    left = f";margin-left:{indent * 0.4:.1f}in" if indent else ""
    return f'<p style="margin:0 0 9pt 0;{FONT}{left}{extra}">{markup(text)}</p>'


def grid(block: Block) -> str:
    """A table."""
    total = sum(block.widths)
    rows = []
    for index, row in enumerate(block.rows):
        weight = ";font-weight:bold" if block.header and not index else ""
        cells = [
            f'<td style="{CELL};width:{round(100 * share / total)}%;{FONT}{weight}">{markup(cell)}</td>'
            for share, cell in zip(block.widths, row, strict=True)
        ]
        rows.append("<tr>" + "".join(cells) + "</tr>")
    return '<table style="border-collapse:collapse;width:90%;margin:0 auto 9pt auto">\n' + "\n".join(rows) + "\n</table>"


def words(block: Block) -> int:
    """About how many words a block takes on a page."""
    if block.kind == "table":
        return 12 * len(block.rows) + sum(len(cell.split()) for row in block.rows for cell in row)
    return len(block.text.split()) + 8 + 10 * len(block.lines)


def pages(blocks: list[Block]) -> list[list[Block]]:
    """Blocks cut into pages."""
    found: list[list[Block]] = [[]]
    count = 0
    for block in blocks:
        if block.kind in {"break", "body"} or count > WORDS_A_PAGE:
            found.append([])
            count = 0
        found[-1].append(block)
        count += words(block)
    return found


def to_html(blocks: list[Block], *, name: str) -> str:
    """The text of an HTML file.

    Args:
        blocks: the document.
        name: title of the page.
    """
    cut = pages(blocks)
    has_toc = any(block.kind == "toc" for block in blocks)
    first = next((number for number, page in enumerate(cut) if any(block.kind == "body" for block in page)), 0)
    places = [(block, number - first + 1) for number, page in enumerate(cut) for block in page if block.label]
    out = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f"<title>{markup(name)}</title>",
        "</head>",
        '<body style="margin:0.5in">',
    ]
    for number, page in enumerate(cut):
        for block in page:
            out += render(block, places)
        if number + 1 < len(cut):
            shown = str(number - first + 1) if number >= first else "ivx"[:1] * max(1, number)
            if number or not has_toc:
                out.append(f'<p style="text-align:center;{FONT}">{shown}</p>')
            out.append('<hr style="page-break-after:always;width:100%">')
    out += ["</body>", "</html>", ""]
    return "\n".join(out)


def render(block: Block, places: list[tuple[Block, int]]) -> list[str]:
    """The lines of one block."""
    match block.kind:
        case "break" | "body":
            return []
        case "space":
            return [f'<div style="height:{block.level}pt"></div>']
        case "table":
            return [grid(block)]
        case "title":
            return [paragraph(f"<b>{block.text}</b>", ";text-align:center;font-size:15pt")]
        case "centre":
            return [paragraph(block.text, ";text-align:center")]
        case "article":
            place = "center" if "\n" in block.text else "left"
            return [paragraph(f"<b>{block.text}</b>", f";text-align:{place};margin-top:12pt")]
        case "signature":
            lines = "<br>".join(markup(line) for line in block.lines)
            return [f'<p style="margin:0 0 16pt 45%;{FONT}">{lines}</p>']
        case "toc":
            rows = []
            for entry, page in places:
                indent = "0.3in" if entry.kind == "section" else "0"
                label = re.sub(r"\s+", " ", entry.label)
                left = f'<td style="padding-left:{indent};{FONT}">{markup(label)}</td>'
                rows.append(f'<tr>{left}<td style="text-align:right;{FONT}">{page}</td></tr>')
            return ['<table style="width:100%">', *rows, "</table>"]
        case _:
            return [paragraph(block.text, ";text-align:justify", block.level if block.kind == "para" else 0)]
