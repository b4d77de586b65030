"""Several requests at a time: the same answers in the same order, and an end at the first error."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.engine.deadline import DeadlineError, within
from conformed.errors import PluginError
from conformed_plugins.backends.endpoint.at_a_time import in_order
from conformed_plugins.backends.endpoint.backend import EndpointBackend

Make = Callable[..., EndpointBackend]


def reply(text: str) -> dict[str, Any]:
    """An answer as a server writes it."""
    choices = [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]
    return {"model": "big", "choices": choices, "usage": {"prompt_tokens": 1, "completion_tokens": 1}}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=12), st.integers(1, 6))
def test_answers_come_in_the_order_of_the_questions(waits: list[int], at_a_time: int) -> None:
    """However long each takes and however many are under way, answers stand where their questions stood."""

    def ask(question: tuple[int, int]) -> int:
        time.sleep(question[1] / 1000)
        return question[0]

    assert in_order(ask, list(enumerate(waits)), at_a_time) == list(range(len(waits)))


def test_no_more_are_under_way_than_allowed() -> None:
    """With three at a time there are three under way, and never a fourth."""
    lock, now, most = threading.Lock(), [0], [0]

    def ask(question: int) -> int:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return question

    in_order(ask, range(12), 3)
    assert most == [3]


def test_the_first_error_ends_it() -> None:
    """An error is the caller's at once; questions that were not begun are not asked."""
    asked: list[int] = []

    def ask(question: int) -> int:
        asked.append(question)
        if question == 1:
            raise PluginError("no.", "yes.")
        time.sleep(0.05)
        return question

    with pytest.raises(PluginError, match="no"):
        in_order(ask, range(100), 2)
    time.sleep(0.1)
    assert len(asked) <= 4


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer signals")
def test_a_caller_that_is_cut_off_does_not_wait() -> None:
    """A deadline ends the call while requests are still under way."""
    free = threading.Event()
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        within(0.2, lambda: in_order(lambda _question: free.wait(20), range(8), 4))
    free.set()
    assert time.monotonic() - began < 5


def test_the_endpoint_asks_several_at_a_time(server: Any, backend: Make) -> None:
    """Four requests that each wait for another are answered only if they are under way together; each answer is its prompt's."""
    together = threading.Barrier(4, timeout=10)

    def turn(handler: Any) -> None:
        together.wait()
        body = json.dumps(reply(handler.question["messages"][0]["content"])).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    server.turns = [turn]
    given = backend(at_a_time=4).generate(["a", "b", "c", "d"], samples=1, seed=0, options={})
    assert [row[0].text for row in given] == ["a", "b", "c", "d"]
