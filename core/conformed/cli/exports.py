"""The conformed copy on the screen and in files, alone or against another date."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformed.cli.printed import colour, out, plain, width, write_whole

if TYPE_CHECKING:
    from conformed.app.copies.copy_diff import CopyDiff
    from conformed.app.face import Face
    from conformed.app.options import RunOptions
    from conformed.model.decision import Conformed

__all__ = ["Files", "copy_pack"]

_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class Files:
    """Where a copy is to be written besides the screen."""

    html: Path | None = None
    """A self-contained page."""
    docx: Path | None = None
    """A Word document."""
    text: Path | None = None
    """Plain text, 100 columns wide whatever the terminal is."""


def copy_pack(
    service: Face, path: Path, options: RunOptions, other: Mapping[str, dt.date | None], files: Files, *, as_json: bool
) -> bool:
    """Prints a conformed copy, or its difference from another, and writes the files that are asked for.

    Args:
        service: the service.
        path: the pack.
        options: what is asked.
        other: test date and knowledge date of the copy to compare with; none of either where there is none.
        files: what to write.
        as_json: whether to print JSON.

    Returns:
        Whether there is a copy.

    Raises:
        ConformedError: as the service does, or when a file cannot be written.
    """
    copies = service.copy(path, options)
    changed = {name: day for name, day in other.items() if day is not None}
    diff = _difference(service, path, options, changed, copies) if changed else None
    _write(service, path, options, files, copies, diff)
    if diff is not None:
        from conformed.app.copies.copy_diff import diff_text

        out(diff.model_dump_json(indent=2) if as_json else diff_text(diff, width=width(), colour=colour()))
    elif as_json:
        out("[\n" + ",\n".join(item.model_dump_json() for item in copies) + "\n]" if copies else "[]")
    else:
        from conformed.app.copies.copy_text import copy_text

        out(copy_text(copies, width=width(), colour=colour()))
    return bool(copies)


def _difference(
    service: Face, path: Path, options: RunOptions, changed: Mapping[str, dt.date], copies: tuple[Conformed, ...]
) -> CopyDiff:
    """The copy of the options against the copy of the changed options; both come from one reading of the pack."""
    from conformed.app.copies.copy_diff import Asked, compare_copies

    earlier = options.model_copy(update=dict(changed))
    asked = [service.covenant(path, one) for one in (earlier, options)]
    before, after = (Asked(test_date=answer.test_date, known_at=answer.known_at) for answer in asked)
    return compare_copies(service.copy(path, earlier), copies, dates=(before, after))


def _write(
    service: Face, path: Path, options: RunOptions, files: Files, copies: tuple[Conformed, ...], diff: CopyDiff | None
) -> None:
    if not (files.html or files.docx or files.text):
        return
    answer = service.covenant(path, options)
    if files.html is not None:
        from conformed.app.copies.copy_html import render_copy

        _save(files.html, render_copy(copies, answer, diff))
    if files.docx is not None:
        from conformed.app.copies.copy_docx import copy_docx

        _save(files.docx, copy_docx(copies, answer, diff))
    if files.text is not None:
        from conformed.app.copies.copy_diff import diff_text
        from conformed.app.copies.copy_text import copy_text

        changes = "\n" + diff_text(diff, width=_COLUMNS) if diff is not None else ""
        _save(files.text, copy_text(copies, width=_COLUMNS) + changes)


def _save(file: Path, content: str | bytes) -> None:
    write_whole(file, content)
    print(f"Written: {plain(str(file))}", file=sys.stderr)
