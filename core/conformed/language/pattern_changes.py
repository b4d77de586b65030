"""A clause that changes an agreement, as data: words swapped, provisions, tables and rows replaced, deletions, restatements."""

from __future__ import annotations

import re
from collections.abc import Callable

from conformed.language.limits import find_limits
from conformed.language.pattern_base import read_statement
from conformed.language.pattern_instruction import finish, label_of, target_of
from conformed.language.pattern_level import read_level
from conformed.language.pattern_rows import read_row_change
from conformed.language.pattern_swap import read_swap
from conformed.language.pattern_tables import read_table_change
from conformed.language.pattern_words import Ask, PatternReading, Value, provisions, sentence_around

__all__ = ["read_change"]

_Q = r"\"[^\"]{1,300}\""
_NEW_TEXT = re.compile(
    r"\b(?:replaced|restated|amended|substituted|deleted)\b[^\":]{0,100}?(?:by|with|to\s+read|as\s+follows|the\s+following)[^\":]{0,60}:\s*\""
    r"|\b(?:there\s+(?:is|are|shall\s+be)\s+substituted|substitute|shall\s+(?:now\s+)?read|is\s+to\s+read|shall\s+hereafter\s+read)\b[^\":]{0,60}:\s*\"",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:is|are|shall\s+be|be)\s+(?:hereby\s+)?(?:deleted|removed|struck(?:\s+out)?|omitted|revoked|repealed)(?:\s+in\s+(?:its|their)\s+entirety|\s+in\s+full)?",
    re.IGNORECASE,
)
_TAKING_OUT = re.compile(
    r"\b(?:deleting|removing|striking(?:\s+out)?|omitting|deletion\s+of|removal\s+of)\s+(?:the\s+whole\s+of\s+)?$", re.IGNORECASE
)
_ENTIRE = re.compile(
    r"\s*,?\s*(?:(?:therefrom|thereof)\s*)?(?:in\s+(?:its|their)\s+entirety|in\s+full|altogether)", re.IGNORECASE
)
_INTO_NOTHING = re.compile(r"\b(?:restated|replaced|amended)\b[^.;\"]{0,60}$", re.IGNORECASE)
_RESERVED = re.compile(
    r"\"\s*(?:(?:Section|Clause)?\s*\d[\d.]*(?:\(\w{1,4}\))*\.?\s*)?\[?\s*(?:Intentionally\s+)?(?:Reserved|Omitted|Deleted|Not\s+used|Left\s+blank)\s*\]?\s*\.?\s*\"",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"\b(?:sentence|proviso|words?|phrase|references?|rows?|columns?|definitions?|(?:first|second|third|last|final|introductory)\s+(?:part|paragraph)|caption|heading|(?:sub-?)?(?:clause|paragraph|section)\s+\(\w{1,4}\))\b[^.;]{0,60}$|\"[^.;]{0,60}$",
    re.IGNORECASE,
)
_AGREEMENT = r"(?:the\s+)?(?:(?:Existing|Original|Prior|Previous|Current)\s+)?(?:Credit|Facilit(?:y|ies)|Loan|Senior\s+Facilit(?:y|ies)|Note\s+Purchase)\s+Agreement\b"
_RESTATE = re.compile(
    r"\b(?:gives?\s+way\s+to\b[^.;]{0,60}|is\s+(?:hereby\s+)?)?\b(?:by\s+which\s+it\s+is\s+)?amended\s+and\s+restated\b"
    r"|\b(?:shall\s+be|is|be)\s+(?:hereby\s+)?(?:restated|replaced)\s+(?:in\s+its\s+entirety\s+)?(?:by|in|with|and\s+shall\s+read\s+in)\s+(?:and\s+(?:shall\s+)?read\s+in\s+)?the\s+(?:form|text|terms|agreement)\b"
    r"|\b(?:shall|will)\s+(?:take|have|be\s+in|read\s+in)\s+the\s+form\s+(?:of|set\s+out\s+in)\b",
    re.IGNORECASE,
)
_RESTATES = re.compile(
    rf"\bamends?\s*,?\s*(?:and\s+)?restates?(?:\s*,?\s*(?:and\s+)?(?:shall\s+)?(?:supersedes?|replaces?)\s*,?)?\s+{_AGREEMENT}",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[.;\s]*\[?\s*(?:(?:Annex|Exhibit|Schedule|Appendix)\s+\w+\s*(?:\([^)]*\)\s*)?,?\s*)?", re.IGNORECASE)
_QUOTING = re.compile(r"\[\s*(?:Annex|Exhibit|Schedule|Appendix)\s+\w+\s*(?:\([^)]*\)\s*)?,?\s*", re.IGNORECASE)
_NAMED = re.compile(_AGREEMENT, re.IGNORECASE)


def read_change(text: str, ask: Ask) -> PatternReading | None:
    """The change that a clause makes; None where it makes none that is known."""
    kinds: tuple[Callable[[], PatternReading | None], ...] = (
        lambda: _restatement(text, ask),
        lambda: read_row_change(text),
        lambda: read_table_change(text, ask),
        lambda: _new_text(text, ask),
        lambda: read_swap(text),
        lambda: _deletion(text),
        lambda: read_level(text),
    )
    return next((found for kind in kinds if (found := kind()) is not None), None)


def _new_text(text: str, ask: Ask) -> PatternReading | None:
    m = _NEW_TEXT.search(text)
    if m is None:
        return None
    end = text.rfind('"', m.end())
    body = text[m.end() : end if end > 0 else len(text)]
    stated = read_statement(body, ask)
    if stated is None:
        return None
    target = target_of(text, m.start())
    sentence = sentence_around(text, m.start())
    doubts = set(stated.doubts)
    spans = {name: (a + m.end(), b + m.end()) for name, (a, b) in stated.spans.items()}
    if target is not None:
        spans["target"] = (target.start, target.end)
        if _PARTIAL.search(text[sentence[0] : max(sentence[0], target.start)]):
            # Words that take the place of a part of the provision: what the rest of it still says is not in the clause.
            doubts.add("review_clause_not_fully_read")
    fields: dict[str, Value] = {**stated.fields, "op": "replace_provision", "target": label_of(target)}
    return finish(text, fields, spans, sentence, unstated=set(stated.unstated), doubts=doubts)


def _deletion(text: str) -> PatternReading | None:
    """A whole provision that goes. A part of one that goes is not this, and neither is one that other words replace."""
    for target in provisions(text):
        sentence = sentence_around(text, target.start)
        before, after = text[sentence[0] : target.start], text[target.end : sentence[1]]
        if _PARTIAL.search(before):
            continue
        gone, reserved = _GONE.search(after), _RESERVED.search(after)
        if gone is not None and re.search(r"\"|\b(?:section|clause)\s+\d", after[: gone.start()], re.IGNORECASE) is None:
            at = (target.end + gone.start(), target.end + gone.end())
        elif _TAKING_OUT.search(before):
            whole = _ENTIRE.match(text, target.end, sentence[1])
            at = (sentence[0] + _last(_TAKING_OUT, before), whole.end() if whole else target.end)
        elif reserved is not None and _INTO_NOTHING.search(after[: reserved.start()]):
            at = (target.end + reserved.start(), target.end + reserved.end())
        else:
            continue
        rest = text[at[1] : sentence[1]]
        if find_limits(text, at[0], len(text), "ratio"):
            return None
        spans = {"op": at, "target": (target.start, target.end)}
        if reserved is not None:
            spans["marker"] = (target.end + reserved.start(), target.end + reserved.end())
        elif re.search(rf"\b(?:replac|substitut|insert)\w*\b[^\"]{{0,80}}(?:{_Q}|:)", rest, re.IGNORECASE):
            return None
        fields: dict[str, Value] = {"op": "delete_provision", "target": label_of(target)}
        return finish(text, fields, spans, sentence, unstated=set())
    return None


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max(m.start() for m in pattern.finditer(text))


def _restatement(text: str, ask: Ask) -> PatternReading | None:
    for m in sorted([*_RESTATE.finditer(text), *_RESTATES.finditer(text)], key=lambda m: m.start()):
        sentence = sentence_around(text, m.start())
        named = m.re is _RESTATES or _NAMED.search(text, 0, m.start()) is not None
        if not named or provisions(text[sentence[0] : m.start()]):
            continue
        # What the new text says stands after the sentence that puts it in, or in its rest.
        behind = _QUOTING.search(text, m.end()) or _HEADING.match(text, sentence[1])
        begins = behind.end() if behind and find_limits(text, behind.end(), len(text), "ratio") else m.end()
        stated = read_statement(text[begins:], ask)
        spans = {name: (a + begins, b + begins) for name, (a, b) in stated.spans.items()} if stated else {}
        fields: dict[str, Value] = {**(stated.fields if stated else {}), "op": "restate_agreement", "target": "whole agreement"}
        spans["op"] = m.span()
        unstated = set() if stated else {"level", "metric", "comparator"}
        return finish(text, fields, spans, sentence, unstated=unstated, doubts=set(stated.doubts) if stated else None)
    return None
