"""What an amendment or waiver that stands in the agreement's own file says of a covenant, behind the agreement's text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.rules.unread.spoken_places import Stretch
from conformed.rules.unread.unread_words import unread_words

__all__ = ["bound_changes", "bound_title"]

_KIND = r"(?:AMENDMENT|WAIVER|CONSENT|FORBEARANCE)"
_TITLE = re.compile(rf"^[ \t]*+(?:\w+[ \t]+){{0,3}}{_KIND}\b(?!\s+(?:AND\s+RESTATEMENT|OF\s+JURY))[^\n]{{0,80}}$", re.MULTILINE)
_OPENING = re.compile(
    r"\b(?:THIS|This)\s+(?:\w+\.?\s+){0,4}(?:AMENDMENT|Amendment|WAIVER|Waiver|CONSENT|Consent|Forbearance)\b"
    r"|\(\s*(?:(?:this|the)\s+)?[\"\u201c](?:(?:this|the)\s+)?(?:\w+\s+){0,3}(?:Amendment|Waiver|Consent|Forbearance)\b"
)
_HEAD = 6000
"""An instrument's own title and opening words stand before this offset."""
_OPENS_WITHIN = 600


def bound_title(text: str) -> Stretch | None:
    """The title of the first amendment or waiver that follows an agreement in its own file: one that an opening sentence bears out."""
    for title in _TITLE.finditer(text, _HEAD):
        if _OPENING.search(text, title.end(), title.end() + _OPENS_WITHIN):
            return title.span()
    return None


def bound_changes(
    text: str, section: str, names: Iterable[str], levels: Iterable[str], stated: Iterable[Stretch]
) -> Stretch | None:
    """Where the words behind such a title change, waive or ease a covenant that the agreement before it states.

    Args:
        text: live text of the agreement's file.
        section: the provision in normal form.
        names: names of the figure, and the caption.
        levels: its levels as written.
        stated: where the covenant is stated.

    Returns:
        The sentence; None where there is no such title, or nothing behind it touches the covenant.
    """
    title = bound_title(text)
    if title is None:
        return None
    behind = [s for s in stated if s[0] >= title[0]]
    return unread_words(" " * title[0] + text[title[0] :], section, names=names, levels=levels, others=behind)
