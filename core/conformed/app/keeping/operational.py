"""The operational log: what a service's operator watches, as one JSON object a line on standard error.

It is not the audit log: nothing rests on it, it may be lost, and it holds no document's words. ``CONFORMED_LOG`` says from which
level on lines are written (debug, info, warning, error, off); warning where it says nothing. Names of events and of their values
are fixed here. A value is a number, a truth value, or a plain word such as a run id or a code: whatever else it is, it is
withheld, so that neither a clause nor an escape sequence can get in.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import Any

__all__ = ["KEYS", "LEVELS", "VARIABLE", "WITHHELD", "Event", "level_of", "say", "watching"]

VARIABLE = "CONFORMED_LOG"
"""Environment variable with the lowest level that is written."""
LEVELS: Mapping[str, int] = {"debug": 10, "info": 20, "warning": 30, "error": 40, "off": 100}
"""Levels in order."""
WITHHELD = "(withheld)"
"""What stands in the place of a value that is no plain word."""


class Event(StrEnum):
    """Everything that can be said."""

    STEP_BEGUN = "step.begun"
    STEP_ENDED = "step.ended"
    STEP_FAILED = "step.failed"
    RUN_ENDED = "run.ended"
    REPLAY_ENDED = "replay.ended"
    REPLAY_DIVERGED = "replay.diverged"
    LOG_DAMAGED = "log.damaged"
    LOG_WAL_LARGE = "log.wal_large"
    COMMAND_FAILED = "command.failed"


_LEVEL_OF: Mapping[Event, str] = {
    Event.STEP_BEGUN: "debug",
    Event.STEP_ENDED: "info",
    Event.STEP_FAILED: "warning",
    Event.RUN_ENDED: "info",
    Event.REPLAY_ENDED: "info",
    Event.REPLAY_DIVERGED: "warning",
    Event.LOG_DAMAGED: "error",
    Event.LOG_WAL_LARGE: "warning",
    Event.COMMAND_FAILED: "info",
}
KEYS = frozenset(
    {
        "bytes",
        "case",
        "classification",
        "divergences",
        "error",
        "exit",
        "level",
        "number",
        "outcome",
        "records",
        "result",
        "run",
        "same",
    }
    | {"step", "total"}
)
"""Names of values."""
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,119}")


def level_of(environment: Mapping[str, str]) -> int:
    """The lowest level that is written; warning for a word that is none."""
    return LEVELS.get(environment.get(VARIABLE, "").strip().lower(), LEVELS["warning"])


def say(event: Event, **values: object) -> None:
    """Writes one line, if its level is high enough. Never raises, and never stops what it tells of.

    Args:
        event: what happened.
        values: about it, by names of `KEYS`.
    """
    level = _LEVEL_OF[event]
    if LEVELS[level] >= level_of(os.environ):
        with suppress(OSError, ValueError):  # standard error may be closed, or full
            getattr(_logger(), level)(str(event), **values)


def watching(told: Callable[[str, int, int], None], run: str, case: str) -> Callable[[Any], None]:
    """What a machine tells of its progress: for a person as before, and for the operational log.

    Args:
        told: called with step, number and total when a step begins.
        run: run id.
        case: case id; only its digest is told, since the rest is the pack's name.
    """
    case = case.rpartition("-")[2]

    def tell(progress: Any) -> None:
        step, event = progress.step, progress.event
        if event == "begun":
            told(step, progress.number, progress.total)
            say(Event.STEP_BEGUN, run=run, case=case, step=step, number=progress.number, total=progress.total)
        elif event == "error":
            say(Event.STEP_FAILED, run=run, case=case, step=step)
        else:
            say(Event.STEP_ENDED, run=run, case=case, step=step, outcome=event)

    return tell


class _StandardError:
    """Writes to whatever standard error is at that moment."""

    def msg(self, line: str) -> None:
        sys.stderr.write(f"{line}\n")

    debug = info = warning = error = msg


@cache
def _logger() -> Any:
    """The chain, from a line's values to its text. Made and imported with the first line: most commands say nothing."""
    import structlog

    return structlog.wrap_logger(
        _StandardError(),
        processors=[
            _plain,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.JSONRenderer(sort_keys=True, ensure_ascii=True),
        ],
        wrapper_class=structlog.BoundLogger,
        context_class=dict,
        cache_logger_on_first_use=True,
    )


def _plain(_logger: object, method: str, values: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Keeps the names that there are, and of their values what is plain."""
    kept: dict[str, Any] = {"event": values["event"], "severity": method}
    for name in sorted(KEYS & values.keys()):
        value = values[name]
        plain = isinstance(value, bool | int) or (isinstance(value, str) and _WORD.fullmatch(value) is not None)
        kept[name] = (str(value) if isinstance(value, str) else value) if plain else WITHHELD
    return kept
