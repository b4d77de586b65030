# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Claims the reader "memo"; so does clash_two."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_readers(register: Register) -> None:
    register(Registration("reader", "memo", "1.0.0", "Reads memos.", lambda options: object()))
