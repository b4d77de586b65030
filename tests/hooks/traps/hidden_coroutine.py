# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Returns a coroutine from a plain function."""

from conformed.hooks import Register, Registration, hookimpl


async def _later(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))


@hookimpl
def register_readers(register: Register) -> object:
    return _later(register)
