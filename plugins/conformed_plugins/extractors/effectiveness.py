"""When an instrument's operations start to count, by its own words (rule book 3.2)."""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.dates import find_dates
from conformed.language.traced import Traced
from conformed.model.operation import EffectiveMode, Effectiveness
from conformed.model.pack import Instrument, InstrumentKind

__all__ = ["dated_effect", "read_effectiveness"]

M = EffectiveMode
_THIS = r"(?:this|the|each|such|sections?\s+\d[^.]{0,60}?of\s+this|the\s+(?:amendments?|changes?|waivers?)[^.]{0,60}?|the\s+provisions\s+of\s+this)\s*(?:\w+\s+){0,5}?(?:amendment|waiver|consent|agreement|letter|restatement|section)?"
_WRITTEN = re.compile(
    rf"{_THIS}[^.]{{0,80}}?\b(?:effective|effect)\b[^.]{{0,60}}?\bas\s+of\s+(?:the\s+)?(?:date\s+(?:hereof|first\s+(?:above\s+)?written(?:\s+above)?|of\s+this\s+\w+|on\s+its\s+first\s+page|set\s+forth\s+above)|date\s+first)[^.]{{0,90}}?\b(?:when|once|on\s+the\s+(?:first\s+)?date|only\s+upon|upon|subject\s+to|provided|if)\b",
    re.IGNORECASE,
)
_AS_OF = re.compile(
    r"\b(?:effective|have\s+effect|take\s+effect|apply|applies|in\s+full\s+force(?:\s+and\s+effect)?|treated\s+as\s+having\s+come\s+into\s+(?:force|effect)|deemed\s+(?:to\s+(?:be|have\s+become)\s+)?effective)\s*,?\s*(?:\(?\w+\)?\s+)?(?:as\s+of|as\s+from|on|from|with\s+effect\s+from|retroactively\s+to)\s+(?:and\s+from\s+|and\s+after\s+)?",
    re.IGNORECASE,
)
_WITH_EFFECT = re.compile(r"\b(?:with\s+effect\s+(?:on\s+and\s+)?from|effective\s+(?:as\s+of|on|from))\s+", re.IGNORECASE)
_CONDITIONS = re.compile(
    r"\bconditions?\s+(?:precedent\s+)?(?:to|of)\s+(?:the\s+)?(?:general\s+)?effectiveness\b|\beffectiveness\s+of\s+(?:this|the|section)[^.]{0,80}?\b(?:is|are|shall\s+be)\s+(?:expressly\s+)?(?:subject|conditioned)|"
    r"\b(?:shall\s+)?(?:become|be|takes?|is)\s+(?:effective|effect)\b[^.]{0,120}?\b(?:upon|when|once|on\s+the\s+(?:first\s+)?(?:date|day)|only\s+(?:upon|if|when)|subject\s+to|at\s+such\s+time|provided)\b|"
    r"\"[^\"]{0,40}effective\s+date\"\s*(?:\)|means\b)|\bconditions?\s+precedent\b",
    re.IGNORECASE,
)
_ON_ITS_DATE = re.compile(
    rf"{_THIS}[^.]{{0,60}}?\b(?:effective|takes?\s+effect|has\s+effect)\b[^.]{{0,30}}?\b(?:as\s+of|on|from)\s+(?:the\s+)?(?:date\s+(?:hereof|first\s+(?:above\s+)?written(?:\s+above)?|of\s+this\s+\w+)|its\s+date)\b"
    r"(?:\s*,?\s*the\s+\w+(?:\s+\w+)?\s+having\s+received\b|\s*\.)",
    re.IGNORECASE,
)
_AGREEMENT_IS = re.compile(
    r"\bwith\s+effect\s+(?:on\s+and\s+)?from\s+(?P<date>[^,;.]{6,24}?),?\s+(?:the\s+)?(?:\w+\s+){0,4}?agreement\s+(?:is|shall\s+be)\s+(?:hereby\s+)?amended\b",
    re.IGNORECASE,
)
_ON_SIGNING = re.compile(
    r"\b(?:become|be|is|takes?)\s+(?:effective|effect)\s+(?:immediately\s+)?(?:upon|on|when|once)\s+(?:the\s+)?(?:due\s+)?(?:it\s+(?:has\s+been\s+|is\s+))?(?:execution|signing|signature|executed|signed)(?:\s+and\s+deliver(?:y|ed))?(?:\s+(?:hereof|of\s+this\s+\w+))?(?:\s+by\s+(?:all\s+(?:of\s+)?|each\s+of\s+)?the\s+(?:parties|signatories)(?:\s+(?:hereto|to\s+it))?)?\s*\.",
    re.IGNORECASE,
)
_LATER_OF = re.compile(r"\b(?:the\s+)?(?:later|latest)\s+(?:to\s+occur\s+)?of\b(?P<body>[^.;]{0,300})", re.IGNORECASE)
_NAMED_DAY = re.compile(
    r"\b(?:become|becomes|take|takes|be|have|has)\s+(?:effective|effect)\s+(?:automatically\s+|only\s+)?(?:on|as\s+of|from|upon|at|with\s+effect\s+from)\s+(?:and\s+after\s+)?(?:the\s+)?(?:[A-Z][\w.'-]*\s+){1,6}(?:Date|Time|Closing)\b"
    r"|\b(?:become|becomes|take|takes|be)\s+(?:effective|effect)\b[^.;]{0,60}?\b(?:upon|on|following|after)\s+(?:the\s+)?(?:consummation|completion|closing|occurrence|receipt|delivery|approval|date\s+(?:on\s+which|of\s+the))\b",
    re.IGNORECASE,
)
_LONG_STOP = re.compile(
    r"\b(?:not\s+(?:have\s+)?(?:been\s+)?(?:satisfied|occurred|become\s+effective)\s+(?:on\s+or\s+(?:before|prior\s+to)|by)|on\s+or\s+before|no\s+later\s+than)\s+$",
    re.IGNORECASE,
)
_LAPSE = re.compile(r"\b(?:null\s+and\s+void|lapse|terminate|no\s+force|shall\s+not\s+become\s+effective)\b", re.IGNORECASE)
_WAIVES = re.compile(
    r"\bwaive[sd]?\b(?:[^.]|\.\d){0,200}?\b(?:default|event\s+of\s+default|failure|non-?compliance|breach)\b|\b(?:default|breach|failure)\b(?:[^.]|\.\d){0,200}?\b(?:is|are|be)\s+(?:hereby\s+)?waived\b",
    re.IGNORECASE,
)
_UNWAIVED = re.compile(r"\b(?:not|nothing|no|none|neither|nor|without|never)\b[^.;,]*$", re.IGNORECASE)


def read_effectiveness(view: Traced, instrument: Instrument) -> Effectiveness:
    """The instrument's general rule of effect; operations with words of their own override it.

    A base agreement counts from its closing; an instrument without conditions from its signing.
    """
    text = view.text
    waives = _waives(text) if len(text) < 120_000 else False
    if instrument.kind in {InstrumentKind.FACILITY_AGREEMENT}:
        return Effectiveness(mode=M.ON_CLOSING)
    scope = text if len(text) < 120_000 else text[:60_000]
    long_stop = _long_stop(scope)
    m = _WRITTEN.search(scope)
    if m:
        return Effectiveness(
            mode=M.AS_OF_ON_CP,
            date=instrument.dated,
            long_stop=long_stop,
            waives_default=waives,
            event="conditions to effectiveness",
            spans=view.spans(m.start(), m.end()),
        )
    signing = _ON_SIGNING.search(scope)
    conditions = next(
        (c for c in _CONDITIONS.finditer(scope) if signing is None or not signing.start() <= c.start() < signing.end()), None
    ) or _named_day(scope)
    later = _later_of(scope)
    if later is not None:
        day, start, end = later
        return Effectiveness(
            mode=M.LATER_OF,
            date=day,
            long_stop=long_stop,
            waives_default=waives,
            event="the later of two days",
            spans=view.spans(start, end),
        )
    on_date = _ON_ITS_DATE.search(scope)
    if on_date is not None and instrument.dated is not None:
        return Effectiveness(
            mode=M.FIXED, date=instrument.dated, waives_default=waives, spans=view.spans(on_date.start(), on_date.end())
        )
    own = _own_date(scope, instrument.dated)
    stated = _AGREEMENT_IS.search(scope)
    dates = find_dates(stated["date"]) if stated else []
    if own is None and stated is not None and len(dates) == 1:
        own = (dates[0].date, stated.start(), stated.end())
    if own is not None:
        day, start, end = own
        spans = view.spans(start, end)
        if instrument.dated is not None and day < instrument.dated:
            return Effectiveness(
                mode=M.AS_OF,
                date=day,
                long_stop=long_stop,
                waives_default=waives,
                event="conditions to effectiveness" if conditions else "",
                spans=spans,
            )
        return Effectiveness(
            mode=M.LATER_OF if conditions else M.FIXED,
            date=day,
            long_stop=long_stop,
            waives_default=waives,
            event="conditions to effectiveness" if conditions else "",
            spans=spans,
        )
    if instrument.kind is InstrumentKind.RESTATEMENT or conditions:
        spans = view.spans(conditions.start(), conditions.end()) if conditions else ()
        return Effectiveness(
            mode=M.ON_CP, long_stop=long_stop, waives_default=waives, event="conditions to effectiveness", spans=spans
        )
    return Effectiveness(mode=M.ON_SIGNING, waives_default=waives)


def _waives(text: str) -> bool:
    """Whether a default is waived; what is denied ("do not waive", "no breach is waived") waives none."""
    return any(_UNWAIVED.search(text[max(0, m.start() - 60) : m.start()]) is None for m in _WAIVES.finditer(text))


def dated_effect(general: Effectiveness, day: dt.date, dated: dt.date | None) -> Effectiveness:
    """The rule of effect of an operation with a day of its own; the conditions of the whole instrument still count."""
    if dated is not None and day < dated:
        return general.model_copy(update={"mode": M.AS_OF, "date": day})
    waits = general.mode in {M.ON_CP, M.ON_EVENT, M.LATER_OF, M.AS_OF_ON_CP}
    later = max(day, general.date) if general.mode is M.LATER_OF and general.date else day
    return general.model_copy(update={"mode": M.LATER_OF if waits else M.FIXED, "date": later})


def _named_day(text: str) -> re.Match[str] | None:
    """Effect on a named day or event that is not the instrument's own date."""
    for m in _NAMED_DAY.finditer(text):
        before = text[max(0, m.start() - 200) : m.start()]
        sentence = re.split(r"(?<=[a-z)\"])[.;]\s|\n\s*\n", before)[-1]
        if re.search(
            r"\b(?:this|the|such|these)\s+(?:\w+\s+){0,4}(?:amendments?|waivers?|consents?|letter|agreement|section|changes?|modifications?)\b|\bsections?\s+\d",
            sentence,
            re.IGNORECASE,
        ):
            return m
    return None


def _later_of(text: str) -> tuple[dt.date, int, int] | None:
    """The fixed day among those of which the later counts."""
    for m in _LATER_OF.finditer(text):
        before = text[max(0, m.start() - 160) : m.start()]
        if not re.search(r"\beffective|\btakes?\s+effect", re.split(r"(?<=[a-z)\"])[.;]\s", before)[-1], re.IGNORECASE):
            continue
        days = [t.date for t in find_dates(m["body"])]
        if days:
            return max(days), m.start(), m.end()
    return None


def _own_date(text: str, dated: dt.date | None) -> tuple[dt.date, int, int] | None:
    """A date given for the effect of the whole instrument ("This Amendment shall be effective as of June 30, 1999")."""
    for m in re.finditer(
        r"\b(?:this|the)\s+(?:\w+\s+){0,4}?(?:amendment|waiver|consent|agreement|letter)\b[^.;]{0,120}?", text, re.IGNORECASE
    ):
        for pattern in (_AS_OF, _WITH_EFFECT):
            effect = pattern.match(text, m.end()) or pattern.search(text, m.end(), min(len(text), m.end() + 140))
            if effect is None or re.search(r"[.;]\s", text[m.end() : effect.start()]):
                continue
            dates = find_dates(text, effect.end(), effect.end() + 40)
            if dates and dates[0].start - effect.end() <= 2 and dates[0].date != dated:
                return dates[0].date, effect.start(), dates[0].end
            if dates and dates[0].start - effect.end() <= 2:
                return None
    return None


def _long_stop(text: str) -> dt.date | None:
    for token in find_dates(text):
        before = text[max(0, token.start - 90) : token.start]
        if _LONG_STOP.search(before) and _LAPSE.search(text[token.end : token.end + 260]):
            return token.date
    return None
