"""The words of a claim inside a sentence: the same words, give or take articles and forms of "to be" and "to have"."""

from __future__ import annotations

import re
from functools import lru_cache

from conformed.rules.claims.claim_words import CAUSES

__all__ = ["fold_space", "joined_to_reason", "said", "said_pattern", "without"]

_SMALL = r"(?:a|an|the|is|are|was|were|be|been|being|has|have|had)"
_SMALL_WORD = re.compile(_SMALL, re.IGNORECASE)
_GAP = rf"\s+(?:{_SMALL}\s+)*"


def fold_space(text: str) -> str:
    """Line breaks joined and white space collapsed: the only tolerance for a quotation (CC-07)."""
    return " ".join(text.split())


@lru_cache(maxsize=4096)
def said_pattern(phrase: str) -> re.Pattern[str]:
    """Finds a phrase. Small words may be put in or left out; every other word, and each figure and sign, stands in its order."""
    pieces = fold_space(phrase).split(" ")
    kept = [piece for piece in pieces if not _SMALL_WORD.fullmatch(piece)] or pieces
    lead = rf"(?:{_SMALL}\s+)*"
    return re.compile(
        r"(?<![A-Za-z])" + lead + _GAP.join(re.escape(piece) for piece in kept) + r"(?:['’]s)?(?![A-Za-z])", re.IGNORECASE
    )


def said(phrase: str, text: str) -> bool:
    """Whether a text says a phrase."""
    return said_pattern(phrase).search(text) is not None


def without(text: str, phrases: tuple[str, ...]) -> str:
    """A text without some phrases, the longest taken out first."""
    for phrase in sorted(phrases, key=len, reverse=True):
        if phrase:
            text = said_pattern(phrase).sub(" ", text)
    return text


def joined_to_reason(text: str, reasons: tuple[str, ...]) -> str:
    """A text without the words that join a result to one of the run's own reasons for it ("... because testing was suspended")."""
    for reason in reasons:
        text = re.sub(rf"(?<![A-Za-z])(?:{CAUSES}),?\s+(?={said_pattern(reason).pattern})", " ", text, flags=re.IGNORECASE)
    return text
