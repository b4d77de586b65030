"""Where an agreement lets its financial covenants be set anew for later periods: the levels that it states may then be spent."""

from __future__ import annotations

import re

from conformed.rules.unread.spoken_places import Stretch, sentence_at

__all__ = ["reset_later"]

_RESET = re.compile(
    r"\bre-?(?:set|sets|setting|establish(?:es|ed|ing)?)\s+(?:(?:the|any|all|each|such|these|those|some|or|and|of|foregoing|above|new|future|other|its|levels?|financial|maintenance)\s+){0,8}covenants?\b"
    r"|\b(?:financial\s+covenants?|covenant\s+levels?)\b[^.;]{0,160}?\b(?:shall|will|may|to)\s+be\s+(?:re-?set|re-?established|(?:set|established|determined)\s+by\s+(?:the\s+)?(?:Lenders?|Bank|Banks|Agent|Required\s+Lenders))\b"
    r"|\bestablish\w*\s+(?:the\s+)?(?:future|new|subsequent)\s+(?:financial\s+)?covenants?\b",
    re.IGNORECASE,
)
_ACCOUNTING = re.compile(r"\bGAAP\b|\baccounting\s+(?:principles?|changes?|standards?|treatment)\b", re.IGNORECASE)


def reset_later(text: str) -> Stretch | None:
    """The words by which financial covenants are to be set anew ("Lender shall reset the foregoing Financial Covenants").

    A change of accounting rules that leads to new talks is another matter and is passed over.

    Args:
        text: live text of the agreement.
    """
    for m in _RESET.finditer(text):
        a, b = sentence_at(text, *m.span())
        if not _ACCOUNTING.search(text, a, b):
            return m.span()
    return None
