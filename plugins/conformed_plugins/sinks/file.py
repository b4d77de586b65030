"""Checkpoints as files of a folder: one a checkpoint, never written again, on the disk when the call returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from conformed.errors import PluginError
from conformed_plugins.sinks.options import FileOptions

__all__ = ["FileSink"]


class FileSink:
    """Stores ``SIZE.note``."""

    def __init__(self, options: FileOptions) -> None:
        self.name, self.outside, self._folder = options.name, options.outside, options.folder

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Writes the note, once.

        Returns:
            The name of the file.

        Raises:
            PluginError: when another note is stored under this size: two histories.
            OSError: when it is not certain that it is stored.
        """
        size = note.split("\n", 2)[1]
        if not (size.isascii() and size.isdigit()):
            raise PluginError("the checkpoint says no size.")
        self._folder.mkdir(parents=True, exist_ok=True)
        path, data = self._folder / f"{size}.note", note.encode()
        fresh = self._folder / f".{size}.{os.getpid()}.new"
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
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return path.name
