"""Parts of the records about weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformed.engine.canonical import canonical_json
from conformed_audit import Actor, Item, commitment

__all__ = ["JSON_MEDIA", "UNSET", "inline_item"]

JSON_MEDIA = "application/json"
"""Media type of what is kept as JSON."""
UNSET = Actor("guard", "service")
"""The guard puts whoever is at the keys in its place."""


def inline_item(name: str, said: Mapping[str, Any]) -> Item:
    """An item that stands in the record itself."""
    plain = canonical_json(dict(said))
    return Item(name, commitment(plain, None), len(plain), JSON_MEDIA, dict(said))
