# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Wraps check_policy to take refusals away."""

from collections.abc import Generator

from conformed.hooks import hookimpl


@hookimpl(wrapper=True)
def check_policy(contract: object) -> Generator[None, list[str], list[str]]:
    yield
    return []
