"""Reading: one visit of every page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .fonts import lying_fonts
from .health import check_bytes, page_objects
from .marks import inspect
from .native import Opened, RefusedError, call, open_document
from .view import View, open_view

__all__ = ["read"]

_map_error = call("FPDFText_HasUnicodeMapError")
_char_count = call("FPDFText_CountChars")

_ODD = re.compile("[\ufffd\ue000-\uf8ff\x01\x03-\x08\x0e-\x1f]")
MAP_SAMPLES = 24
SUSPECT = 0.02
"""Share of odd characters from which a page's text layer is not believed without a word."""


def read(data: Any, asked: dict[str, Any], say: Callable[[Any], None]) -> dict[str, Any]:
    """Text and marks of every page.

    Args:
        data: the bytes.
        asked: the request; ``most`` is the largest number of pages.
        say: sends the number of pages ahead, so that the parent can set its clock.

    Raises:
        RefusedError: when the file is refused.
    """
    repaired = check_bytes(data)
    with open_document(data) as document:
        if document.pages > asked["most"]:
            raise RefusedError(
                "too_many_pages", f"counts {document.pages:,} pages, more than the {asked['most']:,} that a document may have."
            )
        if document.pages <= 0:
            raise RefusedError("broken", "has no pages. Ask for the file again.")
        say({"pages": document.pages})
        pages = [_page(document, index) for index in range(document.pages)]
        held = page_objects(data)
        return {
            "pages": pages, "restricted": document.restricted, "repaired": repaired, "fonts": lying_fonts(data),
            "held": held if held is not None and held < document.pages else None,
        }  # fmt: skip


def _page(document: Opened, index: int) -> dict[str, Any]:
    with open_view(document, index) as view:
        return _facts(view)


def _facts(view: View) -> dict[str, Any]:
    text, found, drawn = view.text, view.found, view.drawn
    seen = inspect(view)
    width, height = view.sheet.size
    facts: dict[str, Any] = {"text": found, "size": (round(width * 100), round(height * 100))}
    for name in ("struck", "hidden", "inserted", "marks"):
        if value := getattr(seen, name):
            facts[name] = value
    if view.pins.comments:
        facts["comments"] = True
    if drawn.order:
        facts["drawn"] = True
    if seen.layer:
        facts["layer"] = True
    if seen.picture > 0.3:
        facts["picture"] = round(seen.picture, 2)
    if not seen.complete:
        facts["incomplete"] = True
    suspect = _suspect(text, found)
    if seen.fraction and not suspect:
        suspect = "raised digits before a slash run into the number before them"
    if seen.under and not suspect:
        suspect = "a picture lies over some of the words"
    if suspect or view.doubt:
        facts["suspect"] = suspect or view.doubt
    return facts


def _suspect(text: int, found: str) -> str:
    """Why the text layer of a page cannot be believed as it is; empty where nothing speaks against it."""
    letters = len(found) - found.count(" ")
    if not letters:
        return ""
    odd = len(_ODD.findall(found)) + found.count("(cid:")
    if odd > SUSPECT * letters:
        return f"{odd} of {letters} characters stand for no letter"
    count = _char_count(text)
    step = max(1, count // MAP_SAMPLES)
    unmapped = sum(_map_error(text, index) == 1 for index in range(0, count, step))
    looked = len(range(0, count, step))
    if unmapped * 4 > looked:
        return f"{unmapped} of {looked} characters looked at have no mapping to letters"
    return ""
