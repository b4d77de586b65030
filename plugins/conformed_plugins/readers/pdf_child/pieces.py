"""What may part a piece of text from what a person sees: a clip that cuts it away, a layer, words put in its place."""

from __future__ import annotations

import ctypes

from .native import call

__all__ = ["clipped", "marked"]

_clip = call("FPDFPageObj_GetClipPath")
_clip_paths = call("FPDFClipPath_CountPaths")
_clip_segments = call("FPDFClipPath_CountPathSegments")
_clip_segment = call("FPDFClipPath_GetPathSegment")
_point = call("FPDFPathSegment_GetPoint")
_mark_count = call("FPDFPageObj_CountMarks")
_mark = call("FPDFPageObj_GetMark")
_mark_name = call("FPDFPageObjMark_GetName")
_mark_text = call("FPDFPageObjMark_GetParamStringValue")

MOST_CLIPS = 3
MOST_MARKS = 8
LAYER = "words lie on a layer that can be switched off"
INSTEAD = "figures are put in the place of other drawn words"

_X, _Y = ctypes.c_float(), ctypes.c_float()
_AT = (ctypes.byref(_X), ctypes.byref(_Y))
_LENGTH = ctypes.c_ulong()
_BUFFER = (ctypes.c_ushort * 256)()


def clipped(thing: int, box: tuple[float, float, float, float]) -> bool:
    """Whether the clip of a piece, where it is made of rectangles, leaves less than half of the piece's box."""
    clip = _clip(thing)
    paths = _clip_paths(clip) if clip else 0
    for path in range(min(paths, MOST_CLIPS)):
        if _clip_segments(clip, path) not in (4, 5):
            continue
        _point(_clip_segment(clip, path, 0), *_AT)
        x0, y0 = _X.value, _Y.value
        _point(_clip_segment(clip, path, 2), *_AT)
        x1, y1 = _X.value, _Y.value
        wide = min(max(x0, x1), box[2]) - max(min(x0, x1), box[0])
        high = min(max(y0, y1), box[3]) - max(min(y0, y1), box[1])
        if wide <= 0 or high <= 0 or wide * high < 0.5 * (box[2] - box[0]) * (box[3] - box[1]):
            return True
    return False


def marked(thing: int) -> str:
    """Why the marks of a piece make its words uncertain; empty where they do not."""
    for index in range(min(_mark_count(thing), MOST_MARKS)):
        mark = _mark(thing, index)
        _mark_name(mark, _BUFFER, 512, ctypes.byref(_LENGTH))
        if _LENGTH.value == 6 and (_BUFFER[0], _BUFFER[1]) == (79, 67):  # OC
            return LAYER
        told = _mark_text(mark, b"ActualText", _BUFFER, 512, ctypes.byref(_LENGTH))
        if told and any(48 <= letter <= 57 for letter in _BUFFER[: min(512, _LENGTH.value) // 2]):  # a digit
            return INSTEAD
    return ""
