# ruff: noqa: D103 - a trap: the first line below says what is wrong with it
"""A record_written that does what MODE says."""

from typing import Any

from conformed.hooks import WrittenRecord, hookimpl

MODE = "counts"
SEEN: list[str] = []


@hookimpl
def record_written(record: WrittenRecord) -> Any:
    if MODE == "raises":
        raise RuntimeError("secret words of a document")
    if MODE == "exits":
        raise SystemExit(1)
    SEEN.append(record.kind)
    return False if MODE == "vetoes" else None
