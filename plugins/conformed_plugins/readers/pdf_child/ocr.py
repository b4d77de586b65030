"""Words of pictures, by the program tesseract, one page at a time, each with its own clock."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

from .image import grey_page
from .native import RefusedError, load_page, open_document
from .text import sheet_of

__all__ = ["recognise"]

_Word = tuple[str, int, int, int, int, int]


def recognise(data: Any, asked: dict[str, Any], say: Callable[[Any], None]) -> None:
    """Reads some pages and says one frame a page: its lines of words with their rectangles, or why it could not be read.

    Args:
        data: the bytes.
        asked: ``pages`` (0-based), ``program``, ``dpi``, ``page_seconds``, ``all_seconds``.
        say: sends a frame.
    """
    end = time.monotonic() + asked["all_seconds"]
    with open_document(data) as document:
        for index in asked["pages"]:
            left = min(asked["page_seconds"], end - time.monotonic())
            if left <= 1:
                say({"page": index, "failed": "the time for OCR of this document was used up"})
                continue
            try:
                with load_page(document, index) as page:
                    width, height = sheet_of(page).size
                picture = grey_page(document, index, asked["dpi"])
                lines = _lines(_run(asked["program"], picture, left), width, height)
            except RefusedError:
                say({"page": index, "failed": "the page could not be drawn for OCR"})
            except subprocess.TimeoutExpired:
                say({"page": index, "failed": f"OCR took longer than {asked['page_seconds']} seconds"})
            except (OSError, subprocess.SubprocessError, ValueError):
                say({"page": index, "failed": "the OCR program stopped on this page"})
            else:
                say({"page": index, "lines": lines})


def _run(program: str, picture: bytes, seconds: float) -> str:
    """What tesseract says of a picture, as its table of words.

    Raises:
        subprocess.TimeoutExpired: after the time given.
        subprocess.CalledProcessError: when the program fails.
    """
    done = subprocess.run(  # noqa: S603 - a fixed program, fixed arguments, the picture by pipe
        [program, "stdin", "stdout", "--psm", "1", "-l", "eng", "tsv"],
        input=picture,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds,
        check=True,
        env={**os.environ, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C.UTF-8"},
    )
    return done.stdout.decode("utf-8", "replace")


def _lines(table: str, width: float, height: float) -> list[list[_Word]]:
    """Lines of words with rectangles in hundredths of a point, from the top left corner of the page as shown."""
    lines: dict[tuple[str, ...], list[_Word]] = {}
    across = down = 0.0
    for row in table.splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) < 12:
            continue
        left, top, wide, high = (int(cell) for cell in cells[6:10])
        if cells[0] == "1":  # the page: how many pixels it has
            across, down = width * 100 / max(1, wide), height * 100 / max(1, high)
        elif cells[0] == "5" and cells[11].strip():
            words = " ".join(cells[11].split())
            box = (round(left * across), round(top * down), round((left + wide) * across), round((top + high) * down))
            lines.setdefault(tuple(cells[1:5]), []).append((words, *box, round(float(cells[10]))))
    return list(lines.values())
