"""Pictures of pages, as PNG, without an imaging library."""

from __future__ import annotations

import ctypes
import struct
import zlib
from typing import Any

from .native import Opened, RefusedError, call, load_page, open_document, raw
from .text import sheet_of

__all__ = ["grey_page", "image", "png"]

MOST_PIXELS = 40_000_000
"""A page as shown never becomes more pixels than this; a larger one is drawn at a lower resolution."""
MOST_GREY_PIXELS = 12_000_000
"""The same for OCR."""

_create = call("FPDFBitmap_CreateEx")
_destroy = call("FPDFBitmap_Destroy")
_paint = call("FPDFBitmap_FillRect")
_buffer = call("FPDFBitmap_GetBuffer")
_stride = call("FPDFBitmap_GetStride")
_render = call("FPDF_RenderPageBitmap")


def image(data: Any, asked: dict[str, Any]) -> bytes:
    """A page (``page``, 0-based) at ``dpi`` as a PNG in colour.

    Raises:
        RefusedError: when there is no such page, or no memory for it.
    """
    with open_document(data) as document:
        if not 0 <= asked["page"] < document.pages:
            raise RefusedError("broken", f"has no page {asked['page'] + 1}.")
        return _picture(document, asked["page"], asked["dpi"], colour=True)


def grey_page(document: Opened, index: int, dpi: int) -> bytes:
    """A page as a grey PNG: what OCR is given."""
    return _picture(document, index, dpi, colour=False)


def _picture(document: Opened, index: int, dpi: int, *, colour: bool) -> bytes:
    with load_page(document, index) as page:
        width, height = sheet_of(page).size
        most = MOST_PIXELS if colour else MOST_GREY_PIXELS
        scale = min(dpi / 72, (most / max(1.0, width * height)) ** 0.5)
        wide, high = max(1, round(width * scale)), max(1, round(height * scale))
        bitmap = _create(wide, high, raw.FPDFBitmap_BGR if colour else raw.FPDFBitmap_Gray, None, 0)
        if not bitmap:
            raise RefusedError("too_large", f"has a page too large to draw (page {index + 1}).")
        try:
            _paint(bitmap, 0, 0, wide, high, 0xFFFFFFFF)
            flags = raw.FPDF_ANNOT | (raw.FPDF_REVERSE_BYTE_ORDER if colour else raw.FPDF_GRAYSCALE)
            _render(bitmap, page, 0, 0, wide, high, 0, flags)
            step = _stride(bitmap)
            pixels = ctypes.string_at(_buffer(bitmap), step * high)
        finally:
            _destroy(bitmap)
    return png(pixels, wide, high, step, 3 if colour else 1, round(scale * 72 / 0.0254))


def png(pixels: bytes, wide: int, high: int, stride: int, samples: int, per_metre: int) -> bytes:
    """A PNG of rows of bytes.

    Args:
        pixels: rows, each ``stride`` bytes long.
        wide: pixels a row.
        high: rows.
        stride: bytes a row.
        samples: 1 for grey, 3 for red, green and blue.
        per_metre: pixels a metre, so that a reader of the picture knows its scale.
    """
    packer = zlib.compressobj(3)
    parts: list[bytes] = []
    for row in range(high):
        parts.append(packer.compress(b"\0"))
        parts.append(packer.compress(pixels[row * stride : row * stride + wide * samples]))
    parts.append(packer.flush())
    head = struct.pack(">IIBBBBB", wide, high, 8, 0 if samples == 1 else 2, 0, 0, 0)
    scale = struct.pack(">IIB", per_metre, per_metre, 1)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", head), (b"pHYs", scale), (b"IDAT", b"".join(parts)), (b"IEND", b""))
    )
