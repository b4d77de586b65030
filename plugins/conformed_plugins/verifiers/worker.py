"""A child process for work that may not end: kept between requests, killed and replaced when one goes past its bounds."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from typing import IO, Any

__all__ = ["Worker", "WorkerError", "WorkerLimitError"]

_START_SECONDS = 60.0
"""How long a child may take until it is ready: it imports its libraries first. No request's time runs meanwhile."""
_MOST_ANSWER = 1 << 20


class WorkerError(Exception):
    """The child could not be started, or cannot be run on this machine."""


class WorkerLimitError(Exception):
    """A request went past its bounds. The child was killed; the next request starts another.

    Args:
        code: ``time_limit``, ``memory_limit`` or ``worker_died``.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class Worker:
    """One child, started when it is first needed. Threads take turns, each turn bounded; a forked process has a child of its own.

    Args:
        source: Python source that the child runs: it reads the bounds from its arguments (megabytes of memory, seconds
            of processor time a request), prints ``ready`` on a line, then answers each line of JSON with one line.
        arguments: further arguments of the child, behind the bounds.
        megabytes: bound of its address space.
        seconds: bound of one request's wall time.
    """

    def __init__(self, source: str, arguments: tuple[str, ...], *, megabytes: int, seconds: float) -> None:
        self._command = [sys.executable, "-I", "-c", source, str(megabytes), str(int(seconds) + 2), *arguments]
        self._seconds = seconds
        self._lock = threading.Lock()
        self._held: list[tuple[int, subprocess.Popen[bytes]]] = []
        self._end = weakref.finalize(self, _end_all, self._held)

    def ask(self, request: dict[str, Any], seconds: float | None = None) -> dict[str, Any]:
        """Sends a request and returns the answer.

        Args:
            request: plain JSON.
            seconds: a tighter bound of wall time than the worker's own. It runs from the caller's turn, the child's start left out.

        Raises:
            WorkerLimitError: when the child passes a bound or dies.
            WorkerError: when no child can be started.
        """
        with self._lock:
            child = self._child()
            deadline = time.monotonic() + min(self._seconds, self._seconds if seconds is None else seconds)
            try:
                answer = _exchange(child, json.dumps(request).encode() + b"\n", deadline)
            except BaseException:
                self._drop()
                raise
            if answer.get("stop"):
                self._drop()
                raise WorkerLimitError(str(answer["stop"]))
            return answer

    def ready(self) -> None:
        """Starts the child where there is none, so that no request's time is spent on it.

        Raises:
            WorkerError: when no child can be started.
        """
        with self._lock:
            self._child()

    def close(self) -> None:
        """Ends the child, where there is one."""
        with self._lock:
            self._drop()

    def _child(self) -> subprocess.Popen[bytes]:
        if self._held and self._held[0][0] == os.getpid() and self._held[0][1].poll() is None:
            return self._held[0][1]
        self._drop()
        if os.name != "posix":  # no limit of memory, no group to kill: never a check without limits
            raise WorkerError("This system cannot bound the worker.")
        try:
            child = subprocess.Popen(  # noqa: S603 - our own interpreter and our own source
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                process_group=0,
            )
        except OSError as problem:
            raise WorkerError(f"The worker could not be started: {problem.strerror}.") from problem
        self._held.append((os.getpid(), child))
        assert child.stdin is not None
        os.set_blocking(child.stdin.fileno(), False)
        try:
            ready = _line(child, time.monotonic() + _START_SECONDS)
        except WorkerLimitError as problem:
            self._drop()
            raise WorkerError("The worker did not get ready. Are its libraries installed?") from problem
        if ready != b"ready":
            self._drop()
            raise WorkerError("The worker said something else than that it is ready.")
        return child

    def _drop(self) -> None:
        _end_all(self._held)


def _end_all(held: list[tuple[int, subprocess.Popen[bytes]]]) -> None:
    while held:
        owner, child = held.pop()
        if owner == os.getpid():  # after a fork the child is still the other process's
            with suppress(OSError):
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _exchange(child: subprocess.Popen[bytes], line: bytes, deadline: float) -> dict[str, Any]:
    _say(child, line, deadline)
    said = _line(child, deadline)
    try:
        answer = json.loads(said)
    except ValueError as problem:
        raise WorkerLimitError("worker_died") from problem
    if not isinstance(answer, dict):
        raise WorkerLimitError("worker_died")
    return answer


def _say(child: subprocess.Popen[bytes], line: bytes, deadline: float) -> None:
    """Hands the child a line. One that does not read can hold nobody: the pipe never blocks."""
    stream: IO[bytes] | None = child.stdin
    assert stream is not None
    left = memoryview(line)
    while left:
        wait = deadline - time.monotonic()
        if wait <= 0 or not select.select([], [stream], [], wait)[1]:
            raise WorkerLimitError("time_limit")
        try:
            left = left[os.write(stream.fileno(), left) :]
        except BlockingIOError:  # room for less than a page
            time.sleep(0.001)
        except OSError as problem:
            raise WorkerLimitError("worker_died") from problem


def _line(child: subprocess.Popen[bytes], deadline: float) -> bytes:
    """The next line that the child says."""
    stream: IO[bytes] | None = child.stdout
    assert stream is not None
    said = bytearray()
    while not said.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            raise WorkerLimitError("time_limit")
        part = os.read(stream.fileno(), 65536)
        if not part:
            code = child.wait()
            raise WorkerLimitError("time_limit" if code == -signal.SIGXCPU else "worker_died")
        said += part
        if len(said) > _MOST_ANSWER:
            raise WorkerLimitError("worker_died")
    return bytes(said[:-1])
