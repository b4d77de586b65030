# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Keeps register and calls it after the registry was frozen."""

from conformed.hooks import Register, Registration, hookimpl

KEPT: list[Register] = []


@hookimpl
def register_readers(register: Register) -> None:
    KEPT.append(register)
    register(Registration("reader", "early", "1.0.0", "Reads memos.", lambda options: object()))


def strike() -> None:
    KEPT[0](Registration("reader", "late", "1.0.0", "Reads memos.", lambda options: object()))
