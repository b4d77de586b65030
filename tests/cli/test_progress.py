"""Progress on a terminal: one line that is rewritten, cleared at the end, and never wider than the terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from conformed.cli.progress import Reporter


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def ticking() -> Iterator[float]:
    """A clock that goes forward by half a second a look."""
    now = 0.0
    while True:
        yield now
        now += 0.5


def show(stream: io.StringIO, *, show: bool | None) -> str:
    """What three reports, one of them twice, write."""
    clock = ticking()
    with Reporter(show=show, stream=stream, clock=lambda: next(clock)) as report:
        report("read loan.pdf", 1, 3)
        report("read loan.pdf", 1, 3)
        report("x" * 300)
    return stream.getvalue()


def test_a_terminal_gets_one_line_that_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each report begins by clearing the line, none is wider than the terminal, and the end leaves nothing behind."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    parts = show(Terminal(), show=None).split("\r\x1b[K")
    assert parts[0] == parts[-1] == ""
    assert parts[1] == "read loan.pdf 1/3  0.5 s"
    assert len(parts) == 4
    assert max(map(len, parts)) < 40


@pytest.mark.parametrize(("stream", "wanted", "lines"), [(io.StringIO, None, 0), (io.StringIO, True, 2), (Terminal, False, 0)])
def test_elsewhere_only_what_is_asked_for(
    stream: type[io.StringIO], wanted: bool | None, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Off a terminal nothing by default, plain lines when asked for, and a terminal can be kept quiet."""
    monkeypatch.setenv("TERM", "xterm")
    written = show(stream(), show=wanted)
    assert len(written.splitlines()) == lines
    assert "\x1b" not in written


def test_a_dumb_terminal_gets_nothing_to_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    """TERM=dumb is treated as no terminal."""
    monkeypatch.setenv("TERM", "dumb")
    assert show(Terminal(), show=None) == ""
