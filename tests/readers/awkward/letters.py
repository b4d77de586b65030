"""Rows about letters: hyphens at line ends, soft hyphens, ligatures, odd signs, spaced headings, maps that lie, mixed numbers."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import reportlab

from awkward.paper import AFTER, BEFORE, CLAUSE, HEADING, LEVEL, Page, Variant, docx, para, pdf, run, shut, web
from awkward.raw import file_of, one_page, stream

__all__ = ["row_01", "row_02", "row_03", "row_12", "row_13", "row_22", "row_27", "row_35"]

BREAK = "<w:r><w:br/></w:r>"


def _spoken(lines: tuple[str, ...]) -> Callable[[Page], None]:
    """The clause in lines of one's own."""

    def draw(page: Page) -> None:
        for line in lines:
            page.line(line)
        page.y -= 6.5

    return draw


def row_01() -> list[Variant]:
    """Words broken at line ends."""
    broken = (
        "Section 6.10 Leverage Ratio. The Borrower shall not permit the Lever-",
        "age Ratio as of the last day of any Fis-",
        "cal Quarter to be greater than 3.50 to 1.00.",
    )
    words = (
        "Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be",
        "greater than three and one-",
        "half to one.",
    )
    number = (
        "Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be",
        "greater than 3.50-",
        "to-1.00.",
    )
    split = (
        "Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be",
        "greater than 3.",
        "50 to 1.00.",
    )
    found = []
    for name, lines in (
        ("words", broken),
        ("a number in words", words),
        ("a ratio with hyphens", number),
        ("inside a number", split),
    ):
        want = ("right",) if name in {"words", "a number in words"} else ("right", "flagged")
        runs = BREAK.join(run(line) for line in lines)
        found += [
            Variant(f"pdf: {name}", pdf(_spoken(lines)), "a.pdf", want),
            Variant(f"html: {name}", web(clause=f"<p>{'<br>'.join(lines)}</p>"), "a.html", want),
            Variant(
                f"html: {name}, in the source", web(clause="<p>" + "\n".join(lines) + "</p>"), "a.html", ("right", "flagged")
            ),
            Variant(f"docx: {name}", docx(clause=para(runs)), "a.docx", want),
        ]
    firm = docx(
        clause=para(
            run(
                "Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be greater than three and one"
            )
            + "<w:r><w:noBreakHyphen/></w:r>"
            + run("half to one.")
        )
    )
    return [*found, Variant("docx: a hyphen that does not break", firm, "a.docx")]


def row_02() -> list[Variant]:
    """Soft hyphens."""
    soft = "\u00ad"
    said = f"Section 6.10 Lever{soft}age Ratio. The Borrower shall not permit the Lever{soft}age Ratio as of the last day of any Fis{soft}cal Quarter to be greater than 3.50 to 1.00."
    inside = f"Section 6.10 Leverage Ratio. {CLAUSE} 3.{soft}50 to 1.00."
    runs = (
        run(f"{HEADING} The Borrower shall not permit the Lever")
        + "<w:r><w:softHyphen/></w:r>"
        + run("age Ratio as of the last day of any Fiscal Quarter to be greater than 3.50 to 1.00.")
    )
    at_end = tuple(
        line.replace("-", soft)
        for line in (
            "Section 6.10 Leverage Ratio. The Borrower shall not permit the Lever-",
            "age Ratio as of the last day of any Fiscal Quarter to be greater than 3.50 to 1.00.",
        )
    )
    return [
        Variant("pdf: at a line's end", pdf(_spoken(at_end)), "a.pdf"),
        Variant("pdf: inside words, where it is drawn", pdf(_spoken((said[:96], said[96:]))), "a.pdf", ("right", "flagged")),
        Variant("html: inside words", web(clause=f"<p>{said}</p>"), "a.html"),
        Variant("html: by name", web(clause=f"<p>{said.replace(soft, '&shy;')}</p>"), "a.html"),
        Variant("html: inside a number", web(clause=f"<p>{inside}</p>"), "a.html"),
        Variant("html: spaces without width inside a number", web("3.\u200b5\u20600 to 1.00"), "a.html", ("right", "flagged")),
        Variant("docx: inside words", docx(clause=para(said)), "a.docx"),
        Variant("docx: as an element", docx(clause=para(runs)), "a.docx"),
        Variant("docx: inside a number", docx(clause=para(inside)), "a.docx"),
    ]  # fmt: skip


def row_03() -> list[Variant]:
    """Ligature glyphs in the words that matter."""
    said = f"Section 6.10 Leverage Ratio. {CLAUSE} {LEVEL}.".replace("Fiscal", "\ufb01scal").replace("fi", "\ufb01")
    defined = tuple(text.replace("fi", "\ufb01").replace("ffi", "\ufb03") for text in BEFORE)
    content = b"BT /F1 10 Tf 72 740 Td 13 TL\n"
    for text in (*BEFORE, f"{HEADING} {CLAUSE} {LEVEL}.", *AFTER):
        from awkward.paper import _lines

        for line in _lines(text):
            raw = line.replace("(", "\\(").replace(")", "\\)").replace("fi", "\\256").encode("latin-1")
            content += b"(" + raw + b") Tj T*\n"
    objects = one_page(content + b"ET")
    objects[4] = objects[4].replace(b"/WinAnsiEncoding", b"/StandardEncoding")
    return [
        Variant("pdf: the glyph fi", file_of(objects), "a.pdf"),
        Variant("pdf: a map of one glyph to two letters", _mapped({"\ufb01": "fi"}, said), "a.pdf"),
        Variant("html: the letter fi", web(clause=f"<p>{said}</p>", before=defined), "a.html"),
        Variant("docx: the letter fi", docx(clause=para(said), before=defined), "a.docx"),
    ]  # fmt: skip


@cache
def _vera() -> str:
    return str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")


def _mapped(change: dict[str, str], clause: str = "", *, encoding: bool = False) -> bytes:
    """The agreement in an embedded font whose map says other letters than it shows, or is taken out where there is no change."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    name = f"Vera{len(change)}{'e' if encoding else ''}{abs(hash(tuple(sorted(change.items())))) % 97}"
    pdfmetrics.registerFont(TTFont("VeraX", _vera()))

    def draw(sheet: Any) -> None:
        page = Page(sheet)
        page.font, page.size = "VeraX", 7.5
        sheet.setFont(page.font, page.size)
        page.write(*BEFORE, clause or f"{HEADING} {CLAUSE} {LEVEL}.", *AFTER)

    assert name
    data = shut(draw, pageCompression=0)
    return _relied(data, change)


def _relied(data: bytes, change: dict[str, str]) -> bytes:
    """The same file with other entries in its maps of characters; directory mended."""
    import zlib

    parts = re.split(rb"(?<=endobj)\s", data)
    out = []
    for part in parts:
        found = re.search(rb"stream\r?\n(.*)\r?\n?endstream", part, re.DOTALL)
        if found:
            body = found[1]
            try:
                plain = zlib.decompress(base64.a85decode(body.strip(), adobe=False) if b"ASCII85" in part else body)
            except (zlib.error, ValueError):
                plain = body
            if b"begincmap" in plain or b"beginbf" in plain:
                text = plain.decode("latin-1")
                for shown, says in change.items():
                    text = re.sub(
                        f"(?i)<{ord(shown):04X}>(?=\\s*(?:\\n|$|endbf))", "<" + "".join(f"{ord(c):04X}" for c in says) + ">", text
                    )
                    text = _listed(text, shown, says)
                body = text.encode("latin-1")
                part = b"%s<</Length %d>>\nstream\n%s\nendstream\nendobj" % (part[: part.index(b"<<")], len(body), body)
        out.append(part)
    return _again(b"\n".join(out))


def _listed(text: str, shown: str, says: str) -> str:
    """In a range whose letters are listed one by one."""
    target = "".join(f"{ord(c):04X}" for c in says)
    return re.sub(rf"(?i)(?<=[\[\s])<{ord(shown):04X}>(?=[\]\s])", f"<{target}>", text)


def _again(data: bytes) -> bytes:
    """A true directory for a file whose objects have moved."""
    objects = {int(m[1]): m.start() for m in re.finditer(rb"(?m)^(\d+) 0 obj", data)}
    body = data[: data.rindex(b"xref\n")] if b"xref\n" in data else data
    trailer = re.search(rb"trailer\s*(<<.*?>>)\s*startxref", data, re.DOTALL)
    assert trailer
    lines = b"".join(b"%010d 00000 n \n" % objects[n] for n in sorted(objects))
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + lines
        + b"trailer\n"
        + trailer[1]
        + b"\nstartxref\n%d\n%%%%EOF\n" % len(body)
    )


def row_12() -> list[Variant]:
    """A map of characters that lies: 3.50 is shown, the text says 8.50."""
    told = f"{HEADING} {CLAUSE} {LEVEL}."
    lie = b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <33> <0038> endbfchar endcmap"
    content = b"BT /F1 10 Tf 72 740 Td 13 TL\n"
    from awkward.paper import _lines

    for text in (*BEFORE, told, *AFTER):
        for line in _lines(text):
            content += b"(" + line.replace("(", "\\(").replace(")", "\\)").encode("latin-1") + b") Tj T*\n"
    objects = [*one_page(content + b"ET", font=b"/ToUnicode 6 0 R"), stream(lie)]
    differing = [*one_page(content + b"ET"), b""]
    differing[4] = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[56/three]>>>>"
    )
    shown8 = [
        *one_page(content.replace(b"3.50 to", b"8.50 to") + b"ET", font=b"/ToUnicode 6 0 R"),
        stream(lie.replace(b"<33> <0038>", b"<38> <0038>")),
    ]
    shown8[4] = (
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[56/three]>>/ToUnicode 6 0 R>>"
    )
    font = base64.b64encode(b"not looked at").decode()
    face = f"<style>@font-face{{font-family:x;src:url(data:font/ttf;base64,{font})}} .t{{font-family:x}}</style>"
    fonts = "<w:fonts xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main' xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'><w:font w:name='Own'><w:embedRegular r:id='f1'/></w:font></w:fonts>"
    symbol = run("\uf033.\uf035\uf030 to 1.00", "<w:rFonts w:ascii='Symbol' w:hAnsi='Symbol'/>")
    return [
        Variant("pdf: a standard encoding against its map", file_of(objects), "a.pdf", ("flagged",), note="text_layer_suspect"),
        Variant("pdf: an encoding with differences against its map", file_of(shown8), "a.pdf", ("flagged",), eye=True),
        Variant("pdf: an encoding with differences, no map", file_of(differing[:5]), "a.pdf", ("right", "flagged")),
        Variant("pdf: an embedded font, 3 said as 8", _mapped({"3": "8"}), "a.pdf", ("flagged",), eye=True),
        Variant("pdf: an embedded font, 5 said as 6", _mapped({"5": "6"}), "a.pdf", ("flagged",), eye=True),
        Variant("pdf: an embedded font, a point left out", _mapped({".": "\u200b"}), "a.pdf", ("flagged",)),
        Variant("pdf: an embedded font that is honest", _mapped({"q": "q"}), "a.pdf", eye=True),
        Variant("html: a font of its own", web(f'<span class="t">{LEVEL}</span>', head=face), "a.html", ("flagged",)),
        Variant("html: private letters", web("\ue033.\ue035\ue030 to 1.00"), "a.html", ("flagged",)),
        Variant("html: look-alike digits", web("\u0417.50 to 1.00"), "a.html", ("flagged",)),
        Variant("html: digits of another script", web("\u0663.\u0665\u0660 to 1.00"), "a.html", ("flagged", "right")),
        Variant("html: right to left", web("<bdo dir='rtl'>00.1 ot 05.3</bdo>"), "a.html", ("flagged",)),
        Variant("html: turned by a sign", web("\u202e00.1 ot 05.3\u202c"), "a.html", ("flagged",)),
        Variant("docx: an embedded font", docx(run(LEVEL, "<w:rFonts w:ascii='Own'/>"), parts={"fontTable": (fonts, "fontTable")}), "a.docx", ("flagged",)),
        Variant("docx: private letters", docx(symbol), "a.docx", ("flagged",)),
        Variant("docx: a symbol for a digit", docx("<w:r><w:sym w:font='Symbol' w:char='F033'/></w:r>" + run(".50 to 1.00")), "a.docx", ("flagged",)),
        Variant("docx: a font of symbols", docx(run(LEVEL, "<w:rFonts w:ascii='Wingdings' w:hAnsi='Wingdings'/>")), "a.docx", ("flagged",)),
    ]  # fmt: skip


def row_13() -> list[Variant]:
    """No map of characters."""
    told = f"{HEADING} {CLAUSE} {LEVEL}."

    def plain(*, level: bool) -> bytes:
        """A font with codes and no letters; for all words, or for the level alone."""
        content = b"BT /F1 10 Tf 72 740 Td 13 TL\n"
        from awkward.paper import _lines

        for text in (*BEFORE, told, *AFTER):
            for line in _lines(text):
                raw = line.replace("(", "\\(").replace(")", "\\)").encode("latin-1")
                if level and LEVEL in line:
                    first = line.replace(LEVEL, "\x00").split("\x00")[0].encode("latin-1")
                    codes = "".join(f"{ord(c) + 500:04X}" for c in LEVEL).encode()
                    content += b"(" + first + b") Tj /F2 10 Tf <" + codes + b"> Tj /F1 10 Tf (.) Tj T*\n"
                elif level:
                    content += b"(" + raw + b") Tj T*\n"
                else:
                    content += b"/F2 10 Tf <" + "".join(f"{ord(c) + 500:04X}" for c in line).encode() + b"> Tj T*\n"
        objects = one_page(content + b"ET")
        objects[2] = objects[2].replace(b"/F1 5 0 R", b"/F1 5 0 R/F2 6 0 R")
        objects += [
            b"<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[7 0 R]>>",
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Own/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor 8 0 R>>",
            b"<</Type/FontDescriptor/FontName/Own/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent 200/CapHeight 700/StemV 80>>",
        ]
        return file_of(objects)

    return [
        Variant("pdf: all words", plain(level=False), "a.pdf", ("flagged", "refused"), None),
        Variant("pdf: the level alone", plain(level=True), "a.pdf", ("flagged",)),
        Variant("html: (cid:3) as words", web("(cid:22).(cid:24)0 to 1.00"), "a.html", ("flagged",)),
        Variant("docx: the sign for no letter", docx(run("\ufffd.50 to 1.00")), "a.docx", ("flagged",)),
        Variant("html: the sign for no letter", web("\ufffd.50 to 1.00"), "a.html", ("flagged",)),
    ]  # fmt: skip


def row_22() -> list[Variant]:
    """Odd spaces, dashes, colons and quotes."""
    odd = f"Section\u00a06.10 Leverage\u00a0Ratio. {CLAUSE.replace(' ', chr(0x2009), 2)} 3.50\u2236\u20091.00."
    full = f"{HEADING} {CLAUSE} 3.50\uff1a1.00."
    words = f"{HEADING} {CLAUSE} three and one\u2011half to one."
    quoted = tuple(text.replace('"', "\u201d", 2) for text in BEFORE)
    smart = tuple(re.sub('"([^"]*)"', "\u201c\\1\u201d", text) for text in BEFORE)
    found = []
    for name, text, before in (
        ("a ratio sign and thin spaces", odd, BEFORE),
        ("a wide colon", full, BEFORE),
        ("a firm hyphen", words, BEFORE),
        ("smart quotes", f"{HEADING} {CLAUSE} {LEVEL}.", smart),
        ("closing quotes on both sides", f"{HEADING} {CLAUSE} {LEVEL}.", quoted),
    ):
        found += [
            Variant(f"html: {name}", web(clause=f"<p>{text}</p>", before=before), "a.html"),
            Variant(f"docx: {name}", docx(clause=para(text), before=before), "a.docx"),
        ]
    latin = f"Section\u00a06.10 Leverage\u00a0Ratio. {CLAUSE}\u00a03.50 to\u00a01.00."
    return [
        *found,
        Variant("pdf: no-break spaces and smart quotes", pdf(lambda page: page.write(latin), before=smart), "a.pdf"),
        Variant("pdf: a ratio sign", _mapped({"q": "q"}, f"{HEADING} {CLAUSE} 3.50\u22361.00."), "a.pdf", ("right", "flagged")),
        Variant("html: in windows-1252, unsaid", web(clause=f"<p>{HEADING} {CLAUSE} {LEVEL}.</p>", before=smart).replace(b"<meta charset='utf-8'>", b"").decode().encode("cp1252"), "a.html"),
    ]  # fmt: skip


def row_27() -> list[Variant]:
    """A spaced heading."""

    def spaced(gap: float) -> Callable[[Page], None]:
        def draw(page: Page) -> None:
            text = page.sheet.beginText(72, page.y)
            text.setFont(page.font, page.size)
            text.setCharSpace(gap)
            text.textOut("SECTION 6.10 LEVERAGE RATIO.")
            text.setCharSpace(0)
            page.sheet.drawText(text)
            page.y -= 13
            page.write(f"{CLAUSE} {LEVEL}.")

        return draw

    wide = "S E C T I O N  6.10 L E V E R A G E  R A T I O."
    return [
        Variant("pdf: 2 points", pdf(spaced(2)), "a.pdf"),
        Variant("pdf: 4 points", pdf(spaced(4)), "a.pdf", ("right", "flagged")),
        Variant("pdf: 8 points", pdf(spaced(8)), "a.pdf", ("right", "flagged")),
        Variant("html: by style", web(clause=f'<p><span style="letter-spacing:4pt">SECTION 6.10 LEVERAGE RATIO.</span> {CLAUSE} {LEVEL}.</p>'), "a.html"),
        Variant("html: by spaces", web(clause=f"<p>{wide} {CLAUSE} {LEVEL}.</p>"), "a.html", ("right", "flagged")),
        Variant("html: letters in elements", web(clause="<p>" + "".join(f"<span>{c}</span>" for c in HEADING) + f" {CLAUSE} {LEVEL}.</p>"), "a.html"),
        Variant("docx: by spacing", docx(clause=para(run("SECTION 6.10 LEVERAGE RATIO.", "<w:spacing w:val='80'/>") + run(f" {CLAUSE} {LEVEL}."))), "a.docx"),
        Variant("docx: by spaces", docx(clause=para(f"{wide} {CLAUSE} {LEVEL}.")), "a.docx", ("right", "flagged")),
        Variant("docx: letters in runs", docx(clause=para("".join(run(c) for c in f"{HEADING} {CLAUSE} {LEVEL}."))), "a.docx"),
    ]  # fmt: skip


def row_35() -> list[Variant]:
    """Mixed numbers and ratios in words."""
    half = Fraction(7, 2)
    sayings: tuple[tuple[str, Fraction | None], ...] = (
        ("three and one-half to one", half), ("3\u00bd to 1", half), ("3 1/2 to 1.0", half), ("3-1/2 to 1", half), ("3.5:1", half),
        ("three and one half to 1.00", half), ("3 \u00bd:1", half), ("3\u00be to 1.00", Fraction(15, 4)), ("three and a half times", half),
        ("three and one-quarter (3.25) to one (1)", Fraction(13, 4)), ("3.50x", half), ("350 per cent.", half), ("31/2 to 1", None),
    )  # fmt: skip
    found = []
    for number, (text, level) in enumerate(sayings):
        want = ("right", "flagged") if level is not None and number > 4 else ("right",) if level is not None else ("flagged",)
        found += [
            Variant(f"html: {text}", web(text), "a.html", want, level),
            Variant(f"docx: {text}", docx(run(text)), "a.docx", want, level),
            Variant(f"pdf: {text}", pdf(text), "a.pdf", want, level),
        ]
    third = '<w:vertAlign w:val="superscript"/>'
    below = '<w:vertAlign w:val="subscript"/>'

    def raised(page: Page) -> None:
        page.write(f"{HEADING} {CLAUSE.removesuffix(' to be greater than')}")
        page.y += 6.5
        x = page.line("to be greater than 3")
        for size, rise, text in ((6.5, 4.0, "1"), (10.0, 0.0, "/"), (6.5, 0.0, "2"), (10.0, 0.0, " to 1.00.")):
            page.sheet.setFont(page.font, size)
            page.sheet.drawString(x, page.last + rise, text)
            x += page.sheet.stringWidth(text, page.font, size)
        page.sheet.setFont(page.font, page.size)
        page.y -= 6.5

    return [
        *found,
        Variant("html: a raised fraction", web("3<sup>1</sup>/<sub>2</sub> to 1.00"), "a.html", ("right", "flagged")),
        Variant("html: a raised fraction with its sign", web("3<sup>1</sup>\u2044<sub>2</sub> to 1.00"), "a.html", ("right", "flagged")),
        Variant("docx: a raised fraction", docx(run("3") + run("1", third) + run("/") + run("2", below) + run(" to 1.00")), "a.docx", ("right", "flagged")),
        Variant("pdf: a raised fraction", pdf(raised), "a.pdf", ("right", "flagged")),
        Variant("docx: a formula", docx("<m:oMath xmlns:m='m'><m:r><m:t>3</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>" + run(" to 1.00")), "a.docx", ("right", "flagged")),
        Variant("html: a formula", web("<math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math> to 1.00"), "a.html", ("right", "flagged")),
    ]  # fmt: skip
