"""The power of agent and borrower to mend an obvious error, and instruments that use it (rule book PR-20)."""

from __future__ import annotations

import re

__all__ = ["corrects", "power_to_correct", "signed_by_both"]

_FAULT = (
    r"(?:(?:obvious|manifest|clerical|typographical|technical|drafting|immaterial|scrivener['\u2019]?s)\s*,?\s*(?:(?:or|and)\s+)?)+"
    r"(?:\w+\s+)?(?:errors?|mistakes?|omissions?|defects?|inconsistenc(?:y|ies))"
)
_POWER = re.compile(_FAULT, re.IGNORECASE)
_AGENT = re.compile(r"\bAgent\b")
_BORROWER = re.compile(r"\b(?:Borrowers?|Company|Parent|Obligors?['\u2019]?\s+Agent)\b")
_MAY_MEND = re.compile(r"\b(?:amend|correct|cure|remedy|rectif)\w*\b", re.IGNORECASE)
_ALONE = re.compile(
    r"\bwithout\s+(?:any\s+)?(?:further\s+)?(?:action\s+(?:or|of|by)\s+)?(?:the\s+)?(?:further\s+)?(?:consent|approval|agreement|action)\b"
    r"|\bno\s+(?:further\s+)?(?:consent|approval|action)\b|\b(?:may|can|shall\s+be\s+(?:permitted|entitled))\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    rf"\b(?:to\s+correct|corrects|correcting|correction\s+of|to\s+(?:remedy|rectify|cure)|rectif(?:ies|ication\s+of))\s+"
    rf"(?:\w+\s+){{0,4}}?{_FAULT}",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"(?:/s/|\bs/|\bSigned\s+by\s*:?)", re.IGNORECASE)
_WIDTH = 900
_BLOCK = 260


def power_to_correct(text: str) -> tuple[int, int] | None:
    """Where an agreement lets agent and borrower mend an obvious error without the lenders.

    Args:
        text: live text of the agreement.
    """
    for m in _POWER.finditer(text):
        a, b = _sentence(text, m.start(), m.end())
        words = text[a:b]
        if _AGENT.search(words) and _BORROWER.search(words) and _MAY_MEND.search(words) and _ALONE.search(words):
            return a, b
    return None


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - _WIDTH)
    stops = [m.end() for m in re.compile(r"[.;]\s+(?=[(A-Z])|\n\s*\n").finditer(text, low, start)]
    after = re.compile(r"[.;](?:\s|$)|\n\s*\n").search(text, end, end + _WIDTH)
    return (stops[-1] if stops else low), (after.start() if after else min(len(text), end + _WIDTH))


def corrects(text: str) -> bool:
    """Whether an instrument says that it mends an error of the agreement.

    Args:
        text: live text of the instrument.
    """
    return _CORRECTS.search(text) is not None


def signed_by_both(text: str) -> bool:
    """Whether signatures of an agent and of a borrower stand at the end of an instrument.

    Args:
        text: live text of the instrument.
    """
    marks = list(_SIGNS.finditer(text))
    who = {"agent": False, "borrower": False}
    for i, m in enumerate(marks):
        # A block runs from the name above its mark to the lines of name and title below it.
        low = max(marks[i - 1].end() if i else 0, m.start() - _BLOCK)
        above = re.split(r"\bIN\s+WITNESS\s+WHEREOF\b", text[low : m.start()])[-1]
        below = re.split(r"\n\s*\n", text[m.end() : m.end() + _BLOCK])[0]
        words = f"{above} {below}".lower()
        agent = re.search(r"\bagent\b", words) is not None
        who["agent"] |= agent
        who["borrower"] |= re.search(r"\b(?:borrower|company|parent|by\s+its\s+director)\b", words) is not None and not agent
    return all(who.values())
