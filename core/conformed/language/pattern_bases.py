"""Clauses that change how a ratio is worked out, as data: definitions, frozen accounting, a change of currency."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.dates import find_dates
from conformed.language.pattern_effect import read_effect
from conformed.language.pattern_words import PatternReading, Value, count_of, sentence_around

__all__ = ["read_basis"]

_RESULT = frozenset({"result", "result.metric", "result.comparator", "result.level"})
_DEFINITION = re.compile(r"\b(?:the\s+)?definition\s+of\s+(?:the\s+term\s+)?\"(?P<term>[^\"]{2,90})\"", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:amended|replaced|restated|modified|deleted)|\bamended\b", re.IGNORECASE
)
_HORIZON = re.compile(
    r"\bwithin\s+(?:the\s+)?(?:next\s+)?(?P<count>\w+(?:[\s-]\w+)?)\s*(?:\(\d+\)\s*)?months?\b(?:\s+(?:of|after|following)\s+[^,.;\"]{0,60})?",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?P<how>not\s+(?:to\s+)?(?:exceed(?:ing)?|above|more\s+than|in\s+excess\s+of)|up\s+to|limited\s+to|capped\s+at|no\s+more\s+than)\s+(?P<share>\d{1,2}(?:\.\d+)?)\s*(?:%|per\s?cent\.?|percent)\s+of\s+(?:the\s+)?(?P<of>(?:[A-Z][\w-]*\s+){0,4}EBITDA\w*)(?P<tail>[^\".;]{0,140})",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|prior\s+to|without|excluding|ignoring)\b", re.IGNORECASE)
_AFTER = re.compile(r"\bafter\b|\bincluding\b", re.IGNORECASE)
_ITEMS: tuple[tuple[str, str], ...] = (
    (r"cost[\s-]+savings|synerg|run[\s-]?rate|operating\s+(?:improvements|expense\s+reductions)", "cost_savings"),
    (r"restructuring|integration|severance", "restructuring_costs"),
    (r"transaction\s+(?:costs|fees|expenses)|acquisition\s+costs", "transaction_costs"),
    (r"non-?recurring|exceptional|extraordinary|unusual|one-?off", "exceptional_items"),
    (r"non-?cash", "non_cash_charges"),
    (r"(?:stock|share|equity)[\s-]*based", "share_based_payments"),
)
_RATE = re.compile(
    r"\b(?:at|of|rate\s+of)\s+(?P<rate>(?:(?P<amount>\d+\.\d+)\s+(?P<old>[A-Za-z]+)\s+(?:for|to|per|=)\s+(?:one|1|each|a)\s+(?P<new>[A-Za-z]+)))",
    re.IGNORECASE,
)
_READ = re.compile(
    r"\b(?:each|all|every|any)\s+references?\s+to\s+(?P<old>[A-Za-z ]{2,30}?)\s+(?:in\s+[^.;,]{2,40}\s+)?(?:is|are|shall\s+be(?:\s+(?:read|construed|treated)\s+as)?|becomes?)\s+(?:a\s+)?(?:references?\s+)?(?:to\s+)?(?P<new>[A-Za-z]+)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?P<currency>[A-Z]{3}|[£€$])\s?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s*(?P<scale>million|billion))?"
)
_OF = re.compile(r"\bin\s+the\s+definition\s+of\s+\"?(?P<term>[A-Z][\w &-]{2,60}?)\"?(?=\s+(?:shall|is|will|are)|[,.;])")
_FROZEN = re.compile(
    r"\b(?:[A-Z]\w{0,40}(?:\s+[A-Z]\w{0,40}){0,4}|the\s+(?:[a-z]+\s+)?(?:ratios?|covenants?))\s+(?:shall|will|must|is\s+to|are\s+to)\s+(?:continue\s+to\s+be\s+|be\s+)(?:computed|calculated|tested|determined|measured)\s+(?:on|by\s+reference\s+to|in\s+accordance\s+with|using|under|as\s+if)\s+(?:the\s+)?(?P<basis>[^.;]{5,160})",
)
_CHANGE = re.compile(
    r"\b(?:accounting\s+(?:change|principles|polic\w+|standards?|practices)|change\s+in\s+(?:GAAP|IFRS|accounting)|GAAP|IFRS)\b",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"\b(?:original\s+financial\s+statements|as\s+in\s+effect\s+(?:on|at|prior)|before\s+(?:such|the|that)\s+change|immediately\s+before)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\buntil\b[^.,;]{3,120}", re.IGNORECASE)


def read_basis(text: str) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return _currency(text) or _frozen(text) or _definition(text)


def _currency(text: str) -> PatternReading | None:
    rate, read = _RATE.search(text), _READ.search(text)
    if rate is None or read is None:
        return None
    value = Fraction(rate["amount"])
    fields: dict[str, Value] = {"op": "calc_basis", "target": "currency"}
    spans = {"rate": rate.span("rate")}
    amount = next((m for m in _AMOUNT.finditer(text) if m.start() > read.end()), None)
    if amount is not None:
        old = Fraction(amount["digits"].replace(",", "")) * {"million": 10**6, "billion": 10**9}.get(
            (amount["scale"] or "").lower(), 1
        )
        # So many of the old currency for one of the new: divide, and keep the fraction.
        fields["netting_cap"] = {"amount_old": old, "rate_old_per_new": rate["amount"], "amount_new": old / value}
        spans["cap"] = amount.span()
        of = _OF.search(text, amount.end())
        fields["target"] = of["term"] if of else "currency"
    effect = read_effect(text, sentence_around(text, read.start()))
    if effect.at is not None:
        spans |= {"from": effect.at, "effective": effect.at}
    elif dates := find_dates(text):
        spans["from"] = (dates[0].start, dates[0].end)
    return PatternReading(fields, spans, effect.mode, _RESULT if effect.stated else _RESULT | {"effective.mode"})


def _frozen(text: str) -> PatternReading | None:
    m = _FROZEN.search(text)
    if m is None or _CHANGE.search(text) is None or _ORIGINAL.search(m["basis"]) is None:
        return None
    spans = {"freeze": m.span()}
    until = _UNTIL.search(text)
    if until:
        spans["until"] = until.span()
    fields: dict[str, Value] = {
        "op": "calc_basis",
        "target": "accounting principles",
        "basis": "original_financial_statements",
        "needs": "reconciliation",
    }
    return PatternReading(fields, spans, "on_event", _RESULT)


def _definition(text: str) -> PatternReading | None:
    m = _DEFINITION.search(text)
    if m is None or _CHANGED.search(text, m.end()) is None:
        return None
    spans = {"target": m.span()}
    fields: dict[str, Value] = {"op": "replace_definition", "target": m["term"]}
    added = text[m.end() :]
    item = next((name for pattern, name in _ITEMS if re.search(pattern, added, re.IGNORECASE)), None)
    doubts: tuple[str, ...] = ()
    if item is not None:
        projected = re.search(r"\bproject|\bexpect|\banticipat|\brun[\s-]?rate", added, re.IGNORECASE)
        adds: dict[str, Value] = {"item": f"projected_{item}" if projected and item == "cost_savings" else item}
        horizon, cap = _HORIZON.search(text, m.end()), _SHARE.search(text, m.end())
        if horizon:
            adds["horizon_months"] = count_of(horizon["count"])
            spans["horizon"] = horizon.span()
        if cap:
            before, after = _BEFORE.search(cap["tail"]), _AFTER.search(cap["tail"])
            basis = "before" if before and not after else "after" if after and not before else None
            adds["cap"] = {"percent": Fraction(cap["share"]) / 100, "basis": basis}
            spans["cap"] = (cap.start(), cap.end())
            doubts = () if basis else ("review_cap_basis_ambiguous",)
        fields["adds"] = adds
    effect = read_effect(text, sentence_around(text, m.start()))
    return PatternReading(fields, spans, effect.mode, _RESULT if effect.stated else _RESULT | {"effective.mode"}, doubts)
