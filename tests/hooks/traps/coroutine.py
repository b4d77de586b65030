# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Implements a hook as a coroutine, which nobody would await."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
async def register_readers(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
