"""One page made ready to be read: form fields drawn in, words upright, in reading order.

Reading, boxes and tables all look through the same view, so that an offset means the same character in all three.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager

from .annotations import Pinned, pinned
from .columns import by_column
from .fields import in_place
from .native import Opened, call, load_page, load_text, raw
from .objects import Drawn, walk
from .text import Sheet, cure, sheet_of, text_of

__all__ = ["View", "open_view"]

_rotation = call("FPDFPage_GetRotation")
_flatten = call("FPDFPage_Flatten")
_generated = call("FPDFText_IsGenerated")
_loose = call("FPDFText_GetLooseCharBox")

_PIECES = re.compile(r" (?<=[,.:] )(?=\d)")
_THOUSAND = re.compile(r"\d{3}(?!\d)")
TIGHT, WIDE = 0.18, 0.3
"""Shares of the letter's height: a narrower gap inside a number is no space, a wider one surely is."""


class View:
    """A page as it is read.

    ``chars`` is pdfium's character of each code point (-1: none), None where they are the same. ``sheet`` is the page as shown,
    ``upright`` the page turned so that its words stand upright. ``pins`` are its annotations. ``doubt`` says why the
    order or the figures of the page are not certain.
    """

    __slots__ = ("chars", "doubt", "drawn", "found", "page", "pins", "sheet", "text", "upright")

    def __init__(self, page: int, text: int, sheet: Sheet, pins: Pinned) -> None:
        self.page, self.text, self.sheet, self.pins = page, text, sheet, pins
        self.upright = Sheet(sheet.left, sheet.bottom, sheet.right, sheet.top, _rotation(page) % 4)
        self.drawn: Drawn = walk(page)
        found, chars = text_of(text)
        held = ""
        if pins.boxes:
            found, chars, held = in_place(text, found, chars, list(zip(pins.boxes, pins.values, strict=True)), self.upright)
        found, chars, self.doubt = _without_gaps(text, found, chars, self.upright)
        self.found, self.chars, order = by_column(text, found, chars, self.upright, self.drawn)
        self.doubt = self.doubt or order or self.drawn.doubt or held
        if pins.undrawn:
            self.doubt = self.doubt or "a form field holds a value that is not drawn"


@contextmanager
def open_view(document: Opened, index: int) -> Iterator[View]:
    """The view of a page (0-based).

    Raises:
        RefusedError: when the page cannot be read.
    """
    with load_page(document, index) as page:
        pins = pinned(page)
        flat = pins.fields and _flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS
        if not flat:
            yield from _views(page, index, pins)
            return
    with load_page(document, index) as page:
        yield from _views(page, index, pins)


def _views(page: int, index: int, pins: Pinned) -> Iterator[View]:
    sheet = sheet_of(page)
    with load_text(page, index + 1) as text:
        if cure(page, text) is None:
            yield View(page, text, sheet, pins)
            return
    with load_text(page, index + 1) as text:
        yield View(page, text, sheet, pins)


def _without_gaps(text: int, found: str, chars: list[int] | None, upright: Sheet) -> tuple[str, list[int] | None, str]:
    """Takes out the spaces that pdfium adds inside a number that was drawn in pieces.

    A space that was drawn stays, and so does one that is as wide as a space; the second is told of.
    """
    cut: list[int] = []
    doubt = ""
    frame = raw.FS_RECTF()
    for match in _PIECES.finditer(found):
        if match.start() < 2 or not found[match.start() - 2].isdigit():
            continue
        if found[match.start() - 1] == "," and not _THOUSAND.match(found, match.end()):
            continue
        places = [place if chars is None else chars[place] for place in range(match.start() - 1, match.end() + 1)]
        if min(places) < 0 or _generated(text, places[1]) != 1:
            continue
        _loose(text, places[0], ctypes.byref(frame))
        _, high, right, low = upright.shown(frame.left, frame.bottom, frame.right, frame.top)
        _loose(text, places[2], ctypes.byref(frame))
        left, _, _, level = upright.shown(frame.left, frame.bottom, frame.right, frame.top)
        tall = low - high
        gap = left - right if abs(low - level) < 0.3 * tall else tall
        if gap <= TIGHT * tall:
            cut.append(match.start())
        elif gap <= WIDE * tall and found[match.start() - 1] == ",":
            doubt = "a number may be drawn in pieces"
    if not cut:
        return found, chars, doubt
    drop = set(cut)
    kept = [place for place in range(len(found)) if place not in drop]
    return "".join(found[place] for place in kept), [place if chars is None else chars[place] for place in kept], doubt
