"""A clause that switches the test off for a time, as data: from when, to when, and what ends it early."""

from __future__ import annotations

import re

from conformed.language.dates import find_dates
from conformed.language.limits import find_limits
from conformed.language.pattern_base import read_statement
from conformed.language.pattern_words import EFFECTIVE, Ask, PatternReading, Value, provisions, sentence_around

__all__ = ["read_suspension"]

_SUSPEND = re.compile(
    r"\b(?:shall|will|need|does|do)\s+not\s+(?:be\s+(?:tested|measured|applied|required)|apply|have\s+effect)\b|\bno\s+test(?:ing)?\s+(?:(?:of|under)\s+(?:[^.;]|\.\d){0,80}?\s+)?(?:shall|will|is\s+to)\s+be\s+(?:made|carried\s+out|required|undertaken)\b"
    r"|\b(?:is|are|shall\s+be)\s+(?:hereby\s+)?(?:suspended|disapplied)\b|\b(?:is|are)\s+not\s+(?:to\s+be\s+)?(?:tested|required\s+to\s+(?:be\s+tested|comply\s+with))\b"
    r"|\b(?:need|shall|will)\s+not\s+(?:be\s+(?:required|obliged)\s+to\s+)?(?:comply\s+with|test|satisfy|meet|observe)\b|\bsuspends?\s+(?:the\s+)?(?:testing|operation|application)\b|\bis\s+(?:released|relieved)\s+from\s+(?:its\s+obligations?\s+under|compliance\s+with)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"(?:\"(?P<name>[^\"]{3,60})\"|(?-i:\b(?P<plainly>(?:[A-Z][\w-]*\s+){1,4}(?:Period|Holiday))))\s+(?:means|shall\s+mean|is)\s+(?:the\s+)?(?:period|time)\s+(?P<body>(?:of\s+time\s+)?(?:from|beginning|commencing|starting|that\s+(?:begins|starts|commences))\b[^;]*?)(?=\.\s|\.$|$)"
    r"|\b(?:the\s+)?(?:period|time)\s+(?P<plain>(?:from|beginning|commencing|starting)\b[^;\"]*?)\s*\(\s*(?:the\s+|such\s+period,?\s+the\s+)?\"(?P<called>[^\"]{3,60})\"\s*\)",
    re.IGNORECASE | re.DOTALL,
)
_EARLY = re.compile(r"\b(?:the\s+)?(?:earlier|earliest|first)\s+(?:to\s+occur\s+)?of\b", re.IGNORECASE)
_SOONER = re.compile(
    r"\b(?:(?:shall\s+|will\s+)?(?:terminates?|ends?|expires?|ceases?)\s+(?:early|sooner|earlier)|or,?\s+if\s+(?:earlier|sooner)\b|or\s+(?:(?:such|any)\s+)?(?:earlier|sooner)\b|unless\s+(?:\w+\s+){0,3}?(?:ended|terminated|brought\s+to\s+an\s+end)\s+(?:earlier|sooner|before)|if\s+(?:earlier|sooner))",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?:through|thru|to|until|and\s+ending\s+on|ending\s+on|up\s+to)\b", re.IGNORECASE)
_BEGINS = re.compile(r"\b(?:from|beginning|commencing|starting|between)\b", re.IGNORECASE)


def read_suspension(text: str) -> PatternReading | None:
    """A suspension of a test; None where the clause suspends none."""
    m = _SUSPEND.search(text)
    if m is None or (find_limits(text, 0, len(text), "ratio") and read_statement(text, Ask()) is not None):
        return None  # beside a level of its own it bears on that, and is a doubt there
    named = provisions(text, *sentence_around(text, m.start())) or provisions(text)
    start, end = sentence_around(text, m.start())
    fields: dict[str, Value] = {"op": "suspend_testing", "target": named[0].number if named else "", "from": None, "to": None}
    spans = {"op": (m.start(), end)}
    if named:
        spans["target"] = (named[0].start, named[0].end)
    period = _defined(text, start, end)
    a, b = period if period else (start, end)
    mode, doubts = "on_signing", set()
    if re.search(r"\bEffective\s+Date\b", text[a:b]):
        mode = "on_cp"
    early = _EARLY.search(text, a, b) or _SOONER.search(text, a, len(text))
    dates = find_dates(text, a, b)
    if len(dates) == 1:
        fields |= {"from": EFFECTIVE, "to": dates[0].date}
    elif len(dates) == 2 and _from_to(text, a, dates[0].start, dates[0].end, dates[1].start):
        fields |= {"from": dates[0].date, "to": dates[1].date}
    elif dates:
        fields["windows"] = [t.date for t in dates]
    else:
        doubts.add("review_suspension_end_unclear")
    if early:
        stop = max(b, sentence_around(text, early.start())[1])
        spans["end"] = (early.start(), _limbs_end(text, early.end(), stop))
        fields["ends_early_on"] = _ended_by(text[early.end() : stop])
    return PatternReading(fields, spans, mode, doubts=tuple(sorted(doubts)))


def _defined(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the period that the sentence names is defined."""
    for p in _PERIOD.finditer(text):
        name = re.sub(r"^(?:The|A|An)\s+", "", p["name"] or p["plainly"] or p["called"])
        if name in text[start:end] or start <= p.start() < end:
            return p.span("plain") if p["called"] else p.span("body")
    return None


def _from_to(text: str, start: int, first: int, after: int, second: int) -> bool:
    return _BEGINS.search(text, start, first) is not None and _RANGE.search(text, after, second) is not None


def _limbs_end(text: str, start: int, end: int) -> int:
    stops = [at for word in (" that it ", " terminating ", " that the ") if (at := text.find(word, start, end)) > 0]
    return min(stops) if stops else end


def _ended_by(words: str) -> str:
    """Who ends it, and by what."""
    who = (
        "borrower"
        if re.search(r"\b(?:Borrower|Company|Parent|Obligors?'?|Issuer|Holdings)\b", words)
        else "agent"
        if re.search(r"\bAgent\b", words)
        else ""
    )
    what = (
        "notice"
        if re.search(r"\bnotif\w+|\bnotice\b", words, re.IGNORECASE)
        else "election"
        if re.search(r"\belect", words, re.IGNORECASE)
        else "event"
    )
    return f"{who}_{what}" if who else what
