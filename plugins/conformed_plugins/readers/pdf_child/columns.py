"""Two columns of prose that were drawn row by row: put into the order in which a person reads them, where that is safe.

Safe means: a gutter that nothing crosses, every line of the stretch in two halves, and both halves filled like prose.
A table of labels and figures, or of terms and meanings, is never touched.
"""

from __future__ import annotations

from itertools import pairwise

from .letters import Letter, letters_of
from .objects import Drawn
from .text import Sheet

__all__ = ["by_column"]

LEAST_ROWS = 8
LEAST_GUTTER = 8.0
"""Points."""
FULL = 0.8
"""Share of a column's width from which a line counts as full."""

_Half = tuple[int, int, int]  # start of the line, the place where its right half begins, its end


def by_column(text: int, found: str, chars: list[int] | None, upright: Sheet, drawn: Drawn) -> tuple[str, list[int] | None, str]:
    """The text column by column, its character map, and a doubt in words where two columns may stand in rows.

    Args:
        text: handle of the page's text.
        found: the page's text.
        chars: its character map.
        upright: the sheet on which the words stand upright.
        drawn: the page's objects.
    """
    if not _may_have_columns(drawn, upright):
        return found, chars, ""
    letters = {item.place: item for item in letters_of(text, found, chars, upright)}
    lines = _lines(found)
    gutter = _gutter(lines, letters)
    if gutter is None:
        return found, chars, ""
    halves = [_halved(line, letters, gutter) for line in lines]
    longest = _longest([half is not None for half in halves])
    rows = [half for half in halves[longest[0] : longest[1]] if half is not None]
    if len(rows) < LEAST_ROWS or not _wordy(found, rows):
        return found, chars, ""
    if not _full(rows, letters):
        return found, chars, "two columns may stand in rows"
    return *_reordered(found, chars, rows), ""


def _may_have_columns(drawn: Drawn, upright: Sheet) -> bool:
    """Whether many lines jump over a gap to words far to the right, whether drawn by the line or by the word."""
    jumps = 0
    width = upright.size[0]
    left = right = top = bottom = 0.0
    for piece in drawn.pieces:
        box = piece.box if not upright.turn else upright.shown(*piece.box)
        if min(bottom, box[3]) - max(top, box[1]) > 0.5 * (box[3] - box[1]) and box[0] > left:
            if box[0] - right < LEAST_GUTTER:
                right = max(right, box[2])
                continue
            jumps += box[0] > 0.3 * width and right - left > 0.15 * width
        left, top, right, bottom = box
    return jumps >= LEAST_ROWS


def _lines(found: str) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    start = 0
    for place, letter in enumerate(found):
        if letter in "\n\ufffe":
            lines.append((start, place + 1))
            start = place + 1
    if start < len(found):
        lines.append((start, len(found)))
    return lines


def _gutter(lines: list[tuple[int, int]], letters: dict[int, Letter]) -> float | None:
    """Where the widest gap of most lines has its middle."""
    middles: list[tuple[float, float]] = []
    for start, end in lines:
        gaps = [gap for gap in _gaps(start, end, letters) if gap[1] - gap[0] >= LEAST_GUTTER]
        if len(gaps) == 1:
            middles.append(gaps[0])
    if len(middles) < LEAST_ROWS:
        return None
    left, right = max(gap[0] for gap in middles), min(gap[1] for gap in middles)
    return (left + right) / 2 if right - left >= LEAST_GUTTER / 2 else None


def _gaps(start: int, end: int, letters: dict[int, Letter]) -> list[tuple[float, float]]:
    inside = [letters[place] for place in range(start, end) if place in letters]
    return [(one.right, other.left) for one, other in pairwise(inside)]


def _halved(line: tuple[int, int], letters: dict[int, Letter], gutter: float) -> _Half | None:
    """A line as two halves, when every character of the first stands left of the gutter and every other one right of it."""
    inside = [letters[place] for place in range(*line) if place in letters]
    first = next((item.place for item in inside if item.left >= gutter), None)
    if first is None or not inside or inside[0].place == first:
        return None
    whole = all((item.right <= gutter) if item.place < first else (item.left >= gutter) for item in inside)
    return (line[0], first, line[1]) if whole else None


def _longest(flags: list[bool]) -> tuple[int, int]:
    best, start = (0, 0), None
    for place, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = place
        elif not flag and start is not None:
            best = max(best, (start, place), key=lambda run: (run[1] - run[0], -run[0]))
            start = None
    return best


def _wordy(found: str, rows: list[_Half]) -> bool:
    """Whether the right halves are words and not figures."""
    right = "".join(found[middle:end] for _, middle, end in rows)
    letters = sum(letter.isalpha() for letter in right)
    return letters >= 12 * len(rows) and letters > 0.75 * len("".join(right.split()))


def _full(rows: list[_Half], letters: dict[int, Letter]) -> bool:
    """Whether most lines of both columns reach (nearly) as far as the longest."""
    for side in (0, 1):
        sides = [[letters[place] for place in range(row[side], row[side + 1]) if place in letters] for row in rows]
        left = min(item.left for items in sides for item in items)
        wide = max(item.right for items in sides for item in items) - left
        reach = [max(item.right for item in items) - left for items in sides if items]
        if sum(length >= FULL * wide for length in reach) < 0.6 * len(rows):
            return False
    return True


def _reordered(found: str, chars: list[int] | None, rows: list[_Half]) -> tuple[str, list[int] | None]:
    """The left halves one below the other, then the right halves; white space between the halves becomes a line break."""
    parts: list[str] = [found[: rows[0][0]]]
    back: list[int] = list(range(rows[0][0]))
    for start, middle, _ in rows:
        end = start + len(found[start:middle].rstrip())
        parts += [found[start:end], "\r\n"]
        back += [*range(start, end), -1, -1]
    for _, middle, end in rows:
        parts.append(found[middle:end])
        back += range(middle, end)
    last = rows[-1][2]
    if last < len(found) and not found[:last].endswith(("\n", "\ufffe")):
        parts.append("\r\n")
        back += [-1, -1]
    parts.append(found[last:])
    back += range(last, len(found))
    return "".join(parts), [-1 if place < 0 else place if chars is None else chars[place] for place in back]
