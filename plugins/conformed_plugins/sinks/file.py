"""Checkpoints as files of a folder: one a checkpoint, never written again, on the disk when the call returns."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from conformed.errors import PluginError
from conformed_plugins.sinks.options import FileOptions

__all__ = ["FileSink"]


class FileSink:
    """Stores ``SIZE.note``. Where the folder holds another log's checkpoints, such as an earlier epoch's, in a folder of its own."""

    def __init__(self, options: FileOptions) -> None:
        self.name, self.outside, self._folder = options.name, options.outside, options.folder

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Writes the note, once.

        Returns:
            The name of the file below the folder.

        Raises:
            PluginError: when another note is stored under this size: two histories.
            OSError: when it is not certain that it is stored.
        """
        origin, size = note.split("\n", 2)[:2]
        if not (size.isascii() and size.isdigit()):
            raise PluginError("the checkpoint says no size.")
        place = self._place(origin)
        place.mkdir(parents=True, exist_ok=True)
        path, data = place / f"{size}.note", note.encode()
        fresh = place / f".{size}.{os.getpid()}.new"
        try:
            with fresh.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(fresh, path)  # unlike a rename, fails where there is a file
            except FileExistsError:
                if path.read_bytes() != data:
                    raise PluginError(f"{path.name} holds another checkpoint of {size} records.", "Verify the log.") from None
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
        folder = os.open(place, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return path.relative_to(self._folder).as_posix()

    def _place(self, origin: str) -> Path:
        """The folder itself for the log whose checkpoints lie there first, and one inside it for every other log."""
        first = next(iter(sorted(self._folder.glob("*.note"))), None)
        if first is None or first.read_text(encoding="utf-8").split("\n", 1)[0] == origin:
            return self._folder
        return self._folder / hashlib.sha256(origin.encode()).hexdigest()[:8]
