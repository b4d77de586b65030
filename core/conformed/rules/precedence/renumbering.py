"""Provisions that a later text renumbers, where it says so itself (rule book PR-22).

"Section 7.11 is renumbered as Section 7.13", or a table of correspondence. Nothing is guessed: a number that the text in force
still uses for a provision of its own, or that is mapped twice, is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformed.rules.instruments.provisions import canonical_label

__all__ = ["renumbered"]

_NUMBER = r"\d{1,2}[A-Z]?(?:\.\d{1,3}[A-Z]?)*(?:\s*\([A-Za-z0-9]{1,4}\))*"
_WORD = r"(?:Sections?|SECTIONS?|[Cc]lauses?|[Pp]aragraphs?|\u00a7)"
_THE = r"(?:[Tt]he\s+)?(?:(?:former|old|existing|previous|new)\s+)?"
_GAP = r"(?:\s*\([A-Z][^)]{2,60}\))?(?:\s+(?:of|in|to)\s+the\s+(?:\w+\s+){1,4}?Agreement)?"
_SAID = re.compile(
    rf"{_WORD}\s*(?P<old>{_NUMBER}){_GAP}\s*,?\s*(?:(?:is|are|be|has\s+been|shall\s+be|was|will\s+be)\s+)(?:hereby\s+|also\s+|now\s+|accordingly\s+)*"
    rf"(?:re-?numbered|re-?designated|re-?lettered)\s+(?:(?:as|to|be|read)\s+)+{_THE}(?:new\s+)?{_WORD}\s*(?P<new>{_NUMBER})"
)
_DOING = re.compile(
    rf"\b(?:re-?number|re-?designat)\w*\s+{_THE}{_WORD}\s*(?P<old>{_NUMBER}){_GAP}\s+(?:(?:as|to|be|read)\s+)+{_THE}(?:new\s+)?{_WORD}\s*(?P<new>{_NUMBER})",
    re.IGNORECASE,
)
_TABLE = re.compile(
    r"\b(?:tables?\s+of\s+(?:correspondence|derivations?|destinations?|concordance)|correlation\s+table|cross-?reference\s+table|concordance)\b[^\n]*\n",
    re.IGNORECASE,
)
_ROW = re.compile(
    rf"^[ \t|]*(?:{_WORD}\s*)?(?P<old>{_NUMBER})[ \t]*(?:\||\t|[ \t]{{2,}}|->|\u2192|=|becomes)[ \t|]*(?:{_WORD}\s*)?(?P<new>{_NUMBER})[ \t|]*$",
    re.MULTILINE,
)
_LONGEST = 6000


def renumbered(text: str) -> Mapping[str, str]:
    """New number by old number, each in normal form; a number that is mapped in two ways is left out.

    Args:
        text: live text of an instrument.
    """
    pairs = [(m["old"], m["new"]) for pattern in (_SAID, _DOING) for m in pattern.finditer(text)]
    for table in _TABLE.finditer(text):
        pairs += [(m["old"], m["new"]) for m in _ROW.finditer(text, table.end(), min(len(text), table.end() + _LONGEST))]
    found: dict[str, set[str]] = {}
    back: dict[str, set[str]] = {}
    for old, new in pairs:
        a, b = canonical_label(old), canonical_label(new)
        found.setdefault(a, set()).add(b)
        back.setdefault(b, set()).add(a)
    return {a: next(iter(b)) for a, b in sorted(found.items()) if len(b) == 1 and len(back[next(iter(b))]) == 1 and b != {a}}
