"""Independent pieces of work on a few threads of this process, each computing on one core: on small models quicker than one piece on all.

A piece is computed in the same way whatever the number of threads, and results come in the order of the pieces, so that no bit depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

__all__ = ["on_threads"]

T = TypeVar("T")
R = TypeVar("R")


def on_threads(work: Callable[[T], R], pieces: Sequence[T], threads: int) -> Iterator[R]:
    """Results of pieces, in their order.

    Args:
        work: is given a piece.
        pieces: the pieces.
        threads: threads; one works in the caller's.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        if threads == 1 or len(pieces) < 2:
            yield from map(work, pieces)
            return
        with ThreadPoolExecutor(min(threads, len(pieces)), initializer=torch.set_num_threads, initargs=(1,)) as pool:
            yield from pool.map(work, pieces)
    finally:
        torch.set_num_threads(before)
