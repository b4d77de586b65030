"""A portfolio as a table: on the screen, as CSV, and as a workbook. A cell is a number only where the cell holds it exactly."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from conformed.app.pages import shown
from conformed.app.pages.pen import Pen
from conformed.app.portfolios.portfolio_row import PortfolioRow
from conformed.model.base import Frozen

__all__ = ["COLUMNS", "Portfolio", "portfolio_csv", "portfolio_text", "portfolio_xlsx"]

Cell = str | dt.date | Fraction | None
_FORMULA = re.compile(r"[=+\-@\t\r\n|%]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?%?")
_STYLES = {"pass": "green", "breach": "bold red", "not_tested": "blue", "review": "yellow", "error": "bold magenta"}
_ORDER = ("breach", "error", "review", "not_tested", "pass")


class Portfolio(Frozen):
    """Every pack of a portfolio, by name."""

    schema_version: str = "conformed.portfolio/1"
    """Shape of this record."""
    rows: tuple[PortfolioRow, ...]
    """One a pack."""


COLUMNS = (
    "pack", "borrower", "test_date", "known_at", "result", "overlay", "covenant", "section", "comparator", "level",
    "level_currency", "ratio", "ratio_exact", "headroom_debt", "currency", "headroom_ebitda", "next_step_down_on",
    "next_step_down_level", "missing_evidence", "problem",
)  # fmt: skip
"""Columns of the CSV and of the workbook."""


def _cells(row: PortfolioRow) -> tuple[Cell, ...]:
    step = row.next_step_down
    missing = " | ".join(f"{said.code}{f' [{said.subject}]' if said.subject else ''}: {said.sentence}" for said in row.missing)
    return (
        row.pack, row.borrower, row.test_date, row.known_at, row.result, row.overlay, row.covenant, row.section,
        row.comparator.sign if row.comparator else None, row.level, row.level_currency, row.ratio_shown, row.ratio,
        row.headroom_debt, row.currency, _percent(row.headroom_ebitda),
        step.on if step else None, step.level if step else None, missing, row.problem,
    )  # fmt: skip


def _percent(share: Fraction | None) -> str | None:
    """A share with one decimal, its minus one that programs read; the exact share is in the JSON."""
    return None if share is None else shown.share(share).replace("−", "-")


def _plain(number: Fraction) -> str:
    """A number that is finite in decimals as decimals, else as a fraction; always exact."""
    places = next((n for n in range(13) if (number * 10**n).denominator == 1), None)
    if places is None:
        return str(number)
    digits = shown.decimal(abs(number), places)
    return f"-{digits}" if number < 0 else digits


def _text(cell: Cell) -> str:
    """A cell as text, on one line."""
    if cell is None:
        return ""
    if isinstance(cell, Fraction):
        return _plain(cell)
    return cell.isoformat() if isinstance(cell, dt.date) else shown.one_line(cell)


def portfolio_csv(rows: Sequence[PortfolioRow]) -> str:
    """The portfolio as CSV (RFC 4180). Text that a spreadsheet would take for a formula is led by an apostrophe.

    Args:
        rows: the packs.
    """
    to = io.StringIO(newline="")
    writer = csv.writer(to, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_safe(_text(cell)) for cell in _cells(row)])
    return to.getvalue()


def _safe(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def portfolio_xlsx(rows: Sequence[PortfolioRow]) -> bytes:
    """The portfolio as a workbook with one sheet. Nothing in it is a formula or a link, and no clock: same rows, same bytes.

    Args:
        rows: the packs.
    """
    from xlsxwriter import Workbook

    to = io.BytesIO()
    workbook = Workbook(
        to, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    )
    workbook.set_properties({"title": "Portfolio", "author": "Conformed", "created": dt.datetime(1980, 1, 1, tzinfo=dt.UTC)})
    sheet = workbook.add_worksheet("Portfolio")
    head, day = workbook.add_format({"bold": True}), workbook.add_format({"num_format": "yyyy-mm-dd"})
    for column, name in enumerate(COLUMNS):
        sheet.write_string(0, column, name, head)
    for line, row in enumerate(rows, 1):
        for column, cell in enumerate(_cells(row)):
            _write(sheet, line, column, cell, day)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, max(1, len(rows)), len(COLUMNS) - 1)
    sheet.set_column(0, len(COLUMNS) - 1, 16)
    workbook.close()
    return to.getvalue()


def _write(sheet: Any, line: int, column: int, cell: Cell, day: Any) -> None:
    if isinstance(cell, dt.date) and cell >= dt.date(1900, 3, 1):  # before it, the calendar of the format is wrong
        sheet.write_datetime(line, column, dt.datetime.combine(cell, dt.time()), day)
        return
    if isinstance(cell, Fraction) and (held := _held(cell)) is not None:
        sheet.write_number(line, column, held)
        return
    if text := _text(cell):
        sheet.write_string(line, column, text[:32_767])


def _held(number: Fraction) -> float | int | None:
    """The number as the cell would hold it, if that is exactly the number: binary, and written with at most 15 digits."""
    if abs(number) >= 10**15:
        return None
    if number.denominator == 1:
        return int(number)
    held = number.numerator / number.denominator
    return held if Fraction(held) == number == Fraction(f"{held:.15G}") else None


def portfolio_text(rows: Sequence[PortfolioRow], *, width: int = 100, colour: bool = False) -> str:
    """The portfolio for a screen: one line a pack, then what is missing, pack by pack.

    Args:
        rows: the packs.
        width: columns of the terminal.
        colour: whether to colour; the words say the same without it.
    """
    pen = Pen(width, colour=colour)
    counts = {result: sum(row.result == result for row in rows) for result in _ORDER}
    said = ", ".join(f"{count} {result.replace('_', ' ')}" for result, count in counts.items() if count)
    pen.line((f"{len(rows)} packs: {said}", "bold"))
    pen.gap()
    heads = ("Pack", "Result", "Level", "Ratio", "Headroom", "Next step-down", "Borrower")
    pen.table(heads, [_line(row) for row in rows], styles=[_STYLES[row.result] for row in rows])
    for row in rows:
        if row.problem or row.missing:
            pen.heading(row.pack)
        if row.problem:
            pen.say(f"Not run: {row.problem}", indent=2)
        for one in row.missing:
            pen.item(f"{one.code} [{one.subject}]" if one.subject else one.code, one.sentence)
    return pen.text()


def _line(row: PortfolioRow) -> tuple[str, ...]:
    overlay = f", {row.overlay}" if row.overlay != "none" else ""
    level = ""
    if row.level is not None and row.comparator is not None:
        value = shown.money(row.level, row.level_currency) if row.level_currency else shown.level(row.level)
        level = f"{row.comparator.sign} {value}"
    room = [shown.money(row.headroom_debt, row.currency)] if row.headroom_debt is not None else []
    room += [f"EBITDA {shown.share(row.headroom_ebitda)}"] if row.headroom_ebitda is not None else []
    step = f"{shown.day(row.next_step_down.on)} {row.next_step_down.level}" if row.next_step_down else ""
    ratio = row.ratio_shown or (shown.value(row.ratio, "x") if row.ratio is not None else "")
    return (row.pack, row.result.replace("_", " ") + overlay, level, ratio, " · ".join(room), step, row.borrower)
