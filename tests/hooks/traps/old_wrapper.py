# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Wraps check_policy in the old style."""

from collections.abc import Generator

from conformed.hooks import hookimpl


@hookimpl(hookwrapper=True)
def check_policy(contract: object) -> Generator[None, None, None]:
    yield
