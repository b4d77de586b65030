"""Items of one list read beside each other: a duty among items that are forbidden, where no words above the list are seen."""

from __future__ import annotations

import re

from conformed.language.comparators import Governed
from conformed.language.conditions import Found

__all__ = ["duty_among_forbidden"]

_DUTY = re.compile(r"(?:\(\w{1,4}\)\s*)?(?:[A-Z][^.;]{0,90}\.\s+)?(?:Have|Maintain|Keep)\b")
_BOUNDS = re.compile(r"\bn(?:ot?)\s+(?:less|more|greater|lower|higher)\b|\bat\s+(?:least|most)\b", re.IGNORECASE)
_ORDER = re.compile(r"\b(?:shall|will|must|may|agrees?|covenants?)\b", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:\n|[.;:]\s|\A)\s*\([a-z]{1,4}\)\s+(?:[A-Z\"][^.\n]{0,90}(?:\n[^.\n]{0,60})?\.\s+)?"
    r"(?:(?:Fail|Permit|Allow|Suffer|Incur|Create)\b|Have\b[^.;]{0,300}?(?<!\bnot\s)(?<!\bno\s)\b(?:greater|more|less|lower|higher)\s+than\b)"
)
_HEAD = re.compile(r"(?:\n|\")[ \t]*(?:(?:Section|SECTION|Article|ARTICLE)\s+)?\d{1,2}\.\d{1,2}[.\s]")
_REACH = 3000


def duty_among_forbidden(text: str, sentence: int, end: int, governed: Governed, lead: str) -> list[Found]:
    """A doubt where an item keeps a figure ("Have a ratio of not less than") and other items of its list forbid.

    Each item then speaks under words that the reader has not seen: if they forbid, the duty is a slip or is turned round.

    Args:
        text: the text, with what stands around the item.
        sentence: where the item's sentence begins.
        end: where the item ends.
        governed: the words that bound the figure.
        lead: words of the enclosing provision; where they command, they say how the list is meant.
    """
    own = text[sentence : governed.start]
    if (
        _ORDER.search(lead)
        or _ORDER.search(own)
        or not _DUTY.match(own.lstrip())
        or not _BOUNDS.search(text, governed.start, governed.end)
    ):
        return []
    low = max(0, sentence - _REACH)
    for head in _HEAD.finditer(text, low, sentence):
        low = head.end()
    after = _HEAD.search(text, end, min(len(text), end + _REACH))
    high = after.start() if after else min(len(text), end + _REACH)
    if not (_ITEM.search(text, low, sentence) or _ITEM.search(text, end, high)):
        return []
    words = "Other items of the list forbid what this one says is to be kept: which way the figure is bound is not plain."
    return [Found(governed.start, governed.end, "review_comparator_ambiguous", None, words)]
