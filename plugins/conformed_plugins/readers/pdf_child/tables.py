"""Tables of some pages: ruled ones by pdfplumber on a single page cut out, unruled ones by our own grouping."""

from __future__ import annotations

import ctypes
import io
from typing import Any

from .grid import Grid, grids
from .letters import Letter, letters_of, lines_of, squeezed
from .native import Opened, call, load_page, open_document, raw
from .objects import Rule
from .text import Sheet
from .view import open_view

__all__ = ["tables"]

_set_rotation = call("FPDFPage_SetRotation")
_set_media = call("FPDFPage_SetMediaBox")
_set_crop = call("FPDFPage_SetCropBox")
_new = call("FPDF_CreateNewDocument")
_close = call("FPDF_CloseDocument")
_import = call("FPDF_ImportPagesByIndex")
_save = call("FPDF_SaveAsCopy")

LEAST_RULES = 4
SPARSE = 0.35
"""Share of cells with words below which rules are a drawing and not a table."""
_Cell = tuple[str, int, int] | None


def tables(data: Any, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Tables of the pages asked for (``pages``, 0-based), in order.

    Returns:
        One dict a table: ``page``, ``rows`` of [words, start, end] (start -1 where it cannot be certified), ``first`` and
        ``last`` (whether hardly anything stands above or below it on its page), ``columns`` (left edges), ``agree``.
    """
    found: list[dict[str, Any]] = []
    with open_document(data) as document:
        for index in sorted(set(asked["pages"])):
            if 0 <= index < document.pages:
                found.extend(_page(document, index))
    return found


def _page(document: Opened, index: int) -> list[dict[str, Any]]:
    with open_view(document, index) as view:
        found, upright, rules = view.found, view.upright, view.drawn.rules
        letters = letters_of(view.text, found, view.chars, upright)
    result: list[tuple[float, dict[str, Any]]] = []
    free = letters
    if _may_be_ruled(rules):
        for box, rows, columns in _ruled(document, index, upright, letters):
            result.append((box[1], _table(index, found, rows, box[1], box[3], columns, letters)))
            free = [item for item in free if not _inside(item, box)]
    result += [(grid.top, _unruled(index, found, grid, letters)) for grid in grids(lines_of(free))]
    return [table for _, table in sorted(result, key=lambda item: item[0])]


def _may_be_ruled(rules: list[Rule]) -> bool:
    return len(rules) >= LEAST_RULES


def _cut(document: Opened, index: int, upright: Sheet) -> bytes:
    """One page as a PDF of its own, turned so that its words stand upright, cut to what is shown."""
    one = _new()
    try:
        _import(one, document.handle, (ctypes.c_int * 1)(index), 1, 0)
        with load_page(Opened(one, 1, restricted=False), 0) as page:
            _set_rotation(page, upright.turn)
            _set_media(page, upright.left, upright.bottom, upright.right, upright.top)
            _set_crop(page, upright.left, upright.bottom, upright.right, upright.top)
        out = io.BytesIO()

        def write(_self: Any, block: Any, size: int) -> int:
            out.write(ctypes.string_at(block, size))
            return 1

        writer = raw.FPDF_FILEWRITE(version=1)
        kind = dict(raw.FPDF_FILEWRITE._fields_)["WriteBlock"]
        writer.WriteBlock = kind(write)
        _save(one, ctypes.byref(writer), 0)
        return out.getvalue()
    finally:
        _close(one)


_Box = tuple[float, float, float, float]
_Found = tuple[_Box, list[list[tuple[list[Letter], str]]], list[float]]


def _ruled(document: Opened, index: int, upright: Sheet, letters: list[Letter]) -> list[_Found]:
    """Ruled tables: cells by pdfplumber's lines, characters of each cell by pdfium, and pdfplumber's words to compare."""
    import pdfplumber  # heavy: only when tables are asked for

    found: list[_Found] = []
    try:
        with pdfplumber.open(io.BytesIO(_cut(document, index, upright))) as opened:
            page = opened.pages[0]
            x, y = page.bbox[0], page.bbox[1]
            for table in page.find_tables():
                if len(table.rows) < 2 or max(len(row.cells) for row in table.rows) < 2:
                    continue
                words = table.extract()
                rows: list[list[tuple[list[Letter], str]]] = []
                for row, said in zip(table.rows, words, strict=True):
                    cells: list[tuple[list[Letter], str]] = []
                    for cell, other in zip(row.cells, said, strict=True):
                        box = None if cell is None else (cell[0] - x, cell[1] - y, cell[2] - x, cell[3] - y)
                        cells.append(([] if box is None else [one for one in letters if _inside(one, box)], other or ""))
                    rows.append(cells)
                if _coarse(rows):
                    continue
                whole = table.bbox
                lefts = sorted({round(cell[0] - x, 1) for row in table.rows for cell in row.cells if cell})
                found.append(((whole[0] - x, whole[1] - y, whole[2] - x, whole[3] - y), rows, lefts))
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - whatever the second engine stumbles over, the first one's tables still stand
        return []
    return found


def _coarse(rows: list[list[tuple[list[Letter], str]]]) -> bool:
    """Whether the rules are only part of the table: cells that hold several rows of it, or hardly any words.

    Such a table is read by its words instead, like one without rules.
    """
    cells = [inside for row in rows for inside, _ in row]
    if sum(bool(inside) for inside in cells) < SPARSE * len(cells):
        return True
    for row in rows:
        heights: list[int] = []
        for inside, _ in row:
            lines = lines_of(inside) if inside else []
            if sum(len(line.segments) >= 2 for line in lines) >= 2:
                return True
            if lines:
                heights.append(len(lines))
        tall = [height for height in heights if height >= 3]
        if len(tall) >= 2 and len(set(tall)) == 1 and len(tall) * 2 > len(heights):
            return True
    return False


def _inside(item: Letter, box: _Box) -> bool:
    x, y = (item.left + item.right) / 2, (item.top + item.bottom) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _table(
    index: int,
    found: str,
    rows: list[list[tuple[list[Letter], str]]],
    top: float,
    bottom: float,
    columns: list[float],
    letters: list[Letter],
) -> dict[str, Any]:
    done: list[list[_Cell]] = []
    agree = True
    for row in rows:
        cells: list[_Cell] = []
        for inside, other in row:
            same = squeezed(other) == "".join(item.letter for item in _reading(inside))
            agree = agree and same
            cells.append(_certified(found, inside, sure=same))
        done.append(cells)
    return _facts(index, done, top, bottom, columns, letters, agree=agree)


def _unruled(index: int, found: str, grid: Grid, letters: list[Letter]) -> dict[str, Any]:
    rows = [[_certified(found, cell, sure=True) for cell in row] for row in grid.rows]
    return _facts(index, rows, grid.top, grid.bottom, [left for left, _ in grid.columns], letters, agree=True)


def _facts(
    index: int, rows: list[list[_Cell]], top: float, bottom: float, columns: list[float], letters: list[Letter], *, agree: bool
) -> dict[str, Any]:
    above = len({round(item.base) for item in letters if item.bottom <= top + 1})
    below = len({round(item.base) for item in letters if item.top >= bottom - 1})
    return {"page": index, "rows": rows, "first": above <= 2, "last": below <= 2, "columns": columns, "agree": agree}


def _reading(inside: list[Letter]) -> list[Letter]:
    return [item for line in lines_of(inside) for segment in line.segments for item in segment.letters] if inside else []


def _certified(found: str, inside: list[Letter], *, sure: bool) -> _Cell:
    """The words of a cell, with their stretch where they stand in one piece in the page's text."""
    if not inside:
        return None
    ordered = _reading(inside)
    words = _spaced(found, ordered)
    start, end = min(item.place for item in inside), max(item.place for item in inside) + 1
    whole = sure and squeezed(found[start:end]) == "".join(item.letter for item in sorted(inside, key=lambda one: one.place))
    if whole and [item.place for item in ordered] == sorted(item.place for item in inside):
        return (" ".join(found[start:end].replace("\ufffe", "- ").split()), start, end)
    return (words, -1, -1)


def _spaced(found: str, ordered: list[Letter]) -> str:
    """Characters of a cell with a space where the page's text, or the line, has one."""
    parts: list[str] = []
    before: Letter | None = None
    for item in ordered:
        if before is not None and (
            item.place < before.place or found[before.place + 1 : item.place].strip() or item.place > before.place + 1
        ):
            parts.append(" ")
        parts.append(item.letter)
        before = item
    return " ".join("".join(parts).split())
