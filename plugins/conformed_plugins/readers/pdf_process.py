"""The child process that touches a PDF's bytes, with its bounds: time, memory, one file."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["FIRST_SECONDS", "Bounds", "ChildError", "Children"]

_START = "import sys; sys.path.append(sys.argv[1]); from pdf_child.main import main; sys.exit(main(sys.argv[2]))"
MEGABYTES = 512
FIRST_SECONDS = 4.5
PAGE_SECONDS = 0.01
CAP_SECONDS = 60.0
MOST_ANSWER = 128 << 20
"""Bytes of one answer: some ten thousand pages of text."""
SLOW = "takes longer to read than a document of its size may. Ask for the file again."


class ChildError(Exception):
    """The child did not answer.

    Args:
        code: ``timeout``, ``broken`` or ``too_large``.
        sentence: what happened, to be put after the file's name.
    """

    def __init__(self, code: str, sentence: str) -> None:
        self.code, self.sentence = code, sentence
        super().__init__(code, sentence)


class _DiedError(ChildError):
    """The child ended without an answer."""


class Bounds:
    """How long a request may take.

    Args:
        first: seconds of wall time until the end, or until the child has said how many pages there are.
        page: further seconds for each page.
        cap: the most that all pages together can add up to.
    """

    def __init__(self, first: float = FIRST_SECONDS, page: float = PAGE_SECONDS, cap: float = CAP_SECONDS) -> None:
        self.first, self.page, self.cap = first, page, cap


class _Clock:
    """What is left of the time for one request."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds, self._begun, self._limit = bounds, time.monotonic(), bounds.first

    def extend(self, pages: int) -> None:
        """Grants the time of so many pages."""
        self._limit = max(self._limit, min(self._bounds.first + self._bounds.page * pages, self._bounds.cap))

    def left(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self._begun + self._limit - time.monotonic())


def _anonymous(data: bytes) -> IO[bytes]:
    """A file without a name that holds the bytes: in memory where the system can do that."""
    create = getattr(os, "memfd_create", None)
    file: IO[bytes] = os.fdopen(create("document"), "w+b") if create else tempfile.NamedTemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(data)
    file.flush()
    file.seek(0)
    return file


def _frames(stream: IO[bytes], out: queue.Queue[tuple[bytes, bytes] | None]) -> None:
    while True:
        head = stream.read(5)
        if len(head) < 5:
            break
        size = int.from_bytes(head[:4], "big")
        if size > MOST_ANSWER:
            out.put((b"L", b""))
            break
        payload = stream.read(size)
        if len(payload) < size:
            break
        out.put((head[4:], payload))
    out.put(None)


class _Child:
    """One child with one file."""

    def __init__(self, data: bytes) -> None:
        with _anonymous(data) as file:
            shared: dict[str, Any] = {"pass_fds": (file.fileno(),), "process_group": 0} if os.name == "posix" else {}
            place = str(file.fileno()) if shared else file.name
            command = [sys.executable, "-I", "-c", _START, str(Path(__file__).parent), place]
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **shared
            )
        self._frames: queue.Queue[tuple[bytes, bytes] | None] = queue.Queue()
        self._thread = threading.Thread(target=_frames, args=(self._process.stdout, self._frames), daemon=True)
        self._thread.start()

    def ask(self, request: dict[str, Any], bounds: Bounds, on_frame: Callable[[Any], None] | None) -> Any:
        """One request and the last thing that the child says to it.

        Raises:
            ChildError: when the child refuses, crashes, runs out of memory or of time. It cannot be used again.
        """
        order = {**request, "megabytes": MEGABYTES, "seconds": int(bounds.cap) + 5}
        clock = _Clock(bounds)
        assert self._process.stdin is not None
        with suppress(OSError):  # a dead child is found out below
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
        last: Any = None
        for value in _until(self._frames, clock):
            if value is None:
                return last
            if isinstance(value, dict) and "refused" in value:
                raise ChildError(value["refused"], value["sentence"])
            if last is not None and on_frame is not None:
                on_frame(last)
            if isinstance(value, dict) and isinstance(value.get("pages"), int):
                clock.extend(value["pages"])
                continue
            last = value
        self.close(kill=False)
        raise _crash(self._process.returncode)

    def _kill(self) -> None:
        """Kills the child and, where it can, what the child started."""
        with suppress(OSError):
            if os.name == "posix" and self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def close(self, *, kill: bool = True) -> None:
        """Ends the child and waits for it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if kill:
            self._kill()
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()
        self._thread.join()  # the pipe has ended with the child: only then may it be closed
        self._process.stdout.close()


class Children:
    """Asks children; the last one is kept for further requests about the same file until it has been idle for some seconds."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, _Child]] = []
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._end = weakref.finalize(self, _close_all, self._kept)

    def ask(
        self, digest: str, data: bytes, request: dict[str, Any], bounds: Bounds | None = None,
        *, on_frame: Callable[[Any], None] | None = None,
    ) -> Any:  # fmt: skip
        """Sends one request about one file and returns the last thing that the child says.

        Args:
            digest: SHA-256 of the bytes.
            data: bytes of the file.
            request: what to do (``do`` and its arguments).
            bounds: time limits.
            on_frame: is given every frame before the last.

        Raises:
            ChildError: when the child refuses, crashes, runs out of memory or of time.
        """
        child = self._taken(digest)
        fresh = child is None
        if child is None:
            child = _Child(data)
        try:
            answer = child.ask(request, bounds or Bounds(), on_frame)
        except BaseException as problem:
            child.close()
            if not fresh and isinstance(problem, _DiedError):  # in between, or of an earlier request
                return self.ask(digest, data, request, bounds, on_frame=on_frame)
            raise
        with self._lock:
            self._kept.append((digest, child))
            old = self._kept[:-1]
            del self._kept[:-1]
        _close_all(old)
        return answer

    def _taken(self, digest: str) -> _Child | None:
        with self._lock:
            if self._owner != os.getpid():  # after a fork the kept child is still the other process's
                self._owner = os.getpid()
                self._kept.clear()
            kept, self._kept[:] = list(self._kept), []
        mine = [child for key, child in kept if key == digest]
        _close_all([(key, child) for key, child in kept if key != digest])
        return mine[0] if mine else None


def _close_all(children: list[tuple[str, _Child]]) -> None:
    while children:
        children.pop()[1].close()


def _until(frames: queue.Queue[tuple[bytes, bytes] | None], clock: _Clock) -> Iterator[Any]:
    while True:
        try:
            frame = frames.get(timeout=clock.left())
        except queue.Empty:
            raise ChildError("timeout", SLOW) from None
        if frame is None:
            return
        kind, payload = frame
        if kind == b"E":
            yield None
            continue
        if kind == b"L":
            raise ChildError("too_large", "holds more text than a document may. Split it.")
        yield payload if kind == b"B" else json.loads(payload)


def _crash(code: int) -> _DiedError:
    if code == -signal.SIGABRT:  # what pdfium does when it is refused memory
        return _DiedError(
            "too_large", "needs more memory to read than a document may use, or is damaged. Ask for the file again."
        )
    if code == -getattr(signal, "SIGXCPU", 24):
        return _DiedError("timeout", SLOW)
    return _DiedError("broken", f"makes the PDF library stop (exit {code}): it is damaged. Ask for the file again.")
