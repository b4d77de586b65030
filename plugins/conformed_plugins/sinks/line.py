"""Checkpoints as printed lines: for a printer, a journal, or somebody who writes the root down."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from conformed_plugins.sinks.options import LineOptions

__all__ = ["LineSink"]


class LineSink:
    """Prints ``checkpoint ORIGIN SIZE ROOT``."""

    def __init__(self, options: LineOptions) -> None:
        self.name, self.outside, self._descriptor = options.name, options.outside, options.descriptor

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Prints one line.

        Raises:
            OSError: when it could not be written.
        """
        origin, size, root = note.split("\n", 3)[:3]
        line = f"checkpoint {origin} {size} {root}\n".encode()
        while line:
            line = line[os.write(self._descriptor, line) :]
        return "printed"
