"""For whom, and when, a springing covenant is tested, as data: its trigger, its beneficiaries, whose consent changes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.limits import find_limits
from conformed.language.pattern_words import Value, sentence_around
from conformed.language.words import number_in_words

__all__ = ["Condition", "beneficiary_of", "blanked", "trigger_of"]

_COMPARE = (
    (
        "ge",
        r"(?:(?:equals?|is|are|meets?|reaches)\s+or\s+exceeds?|equal\s+to\s+or\s+(?:greater|more)\s+than|(?:greater|more)\s+than\s+or\s+equal\s+to|at\s+least|(?:not|no)\s+less\s+than)",
    ),
    ("le", r"(?:(?:do(?:es)?\s+)?not\s+exceed|(?:not|no)\s+(?:more|greater)\s+than|at\s+most|equal\s+to\s+or\s+less\s+than|less\s+than\s+or\s+equal\s+to)"),
    ("gt", r"(?:in\s+excess\s+of|(?:more|greater|higher)\s+than|exceeds?|exceeding|above|over)"),
    ("lt", r"(?:(?:less|lower|fewer)\s+than|below|under)"),
)  # fmt: skip
_SHARE = r"(?:(?P<spoken{n}>[a-z]+(?:[\s-][a-z]+)?)\s+(?:per\s?cent\.?|percent)\s*(?:\(\s*(?P<both{n}>\d{{1,3}}(?:\.\d+)?)\s*(?:%|per\s?cent\.?)\s*\))?|(?P<share{n}>\d{{1,3}}(?:\.\d+)?)\s*(?:%|per\s?cent\.?|percent))"
_OF = r"\s+of\s+(?:the\s+)?(?:(?:then\s+)?(?:aggregate|total)\s+)?(?:amount\s+of\s+)?(?:the\s+)?(?:all\s+)?(?P<lower>[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,5})"
_TESTS = tuple(
    (name, re.compile(rf"\b(?P<word>{words})\s+(?:an\s+amount\s+equal\s+to\s+)?{_SHARE.format(n='')}{_OF}"))
    for name, words in _COMPARE
)
_WHOLE = re.compile(r"\b(?:Commitments?|Facilit(?:y|ies)|Limit)\b")
_WHEN = re.compile(
    r"\b(?:(?:only|solely)\s+)?(?:if\s+and\s+only\s+if|if|when(?:ever)?|where|unless|in\s+the\s+event\s+that|to\s+the\s+extent(?:\s+that)?|(?:on|for|in\s+respect\s+of|as\s+of|at\s+the\s+end\s+of)\s+which)\b",
    re.IGNORECASE,
)
_USE = re.compile(
    r"(?:(?:drawn|undrawn|outstanding|cash)\s+(?:and\s+undrawn\s+)?)?(?:(?!(?:Test|Testing|Relevant|Measurement|Period|Quarter|Date)\b)[A-Z]\w*\s+){0,6}(?:Loans?|Exposure|Exposures|Utili[sz]ations?|Advances|Usage|Borrowings?|Outstandings|Drawings|Extensions|Obligations|[Ll]etters?\s+of\s+[Cc]redit|Swingline)\b"
)
_SUM = re.compile(
    r"(?:\b(?:the|aggregate|total|combined|sum|outstanding|principal|amounts?|of|all|any)\s+){1,10}$", re.IGNORECASE
)
_TAIL = re.compile(
    r"(?:\s+(?:then\s+)?(?:in\s+effect|outstanding)(?:\s+at\s+(?:such|that)\s+time)?)?(?:\s+(?:on|as\s+of|at)\s+(?:such|that)\s+(?:day|date|time|Quarter\s+Date|Test\s+Date))?"
)
_NO_OTHER = re.compile(
    r"\s*,?\s*(?:but|and)\s+(?:not\s+)?(?:on|at|for|in)\s+(?:no|any)\s+other\s+(?:[A-Z]\w+\s*){1,3}", re.IGNORECASE
)
_OUTSIDE = re.compile(
    r"(?:[,;]\s*)?(?:\b(?:but|and|provided\s+that|which)\b[^.;:]{0,30}?)?(?:\b(?:compliance\s+with\s+)?(?:(?:this|the|such)\s+(?:\w+\s+)?(?:covenant|test|ratio|clause|Section)|the\s+foregoing(?:\s+\w+)?)\b[^.;,]{0,20}?)?"
    r"(?:\b(?:shall\s+|will\s+|is\s+to\s+|is\s+|to\s+)?(?:only\s+)?(?:be\s+)?(?:only\s+)?(?:appl(?:y|ies|icable)|tested|in\s+effect|measured|required)\b(?:\s+(?:on|at|for|as\s+of)\s+(?:that|such|any|the|a)\s+[\w ]{2,40}?)?)?\s*,?\s*$",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not\s+(?:be\s+)?(?:required|tested|apply|applicable|measured|in\s+effect)|need\s+not|no\s+test|does\s+not\s+apply)\b", re.IGNORECASE
)  # fmt: skip
_TURN = {"gt": "le", "le": "gt", "ge": "lt", "lt": "ge"}
_WHO = r"(?:[A-Z]\w+\s+){1,3}?(?:Lenders|Finance\s+Parties|Banks)"
_FOR_WHOM = (
    re.compile(rf"\b(?:[Ss]olely|[Oo]nly|[Ee]xclusively)\s+for\s+(?:the\s+benefit\s+of\s+)?(?:the\s+)?(?P<who>{_WHO})\b"),
    re.compile(rf"\b[Ff]or\s+the\s+(?:sole|exclusive)\s+benefit\s+of\s+(?:the\s+)?(?P<who>{_WHO})\b"),
    re.compile(rf"\b[Ff]or\s+the\s+benefit\s+of\s+(?:the\s+)?(?P<who>{_WHO})\s+(?:alone|only)\b"),
    re.compile(rf"\b(?:benefits|is\s+given\s+to|in\s+favou?r\s+of)\s+(?:only\s+)?(?:the\s+)?(?P<who>{_WHO})\s+(?:alone|only)\b"),
)
_CLASS = re.compile(
    r"\b(?:only|solely)\s+(?:by|with\s+(?:the\s+)?consent\s+of)\s+(?:the\s+)?(?P<who>(?:Required|Majority)\s+(?:[A-Z]\w+\s+){1,3}(?:Lenders|Banks))\b"
    r"|\b[Oo]nly\s+(?:the\s+)?(?P<they>(?:Required|Majority)\s+(?:[A-Z]\w+\s+){1,3}(?:Lenders|Banks))\s+(?:may|can|shall)\b"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A trigger or a beneficiary as fields, where it stands, and the stretches of text that say it, with what ties it to the covenant."""

    fields: dict[str, Value]
    at: tuple[int, int]
    stretches: tuple[tuple[int, int], ...]


def blanked(text: str, *stretches: tuple[int, int]) -> str:
    """The text with stretches turned into spaces, so that offsets stay; a full stop that ends one stays too."""
    for start, end in stretches:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _share(m: re.Match[str]) -> Fraction | None:
    figure = m["share"] or m["both"]
    spoken = number_in_words(m["spoken"]) if m["spoken"] else None
    if m["spoken"] and (spoken is None or (figure and Fraction(figure) != spoken)):
        return None
    return Fraction(figure) / 100 if figure else None if spoken is None else Fraction(spoken) / 100


def _first(text: str) -> tuple[str, re.Match[str]] | None:
    found = [
        (name, m)
        for name, pattern in _TESTS
        for m in pattern.finditer(text)
        if _WHOLE.search(m["lower"]) and re.search(r"[\w)]\s*$", text[max(0, m.start() - 2) : m.start()])
    ]
    return min(found, key=lambda f: (f[1].start(), -f[1].end())) if found else None


def trigger_of(text: str) -> Condition | None:
    """The trigger of a springing covenant: what is used, of what, beyond which share; None where the clause has none."""
    found = _first(text)
    if found is None:
        return None
    name, m = found
    start, end = sentence_around(text, m.start())
    when = list(_WHEN.finditer(text, start, m.start("word")))
    if not when:
        return None
    cond = when[-1]
    upper = text[cond.end() : m.start("word")]
    use = _USE.search(upper)
    what = " ".join(upper[use.start() if use else 0 :].split()).strip(" ,")
    what = re.sub(r"^(?:on|at|as\s+of|at\s+the\s+end\s+of)\s+(?:that|such|any|the)\s+[\w ]{2,40},\s*", "", what)
    what = re.sub(
        r"(?:\s+(?:then|in\s+aggregate|at\s+(?:that|such)\s+time|on\s+(?:that|such)\s+\w+(?:\s+\w+)?|outstanding|is|are|was|were|shall\s+be))+$",
        "",
        what,
    )
    parts = [
        re.sub(r"^(?:the|all|any)\s+", "", p.strip().lower())
        for p in re.split(r",\s*(?:and\s+|plus\s+)?|\s+(?:and|plus)\s+(?!undrawn\s+(?!letters))", what)
        if p.strip()
    ]
    before = text[start : cond.start()]
    turned = bool(_NOT.search(before)) != bool(re.match(r"unless", cond[0], re.IGNORECASE))
    fields: dict[str, Value] = {
        "numerator": " + ".join(parts),
        "denominator": m["lower"].lower(),
        "comparator": _TURN[name] if turned else name,
        "level": _share(m),
    }
    ratios = [t for t in find_limits(text, start, end, "ratio") if t.form != "percent"]
    if not ratios:
        stretches: tuple[tuple[int, int], ...] = ((start, end),)
    else:
        tied = _OUTSIDE.search(text, start, cond.start())
        tied = tied if tied and tied[0].strip() else None
        stretches = ((tied.start() if tied else cond.start(), m.end("lower")),)
        if not (re.match(r"(?:on|for|at|as)\b|when|where", cond[0], re.IGNORECASE) or tied) and cond.start() - start < 8:
            # "If on the last day of a Test Period the Revolving Loans exceed ...": the day stays, for it is the day of the test.
            begin = use.start() if use else 0
            sums = _SUM.search(upper[:begin])
            stretches = (cond.span(), (cond.end() + (sums.start() if sums else begin), m.end("lower")))
    tail = _TAIL.match(text, stretches[-1][1], end)
    if ratios and tail:
        stretches = (*stretches[:-1], (stretches[-1][0], tail.end()))
    other = _NO_OTHER.match(text, stretches[-1][1], end)
    if ratios and other:
        stretches = (*stretches[:-1], (stretches[-1][0], other.end()))
    return Condition(fields, (m.start("word"), m.end("lower")), stretches)


def beneficiary_of(text: str) -> Condition | None:
    """For whom alone the covenant is, and whose consent changes it; None where the clause says neither."""
    m = next((found for p in _FOR_WHOM if (found := p.search(text))), None)
    named = _CLASS.search(text)
    if m is None and named is None:
        return None
    fields: dict[str, Value] = {}
    if m is not None:
        who = "_".join(m["who"].lower().split())
        fields = {"beneficiary": who, "consent_class": f"required_{who}"}
    if named is not None:
        fields["consent_class"] = "_".join((named["who"] or named["they"]).lower().split())
    places = [found.span() for found in (m, named) if found is not None]
    stretches = []
    for at in places:
        whole = sentence_around(text, at[0])
        # A sentence that says nothing of a level says only for whom the covenant is.
        stretches.append(at if find_limits(text, *whole, "ratio") else whole)
    return Condition(fields, places[0], tuple(stretches))
