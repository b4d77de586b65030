"""A transaction as a context manager, without the frames that a generator would add to every append."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

__all__ = ["Writing"]


class Writing:
    """Begins when it is entered, commits when it is left, and undoes when something is raised inside it.

    Args:
        begin: takes the lock.
        commit: ends it; what it raises passes on.
        undo: rolls back, told what was raised, which then passes on.
    """

    __slots__ = ("_begin", "_commit", "_undo")

    def __init__(self, begin: Callable[[], None], commit: Callable[[], None], undo: Callable[[BaseException], None]) -> None:
        self._begin, self._commit, self._undo = begin, commit, undo

    def __enter__(self) -> None:
        self._begin()

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        if problem is None:
            self._commit()
        else:
            self._undo(problem)
