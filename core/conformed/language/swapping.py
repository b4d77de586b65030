"""Pairs of pieces of text of which one takes the place of the other, whichever is named first."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conformed.language.limits import find_limits
from conformed.language.pattern_words import masked

__all__ = ["Pair", "find_pairs"]

_QUOTED = re.compile(r"\"(?P<inner>[^\"]{1,300})\"")
_NAME = re.compile(
    r"(?:\((?:the|each|an?|such|collectively)?\s*|\b(?:entitled|captioned|headed|labell?ed|definitions?\s+of(?:\s+the\s+(?:defined\s+)?terms?)?|In\s+this\s+\w+|The)\s*,?\s*)$",
    re.IGNORECASE,
)
_TERM = re.compile(r"\s*(?:\)|(?:means?|shall\s+mean|is\s+the\s+(?:first\s+)?(?:date|day)|has\s+the\s+meaning)\b)", re.IGNORECASE)
_NOUN = (
    r"(?:(?:the|a|an|each|every|all|such|its|that)\s+)?(?:(?:existing|current|former|old|new|words?|figures?|numbers?|numerals?|ratios?|text|phrase|levels?|"
    r"references?|amounts?|limits?|multiples?|values?|expression|percentage|entry|row|line|and|therein|therefrom|there|where\w*|it|appears?|stated|appearing|of|to|in|at|for)\s+){0,6}"
)
_OUT = (
    r"(?:delet|replac|strik|remov|omit|amend|chang|substitut|alter|vary|revis|swapp|exchang)ing(?:\s+out|\s+from|\s+for)?"
    r"|(?:deletion|removal|omission|replacement|substitution)\s+(?:of|for)|substitut(?:e|es)\s+for|(?:delete|replace|omit|strike|remove)s?"
)
_TAKEN = re.compile(rf"\b(?:{_OUT})\s+{_NOUN}$", re.IGNORECASE)
_TAKES_OUT = re.compile(
    rf"\b(?:{_OUT}|(?:deletion|removal|omission|replacement)\s+(?:therefrom|in\s+it)\s+of)\b[^\"]{{0,80}}$", re.IGNORECASE
)
_PUT = re.compile(
    r"\b(?:with|by|to|substitut\w*|insert\w*|replac\w*|putting|put|adding|in\s+(?:its|their)\s+(?:place|stead)|in\s+lieu|therefor)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:(?:shall|will|must|is|are|be|were)\s+(?:\w+\s+){0,2}?(?:deleted|replaced|struck|omitted|removed|substituted|changed|amended|altered|varied|revised|read|deemed|construed|treated|understood|taken)"
    r"|is\s+(?:now\s+)?to\s+(?:be\s+)?(?:read|construed|treated|replaced|become)|becomes?|reads?|were\s+(?:to\s+)?(?:a\s+)?(?:references?|be)?)\b",
    re.IGNORECASE,
)
_FOR_FIRST = re.compile(
    r"\b(?:substitut(?:ing|ion\b(?:[^\".;]|\.\d){0,40}?\bof|e)|insert(?:ing|ion\s+of)|putting)\s+" + _NOUN + "$", re.IGNORECASE
)
_FOR = re.compile(
    rf"^\s*(?:\w+\s+){{0,6}}?(?:for|in\s+(?:the\s+)?(?:place|lieu|stead|substitution)\s+(?:of|for)|instead\s+of)\s+{_NOUN}$",
    re.IGNORECASE,
)
_IN_PLACE = re.compile(
    rf"\b(?:in\s+(?:the\s+)?(?:place|lieu|stead|substitution)\s+(?:of|for)|instead\s+of|(?:is|are|be)\s+(?:hereby\s+)?substituted\s+for|replaces?|takes?\s+the\s+place\s+of)\s+{_NOUN}$",
    re.IGNORECASE,
)
_FOR_OLD = re.compile(rf"(?:^|[\s,;(])for\s+{_NOUN}$", re.IGNORECASE)
_PUT_NEW = re.compile(
    r"\b(?:there\s+(?:is|are|shall\s+be)\s+|be\s+|hereby\s+)?(?:substitut\w+|insert\w+)\b[^\"]{0,40}$", re.IGNORECASE
)
_STOP = re.compile(r"(?<=[a-z0-9)\"])[.;](?=\s)|\n\s*\n")
_FAR = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """What is taken out and what is put there: the words, and the pieces with their quotation marks.

    Attributes:
        old: the words that go.
        new: the words that come.
        old_at: the piece with the words that go, marks included.
        new_at: the piece with the words that come, marks included.
        quoted: whether both stand in quotation marks.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    old_at: tuple[int, int]
    new_at: tuple[int, int]
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    a: int
    b: int
    quoted: bool


def _pieces(text: str, start: int, end: int) -> list[_Piece]:
    """Quoted words that are no names, and ratios that stand without quotation marks."""
    found: list[_Piece] = []
    taken: list[tuple[int, int]] = []
    for m in _QUOTED.finditer(text, start, end):
        taken.append(m.span())
        if re.search(r"\d", m["inner"]) is None and (
            _NAME.search(text, max(start, m.start() - 60), m.start()) or _TERM.match(text, m.end(), end)
        ):
            continue
        if _NAME.search(text, max(start, m.start() - 60), m.start()) and text[m.end() : m.end() + 1] == ")":
            continue
        found.append(_Piece(m.start(), m.end(), m.start("inner"), m.end("inner"), quoted=True))
    plain = masked(text[start:end])
    for bare in find_limits(plain, 0, len(plain), "ratio"):
        t = replace(bare, start=bare.start + start, end=bare.end + start)
        if not any(a < t.end and t.start < b for a, b in taken):
            found.append(_Piece(t.start, t.end, t.start, t.end, quoted=False))
    return sorted(found, key=lambda p: p.start)


def find_pairs(text: str, start: int = 0, end: int | None = None) -> list[Pair]:
    """Pairs in order of place. Pieces of which it is not plain that one takes the other's place make none.

    Args:
        text: the words.
        start: first offset.
        end: one past the last; None for the end of the text.
    """
    end = len(text) if end is None else end
    pieces = _pieces(text, start, end)
    pairs: list[Pair] = []
    i = 0
    while i + 1 < len(pieces):
        first, second = pieces[i], pieces[i + 1]
        order = _order(text, start, first, second) if first.quoted is second.quoted else 0
        if order == 0:
            i += 1
            continue
        old, new = (first, second) if order > 0 else (second, first)
        pairs.append(Pair((old.a, old.b), (new.a, new.b), (old.start, old.end), (new.start, new.end), first.quoted))
        i += 2
    return pairs


def _order(text: str, start: int, first: _Piece, second: _Piece) -> int:
    """1 where the first piece goes and the second comes, -1 the other way about, 0 where neither is plain."""
    between = text[first.end : second.start]
    if len(between) > _FAR or _STOP.search(text, first.end, second.start):
        return 0
    before = text[max(start, first.start - 120) : first.start]
    opened = list(_STOP.finditer(before))
    before = before[opened[-1].end() :] if opened else before
    if (_FOR_FIRST.search(before) and _FOR.search(between)) or _IN_PLACE.search(between):
        return -1
    if not first.quoted:
        # Bare ratios: only where the verb stands right before the one that goes.
        return 1 if _TAKEN.search(before) and _PUT.search(between) else 0
    if _TAKES_OUT.search(before) and _PUT.search(between):
        return 1
    if _PASSIVE.search(between):
        return 1
    if re.search(r"\bfrom\s+$", before, re.IGNORECASE) and re.fullmatch(r"\s*to\s*", between):
        return 1
    return 1 if _FOR_OLD.search(before) and _PUT_NEW.search(between) else 0
