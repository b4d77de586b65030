"""Rows about files: pictures, passwords, damage, bombs, loops, names that lie."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from typing import Any

from awkward.paper import LEVEL, Variant, docx, para, pdf, run, shut, web
from awkward.raw import file_of, one_page, stream

__all__ = ["row_11", "row_15", "row_16", "row_17", "row_18", "row_19", "row_20", "row_21"]

GONE = ("refused",)


def _picture(data: bytes, dpi: int = 150) -> bytes:
    """The first page of a PDF as a PNG."""
    from conformed.model.document import Document
    from conformed_plugins.readers.pdf import PdfReader

    reader = PdfReader(ocr=False)
    document = reader.read("a.pdf", data)
    assert isinstance(document, Document)
    image = reader.image(document, data, 1, dpi)
    assert image is not None
    return image


def row_11() -> list[Variant]:
    """A scan: read by OCR and left to a person, or refused by name."""
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    plain = pdf(LEVEL)
    with Image.open(io.BytesIO(_picture(plain))) as opened:
        image = opened.convert("L")

    def whole(sheet: Any) -> None:
        sheet.drawImage(ImageReader(image), 0, 0, 612, 792)

    def layered(sheet: Any) -> None:
        """Somebody else's OCR lies on the picture, and misread the level."""
        text = sheet.beginText(72, 740)
        text.setTextRenderMode(3)
        text.setFont("Times-Roman", 10)
        from awkward.paper import AFTER, BEFORE, CLAUSE, HEADING, _lines

        for words in (*BEFORE, f"{HEADING} {CLAUSE} 8.50 to 1.00.", *AFTER):
            for line in _lines(words):
                text.textLine(line)
        sheet.drawText(text)
        sheet.drawImage(ImageReader(image), 0, 0, 612, 792)

    def patched() -> bytes:
        """A page of words whose level alone is a picture."""
        from PIL import ImageDraw, ImageFont

        tile = Image.new("L", (300, 44), 255)
        ImageDraw.Draw(tile).text((4, 2), LEVEL, fill=0, font=ImageFont.load_default(size=36))

        def finish(page: Any) -> None:
            from awkward.paper import CLAUSE, HEADING

            page.write(f"{HEADING} {CLAUSE.removesuffix(' to be greater than')}")
            x = page.line("to be greater than")
            page.sheet.drawImage(ImageReader(tile), x + 3, page.last - 2, 75, 11)
            page.y -= 6

        return pdf(finish)

    data = "data:image/png;base64,iVBORw0KGgo="
    return [
        Variant("pdf: a scan", shut(whole), "a.pdf", ("refused", "flagged")),
        Variant("pdf: a scan under somebody's layer of words", shut(layered), "a.pdf", ("flagged",)),
        Variant("pdf: the level alone is a picture", patched(), "a.pdf", ("flagged",)),
        Variant("html: a picture only", web(body=f'<img src="{data}">'), "a.html", GONE),
        Variant("html: the level alone is a picture", web(f'<img src="{data}" alt="">'), "a.html", ("flagged",)),
        Variant("html: a picture with other words beside it", web(f'<img src="{data}" alt="9.00 to 1.00">'), "a.html", ("flagged",)),
        Variant("docx: a picture only", docx(body="<w:p><w:r><w:drawing/></w:r></w:p>"), "a.docx", GONE),
        Variant("docx: the level alone is a picture", docx("<w:r><w:drawing/></w:r>"), "a.docx", ("flagged",)),
    ]  # fmt: skip


def _locked(user: str, strength: int) -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption

    return pdf(LEVEL, encrypt=StandardEncryption(user, ownerPassword="owner", strength=strength, canPrint=0))


def row_15() -> list[Variant]:
    """Restricted by an owner's password: opened, and told of."""
    guard = "<w:settings xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:documentProtection w:edit='readOnly' w:enforcement='1'/></w:settings>"
    return [
        Variant("pdf: 40 bits", _locked("", 40), "a.pdf", note="restricted"),
        Variant("pdf: 128 bits", _locked("", 128), "a.pdf", note="restricted"),
        Variant("docx: protected against writing", docx(run(LEVEL), parts={"settings": (guard, "settings")}), "a.docx"),
    ]


def row_16() -> list[Variant]:
    """A user's password."""
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(400)
    out = bytearray(docx(run(LEVEL)))
    for match in list(re.finditer(rb"PK\x03\x04|PK\x01\x02", bytes(out))):
        at = match.start() + (6 if match[0] == b"PK\x03\x04" else 8)
        out[at] |= 1  # every member says that it is encrypted
    return [
        Variant("pdf: 128 bits", _locked("secret", 128), "a.pdf", GONE),
        Variant("pdf: 40 bits", _locked("secret", 40), "a.pdf", GONE),
        Variant("docx: an encrypted package", ole, "a.docx", GONE),
        Variant("docx: encrypted members", bytes(out), "a.docx", GONE),
    ]


def row_17() -> list[Variant]:
    """A wrong directory: opened, and told of."""
    plain = pdf(LEVEL)
    place = int(re.findall(rb"startxref\s+(\d+)", plain)[-1])
    shifted = plain.replace(b"startxref\n%d" % place, b"startxref\n%d" % (place + 7))
    lost = re.sub(rb"startxref\s+\d+\s+%%EOF\s*$", b"", plain)
    out = bytearray(docx(run(LEVEL)))
    end = out.rindex(b"PK\x05\x06")
    out[end + 16 : end + 20] = (int.from_bytes(out[end + 16 : end + 20], "little") + 9).to_bytes(4, "little")
    return [
        Variant("pdf: a wrong place", shifted, "a.pdf", ("right", "refused"), note="repaired"),
        Variant("pdf: no place", lost, "a.pdf", ("right", "refused")),
        Variant("docx: a wrong place", bytes(out), "a.docx", ("right", "refused")),
    ]


def row_18() -> list[Variant]:
    """Cut in half."""
    found = []
    for share in (0.3, 0.5, 0.9):
        for name, data in (("a.pdf", pdf(LEVEL)), ("a.docx", docx(run(LEVEL)))):
            found.append(Variant(f"{name[2:]}: cut after {share}", data[: int(len(data) * share)], name, GONE))
    whole = web(LEVEL)
    cut = whole[: whole.index(b"3.50") + 3]
    return [*found, Variant("html: cut inside the level", cut, "a.html", ("flagged", "refused"))]


def row_19() -> list[Variant]:
    """No bytes; names that lie."""
    return [
        *(Variant(f"{name}: no bytes", b"", f"a.{name}", GONE) for name in ("pdf", "html", "docx")),
        Variant("html: named .pdf", web(LEVEL), "a.pdf", ("refused", "right")),
        Variant("pdf: named .html", pdf(LEVEL), "a.html", ("refused", "right")),
        Variant("pdf: named .docx", pdf(LEVEL), "a.docx", ("refused", "right")),
        Variant("docx: named .pdf", docx(run(LEVEL)), "a.pdf", ("refused", "right")),
        Variant("docx: named .html", docx(run(LEVEL)), "a.html", ("refused", "right")),
        Variant("html: named .docx", web(LEVEL), "a.docx", ("refused", "right")),
        Variant("pdf: a zip named .pdf", _zipped("x.txt", b"3.50"), "a.pdf", ("refused", "flagged")),
        Variant("html: bytes of nothing", bytes(range(256)) * 20, "a.html", ("refused",)),
    ]  # fmt: skip


def _zipped(name: str, data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def row_20() -> list[Variant]:
    """A stream that inflates without bound."""
    pressed = zlib.compressobj(9)
    block = b"q 1 0 0 1 0 0 cm Q " * 50_000
    body = b"".join(pressed.compress(block) for _ in range(320)) + pressed.flush()
    objects = one_page(b"")
    objects[3] = stream(body, b"/Filter/FlateDecode")
    packed = io.BytesIO(docx(run(LEVEL)))
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("word/styles.xml", (2024, 1, 1, 0, 0, 0)), b" " * (120 << 20), zipfile.ZIP_DEFLATED, 9)
    return [
        Variant("pdf: 300 megabytes of one stream", file_of(objects), "a.pdf", GONE),
        Variant("docx: 120 megabytes of one part", packed.getvalue(), "a.docx", ("refused", "right")),
        Variant("html: 30 megabytes of blanks", web(LEVEL) + b" " * (30 << 20), "a.html", ("refused", "right")),
    ]


def row_21() -> list[Variant]:
    """One page without end; elements inside elements without end."""
    objects = one_page(b"BT /F1 10 Tf 72 700 Td (3.50 to 1.00) Tj ET")
    many, loop = list(objects), list(objects)
    many[1] = b"<</Type/Pages/Count 50000/Kids[" + b"3 0 R " * 50_000 + b"]>>"
    loop[1] = b"<</Type/Pages/Count 2/Kids[3 0 R 2 0 R]>>"
    deep = web("<i>" * 60_000 + LEVEL)
    nested = "".join(["<w:sdt><w:sdtContent>"] * 900) + run(LEVEL) + "".join(["</w:sdtContent></w:sdt>"] * 900)
    entity = web(LEVEL).replace(b"<!DOCTYPE html>", b'<!DOCTYPE html [<!ENTITY a "3.50"><!ENTITY b "&a;&a;">]>')
    return [
        Variant("pdf: the same page 50,000 times", file_of(many), "a.pdf", ("refused",)),
        Variant("pdf: a tree that holds itself", file_of(loop), "a.pdf", ("refused", "flagged")),
        Variant("html: 60,000 deep", deep, "a.html", ("refused", "right")),
        Variant("html: entities of its own", entity, "a.html", ("refused",)),
        Variant("docx: 900 deep", docx(clause=para(nested)), "a.docx", ("refused",)),
    ]
