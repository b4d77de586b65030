"""What is pinned onto a page: strike-outs, form fields, comments."""

from __future__ import annotations

import ctypes

from .native import call, raw
from .objects import Box

__all__ = ["Pinned", "pinned"]

_count = call("FPDFPage_GetAnnotCount")
_get = call("FPDFPage_GetAnnot")
_close = call("FPDFPage_CloseAnnot")
_type = call("FPDFAnnot_GetSubtype")
_quads = call("FPDFAnnot_CountAttachmentPoints")
_quad = call("FPDFAnnot_GetAttachmentPoints")
_appearance = call("FPDFAnnot_GetAP")
_rect = call("FPDFAnnot_GetRect")
_value = call("FPDFAnnot_GetStringValue")

MOST = 2_000
_COMMENTS = {
    raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_LINE, raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE,
    raw.FPDF_ANNOT_POLYGON, raw.FPDF_ANNOT_POLYLINE, raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STAMP,
    raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_REDACT,
}  # fmt: skip
"""Kinds that a person sees on the page and that its text does not hold."""


class Pinned:
    """The annotations of a page that matter.

    ``struck``: rectangles of strike-outs. ``fields``: there are form fields, with their ``boxes`` and the ``values`` that they hold. ``undrawn``: one holds a value that is not drawn.
    ``comments``: there are notes or drawings on top of the page.
    """

    __slots__ = ("boxes", "comments", "fields", "struck", "undrawn", "values")

    def __init__(self) -> None:
        self.struck: list[Box] = []
        self.boxes: list[Box] = []
        self.values: list[str] = []
        self.fields = self.undrawn = self.comments = False


def pinned(page: int) -> Pinned:
    """The annotations of a loaded page."""
    found = Pinned()
    frame = raw.FS_RECTF()
    for index in range(min(_count(page), MOST)):
        annot = _get(page, index)
        if not annot:
            continue
        kind = _type(annot)
        if kind == raw.FPDF_ANNOT_WIDGET:
            found.fields = True
            if _rect(annot, ctypes.byref(frame)):
                found.boxes.append((frame.left, frame.bottom, frame.right, frame.top))
                found.values.append(_held(annot))
            found.undrawn = found.undrawn or (
                _value(annot, b"V", None, 0) > 2 and _appearance(annot, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) <= 2
            )
        elif kind == raw.FPDF_ANNOT_STRIKEOUT:
            found.struck += _rectangles(annot)
        elif kind in _COMMENTS:
            found.comments = True
        _close(annot)
    return found


def _held(annot: int) -> str:
    """The value that a field of words holds; empty for a box that is ticked or not."""
    size = _value(annot, b"V", None, 0)
    if not 2 < size <= 4_000:
        return ""
    held = (ctypes.c_ushort * (size // 2 + 1))()
    _value(annot, b"V", held, size)
    return bytes(memoryview(held).cast("B")[: size - 2]).decode("utf-16-le", "replace")


def _rectangles(annot: int) -> list[Box]:
    boxes: list[Box] = []
    quad = raw.FS_QUADPOINTSF()
    for place in range(min(_quads(annot), MOST)):
        if _quad(annot, place, ctypes.byref(quad)):
            xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
    return boxes
