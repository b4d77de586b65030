"""The drawn objects of a page: text pieces, fills, thin rules and pictures, in drawing order, in user space."""

from __future__ import annotations

import ctypes
import math

from .native import call, raw
from .pieces import clipped, marked

__all__ = ["Box", "Drawn", "Fill", "Piece", "Rule", "walk"]

_count = call("FPDFPage_CountObjects")
_object = call("FPDFPage_GetObject")
_form_count = call("FPDFFormObj_CountObjects")
_form_object = call("FPDFFormObj_GetObject")
_type = call("FPDFPageObj_GetType")
_bounds = call("FPDFPageObj_GetBounds")
_fill_colour = call("FPDFPageObj_GetFillColor")
_stroke_colour = call("FPDFPageObj_GetStrokeColor")
_matrix = call("FPDFPageObj_GetMatrix")
_mode = call("FPDFTextObj_GetTextRenderMode")
_draw_mode = call("FPDFPath_GetDrawMode")
_width = call("FPDFPageObj_GetStrokeWidth")
_segments = call("FPDFPath_CountSegments")
_segment = call("FPDFPath_GetPathSegment")
_point = call("FPDFPathSegment_GetPoint")
_segment_type = call("FPDFPathSegment_GetType")

MOST_OBJECTS = 20_000
MOST_SEGMENTS = 20_000
MOST_DEPTH = 6
THIN = 3.0
"""Points: a rule is no thicker."""
TINY = 1.0
"""Points: a piece that is thinner may be too small to be read."""
TALL = 24.0
"""Points: a piece of text whose box is taller may be slanted."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points of user space."""
Colour = tuple[int, int, int, int]
_Matrix = tuple[float, float, float, float, float, float]


class Piece:
    """One text object: its handle, box, place in the drawing order, render mode and colour.

    ``slanted``: drawn at an angle. ``gone``: cut away by a clip. ``small``: perhaps too small to be read.
    """

    __slots__ = ("box", "colour", "gone", "handle", "mode", "order", "slanted", "small")

    def __init__(self, handle: int, box: Box, order: int, mode: int, colour: Colour) -> None:
        self.handle, self.box, self.order, self.mode, self.colour = handle, box, order, mode, colour
        self.slanted = self.gone = self.small = False


class Fill:
    """A filled area; a picture or a shading has no colour."""

    __slots__ = ("box", "colour", "order")

    def __init__(self, box: Box, order: int, colour: Colour | None) -> None:
        self.box, self.order, self.colour = box, order, colour


class Rule:
    """A thin straight line, drawn as a line or as a thin rectangle."""

    __slots__ = ("box", "colour")

    def __init__(self, box: Box, colour: Colour) -> None:
        self.box, self.colour = box, colour


class Drawn:
    """Everything on a page that matters for trust; ``complete``: walked to its end; ``doubt``: why its words are uncertain."""

    __slots__ = ("complete", "doubt", "fills", "order", "pictures", "pieces", "rules")

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.fills: list[Fill] = []
        self.rules: list[Rule] = []
        self.pictures: list[Box] = []
        self.complete = True
        self.doubt = ""
        self.order = 0


_LEFT, _BOTTOM, _RIGHT, _TOP = (ctypes.c_float() for _ in range(4))
_R, _G, _B, _A = (ctypes.c_uint() for _ in range(4))
_FILLMODE, _STROKE = ctypes.c_int(), ctypes.c_int()
_BOUNDS = tuple(ctypes.byref(value) for value in (_LEFT, _BOTTOM, _RIGHT, _TOP))
_RGBA = tuple(ctypes.byref(value) for value in (_R, _G, _B, _A))


def _box(thing: int, matrix: _Matrix | None) -> Box | None:
    if not _bounds(thing, *_BOUNDS):
        return None
    box = (_LEFT.value, _BOTTOM.value, _RIGHT.value, _TOP.value)
    return box if matrix is None else _moved(box, matrix)


def _moved(box: Box, matrix: _Matrix) -> Box:
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    return (
        min(x for x, _ in corners), min(y for _, y in corners),
        max(x for x, _ in corners), max(y for _, y in corners),
    )  # fmt: skip


def _colour(thing: int, *, stroke: bool = False) -> Colour:
    if not (_stroke_colour if stroke else _fill_colour)(thing, *_RGBA):
        return (0, 0, 0, 255)
    return (_R.value, _G.value, _B.value, _A.value)


def _own_matrix(thing: int) -> _Matrix:
    value = raw.FS_MATRIX()
    _matrix(thing, value)
    return (value.a, value.b, value.c, value.d, value.e, value.f)


def _times(first: _Matrix, then: _Matrix | None) -> _Matrix:
    if then is None:
        return first
    a, b, c, d, e, f = first
    k, m, n, o, p, q = then
    return (a * k + b * n, a * m + b * o, c * k + d * n, c * m + d * o, e * k + f * n + p, e * m + f * o + q)


def walk(page: int) -> Drawn:
    """The drawn objects of a loaded page, form objects opened, at most ``MOST_OBJECTS`` of them."""
    drawn = Drawn()
    for index in range(_count(page)):
        _visit(drawn, _object(page, index), None, 0)
        if not drawn.complete:
            break
    return drawn


def _visit(drawn: Drawn, thing: int, matrix: _Matrix | None, depth: int) -> None:
    drawn.order += 1
    if drawn.order > MOST_OBJECTS:
        drawn.complete = False
        return
    kind = _type(thing)
    if kind == raw.FPDF_PAGEOBJ_TEXT:
        box = _box(thing, matrix)
        if box is not None:
            drawn.pieces.append(_piece(drawn, thing, box, matrix, depth))
    elif kind == raw.FPDF_PAGEOBJ_PATH:
        _path(drawn, thing, matrix)
    elif kind in (raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
        box = _box(thing, matrix)
        if box is not None:
            drawn.fills.append(Fill(box, drawn.order, None))
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                drawn.pictures.append(box)
    elif kind == raw.FPDF_PAGEOBJ_FORM:
        if depth >= MOST_DEPTH:
            drawn.complete = False
            return
        inner = _times(_own_matrix(thing), matrix)
        for index in range(_form_count(thing)):
            _visit(drawn, _form_object(thing, index), inner, depth + 1)
            if not drawn.complete:
                return


def _piece(drawn: Drawn, thing: int, box: Box, matrix: _Matrix | None, depth: int) -> Piece:
    piece = Piece(thing, box, drawn.order, _mode(thing), _colour(thing))
    wide, high = box[2] - box[0], box[3] - box[1]
    if high > TALL:
        piece.slanted = _slanted(_times(_own_matrix(thing), matrix))
    piece.small = min(wide, high) < TINY  # a dot and a dash are, too: the characters decide
    piece.gone = not depth and clipped(thing, box)
    drawn.doubt = drawn.doubt or marked(thing)
    return piece


def _slanted(matrix: _Matrix) -> bool:
    quarter = math.degrees(math.atan2(matrix[1], matrix[0])) % 90
    return 5 < quarter < 85


def _path(drawn: Drawn, thing: int, matrix: _Matrix | None) -> None:
    box = _box(thing, matrix)
    if box is None:
        return
    _draw_mode(thing, ctypes.byref(_FILLMODE), ctypes.byref(_STROKE))
    filled, stroked = _FILLMODE.value != 0, _STROKE.value != 0
    wide, high = box[2] - box[0], box[3] - box[1]
    if not (filled or stroked):
        return
    if min(wide, high) <= THIN:
        if max(wide, high) > min(wide, high):
            drawn.rules.append(Rule(box, _colour(thing, stroke=not filled)))
        return
    if filled:
        drawn.fills.append(Fill(box, drawn.order, _colour(thing)))
    broad = _breadth(thing, matrix) if stroked else 0.0
    if broad > THIN:
        if min(wide, high) <= 1.5 * broad:  # a band of colour, drawn as one broad line
            drawn.fills.append(Fill(box, drawn.order, _colour(thing, stroke=True)))
    elif stroked or _segments(thing) > 5:
        _lines(drawn, thing, matrix, _colour(thing, stroke=stroked))


def _breadth(thing: int, matrix: _Matrix | None) -> float:
    """The width of a path's pen on the page, in points."""
    _width(thing, ctypes.byref(_LEFT))
    a, b, *_ = _times(_own_matrix(thing), matrix)
    return float(_LEFT.value * math.hypot(a, b))


def _lines(drawn: Drawn, thing: int, matrix: _Matrix | None, colour: Colour) -> None:
    """The straight thin parts of a path that draws several lines at once."""
    count = _segments(thing)
    if count > MOST_SEGMENTS:
        drawn.complete = False
        return
    x, y, place = ctypes.c_float(), ctypes.c_float(), _times(_own_matrix(thing), matrix)
    last: tuple[float, float] | None = None
    for index in range(count):
        part = _segment(thing, index)
        _point(part, ctypes.byref(x), ctypes.byref(y))
        here = (x.value, y.value)
        if last is not None and _segment_type(part) == raw.FPDF_SEGMENT_LINETO:
            box = (min(last[0], here[0]), min(last[1], here[1]), max(last[0], here[0]), max(last[1], here[1]))
            box = _moved(box, place)
            if min(box[2] - box[0], box[3] - box[1]) <= 0.5 and max(box[2] - box[0], box[3] - box[1]) > 1:
                drawn.rules.append(Rule(box, colour))
        last = here
