"""A clause that lets owners' cash count for the test (an equity cure), as data."""

from __future__ import annotations

import re

from conformed.language.pattern_words import PatternReading, Value, count_of, provisions, sentence_around

__all__ = ["read_cure"]

_CURE = re.compile(
    r"\b(?P<how>(?:may|shall|will)(?:\s*,[^,.;]{0,60},)?\s+be\s+(?:added\s+to|counted\s+(?:as|in|towards)|included\s+in|treated\s+as|deemed(?:\s+to\s+(?:be|increase|reduce))?|applied\s+(?:to|in|against)|deducted\s+from)\s+(?:an?\s+(?:increase|reduction)\s+(?:in|of)\s+)?(?P<what>[^.,;]{3,90}?))(?=,|\.|;|\s+no\s+more|\s+not\s+more|\s+but\b|$)"
    r"|\b(?P<act>(?:may|shall|will|can)\s+(?:\w+\s+)?(?:apply|treat|count|add|deduct|designate|include|use)\b[^;]{0,200}?\b(?:as\s+(?:an?\s+)?(?:increase|addition|reduction)\s+(?:of|in|to)|to|in|from|towards|against|as)\s+(?P<where>(?:the\s+)?(?:[A-Z][\w-]*\s+){0,4}(?:EBITDA\w*|Debt|Indebtedness|Borrowings|Earnings|Cashflow|Cash\s+Flow)\b))",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:(?:New\s+)?(?:Shareholder|Investor|Sponsor)\s+(?:Injections?|Contributions?|Funding)|Equity\s+(?:Contributions?|Cure|Injections?)|Cure\s+(?:Amounts?|Contributions?)|Specified\s+Equity|New\s+Equity|Subordinated\s+Shareholder|cash\s+equity|equity\s+contribut\w+)\b",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"\b(?:within|during\s+the|in\s+the|(?:during|in|within)\s+the\s+period\s+(?:of|ending)|no(?:t)?\s+later\s+than|by\s+the\s+date|(?:on\s+or\s+before|by|prior\s+to|not?\s+later\s+than)\s+the\s+(?:date|day)\s+(?:that\s+is|which\s+is|falling))\s+(?P<days>\w+)\s+Business\s+Days\s+(?:after|of|following|from)\s+[^.;]*?(?=\s+(?:may|shall|will|as\s+an?)\b|,|\.|;|$)",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:(?:no[tr]?|or)\s+(?:on\s+)?more(?:\s+often)?\s+than|at\s+most|up\s+to|(?:a\s+)?maximum\s+of|not\s+be\s+(?:exercised|used|made)\s+(?:on\s+)?more\s+than|not\s+exceed(?:ing)?|limited\s+to|only)\s+(?P<count>\w+)\s*(?:\(\d+\)\s*)?(?:such\s+)?(?:times|occasions|cures?|exercises|uses)\b"
    r"|\b(?:exercised|used|made|done|available)\s+(?:only\s+)?(?P<only>once|twice)\b",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"\b(?:not|nor|never|none|or)\s+(?:(?:may|shall)\s+it\s+)?(?:(?:be\s+)?(?:used?|exercised?|made)\s+(?:(?:this|the|such|that)\s+(?:\w+\s+)?)?)?(?:in|on|for)\s+(?:respect\s+of\s+)?(?:any\s+)?(?:two\s+)?(?:consecutive|successive)\b|\bno\s+(?:two\s+)?(?:consecutive|successive)\b",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    r"\b(?:earlier|prior|previous|original|first|that|such)\s+(?:breach|default|failure|Event\s+of\s+Default)\b[^.;]{0,40}?\b(?:is|are|shall\s+be|will\s+be)\s+(?:treated|deemed|regarded)\s+(?:as\s+|to\s+have\s+been\s+|to\s+be\s+)?(?:remedied|cured|waived)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_BARRED = re.compile(r"\bunless\b[^.;]*\b(?:notice|accelerat\w+|enforce\w*)\b", re.IGNORECASE)


def read_cure(text: str) -> PatternReading | None:
    """An equity cure: what the cash counts as, until when, how often; None where the clause gives no such right."""
    money, cure = _MONEY.search(text), _CURE.search(text)
    if money is None or cure is None or money.start() > sentence_around(text, cure.start())[1]:
        return None
    what = cure["what"] or cure["where"]
    earnings = re.search(r"EBITDA|earnings|cash\s*flow", what, re.IGNORECASE)
    debt = re.search(r"debt|indebtedness|borrowings|prepay", what, re.IGNORECASE)
    fields: dict[str, Value] = {
        "op": "cure_right",
        "target": "leverage",
        "cure_type": "ebitda" if earnings else "debt" if debt else None,
    }
    spans = {"type": cure.span("how" if cure["how"] else "act")}
    deadline, uses, consecutive, deemed = (
        _DEADLINE.search(text),
        _USES.search(text),
        _ROW.search(text),
        _DEEMED.search(text),
    )
    own = [
        n
        for n in provisions(text, 0, sentence_around(text, cure.start())[1])
        if not (deadline and deadline.start() <= n.start < deadline.end())
    ]
    if own:
        fields["target"] = own[0].number
    if deadline:
        fields["deadline_business_days"] = count_of(deadline["days"])
        spans["deadline"] = deadline.span()
    if uses:
        fields["max_uses"] = count_of(uses["count"] or uses["only"])
        spans["count"] = uses.span()
    if consecutive:
        fields["consecutive_allowed"] = False
        spans["consecutive"] = consecutive.span()
    if deemed:
        start = deemed.start()
        spans["deemed"] = (start, deemed.end())
        sentence = text[sentence_around(text, start)[0] : start]
        when = (
            "next_quarter_date"
            if re.search(
                r"\b(?:next|following|succeeding|subsequent)\b[^.;]{0,40}\b(?:Quarter\s+Date|Relevant\s+Period|test|quarter)",
                sentence,
                re.IGNORECASE,
            )
            else None
        )
        fields["deemed_cure"] = {
            "tested_on": when,
            "barred_by": "acceleration_notice" if _BARRED.search(deemed["rest"]) else None,
        }
    return PatternReading(fields, spans, "on_closing")
