"""Progress of long work on standard error: one line that is rewritten on a terminal, plain lines where asked for elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from conformed.cli.printed import plain, width

__all__ = ["Reporter"]


class Reporter:
    """Shows how far a run is.

    Args:
        show: True to show it, False to say nothing, None to show it on a terminal only.
        stream: where to; standard error by default.
        clock: seconds that only go forward.
    """

    def __init__(self, *, show: bool | None, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._show = terminal if show is None else show
        self._rewrite = terminal
        self._clock = clock
        self._began = clock()
        self._last = ""

    def __enter__(self) -> Self:
        """Begins."""
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        """Clears the line, so that what follows begins on a clean one."""
        if self._show and self._rewrite:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, step: str, done: int = 0, total: int = 0) -> None:
        """One report; the same words twice are shown once."""
        count = f" {done}/{total}" if total else ""
        words = plain(step) + count
        if not self._show or words == self._last:
            return
        self._last = words
        line = f"{words}  {self._clock() - self._began:.1f} s"
        self._stream.write(f"\r\x1b[K{line[: max(20, width() - 1)]}" if self._rewrite else f"{line}\n")
        self._stream.flush()
