"""The order of prompts: a permutation an epoch, a function of seed and epoch alone, so that a place in it is all there is to keep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

__all__ = ["drawn"]


def drawn(seed: int, count: int, start: int, prompts: int) -> Iterator[int]:
    """Items at some places of the endless order, epoch after epoch.

    Args:
        seed: any integer.
        count: items there are, at least 1.
        start: the first place.
        prompts: how many places.

    Yields:
        Numbers of items. None comes twice in an epoch.
    """
    for place in range(start, start + prompts):
        epoch, inside = divmod(place, count)
        yield _permutation(seed, count, epoch)[inside]


@lru_cache(maxsize=4)
def _permutation(seed: int, count: int, epoch: int) -> tuple[int, ...]:
    words = f"conformed order 1\n{seed}\n{epoch}".encode()
    key = int.from_bytes(hashlib.blake2b(words, digest_size=16).digest(), "big")
    # The raw numbers of Philox are promised to stay; its methods' use of them is not.
    return tuple(np.argsort(np.random.Philox(key=key).random_raw(count), kind="stable").tolist())
