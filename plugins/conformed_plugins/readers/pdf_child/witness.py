"""Whether a page shows the numbers that its text says: even letters on one line, and a picture of them that reads the same.

Each stretch that was asked for is cut out of the page as it is drawn, one strip a line, and the strips go to the program tesseract
together. A strip that reads otherwise is read once more alone; what then still differs is told. Nothing is ever mended.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
from typing import Any

from .image import png
from .native import RefusedError, call, open_document, raw
from .view import View, open_view

__all__ = ["same_figures", "witness"]

_loose = call("FPDFText_GetLooseCharBox")
_generated = call("FPDFText_IsGenerated")
_origin = call("FPDFText_GetCharOrigin")
_create = call("FPDFBitmap_CreateEx")
_destroy = call("FPDFBitmap_Destroy")
_paint = call("FPDFBitmap_FillRect")
_buffer = call("FPDFBitmap_GetBuffer")
_stride = call("FPDFBitmap_GetStride")
_render = call("FPDF_RenderPageBitmap")

SCALES = (300 / 72, 450 / 72)
"""Pixels a point: of the first look, and of the second."""
TALL = 36.0
"""Points: a higher strip is drawn smaller."""
EDGE = 24
"""White pixels around a strip."""
MOST_STRIPS = 120
MOST_WIDE = 4000
UNEVEN = 0.12
"""Share of the letter's height by which letters of one number may differ in height or stand apart from one line."""

_Strip = tuple[int, int, bytes]
"""Pixels across, pixels down, and its rows, one byte a pixel."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[½¼¾⅓⅔⅛]|[a-z]+", re.IGNORECASE)
_WORDS = frozenset(
    [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
        "thirty",
        "forty",
        "fifty",
        "sixty",
        "seventy",
        "eighty",
        "ninety",
        "hundred",
        "thousand",
        "million",
        "billion",
        "half",
        "quarter",
        "third",
        "thirds",
        "quarters",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
)
_MISREAD = str.maketrans({"O": "0", "o": "0", "l": "1", "I": "1", "|": "1"})


def witness(data: Any, asked: dict[str, Any]) -> list[str]:
    """For each stretch what speaks against it; empty where nothing does.

    Args:
        data: the bytes.
        asked: ``spans``, a list of (0-based page, start, end in code points of the page, the words that must stand there),
            ``program`` (the OCR program, empty where there is none) and ``seconds``.
    """
    result = ["its page is not there"] * len(asked["spans"])
    strips: list[tuple[int, int, tuple[_Strip, ...]]] = []
    by_page: dict[int, list[int]] = {}
    for place, (page, *_rest) in enumerate(asked["spans"]):
        by_page.setdefault(page, []).append(place)
    with open_document(data) as document:
        for page in sorted(by_page):
            if not 0 <= page < document.pages:
                continue
            with open_view(document, page) as view:  # once: a form that was drawn into the page has no fields any more
                for place in by_page[page]:
                    _, start, end, words = asked["spans"][place]
                    result[place], found = _look(view, start, end, words, pictures=bool(asked["program"]))
                    strips += [(place, number, one) for number, one in enumerate(found)]
    strips.sort(key=lambda strip: strip[:2])
    if asked["program"] and len(strips) > MOST_STRIPS:
        return [said or "there are too many numbers to look at" for said in result]
    if not asked["program"] or not strips:
        return result
    lines: dict[int, list[str]] = {}
    seen = _read(asked["program"], [one[0] for _, _, one in strips], asked["seconds"])
    for (place, *_rest), text in zip(strips, seen, strict=True):
        lines.setdefault(place, []).append(text)
    for place, texts in lines.items():
        words = asked["spans"][place][3]
        if result[place] or same_figures(words, " ".join(texts)):
            continue
        again = " ".join(_read(asked["program"], [one[1]], asked["seconds"])[0] for where, _, one in strips if where == place)
        if not same_figures(words, again):
            shown = " ".join(t for t in _figures(again) if t[0].isdigit())[:40]
            result[place] = f"the page as it is drawn reads {shown}" if shown else "the page as it is drawn shows no such number"
    return result


def _look(view: View, start: int, end: int, words: str, *, pictures: bool) -> tuple[str, list[tuple[_Strip, ...]]]:
    """What the letters of one stretch say of themselves, and a strip of each of its lines at each scale."""
    if view.found[start:end] != words:
        return "its words are not found again on the page", []
    lines = _lines(view, start, end)
    if not lines:
        return "its words are not drawn on the page", []
    said = next((problem for line in lines if (problem := _uneven(line))), "")
    if not pictures or said or not any(_figures(words)):
        return said, []
    return "", [tuple(_strip(view, line, scale) for scale in SCALES) for line in lines]


_Letter = tuple[str, float, float, float, float, float]
"""A letter, its box on the page as it stands upright, and its baseline from the top."""


def _lines(view: View, start: int, end: int) -> list[list[_Letter]]:
    frame = raw.FS_RECTF()
    x, y = ctypes.c_double(), ctypes.c_double()
    lines: list[list[_Letter]] = []
    for place in range(start, end):
        index = place if view.chars is None else view.chars[place]
        letter = view.found[place]
        if index < 0 or letter.isspace() or _generated(view.text, index) == 1:
            continue
        _loose(view.text, index, ctypes.byref(frame))
        if frame.right <= frame.left or frame.top <= frame.bottom:
            continue
        left, top, right, bottom = view.upright.shown(frame.left, frame.bottom, frame.right, frame.top)
        _origin(view.text, index, ctypes.byref(x), ctypes.byref(y))
        base = view.upright.shown(x.value, y.value, x.value, y.value)[1]
        if lines and abs(base - lines[-1][-1][5]) <= 0.6 * (bottom - top):
            lines[-1].append((letter, left, top, right, bottom, base))
        else:
            lines.append([(letter, left, top, right, bottom, base)])
    return lines


def _uneven(line: list[_Letter]) -> str:
    """Whether the letters of one number differ in size or in the line on which they stand."""
    before: _Letter | None = None
    for one in line:
        if before is not None and one[0].isdigit() and before[0].isdigit() | (before[0] in ".,:"):
            tall = max(one[4] - one[2], before[4] - before[2])
            if abs(one[5] - before[5]) > UNEVEN * tall:
                return "its figures do not stand on one line"
            if abs((one[4] - one[2]) - (before[4] - before[2])) > UNEVEN * tall:
                return "its figures differ in size"
        before = one
    return ""


def _strip(view: View, line: list[_Letter], scale: float) -> _Strip:
    """A line as it is drawn, in grey, with white around it."""
    left, top = min(one[1] for one in line), min(one[2] for one in line)
    right, bottom = max(one[3] for one in line), max(one[4] for one in line)
    width, height = view.upright.size
    left, top, right, bottom = max(0.0, left), max(0.0, top), min(width, right), min(height, bottom)
    scale = min(scale, scale * TALL / max(1.0, bottom - top), MOST_WIDE / max(1.0, right - left))
    wide, high = max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale))
    bitmap = _create(wide, high, raw.FPDFBitmap_Gray, None, 0)
    if not bitmap:
        raise RefusedError("too_large", "has a line too large to draw.")
    try:
        _paint(bitmap, 0, 0, wide, high, 0xFFFFFFFF)
        flags = raw.FPDF_ANNOT | raw.FPDF_GRAYSCALE
        _render(
            bitmap, view.page, -round(left * scale), -round(top * scale), round(width * scale), round(height * scale), 0, flags
        )
        step = _stride(bitmap)
        rows = ctypes.string_at(_buffer(bitmap), step * high)
    finally:
        _destroy(bitmap)
    blank = b"\xff" * (wide + 2 * EDGE)
    inner = b"".join(b"\xff" * EDGE + rows[row * step : row * step + wide] + b"\xff" * EDGE for row in range(high))
    return wide + 2 * EDGE, high + 2 * EDGE, blank * EDGE + inner + blank * EDGE


def _read(program: str, strips: list[_Strip], seconds: float) -> list[str]:
    """What tesseract reads on each strip, all of them under each other in one picture."""
    wide = max(strip[0] for strip in strips)
    places, at, rows = [], 0, []
    for across, down, pixels in strips:
        places.append((at, at + down))
        at += down
        white = b"\xff" * (wide - across)
        rows += [pixels[row * across : (row + 1) * across] + white for row in range(down)]
    picture = png(b"".join(rows), wide, at, wide, 1, round(SCALES[0] * 72 / 0.0254))
    mode = "7" if len(strips) == 1 else "6"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, fixed arguments, the picture by pipe
            [program, "stdin", "stdout", "--psm", mode, "-l", "eng", "tsv"],
            input=picture,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.SubprocessError):
        return [""] * len(strips)
    found: list[list[str]] = [[] for _ in strips]
    for row in done.stdout.decode("utf-8", "replace").splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != "5" or not cells[11].strip():
            continue
        middle = int(cells[7]) + int(cells[9]) / 2
        for place, (top, bottom) in enumerate(places):
            if top <= middle < bottom:
                found[place].append(cells[11])
    return [" ".join(words) for words in found]


def _figures(text: str) -> list[str]:
    """Numbers, words of numbers and months of a text, in order; points kept, groups of thousands alike."""
    folded = text.replace("\u2236", ":").replace("\ufffe", "-").replace("\u00ad", "-")
    found = []
    for token in _TOKEN.findall(folded):
        if token[0].isalpha():
            found += [token.lower()] if token.lower() in _WORDS else []
        else:
            found.append(token)
    return found


def same_figures(said: str, seen: str) -> bool:
    """Whether what was seen has the numbers of what is said, in order, and no other.

    A letter that tesseract is known to take for a figure (O for 0, l for 1) may stand for it inside a number.
    """
    wanted, seen = _figures(said), _with_fractions(said, seen)
    mended = re.sub(r"(?<![A-Za-z])[\dOolI|]*\d[\dOolI|]*(?![A-Za-z])", lambda m: m[0].translate(_MISREAD), seen)
    mended = re.sub(r"(?<=\d)\s*([.,:])\s+(?=\d)", r"\1", mended) if wanted != _figures(mended) else mended
    return wanted in (_figures(seen), _figures(mended)) or _bare(wanted) == _bare(_figures(mended))


_GLYPHS = {
    "½": r"(?:½|%|\s?1/2|[YV¥'’,]?/?2)", "¼": r"(?:¼|%|\s?1/4|[YV¥'’,]?/?4)", "¾": r"(?:¾|%|\s?3/4|[YV¥'’,3]?/?4)",
    "⅓": r"(?:⅓|%|\s?1/3|[YV¥'’,]?/?3)", "⅔": r"(?:⅔|%|\s?2/3|[YV¥'’,2]?/?3)", "⅛": r"(?:⅛|%|\s?1/8|[YV¥'’,]?/?8)",
}  # fmt: skip
"""What tesseract makes of fractions that are one sign."""


def _with_fractions(said: str, seen: str) -> str:
    """What was seen, with the sign of a fraction where what is said has one and the sight is one that it is known to give."""
    for number, sign in re.findall(r"(\d+)\s?([½¼¾⅓⅔⅛])", said):
        seen = re.sub(rf"(?<!\d){number}\s?{_GLYPHS[sign]}(?!\d)", f"{number}{sign}", seen, count=1)
    return seen


def _bare(tokens: list[str]) -> list[str]:
    """Numbers with commas and points between groups of three alike, so that 1,250 and 1.250 are one sight; 3.50 and 350 are not."""
    return [re.sub(r"[.,](?=\d{3}(?!\d))", "'", token) for token in tokens]
