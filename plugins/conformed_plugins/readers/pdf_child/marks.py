"""Which words of a page are struck, hidden, inserted, or mere marks: told from the drawn objects.

Objects are looked at first (a page has some fifty), characters only where an object gives a reason.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable

from .areas import area, centred, overlap
from .native import call, raw
from .objects import Box, Colour, Drawn, Fill, Piece, Rule
from .text import Sheet
from .view import View

__all__ = ["Found", "inspect"]

_count = call("FPDFText_CountChars")
_object_of = call("FPDFText_GetTextObject")
_loose = call("FPDFText_GetLooseCharBox")
_origin = call("FPDFText_GetCharOrigin")

CLOSE = 40
"""Sum of colour differences (of 3 x 255) below which words cannot be told from what lies behind them."""
FAINT = 13
"""Opacity (of 255) below which nothing is seen."""
STRIKE = (0.12, 0.68)
"""Height of a strike above the baseline, as a share of the ascent."""
UNDER = (-0.45, 0.02)
"""Height of an underline."""
RAISED = 0.82
"""Height of a note mark, at most, as a share of the words before it."""
TINY_LETTER = 1.5
"""Points: a character whose whole box, white around it included, is no larger cannot be read."""
INVISIBLE = {3, 7}
"""Render modes that draw nothing."""
MOST_PAIRS = 400_000
_NOTE = re.compile(r"\(?\d{1,3}\)?(?:,\d{1,3})*|[*\u2020\u2021\u00a7]{1,3}")


_Runs = list[tuple[int, int]]


class Found:
    """What was found on a page: stretches of its text in code points, and what a person should be told.

    ``layer``: the words lie invisibly on a picture (somebody else's OCR). ``picture``: share of the page that pictures cover.
    ``fraction``: raised digits stand before a slash, so that a fraction's digits may run into the number before it.
    ``under``: a picture, which may let them through or not, lies over words.
    """

    __slots__ = ("complete", "fraction", "hidden", "inserted", "layer", "marks", "picture", "struck", "under")

    def __init__(self, *, complete: bool) -> None:
        self.struck: _Runs = []
        self.hidden: _Runs = []
        self.inserted: _Runs = []
        self.marks: _Runs = []
        self.layer = self.fraction = self.under = False
        self.picture = 0.0
        self.complete = complete


class _Doubt:
    """Why the characters of one text object are looked at."""

    __slots__ = ("covers", "hidden", "mark", "rules", "slanted", "small")

    def __init__(self, *, hidden: bool = False, mark: bool = False, slanted: bool = False) -> None:
        self.hidden, self.mark, self.slanted = hidden, mark, slanted
        self.small = False
        self.covers: list[Box] = []
        self.rules: list[Rule] = []


def inspect(view: View) -> Found:
    """Looks at one page."""
    sheet, drawn = view.sheet, view.drawn
    result = Found(complete=drawn.complete)
    whole = (sheet.left, sheet.bottom, sheet.right, sheet.top)
    result.picture = min(1.0, sum(overlap(box, whole) for box in drawn.pictures) / max(1.0, area(whole)))
    doubts = _doubts(drawn, whole, view.upright, result)
    if doubts or view.pins.struck:
        back = None if view.chars is None else {index: place for place, index in enumerate(view.chars) if index >= 0}
        _characters(view, back, doubts, result)
    return result


def _doubts(drawn: Drawn, whole: Box, upright: Sheet, result: Found) -> dict[int, _Doubt]:
    """The text objects whose characters must be looked at, and why."""
    doubts: dict[int, _Doubt] = {}
    fills = [fill for fill in drawn.fills if fill.box[2] - fill.box[0] > 3 and fill.box[3] - fill.box[1] > 3]
    if len(fills) * len(drawn.pieces) > MOST_PAIRS:
        fills, result.complete = [], False
    _layer(drawn, whole, result)
    before: Piece | None = None
    for piece in drawn.pieces:
        box = piece.box
        hidden = not (box[0] >= whole[0] and box[1] >= whole[1] and box[2] <= whole[2] and box[3] <= whole[3]) and (
            overlap(box, whole) < 0.5 * area(box)
        )
        covers: list[Box] = []
        if not result.layer:
            hidden = hidden or piece.gone or piece.mode in INVISIBLE or piece.colour[3] < FAINT or _blends(piece, fills)
            over = [fill for fill in fills if fill.order > piece.order and _hides(fill, piece)]
            covers = [fill.box for fill in over if fill.colour is not None]
            result.under = result.under or len(covers) < len(over)
        mark = before is not None and _raised(before.box, box, upright)
        if hidden or covers or mark or piece.slanted or piece.small:
            doubt = doubts[piece.handle] = _Doubt(hidden=hidden, mark=mark, slanted=piece.slanted)
            doubt.covers, doubt.small = covers, piece.small
        if not mark:
            before = piece
    _ruled(drawn, upright, doubts, result)
    return doubts


def _layer(drawn: Drawn, whole: Box, result: Found) -> None:
    """Whether the words of the page are the invisible text layer of a scan."""
    pictures = [fill for fill in drawn.fills if fill.colour is None and overlap(fill.box, whole) > 0.5 * area(whole)]
    if not pictures or not drawn.pieces:
        return
    last = max(fill.order for fill in pictures)
    unseen = sum(piece.mode in INVISIBLE or piece.order < last for piece in drawn.pieces)
    result.layer = unseen > 0.5 * len(drawn.pieces)


def _blends(piece: Piece, fills: list[Fill]) -> bool:
    """Whether a piece has the colour of what lies behind it (the page is white where nothing was drawn)."""
    ground: Colour | None = (255, 255, 255, 255)
    if piece.mode in (1, 5) or (sum(piece.colour[:3]) < 3 * 255 - CLOSE and not fills):
        return False
    for fill in fills:
        if fill.order < piece.order and overlap(fill.box, piece.box) > 0.7 * area(piece.box):
            if fill.colour is None:
                ground = None
            elif fill.colour[3] > 200:
                ground = fill.colour
            elif fill.colour[3] >= FAINT:
                ground = None
    return ground is not None and sum(abs(a - b) for a, b in zip(piece.colour[:3], ground[:3], strict=True)) <= CLOSE


def _hides(fill: Fill, piece: Piece) -> bool:
    if fill.colour is not None and fill.colour[3] < 250:
        return False
    tall = piece.box[3] - piece.box[1]
    deep = min(fill.box[3], piece.box[3]) - max(fill.box[1], piece.box[1])
    wide = min(fill.box[2], piece.box[2]) - max(fill.box[0], piece.box[0])
    return wide > 2 and deep > 0.5 * tall


def _raised(before: Box, here: Box, upright: Sheet) -> bool:
    """Whether a piece is small, raised, and stands right behind the piece before it: a note mark."""
    if not upright.turn and here[3] - here[1] > RAISED * (before[3] - before[1]):
        return False  # most pieces of a page end here
    left, top, right, bottom = upright.shown(*before)
    x0, y0, x1, y1 = upright.shown(*here)
    tall = bottom - top
    return (
        0 < y1 - y0 <= RAISED * tall
        and x1 - x0 <= 1.6 * tall
        and -1.0 <= x0 - right <= 0.25 * tall
        and bottom - y1 >= 0.22 * tall
        and y0 - top <= 0.3 * tall
        and left < x0
    )


def _ruled(drawn: Drawn, upright: Sheet, doubts: dict[int, _Doubt], result: Found) -> None:
    """Adds the rules that run along a piece of text, through it or right below it."""
    level = []
    for rule in drawn.rules:
        left, top, right, bottom = upright.shown(*rule.box)
        if right - left > 2 and bottom - top <= 3 and right - left > 2 * (bottom - top):
            level.append(((top + bottom) / 2, left, right, rule))
    if not level:
        return
    level.sort(key=lambda item: item[:3])
    if len(level) * len(drawn.pieces) > MOST_PAIRS:
        result.complete = False
        return
    for piece in drawn.pieces:
        left, top, right, bottom = upright.shown(*piece.box)
        tall = bottom - top
        for height, start, end, rule in level:
            if top < height < bottom + 0.35 * tall and min(right, end) - max(left, start) > 1:
                doubts.setdefault(piece.handle, _Doubt()).rules.append(rule)


def _characters(view: View, back: dict[int, int] | None, doubts: dict[int, _Doubt], result: Found) -> None:
    """Goes through the characters of the doubtful objects."""
    text, found, quads, upright = view.text, view.found, view.pins.struck, view.upright
    struck: list[int] = []
    hidden: list[int] = []
    inserted: list[int] = []
    marks: list[int] = []
    raised: list[int] = []
    frame = raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    for index in range(_count(text)):
        doubt = doubts.get(_object_of(text, index) or 0)
        if doubt is None and not quads:
            continue
        place = index if back is None else back.get(index, -1)
        if place < 0:
            continue
        _loose(text, index, ctypes.byref(frame))
        box = (frame.left, frame.bottom, frame.right, frame.top)
        if any(centred(box, quad) for quad in quads):
            struck.append(place)
        if doubt is None:
            continue
        if (
            doubt.hidden
            or (doubt.small and max(box[2] - box[0], box[3] - box[1]) < TINY_LETTER)
            or any(centred(box, cover) for cover in doubt.covers)
        ):
            hidden.append(place)
        if doubt.slanted:
            marks.append(place)
        elif doubt.mark and _lifted(text, index, box, upright):
            raised.append(place)
        if doubt.rules:
            _origin(text, index, ctypes.byref(x), ctypes.byref(y))
            seen = _lines_at(box, (x.value, y.value), doubt.rules, upright)
            (struck.append(place) if seen == "struck" else inserted.append(place) if seen == "inserted" else None)
    result.struck, result.hidden = _runs(struck, found), _runs(hidden, found)
    result.inserted = _runs(inserted, found)
    result.marks = _runs(marks, found)
    for start, end in _runs(raised, found):
        if _NOTE.fullmatch(found[start:end].strip()) and start > 0 and not found[start - 1].isspace():
            if found[end : end + 4].lstrip()[:1] in ("/", "\u2044") or found[start - 1] in "/\u2044":
                result.fraction = True
            else:
                result.marks.append((start, end))
    result.marks.sort()


def _lifted(text: int, index: int, box: Box, upright: Sheet) -> bool:
    """Whether a character stands on a higher line than the last one that is as large as its neighbours."""
    x, y = ctypes.c_double(), ctypes.c_double()
    frame = raw.FS_RECTF()
    _, top, _, bottom = upright.shown(*box)
    _origin(text, index, ctypes.byref(x), ctypes.byref(y))
    base = upright.shown(x.value, y.value, x.value, y.value)[1]
    for before in range(index - 1, max(-1, index - 5), -1):
        _loose(text, before, ctypes.byref(frame))
        _, high, _, low = upright.shown(frame.left, frame.bottom, frame.right, frame.top)
        if low - high <= (bottom - top) * 1.15:
            continue
        _origin(text, before, ctypes.byref(x), ctypes.byref(y))
        return upright.shown(x.value, y.value, x.value, y.value)[1] - base > 0.15 * (low - high)
    return False


def _lines_at(box: Box, origin: tuple[float, float], rules: Iterable[Rule], upright: Sheet) -> str:
    """Whether a rule strikes a character, or underlines it in colour."""
    left, top, right, _ = upright.shown(*box)
    _, base, _, _ = upright.shown(*origin, *origin)
    ascent, wide = base - top, right - left
    if ascent <= 0 or wide <= 0:
        return ""
    through = under = 0.0
    for rule in rules:
        start, high, end, low = upright.shown(*rule.box)
        along = max(0.0, min(right, end) - max(left, start))
        height = (base - (high + low) / 2) / ascent
        if STRIKE[0] <= height <= STRIKE[1]:
            through += along
        elif UNDER[0] <= height <= UNDER[1] and max(rule.colour[:3]) - min(rule.colour[:3]) > 60:
            under += along
    return "struck" if through >= 0.6 * wide else "inserted" if under >= 0.6 * wide else ""


def _runs(places: list[int], found: str) -> list[tuple[int, int]]:
    """Sorted places as runs; white space between two of them belongs to the run."""
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        if runs and not found[runs[-1][1] : place].strip():
            runs[-1] = (runs[-1][0], max(runs[-1][1], place + 1))
        else:
            runs.append((place, place + 1))
    trimmed = [(start + len(found[start:end]) - len(found[start:end].lstrip()), end) for start, end in runs]
    return [(start, start + len(words)) for start, end in trimmed if (words := found[start:end].rstrip())]
