"""One process at a time. A database's lock goes with the process that holds it, however that ends, on every system."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

__all__ = ["locked"]

_WAIT_S = 30.0


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Holds the lock beside a file; waits for another holder.

    Args:
        file: what is guarded; the lock lies beside it under the ending ``.lock``.

    Raises:
        OSError: when the lock cannot be had.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(file.with_suffix(".lock"), timeout=_WAIT_S, isolation_level=None)
    except sqlite3.Error as problem:
        raise OSError(f"its lock cannot be made ({problem})") from problem
    with closing(lock):
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as problem:
            raise OSError(f"its lock cannot be had ({problem})") from problem
        yield
