"""What holds at a place of a Word document's body, and the elements that are passed through, skipped or read as revisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformed_plugins.readers.canon import Mark
from conformed_plugins.readers.docx_package import local
from conformed_plugins.readers.docx_styles import PLAIN, Look

__all__ = ["ADDED", "BREAKS", "DEEPEST", "DELETED", "PLAIN_TABLES", "THROUGH", "Here", "through"]

DELETED = frozenset({"del", "moveFrom"})
ADDED = frozenset({"ins", "moveTo"})
THROUGH = frozenset(
    {"smartTag", "hyperlink", "fldSimple", "customXml", "bdo", "dir", "sdtContent", "sdt", "AlternateContent", "Choice"}
)
PLAIN_TABLES = frozenset({"TableGrid", "TableNormal", "Table Grid"})
BREAKS = {"nextPage", "oddPage", "evenPage"}
DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Here:
    """What holds for the words that come."""

    mark: Mark = Mark.PLAIN
    look: Look = PLAIN
    ground: str = "#ffffff"
    depth: int = 0


def through(parent: Any, wanted: str, here: Here) -> list[tuple[Any, Here]]:
    """Rows or cells of a table, also those inside content controls."""
    found: list[tuple[Any, Here]] = []
    waiting = [iter(parent)]
    while waiting:
        element = next(waiting[-1], None)
        if element is None:
            waiting.pop()
        elif local(element) == wanted:
            found.append((element, here))
        elif local(element) in THROUGH:
            waiting.append(iter(element))
    return found
