# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Forgot the marker."""

from conformed.hooks import Register, Registration


def register_readers(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
