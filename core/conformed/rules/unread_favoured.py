"""Where an agreement takes in the tighter covenants of another financing by its own force (a most favoured lender clause)."""

from __future__ import annotations

import re

from conformed.rules.spoken_places import Stretch

__all__ = ["favoured"]

_MORE = re.compile(r"\bmore\s+(?:favou?rable|beneficial|restrictive|stringent|onerous|burdensome)\b", re.IGNORECASE)
_COVENANTS = re.compile(r"\bcovenants?\b[^.]*\Z", re.IGNORECASE)
_TAKEN_IN = re.compile(
    r"[^.]{0,500}?\b(?:hereby|automatically|deemed)\s+(?:(?:to\s+(?:be|have\s+been)|hereby|automatically|deemed)\s+)*"
    r"(?:incorporated|included|added|amended|modified|made\s+(?:a\s+)?part)\b"
    r"|[^.]{0,500}?\bbe\s+(?:incorporated|included)\s+(?:by\s+reference\s+)?(?:herein|in(?:to)?\s+this\s+(?:\w+\s+)?Agreement)\b",
    re.IGNORECASE,
)
_REACH = 500


def favoured(text: str) -> Stretch | None:
    """The words by which covenants of another financing, where they are tighter, become the agreement's own.

    Args:
        text: live text of the agreement.

    Returns:
        From the comparison with the other financing to the words that take it in; None where no sentence does that.
    """
    for more in _MORE.finditer(text):
        taken = _TAKEN_IN.match(text, more.end())
        if taken and _COVENANTS.search(text[max(0, more.start() - _REACH) : more.start()]):
            return more.start(), taken.end()
    return None
