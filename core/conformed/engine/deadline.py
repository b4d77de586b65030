"""Runs a call under a time limit.

Two ways, since Python has no one way that does all:

- On the main thread of a POSIX process (the command line) a timer signal raises inside the call. That ends loops, sleeps,
  most waits, and a regular expression that backtracks without end, which holds the interpreter's lock and which no other
  thread could therefore even notice. The work really ends.
- Elsewhere (a web server's worker, Windows) the call runs in a daemon thread that is abandoned at the limit: its result
  is dropped and it can touch nothing of the run, but it may go on using the processor until the process ends, and a
  call that never gives up the interpreter's lock is not cut.

Neither cuts a C library that neither returns nor lets go of the lock; readers of hostile files therefore work in
a child process of their own that can be killed.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

__all__ = ["DeadlineError", "within"]

T = TypeVar("T")

AGAIN_S = 0.2
"""A call that swallows the first cut is cut again after this many seconds, until it ends."""


class DeadlineError(Exception):
    """The call did not return in time."""


class _Cut(BaseException):
    """Raised inside the call. Not an Exception, so that an ordinary ``except`` of a plugin does not swallow it."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """The result of a call, if it returns in time.

    Args:
        seconds: the limit, wall time.
        call: takes nothing.

    Raises:
        DeadlineError: when it does not.
    """
    if seconds <= 0:
        raise DeadlineError
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        return _by_signal(seconds, call)
    return _by_thread(seconds, call)


def _by_signal(seconds: float, call: Callable[[], T]) -> T:
    armed, fired = True, False

    def cut(_number: int, _frame: FrameType | None) -> None:
        nonlocal fired
        if armed:
            fired = True
            raise _Cut

    began = time.monotonic()
    earlier = signal.signal(signal.SIGALRM, cut)
    left, every = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        try:
            result = call()
        finally:
            armed = False
    except BaseException:
        if fired:  # whatever the call made of being cut, it was cut
            raise DeadlineError from None
        raise
    finally:
        # Someone else's alarm (a test runner's, say) goes on as if ours had never been.
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), every)
    if fired:  # the call swallowed the cut and returned late
        raise DeadlineError
    return result


def _by_thread(seconds: float, call: Callable[[], T]) -> T:
    results: list[T] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as problem:  # noqa: BLE001 - handed to the caller below, whatever it is
            problems.append(problem)

    thread = threading.Thread(target=work, daemon=True, name="conformed-step")
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise DeadlineError
    if problems:
        raise problems[0]
    return results[0]
