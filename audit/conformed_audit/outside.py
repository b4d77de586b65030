"""Checkpoints that somebody kept outside the log, as files or folders of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from conformed_audit.errors import NoteError

__all__ = ["notes_of"]

_MOST_NOTE_BYTES = 1_000_000


def notes_of(paths: Iterable[Path]) -> tuple[str, ...]:
    """The exact texts of checkpoints; what cannot be read as text is no checkpoint, which verification then finds.

    Args:
        paths: files, or folders with files whose names end in .note.

    Raises:
        NoteError: when a folder holds none.
        OSError: when one cannot be read.
    """
    found = []
    for path in paths:
        files = sorted(path.glob("*.note")) if path.is_dir() else [path]
        if not files:
            raise NoteError(f"{path} holds no checkpoint.", "Name a file, or a folder with files that end in .note.")
        for file in files:
            with file.open("rb") as stream:
                found.append(stream.read(_MOST_NOTE_BYTES).decode("utf-8", errors="replace"))
    return tuple(found)
