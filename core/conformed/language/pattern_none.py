"""Clauses with ratios in them that state and change nothing: drafts, grids, conditions of actions, other agreements, side letters."""

from __future__ import annotations

import re

from conformed.language.pattern_words import (
    PatternReading,
    Value,
    compared,
    level_fields,
    metric_named,
    provisions,
    sentence_around,
)
from conformed.language.ratios import find_ratios

__all__ = ["read_inoperative"]

_DRAFT = re.compile(
    r"\A\W*(?P<draft>(?:[A-Z][\w&]*\s+){0,3}?draft\b(?:\s*(?:\(\d+\)|no\.?\s*\d+|\d+))?\W{0,3}(?:\d{1,2}[./]\d{1,2}[./]\d{2,4})?)|\b(?P<marker>subject\s+to\s+(?:contract|documentation)|for\s+discussion\s+purposes\s+only|not\s+for\s+execution|term\s+sheet|heads\s+of\s+terms)\b",
    re.IGNORECASE,
)
_GRID = re.compile(
    r"\b(?P<what>(?:Applicable\s+(?:Margin|Rate|Percentage|Commitment\s+Fee|Fee)|Margin|Commitment\s+Fee(?:\s+Rate)?))\b(?:[^.;|\d]{0,20}\d+(?:\.\d+)?\s?(?:%|per\s?cent|percent))?",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\b(?:Level|Tier|Category|Pricing\s+Level)\s+(?:[IVX]+|\d+)\b[^.;]*(?:\.\d[^.;]*)*(?:%|per\s+cent|percent)?", re.IGNORECASE
)
_OTHER = re.compile(
    r"\b(?:(?:financial\s+)?(?:covenants?|undertakings?|requirements?|obligations?)\s+(?:set\s+out\s+)?(?:of|in|under|contained\s+in)|(?:default|event\s+of\s+default)\s+(?:occurs\s+|arises\s+)?(?:under|in))\s+(?:the\s+|any\s+)?"
    r"(?P<name>(?:[A-Z][\w'-]*\s+){1,5}(?:Agreement|Indenture|Facility|Instrument|Deed|Documents?))\b"
)
_OWN = re.compile(r"^(?:This|Credit|Facilities?|Loan|Existing\s+Credit)\s+(?:Agreement|Facility|Documents?)$", re.IGNORECASE)
_DEFAULT = re.compile(
    r"\b(?:fails?|failure)\s+to\s+(?:comply|observe|perform|satisfy)|\bdefaults?\s+(?:in|under)|\bbreach(?:es)?\s+(?:of\s+)?|\bin\s+breach\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b[Nn]o\s+[A-Z][\w ]{2,50}?\s+may\s+be\s+(?:made|incurred|paid|declared|issued)\b[^.;]{0,80}?\bunless\b|\b(?:may|shall\s+be\s+(?:permitted|entitled)\s+to|is\s+(?:permitted|entitled)\s+to)\s+(?:\w+\s+){0,3}?(?:incur|issue|make|pay|declare|create|assume|acquire|dispose|enter\s+into|prepay|designate)\b[^.;]{0,160}?\b(?:if|so\s+long\s+as|provided\s+(?:that)?|as\s+long\s+as|where)\b",
    re.IGNORECASE,
)
_EFFECT = re.compile(r"\bpro\s+forma\b|\bgiving\s+effect\b|\bimmediately\s+(?:after|before)\b|\bwould\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\b(?:(?:is|are|shall\s+be)\s+(?:to\s+be\s+)?(?:read\s+)?subject\s+to|is\s+to\s+be\s+read\s+(?:together\s+)?with)\s+(?:the\s+)?(?:terms\s+(?:of|set\s+out\s+in)\s+)?(?:the\s+|a\s+)?(?P<name>(?:[A-Z][\w'-]*\s+){0,4}(?:Side|Fee)\s+Letter)\b"
    r"|\bas\s+(?:varied|modified|supplemented)\s+by\s+(?:the\s+)?(?P<other>(?:[A-Z][\w'-]*\s+){0,4}Side\s+Letter)\b"
)
_SECRET = re.compile(
    r"\b(?:shall\s+|must\s+|to\s+)?(?:keep|be\s+kept|hold|treat(?:ed)?\s+as)\s+(?:strictly\s+)?confidential\b", re.IGNORECASE
)
_BASKET = re.compile(
    r"\b(?P<what>(?:[A-Z][a-z]+\s+)?(?:Debt|Indebtedness|Payments?|Dividends?|Distributions?|Investments?|Acquisitions?|Liens?))\b"
)


def read_inoperative(text: str) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return _draft(text) or _side_letter(text) or _other_agreement(text) or _grid(text) or _incurrence(text)


def _target(text: str) -> str:
    named = provisions(text)
    return named[0].number if named else ""


def _draft(text: str) -> PatternReading | None:
    spans: dict[str, tuple[int, int]] = {}
    for m in _DRAFT.finditer(text):
        name = "draft" if m["draft"] else "marker"
        a, b = m.span(name)
        spans.setdefault(name, (a, a + len(text[a:b].rstrip(" -:.\n"))))
    if not spans or min(a for a, _ in spans.values()) > 240:
        return None
    return PatternReading({"op": "none", "target": _target(text)}, spans, "none")


def _side_letter(text: str) -> PatternReading | None:
    m = _SUBJECT.search(text)
    if m is None:
        return None
    spans = {"subject_to": m.span()}
    secret = _SECRET.search(text)
    if secret:
        spans["confidentiality"] = secret.span()
    return PatternReading(
        {"op": "none", "target": _target(text), "subject_to": " ".join((m["name"] or m["other"]).split())},
        spans,
        "on_closing",
        doubts=("review_side_letter_not_in_pack",),
    )


def _other_agreement(text: str) -> PatternReading | None:
    if _DEFAULT.search(text) is None:
        return None
    for m in _OTHER.finditer(text):
        if _OWN.match(" ".join(m["name"].split())):
            continue
        told = compared(text, m.end(), len(text))
        spans = {"marker": m.span()}
        fields: dict[str, Value] = {"op": "none", "target": "cross-default", "kind": "other_agreement"}
        if told is not None:
            subject = told.subject
            metric = metric_named(subject)
            if (
                told.limit.form == "times"
                and subject is not None
                and not (metric or "").endswith("leverage")
                and re.search(r"debt|indebtedness|borrowings", subject.name, re.IGNORECASE)
            ):
                metric = metric_named(type(subject)(subject.start, subject.end, subject.name, subject.name, "EBITDA"))
            fields |= {"metric": metric, "comparator": told.comparator, **level_fields(told.limit)}
            spans |= {"level": (told.limit.start, told.limit.end), "comparator": told.at}
        return PatternReading(fields, spans, "none")
    return None


def _grid(text: str) -> PatternReading | None:
    m = _GRID.search(text)
    steps = list(_STEP.finditer(text))
    prices = len(re.findall(r"\d(?:\.\d+)?\s*(?:%|per\s?cent|percent|basis\s+points|bps)", text))
    if m is None or prices < 2 or (len(steps) < 2 and len(find_ratios(text)) < 2):
        return None
    spans = {"marker": m.span()}
    if steps:
        spans["grid"] = steps[-1].span()
    return PatternReading({"op": "none", "target": " ".join(m["what"].split()), "kind": "pricing"}, spans, "on_closing")


def _incurrence(text: str) -> PatternReading | None:
    m = _MAY.search(text)
    if m is None:
        return None
    start, end = sentence_around(text, m.start())
    told = compared(text, m.end(), end)
    if told is None or _EFFECT.search(text, m.start(), end) is None:
        return None
    what = _BASKET.search(text, m.start(), m.end())
    number = _target(text[start : m.start()])
    target = number or (f"{what['what'].lower()} basket" if what else "permitted action")
    fields: dict[str, Value] = {
        "op": "none",
        "target": target,
        "kind": "incurrence",
        "metric": metric_named(told.subject),
        "comparator": told.comparator,
        **level_fields(told.limit),
    }
    spans = {"marker": (m.start(), m.end()), "level": (told.limit.start, told.limit.end), "comparator": told.at}
    return PatternReading(fields, spans, "on_closing")
