"""Contents as an erasure names them, on either database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformed_audit.record import Item

__all__ = ["FIND_CONTENT", "items_of"]

FIND_CONTENT = 'SELECT "commit", bytes, media FROM blob WHERE erased_at IS NULL AND '
"""Begins a query for contents that are still there."""


def items_of(rows: Iterable[tuple[Any, ...]]) -> list[Item]:
    """The rows of such a query as a record names them."""
    return [Item("erased", commit, size, media) for commit, size, media in rows]
