"""Clauses with ratios in them that state and change nothing: drafts, grids, conditions of actions, other agreements, side letters."""

from __future__ import annotations

import itertools
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

__all__ = ["letter_named", "read_inoperative"]

_DRAFT = re.compile(
    r"\A\W*(?P<draft>(?:[A-Z][\w&]*\s+){0,3}?draft\b(?:\s*(?:\(\d+\)|no\.?\s*\d+|\d+))?\W{0,3}(?:\d{1,2}[./]\d{1,2}[./]\d{2,4})?)|\A[^.;\n]{0,60}?\b(?P<headed>Draft)\s+(?:of|dated|no\.?|v\.?)?\s*\d|\b(?P<this>this\s+(?:\w+\s+){0,2}is\s+(?:only\s+)?(?:an?|the)\s+(?:\w+\s+){0,2}draft)\b|\b(?P<marker>subject\s+to\s+(?:contract|documentation)|for\s+discussion\s+purposes\s+only|not\s+for\s+execution|term\s+sheet|heads\s+of\s+terms)\b",
    re.IGNORECASE,
)
_GRID = re.compile(
    r"\b(?P<what>(?:(?:Applicable|Interest|Relevant|Unused|Facility|Utili[sz]ation)\s+(?:Margin|Rate|Percentage|Commitment\s+Fee|Fee)s?|Margins?|Commitment\s+Fee(?:\s+Rate)?|Pricing(?!\s+Level)))\b(?:[^.;|\d]{0,20}\d+(?:\.\d+)?\s?(?:%|per\s?cent|percent))?",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\b(?:Level|Tier|Category|Step|Stage|Pricing\s+Level)\s+(?:[IVX]+|\d+|[A-H])\b[^.;\n]*(?:\.\d[^.;\n]*)*(?:%|per\s+cent|percent)?",
    re.IGNORECASE,
)
_PRICE = re.compile(r"\d(?:\.\d+)?\s*(?:%|per\s?cent|percent|basis\s+points|bps)", re.IGNORECASE)
_HOLDS = r"(?:covenants?|undertakings?|requirements?|obligations?|ratios?|tests?|provisions?|terms?)"
_OTHER = re.compile(
    rf"\b(?:(?:[Ff]inancial\s+)?{_HOLDS}\s+(?:(?:is|are|as)\s+)?(?:(?:set\s+(?:out|forth)|contained|imposed|given)\s+)?(?:of|in|under|by)|"
    r"(?:default|event\s+of\s+default|Event\s+of\s+Default|Default|Termination\s+Event)(?:,?\s+(?:however\s+described|as\s+defined\s+in\s+it)\s*,?)?\s+(?:(?:has\s+)?occur(?:s|red)\s+|arises\s+|exists\s+|is\s+continuing\s+)?(?:and\s+is\s+continuing\s+)?(?:under|in))"
    r"\s+(?:the\s+|any\s+|its\s+)?(?P<name>(?:[A-Z][\w'-]*\s+(?:(?:of|and)\s+)?){1,6}(?:Agreement|Indenture|Facility|Instrument|Deed|Documents?|Notes|Bonds|Lease))\b"
)
_OWN = re.compile(
    r"^(?:This|Credit|Facilities?|Loan|Existing\s+Credit|Finance|Loan)\s+(?:Agreement|Facility|Documents?)$", re.IGNORECASE
)
_DEFAULT = re.compile(
    r"\b(?:fails?|failure)\b[^.;]{0,60}?\bto\s+(?:comply|observe|perform|satisfy|meet|maintain)|\bdefaults?\s+(?:in|under)|\bbreach(?:es)?\s+(?:of\s+)?|\bin\s+(?:breach|default)\b|"
    r"\b(?:event\s+of\s+default|default|termination\s+event)\b[^.;]{0,60}?\b(?:occurs?|occurred|arises|exists|continuing)\b[^.;]{0,40}?\bunder\b|\b(?:is|are)\s+not\s+(?:observed|complied|met|satisfied|performed)\b|\bdoes\s+not\s+(?:comply|observe|perform|satisfy|meet)\b",
    re.IGNORECASE,
)
_IF = r"(?:if|so\s+long\s+as|provided\s+(?:that)?|as\s+long\s+as|where|only\s+(?:if|where|when)|subject\s+to|on\s+(?:the\s+)?condition\s+that)"
_ACTS = r"(?:incur|issue|make|pay|declare|create|assume|acquire|dispose|enter\s+into|prepay|designate|guarantee|sell|invest|consummate|redeem|repurchase)"
_DONE = r"(?:made|incurred|paid|declared|issued|assumed|created|drawn|prepaid|consummated|redeemed|repurchased|entered\s+into|established)"
_THINGS = r"(?:Debt|Indebtedness|Payments?|Dividends?|Distributions?|Investments?|Acquisitions?|Dispositions?|Disposals?|Liens?|Loans?|Facilit(?:y|ies)|Guarantees?|Prepayments?|Notes|Redemptions?)"
_MAY = re.compile(
    rf"\b[Nn]o\s+[A-Z][\w ]{{2,50}}?\s+(?:may|shall|will|can)\s+be\s+{_DONE}\b[^.;]{{0,80}}?\b(?:unless|except\s+(?:if|where))\b"
    rf"|\b(?:shall|will|may|must)\s+not\s+(?:\w+\s+){{0,3}}?{_ACTS}\b[^.;]{{0,160}}?\b(?:unless|except\s+(?:if|where)|other\s+than\s+(?:if|where))\b"
    rf"|\b(?:may|(?:shall|will)\s+be\s+(?:permitted|entitled|free)\s+to|(?:is|are)\s+(?:permitted|entitled|free)\s+to)\s+(?:\w+\s+){{0,3}}?{_ACTS}\b[^.;]{{0,160}}?\b{_IF}\b"
    rf"|\b(?:may|(?:shall|will)\s+be\s+permitted\s+to|(?:is|are)\s+permitted\s+to)\s+(?:also\s+|only\s+)?be\s+{_DONE}\b[^.;]{{0,120}}?\b{_IF}\b"
    rf"|\b(?:[A-Z][a-z]+\s+){{0,2}}{_THINGS}\b[^.;]{{0,120}}?(?:\b(?:is|are|shall\s+be)\s+permitted\b[^.;]{{0,40}}?)?\b{_IF}(?=\b[^;]{{0,160}}?\b(?:pro\s+forma|after\s+(?:giving\s+effect|its|the|such)))",
)
_EFFECT = re.compile(r"\bpro\s+forma\b|\bgiving\s+effect\b|\bimmediately\s+(?:after|before|following)\b|\bwould\b", re.IGNORECASE)
_LETTER = r"(?:(?:[A-Z][\w'-]*\s+(?:(?:and|of)\s+)?){0,5}(?:(?:Side|Fee)\s+(?:Letter|Deed|Agreement)|Letter\s+Agreement|Letter)|side\s+letter)"
_FORM = (
    r"(?:(?:the\s+)?(?:terms|provisions|conditions|contents)\s+(?:of|set\s+out\s+in|contained\s+in)\s+)?(?:the\s+|a\s+|that\s+)?"
)
_SUBJECT = re.compile(
    r"\b(?:(?:(?:is|are|shall\s+be|remains?|applies|apply|has\s+effect)\s+)?(?:to\s+be\s+)?(?:read\s+|always\s+|in\s+all\s+respects\s+)*[Ss]ubject\s+(?:always\s+|in\s+all\s+respects\s+|at\s+all\s+times\s+)?to|"
    r"(?:is|are|shall\s+be|must\s+be)\s+(?:to\s+be\s+)?(?:read|construed|interpreted)\s+(?:together|in\s+conjunction|alongside|as\s+one)?\s*(?:with)?|"
    r"(?:(?:is|are|has\s+been)\s+)?(?:as\s+)?(?:varied|modified|supplemented|qualified|adjusted|overridden|disapplied)\s+(?:in\s+(?:its|their)\s+entirety\s+|in\s+part\s+|from\s+time\s+to\s+time\s+)?by|"
    r"(?:is|are|shall\s+be)\s+(?:the\s+\w+\s+|those\s+|as\s+)?(?:set\s+(?:out|forth)|specified|agreed|stated|recorded)\s+in|in\s+accordance\s+with)"
    rf"\s+{_FORM}(?P<name>{_LETTER})\b"
    rf"|\b(?P<over>{_LETTER})\s+(?:shall\s+|will\s+)?(?:prevails?|controls?|governs?|overrides?|takes?\s+precedence)\b"
)
_NO_SIDE = re.compile(r"^(?:Amendment|Waiver|Consent|Commitment|This)\s+Letter", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:shall\s+|must\s+|to\s+|agree\s+to\s+)?(?:keep|be\s+kept|hold|held|treat(?:ed)?)\s+(?:(?:that|the|such|its|it|them)\s+)?(?:\w+\s+){0,2}?(?:as\s+)?(?:strictly\s+)?confidential\b|\b(?:is|are)\s+(?:strictly\s+)?confidential\b",
    re.IGNORECASE,
)
_BASKET = re.compile(rf"\b(?P<what>(?:[A-Z][\w-]*\s+){{0,3}}{_THINGS}(?:\s+{_THINGS})*)\b")


def read_inoperative(text: str) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return _draft(text) or _side_letter(text) or _other_agreement(text) or _grid(text) or _incurrence(text)


def _target(text: str) -> str:
    named = provisions(text)
    return named[0].number if named else ""


def _draft(text: str) -> PatternReading | None:
    spans: dict[str, tuple[int, int]] = {}
    for m in _DRAFT.finditer(text):
        name = "draft" if m["draft"] or m["this"] or m["headed"] else "marker"
        a, b = m.span("this" if m["this"] else "headed" if m["headed"] else name)
        spans.setdefault(name, (a, a + len(text[a:b].rstrip(" -:.\n"))))
    if not spans or min(a for a, _ in spans.values()) > 240:
        return None
    return PatternReading({"op": "none", "target": _target(text)}, spans, "none")


def letter_named(text: str) -> tuple[str, tuple[int, int]] | None:
    """The letter that a provision is subject to, and the words that say so; None where there is none."""
    for m in _SUBJECT.finditer(text):
        name = " ".join((m["name"] or m["over"]).split())
        if not _NO_SIDE.match(name):
            return re.sub(r"^(?:The|A)\s+", "", name), m.span()
    return None


def _side_letter(text: str) -> PatternReading | None:
    found = letter_named(text)
    if found is None or find_ratios(text):
        return None  # a level stands beside it: a statement, with a doubt
    spans = {"subject_to": found[1]}
    secret = _SECRET.search(text)
    if secret:
        spans["confidentiality"] = secret.span()
    fields: dict[str, Value] = {"op": "none", "target": _target(text), "subject_to": found[0]}
    return PatternReading(fields, spans, "on_closing", doubts=("review_side_letter_not_in_pack",))


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
    prices = len(_PRICE.findall(text))
    if m is None or prices < 2 or (len(steps) < 2 and len(find_ratios(text)) < 2):
        return None
    spans = {"marker": m.span()}
    if steps:
        spans["grid"] = steps[-1].span()
    return PatternReading({"op": "none", "target": " ".join(m["what"].split()), "kind": "pricing"}, spans, "on_closing")


def _incurrence(text: str) -> PatternReading | None:
    for m in itertools.islice(_MAY.finditer(text), _MOST):
        start, end = sentence_around(text, m.start())
        end = min(end, m.end() + _REACH)
        told = compared(text, m.end(), end)
        if _ALLOWED.search(text, start, m.end()):
            continue  # a consent, whose condition is no basket
        if told is None or _EFFECT.search(text, m.start(), end) is None:
            continue
        fields: dict[str, Value] = {
            "op": "none",
            "target": _permitted(text, m),
            "kind": "incurrence",
            "metric": metric_named(told.subject),
            "comparator": told.comparator,
            **level_fields(told.limit),
        }
        spans = {"marker": (m.start(), m.end()), "level": (told.limit.start, told.limit.end), "comparator": told.at}
        return PatternReading(fields, spans, "on_closing")
    return None


_MOST, _REACH = 12, 1200  # a basket's condition stands near what it permits
_ALLOWED = re.compile(r"\b(?:consents?|approves?|approval|waives?|agrees?)\b", re.IGNORECASE)
_OPENS = re.compile(r"\A\s*(?P<number>\d{1,2}(?:\.\d{1,3})+[A-Z]?(?:\([a-z0-9]{1,4}\))*)\s*[.:]?\s")
_LIMB = re.compile(r"(?:^|[\s;:,.])(?P<letter>\([a-z]{1,4}\))\s")


def _permitted(text: str, m: re.Match[str]) -> str:
    """The provision that permits it, with its limb; or what is permitted."""
    opens = _OPENS.match(text)
    number = _target(text[: m.start()]) or (opens["number"] if opens else "")
    limbs = [x["letter"] for x in _LIMB.finditer(text, 0, m.end())]
    if number:
        return number + (limbs[-1] if limbs and not number.endswith(limbs[-1]) else "")
    start = sentence_around(text, m.start())[0]
    what = _BASKET.search(text, m.start(), m.end()) or _BASKET.search(text, start, m.end())
    return f"{what['what'].lower()} basket" if what else "permitted action"
