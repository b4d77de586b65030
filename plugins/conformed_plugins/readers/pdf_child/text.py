"""The text of one page in reading order, and which of pdfium's characters each code point is.

The same function serves reading, boxes and tables, so that an offset means the same character in all three.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter

from .native import call, raw

__all__ = ["Sheet", "cure", "sheet_of", "text_of"]

_count = call("FPDFText_CountChars")
_get_text = call("FPDFText_GetText")
_text_index = call("FPDFText_GetTextIndexFromCharIndex")
_generated = call("FPDFText_IsGenerated")
_angle = call("FPDFText_GetCharAngle")
_rotation = call("FPDFPage_GetRotation")
_set_rotation = call("FPDFPage_SetRotation")
_box = call("FPDF_GetPageBoundingBox")

SAMPLES = 15
"""Characters looked at to tell which way a page's glyphs stand."""


class Sheet:
    """Where a page lies: its visible rectangle in user space, and its rotation as shown."""

    def __init__(self, left: float, bottom: float, right: float, top: float, turn: int) -> None:
        self.left, self.bottom, self.right, self.top, self.turn = left, bottom, right, top, turn

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown, in points."""
        wide, high = self.right - self.left, self.top - self.bottom
        return (high, wide) if self.turn % 2 else (wide, high)

    def shown(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """A rectangle in user space as (left, top, right, bottom) on the page as shown, from its top left corner."""
        x0, x1, y0, y1 = left - self.left, right - self.left, bottom - self.bottom, top - self.bottom
        wide, high = self.right - self.left, self.top - self.bottom
        if self.turn == 0:
            return x0, high - y1, x1, high - y0
        if self.turn == 1:
            return y0, x0, y1, x1
        if self.turn == 2:
            return wide - x1, y0, wide - x0, y1
        return high - y1, wide - x1, high - y0, wide - x0


def sheet_of(page: int) -> Sheet:
    """The sheet of a loaded page, before any cure."""
    box = raw.FS_RECTF()
    _box(page, box)
    return Sheet(box.left, box.bottom, box.right, box.top, _rotation(page) % 4)


def cure(page: int, text: int) -> int | None:
    """The rotation (in quarter turns) under which the page's text comes in reading order, None where it does already."""
    count = _count(text)
    turn = _rotation(page) % 4
    if count <= 0:
        return None
    seen: Counter[int] = Counter()
    step = max(1, count // SAMPLES)
    for index in range(0, count, step):
        if _generated(text, index) == 0:
            angle = _angle(text, index)
            if angle >= 0:
                seen[round(math.degrees(angle) / 90) % 4] += 1
    if not seen:
        return None
    main = min(seen, key=lambda quarter: (-seen[quarter], quarter))
    wanted = (4 - main) % 4
    if wanted == turn:
        return None
    _set_rotation(page, wanted)
    return wanted


def text_of(text: int) -> tuple[str, list[int] | None]:
    """The page's text as pdfium gives it, and pdfium's index of each code point (None: they are the same).

    Form feeds and NUL inside a page become spaces, one for one: the form feed is the mark between pages.
    """
    count = _count(text)
    if count <= 0:
        return "", None
    first, last = 0, count - 1
    while first <= last and _text_index(text, first) < 0:
        first += 1
    while last >= first and _text_index(text, last) < 0:
        last -= 1
    if first > last:
        return "", None
    units = _text_index(text, last) + 2 - _text_index(text, first)
    buffer = (ctypes.c_ushort * (units + 2))()
    got = _get_text(text, first, last - first + 1, buffer)
    found = bytes(memoryview(buffer).cast("B")[: 2 * max(0, got - 1)]).decode("utf-16-le", "replace")
    same = len(found) == count and first == 0 and last == count - 1
    if "\x0c" in found or "\x00" in found:
        found = found.replace("\x0c", " ").replace("\x00", " ")
    return found, None if same else _map(text, found, first, last)


def _map(text: int, found: str, first: int, last: int) -> list[int]:
    """The index of pdfium's character for each code point, where the two counts differ; -1 where there is none."""
    base = _text_index(text, first)
    by_unit: dict[int, int] = {}
    for index in range(first, last + 1):
        unit = _text_index(text, index)
        if unit >= 0:
            by_unit[unit - base] = index
    result: list[int] = []
    unit = 0
    for letter in found:
        result.append(by_unit.get(unit, -1))
        unit += 2 if ord(letter) > 0xFFFF else 1
    return result
