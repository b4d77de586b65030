"""Clauses that leave the text as it is, as data: waivers, consents, suspensions, elected increases, equity cures."""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.pattern_cure import read_cure
from conformed.language.pattern_words import (
    EFFECTIVE,
    Ask,
    PatternReading,
    Value,
    compared,
    count_of,
    metric_named,
    provisions,
    quarter_ends,
    sentence_around,
)

__all__ = ["read_right"]

_WAIVE = re.compile(
    r"\bwaives?\b\s+(?:(?:any|the|each|every|such)\s+)*(?P<what>(?:Events?\s+of\s+Default|Defaults?|breach|failure|non-?compliance|compliance|requirements?)\b)?"
    r"|\b(?:compliance|requirements?|breach|failure|Defaults?)\b(?:[^.;]|\.\d){0,120}?\b(?:is|are)\s+(?:hereby\s+)?waived\b",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"\b(?:for|in\s+respect\s+of|as\s+(?:at|of)|on)\s+the\s+(?:(?:fiscal|financial|test)\s+)?(?:quarters?|periods?|Relevant\s+Periods?|Quarter\s+Dates?|Test\s+Dates?)\s*(?:that\s+)?(?:ended|ending|expiring|falling\s+on)?\b|\b(?:as\s+(?:at|of)|on)\s+(?=\d{1,2}\s|[A-Z])",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:is|are|does|shall|constitute)\s+(?:not|limited)\b[^.;]{0,80}?\b(?:amend\w*|any\s+(?:other\s+)?provision)\b[^.;]*",
    re.IGNORECASE,
)
_CEILING = re.compile(r"\b(?:so\s+long\s+as|provided\s+that|on\s+(?:the\s+)?condition\s+that|if)\b", re.IGNORECASE)
_CONSENT = re.compile(
    r"\b(?:The\s+|Each\s+)?(?:(?:Required|Majority|All)\s+)?(?:Lenders?|Agent)?\s*(?:party\s+hereto\s+)?(?:hereby\s+)?(?:consents?\s+to|agrees?\s+to\s+(?=(?:the|a|an|such)\s))\s*(?P<what>[^.,;]{3,140}?)(?=\s+(?:notwithstanding|despite|under|for\s+(?:the\s+)?purposes)|[.,;])",
    re.IGNORECASE,
)
_SUSPEND = re.compile(
    r"\b(?:shall|will|need)\s+not\s+(?:be\s+(?:tested|measured|applied|required)|apply)\b|\bno\s+test(?:ing)?\s+(?:of\s+[^.;]{0,60}?\s+)?(?:shall|will)\s+be\s+(?:made|carried\s+out|required)\b|\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?suspended\b|\bis\s+not\s+(?:to\s+be\s+)?tested\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\"(?P<name>[^\"]{3,60})\"\s+(?:means|shall\s+mean)\s+(?:the\s+)?(?:period|time)\s+(?:from|beginning|commencing|starting)\b(?P<body>[^;]*?)(?=\.\s|\.$|$)",
    re.IGNORECASE | re.DOTALL,
)
_EARLY = re.compile(r"\b(?:the\s+)?(?:earlier|earliest|first)\s+(?:to\s+occur\s+)?of\b", re.IGNORECASE)
_DELTA = re.compile(
    r"\b(?:increased?|raised?|step(?:ped|s)?\s+up|go(?:es)?\s+up|rises?)\s+by\s+(?P<figure>\d+\.\d+|\d+)(?:x|\s*(?:to|:)\s*1(?:\.0+)?)?",
    re.IGNORECASE,
)
_CAP = re.compile(
    r"\b(?:never|not)\s+(?:to\s+(?:be\s+)?)?(?:above|exceed(?:ing)?|more\s+than|greater\s+than|higher\s+than)\s+|\b(?:subject\s+to\s+)?(?:a\s+)?(?:maximum|ceiling|cap)\s+of\s+",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(?:for\s+)?(?P<start>the\s+(?:fiscal|financial)\s+quarter\s+in\s+which\b[^.;,]{0,80}?)\s+and\s+(?:for\s+)?(?:each\s+of\s+)?the\s+"
    r"(?:(?:next|following|immediately\s+following|succeeding)\s+(?P<count>\w+)\s+(?:(?:consecutive|full|successive)\s+)?(?:fiscal|financial)\s+quarters"
    r"|(?P<other>\w+)\s+(?:(?:consecutive|full|successive|immediately|next|following|succeeding)\s+)+(?:fiscal|financial)\s+quarters)",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"\bby\s+(?:written\s+)?notice\b[^.;]{0,60}?\b(?:within|not\s+(?:later|more)\s+than)\s+(?P<days>\w+)\s+(?P<business>Business\s+)?days\s+(?:after|of|following)\s+[^,.;]*",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"\b(?:until|unless|before)\s+(?:at\s+least\s+)?(?P<count>\w+)\s+(?:(?:full|complete|consecutive)\s+)*(?:fiscal|financial)\s+quarters?\s+(?:have|has)?\s*(?:passed|elapsed|ended|been\s+completed)",
    re.IGNORECASE,
)


def read_right(text: str, ask: Ask) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return read_cure(text) or _election(text, ask) or _suspension(text) or _consent(text) or _waiver(text)


def _waiver(text: str) -> PatternReading | None:
    m = _WAIVE.search(text)
    if m is None:
        return None
    start, end = sentence_around(text, m.start())
    named = provisions(text, m.start(), end) or provisions(text)
    days: list[Value] = [t.date for t in find_dates(text, start, end)]
    spans = {"op": (m.start(), m.end())}
    if named:
        spans["target"] = (named[0].start, named[0].end)
    scope = list(_SCOPE.finditer(text, m.end(), end))
    if scope and days:
        spans["scope"] = (scope[0].start(), find_dates(text, m.end(), end)[-1].end)
    limit = _LIMIT.search(text)
    if limit:
        spans["limit"] = limit.span()
    ceiling: Value = None
    condition = _CEILING.search(text, m.end())
    if condition:
        told = compared(text, condition.end(), sentence_around(text, condition.end())[1])
        ceiling = told.limit.value if told else None
        if told:
            spans["ceiling"] = (told.at[0], told.limit.end)
    doubts = () if days else ("review_effective_date_ambiguous",)
    return PatternReading(
        {"op": "waive_test", "target": named[0].number if named else "", "test_dates": days, "ceiling": ceiling},
        spans,
        "on_signing",
        doubts=doubts,
    )


def _consent(text: str) -> PatternReading | None:
    m = _CONSENT.search(text)
    if m is None or not m["what"].strip():
        return None
    named = provisions(text, m.end()) or provisions(text)
    spans = {"op": m.span()}
    if named:
        spans["target"] = (named[0].start, named[0].end)
    fields: dict[str, Value] = {"op": "give_consent", "target": named[0].number if named else ""}
    told = compared(text, m.end(), len(text))
    if told is not None:
        fields["condition"] = {
            "metric": metric_named(told.subject),
            "comparator": told.comparator,
            "level": told.limit.value,
            "tested": "at_transaction",
        }
        start = told.at[0]
        before = re.search(r"\b(?:does|is|shall|will|would)\s+$", text[max(0, start - 8) : start])
        spans["condition"] = (start - len(before[0]) if before else start, told.limit.end)
    return PatternReading(fields, spans, "on_signing")


def _suspension(text: str) -> PatternReading | None:
    m = _SUSPEND.search(text)
    if m is None:
        return None
    named = list(provisions(text, 0, m.start())) or provisions(text)
    start, end = sentence_around(text, m.start())
    fields: dict[str, Value] = {"op": "suspend_testing", "target": named[0].number if named else "", "from": None, "to": None}
    spans = {"op": (m.start(), end)}
    if named:
        spans["target"] = (named[0].start, named[0].end)
    period = next((p for p in _PERIOD.finditer(text) if p["name"] in text[start:end]), None)
    a, b = period.span("body") if period else (m.end(), end)
    mode, doubts = "on_signing", set()
    if period is not None and re.search(r"\bEffective\s+Date\b", text[a:b]):
        mode = "on_cp"
    dates = find_dates(text, a, b)
    if len(dates) == 1:
        fields |= {"from": EFFECTIVE, "to": dates[0].date}
    elif len(dates) == 2 and period is not None:
        fields |= {"from": dates[0].date, "to": dates[1].date}
    elif dates:
        fields["windows"] = [t.date for t in dates]
    else:
        doubts.add("review_suspension_end_unclear")
    early = _EARLY.search(text, a, b)
    if early:
        spans["end"] = (early.start(), _limbs_end(text, early.end(), b))
        fields["ends_early_on"] = _early(text[early.end() : b])
    return PatternReading(fields, spans, mode, doubts=tuple(sorted(doubts)))


def _limbs_end(text: str, start: int, end: int) -> int:
    stop = text.find(" that it ", start, end)
    return stop if stop > 0 else end


def _early(words: str) -> str | None:
    who = (
        "borrower"
        if re.search(r"\b(?:Borrower|Company|Parent|Obligors?'?)\b", words)
        else "agent"
        if re.search(r"\bAgent\b", words)
        else ""
    )
    what = (
        "notice"
        if re.search(r"\bnotif\w+|\bnotice\b", words, re.IGNORECASE)
        else "election"
        if re.search(r"\belect", words, re.IGNORECASE)
        else "event"
    )
    return f"{who}_{what}" if who else what


def _election(text: str, ask: Ask) -> PatternReading | None:
    delta = _DELTA.search(text)
    if delta is None or not re.search(r"\belect\w*|\bnotice\b|\boption\b", text, re.IGNORECASE):
        return None
    from fractions import Fraction

    fields: dict[str, Value] = {"op": "elect_increase", "target": "maximum ratio", "delta": Fraction(delta["figure"])}
    named = provisions(text, 0, delta.start())
    if named:
        fields["target"] = named[-1].number
    start = re.search(r"\b(?:shall|will|may)\s+be\s+$|\bis\s+$", text[max(0, delta.start() - 12) : delta.start()])
    spans = {"delta": (delta.start() - len(start[0]) if start else delta.start(), delta.end())}
    cap = next(
        (
            m
            for m in _CAP.finditer(text)
            if (found := find_limits(text, m.end(), m.end() + 30, "ratio")) and found[0].start - m.end() < 3
        ),
        None,
    )
    if cap is not None:
        token = find_limits(text, cap.end(), cap.end() + 30, "ratio")[0]
        fields["cap"] = token.value
        spans["cap"] = (cap.start(), token.end)
    unstated: set[str] = set()
    window = _NEXT.search(text)
    count = count_of(window["count"] or window["other"]) if window else None
    if window and count is not None:
        spans["window"] = (window.start("start"), window.end())
        if ask.effective is not None and ask.test_date is not None:
            fields["windows"] = [*quarter_ends(ask.effective, count + 1, ask.test_date)]
        else:
            unstated.add("windows")
    notice, gap = _NOTICE.search(text), _GAP.search(text)
    if notice:
        fields["notice_days"] = count_of(notice["days"])
        spans["notice"] = notice.span()
    if gap:
        fields["gap_quarters"] = count_of(gap["count"])
        spans["gap"] = gap.span()
    return PatternReading(fields, spans, "on_event", frozenset(unstated), () if window else ("review_election_evidence_missing",))
