"""Clauses that change how a ratio is worked out, as data: definitions, frozen accounting, a change of currency."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.dates import find_dates
from conformed.language.pattern_effect import read_effect
from conformed.language.pattern_words import PatternReading, Value, count_of, sentence_around

__all__ = ["read_basis"]

_RESULT = frozenset({"result", "result.metric", "result.comparator", "result.level"})
_DEFINITION = re.compile(
    r"\b(?:the\s+)?(?:definition\s+of\s+(?:the\s+(?:defined\s+)?term\s+)?|(?:defined\s+)?term\s+)\"(?P<term>[^\"]{2,90})\"",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:amended|replaced|restated|modified|deleted|varied|changed|inserted|added)|\bamended\b",
    re.IGNORECASE,
)
_CHANGING = re.compile(r"\b(?:add|insert|amend|modify|chang|replac|restat|delet|vary)(?:ing|ed)\b[^\".;]{0,40}$", re.IGNORECASE)
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
_NAME = r"(?:[A-Z][a-z]+\s+)?[A-Za-z]{2,20}"
_ONE = r"(?:one|1(?:\.0+)?|each|every|per|a)"
_RATE = re.compile(
    rf"\b(?P<rate>(?P<amount>\d+(?:\.\d+)?)\s+(?P<many>{_NAME})\s+(?:(?:for|to|per|=|equals?|being|is)\s+(?:{_ONE}\s+)?)(?P<unit>{_NAME}))\b"
    rf"|\b(?P<turned>(?:one|1)\s+(?P<one>{_NAME})\s+(?:to|=|for|equals?|being|is)\s+(?P<figure>\d+(?:\.\d+)?)\s+(?P<others>{_NAME}))\b"
    r"|\b(?P<codes>(?P<high>[A-Z]{3})\s?(?P<value>\d+(?:\.\d+)?)\s*(?:=|:|to|per|for)\s*(?P<low>[A-Z]{3})\s?1(?:\.0+)?)(?!\.?\d)"
    r"|\b(?P<coded>(?P<base>[A-Z]{3})\s?1(?:\.0+)?\s*(?:=|:|to|for)\s*(?P<quote>[A-Z]{3})\s?(?P<worth>\d+(?:\.\d+)?))\b",
)
_READ = re.compile(
    r"\b(?:(?:each|all|every|any)\s+)?references?\s+(?:in\s+[^.;,]{2,40}?\s+)?to\s+(?P<old>[A-Za-z ]{2,30}?)\s+(?:(?:in|throughout|under)\s+[^.;,]{2,40}?\s+)?(?:(?:is|are|shall\s+be|shall|will\s+be)(?:\s*,[^,.;]{2,40},)?(?:\s+(?:to\s+be\s+)?(?:be\s+)?(?:read|construed|treated|taken)\s+as(?:\s+being)?)?|becomes?)\s+(?:a\s+)?(?:references?\s+)?(?:to\s+)?(?:the\s+)?(?P<new>[A-Za-z]+)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?P<currency>[A-Z]{3}|[£€$])\s?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:\s*(?P<scale>million|billion))?"
)
_OF = re.compile(r"\bin\s+the\s+definition\s+of\s+\"?(?P<term>[A-Z][\w-]*(?:\s+(?:(?:of|and|&)\s+)?[A-Z][\w-]*){0,5})")
_FROZEN = re.compile(
    r"\b(?:[A-Z]\w{0,40}(?:\s+[A-Z]\w{0,40}){0,4}|(?:the|each|any|all|every|that|such|those)\s+(?:[a-z]+\s+)?(?:ratios?|covenants?|tests?|figures?|levels?)(?:\s+(?:in|under|of)\s+(?:[^.;,]|\.\d){2,40}?)?|[Cc]ompliance\s+with\s+(?:[^.;,]|\.\d){3,60}?)\s+(?:shall|will|must|is\s+to|are\s+to)(?:\s*,(?:[^,.;]|\.\d){2,90},)?\s+"
    r"(?:continue\s+(?:\s*,(?:[^,.;]|\.\d){2,90},\s*)?to\s+be\s+|(?:still\s+)?be\s+)(?:computed|calculated|tested|determined|measured|worked\s+out|prepared)\s+(?:on|by\s+reference\s+to|in\s+accordance\s+with|using|under|as\s+if|by\s+applying|applying|in\s+line\s+with|on\s+the\s+basis\s+of)\s+(?:the\s+)?(?P<basis>[^.;]{5,160})",
)
_CHANGE = re.compile(
    r"\b(?:accounting\s+(?:change|principles|polic\w+|standards?|practices|basis|treatment)|change\s+(?:in|of|to)\s+(?:\w+\s+)?(?:GAAP|IFRS|accounting)|GAAP|IFRS|UK\s+GAAP)\b",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"\b(?:original\s+financial\s+statements|(?:as\s+)?in\s+(?:effect|force)\s+(?:on|at|prior|before)|(?:as\s+)?(?:applied|adopted|used)\s+(?:on|at)\s+the\s+(?:date|Closing)|before\s+(?:such|the|that|any\s+such)\s+change|immediately\s+before|had\s+not\s+(?:occurred|been\s+made|changed|taken\s+place|taken\s+effect)|without\s+(?:giving\s+effect\s+to|regard\s+to)\s+(?:such|the|that|any\s+such)\s+change)\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|unless\s+and\s+until|pending|for\s+so\s+long\s+as)\b[^.,;]{3,120}?(?=[.,;]|\s+(?:the|that|such|those)\s+(?:[A-Z]\w+\s+){0,4}(?:[Rr]atios?|[Cc]ovenants?|Leverage)\s+(?:shall|will|must|is|are)\b|\s+(?:[A-Z]\w+\s+){0,3}Leverage\s+(?:shall|will|must|is)\b|$)"
)


def read_basis(text: str) -> PatternReading | None:
    """The first of these kinds that a clause is; None where it is none of them."""
    return _currency(text) or _frozen(text) or _definition(text)


def _currency(text: str) -> PatternReading | None:
    read = _READ.search(text)
    rate = _rate(text, read) if read else None
    if rate is None or read is None:
        return None
    figure, many, one = _sides(rate)
    value = Fraction(figure)
    fields: dict[str, Value] = {"op": "calc_basis", "target": "currency"}
    spans = {"rate": rate.span()}
    codes = bool(rate["codes"] or rate["coded"])
    doubts: tuple[str, ...] = ()
    amount = next(
        (m for m in _AMOUNT.finditer(text) if m.start() > read.end() and not rate.start() <= m.start() < rate.end()), None
    )
    divides = _alike(many, read["old"]) and not _alike(one, read["old"])
    if not divides and not codes:
        # So many of the new currency for one of the old, or a rate of other currencies: not read, and said so.
        doubts = ("review_fx_basis_missing",)
    elif amount is not None and value:
        old = Fraction(amount["digits"].replace(",", "")) * {"million": 10**6, "billion": 10**9}.get(
            (amount["scale"] or "").lower(), 1
        )
        if codes and amount["currency"] != many:
            return None
        # So many of the old currency for one of the new: divide, and keep the fraction.
        fields["netting_cap"] = {"amount_old": old, "rate_old_per_new": figure, "amount_new": old / value}
        spans["cap"] = amount.span()
    of = _OF.search(text, read.end())
    fields["target"] = of["term"] if of else "currency"
    effect = read_effect(text, sentence_around(text, read.start()))
    if effect.at is not None:
        spans |= {"from": effect.at, "effective": effect.at}
    elif dates := find_dates(text):
        spans["from"] = (dates[0].start, dates[0].end)
    return PatternReading(
        fields, spans, effect.mode, _RESULT if effect.stated else _RESULT | {"effective.mode"}, doubts, effect.day
    )


def _rate(text: str, read: re.Match[str]) -> re.Match[str] | None:
    """The rate between the two currencies that the clause names, or between two by their codes."""
    names = (read["old"], read["new"])
    for m in _RATE.finditer(text):
        sides = _sides(m)[1:]
        if m["codes"] or m["coded"] or (any(_alike(sides[0], n) for n in names) and any(_alike(sides[1], n) for n in names)):
            return m
    return None


def _sides(rate: re.Match[str]) -> tuple[str, str, str]:
    """The figure of a rate, of what it is, and what stands for one."""
    if rate["rate"]:
        return rate["amount"], rate["many"], rate["unit"]
    if rate["turned"]:
        return rate["figure"], rate["others"], rate["one"]
    if rate["coded"]:
        return rate["worth"], rate["quote"], rate["base"]
    return rate["value"], rate["high"], rate["low"]


def _alike(one: str, other: str) -> bool:
    """Whether two names of a currency share their last word, singular or plural."""
    a, b = (words.lower().split()[-1].rstrip("s") for words in (one, other))
    return a == b


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
    if m is None:
        return None
    # Of a definition that is only named beside a change of something else nothing is changed.
    changing = _CHANGING.search(text[max(sentence_around(text, m.start())[0], m.start() - 60) : m.start()])
    if changing is None and _CHANGED.search(text, m.end()) is None:
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
    return PatternReading(
        fields, spans, effect.mode, _RESULT if effect.stated else _RESULT | {"effective.mode"}, doubts, effect.day
    )
