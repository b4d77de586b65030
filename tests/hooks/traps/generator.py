# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Implements a hook as a generator, whose body would never run."""

from collections.abc import Iterator

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_readers(register: Register) -> Iterator[None]:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
    yield
