# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Registers what MODE says: each value is malformed in one way."""

from typing import Any

from pydantic import BaseModel

from conformed.hooks import Register, Registration, hookimpl

MODE = "kind"


class OpenOptions(BaseModel):
    size: int = 1


GOOD: dict[str, Any] = {
    "kind": "reader",
    "name": "memo",
    "version": "1.0.0",
    "summary": "Reads memos.",
    "factory": lambda options: object(),
}
FAULTS: dict[str, dict[str, Any]] = {
    "kind": {"kind": "drafter"},
    "name": {"name": "Memo Reader"},
    "version": {"version": "latest"},
    "summary": {"summary": " "},
    "options": {"options": dict},
    "open_options": {"options": OpenOptions},
    "factory": {"factory": None},
}


@hookimpl
def register_readers(register: Register) -> None:
    if MODE == "thing":
        register("memo")  # type: ignore[arg-type]
    else:
        register(Registration(**{**GOOD, **FAULTS[MODE]}))
