"""Clauses that leave the text as it is, as data: waivers and consents here; suspensions, elections and cures in their own files."""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.pattern_cure import read_cure
from conformed.language.pattern_election import read_election
from conformed.language.pattern_suspension import read_suspension
from conformed.language.pattern_words import Ask, PatternReading, Value, compared, metric_named, provisions, sentence_around

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
    r"\b(?:The\s+|Each\s+)?(?:(?:Required|Majority|All)\s+)?(?:Lenders?|Agent)?\s*(?:party\s+hereto\s+)?(?:hereby\s+)?(?:(?<=Lenders\s)permit\s+(?=(?:the|a|an|such|that)\s)|(?<=Lenders\shereby\s)permit\s+(?=(?:the|a|an|such|that)\s)|consents?\s+(?:under\s+(?:[^.;,]|\.\d){3,60}?\s+)?to|(?:agrees?\s+to|approves?)\s+(?=(?:the|a|an|such|that)\s))\s*(?P<what>[^.,;]{3,140}?)(?=\s+(?:notwithstanding|despite|under|for\s+(?:the\s+)?purposes|on\s+(?:the\s+)?condition|so\s+long\s+as|provided|subject\s+to)|[.,;]|$)"
    r"|\b(?:[Cc]onsent|[Aa]pproval)\s+(?:is|shall\s+be)\s+(?:hereby\s+)?(?:given|granted)\s+(?:(?:[^.;]|\.\d){0,60}?\s)?(?:to|for)\s+(?P<thing>(?:the|a|an|such|that)\s[^.,;]{3,100}?)(?=\s+(?:notwithstanding|despite|under|for\s+(?:the\s+)?purposes|on\s+(?:the\s+)?condition|so\s+long\s+as|provided|subject\s+to|if)|[.,;]|$)"
    r"|\b(?P<done>(?:[Tt]he|[Aa]ny|[Ss]uch)\s+[A-Z][\w ]{2,60}?)\s+(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:consented\s+to|approved)\b",
    re.IGNORECASE,
)
_OBLIGOR = re.compile(r"\b(?:Borrowers?|Company|Parent|Obligors?|Guarantors?|Holdings)\s*,?\s*(?:hereby\s+)?\S?$", re.IGNORECASE)
_GIVEN = re.compile(
    r"\b(?:so\s+long\s+as|provided\s+that|on\s+(?:the\s+)?condition\s+that|if|subject\s+to|conditional\s+(?:up)?on|only\s+(?:if|where))\b",
    re.IGNORECASE,
)


def read_right(text: str, ask: Ask) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return read_cure(text) or read_election(text, ask) or read_suspension(text) or _consent(text) or _waiver(text)


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
    later = find_dates(text, m.end(), end)
    if scope and later:
        spans["scope"] = (scope[0].start(), later[-1].end)
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
    if m is None or not (m["what"] or m["thing"] or m["done"]).strip():
        return None
    start, _ = sentence_around(text, m.start())
    if _OBLIGOR.search(text, start, m.start() + 1):
        return None  # what a borrower agrees to is a promise of its own
    named = provisions(text, m.end()) or provisions(text)
    spans = {"op": m.span()}
    if named:
        spans["target"] = (named[0].start, named[0].end)
    fields: dict[str, Value] = {"op": "give_consent", "target": named[0].number if named else ""}
    given = _GIVEN.search(text, start, m.start())
    told = compared(text, m.end(), len(text)) or (compared(text, given.start(), m.start()) if given else None)
    if told is not None:
        fields["condition"] = {
            "metric": metric_named(told.subject),
            "comparator": told.comparator,
            "level": told.limit.value,
            "tested": "at_transaction",
        }
        at = told.at[0]
        before = re.search(r"\b(?:does|is|shall|will|would)\s+$", text[max(0, at - 8) : at])
        spans["condition"] = (at - len(before[0]) if before else at, told.limit.end)
    return PatternReading(fields, spans, "on_signing")
