# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Was written for other hooks."""

from conformed.hooks import Register, Registration, hookimpl

CONFORMED_API = 99


@hookimpl
def register_readers(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
