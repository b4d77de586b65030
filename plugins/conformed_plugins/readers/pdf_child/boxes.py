"""Rectangles of stretches of text, one a line, on the page as it is shown."""

from __future__ import annotations

import ctypes
from typing import Any

from .native import Opened, call, open_document, raw
from .view import View, open_view

__all__ = ["boxes"]

_loose = call("FPDFText_GetLooseCharBox")
_generated = call("FPDFText_IsGenerated")
_origin = call("FPDFText_GetCharOrigin")
_count = call("FPDFText_CountChars")

HANG = 0.35
"""Share of a character's width that may hang over the next one."""
_X, _Y = ctypes.c_double(), ctypes.c_double()

_Box = tuple[float, float, float, float]


def boxes(data: Any, asked: dict[str, Any]) -> list[list[list[int]] | None]:
    """Rectangles (left, top, right, bottom, hundredths of a point) for each stretch that was asked for.

    Args:
        data: the bytes.
        asked: ``spans``, a list of (0-based page, start, end in code points of the page, the words that must stand there).

    Returns:
        For each stretch its rectangles, or None where the page does not say these words there.
    """
    result: list[list[list[int]] | None] = [None] * len(asked["spans"])
    by_page: dict[int, list[int]] = {}
    for place, (page, *_rest) in enumerate(asked["spans"]):
        by_page.setdefault(page, []).append(place)
    with open_document(data) as document:
        for page in sorted(by_page):
            if 0 <= page < document.pages:
                _page(document, page, [(place, *asked["spans"][place][1:]) for place in by_page[page]], result)
    return result


def _page(document: Opened, index: int, wanted: list[tuple[int, int, int, str]], result: list[list[list[int]] | None]) -> None:
    with open_view(document, index) as view:
        for place, start, end, words in wanted:
            if view.found[start:end] == words:
                result[place] = _lines(view, start, end)


def _lines(view: View, start: int, end: int) -> list[list[int]]:
    """The rectangle of each line: a line ends at a break, and where the next character stands on another line."""
    text, found, chars, sheet = view.text, view.found, view.chars, view.sheet
    frame = raw.FS_RECTF()
    lines: list[_Box] = []
    current: _Box | None = None
    for place in range(start, end):
        letter = found[place]
        if letter in "\r\n":
            current = None
            continue
        index = place if chars is None else chars[place]
        if index < 0 or letter.isspace() or _generated(text, index) == 1:
            continue
        _loose(text, index, ctypes.byref(frame))
        if frame.right <= frame.left or frame.top <= frame.bottom:
            continue
        box = sheet.shown(*_advance(text, index, (frame.left, frame.bottom, frame.right, frame.top), view.upright.turn))
        if current is not None and _same_line(current, box):
            current = (min(current[0], box[0]), min(current[1], box[1]), max(current[2], box[2]), max(current[3], box[3]))
            lines[-1] = current
        else:
            current = box
            lines.append(box)
        if letter == "\ufffe":
            current = None
    width, height = sheet.size
    return [whole for line in lines if (whole := _clamped(line, width, height)) is not None]


def _advance(text: int, index: int, box: _Box, turn: int) -> _Box:
    """A character's box without what its drawing hangs over: from where it stands to where the next one stands.

    pdfium's box takes in the tail of a j and the hook of an f; what counts between engines is the advance.
    """
    here, then = _standing(text, index), _standing(text, index + 1)
    if here is None:
        return box
    along, forward = turn % 2, turn in (0, 1)  # words run along x or y of user space, to its greater or smaller values
    low, high = (0, 2) if not along else (1, 3)
    sides = list(box)
    first, last = (low, high) if forward else (high, low)
    inside = min if not forward else max
    sides[first] = inside(sides[first], here[along])
    if then is not None and abs(then[1 - along] - here[1 - along]) < 0.5:
        over = (sides[last] - then[along]) * (1 if forward else -1)
        if 0 < over < HANG * (box[high] - box[low]):
            sides[last] = then[along]
    return box if sides[low] >= sides[high] else (sides[0], sides[1], sides[2], sides[3])


def _standing(text: int, index: int) -> tuple[float, float] | None:
    """Where a drawn character stands in user space; None for one that pdfium added."""
    if index >= _count(text) or _generated(text, index) != 0:
        return None
    if not _origin(text, index, ctypes.byref(_X), ctypes.byref(_Y)):
        return None
    return _X.value, _Y.value


def _same_line(line: _Box, box: _Box) -> bool:
    """Whether a character continues a line, whichever way the line runs on the page as shown."""
    across = min(line[3], box[3]) - max(line[1], box[1])
    along = min(line[2], box[2]) - max(line[0], box[0])
    return across > 0.4 * min(line[3] - line[1], box[3] - box[1]) or along > 0.6 * min(line[2] - line[0], box[2] - box[0])


def _clamped(box: _Box, width: float, height: float) -> list[int] | None:
    left, right = (min(max(value, 0.0), width) for value in (box[0], box[2]))
    top, bottom = (min(max(value, 0.0), height) for value in (box[1], box[3]))
    return (
        [round(left * 100), round(top * 100), round(right * 100), round(bottom * 100)] if right > left and bottom > top else None
    )
