# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Asks for an argument that the hook does not have."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_readers(register: Register, engine: object) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
