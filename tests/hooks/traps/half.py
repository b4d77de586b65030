# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Registers one part and then raises: nothing of it may be taken in."""

from conformed.hooks import Register, Registration, hookimpl


@hookimpl
def register_drafters(register: Register) -> None:
    register(Registration("drafter", "half", "1.0.0", "Drafts.", lambda options: object()))


@hookimpl
def register_readers(register: Register) -> None:
    raise RuntimeError("the other half is missing")
