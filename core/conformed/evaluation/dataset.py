"""Data sets of items: JSON lines, named by file and hash."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformed.errors import UsageError
from conformed.evaluation.items import Item
from conformed.evaluation.jsonlines import lines_of, read_bytes, validated
from conformed.evaluation.runner.config import digest

__all__ = ["ItemFile", "read_items"]

MOST_BYTES = 1 << 30
"""Largest data set."""


@dataclass(frozen=True, slots=True)
class ItemFile:
    """Items and the bytes from which they were read."""

    path: Path
    """The file."""
    digest: str
    """SHA-256 of its exact bytes, 64 hex digits."""
    items: tuple[Item, ...]
    """The items, in the order of the file."""


def read_items(path: Path) -> ItemFile:
    """Reads a data set: one item a line, as JSON; blank lines are passed over.

    Raises:
        UsageError: when it cannot be read, naming file, line and field.
    """
    data = read_bytes(path, "data set", MOST_BYTES)
    items: list[Item] = []
    seen: dict[str, str] = {}
    for place, line in lines_of(data, str(path)):
        item = validated(line, Item, place, "An item has id, prompt, reference, split, source, source_revision.")
        if item.id in seen:
            raise UsageError(f"{place}: the id {item.id!r} stands at {seen[item.id]} too.", "Give each an id of its own.")
        seen[item.id] = place
        items.append(item)
    if not items:
        raise UsageError(f"The data set {path} holds no item.", "Write one item a line, as JSON.")
    return ItemFile(path, digest(data), tuple(items))
