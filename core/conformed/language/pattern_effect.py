"""How a change gets its effective date, by the words of its own sentence first and of the instrument second (rule book 3.2)."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace

from conformed.language.dates import find_dates

__all__ = ["Effect", "read_effect", "waives_default"]

_SINCE = r"(?:as\s+(?:of|from|at)|on|from|since)\s+(?:and\s+(?:from|including|after)\s+|and\s+including\s+)?"
_BACK = re.compile(
    rf"\b(?:apply|applies|applied|effective|(?:has|have|take|takes|taking)\s+effect|in\s+force)\s+(?:retroactively\s+|retrospectively\s+)?(?:as\s+(?:of|from)|on)\s+and\s+(?:from|after)\s+"
    rf"|\b(?:be\s+)?(?:treated|deemed|taken|regarded|considered)\s+(?:for\s+all\s+purposes\s+|always\s+)?(?:as\s+(?:having|if|though|being)|to\s+(?:have|be))\s+(?:it\s+had\s+)?(?:come\s+into|taken|been|become|had|made)?\s*(?:so\s+)?(?:in\s+|made\s+|in\s+full\s+)?(?:force|effect|effective|read|applied|amended|replaced)?\s*(?:and\s+effect\s+)?{_SINCE}"
    rf"|\b(?:be\s+)?deemed\s+effective\s+(?:retroactively\s+|retrospectively\s+)?{_SINCE}"
    rf"|\b(?:with\s+)?(?:retroactive(?:ly)?|retrospective(?:ly)?)\s+(?:effective\s+|effect\s+)?(?:to|as\s+(?:of|from)|from|on|effective\s+(?:as\s+(?:of|from)|from))\s+(?:and\s+(?:from|including)\s+)?"
    rf"|\b(?:nunc\s+pro\s+tunc)\s+(?:to|as\s+of|from)\s+",
    re.IGNORECASE,
)
_AS_IF = re.compile(r"\bas\s+(?:if|though)\b", re.IGNORECASE)
_HAD = re.compile(r"\bhad\s+(?:always\s+)?(?:been|applied|read|provided|stated|had\s+effect)\b", re.IGNORECASE)
_SINCE_THEN = re.compile(
    r"\b(?:on\s+or\s+(?:after|since|following)|on\s+and\s+after|from|since|after)\s+(?:that|such|the\s+said)\s+(?:date|day)\b",
    re.IGNORECASE,
)
_DAY_WRITTEN = r"(?:(?:the\s+)?(?:date|day(?:\s+and\s+year)?)\s+(?:(?:stated\s+|set\s+out\s+|appearing\s+|shown\s+|given\s+|written\s+)?(?:on|at)\s+(?:its|the)\s+(?:first\s+page|front\s+page|cover(?:\s+page)?|head|top|beginning)(?:\s+(?:hereof|of\s+this\s+\w+))?|hereof|first\s+(?:above\s+)?(?:written|stated|mentioned|set\s+(?:out|forth))(?:\s+above)?|of\s+this\s+[A-Za-z]\w+|set\s+(?:out|forth)\s+above|(?:which\s+)?(?:it|this\s+\w+)\s+bears)|its\s+date)"
_WRITTEN = re.compile(
    rf"\b(?:effect|effective|operative)\s+(?:retro\w+\s+)?(?:as\s+(?:of|from|at|on)|from|on|to)\s+{_DAY_WRITTEN}", re.IGNORECASE
)
_WHO = r"(?:Agent|Lenders?|conditions?|Bank|documents?|items?|counterparts?|evidence|deliverables?|Trustee)"
_DONE = r"(?:holds?|(?:has|have|been|being)\s+(?:been\s+)?(?:\w+\s+)?(?:received|satisfied|fulfilled|met|confirmed|notified|delivered|waived|given)|received|receives|satisf\w+|fulfil\w*|met|confirm\w*|notif\w+|delivered)"
_NOT_SOONER = r"(?:,?\s*and\s+not\s+(?:sooner|before|earlier|until\s+then)|,?\s*but\s+not\s+(?:sooner|before|earlier)|,?\s*and\s+only\s+then)"
_MET = re.compile(
    rf"\b(?:not\s+)?(?:once|when(?:,?\s+and\s+only\s+when)?|upon|after|until|as\s+soon\s+as|before|provided(?:\s+that)?|subject\s+to|conditional\s+(?:up)?on)\b[^.;]{{0,60}}?\b{_WHO}\b[^.;]{{0,80}}?\b{_DONE}\b[^.,;]{{0,60}}{_NOT_SOONER}?"
    rf"|\b(?:upon|on|subject\s+to|following|conditional\s+(?:up)?on)\s+(?:the\s+)?(?:(?:[A-Z]\w+\s+){{0,2}}Agent's\s+)?(?:prior\s+)?(?:receipt|satisfaction|fulfil\w*|delivery)\s+(?:in\s+full\s+)?(?:by|of|to)\b(?:[^.;,]|\.\d){{0,160}}",
    re.IGNORECASE,
)
_AT = r"(?:on|from|upon|at|as\s+(?:of|from)|with\s+effect\s+(?:on\s+and\s+)?from|on\s+and\s+(?:from|after)|from\s+and\s+after)"
_KEY = r"(?:Acquisition|Merger|Disposal|Disposition|Completion|Spin-?Off|Refinancing|Transaction|Target|Offering|IPO|Demerger|Sale|Flotation|Listing)"
_DEAL = rf"(?:(?:the\s+)?(?:[A-Z]\w+\s+){{0,3}}{_KEY}\b\s*(?:(?:[A-Z]\w+\s+){{0,2}}(?:Date|Time))?|(?:the\s+)?(?:date\s+of\s+(?:the\s+)?)?(?:closing|completion|consummation|occurrence)\s+of\s+(?:the\s+)?[A-Z]\w+(?:\s+[A-Z]\w+)*|(?:the\s+)?(?:first\s+)?(?:date|day)\s+(?:on\s+which|when)\s+(?:the\s+)?(?:[A-Z]\w+\s+){{1,4}}(?:is|are|has\s+been|shall\s+have\s+been|occurs|closes|completes)\s*(?:consummated|completed|closed)?)"
_EVENT = re.compile(
    rf"\b(?:[Ee]ffective|effect|[Aa]ppl(?:y|ies)|operative|force)\s+(?:only\s+)?{_AT}\s+{_DEAL}|(?:^|(?<=[.;]\s)|(?<=\)\s)|(?<=,\s))(?:On|Upon|From|With\s+effect\s+(?:on\s+and\s+)?from|with\s+effect\s+(?:on\s+and\s+)?from|upon)\s+(?:and\s+after\s+)?{_DEAL}(?=\s*,|\s+the\b)"
)
_NAMED_DAY = r"the\s+(?:[A-Z][\w.]*\s+){0,5}(?:(?:Effective|Restatement|Closing|Amendment)\s+(?:Date|Time)|(?:Amendment|Restatement)\s+Effective\s+Date)\b"
_CP = re.compile(
    r"\b(?:on|from|upon|with\s+effect\s+(?:on\s+and\s+)?from|on\s+and\s+from)\s+(?:and\s+from\s+)?the\s+(?:first\s+)?(?:day|date)\s*(?:\([^)]*\)\s*)?(?:on\s+which|when)\s+(?:each|all|the|every)\b[^.;]{0,240}"
    r"|\b(?:the\s+)?(?:first\s+)?(?:date|day)\s+(?:on\s+which\s+)?(?:the\s+)?(?:[A-Z]\w+\s+)?(?:Agent|Lender)\s+(?:gives\s+notice|notifies|confirms?|has\s+confirmed|has\s+received|is\s+satisfied)\b[^.;]*"
    rf"|\b(?:[Oo]n|[Ff]rom|[Uu]pon|[Oo]n\s+and\s+from|[Aa]s\s+(?:of|from)|[Aa]t|[Ee]ffective)\s+(?:and\s+after\s+)?{_NAMED_DAY}"
    r"|\b(?:[Ss]ubject\s+to|[Cc]onditional\s+(?:up)?on|[Ee]ffective\s+(?:up)?on|[Uu]pon)\s+(?:the\s+)?(?:prior\s+)?(?:satisfaction|fulfil\w*|receipt|conditions)\b[^.;,]*",
)
_MEANS = re.compile(r"\"?[^\"]{0,40}Effective\s+Date\"?\s+(?:means|shall\s+mean|is|being|shall\s+be)\s+(?P<day>(?:[^.;]|\.\d)+)")
_FIXED = re.compile(
    r"\b(?:effective(?:\s+(?:as\s+(?:of|from)|from|on))?|with\s+effect\s+(?:on\s+and\s+)?from|with\s+effect\s+as\s+(?:of|from)|takes?\s+effect\s+(?:on|from)|(?:as|on\s+and)\s+from|as\s+of\s+and\s+from|from(?:\s+and\s+(?:including|after))?|as\s+from\s+and\s+including|(?:has|have|takes?)\s+effect\s+(?:as\s+)?(?:from|of|on)(?:\s+and\s+including)?|(?-i:As\s+(?:of|at)|On|On\s+and\s+after|From\s+and\s+after))\s+$",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"\b(?:effective|effect)\b[^.;]{0,60}?\b(?:later|latest)\s+of\b|\b(?:[Oo]n|[Ff]rom)\s+the\s+(?:later|latest)\s+of\b",
    re.IGNORECASE,
)
_TAKES_EFFECT = re.compile(r"\b(?:effective(?:ness)?|effect|force)\b", re.IGNORECASE)
_IF = re.compile(
    r"\b(?:(?<!as\s)if|unless|until|once|when|upon|provided|subject\s+to|conditional|conditioned|only)\b(?!\s+(?:the\s+)?(?:due\s+)?(?:execution|signing|signature))",
    re.IGNORECASE,
)
_DEFAULTS = r"(?:(?:such\s+|actual\s+|potential\s+)?(?:Events?\s+of\s+)?Defaults?|breach(?:es)?|failures?|non-?compliance)"
_WAIVED = re.compile(
    rf"\b(?:any|each|every|the|all)\s+{_DEFAULTS}\b(?:[^.;]|\.\d){{0,260}}?\b(?:is|are|be)\s+(?:hereby\s+)?(?:irrevocably\s+|permanently\s+)?waived\b|\bwaives?\s+(?:any|each|every|the|all)\s+{_DEFAULTS}\b(?:[^.;]|\.\d)*",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:nothing|no\s+\w+|not|neither|without)\b[^.;]{0,60}$", re.IGNORECASE)
_IS_NOT = re.compile(r"\b(?:is|are|be)\s+not\s+(?:hereby\s+)?(?:irrevocably\s+)?$|\bnot\s+\w*\s*waived$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Effect:
    """How the date is found, the day that is written (if one is), and where the words stand."""

    mode: str
    day: dt.date | None = None
    at: tuple[int, int] | None = None
    back_at: tuple[int, int] | None = None
    stated: bool = True
    """Whether the words say it; an instrument that says nothing counts from its signing (rule book 3.2)."""
    open: bool = False
    """Whether words of effect stand beside words of condition that were not understood."""


def waives_default(text: str) -> tuple[int, int] | None:
    """Where a default that the change removes is waived; None where none is, or where the words deny it."""
    for m in _WAIVED.finditer(text):
        before = re.split(r"[.;]\s", text[max(0, m.start() - 80) : m.start()])[-1]
        if not _DENIED.search(before):
            return m.span()
    return None


def read_effect(text: str, sentence: tuple[int, int]) -> Effect:
    """The effect of the change that a sentence makes.

    Args:
        text: the clause.
        sentence: where the sentence stands; its own words win over those around it.
    """
    for start, end, own in ((*sentence, True), (0, len(text), False)):
        found = _in(text, start, end, own=own)
        if found is not None:
            return _reaching(text, found)
    return Effect("on_signing", stated=False, open=_conditional(text, 0, len(text)))


def _reaching(text: str, found: Effect) -> Effect:
    """A fixed day reaches back where what was failed on or after that very day is waived: nobody waives the future."""
    waived = waives_default(text) if found.mode == "fixed_date" else None
    if waived is not None and _SINCE_THEN.search(text, *waived):
        return replace(found, mode="as_of", back_at=found.at)
    return found


def _conditional(text: str, start: int, end: int) -> bool:
    """Whether a sentence on effect sets a condition."""
    for effect in _TAKES_EFFECT.finditer(text, start, end):
        for word in _IF.finditer(text, max(start, effect.start() - 160), min(end, effect.end() + 160)):
            between = text[min(word.end(), effect.end()) : max(word.start(), effect.start())]
            if re.search(r"(?<=[a-z0-9)\"])[.;]\s", between) is None:
                return True
    return False


def _dated_after(text: str, start: int, end: int) -> tuple[dt.date, int] | None:
    dates = find_dates(text, start, min(end, start + 30))
    return (dates[0].date, dates[0].end) if dates and dates[0].start - start <= 4 else None


def _in(text: str, start: int, end: int, *, own: bool) -> Effect | None:
    for back in _BACK.finditer(text, start, end):
        day = _dated_after(text, back.end(), end)
        if day is not None:
            return Effect("as_of", day[0], (back.start(), day[1]), (back.start(), day[1]))
    written = _WRITTEN.search(text, start, end)
    met = _MET.search(text, start, end)
    if written and met:
        return Effect("as_of_on_cp", None, met.span(), written.span())
    later = _LATER.search(text, start, end)
    if later:
        return Effect("later_of", None, later.span())
    event = _EVENT.search(text, start, end)
    if event and "Effective Date" not in event[0]:
        return Effect("on_event", None, event.span())
    conditions = _CP.search(text, start, end)
    if conditions:
        defined = _MEANS.search(text) if "Effective Date" in conditions[0] else None
        return Effect("on_cp", None, defined.span("day") if defined else conditions.span())
    fixed = _fixed(text, start, end)
    if fixed is not None:
        return fixed
    if met and (own or _TAKES_EFFECT.search(text, max(start, met.start() - 120), met.end() + 120)):
        return Effect("on_cp", None, met.span())
    if written:
        # The day written on the instrument, without a condition: it counts from its making.
        return Effect("on_signing", None, written.span(), open=_conditional(text, start, end))
    return None


def _fixed(text: str, start: int, end: int) -> Effect | None:
    for token in find_dates(text, start, end):
        words = _FIXED.search(text, max(start, token.start - 40), token.start)
        if words is None or re.search(
            r"\b(?:ending|ended|period|quarters?)\s*$", text[max(start, words.start() - 20) : words.start()], re.IGNORECASE
        ):
            continue
        at = (words.start(), token.end)
        as_if = _AS_IF.search(text, start, words.start())
        if as_if and _HAD.search(text, token.end, end):
            return Effect("as_of", token.date, at, at)
        return Effect("fixed_date", token.date, at)
    return None
