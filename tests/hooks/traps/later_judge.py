# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""A second check that never objects: it must not take away what the first refuses."""

from conformed.hooks import hookimpl


@hookimpl(tryfirst=True)
def check_policy() -> list[str]:
    return []
