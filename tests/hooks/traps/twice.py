# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Implements one hook twice."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_readers(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))


@hookimpl(specname="register_readers")
def more_readers(register: Register) -> None:
    register(Registration("reader", "note", "1.0.0", "Reads notes.", lambda options: object()))
