"""A clause that changes an agreement, as data: words swapped, provisions, tables and rows replaced, deletions, restatements."""

from __future__ import annotations

import re
from collections.abc import Callable

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.pattern_base import read_statement
from conformed.language.pattern_instruction import ENDING_AFTER, finish, label_of, name_figure, target_of, unquoted
from conformed.language.pattern_tables import read_row_change, read_table_change
from conformed.language.pattern_words import Ask, PatternReading, Value, level_fields, masked, provisions, sentence_around
from conformed.language.subjects import find_subject

__all__ = ["read_change"]

_Q = r"\"[^\"]{1,300}\""
_OUT = r"(?:deleting|replacing|striking(?:\s+out)?|removing|substituting\s+for|(?:deletion|removal|omission|replacement)\s+of)"
_AS = r"(?:read(?:\s+as)?|replaced\s+(?:by|with)|changed\s+to|amended\s+to(?:\s+read)?|substituted\s+(?:by|with)|deemed\s+to\s+(?:be|read)|construed\s+as|treated\s+as)"
_SWAPS = (
    re.compile(rf"\b{_OUT}\b[^\"]{{0,60}}(?P<find>{_Q})[^\"]{{0,140}}(?P<replace>{_Q})", re.IGNORECASE),
    re.compile(
        rf"(?P<find>{_Q})(?P<mid>[^\"]{{0,300}}?)\b(?:shall\s+be|is|are|be|shall)\s+(?:hereby\s+)?(?:deleted\s+and\s+)?{_AS}\s+[^\"]{{0,30}}(?P<replace>{_Q})",
        re.IGNORECASE,
    ),
    re.compile(rf"\bsubstitut(?:ing|ion\s+of)\s+(?P<replace>{_Q})\s+for\b[^\"]{{0,60}}(?P<find>{_Q})", re.IGNORECASE),
    re.compile(rf"\bfor\s+(?P<find>{_Q})[^\"]{{0,40}}\bsubstitut\w+\s+(?:of\s+)?(?P<replace>{_Q})", re.IGNORECASE),
)
_NEW_TEXT = re.compile(
    r"\b(?:replaced|restated|amended|substituted|deleted)\b[^\":]{0,100}?(?:by|with|to\s+read|as\s+follows|the\s+following)[^\":]{0,60}:\s*\"",
    re.IGNORECASE,
)
_SET = re.compile(
    r"\b(?:becomes?|(?:shall|will)\s+(?:now\s+)?be(?:come)?(?:\s+(?:re)?set\s+at|\s+(?:increased|reduced|raised|lowered|changed)\s+to)?|is(?:\s+(?:then|now|hereby))?(?:\s+(?:(?:re)?set\s+at|(?:changed|increased|reduced|raised|lowered)\s+to))?|"
    r"(?:rais|increas|reduc|lower|chang)(?:ing|ed|es|e|s)\s+from\s+\S+(?:\s+to\s+1(?:\.0+)?)?\s+to|(?:raising|increasing|reducing|lowering|changing|setting)\s+(?:[^.;()\"]|\.\d|\(\w{1,3}\)){0,80}?\b(?:to|at)|(?:replac(?:ing|es?)|substitut(?:ing|es?))\s+(?:[^.;()\"]|\.\d|\(\w{1,3}\)){0,80}?\b(?:with|by))\s+$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:amend\w*|chang\w+|modif\w+|in\s+place\s+of|instead\s+of|replac\w+|step\w*|becomes?|reset|set\s+at|raising|increas\w+|reduc\w+|(?:shall|will)\s+be|is\s+then|substitut\w+)\b",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:deleted|removed)(?:\s+in\s+(?:its|their)\s+entirety|\s+in\s+full)?",
    re.IGNORECASE,
)
_RESERVED = re.compile(r"\"\s*\[?\s*(?:Intentionally\s+)?(?:Reserved|Omitted|Deleted|Not\s+used)\s*\]?\s*\.?\s*\"", re.IGNORECASE)
_RESTATE = re.compile(
    r"\b(?:gives?\s+way\s+to\b[^.;]{0,60}|is\s+(?:hereby\s+)?)?\b(?:by\s+which\s+it\s+is\s+)?amended\s+and\s+restated\b",
    re.IGNORECASE,
)
_SOLELY = re.compile(
    r"\bfor\s+(?:each\s+of\s+)?the\s+(?:[A-Z]\w+\s+|\w+\s+){0,3}(?:dates?|quarters?|periods?|Dates?|Periods?)\b[^.;\"]{0,160}?\bonly\b|\b(?:solely|only)\s+(?:for|in\s+respect\s+of|with\s+respect\s+to)\b|\bfor\s+(?:each\s+of\s+)?the\s+(?:fiscal|financial)\s+quarters?\s+ending\b",
    re.IGNORECASE,
)
_AGREED = re.compile(
    r"\b(?:as\s+if\s+this|reverts?\s+to|(?:ceases?|shall\s+cease)\s+to\s+(?:apply|have\s+effect)|returns?\s+to)\b", re.IGNORECASE
)
_NUMBERED = re.compile(r"\[\s*(?:Amendment|Supplement|Letter)\s+(?P<no>No\.?\s*\d+)\s*\]", re.IGNORECASE)


def read_change(text: str, ask: Ask) -> PatternReading | None:
    """The change that a clause makes; None where it makes none that is known."""
    kinds: tuple[Callable[[], PatternReading | None], ...] = (
        lambda: _restatement(text, ask),
        lambda: read_row_change(text),
        lambda: read_table_change(text, ask),
        lambda: _new_text(text, ask),
        lambda: _swap(text),
        lambda: _deletion(text),
        lambda: _set_level(text),
    )
    return next((found for kind in kinds if (found := kind()) is not None), None)


def _swap(text: str) -> PatternReading | None:
    hits = [m for p in _SWAPS if (m := p.search(text))]
    if not hits:
        return None
    m = min(hits, key=lambda h: h.start())
    find, new = unquoted(text, m.span("find")), unquoted(text, m.span("replace"))
    target = target_of(text, m.start("find"))
    spans = {"find": m.span("find"), "replace": m.span("replace")}
    if target is not None:
        spans["target"] = (target.start, target.end)
    sentence = sentence_around(text, m.start())
    levels = find_limits(new, 0, len(new), "ratio")
    solely = _SOLELY.search(text, sentence[0], sentence[1])
    if solely and levels and ENDING_AFTER.search(text, solely.start(), m.start()) is None:
        days = [t.date for t in find_dates(text, solely.start(), m.start())] or [
            t.date for t in find_dates(text, m.end(), sentence[1])
        ]
        if days:
            last = find_dates(text, solely.start(), sentence[1])[-1]
            spans |= {"windows": (solely.start(), last.end), "temporary": spans["replace"], "underlying": spans["find"]}
            windows: list[Value] = [*days]
            fields: dict[str, Value] = {
                "op": "substitute_level_temporary",
                "target": label_of(target),
                "windows": windows,
                **level_fields(levels[0]),
                "find": find,
                "replace": new,
            }
            # Whatever it was written against, the permanent text as since amended comes back (rule PR-41).
            fields["on_end"] = "permanent_text_as_amended"
            ends = _AGREED.search(text)
            if ends:
                spans["on_end"] = ends.span()
            return finish(text, fields, spans, sentence, unstated=set())
    fields = {"op": "substitute_text", "target": label_of(target), "find": find, "replace": new, "occurrences_required": 1}
    unstated: set[str] = set()
    if len(levels) == 1:
        inner: dict[str, Value] = {**level_fields(levels[0])}
        name_figure(target.caption if target else "", inner, unstated)
        fields["result"] = inner
        unstated = {f"result.{name}" for name in unstated}
    return finish(text, fields, spans, sentence, unstated=unstated)


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
    spans = {name: (a + m.end(), b + m.end()) for name, (a, b) in stated.spans.items()}
    if target is not None:
        spans["target"] = (target.start, target.end)
    fields: dict[str, Value] = {**stated.fields, "op": "replace_provision", "target": label_of(target)}
    return finish(text, fields, spans, sentence_around(text, m.start()), unstated=set(stated.unstated), doubts=set(stated.doubts))


def _deletion(text: str) -> PatternReading | None:
    m = _GONE.search(text)
    if m is None or find_limits(text, m.start(), len(text), "ratio"):
        return None
    target = target_of(text, m.start())
    spans = {"op": m.span()}
    if target is not None:
        spans["target"] = (target.start, target.end)
    reserved = _RESERVED.search(text)
    if reserved:
        spans["marker"] = reserved.span()
    elif re.search(rf"\b(?:replaced|substituted)\b[^\"]{{0,60}}{_Q}", text[m.end() :]):
        return None
    return finish(
        text, {"op": "delete_provision", "target": label_of(target)}, spans, sentence_around(text, m.start()), unstated=set()
    )


def _restatement(text: str, ask: Ask) -> PatternReading | None:
    m = _RESTATE.search(text)
    agreement = (
        re.compile(r"\b(?:Existing\s+|Original\s+)?(?:Credit|Facilit(?:y|ies)|Loan)\s+Agreement\b", re.IGNORECASE).search(
            text, 0, m.start()
        )
        if m
        else None
    )
    if m is None or agreement is None or provisions(text[sentence_around(text, m.start())[0] : m.start()]):
        return None
    stated = read_statement(text[m.end() :], ask)
    spans = {name: (a + m.end(), b + m.end()) for name, (a, b) in stated.spans.items()} if stated else {}
    fields: dict[str, Value] = {**(stated.fields if stated else {}), "op": "restate_agreement", "target": "whole agreement"}
    spans["op"] = m.span()
    return finish(
        text, fields, spans, sentence_around(text, m.start()), unstated=set() if stated else {"level", "metric", "comparator"}
    )


def _set_level(text: str) -> PatternReading | None:
    """A level set without new text ("the ratio in Section 6.08 becomes 4.00 to 1.00"), by one instrument or by several."""
    plain = masked(text)
    found = [
        t
        for t in find_limits(plain, 0, len(plain), "ratio")
        if _CHANGES.search(text, sentence_around(text, t.start)[0], t.start) and _SET.search(text, max(0, t.start - 140), t.start)
    ]
    if not found:
        return None
    target = target_of(text, found[0].start)
    sentence = sentence_around(text, found[0].start)
    words = text[sentence[0] : found[0].start]
    subject = find_subject(words, 0, len(words))
    label = label_of(target) or (re.sub(r"^(?:maximum|minimum)\s+", "", subject.name.lower()) if subject else "")
    fields: dict[str, Value] = {"op": "replace_provision", "target": label, "kind": "maintenance"}
    unstated: set[str] = set()
    name_figure(words, fields, unstated)
    spans = {"level": (found[0].start, found[0].end)}
    if target is not None:
        spans["target"] = (target.start, target.end)
    marks = list(_NUMBERED.finditer(text))
    blank = re.compile(r"\b[A-Z][A-Z ]{2,30}:\s*By:\s*_{3,}").search(text)
    if blank:
        spans["signature"] = blank.span()
    doubts = {"review_unsigned_instrument"} if blank else set()
    if len(found) > 1 and len(marks) == len(found):
        fields["parts"] = [{"instrument": " ".join(m["no"].split()), "level": t.value} for m, t in zip(marks, found, strict=True)]
        for m, t in zip(marks, found, strict=True):
            spans["no" + re.sub(r"\D", "", m["no"])] = (sentence_around(text, t.start)[0], t.end)
        return finish(text, fields, spans, sentence, unstated=unstated, doubts={"review_conflict_same_effective_date"})
    if len(found) > 1:
        return None
    fields |= level_fields(found[0])
    return finish(text, fields, spans, sentence, unstated=unstated, doubts=doubts)
