"""What may stand beside a covenant's level in its clause, as data: a trigger, a rounding clause, a clarifying sentence."""

from __future__ import annotations

import re

from conformed.language.pattern_words import Value, compared, sentence_around
from conformed.language.ratios import find_ratios
from conformed.language.readings import ClauseReading
from conformed.model.covenant import Comparator

__all__ = ["gloss_differs", "rounding_of", "trigger_of"]

_ONLY_IF = re.compile(
    r"\b(?:only\s+(?:if|when|where|in\s+respect\s+of)|if\s+and\s+only\s+if|solely\s+(?:if|when)|(?:applies|applicable|tested|test)\b[^.;]{0,40}?\b(?:if|when|where)|if\s+on\s+(?:that|such|any))\b",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"(?P<upper>[A-Z][^.;]{3,200}?)\s+(?:then\s+|in\s+aggregate\s+)?(?:outstanding\s+)?(?:is|are|was|were|shall\s+be)?\s*(?P<word>(?:in\s+excess\s+of|more\s+than|greater\s+than|exceeds?|exceeding|at\s+least|equal\s+to\s+or\s+(?:greater|more)\s+than|not\s+less\s+than|above)\s+(?:an\s+amount\s+equal\s+to\s+)?"
    r"(?P<share>\d{1,3}(?:\.\d+)?)\s*(?:%|per\s?cent\.?|percent)\s+of\s+(?:the\s+)?(?:aggregate\s+|total\s+)?(?P<lower>[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,4}))"
)
_ATLEAST = re.compile(r"at\s+least|equal\s+to\s+or|not\s+less", re.IGNORECASE)
_ROUND = re.compile(
    r"(?P<more>(?:worked\s+out|carried|calculated|computed|taken|carrying)\b[^.;]{0,60}?\bone\s+(?:decimal\s+)?(?:place|digit|figure)\s+(?:more|further|beyond)\b[^.;,]{0,70}?(?=\s+and\b|[,.;]|\s*$))"
    r"[^.;]{0,40}?\bround(?:ed|ing)\b(?P<rest>[^.;]*)",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?:an?\s+)?(?:exact\s+)?(?:half|five|\.5)\b[^.;,]{0,30}?\b(?P<way>up(?:ward)?s?|down(?:ward)?s?|even)\b|\bround(?:ed|ing)?[- ](?P<other>up|down)\b",
    re.IGNORECASE,
)
_GLOSS = re.compile(r"\b(?:for\s+(?:the\s+)?avoidance\s+of\s+doubt|it\s+being\s+understood|for\s+clarity)\b,?", re.IGNORECASE)


def trigger_of(text: str, spans: dict[str, tuple[int, int]]) -> dict[str, Value] | None:
    """The trigger of a springing covenant: what is used, of what, beyond which share; None where the clause has none."""
    for start in (m.start() for m in _ONLY_IF.finditer(text)):
        m = _SHARE.search(text, start)
        if m is None:
            continue
        spans["trigger"] = (m.start("word"), m.end("lower"))
        upper = re.sub(
            r"^.*?\b(?:if|when|where|that|day|sum\s+of|amount\s+of|aggregate)\s+(?:the\s+)?(?=[A-Z]|drawn|undrawn)",
            "",
            " ".join(m["upper"].split()),
        )
        upper = re.sub(r"\s+(?:then\s+)?outstanding.*$|\s+at\s+(?:that|such)\s+time$", "", upper)
        parts = [p.strip().lower() for p in re.split(r",\s*(?:and\s+)?|\s+(?:and|plus)\s+", upper) if p.strip()]
        comparator = "ge" if _ATLEAST.match(m["word"]) else "gt"
        limit = find_ratios(m["share"] + "% of")
        return {
            "numerator": " + ".join(parts),
            "denominator": m["lower"].lower(),
            "comparator": comparator,
            "level": limit[0].value if limit else None,
        }
    return None


def rounding_of(text: str, places: int | None, spans: dict[str, tuple[int, int]]) -> dict[str, Value] | None:
    """A rounding clause beside the covenant; ``places`` are those of the level as written."""
    m = _ROUND.search(text)
    if m is None:
        return None
    spans["rounding"] = m.span("more")
    half = _HALF.search(text, m.start("rest"), m.end("rest"))
    way = (half["way"] or half["other"] or "").lower() if half else ""
    if half:
        spans["half"] = half.span()
    carry = "round_one_more" if re.search(r"\bround", m["more"], re.IGNORECASE) else "truncate_one_more"
    return {
        "rule": "stated_places",
        "places": places,
        "carry": carry,
        "half": "up" if way.startswith("up") else "down" if way.startswith("down") else "even" if way else None,
    }


def gloss_differs(text: str, reading: ClauseReading, spans: dict[str, tuple[int, int]]) -> bool:
    """Whether a clarifying sentence compares in another way, or with another level, than the clause itself."""
    m = _GLOSS.search(text)
    if m is None:
        return False
    _, end = sentence_around(text, m.end())
    told = compared(text, m.end(), end)
    own = compared(text, reading.start, reading.end)
    if told is None or own is None:
        return False
    start = text.rfind(" where ", m.end(), told.at[0])
    spans["gloss"] = (start + 1 if start > 0 else told.subject.start if told.subject else told.at[0], told.limit.end)
    spans["operative"] = (reading.subject.start, own.limit.end)
    # "in compliance where it is below" says what is allowed; "in breach where it is below" says the contrary.
    allowed = Comparator(told.comparator)
    if re.search(
        r"\b(?:breach|default|failure|not\s+(?:be\s+)?(?:in\s+compliance|met|satisfied))\b",
        text[m.end() : told.at[0]],
        re.IGNORECASE,
    ):
        allowed = {
            Comparator.LT: Comparator.GE,
            Comparator.GE: Comparator.LT,
            Comparator.LE: Comparator.GT,
            Comparator.GT: Comparator.LE,
        }[allowed]
    return (allowed, told.limit.value) != (reading.comparator, own.limit.value)
