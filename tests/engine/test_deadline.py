"""Time limits."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable

import pytest

from conformed.engine.deadline import DeadlineError, within


def test_a_call_in_time_gives_its_result_or_its_error() -> None:
    """A limit changes nothing for a call that keeps it."""
    assert within(5, lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0)
    with pytest.raises(DeadlineError):
        within(0, lambda: 42)


def _stubborn() -> None:
    """Swallows the first cuts and goes on."""
    for _ in range(3):
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001 - just what is to be shown
            continue


@pytest.mark.parametrize(
    "call",
    [lambda: time.sleep(30), lambda: re.match(r"(a+)+$", "a" * 60 + "b"), lambda: threading.Event().wait(30), _stubborn],
    ids=["sleep", "backtracking", "wait", "stubborn"],
)
def test_the_work_itself_ends_on_the_main_thread(call: Callable[[], object]) -> None:
    """A sleep, an endless regular expression, a wait and a loop that swallows the cut all end soon after the limit."""
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        within(0.1, call)
    assert time.monotonic() - began < 5


def test_someone_elses_alarm_goes_on() -> None:
    """A timer that was set before is set again, with what is left of it."""
    rung: list[int] = []
    earlier = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    left, every = signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with pytest.raises(DeadlineError):
            within(0.05, lambda: time.sleep(30))
        remaining, _every = signal.getitimer(signal.ITIMER_REAL)
        assert 50 < remaining < 60
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.1)
        assert rung == [signal.SIGALRM]
    finally:
        signal.signal(signal.SIGALRM, earlier)
        signal.setitimer(signal.ITIMER_REAL, left, every)


def test_off_the_main_thread_a_call_is_left_behind() -> None:
    """There the result is dropped; a call in time gives its result, and its error is handed over."""
    found: list[object] = []
    stop = threading.Event()

    def work() -> None:
        found.append(within(5, lambda: 42))
        calls: tuple[Callable[[], object], ...] = (lambda: stop.wait(30), lambda: {"there": 1}["absent"])
        for call in calls:
            try:
                within(0.1, call)
            except (DeadlineError, KeyError) as problem:
                found.append(type(problem))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    stop.set()
    assert found == [42, DeadlineError, KeyError]
