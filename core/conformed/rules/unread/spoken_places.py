"""Where a text names a provision, and the sentence around a place: shared by the two nets under extraction."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["EASES", "LEVEL", "MOST", "NEGATED", "RELIEF", "STOP", "Stretch", "covered", "places", "sentence_at"]

Stretch = tuple[int, int]
RELIEF = (
    r"waiv(?:e|es|ed|ing|er)|suspend(?:ed|s|ing)?|suspension|excus(?:e|es|ed|ing)|disregard(?:ed)?|"
    r"not\s+(?:be\s+)?(?:tested|measured|applicable|required|effective|in\s+effect|appl(?:y|ies))|cease[sd]?\s+to\s+(?:apply|be)|inapplicable|disappl(?:y|ied)|eas(?:e|es|ed|ing)|relax(?:es|ed|ing)?|forgo(?:es|ne)?|(?:covenant|testing)\s+(?:relief|holiday)"
)
EASES = re.compile(rf"\b(?:{RELIEF})\b", re.IGNORECASE)
NEGATED = re.compile(r"\b(?:not|nothing|no|neither|except|other\s+than|without)\b[^.;]{0,80}$", re.IGNORECASE)
LEVEL = re.compile(r"\b\d+(?:\.\d+)?\s*(?:to|:)\s*1(?:\.0+)?\b|\b\d+\.\d+x\b", re.IGNORECASE)
STOP = re.compile(r"(?<=[A-Za-z0-9)\"\]])(?<!\b[Nn]o)(?<!\bInc)(?<!\bU\.S)[.;]\s|\n[ \t]*\n")
_WORD = r"(?:[Ss]ections?|SECTIONS?|[Ss]ub-?[Ss]ections?|SUBSECTIONS?|[Cc]lauses?|CLAUSES?|[Pp]aragraphs?|\u00a7{1,2})"
_REACH = 420
MOST = 400
"""References to one provision that an agreement may hold; more is a flood, and a person looks at it."""


def sentence_at(text: str, start: int, end: int) -> Stretch:
    """The sentence around a place, as far as it can be told."""
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    a = low
    for m in STOP.finditer(text, low, start):
        a = m.end()
    stop = STOP.search(text, end, high)
    return a, stop.start() + 1 if stop else high


def places(text: str, section: str) -> list[Stretch]:
    """Where a text names a provision, one that encloses it, or a range that holds it."""
    base = section.partition("(")[0]
    if not base or not base[0].isdigit():
        return []
    parts = re.findall(r"\([^)]*\)", section[len(base) :])
    inner = "".join(rf"(?:\s*{re.escape(p)}" for p in parts) + ")?" * len(parts)
    found = []
    pattern = re.compile(
        rf"{_WORD}\s*(?:\d[\w.]*(?:\s*\([A-Za-z0-9]{{1,4}}\))*\s*(?:,|and|or|,\s*and|through|to|-)\s*)*(?<![\d.]){re.escape(base)}(?![\d.]*\d)(?![A-Z])(?P<inner>{inner})(?!\s*\([A-Za-z0-9]{{1,4}}\))"
    )
    for m in pattern.finditer(text):
        of = re.search(
            r"((?:\(\w{1,4}\)\s*(?:,|and|or)?\s*)+)(?:\([A-Z][^)]{2,60}\)\s*)?(?:of|in|to|under)\s+(?:the\s+)?$",
            text[max(0, m.start() - 90) : m.start()],
        )
        if of and parts and not m["inner"] and parts[0] not in of[1]:
            continue
        found.append((m.start(), m.end()))
    # The bare number: whole, or at the start of a line.
    bare = re.escape(base) + "".join(rf"\s*{re.escape(p)}" for p in parts)
    start = r"(?<![\d.,$])" if parts else r"(?<=\n)[ \t]*"
    found += [
        (m.start(), m.end())
        for m in re.finditer(rf"{start}{bare}(?![\d.]*\d)(?![A-Z])(?=[\s,.;:)-])", text)
        if not re.search(rf"(?:{_WORD})\s*$", text[max(0, m.start() - 14) : m.start()])
    ]
    for m in re.finditer(rf"{_WORD}\s*(\d+)\.(\d+)\s*(?:through|to|\u2013|-)\s*(?:{_WORD}\s*)?(\d+)\.(\d+)", text):
        major, _, minor = base.partition(".")
        if m[1] == m[3] == major and minor.isdigit() and int(m[2]) <= int(minor) <= int(m[4]):
            found.append((m.start(), m.end()))
    return found


def covered(place: Stretch, stretches: Iterable[Stretch]) -> bool:
    """Whether a place begins inside one of the stretches."""
    return any(a <= place[0] < b for a, b in stretches)
