"""Reads one clause, whole, as data: what it states or changes, from when, and where each part of it stands.

Order matters: what has no effect at all is looked at first, then changes of the text, then rights that leave the text as it
is, and a plain statement last. A clause that fits none of them gives no reading, and a person reads it.
"""

from __future__ import annotations

import re

from conformed.language.pattern_base import read_statement
from conformed.language.pattern_bases import read_basis
from conformed.language.pattern_changes import read_change
from conformed.language.pattern_mood import as_meant
from conformed.language.pattern_none import read_inoperative
from conformed.language.pattern_rights import read_right
from conformed.language.pattern_words import Ask, PatternReading

__all__ = ["Ask", "PatternReading", "read_pattern"]

_AMENDS = re.compile(
    r"\b(?:amended|replaced|restated|deleted|substituted|removed|in\s+place\s+of|changed|modified|becomes|raising|increasing|reducing|replacing|deleting|(?:is|be)\s+read\s+as|reset|gives?\s+way|(?:increased|reduced|raised|lowered)\s+(?:to|from)|(?:deletion|substitution|replacement)\s+of|replaces?|deemed\s+to\s+(?:be|read))\b"
    r"|\b(?:ratio|level|limit|maximum)\b(?:[^.;]|\.\d){0,60}?\b(?:shall|will)\s+(?:now\s+)?be(?:come)?\s+\d|\b(?:ratio|level)\b[^.;]{0,30}\bis\s+then\b|\"[^\"]+\"\s+is\s+read\s+as\b",
    re.IGNORECASE,
)
_RIGHT_FIRST = re.compile(
    r"\b(?:waives?|consents?\s+to|agrees?\s+to|shall\s+not\s+be\s+tested|suspended|elect\w*|injections?|equity\s+(?:cure|contributions?)|cure\s+amounts?)\b",
    re.IGNORECASE,
)


def read_pattern(text: str, ask: Ask | None = None) -> PatternReading | None:
    """A clause as data; None where it is no pattern that is known.

    Args:
        text: the clause, folded as a document's live view is.
        ask: test date and attested day of effect, where they are known.
    """
    found = _first(text, ask or Ask())
    return as_meant(text, found) if found is not None else None


def _first(text: str, ask: Ask) -> PatternReading | None:
    found = read_inoperative(text) or read_basis(text)
    if found is not None:
        return found
    if _AMENDS.search(text):
        found = read_change(text, ask)
        if found is not None:
            return found
    if _RIGHT_FIRST.search(text):
        found = read_right(text, ask)
        if found is not None:
            return found
    return read_statement(text, ask) or read_right(text, ask)
