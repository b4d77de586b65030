"""What every command shares in printing: the terminal's width and colour, and clean sentences. Quick to import."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["block", "colour", "out", "plain", "warn", "width", "write_whole"]

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")


def plain(sentence: str) -> str:
    """A sentence on one line without anything that a terminal would obey."""
    return _CONTROL.sub(" ", sentence).strip()


def block(lines: Iterable[str]) -> str:
    """Lines as `plain` makes them, each with the spaces that it begins with."""
    return "\n".join(line[: len(line) - len(line.lstrip(" "))] + plain(line) for line in lines)


def width() -> int:
    """Columns of the terminal; 100 where there is none. COLUMNS overrides."""
    return shutil.get_terminal_size((100, 24)).columns


def colour() -> bool:
    """Whether standard output is to be coloured."""
    from conformed.app.pages.screen import wants_colour

    return wants_colour(os.environ, terminal=sys.stdout.isatty())


def out(text: str) -> None:
    """Prints a result: standard output has results only, messages go to standard error."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def warn(sentence: str) -> None:
    """Says on standard error what a command that only reads went on without; nothing where it lacked nothing."""
    if sentence:
        print(f"conformed: warning: {plain(sentence)}", file=sys.stderr)


def write_whole(file: Path, content: str | bytes) -> None:
    """Writes a file in one go: a reader sees the old one or the new one, never half. Text is written as UTF-8.

    Raises:
        UsageError: when its folder does not exist.
        OSError: when the disk says so.
    """
    from conformed.errors import UsageError

    if file.is_dir():
        raise UsageError(f"{file} is a folder.", f"Name a file: {file / 'report.html'}")
    if not file.parent.is_dir():
        raise UsageError(f"The folder {file.parent} does not exist.", "Make it first, or choose another.")
    half = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with half.open("wb") as to:
            to.write(content.encode("utf-8") if isinstance(content, str) else content)
            to.flush()
            os.fsync(to.fileno())
        half.replace(file)
    finally:
        half.unlink(missing_ok=True)
