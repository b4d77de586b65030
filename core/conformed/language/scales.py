"""Headings that give the scale of a column of figures: ``(in thousands)``, ``$000s``, ``US$ millions``."""

from __future__ import annotations

import re

from conformed.language.amounts import fold
from conformed.language.currency import UNKNOWN, currency_of
from conformed.model.base import Frozen

__all__ = ["Heading", "find_scales"]


class Heading(Frozen):
    """What a heading says of the figures under it."""

    factor: int
    """What one written unit stands for."""
    currency: str | None
    """ISO 4217 code where the heading names one."""
    start: int
    """First code point of its words."""
    end: int
    """One past the last."""


_CURRENCY = r"U\.S\. ?\$|US ?\$|C\$|CA\$|Cdn\$|A\$|AU\$|NZ\$|HK\$|S\$|\$|€|£|USD|EUR|GBP|CAD|AUD|CHF"
_NAMED = (
    r"U\.?S\.? dollars|United States dollars|Canadian dollars|Australian dollars|dollars|euros?|pounds sterling|sterling|pounds"
)
_WORD = r"thousands?|millions?|billions?"
_PATTERN = re.compile(
    rf"(?P<lead>(?:(?P<what>shares|units|options|warrants|employees)\s+)?)"
    rf"(?:(?:(?P<cur1>{_CURRENCY})|(?P<name1>{_NAMED})|all (?:figures|amounts)|figures|amounts|stated|expressed|"
    rf"presented)[\s,]+(?:are\s+)?(?:stated\s+|expressed\s+|presented\s+|shown\s+)?)?"
    rf"\bin\s+(?:(?P<cur2>{_CURRENCY})\s?)?(?P<word>{_WORD}|whole (?:dollars|euros|pounds)|actual dollars|dollars|euros|"
    rf"(?:\$|€|£)?000'?s)"
    rf"(?:\s+of\s+(?P<name2>{_NAMED}))?(?![A-Za-z])"
    rf"|\(?\s?(?P<cur3>{_CURRENCY})\s?(?P<short>'?000'?s?|thousands?|millions?|billions?|MM|mm|mn|bn|m|k)\s?\)?(?![A-Za-z0-9,.])"
    rf"|\(\s?'?(?P<zeros>000'?s?)(?:\s+omitted)?\s?\)",
    re.IGNORECASE,
)
_FACTORS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "mm": 10**6, "mn": 10**6, "m": 10**6, "bn": 10**9, "k": 10**3}
_NAMES = {"canadian dollars": "CAD", "australian dollars": "AUD", "euro": "EUR", "euros": "EUR"}


def _factor(word: str) -> int:
    word = word.lower().lstrip("$€£").replace("'", "")
    if word.startswith("000"):
        return 1000
    return _FACTORS.get(word, _FACTORS.get(word.rstrip("s"), 1))


def _named(name: str, home: str) -> str:
    low = name.lower().replace(".", "")
    if low.startswith(("us ", "united states")):
        return "USD"
    if low in ("pounds", "sterling", "pounds sterling"):
        return "GBP"
    return _NAMES.get(low, home)


def _is_heading(text: str, match: re.Match[str]) -> bool:
    """Whether the words head a column and are not part of a sentence ("payable in dollars")."""
    left = max(text.rfind("\n", 0, match.start()), text.rfind("\t", 0, match.start())) + 1
    right = min((at for mark in "\n\t" if (at := text.find(mark, match.end())) >= 0), default=len(text))
    plain = match["word"].lower() in ("dollars", "euros")
    stated = match.start() < match.start("word") - 4  # something like "amounts are stated" leads
    opened = text.rfind("(", left, match.start() + 1) > text.rfind(")", left, match.start() + 1)
    return stated or opened or (not plain and right - left <= 60)


def find_scales(text: str, home: str = UNKNOWN) -> tuple[Heading, ...]:
    """Headings of scale in a text, in order. A heading that counts shares or people says nothing of money.

    Args:
        text: any stretch of a document; offsets of the answer are into it.
        home: what a bare ``$`` or "dollars" means in the document.
    """
    found = []
    for match in _PATTERN.finditer(fold(text)):
        if match["what"] or match["short"] == "M":  # shares, or an M that nobody has explained
            continue
        if match["word"] and not _is_heading(text, match):
            continue
        word = match["word"] or match["short"] or match["zeros"]
        sign = match["cur1"] or match["cur2"] or match["cur3"]
        name = match["name1"] or match["name2"]
        whole = re.search(r"dollars|euros|pounds", match["word"] or "", re.IGNORECASE)
        currency = (
            currency_of(sign, home) if sign else _named(name or (whole[0] if whole else ""), home) if name or whole else None
        )
        found.append(Heading(factor=_factor(word), currency=currency, start=match.start(), end=match.end()))
    return tuple(found)
