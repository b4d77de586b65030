"""Where an agreement takes in the tighter covenants of another financing by its own force (a most favoured lender clause)."""

from __future__ import annotations

import re

from conformed.rules.unread.spoken_places import Stretch

__all__ = ["favoured"]

_MORE = re.compile(r"\bmore\s+(?:favou?rable|beneficial|restrictive|stringent|onerous|burdensome)\b", re.IGNORECASE)
_COVENANTS = re.compile(r"\bcovenants?\b[^.]*\Z", re.IGNORECASE)
_TAKEN_IN = re.compile(
    r"[^.]{0,500}?\b(?:hereby|automatically|deemed)\s+(?:(?:to\s+(?:be|have\s+been)|hereby|automatically|deemed)\s+)*"
    r"(?:incorporated|included|added|amended|modified|made\s+(?:a\s+)?part)\b"
    r"|[^.]{0,500}?\bbe\s+(?:incorporated|included)\s+(?:by\s+reference\s+)?(?:herein|in(?:to)?\s+this\s+(?:\w+\s+)?Agreement)\b",
    re.IGNORECASE,
)
_BY_REFERENCE = re.compile(
    r"\bfinancial\s+(?:maintenance\s+)?covenants?\b[^.;]{0,160}?\b(?:of|in|under)\s+the\s+(?!(?:Existing|Original)\b)(?:[A-Z][\w'-]*\s+){1,6}?"
    r"(?:Agreement|Indenture|Notes?|Facility)\b[^.;]{0,200}?\b(?:are|is|shall\s+be)\s+(?:hereby\s+|deemed\s+(?:to\s+be\s+)?)*incorporated\b"
    r"|\b(?:incorporates?|incorporated)\b[^.;]{0,80}?\bby\s+reference\b[^.;]{0,80}?\bfinancial\s+(?:maintenance\s+)?covenants?\b[^.;]{0,80}?\b(?:of|in|under)\s+the\s+"
    r"(?!(?:Existing|Original)\b)(?:[A-Z][\w'-]*\s+){1,6}?(?:Agreement|Indenture|Notes?|Facility)\b"
)
_REACH = 500


def favoured(text: str) -> Stretch | None:
    """The words by which covenants of another financing, where they are tighter, become the agreement's own.

    Args:
        text: live text of the agreement.

    Returns:
        From the comparison with the other financing to the words that take it in, or the words that take its covenants in
        whatever they are; None where no sentence does that.
    """
    whole = _BY_REFERENCE.search(text)
    if whole is not None:
        return whole.span()
    for more in _MORE.finditer(text):
        taken = _TAKEN_IN.match(text, more.end())
        if taken and _COVENANTS.search(text[max(0, more.start() - _REACH) : more.start()]):
            return more.start(), taken.end()
    return None
