"""Rows about words that are there and do not count: note marks, struck, hidden, cropped, watermarks, revisions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from awkward.paper import CLAUSE, HEADING, LEVEL, SPACE, Page, Variant, docx, para, pdf, run, web

__all__ = ["row_04", "row_05", "row_14", "row_23", "row_24", "row_26", "row_37"]

OLD, BIG = "4.00 to 1.00", "9.00 to 1.00"
TAIL = "of any Fiscal Quarter to be greater than"


def _clause(finish: Callable[[Page, float], None], said: str = "") -> Callable[[Page], None]:
    """The clause up to the level, whose place is handed on."""

    def draw(page: Page) -> None:
        page.write(f"{HEADING} {CLAUSE.removesuffix(TAIL).rstrip()}")
        page.y += 6.5
        end = page.line(f"{TAIL} {said}".rstrip())
        finish(page, end + page.width(" "))
        page.y -= 6.5

    return draw


def _put(page: Page, x: float, y: float, text: str, size: float = 10.0) -> float:
    page.sheet.setFont(page.font, size)
    page.sheet.drawString(x, y, text)
    end = x + float(page.sheet.stringWidth(text, page.font, size))
    page.sheet.setFont(page.font, page.size)
    return end


def row_04() -> list[Variant]:
    """A raised note mark behind the ratio."""

    def mark(size: float, rise: float, text: str = "1", level: str = "3.50:1.00") -> bytes:
        def finish(page: Page, x: float) -> None:
            end = _put(page, x, page.last, level)
            end = _put(page, end, page.last + rise, text, size)
            _put(page, end, page.last, " for the period.")

        return pdf(_clause(finish))

    def one(markup: str, head: str = "") -> bytes:
        return web(f"3.50:1.00{markup}", head=head)

    raised = '<w:vertAlign w:val="superscript"/>'
    foot = f"<w:footnotes {SPACE}><w:footnote w:id='2'>{para('As defined above.')}</w:footnote></w:footnotes>"
    styles = f"<w:styles {SPACE}><w:style w:type='character' w:styleId='Ref'><w:rPr>{raised}</w:rPr></w:style></w:styles>"
    return [
        Variant("pdf: small and raised", mark(6.5, 4.5), "a.pdf"),
        Variant("pdf: two figures, small and raised", mark(6.0, 4.0, "12"), "a.pdf"),
        Variant("pdf: raised, the same size", mark(10.0, 4.0), "a.pdf", ("right", "flagged")),
        Variant("pdf: small, on the same line", mark(6.0, 0.0), "a.pdf", ("right", "flagged")),
        Variant("pdf: slightly smaller, slightly raised", mark(8.0, 2.0), "a.pdf", ("right", "flagged")),
        Variant("pdf: sunken", mark(6.5, -2.5), "a.pdf", ("right", "flagged")),
        Variant("pdf: a star", mark(7.0, 4.0, "*"), "a.pdf"),
        Variant("pdf: behind N.NNx", mark(6.5, 4.5, "2", "3.50x"), "a.pdf", ("right",)),
        Variant("html: sup", one("<sup>1</sup>"), "a.html"),
        Variant("html: vertical-align super", one('<span style="vertical-align:super;font-size:7pt">1</span>'), "a.html"),
        Variant("html: vertical-align by length", one('<span style="vertical-align:4pt;font-size:60%">1</span>'), "a.html"),
        Variant("html: vertical-align in a class", one('<span class="fn">1</span>', "<style>.fn {vertical-align: super}</style>"), "a.html"),
        Variant("html: relative top", one('<span style="position:relative;top:-4pt;font-size:7pt">1</span>'), "a.html"),
        Variant("html: relative bottom", one('<span style="position:relative; bottom: 0.4em;font-size:7pt">1</span>'), "a.html"),
        Variant("html: text-top", one('<small style="vertical-align:text-top">1</small>'), "a.html"),
        Variant("html: a link to the note", one('<a href="#n"><sup>(1)</sup></a>'), "a.html"),
        Variant("html: small only", one("<small>1</small>"), "a.html", ("right", "flagged")),
        Variant("html: the sign itself", one("\u00b9"), "a.html", ("right", "flagged")),
        Variant("docx: vertAlign", docx(run("3.50:1.00") + run("1", raised)), "a.docx"),
        Variant("docx: vertAlign by style", docx(run("3.50:1.00") + run("1", "<w:rStyle w:val='Ref'/>"), parts={"styles": (styles, "styles")}), "a.docx"),
        Variant("docx: position", docx(run("3.50:1.00") + run("1", '<w:position w:val="8"/><w:sz w:val="13"/>')), "a.docx"),
        Variant("docx: subscript", docx(run("3.50:1.00") + run("1", '<w:vertAlign w:val="subscript"/>')), "a.docx", ("right", "flagged")),
        Variant("docx: a footnote", docx(run("3.50:1.00") + "<w:r><w:footnoteReference w:id='2'/></w:r>", parts={"footnotes": (foot, "footnotes")}), "a.docx", ("right", "flagged")),
        Variant("docx: the sign itself", docx(run("3.50:1.00\u00b9")), "a.docx", ("right", "flagged")),
        Variant("docx: small only", docx(run("3.50:1.00") + run("1", '<w:sz w:val="12"/>')), "a.docx", ("right", "flagged")),
    ]  # fmt: skip


def row_05() -> list[Variant]:
    """The old ratio struck, the new one live beside it."""

    def struck(strike: Callable[[Page, float, float], None], order: str = "old new") -> bytes:
        def finish(page: Page, x: float) -> None:
            for which in order.split():
                end = _put(page, x, page.last, OLD if which == "old" else LEVEL)
                if which == "old":
                    strike(page, x, end)
                x = end + page.width(" ")
            _put(page, x - page.width(" "), page.last, ".")

        return pdf(_clause(finish))

    def line(page: Page, x: float, end: float) -> None:
        page.sheet.setLineWidth(0.6)
        page.sheet.line(x, page.last + 3, end, page.last + 3)

    def box(page: Page, x: float, end: float) -> None:
        page.sheet.rect(x, page.last + 2.7, end - x, 0.6, stroke=0, fill=1)

    def red(page: Page, x: float, end: float) -> None:
        page.sheet.setStrokeColorRGB(1, 0, 0)
        page.sheet.line(x, page.last + 3, end, page.last + 3)
        page.sheet.setStrokeColorRGB(0, 0, 0)

    def double(page: Page, x: float, end: float) -> None:
        page.sheet.setLineWidth(0.4)
        page.sheet.line(x, page.last + 2.4, end, page.last + 2.4)
        page.sheet.line(x, page.last + 3.6, end, page.last + 3.6)

    def pieces(page: Page, x: float, end: float) -> None:
        step = (end - x) / 4
        for part in range(4):
            page.sheet.line(x + part * step, page.last + 3, x + (part + 1) * step, page.last + 3)

    def annotation(page: Page, x: float, end: float) -> None:
        from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName

        y, top = page.last - 2, page.last + 8
        mark = PDFDictionary({
            "Type": PDFName("Annot"), "Subtype": PDFName("StrikeOut"), "Rect": PDFArray([x, y, end, top]),
            "QuadPoints": PDFArray([x, top, end, top, x, y, end, y]), "C": PDFArray([1, 0, 0]),
        })  # fmt: skip
        page.sheet._addAnnotation(mark)

    def markup(text: str, head: str = "") -> bytes:
        return web(f"{text} {LEVEL}", head=head)

    deleted = '<w:del w:id="1" w:author="a" w:date="2024-01-01T00:00:00Z">' + run(OLD, kind="delText") + "</w:del>"
    styles = (
        f"<w:styles {SPACE}><w:style w:type='character' w:styleId='Base'><w:rPr><w:strike/></w:rPr></w:style>"
        "<w:style w:type='character' w:styleId='Del'><w:basedOn w:val='Base'/></w:style></w:styles>"
    )
    moved = '<w:moveFrom w:id="4" w:author="a">' + run(OLD) + "</w:moveFrom>"
    ruled = "text-decoration-line: line-through"
    return [
        Variant("pdf: a line", struck(line), "a.pdf"),
        Variant("pdf: a line, the new ratio first", struck(line, "new old"), "a.pdf"),
        Variant("pdf: a thin rectangle", struck(box), "a.pdf"),
        Variant("pdf: a red line", struck(red), "a.pdf"),
        Variant("pdf: two lines", struck(double), "a.pdf"),
        Variant("pdf: a line in pieces", struck(pieces), "a.pdf"),
        Variant("pdf: a strike-out annotation", struck(annotation), "a.pdf"),
        Variant("html: s", markup(f"<s>{OLD}</s>"), "a.html"),
        Variant("html: del and ins", markup(f"<del>{OLD}</del>"), "a.html"),
        Variant("html: strike", markup(f"<strike>{OLD}</strike>"), "a.html"),
        Variant("html: style", markup(f'<span style="text-decoration:line-through">{OLD}</span>'), "a.html"),
        Variant("html: style by its long name", markup(f'<span style="{ruled}">{OLD}</span>'), "a.html"),
        Variant("html: class", markup(f'<span class="d">{OLD}</span>', "<style>.d{text-decoration:line-through}</style>"), "a.html"),
        Variant("html: class of an enclosing element", markup(f'<span class="d"><b>{OLD}</b></span>', "<style>span.d{color:red;text-decoration:line-through red}</style>"), "a.html"),
        Variant("html: selector of two", markup(f'<span class="d e">{OLD}</span>', "<style>p .d.e{text-decoration:line-through}</style>"), "a.html", ("right", "flagged")),
        Variant("html: selector of a descendant", markup(f'<span class="d"><i>{OLD}</i></span>', "<style>span.d i{text-decoration:line-through}</style>"), "a.html", ("right", "flagged")),
        Variant("html: selector by id", markup(f'<span id="d">{OLD}</span>', "<style>#d{text-decoration:line-through}</style>"), "a.html", ("right", "flagged")),
        Variant("html: selector by attribute", markup(f'<span data-x="d">{OLD}</span>', '<style>span[data-x="d"]{text-decoration:line-through}</style>'), "a.html", ("right", "flagged")),
        Variant("html: nested", markup("<font color='red'><s>4.<b>00</b> to <i>1.00</i></s></font>"), "a.html"),
        Variant("html: inside a media rule", markup(f'<span class="d">{OLD}</span>', "<style>@media all {.d{text-decoration:line-through}}</style>"), "a.html", ("right", "flagged")),
        Variant("docx: strike", docx(run(OLD, "<w:strike/>") + run(f" {LEVEL}")), "a.docx"),
        Variant("docx: dstrike", docx(run(OLD, "<w:dstrike/>") + run(f" {LEVEL}")), "a.docx"),
        Variant("docx: strike by a style's base", docx(run(OLD, "<w:rStyle w:val='Del'/>") + run(f" {LEVEL}"), parts={"styles": (styles, "styles")}), "a.docx"),
        Variant("docx: del", docx(deleted + run(f" {LEVEL}")), "a.docx"),
        Variant("docx: moveFrom", docx(moved + run(f" {LEVEL}")), "a.docx"),
        Variant("docx: a strike switched off", docx(run(LEVEL, '<w:strike w:val="0"/>')), "a.docx"),
    ]  # fmt: skip


def row_14() -> list[Variant]:
    """Words drawn twice."""

    def twice(shift: float, level: str = LEVEL) -> bytes:
        def finish(page: Page, x: float) -> None:
            end = _put(page, x, page.last, level)
            _put(page, x + shift, page.last, level)
            _put(page, end, page.last, ".")

        return pdf(_clause(finish))

    def letters(page: Page, x: float) -> None:
        for letter in LEVEL:
            end = _put(page, x, page.last, letter)
            _put(page, x + 0.3, page.last, letter)
            x = end
        _put(page, x, page.last, ".")

    return [
        Variant("pdf: 0.3 points apart", twice(0.3), "a.pdf"),
        Variant("pdf: on the same spot", twice(0.0), "a.pdf"),
        Variant("pdf: a shadow 1 point apart", twice(1.0), "a.pdf", ("right", "flagged")),
        Variant("pdf: letter by letter", pdf(_clause(letters)), "a.pdf"),
        Variant("pdf: with digits that repeat", twice(0.3, "3.550 to 1.000"), "a.pdf", level=Fraction("3.55")),
        Variant("html: for the eye and for a machine", web(f'<span aria-hidden="true">{LEVEL}</span><span style="position:absolute;left:-9999px">{LEVEL}</span>'), "a.html"),
    ]  # fmt: skip


def row_23() -> list[Variant]:
    """A second level that nobody sees, before or behind the one that is seen."""

    def unseen(draw: Callable[[Page, float, float], None], *, first: bool = True) -> bytes:
        def finish(page: Page, x: float) -> None:
            wide = page.width(f"{BIG} ")
            if first:
                draw(page, x, page.last)
                end = _put(page, x + wide, page.last, LEVEL)
            else:
                end = _put(page, x, page.last, LEVEL)
                draw(page, end + page.width(" "), page.last)
                end += wide
            _put(page, end, page.last, ".")

        return pdf(_clause(finish))

    def digit(draw: Callable[[Page, float, float], None], text: str = "1") -> bytes:
        """Only a digit is unseen, and it touches the level: read with it, the level is another."""

        def finish(page: Page, x: float) -> None:
            draw(page, x, page.last)
            end = _put(page, x + page.width(text), page.last, LEVEL)
            _put(page, end, page.last, ".")

        return pdf(_clause(finish))

    def one(setup: Callable[[Page, float, float], None]) -> Callable[[Page, float, float], None]:
        def draw(page: Page, x: float, y: float) -> None:
            page.sheet.saveState()
            setup(page, x, y)
            page.sheet.drawString(x, y, "1")
            page.sheet.restoreState()
            page.sheet.setFont(page.font, page.size)

        return draw

    def boxed(page: Page, x: float, y: float) -> None:
        _put(page, x, y, "1")
        page.sheet.setFillColorRGB(1, 1, 1)
        page.sheet.rect(x - 0.5, y - 3, page.width("1") + 0.3, 12, stroke=0, fill=1)
        page.sheet.setFillColorRGB(0, 0, 0)

    def ruled_out(page: Page, x: float, y: float) -> None:
        end = _put(page, x, y, "1")
        page.sheet.setLineWidth(0.6)
        page.sheet.line(x, y + 3, end, y + 3)

    def coloured(red: float, green: float, blue: float) -> Callable[[Page, float, float], None]:
        def draw(page: Page, x: float, y: float) -> None:
            page.sheet.setFillColorRGB(red, green, blue)
            _put(page, x, y, BIG)
            page.sheet.setFillColorRGB(0, 0, 0)

        return draw

    def mode(page: Page, x: float, y: float) -> None:
        text = page.sheet.beginText(x, y)
        text.setTextRenderMode(3)
        text.textOut(BIG)
        page.sheet.saveState()
        page.sheet.drawText(text)
        page.sheet.restoreState()

    def tiny(page: Page, x: float, y: float) -> None:
        _put(page, x, y, BIG, 1.0)

    def covered(page: Page, x: float, y: float) -> None:
        end = _put(page, x, y, BIG)
        page.sheet.setFillColorRGB(1, 1, 1)
        page.sheet.rect(x - 1, y - 3, end - x + 2, 12, stroke=0, fill=1)
        page.sheet.setFillColorRGB(0, 0, 0)

    def replaced(page: Page, x: float, y: float) -> None:
        """The level itself is covered, and another drawn on top."""
        covered(page, x, y)

    def alpha(page: Page, x: float, y: float) -> None:
        page.sheet.saveState()
        page.sheet.setFillAlpha(0)
        _put(page, x, y, BIG)
        page.sheet.restoreState()

    def clip(page: Page, x: float, y: float) -> None:
        page.sheet.saveState()
        path = page.sheet.beginPath()
        path.rect(0, 0, 1, 1)
        page.sheet.clipPath(path, stroke=0)
        _put(page, x, y, BIG)
        page.sheet.restoreState()

    def dark(page: Page, x: float, y: float) -> None:
        wide = page.width(BIG)
        page.sheet.rect(x - 1, y - 3, wide + 2, 12, stroke=0, fill=1)
        _put(page, x, y, BIG)

    def gone(style: str, head: str = "") -> bytes:
        # Two attacks in one: a level before the true one, and a digit that would make the true one another.
        return web(f'<span style="{style}">{BIG} </span><span style="{style}">1</span>{LEVEL}', head=head)

    def ruled(css: str) -> bytes:
        return web(f'<span class="g">1</span>{LEVEL}', head=f"<style>{css}</style>")

    def hidden(properties: str) -> bytes:
        return docx(run("1", properties) + run(LEVEL))

    styles = f"<w:styles {SPACE}><w:style w:type='character' w:styleId='Gone'><w:rPr><w:vanish/></w:rPr></w:style></w:styles>"
    held = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> SET x 9.00 to 1.00 </w:instrText></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
    return [
        Variant("pdf: white on white", unseen(coloured(1, 1, 1)), "a.pdf"),
        Variant("pdf: nearly white", unseen(coloured(0.985, 0.985, 0.985)), "a.pdf"),
        Variant("pdf: render mode 3", unseen(mode), "a.pdf"),
        Variant("pdf: one point", unseen(tiny), "a.pdf"),
        Variant("pdf: covered by a box", unseen(covered), "a.pdf"),
        Variant("pdf: covered, behind", unseen(covered, first=False), "a.pdf"),
        Variant("pdf: transparent", unseen(alpha), "a.pdf"),
        Variant("pdf: clipped away", unseen(clip), "a.pdf"),
        Variant("pdf: black on black", unseen(dark), "a.pdf"),
        Variant("pdf: a white digit", digit(one(lambda page, _x, _y: page.sheet.setFillColorRGB(1, 1, 1))), "a.pdf", ("right", "flagged")),
        Variant("pdf: a transparent digit", digit(one(lambda page, _x, _y: page.sheet.setFillAlpha(0))), "a.pdf", ("right", "flagged")),
        Variant("pdf: a digit of one point", digit(one(lambda page, _x, _y: page.sheet.setFont(page.font, 1))), "a.pdf", ("right", "flagged")),
        Variant("pdf: a covered digit", digit(boxed), "a.pdf", ("right", "flagged")),
        Variant("pdf: a struck digit", digit(ruled_out), "a.pdf", ("right", "flagged")),
        Variant("html: display:none", gone("display:none"), "a.html"),
        Variant("html: display: none in a class", ruled(".g{display:none}"), "a.html"),
        Variant("html: visibility", gone("visibility:hidden"), "a.html"),
        Variant("html: opacity", gone("opacity:0"), "a.html"),
        Variant("html: opacity nearly", gone("opacity:0.01"), "a.html", ("right", "flagged")),
        Variant("html: a comment inside a style", gone("display:/* x */none"), "a.html"),
        Variant("html: faded", gone("filter:opacity(0)"), "a.html"),
        Variant("html: filled with nothing", gone("-webkit-text-fill-color:transparent"), "a.html"),
        Variant("html: a colour by name", gone("color:var(--x)", "<style>:root{--x:#fff}</style>"), "a.html", ("flagged",)),
        Variant("html: a style in another file", gone("", '<link rel="stylesheet" href="x.css">'), "a.html", ("flagged",), None),
        Variant("html: size nought", gone("font-size:0"), "a.html"),
        Variant("html: one pixel", gone("font-size:1px"), "a.html"),
        Variant("html: white", gone("color:#FFFFFF"), "a.html"),
        Variant("html: white by rgb", gone("color:rgb(255, 255, 255)"), "a.html"),
        Variant("html: white by rgba", gone("color:rgba(255,255,255,1)"), "a.html"),
        Variant("html: nearly white", gone("color:#fefefe"), "a.html"),
        Variant("html: transparent", gone("color:transparent"), "a.html"),
        Variant("html: white by hsl", gone("color:hsl(0,0%,100%)"), "a.html"),
        Variant("html: font color", web(f'<font color="white">{BIG} </font>{LEVEL}'), "a.html"),
        Variant("html: off the page", gone("position:absolute;left:-9999px"), "a.html"),
        Variant("html: off the page in em", gone("position:absolute;left:-999em"), "a.html"),
        Variant("html: off the page to the right", gone("position:absolute;right:-10000px"), "a.html"),
        Variant("html: moved off", gone("display:inline-block;transform:translateX(-10000px)"), "a.html"),
        Variant("html: scaled away", gone("display:inline-block;transform:scale(0)"), "a.html"),
        Variant("html: clipped", gone("position:absolute;clip:rect(0,0,0,0)"), "a.html"),
        Variant("html: clip-path", gone("clip-path:inset(100%)"), "a.html"),
        Variant("html: no height", gone("display:inline-block;height:0;overflow:hidden"), "a.html"),
        Variant("html: no width", gone("display:inline-block;width:0px;overflow:hidden"), "a.html"),
        Variant("html: hidden attribute", web(f"<span hidden>{BIG} </span>{LEVEL}"), "a.html"),
        Variant("html: a closed detail", web(f"<details><summary>More</summary>{BIG} </details>{LEVEL}"), "a.html", ("right", "flagged")),
        Variant("html: a comment and a script", web(f"<!-- {BIG} --><script>var a='{BIG}'</script><noscript>{BIG} </noscript>{LEVEL}"), "a.html"),
        Variant("html: black on black", gone("color:#000;background-color:#000"), "a.html"),
        Variant("html: selector of two", web(f'<div class="q"><span class="g">{BIG} </span></div>{LEVEL}', head="<style>.q .g{display:none}</style>"), "a.html", ("right", "flagged")),
        Variant("html: drawn by a style", web(f'<span class="g">{LEVEL}</span>', head='<style>.g{font-size:0}.g::after{content:"9.00 to 1.00";font-size:12pt}</style>'), "a.html", ("flagged",), None),
        Variant("docx: vanish", hidden("<w:vanish/>"), "a.docx"),
        Variant("docx: hidden on the web only, so that it is seen", docx(run(LEVEL, "<w:webHidden/>")), "a.docx"),
        Variant("docx: specVanish", hidden("<w:specVanish/><w:vanish/>"), "a.docx"),
        Variant("docx: vanish by style", docx(run(f"{BIG} ", "<w:rStyle w:val='Gone'/>") + run(LEVEL), parts={"styles": (styles, "styles")}), "a.docx"),
        Variant("docx: white", hidden('<w:color w:val="FFFFFF"/>'), "a.docx"),
        Variant("docx: nearly white", hidden('<w:color w:val="FEFEFE"/>'), "a.docx"),
        Variant("docx: filled with nothing", hidden("<w14:textFill xmlns:w14='x14'><w14:noFill/></w14:textFill>"), "a.docx"),
        Variant("docx: filled with white", hidden("<w14:textFill xmlns:w14='x14'><w14:solidFill><w14:srgbClr w14:val='FFFFFF'/></w14:solidFill></w14:textFill>"), "a.docx"),
        Variant("docx: white by theme", hidden('<w:color w:themeColor="background1"/>'), "a.docx"),
        Variant("docx: black on black by shade", hidden('<w:color w:val="000000"/><w:shd w:val="solid" w:color="000000"/>'), "a.docx"),
        Variant("docx: one point", hidden('<w:sz w:val="2"/>'), "a.docx"),
        Variant("docx: black on black", hidden('<w:color w:val="000000"/><w:shd w:val="clear" w:fill="000000"/>'), "a.docx"),
        Variant("docx: squeezed to nothing", hidden('<w:w w:val="1"/>'), "a.docx"),
        Variant("docx: a field's instruction", docx(held + run(LEVEL)), "a.docx"),
    ]  # fmt: skip


def row_24() -> list[Variant]:
    """Words outside the crop box, or off the page."""

    def crop(sheet: object) -> None:
        sheet.setCropBox((40, 40, 540, 780))  # type: ignore[attr-defined]

    def beside(x: float, y: float | None = None) -> Callable[[Page], None]:
        def finish(page: Page, at: float) -> None:
            end = _put(page, at, page.last, LEVEL + ".")
            assert end < 540
            _put(page, x, page.last if y is None else y, BIG)

        return _clause(finish)

    frame = "<w:framePr w:hAnchor='page' w:vAnchor='page' w:x='-20000' w:y='100'/>"
    outside = para(run(f"{HEADING} {CLAUSE} {BIG}."), frame)
    return [
        Variant("pdf: right of the crop box, on the line", pdf(beside(542), start=crop), "a.pdf", note="hidden_text"),
        Variant("pdf: below the crop box", pdf(beside(100, 20), start=crop), "a.pdf", note="hidden_text"),
        Variant("pdf: off the media box", pdf(beside(700)), "a.pdf"),
        Variant("pdf: half outside", pdf(beside(520), start=crop), "a.pdf", ("right", "flagged")),
        Variant("docx: a frame off the page", docx(clause=outside + para(f"{HEADING} {CLAUSE} {LEVEL}.")), "a.docx", ("right", "flagged")),
        Variant("html: a negative margin", web(f'<span style="margin-left:-9999px;display:inline-block">{BIG} </span>{LEVEL}'), "a.html"),
    ]  # fmt: skip


def row_26() -> list[Variant]:
    """A slanted DRAFT behind the words."""

    def stamped(angle: float, word: str = "SPECIMEN", size: float = 80) -> bytes:
        def finish(page: Page, x: float) -> None:
            sheet = page.sheet
            sheet.saveState()
            sheet.translate(150, page.last - 60)
            sheet.rotate(angle)
            sheet.setFont("Helvetica", size)
            sheet.setFillGray(0.9)
            sheet.drawString(0, 0, word)
            sheet.restoreState()
            sheet.setFont(page.font, page.size)
            _put(page, x, page.last, LEVEL + ".")

        return pdf(_clause(finish))

    header = f"<w:hdr {SPACE}><w:p><w:r><w:pict><v:shape><v:textpath string='SPECIMEN'/></v:shape></w:pict></w:r></w:p></w:hdr>"
    return [
        Variant("pdf: at 45 degrees", stamped(45), "a.pdf"),
        Variant("pdf: at 30 degrees with a figure", stamped(30, "COPY 9.00 to 1.00", 50), "a.pdf"),
        Variant("pdf: upright, large and grey", stamped(0), "a.pdf", ("right", "flagged")),
        Variant("pdf: a draft", stamped(45, "DRAFT"), "a.pdf", ("right", "flagged")),
        Variant("html: laid over the page", web(f'<span style="position:fixed;top:200px;left:100px;opacity:0.1;transform:rotate(-45deg);font-size:90pt">SPECIMEN</span>{LEVEL}'), "a.html"),
        Variant("docx: in the head", docx(run(LEVEL), parts={"header": (header, "header")}), "a.docx"),
    ]  # fmt: skip


def row_37() -> list[Variant]:
    """Tracked changes and redlines by format: the final text counts, the deletion is kept apart."""
    who = 'w:id="1" w:author="a" w:date="2024-01-01T00:00:00Z"'

    def deleted(text: str) -> str:
        return f"<w:del {who}>{run(text, kind='delText')}</w:del>"

    def added(text: str) -> str:
        return f"<w:ins {who}>{run(text)}</w:ins>"

    def table(rows: str) -> bytes:
        lead = para(f"{HEADING} {CLAUSE} the ratio set opposite the period:")
        return docx(clause=f"{lead}<w:tbl>{rows}</w:tbl>{para('')}")

    def row(period: str, level: str, properties: str = "") -> str:
        return f"<w:tr><w:trPr>{properties}</w:trPr><w:tc>{para(period)}</w:tc><w:tc>{para(level)}</w:tc></w:tr>"

    early, late = "March 31, 2023 through December 31, 2024", "March 31, 2025 and thereafter"
    gone = f"<w:del {who}/>"
    cells = (
        f"<w:tr><w:tc>{para(early)}</w:tc><w:tc><w:tcPr><w:cellDel {who}/></w:tcPr>{para(OLD)}</w:tc>"
        f"<w:tc><w:tcPr><w:cellIns {who}/></w:tcPr>{para(LEVEL)}</w:tc></w:tr>"
    )
    formatted = (
        run("3.", f"<w:b/><w:rPrChange {who}><w:rPr><w:strike/></w:rPr></w:rPrChange>")
        + run("50 to 1.00", f"<w:rPrChange {who}><w:rPr><w:vanish/></w:rPr></w:rPrChange>")
    )  # fmt: skip
    paragraph = para(run(f"{HEADING} {CLAUSE} ") + f"<w:del {who}>{run(OLD, kind='delText')}</w:del>", f"<w:rPr>{gone}</w:rPr>")
    merged = paragraph + para(run(LEVEL + "."))
    moved = (
        f"<w:moveFromRangeStart {who} w:name='m'/><w:moveFrom {who}>{run(OLD)}</w:moveFrom><w:moveFromRangeEnd w:id='1'/>"
        f"<w:moveTo {who}>{run(LEVEL)}</w:moveTo>"
    )
    both = f"<w:ins {who}><w:del {who}>{run(BIG, kind='delText')}</w:del></w:ins>"
    ruled = "<tr><td>{0}</td><td>{1}</td></tr>"
    html_table = f"<p>{HEADING} {CLAUSE} the ratio set opposite the period:</p><table>{ruled.format(early, LEVEL)}<tr><td><s>{early}</s></td><td><s>{OLD}</s></td></tr>{ruled.format(late, '3.00 to 1.00')}</table>"

    def redline(page: Page, x: float) -> None:
        page.sheet.setFillColorRGB(0.8, 0, 0)
        page.sheet.setStrokeColorRGB(0.8, 0, 0)
        end = _put(page, x, page.last, OLD)
        page.sheet.line(x, page.last + 3, end, page.last + 3)
        page.sheet.setFillColorRGB(0, 0, 0.8)
        page.sheet.setStrokeColorRGB(0, 0, 0.8)
        start = end
        end = _put(page, start, page.last, LEVEL)
        for drop in (1.2, 2.4):
            page.sheet.line(start, page.last - drop, end, page.last - drop)
        page.sheet.setFillColorRGB(0, 0, 0)
        _put(page, end, page.last, ".")

    return [
        Variant("pdf: struck in red, underlined in blue", pdf(_clause(redline)), "a.pdf"),
        Variant("docx: del and ins", docx(deleted(OLD) + added(LEVEL)), "a.docx"),
        Variant("docx: one digit", docx(run("3.") + deleted("75") + added("50") + run(" to 1.00")), "a.docx"),
        Variant("docx: moved", docx(moved), "a.docx"),
        Variant("docx: inserted, then deleted", docx(both + added(LEVEL)), "a.docx"),
        Variant("docx: changes of format only", docx(formatted), "a.docx"),
        Variant("docx: a paragraph mark deleted", docx(clause=merged), "a.docx"),
        Variant("docx: a deleted row", table(row(early, BIG, gone) + row(early, LEVEL) + row(late, "3.00 to 1.00")), "a.docx"),
        Variant("docx: an inserted row", table(row(early, OLD, gone) + row(early, LEVEL, f"<w:ins {who}/>") + row(late, "3.00 to 1.00")), "a.docx"),
        Variant("docx: deleted and inserted cells", table(cells + row(late, "3.00 to 1.00")), "a.docx", ("right", "flagged")),
        Variant("docx: a deleted clause", docx(clause=para(f"<w:del {who}>{run(f'{HEADING} {CLAUSE} {BIG}.', kind='delText')}</w:del>", f"<w:rPr>{gone}</w:rPr>") + para(f"{HEADING} {CLAUSE} {LEVEL}.")), "a.docx"),
        Variant("docx: a deleted field result", docx("<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> REF a </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>" + deleted(OLD) + added(LEVEL) + "<w:r><w:fldChar w:fldCharType='end'/></w:r>"), "a.docx"),
        Variant("html: del and ins", web(f"<del>{OLD}</del><ins>{LEVEL}</ins>"), "a.html"),
        Variant("html: one digit", web("3.<del>75</del><ins>50</ins> to 1.00"), "a.html"),
        Variant("html: struck and double underlined", web(f'<span style="color:red;text-decoration:line-through">{OLD}</span><span style="color:blue;border-bottom:3px double">{LEVEL}</span>'), "a.html"),
        Variant("html: a struck row", web(clause=html_table), "a.html"),
        Variant("html: a struck clause", web(clause=f"<p><s>{HEADING} {CLAUSE} {BIG}.</s></p><p><u>{HEADING} {CLAUSE} {LEVEL}.</u></p>"), "a.html"),
        Variant("html: an undone strike", web(f'<s>{OLD}<span style="display:inline-block;text-decoration:none"> </span></s>{LEVEL}'), "a.html"),
    ]  # fmt: skip
