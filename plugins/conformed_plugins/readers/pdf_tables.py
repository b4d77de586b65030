"""From the child's tables to the model's: spans checked against the canonical text, continued tables joined."""

from __future__ import annotations

from typing import Any

from conformed.model.document import Cell, Document, Table

__all__ = ["build"]

SAME_EDGE = 6.0
"""Points by which the columns of a continued table may be shifted."""


def build(document: Document, found: list[dict[str, Any]]) -> tuple[Table, ...]:
    """Tables in reading order; one that goes on over a page is one table, its repeated header kept once."""
    joined: list[tuple[int, list[tuple[Cell, ...]]]] = []
    before: dict[str, Any] | None = None
    for table in found:
        rows = [tuple(_cell(document, table["page"], cell) for cell in row) for row in table["rows"]]
        if before is not None and _continues(before, table):
            whole = joined[-1][1]
            whole.extend(rows[1:] if _same(whole[0], rows[0]) else rows)
        else:
            joined.append((table["page"] + 1, rows))
        before = table
    return tuple(_padded(page, rows) for page, rows in joined)


def _continues(before: dict[str, Any], table: dict[str, Any]) -> bool:
    if table["page"] != before["page"] + 1 or not (before["last"] and table["first"]):
        return False
    one, other = before["columns"], table["columns"]
    return len(one) == len(other) and all(abs(a - b) <= SAME_EDGE for a, b in zip(one, other, strict=True))


def _same(one: tuple[Cell, ...], other: tuple[Cell, ...]) -> bool:
    return [cell.text for cell in one] == [cell.text for cell in other]


def _cell(document: Document, page: int, cell: list[Any] | None) -> Cell:
    if cell is None:
        return Cell(text="")
    words, start, end = cell
    if start < 0:
        return Cell(text=words)
    base = document.pages[page].start
    slice_ = document.text[base + start : base + end]
    if "".join(slice_.replace("\ufffe", "-").split()) != "".join(words.split()):
        return Cell(text=words)
    return Cell(text=words, span=document.span(base + start, base + end))


def _padded(page: int, rows: list[tuple[Cell, ...]]) -> Table:
    wide = max(len(row) for row in rows)
    empty = Cell(text="")
    return Table(page=page, rows=tuple((*row, *([empty] * (wide - len(row)))) for row in rows))
