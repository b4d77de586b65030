"""Writes lines, pairs and tables of a fixed width. Every string is cleaned here, once, and none is read as markup."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformed.app.pages.shown import one_line

__all__ = ["Pen"]

_NARROW = 72
_NARROWEST = 24


class Pen:
    """Collects text for a terminal.

    Args:
        width: columns; at least 24 are used.
        colour: whether to write colour.
    """

    def __init__(self, width: int, *, colour: bool) -> None:
        self._width = max(width, _NARROWEST)
        self._to = io.StringIO()
        self._console = Console(
            file=self._to,
            width=self._width,
            force_terminal=colour,
            color_system="standard" if colour else None,
            no_color=not colour,
            markup=False,
            emoji=False,
            highlight=False,
            legacy_windows=False,
            _environ={},
        )

    @property
    def narrow(self) -> bool:
        """Whether tables must be stacked."""
        return self._width < _NARROW

    def text(self) -> str:
        """All that was written, without blanks at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._to.getvalue().split("\n")).rstrip("\n") + "\n"

    def gap(self) -> None:
        """An empty line."""
        self._console.print()

    def line(self, *parts: tuple[str, str]) -> None:
        """One line of styled parts."""
        text = Text()
        for words, style in parts:
            text.append(_kept(words), style=style)
        self._console.print(text)

    def heading(self, words: str) -> None:
        """A heading, with a gap before it."""
        self.gap()
        self._console.print(Text(one_line(words), style="bold underline"))

    def say(self, words: str, *, indent: int = 0, style: str = "") -> None:
        """A paragraph."""
        self._console.print(Padding(Text(one_line(words), style=style), (0, 0, 0, 2 if self.narrow and indent else indent)))

    def item(self, head: str, words: str) -> None:
        """A point: its head, and its words after it or, indented, under it."""
        head, words = one_line(head), one_line(words)
        if len(head) + len(words) + 4 <= self._width:
            self.line(("  ", ""), (head, "bold"), ("  ", ""), (words, ""))
        elif len(head) <= 3:
            self._console.print(self._grid([(head, words)], len(head)))
        else:
            self.say(head, indent=2, style="bold")
            self.say(words, indent=4)

    def pairs(self, rows: Sequence[tuple[str, str]]) -> None:
        """Names and values in two columns."""
        rows = [(one_line(name), one_line(value)) for name, value in rows]
        if not self.narrow:
            self._console.print(self._grid(rows, min(24, max((len(name) for name, _ in rows), default=0))))
            return
        for name, value in rows:
            self.item(f"{name}:", value)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Sequence[str] = ()) -> None:
        """A table; stacked lines where the terminal is narrow. ``styles`` colours the first cell of each row."""
        if self.narrow:
            for row in rows:
                first, *rest = row
                self.item(first, " · ".join(cell for cell in rest if cell))
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=True)
        for number, head in enumerate(heads):
            table.add_column(
                Text(("  " if number == 0 else "") + head), no_wrap=number < 3 and number < len(heads) - 1, overflow="fold"
            )
        for number, row in enumerate(rows):
            style = styles[number] if number < len(styles) else ""
            cells = [Text(one_line(cell)) for cell in row]
            cells[0] = Text.assemble("  ", (one_line(row[0]), style))
            table.add_row(*cells)
        self._console.print(table)

    def _grid(self, rows: Sequence[tuple[str, str]], left: int) -> Table:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=left + 2)
        grid.add_column(overflow="fold")
        for name, value in rows:
            grid.add_row(Text(f"  {name}", style="dim"), Text(value))
        return grid


def _kept(words: str) -> str:
    """Cleaned, with the blanks at both ends kept: parts of a line are glued by them."""
    left, right = len(words) - len(words.lstrip(" ")), len(words) - len(words.rstrip(" "))
    middle = one_line(words)
    return " " * left + middle + " " * right if middle else words
