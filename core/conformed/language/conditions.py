"""What stands around the level: when it is tested, from when, rights to another level, triggers, glosses, side letters.

Whatever of it bears on the level and is not understood becomes a doubt: a clause is read whole or it goes to a person.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.dates import find_dates
from conformed.language.limits import LimitToken, find_limits

__all__ = ["Found", "find_increases", "first_test", "leftover_doubts", "standing_stops", "tested_when"]


@dataclass(frozen=True, slots=True)
class Found:
    """Something found in a clause: what, where, and its value if it has one."""

    start: int
    end: int
    what: str
    value: Fraction | None = None
    sentence: str = ""


_TESTED: tuple[tuple[str, str], ...] = (
    (r"(?:each|any|every|the)\s+Quarter\s+Dates?", "quarter_date"),
    ((
        r"(?:last|final)\s+day\s+of\s+(?:each|any|every|the)\s+(?:period\s+of\s+)?(?:four\s+)?(?:consecutive\s+)"
        r"?(?:full\s+)?(?:fiscal|financial|calendar)?\s*quarters?"
), "each_fiscal_quarter_end"),
    ((
        r"(?:end|close)\s+of\s+(?:each|any|every|the|such)\s+(?:of\s+its\s+)?(?:fiscal|financial|"
        r"calendar)?\s*quarters?"
), "each_fiscal_quarter_end"),
    ((
        r"(?:last|final)\s+day\s+of\s+(?:each|any|the)?\s*period\s+of\s+four\s+(?:consecutive\s+)?(?:fiscal\s+)"
        r"?quarters"
), "each_fiscal_quarter_end"),
    (r"(?:any|each|every|no)\s+(?:fiscal\s+|financial\s+)?quarter[\s-]+end", "each_fiscal_quarter_end"),
    (r"(?:any|each)\s+(?:period\s+of\s+)?four\s+(?:consecutive\s+)?(?:fiscal|financial|calendar)\s+quarters?", "each_fiscal_quarter_end"),
    (r"four\s+(?:consecutive\s+)?(?:fiscal|financial|calendar)\s+quarters?", "each_fiscal_quarter_end"),
    (r"quarterly\s+period", "each_fiscal_quarter_end"),
    ((
        r"(?:end|close|last\s+day)\s+of\s+(?:that|such)(?:\s+(?:fiscal|financial)\s+quarter)?\s+and\s+(?:of\s+)?(?:each|every)\s+"
        r"(?:later|subsequent|succeeding|following)\s+(?:fiscal|financial)\s+quarter"
), "each_fiscal_quarter_end"),
    ((
        r"(?:end\s+of\s+each|each|any|last\s+day\s+of\s+(?:each|any))\s+(?:fiscal|financial)\s+year(?:\s+end)?|"
        r"annually|tested\s+on\s+an\s+annual\s+basis"
), "fiscal_year_end"),
    (r"(?:last\s+day|end)\s+of\s+(?:each|any)\s+(?:calendar\s+|fiscal\s+)?month", "month_end"),
    ((
        r"(?:any|each|a)\s+(?:Relevant|Test|Measurement|Calculation|Testing|Reference)\s+Period|Test(?:ing)?\s+Dates?|"
        r"Calculation\s+Dates?|Computation\s+Date|Measurement\s+Date|Determination\s+Date"
), "test_period_end"),
    (r"(?:last\s+day|end)\s+of\s+(?:each|any|every)\s+(?:[A-Z][a-z]+\s+){1,3}Period", "test_period_end"),
    (r"(?:tested|measured|calculated)\s+quarterly", "each_fiscal_quarter_end"),
    (r"at\s+any\s+time|at\s+all\s+times|at\s+no\s+time", "any_time"),
    (r"(?:each|any|such)\s+fiscal\s+quarter", "each_fiscal_quarter_end"),
)  # fmt: skip
_TESTED_RE = tuple((re.compile(p, re.IGNORECASE), name) for p, name in _TESTED)


_TESTED_NEXT = re.compile(
    r"[\s.]*\b(?:This|The|Such|Compliance\s+with\s+(?:this|the|such))\s+(?:\w+\s+){0,4}?(?:covenant|ratio|test)\s+"
    r"(?:shall|will|must|is\s+to)\s+be\s+(?:tested|measured)\b[^.;]{0,160}",
    re.IGNORECASE,
)


def tested_when(text: str, start: int, end: int) -> Found:
    """When the figure is tested, by the clause's own words or the next sentence's; ``unstated`` where they have none."""
    own = _tested_in(text, start, end)
    following = _TESTED_NEXT.match(text, end) if own.what in {"any_time", "unstated"} else None
    told = _tested_in(text, following.start(), following.end()) if following else own
    return own if told.what == "unstated" else told


def _tested_in(text: str, start: int, end: int) -> Found:
    for pattern, name in _TESTED_RE:
        m = pattern.search(text, start, end)
        if m:
            return Found(m.start(), m.end(), name)
    return Found(start, start, "unstated")


_FIRST = re.compile(
    r"(?:commencing|beginning|starting)\s+(?:on\s+|with\s+|as\s+of\s+|from\s+)?(?:and\s+including\s+)?(?:with\s+)?(?:the\s+)?(?:last\s+day\s+of\s+the\s+)?"
    r"(?:(?:first\s+)?(?:fiscal|financial|calendar)?\s*(?:quarter|period|year|test\s+period|month)\s+)?(?:of\s+the\s+\w+\s+)?(?:ending|ended|end\s+on)?\s*(?:on\s+(?:or\s+about\s+)?)?$"
    r"|first\s+(?:test(?:ed)?(?:\s+date)?(?:\s+is)?|tested)\s+(?:is\s+)?(?:for|on|as\s+of)?\s*(?:the\s+)?(?:fiscal\s+)?(?:quarter\s+)?(?:ending|ended)?\s*$"
    r"|first\s+(?:of\s+which|such\s+\w+(?:\s+\w+)?|(?:Quarter|Test)\s+Date(?:\s+(?:on|for)\s+which\s+[^,.;]{2,60}?\s+(?:is|shall\s+be|will\s+be)\s+(?:first\s+)?tested)?)\s+"
    r"(?:(?:shall|will)\s+be|is|being)\s+(?:the\s+)?(?:(?:fiscal|financial)\s+)?(?:(?:quarter|period|Relevant\s+Period|Test\s+Period|Quarter\s+Date)\s+)?(?:ending|ended|falling|expiring)?\s*(?:on\s+)?$"
    r"|first\s+test(?:\s+date)?\s+(?:shall\s+be|will\s+be|is(?:\s+to\s+be)?)\s+(?:made|carried\s+out|done|conducted|performed|held)?\s*(?:on|for|as\s+(?:of|at))?\s*(?:the\s+)?(?:(?:fiscal\s+|financial\s+)?(?:quarter|period|Quarter\s+Date|Relevant\s+Period)\s+)?(?:ending\s+)?(?:on\s+)?$"
    r"|(?:first\s+be\s+(?:tested|measured|calculated)|\btesting\s+(?:of\s+[^.;]{2,60}?\s+)?(?:(?:shall|will)\s+)?(?:begins?|commences?|starts?)|first\s+such\s+test\s+(?:to\s+be|being|shall\s+be)\s+(?:made|done|carried\s+out)?)\s*(?:on|with|for|as\s+(?:of|at))\s+(?:the\s+)?(?:(?:fiscal\s+|financial\s+)?(?:quarter|period|Quarter\s+Date|Relevant\s+Period)\s+)?(?:ending\s+)?(?:on\s+)?$"
    r"|(?:tested|measured|calculated)\s+(?:for\s+the\s+first\s+time|first)\s+(?:on|for|as\s+(?:of|at))\s+(?:the\s+)?(?:(?:fiscal\s+|financial\s+)?(?:quarter|period|Quarter\s+Date|Relevant\s+Period)\s+)?(?:ending\s+)?(?:on\s+)?$"
    r"|(?:on\s+and\s+after|from\s+and\s+after|(?:ending\s+)?on\s+or\s+after|occurring\s+on\s+or\s+after)\s*$",
    re.IGNORECASE,
)


_ON = re.compile(
    r"(?:\A\s*|[,;]\s+|\b(?:to\s+1(?:\.0+)?|:1|x)\s+)(?:(?:measured|tested|calculated|determined)\s+)?(?:on|as\s+of|as\s+at|at|for\s+the\s+(?:fiscal|financial)\s+quarter\s+ending)\s+"
    r"(?:(?:the\s+)?(?:(?:fiscal|financial)\s+)?quarter[\s-]+end\s+)?$",
    re.IGNORECASE,
)
_ONWARD = re.compile(
    r"\s*,?\s*and\s+(?:on\s+|as\s+of\s+|at\s+|for\s+)?(?:the\s+(?:last\s+day|end)\s+of\s+)?each\s+(?:(?:successive|subsequent|succeeding|following)\s+)?(?:(?:fiscal|financial|Quarter|Test|calendar)\s+)*(?:quarter[\s-]+end|quarter|month|date|period)\s+(?:ending\s+)?(?:thereafter|after\s+(?:that|it))\b",
    re.IGNORECASE,
)
"""A day from which on the ratio is tested: "On June 30, 2026 and on the last day of each fiscal quarter thereafter"."""


def first_test(text: str, start: int, end: int) -> tuple[dt.date, int, int] | None:
    """The first test date, where the words give it whole ("commencing with the fiscal quarter ending June 30, 2004")."""
    for token in find_dates(text, start, end):
        before = text[max(start, token.start - 130) : token.start]
        m = _FIRST.search(before)
        if m:
            return token.date, token.start - (len(before) - m.start()), token.end
        on, onward = _ON.search(before), _ONWARD.match(text, token.end, end)
        if on and onward:
            return token.date, token.start - (len(before) - on.start()), onward.end()
    return None


_EVENT = re.compile(
    (
        r"\b(?:(?:Qualified|Qualifying|Material|Permitted|Significant|Specified|Designated|"
        r"Leverage[\s-]+Increase)\s+(?:Acquisition|Transaction|Period|Disposition)s?|Leverage\s+(?:Holiday|Increase|"
        r"Step-?Up)|acquisition|election|elect)\b"
    ),
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    (
        r"in\s+lieu\s+of|instead\s+of|increase[sd]?\b|step(?:ped)?[\s-]*up|elevated|temporar|may\s+exceed|"
        r"permitted\s+to\s+(?:exceed|be)|shall\s+be\s+deemed\s+to\s+be|at\s+the\s+(?:Borrower|Company|"
        r"Parent)'?s?\s+(?:option|election)"
    ),
    re.IGNORECASE,
)
_TO_BY = re.compile(r"\bincreased?\s+(?P<word>by|to)\s+$", re.IGNORECASE)


def find_increases(text: str, start: int, end: int, unit: str) -> tuple[list[Found], set[int]]:
    """Rights to another level in the words after the level.

    Returns:
        The rights, and the starts of the limits that belong to them or to their conditions.
    """
    found: list[Found] = []
    used: set[int] = set()
    limits = find_limits(text, start, end, unit)
    by = re.compile(r"\bincreased?\s+by\s+(?P<delta>\d+\.\d+)(?:\s*(?:to|:)\s*1(?:\.0+)?|x)?", re.IGNORECASE).search(
        text, start, end
    )
    if by and _EVENT.search(text, start, end):
        found.append(Found(by.start(), by.end(), "delta", Fraction(by["delta"]), _event(text, start, end)))
    for token in limits:
        around = text[max(start, token.start - 420) : token.start]
        if (
            token.value is None
            or not _EVENT.search(around)
            or not (_INSTEAD.search(around) or re.search(r"\bpermit|exceed", around, re.IGNORECASE))
        ):
            continue
        if not _INSTEAD.search(text[start : token.end]):
            continue
        found.append(Found(token.start, token.end, "level", token.value, _event(text, start, end)))
    if found:
        used = {t.start for t in limits if _EVENT.search(text[start : t.end])}
    return found, used


def _event(text: str, start: int, end: int) -> str:
    m = _EVENT.search(text, start, end)
    return " ".join(m[0].split()) if m else ""


_STOPS: tuple[tuple[str, str, str], ...] = (
    (
        (
            r"\b(?:applies|apply|applicable|tested|effective|required)\s+(?:on\s+(?:that|such)\s+day\s+)?only\s+if\b|"
            r"\bonly\s+(?:if|to\s+the\s+extent|when|while|during|where)\b|\bsolely\s+(?:if|to\s+the\s+extent)\b|"
            r"\bshall\s+be\s+tested\s+only\b|\bbut\s+only\s+if\b|\bif\s+(?:and\s+only\s+if\b|on\s+(?:such|"
            r"the\s+last)\s+day)"
        ),
        "review_trigger_evidence_missing",
        "The covenant bites only under a condition, and the pack does not show whether it was met.",
    ),
    (
        (
            r"\bshall\s+not\s+(?:be\s+tested|apply)\b|\bnot\s+be\s+(?:tested|required\s+to\s+(?:comply|"
            r"be\s+in\s+compliance))\b|\bno\s+(?:such\s+)?test(?:ing)?\b|\bceases?\s+to\s+(?:apply|have\s+effect|"
            r"be\s+tested)\b|\bnot\s+be\s+(?:measured|calculated)\s+(?:before|until|prior|for)\b|"
            r"\b(?:foregoing|(?:this|the|such)\s+(?:Section|covenant|clause|paragraph|test|ratio))\b[^.;]{0,60}\b(?:ceases?|lapses?|"
            r"terminates?|expires?|no\s+longer)\b|\bdisappl\w+|\b(?:does|do|will)\s+not\s+apply\b|\bsuspend(?:ed|sion)?\b|\bcovenant\s+(?:relief|holiday)\b"
        ),
        "review_suspension_end_unclear",
        "Testing may be suspended; the clause was not understood well enough to say for which dates.",
    ),
    (
        r"\bside\s+letter\b|\bfee\s+letter\b.{0,40}\bratio\b",
        "review_side_letter_not_in_pack",
        "The clause is subject to a side letter.",
    ),
    (
        r"\bmost\s+favou?red\b|\bmore\s+restrictive\s+(?:than|financial\s+covenant)|\bdeemed\s+(?:to\s+be\s+)?incorporated\b",
        "review_mfn_external",
        "Terms of another financing may have been pulled into the clause.",
    ),
    (
        (
            r"\bfinancial\s+model\b|\bbase\s+case\b|\bheadroom\b|\bas\s+(?:may\s+be\s+)?(?:agreed|determined)\s+(?:by|"
            r"between|from\s+time)"
        ),
        "review_level_by_external_reference",
        "The level depends on something outside the clause.",
    ),
)
_FORMULA = re.compile(r"\b(?:plus|minus|sum\s+of|product\s+of|lesser\s+of|greater\s+of|increased\s+by|reduced\s+by)\b", re.IGNORECASE)  # fmt: skip
_STOPS_RE = tuple((re.compile(p, re.IGNORECASE), code, sentence) for p, code, sentence in _STOPS)


def standing_stops(text: str, start: int, end: int) -> list[Found]:
    """Words of a stretch that switch a covenant on or off, or tie its level to something outside the clause."""
    found = []
    for pattern, code, sentence in _STOPS_RE:
        m = pattern.search(text, start, end)
        if m and code != "review_level_by_external_reference":
            found.append(Found(m.start(), m.end(), code, None, sentence))
    return found


def leftover_doubts(
    text: str,
    zone: tuple[int, int],
    rest: tuple[int, int],
    used: set[int],
    unit: str,
    flat: LimitToken | None,
    level: tuple[int, int],
) -> list[Found]:
    """Doubts from the words around the level.

    Args:
        text: the text.
        zone: the sentence that states the level, from its start to its end.
        rest: what follows it in the same provision.
        used: starts of limits that were read.
        unit: unit of the covenant's limits.
        flat: the one level, where there is only one.
        level: from the predicate to the end of the last level.
    """
    found = []
    formula = _FORMULA.search(text, level[0], min(level[1] + 40, max(zone[1], level[1])))
    if formula:
        found.append(
            Found(
                formula.start(),
                formula.end(),
                "review_level_by_external_reference",
                None,
                "The level is worked out by a formula whose inputs are not in the clause.",
            )
        )
    for pattern, code, sentence in _STOPS_RE:
        for a, b in (zone, rest):
            m = pattern.search(text, a, b)
            if m and not (code == "review_level_by_external_reference" and (a, b) == rest):
                found.append(Found(m.start(), m.end(), code, None, sentence))
                break
    for token in find_limits(text, *rest, unit):
        if token.start in used:
            continue
        if (
            unit == "ratio"
            and flat is not None
            and token.value == flat.value
            and re.search(r"avoidance\s+of\s+doubt", text[rest[0] : token.start], re.IGNORECASE)
        ):
            found.append(Found(token.start, token.end, "gloss", token.value))
            continue
        found.append(
            Found(
                token.start,
                token.end,
                "review_clause_not_fully_read",
                token.value,
                "The clause holds another level or ratio whose part was not understood.",
            )
        )
    return found
