"""Tables without ruling lines: rows of segments that stand in the same columns."""

from __future__ import annotations

from .letters import Letter, Line, Segment

__all__ = ["Grid", "grids"]

LEAST_ROWS = 3
GAP = 3.2
"""Lines further apart than so many line heights belong to two tables."""
_SIGNS_BEFORE = {"$", "US$", "C$", "\u00a3", "\u20ac", "("}
_SIGNS_AFTER = {"%", ")", "x", ")%"}


class Grid:
    """A table: rows of cells, each cell the characters that stand in it."""

    def __init__(self, rows: list[list[list[Letter]]], top: float, bottom: float, columns: list[tuple[float, float]]) -> None:
        self.rows, self.top, self.bottom, self.columns = rows, top, bottom, columns


def grids(lines: list[Line]) -> list[Grid]:
    """The tables among some lines, from top to bottom."""
    found: list[Grid] = []
    for block in _blocks(lines):
        grid = _grid(block)
        if grid is not None:
            found.append(grid)
    return found


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Runs of lines with at least two segments; single lines between two of them are kept."""
    blocks: list[list[Line]] = []
    current: list[Line] = []
    loose = 0
    for line in lines:
        near = bool(current) and line.base - current[-1].base <= GAP * max(line.height, current[-1].height)
        if len(line.segments) >= 2:
            if not near and current:
                blocks.append(current[: len(current) - loose])
                current = []
            current.append(line)
            loose = 0
        elif near and loose < 2 and _short(line, current):
            current.append(line)
            loose += 1
        elif current:
            blocks.append(current[: len(current) - loose])
            current, loose = [], 0
    if current:
        blocks.append(current[: len(current) - loose])
    return [block for block in blocks if sum(len(line.segments) >= 2 for line in block) >= LEAST_ROWS]


def _short(line: Line, block: list[Line]) -> bool:
    """Whether a line with one segment fits into one column: it ends before the second column of the block begins."""
    second = min(item.segments[1].left for item in block if len(item.segments) >= 2)
    return bool(line.segments) and line.segments[0].right <= second + 1


def _grid(block: list[Line]) -> Grid | None:
    columns = _columns(block)
    if len(columns) < 2:
        return None
    rows = [[_cell(line, column) for column in columns] for line in block]
    full = [row for row in rows if sum(bool(cell) for cell in row) >= 2]
    figures = max(
        sum(_figure(row[place]) for row in full) for place in range(1, len(columns))
    )  # a column of figures beside the labels is what tells a table from two columns of prose
    if len(full) < LEAST_ROWS or figures * 2 < len(full) or _prose(full):
        return None
    top = min(item.top for row in rows for cell in row for item in cell)
    bottom = max(item.bottom for row in rows for cell in row for item in cell)
    return Grid(rows, top, bottom, columns)


def _figure(cell: list[Letter]) -> bool:
    """Whether a cell is mostly a figure, a date or a ratio."""
    digits = sum(item.letter.isdigit() for item in cell)
    return digits * 4 >= max(1, len(cell)) or (len(cell) == 1 and cell[0].letter in "-\u2013\u2014")


def _prose(rows: list[list[list[Letter]]]) -> bool:
    """Whether many cells are long runs of letters."""
    cells = [cell for row in rows for cell in row if cell]
    return sum(len(cell) > 22 and sum(item.letter.isalpha() for item in cell) > 0.8 * len(cell) for cell in cells) > 0.4 * len(
        cells
    )


def _columns(block: list[Line]) -> list[tuple[float, float]]:
    """Stretches of the page's width that segments share, signs of money and percent with their figures."""
    spans = sorted((segment.left, segment.right, segment.words) for line in block for segment in line.segments)
    merged: list[tuple[float, float, set[str]]] = []
    for left, right, words in spans:
        if merged and left <= merged[-1][1] + 1:
            before = merged[-1]
            merged[-1] = (before[0], max(before[1], right), before[2] | {words})
        else:
            merged.append((left, right, {words}))
    columns: list[tuple[float, float]] = []
    pending: float | None = None
    for left, right, said in merged:
        if said <= _SIGNS_BEFORE:
            pending = left if pending is None else pending
        elif said <= _SIGNS_AFTER and columns:
            columns[-1] = (columns[-1][0], right)
        else:
            columns.append((left if pending is None else pending, right))
            pending = None
    return columns


def _cell(line: Line, column: tuple[float, float]) -> list[Letter]:
    inside: list[Segment] = [
        segment for segment in line.segments if column[0] - 1 <= (segment.left + segment.right) / 2 <= column[1] + 1
    ]
    return [item for segment in inside for item in segment.letters]
