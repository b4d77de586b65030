"""Several requests under way at a time, their answers in the order of the questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TypeVar

__all__ = ["in_order"]

Q = TypeVar("Q")
A = TypeVar("A")


def in_order(ask: Callable[[Q], A], questions: Sequence[Q], at_a_time: int) -> list[A]:
    """The answers to some questions, in their order.

    The first error ends it: no further question is asked, and those under way are left to end by themselves. They are asked by
    daemon threads, so that neither a caller that is cut off by its deadline nor the end of the process waits for a server.

    Args:
        ask: asks one question; may be called from several threads.
        questions: the questions.
        at_a_time: most that are under way.

    Raises:
        BaseException: whatever ``ask`` raises.
    """
    if at_a_time == 1 or len(questions) < 2:
        return [ask(question) for question in questions]
    places, lock = iter(range(len(questions))), threading.Lock()
    told: SimpleQueue[tuple[int, A | None, BaseException | None]] = SimpleQueue()
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            with lock:
                place = next(places, None)
            if place is None:
                return
            try:
                told.put((place, ask(questions[place]), None))
            except BaseException as problem:  # noqa: BLE001 - carried to the caller's thread and raised there
                told.put((place, None, problem))

    for _ in range(min(at_a_time, len(questions))):
        threading.Thread(target=work, daemon=True).start()
    answers: dict[int, A] = {}
    try:
        while len(answers) < len(questions):
            place, answer, problem = told.get()
            if problem is not None:
                raise problem
            answers[place] = answer  # type: ignore[assignment]
    finally:
        over.set()
    return [answers[place] for place in range(len(questions))]
