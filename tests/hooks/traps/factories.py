# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Drafters whose factories do not give what they owe."""

from collections.abc import Callable
from typing import Any

from conformed.errors import MirrorError
from conformed.hooks import Register, Registration, hookimpl


class Right:
    def draft(self, request: object) -> tuple[()]:
        return ()


class Renamed:
    def drafts(self, request: object) -> tuple[()]:
        return ()


class Asynchronous:
    async def draft(self, request: object) -> tuple[()]:
        return ()


class Greedy:
    def draft(self, request: object, model: object) -> tuple[()]:
        return ()


class Flat:
    draft = "a text"


def _refuses(options: object) -> object:
    raise MirrorError("the model is not here.", "Add it.")


def _raises(options: object) -> object:
    raise OSError("no model on this machine")


def _exits(options: object) -> object:
    raise SystemExit(0)


async def _coroutine(options: object) -> object:
    return Right()


FACTORIES: dict[str, Callable[[Any], object]] = {
    "right": lambda options: Right(),
    "none": lambda options: None,
    "class": lambda options: Right,
    "refuses": _refuses,
    "raises": _raises,
    "exits": _exits,
    "renamed": lambda options: Renamed(),
    "asynchronous": lambda options: Asynchronous(),
    "greedy": lambda options: Greedy(),
    "flat": lambda options: Flat(),
    "coroutine": _coroutine,
}


@hookimpl
def register_drafters(register: Register) -> None:
    for name, factory in FACTORIES.items():
        register(Registration("drafter", name, "1.0.0", "Drafts.", factory))
