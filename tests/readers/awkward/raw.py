"""PDFs written object by object, for what no library would write."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["file_of", "one_page", "stream"]


def file_of(objects: Sequence[bytes]) -> bytes:
    """A PDF of some objects, the first of them the catalogue, with a true directory."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(body: bytes, keys: bytes = b"") -> bytes:
    """A stream object."""
    return b"<<" + keys + b"/Length %d>>\nstream\n" % len(body) + body + b"\nendstream"


def one_page(content: bytes, font: bytes = b"") -> list[bytes]:
    """The objects of a file with one page: catalogue, tree, page, content, font."""
    return [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding" + font + b">>",
    ]
