"""A clause that sets a level without new text ("the ratio in Section 6.08 becomes 4.00 to 1.00"), as data."""

from __future__ import annotations

import re

from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_instruction import clash, finish, instruments, label_of, name_figure, target_of
from conformed.language.pattern_words import (
    PatternReading,
    Value,
    compared,
    level_fields,
    masked,
    metric_named,
    sentence_around,
)
from conformed.language.subjects import find_subject

__all__ = ["level_tokens", "read_level"]

_ADVERB = r"(?:(?:then|now|thereafter|thereupon|accordingly|instead|henceforth|thenceforth|hereby|hereafter|therefore)\s+)?"
_MOVED = (
    r"(?:(?:re)?set|increased|reduced|raised|lowered|changed|amended|adjusted|altered|varied|revised|modified|fixed|decreased)"
)
_MOVING = r"(?:(?:re)?(?:setting|sets)|increas(?:ing|es?(?:\s+of)?)|reduc(?:ing|es|tion\s+of)|rais(?:ing|es)|lower(?:ing|s)|chang(?:ing|es?(?:\s+of)?)|amend(?:ing|s)|adjust(?:ing|s)|alter(?:ing|s)|var(?:ying|ies)|revis(?:ing|es)|decreas(?:ing|es?(?:\s+of)?))"
_FEW = r"(?:[^.;()\"]|\.\d|\(\w{1,3}\)){0,100}?"
_OF = r"(?:(?:a|the)\s+)?(?:(?:new|maximum|minimum|revised)\s+)?(?:(?:ratio|level|figure|maximum|multiple|limit)\s+(?:of\s+)?)?"
_SET = re.compile(
    rf"\b(?:becomes?"
    rf"|(?:shall|will|must|is\s+to|are\s+to|to)\s+{_ADVERB}be(?:come)?(?:\s+(?:hereby\s+)?{_MOVED}(?:\s+from\s+\S+(?:\s+to\s+1(?:\.0+)?)?)?\s+(?:at|to(?:\s+be)?|as))?"
    rf"|is(?:\s+(?:then|now|thereafter|thereupon|accordingly|instead|hereby|permanently))?(?:\s+{_MOVED}(?:\s+from\s+\S+(?:\s+to\s+1(?:\.0+)?)?)?\s+(?:at|to(?:\s+(?:be|read))?|as))?"
    rf"|(?:rais|increas|reduc|lower|chang)(?:ing|ed|es|e|s)\s+from\s+\S+(?:\s+to\s+1(?:\.0+)?)?\s+to"
    rf"|{_MOVING}\s+{_FEW}\b(?:to|at)"
    rf"|(?:replac(?:ing|es?)|substitut(?:ing|es?))\s+{_FEW}\b(?:with|by)"
    rf"|(?:is|are|be)\s+(?:hereby\s+)?(?:deleted\s+and\s+)?(?:replaced|substituted)\s+(?:with|by)"
    rf"|as\s+(?:if|though)\b[^.;]{{0,140}}?\bhad\s+(?:always\s+)?been"
    rf"|(?:taken|deemed|treated|regarded)\s+(?:as|to)\s+(?:have\s+been|having\s+been|be|being)|(?:provid\w+\s+for|with|permit\w*|allow\w*|requir\w+|specif\w+)\s+an?\s+(?:\w+\s+){{0,4}}of)\s+{_OF}$",
    re.IGNORECASE,
)
_PUT_AFTER = re.compile(
    r"\s+(?:shall|will|is\s+to)\s+(?:be\s+substituted\s+for|replace)\s+the\s+(?:\w+\s+){0,2}(?:ratio|level|figure|limit)\b|\s+(?:(?:is|are|shall\s+be)\s+)?(?:hereby\s+)?(?:inserted|substituted|put)\s+(?:in\s+(?:its|their)\s+(?:place|stead)|in\s+(?:lieu|place)\s+(?:thereof|of\s+it)|therefor|instead)",
    re.IGNORECASE,
)
_TAKEN_BEFORE = re.compile(
    r"\b(?:ratio|level|figure|limit|maximum)\b[^.;]{0,60}\b(?:deleted|removed|struck|omitted)\b", re.IGNORECASE
)
_REPLACES = re.compile(r"\s+(?:shall|will|is\s+to)\s+(?:be\s+substituted\s+for|replace)\s+the\b", re.IGNORECASE)
_INSERTING = re.compile(
    rf"\b(?:delet|remov|strik|omitt)ing\s+(?:out\s+)?the\s+(?:\w+\s+){{0,2}}(?:ratio|level|figure|limit|maximum)\b[^.;\"]{{0,60}}\b(?:insert|substitut|putt)ing\s+(?:(?:in\s+(?:its|their)\s+(?:place|stead)|in\s+(?:lieu|place)\s+(?:thereof|of\s+it)|therefor|instead)\s*,?\s+)?{_OF}$",
    re.IGNORECASE,
)
_FOR_IT = re.compile(
    r"\s+(?:for|in\s+(?:place|lieu)\s+of)\s+the\s+(?:\w+\s+){0,2}(?:ratio|level|figure|limit|maximum|multiple)\b(?!\s+(?:of\s+)?\d)",
    re.IGNORECASE,
)
_SUBSTITUTING = re.compile(rf"\b(?:substitut\w+|insert\w+)\s+(?:of\s+)?{_OF}$", re.IGNORECASE)
_PROVIDES = re.compile(
    r"\b(?:amended|modified|changed|varied|revised|altered)\b[^.;]{0,30}?\b(?:so\s+that|such\s+that|so\s+as\s+to\s+provide\s+that|to\s+(?:provide|require|state)\s+that)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:amend\w*|chang\w+|modif\w+|in\s+place\s+of|instead\s+of|replac\w+|step\w*|becomes?|(?:re)?set\s+(?:at|to)|(?:re)?setting|rais\w+|increas\w+|reduc\w+|lower\w+|(?:shall|will)\s+(?:\w+\s+)?be|is\s+then|substitut\w+|vari(?:ed|ation)|deleted|removed|struck|omitted|constru\w+|var(?:y|ying)|revis\w+|alter\w*|inserted|had\s+been"
    r"|(?:with\s+effect|effective|as)\s+(?:on\s+and\s+)?(?:from|as\s+of|on)|from\s+and\s+(?:including|after)|(?:shall|will)\s+have\s+effect\s+with|from\s+that\s+(?:date|day|time)|upon\s+such)\b",
    re.IGNORECASE,
)
_BLANK = re.compile(
    r"\b(?:(?:[A-Z][A-Z ]{2,30}:\s*|(?:SIGNED|EXECUTED|Signed|Executed)\b[^_.:;]{0,80}?:?\s)(?:By|Signature|Signed|Name)\s*:?|(?:SIGNED|EXECUTED|Signed|Executed)\b[^_.:;]{0,80}?:)\s*(?:_{3,}|\.{4,}|\[\s*(?:not\s+(?:yet\s+)?signed|blank|unsigned|signature)\s*\])"
)


def level_tokens(text: str) -> list[LimitToken]:
    """The levels that a clause sets, each by words right before or right after it."""
    plain = masked(text)
    found = []
    for token in find_limits(plain, 0, len(plain), "ratio"):
        start = sentence_around(text, token.start)[0]
        if text.count('"', start, token.start) % 2 == 1:
            continue
        if _CHANGES.search(text, start, token.start) is None and _REPLACES.match(text, token.end) is None:
            continue
        before = text[max(start, token.start - 200) : token.start]
        instead = _SUBSTITUTING.search(before) and _FOR_IT.match(text, token.end)
        instead = instead or _INSERTING.search(before)
        behind = _REPLACES.match(text, token.end) or (_PUT_AFTER.match(text, token.end) and _TAKEN_BEFORE.search(before))
        if _SET.search(before) or instead or behind or _provided(text, start, token) is not None:
            found.append(token)
    return found


def _provided(text: str, start: int, token: LimitToken) -> tuple[str, str | None] | None:
    """Comparison and figure, where a section is changed "so that the ratio shall not exceed 4.10 to 1.00"."""
    opened = _PROVIDES.search(text, start, token.start)
    told = compared(text, opened.end(), token.end) if opened else None
    if told is None or (told.limit.start, told.limit.end) != (token.start, token.end):
        return None
    metric = metric_named(told.subject) if told.subject is not None and told.subject.name != "Ratio" else None
    return told.comparator, metric


def read_level(text: str) -> PatternReading | None:
    """The level that a clause sets, or the levels that several instruments set; None where it sets none."""
    found = level_tokens(text)
    if not found:
        return None
    first = found[0]
    target = target_of(text, first.start)
    sentence = sentence_around(text, first.start)
    words = text[sentence[0] : first.start]
    subject = find_subject(words, 0, len(words))
    label = label_of(target) or (re.sub(r"^(?:maximum|minimum)\s+", "", subject.name.lower()) if subject else "")
    fields: dict[str, Value] = {"op": "replace_provision", "target": label, "kind": "maintenance"}
    unstated: set[str] = set()
    name_figure(words, fields, unstated)
    provided = _provided(text, sentence[0], first)
    if provided is not None:
        fields |= {"comparator": provided[0], "metric": provided[1] or fields["metric"]}
        unstated -= {k for k in ("metric", "comparator") if fields[k] is not None}
    spans = {"level": (first.start, first.end)}
    if target is not None:
        spans["target"] = (target.start, target.end)
    blank = _BLANK.search(text)
    if blank:
        spans["signature"] = blank.span()
    doubts = {"review_unsigned_instrument"} if blank else set()
    if len(found) > 1:
        named = instruments(text, [t.start for t in found])
        if not named:
            return None
        fields["parts"] = [{"instrument": name, "level": t.value} for name, t in zip(named, found, strict=True)]
        for name, t in zip(named, found, strict=True):
            spans[name] = (max(sentence_around(text, t.start)[0], text.rfind(", ", 0, t.start) + 2), t.end)
        doubts.add(clash(text, [t.start for t in found]))
        return finish(text, fields, spans, sentence, unstated=unstated, doubts=doubts)
    fields |= level_fields(first)
    return finish(text, fields, spans, sentence, unstated=unstated, doubts=doubts)
