"""The drawn characters of a page as shown upright, and lines of words made of them."""

from __future__ import annotations

import ctypes

from .native import call, raw
from .text import Sheet

__all__ = ["Letter", "Line", "Segment", "letters_of", "lines_of", "squeezed"]

_loose = call("FPDFText_GetLooseCharBox")
_generated = call("FPDFText_IsGenerated")
_origin = call("FPDFText_GetCharOrigin")

WORD_GAP = 0.9
"""Share of the letter's height: a wider gap separates two columns (a word space is about a quarter)."""

FIGURE_GAP = 0.5
"""The same between two figures: narrow columns of figures stand close together."""


class Letter:
    """One drawn character that is not white space: its code point's place, its box, and the line it stands on, from the top."""

    __slots__ = ("base", "bottom", "left", "letter", "place", "right", "top")

    def __init__(self, place: int, letter: str, box: tuple[float, float, float, float], base: float) -> None:
        self.place, self.letter, self.base = place, letter, base
        self.left, self.top, self.right, self.bottom = box


class Segment:
    """Words of one line that stand close together."""

    __slots__ = ("letters",)

    def __init__(self, letters: list[Letter]) -> None:
        self.letters = letters

    @property
    def left(self) -> float:
        """Left edge."""
        return self.letters[0].left

    @property
    def right(self) -> float:
        """Right edge."""
        return max(item.right for item in self.letters)

    @property
    def words(self) -> str:
        """Its characters, squeezed."""
        return "".join(item.letter for item in self.letters)


class Line:
    """The segments of one line, from left to right."""

    __slots__ = ("base", "height", "segments")

    def __init__(self, base: float, height: float, segments: list[Segment]) -> None:
        self.base, self.height, self.segments = base, height, segments


def squeezed(words: str) -> str:
    """A text without white space, pdfium's mark for a hyphen at a line's end written as a hyphen."""
    return "".join(words.split()).replace("\ufffe", "-").replace("\x02", "-")


def letters_of(text: int, found: str, chars: list[int] | None, upright: Sheet) -> list[Letter]:
    """The drawn characters of a page in the order of its text."""
    frame = raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    letters: list[Letter] = []
    for place, letter in enumerate(found):
        if letter.isspace():
            continue
        index = place if chars is None else chars[place]
        if index < 0 or _generated(text, index) == 1:
            continue
        _loose(text, index, ctypes.byref(frame))
        if frame.right <= frame.left or frame.top <= frame.bottom:
            continue
        box = upright.shown(frame.left, frame.bottom, frame.right, frame.top)
        _origin(text, index, ctypes.byref(x), ctypes.byref(y))
        base = upright.shown(x.value, y.value, x.value, y.value)[1]
        letters.append(Letter(place, "-" if letter == "\ufffe" else letter, box, base))
    return letters


def lines_of(letters: list[Letter]) -> list[Line]:
    """Characters gathered into lines by where they stand, and into segments by the gaps between them."""
    lines: list[Line] = []
    for item in sorted(letters, key=lambda one: (round(one.base, 1), one.left, one.place)):
        height = item.bottom - item.top
        for line in reversed(lines[-3:]):
            if abs(item.base - line.base) <= 0.25 * min(height, line.height):
                line.segments[0].letters.append(item)
                break
        else:
            lines.append(Line(item.base, height, [Segment([item])]))
    for line in lines:
        line.segments = _segments(sorted(line.segments[0].letters, key=lambda one: (one.left, one.place)))
    return lines


def _segments(letters: list[Letter]) -> list[Segment]:
    segments: list[Segment] = []
    for item in letters:
        tall = item.bottom - item.top
        last = segments[-1].letters[-1] if segments else None
        figures = last is not None and last.letter.isdigit() and (item.letter.isdigit() or item.letter in "($")
        if segments and item.left - segments[-1].right <= (FIGURE_GAP if figures else WORD_GAP) * tall:
            segments[-1].letters.append(item)
        else:
            segments.append(Segment([item]))
    return [segment for segment in segments if set(segment.words) - set(".\u2026_")] or segments[:1]
