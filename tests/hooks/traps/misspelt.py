# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Implements register_reader, which does not exist."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_reader(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
