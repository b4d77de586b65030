# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""Asks pluggy to overlook that its hook does not exist."""

from conformed.hooks import hookimpl


@hookimpl(optionalhook=True)
def on_verdict(verdict: object) -> None:
    return None
