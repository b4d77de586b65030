"""A clause that lets owners' cash count for the test (an equity cure), as data."""

from __future__ import annotations

import re

from conformed.language.pattern_words import PatternReading, Value, count_of, provisions, sentence_around

__all__ = ["read_cure"]

_CURE = re.compile(
    r"\b(?P<how>(?:may|shall|will)(?:\s*,[^,.;]{0,60},)?\s+be\s+(?:added\s+to|counted\s+(?:as|in|towards)|included\s+in|treated\s+as|deemed(?:\s+to\s+(?:be|increase|reduce))?|applied\s+(?:to|in|against)|deducted\s+from)\s+(?:an?\s+(?:increase|reduction)\s+(?:in|of)\s+)?(?P<what>[^.,;]{3,90}?))(?=,|\.|;|\s+no\s+more|\s+not\s+more|\s+but\b|$)",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\b(?:Shareholder\s+Injections?|Equity\s+(?:Contributions?|Cure|Injections?)|Cure\s+(?:Amounts?|Contributions?)|Specified\s+Equity|New\s+Equity|Subordinated\s+Shareholder|cash\s+equity|equity\s+contribut\w+)\b",
    re.IGNORECASE,
)
_DEADLINE = re.compile(
    r"\b(?:within|during\s+the|in\s+the|no(?:t)?\s+later\s+than|by\s+the\s+date)\s+(?P<days>\w+)\s+Business\s+Days\s+(?:after|of|following|from)\s+[^.;]*?(?=\s+may\b|\s+shall\b|,|\.|;|$)",
    re.IGNORECASE,
)
_USES = re.compile(
    r"\b(?:no(?:t)?\s+more\s+than|at\s+most|up\s+to|a\s+maximum\s+of|not\s+be\s+(?:exercised|used)\s+(?:on\s+)?more\s+than)\s+(?P<count>\w+)(?:\s+(?:times|occasions))?(?=\s|,)",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"\b(?:not|nor|never)\s+(?:be\s+(?:used|exercised)\s+)?(?:in|on|for)\s+(?:respect\s+of\s+)?(?:any\s+)?(?:two\s+)?(?:consecutive|successive)\b|\bno\s+(?:two\s+)?(?:consecutive|successive)\b",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    r"\b(?:earlier|prior|previous|original|that|such)\s+(?:breach|default|failure|Event\s+of\s+Default)\b[^.;]{0,40}?\b(?:is|are|shall\s+be|will\s+be)\s+(?:treated|deemed|regarded)\s+(?:as\s+|to\s+have\s+been\s+)(?:remedied|cured|waived)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_BARRED = re.compile(r"\bunless\b[^.;]*\b(?:notice|accelerat\w+|enforce\w*)\b", re.IGNORECASE)


def read_cure(text: str) -> PatternReading | None:
    """An equity cure: what the cash counts as, until when, how often; None where the clause gives no such right."""
    money, cure = _MONEY.search(text), _CURE.search(text)
    if money is None or cure is None:
        return None
    earnings = re.search(r"EBITDA|earnings|cash\s*flow", cure["what"], re.IGNORECASE)
    debt = re.search(r"debt|indebtedness|borrowings|prepay", cure["what"], re.IGNORECASE)
    fields: dict[str, Value] = {
        "op": "cure_right",
        "target": "leverage",
        "cure_type": "ebitda" if earnings else "debt" if debt else None,
    }
    named = provisions(text, 0, cure.start())
    if named:
        fields["target"] = named[0].number
    spans = {"type": cure.span("how")}
    deadline, uses, consecutive, deemed = (
        _DEADLINE.search(text),
        _USES.search(text, cure.end()),
        _ROW.search(text),
        _DEEMED.search(text),
    )
    if deadline:
        fields["deadline_business_days"] = count_of(deadline["days"])
        spans["deadline"] = deadline.span()
    if uses:
        fields["max_uses"] = count_of(uses["count"])
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
            if re.search(r"\bnext\b[^.;]{0,40}\b(?:Quarter\s+Date|Relevant\s+Period|test|quarter)", sentence, re.IGNORECASE)
            else None
        )
        fields["deemed_cure"] = {
            "tested_on": when,
            "barred_by": "acceleration_notice" if _BARRED.search(deemed["rest"]) else None,
        }
    return PatternReading(fields, spans, "on_closing")
