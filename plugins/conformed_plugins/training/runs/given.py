"""What may be written into a run's folder: ids, figures, judged items, moments. Everything else is refused by name."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformed.errors import GivenTypeError, GivenValueError

__all__ = ["Figure", "check_items", "figure", "is_run_id", "moment", "place"]

_RUN = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_NAME = re.compile(r"[a-z][a-z0-9_]*(?:[.:][A-Za-z0-9_][A-Za-z0-9_-]*)*")
_SPLIT = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_LONGEST = 120
_OUTCOMES = ("correct", "incorrect", "review", "error")

Figure = float | int | str
"""One figure of a series. A text is for a code or a word; NaN and infinities are none, and a truth value is 0 or 1."""


def is_run_id(name: str) -> bool:
    """Whether a run may have this name."""
    return _RUN.fullmatch(name) is not None


def place(root: Path, run_id: str) -> Path:
    """The folder of a run.

    Raises:
        GivenValueError: for a malformed id: it can name nothing outside the root.
    """
    if not isinstance(run_id, str) or not is_run_id(run_id):
        raise GivenValueError(
            f"The id of the run is {run_id!r}.", "Lower case, digits, point, hyphen, underscore: grpo-2026-01-31."
        )
    return root / run_id


def figure(name: str, value: Any) -> Figure:
    """A figure, checked.

    Raises:
        GivenTypeError: for what is no number and no text.
        GivenValueError: for NaN, an infinity, or a malformed name.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise GivenValueError(f"A series is called {name!r}.", "Words with points or colons between: code:wrong_value.")
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise GivenTypeError(f"The figure {name} is a {type(value).__name__}.", "Give a number or a text; 1 or 0 for yes or no.")
    if isinstance(value, float) and not math.isfinite(value):
        raise GivenValueError(f"The figure {name} is {value}.", "Leave it out, and count it under nonfinite_count.")
    return value


def check_items(split: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Checks the judged items of one evaluation.

    Raises:
        GivenValueError: for a malformed split, an item without id or outcome, or an item that stands twice.
    """
    if not isinstance(split, str) or not _SPLIT.fullmatch(split):
        raise GivenValueError(f"The split is {split!r}.", "Lower case words, with points between: unseen.sampled.")
    seen: set[str] = set()
    for row in rows:
        item = row.get("item")
        if not isinstance(item, str) or not item or item in seen:
            raise GivenValueError(f"An item of {split} has the id {item!r}.", "Give each item its own id, as text.")
        if row.get("outcome") not in _OUTCOMES:
            raise GivenValueError(f"The item {item} has the outcome {row.get('outcome')!r}.", f"One of {', '.join(_OUTCOMES)}.")
        seen.add(item)


def moment(at: dt.datetime) -> str:
    """A moment as it is written: UTC, to the second.

    Raises:
        GivenValueError: for a time without a zone.
    """
    if at.tzinfo is None:
        raise GivenValueError(f"The time {at.isoformat()} has no zone.", "Give datetime.now(UTC).")
    return at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
