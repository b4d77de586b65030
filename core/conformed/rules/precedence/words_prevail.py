"""A number written in words and in figures that differ: settled only where the agreement says which of them prevails (PR-27)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from conformed.language.ratios import find_ratios
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantTerms
from conformed.model.operation import Operation

__all__ = ["prevailing", "settled"]

_CONFLICT = "review_words_figures_conflict"
_FIGURES = r"(?:figures?|numerals?|digits?|numbers)"
_PREVAIL = r"(?:prevails?|controls?|governs?|takes?\s+precedence|applies|apply)"
_ABOUT = re.compile(rf"\bwords?\b[^.]{{0,160}}\b{_FIGURES}\b|\b{_FIGURES}\b[^.]{{0,160}}\bwords?\b", re.IGNORECASE)
_SIDE = re.compile(
    rf"\b(?P<side>words?|{_FIGURES})\s+(?:so\s+stated\s+|as\s+written\s+|used\s+)?(?:shall\s+|will\s+|is\s+to\s+|are\s+to\s+)?{_PREVAIL}\b"
    rf"|\b{_PREVAIL}\s+(?:is|are|shall\s+be)\s+(?:given\s+to\s+)?(?:the\s+)?(?P<given>words?|{_FIGURES})\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|neither|nor|never)\b", re.IGNORECASE)
_LONGEST = 400


def prevailing(text: str) -> str:
    """``words`` or ``figures`` where a sentence of the agreement says which of the two prevails; empty where none or two say so."""
    said = set()
    for match in _SIDE.finditer(text):
        start = max(text.rfind(". ", 0, match.start()), match.start() - _LONGEST, -1) + 1
        stop = text.find(".", match.end())
        sentence = text[start : stop if 0 <= stop < match.end() + _LONGEST else match.end() + _LONGEST]
        if _ABOUT.search(sentence) and not _NOT.search(sentence):
            said.add("words" if (match["side"] or match["given"]).lower().startswith("word") else "figures")
    return said.pop() if len(said) == 1 else ""


def settled(operations: Iterable[Operation], bases: Iterable[str], views: Mapping[str, Traced]) -> tuple[Operation, ...]:
    """Operations with such numbers read as the agreement says; as they were where it does not say, or two agreements differ.

    Args:
        operations: what the documents do.
        bases: the agreements.
        views: live text of each document.
    """
    given = tuple(operations)
    if not any(d.code == _CONFLICT for o in given for t in o.terms for d in t.doubts):
        return given
    rules = {prevailing(views[name].text) for name in bases}
    side = rules.pop() if len(rules) == 1 else ""
    if not side:
        return given
    return tuple(o.model_copy(update={"terms": tuple(_read(t, side) for t in o.terms)}) if o.terms else o for o in given)


def _read(terms: CovenantTerms, side: str) -> CovenantTerms:
    if not any(d.code == _CONFLICT for d in terms.doubts):
        return terms
    kept, done = [], set()
    for row in terms.rows:
        tokens = [t for t in find_ratios(row.limit.raw) if t.problem == _CONFLICT and len(t.readings) == 2]
        if len(tokens) != 1:
            kept.append(row)
            continue
        if row.limit.value == tokens[0].readings[0 if side == "words" else 1]:
            kept.append(row)
            done.add(row.limit.raw)
    doubts = [d for d in terms.doubts if d.code != _CONFLICT or not {s.text for s in d.spans} <= done]
    return terms.model_copy(update={"rows": tuple(kept), "doubts": tuple(doubts)})
