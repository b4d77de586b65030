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
from conformed.language.pattern_temporary import read_temporary
from conformed.language.pattern_trigger import trigger_of
from conformed.language.pattern_words import Ask, PatternReading
from conformed.language.swapping import find_pairs

__all__ = ["Ask", "PatternReading", "read_pattern"]

_AMENDS = re.compile(
    r"\b(?:amended|replaced|restated|deleted|substituted|removed|in\s+place\s+of|changed|modified|becomes|raising|increasing|reducing|replacing|deleting|(?:is|be)\s+read\s+as|resets?|rais(?:es)|lowers|increases|reduces|gives?\s+way|(?:increased|reduced|raised|lowered)\s+(?:to|from)|(?:deletion|substitution|replacement)\s+of|replaces?|deemed\s+to\s+(?:be|read))\b"
    r"|\b(?:ratio|level|limit|maximum)\b(?:[^.;]|\.\d){0,60}?\b(?:shall|will)\s+(?:now\s+)?be(?:come)?\s+\d|\b(?:ratio|level)\b[^.;]{0,30}\bis\s+then\b|\"[^\"]+\"\s+is\s+read\s+as\b"
    r"|\b(?:construed|varied|revised|altered|adjusted|struck|omitted|inserted|revoked|amends?|restates?|supersedes|substituting|setting|lowering|raised|lowered|increase|reduction|variation|retro\w+|nunc)\b"
    r"|\b(?:shall|will|must)\s+(?:then|now|thereafter|accordingly|henceforth)\s+(?:be|read)\b|\bas\s+(?:if|though)\b|\bhad\s+(?:always\s+)?been\b|\breads?\s+(?:as\s+)?\""
    r"|\b(?:with\s+effect|effective|as|on\s+and)\s+(?:on\s+and\s+)?(?:from|as\s+of|on)\b|\b(?:from|on)\s+that\s+(?:date|day|time)\b|\bupon\s+such\b|\bthereupon\b|\bis\s+then\b|\b(?:taken|deemed|treated|regarded)\s+(?:as|to)\b|\b(?:shall|will)\s+(?:replace|have\s+effect)\b|\bFrom\s+and\b|\b(?:substitute|there\s+shall\s+be\s+substituted)\b"
    r"|\b(?:row|column|table|entry)\b(?:[^.;]|\.\d){0,140}?\b(?:shall|will)\s+be\s+\d",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"(?<!\w)'((?:[A-Z\[]|\d)[^'\n]{0,120})'(?!\w)")
_RIGHT_FIRST = re.compile(
    r"\b(?:waives?|waived|consents?\b|agrees?\s+to|approves?|(?:consent|approval)\s+(?:is|shall\s+be)|consented\s+to|approved|(?:shall|will)\s+not\s+be\s+tested|suspend(?:s|ed)|need\s+not\s+comply|elect\w*|upon\s+notice|by\s+(?:written\s+)?notice|injections?|new\s+equity|specified\s+equity|equity\s+(?:cure|contributions?)|cure\s+amounts?)\b",
    re.IGNORECASE,
)


def read_pattern(text: str, ask: Ask | None = None) -> PatternReading | None:
    """A clause as data; None where it is no pattern that is known.

    Args:
        text: the clause, folded as a document's live view is.
        ask: test date and attested day of effect, where they are known.
    """
    # British drafting quotes in single marks; one character stands for one, so that every place stays where it is.
    text = _SINGLE.sub(r'"\1"', text)
    found = _first(text, ask or Ask())
    return as_meant(text, found) if found is not None else None


def _first(text: str, ask: Ask) -> PatternReading | None:
    found = read_inoperative(text) or read_basis(text) or read_temporary(text)
    if found is not None:
        return found
    if _AMENDS.search(text) or find_pairs(text):
        found = read_change(text, ask)
        if found is not None:
            return found
    if trigger_of(text) is not None:
        # "shall not be tested unless ..." beside a level is a trigger, and no suspension.
        found = read_statement(text, ask)
        if found is not None and found.fields.get("kind") == "springing":
            return found
    if _RIGHT_FIRST.search(text):
        found = read_right(text, ask)
        if found is not None:
            return found
    return read_statement(text, ask) or read_right(text, ask)
