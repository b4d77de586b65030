"""A right to a higher level for some quarters after an event, as data: by how much, up to what, for which quarters, how it is used."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_words import Ask, PatternReading, Value, count_of, provisions, quarter_ends, sentence_around

__all__ = ["read_election"]

_FIGURE = r"(?:an?\s+(?:additional\s+|further\s+)?)?(?:[a-z-]+(?:\s+of\s+(?:a|one))?(?:\s+turn)?\s*\(\s*)?(?P<{0}>\d+\.\d+|\d+)(?:x|\s*(?:to|:)\s*1(?:\.0+)?)?"
_UP = r"(?:increas\w*|rais\w*|step(?:ped|ping|s)?[\s-]*up|go(?:es)?\s+up|ris(?:es?|ing)|adjust\w*\s+upwards?|uplift\w*)"
_DELTA = re.compile(
    rf"\b{_UP}\s+by\s+{_FIGURE.format('figure')}|\b{_UP}\s+(?:[^.;()\"]|\.\d|\(\w{{1,3}}\)){{2,110}}?\bby\s+{_FIGURE.format('other')}"
    rf"|\bby\s+{_FIGURE.format('third')}\s+(?:higher|greater|above)\b",
    re.IGNORECASE,
)
_CAP = re.compile(
    r"\b(?:never|not|no)\s+(?:(?:in\s+any\s+event|at\s+any\s+time)\s+)?(?:to\s+)?(?:be\s+)?(?:above|exceed(?:ing)?|more\s+than|greater\s+than|higher\s+than|in\s+excess\s+of)\s+"
    r"|\b(?:subject\s+(?:always\s+)?to\s+)?(?:an?\s+)?(?:overall\s+)?(?:maximum|ceiling|cap|limit)\s+of\s+|\bnever\s+exceed(?:ing|s)?\s+|\b(?:capped|limited)\s+at\s+"
    r"|\bin\s+no\s+event\s+(?:to\s+|(?:shall|may|will)\s+(?:it|(?:the|that|such)\s+[\w ]{3,60}?)\s+)?(?:exceed(?:ing)?|(?:to\s+)?(?:be\s+)?(?:more|greater|higher)\s+than|above)\s+|\bup\s+to\s+(?:a\s+maximum\s+of\s+)?",
    re.IGNORECASE,
)
_QS = r"(?:(?:consecutive|full|successive|immediately|next|following|succeeding|subsequent)\s+)*(?:(?:fiscal|financial)\s+)?(?:quarters|Quarter\s+Dates)"
_IN_WHICH = r"(?:the\s+)?(?:(?:fiscal|financial)\s+)?quarter\s+(?:in|during)\s+which\b[^.;,]{0,100}?"
_AND_NEXT = re.compile(
    rf"\b(?:for\s+)?(?P<start>{_IN_WHICH})\s*,?\s+and\s+(?:for\s+|in\s+)?(?:each\s+of\s+)?(?:the\s+)?"
    rf"(?:(?:immediately|next|following|succeeding|subsequent)\s+)*(?P<count>\w+)\s+{_QS}(?:\s+(?:thereafter|after\s+(?:it|that)|immediately\s+following))?",
    re.IGNORECASE,
)
_STARTING = re.compile(
    rf"\b(?:for\s+)?(?P<start>(?:each\s+of\s+)?(?:the|a\s+period\s+of)\s+(?P<count>\w+)\s+{_QS}\s*,?\s*(?:\(?\s*)?(?:beginning|commencing|starting|including)\s+(?:with\s+|in\s+|on\s+)?{_IN_WHICH})(?=[.;,)]|\s+(?:by|but|and|subject|provided|up\s+to)\b|$)",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"\b(?:notified\s|(?:by|upon|on|after|giving|gives?|delivers?|delivering)\s+(?:a\s+|its\s+)?(?:prior\s+)?(?:written\s+)?notice)\b(?:[^.;]|\.\d){0,80}?\b(?:within|not\s+(?:later|more)\s+than|no\s+later\s+than)\s+(?:the\s+)?(?P<days>\w+(?:-\w+)?)\s*(?:\(\d+\)\s*)?(?P<business>Business\s+)?days\s+(?:after|of|following|from)\s+[^,.;]*?(?=\s+(?:elect|that|to\s+increase)\b|[,.;]|$)",
    re.IGNORECASE,
)
_GAP = re.compile(
    r"\b(?:until|unless|before|after)\s+(?:there\s+have\s+been\s+)?(?:at\s+least\s+)?(?P<count>\w+)\s+(?:(?:full|complete|consecutive|successive)\s+)*(?:fiscal\s+|financial\s+)?quarters?\s+(?:have|has)?\s*(?:passed|elapsed|ended|gone\s+by|been\s+completed|at\s+the)"
    r"|\bat\s+least\s+(?P<other>\w+)\s+(?:(?:full|complete|consecutive|successive)\s+)*(?:fiscal\s+|financial\s+)?quarters?\s+(?:(?:at|without|since|after|between|must|shall|have)\b)",
    re.IGNORECASE,
)


def read_election(text: str, ask: Ask) -> PatternReading | None:
    """An elected increase; None where the clause gives no such right."""
    delta = _DELTA.search(text)
    if delta is None or not re.search(r"\belect\w*|\bnotice\b|\boption\b|\brequest\b|\bso\s+chooses\b", text, re.IGNORECASE):
        return None
    figure = next(name for name in ("figure", "other", "third") if delta[name])
    fields: dict[str, Value] = {"op": "elect_increase", "target": "maximum ratio", "delta": Fraction(delta[figure])}
    named = provisions(text, *sentence_around(text, delta.start())) or provisions(text, 0, delta.start())
    if named:
        fields["target"] = named[-1].number
    elif head := _HEAD.match(text):
        fields["target"] = head["number"]
    start = re.search(r"\b(?:shall|will|may)\s+be\s+$|\bis\s+$", text[max(0, delta.start() - 12) : delta.start()])
    spans = {"delta": (delta.start() - len(start[0]) if start else delta.start(), delta.end())}
    cap = _cap(text, delta.end())
    if cap is not None:
        fields["cap"] = cap[1].value
        spans["cap"] = (cap[0], cap[1].end)
    unstated: set[str] = set()
    window = _AND_NEXT.search(text)
    whole = None if window else _STARTING.search(text)
    found = window or whole
    count = count_of(found["count"]) if found else None
    if found and count is not None:
        spans["window"] = (found.start("start"), found.end())
        if ask.effective is not None and ask.test_date is not None:
            fields["windows"] = [*quarter_ends(ask.effective, count + (1 if window else 0), ask.test_date)]
        else:
            unstated.add("windows")
    notice, gap = _NOTICE.search(text), _GAP.search(text)
    if notice:
        fields["notice_business_days" if notice["business"] else "notice_days"] = count_of(notice["days"])
        spans["notice"] = notice.span()
    if gap:
        fields["gap_quarters"] = count_of(gap["count"] or gap["other"])
        spans["gap"] = gap.span()
    doubts = () if count is not None else ("review_election_evidence_missing",)
    return PatternReading(fields, spans, "on_event", frozenset(unstated), doubts)


_HEAD = re.compile(
    r"\A\s*(?:(?:Section|Clause)\s+)?(?P<number>\d{1,2}(?:\.\d{1,3})+[A-Z]?(?:\([a-z0-9]{1,4}\))*)\s*[.:]?\s", re.IGNORECASE
)


def _cap(text: str, after: int) -> tuple[int, LimitToken] | None:
    """The level above which it never goes."""
    for m in _CAP.finditer(text):
        token = next(iter(find_limits(text, m.end(), m.end() + 40, "ratio")), None)
        if token is not None and token.start - m.end() < 3 and token.start > after:
            return m.start(), token
    return None
