"""How a change gets its effective date, by the words of its own sentence first and of the instrument second (rule book 3.2)."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.dates import find_dates

__all__ = ["Effect", "read_effect", "waives_default"]

_BACK = re.compile(
    r"\b(?:apply|applies|applied|effective|has\s+effect|have\s+effect|take\s+effect|takes\s+effect|in\s+force)\s+(?:retroactively\s+|retrospectively\s+)?as\s+(?:of|from)\s+and\s+(?:from|after)\s+"
    r"|\b(?:treated|deemed|taken|regarded)\s+(?:as\s+(?:having|if)|to\s+have)\s+(?:it\s+had\s+)?(?:come\s+into|taken|been|become)\s+(?:in\s+)?(?:force|effect|effective)\s+(?:as\s+(?:of|from)|on|from)\s+(?:and\s+from\s+)?"
    r"|\b(?:retroactive(?:ly)?|retrospective(?:ly)?)\s+(?:effective\s+)?(?:to|as\s+(?:of|from)|effective\s+(?:as\s+(?:of|from)|from))\s+",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:effect|effective)\s+as\s+(?:of|from)\s+(?:the\s+)?(?P<what>date\s+(?:on\s+(?:its|the)\s+first\s+page|hereof|first\s+(?:above\s+)?written|of\s+this\s+\w+|set\s+(?:out|forth)\s+above)|its\s+date)",
    re.IGNORECASE,
)
_MET = re.compile(
    r"\b(?:once|when|upon|after|until)\b[^.;]{0,40}?\b(?:Agent|Lenders?|conditions?|Bank)\b[^.;]{0,60}?\b(?:holds?|has\s+received|received|receives|satisf\w+|fulfil\w*|met|confirm\w*|notif\w+)\b[^.,;]{0,60}(?:,?\s*and\s+not\s+(?:sooner|before|earlier))?"
    r"|\b(?:upon|on|subject\s+to)\s+(?:the\s+)?(?:prior\s+)?(?:receipt|satisfaction|fulfil\w*|delivery)\s+(?:by|of|to)\b[^.;]{0,160}",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:[Ee]ffective|effect)\s+(?:only\s+)?(?:on|from|upon|as\s+of|at)\s+(?:and\s+from\s+)?(?:the\s+)?(?:(?:[A-Z]\w+\s+){0,3}(?:Acquisition|Merger|Disposal|Disposition|Completion|Spin-?Off|Refinancing|Transaction|Target|Offering|IPO)\s*(?:[A-Z]\w+\s+)?(?:Date|Time)?|(?:date\s+of\s+(?:the\s+)?)?(?:closing|completion|consummation|occurrence)\s+of\s+(?:the\s+)?[A-Z]\w+)",
)
_CP = re.compile(
    r"\b(?:on|from|upon|with\s+effect\s+(?:on\s+and\s+)?from|on\s+and\s+from)\s+(?:and\s+from\s+)?the\s+(?:first\s+)?(?:day|date)\s*(?:\([^)]*\)\s*)?(?:on\s+which|when)\s+(?:each|all|the|every)\b[^.;]{0,240}"
    r"|\b(?:the\s+)?(?:first\s+)?(?:date|day)\s+(?:on\s+which\s+)?(?:the\s+)?(?:[A-Z]\w+\s+)?(?:Agent|Lender)\s+(?:gives\s+notice|notifies|confirms?|has\s+confirmed|has\s+received|is\s+satisfied)\b[^.;]*"
    r"|\b[Oo]n\s+the\s+(?:[A-Z][\w.]*\s+){0,4}Effective\s+Date\b|\bfrom\s+the\s+(?:[A-Z][\w.]*\s+){0,4}Effective\s+Date\b"
    r"|\b(?:subject\s+to|conditional\s+(?:up)?on|effective\s+(?:up)?on)\s+(?:the\s+)?(?:prior\s+)?(?:satisfaction|fulfil\w*|receipt|conditions)\b[^.;]*",
)
_MEANS = re.compile(r"\"[^\"]{0,40}Effective\s+Date\"\s+(?:means|shall\s+mean)\s+(?P<day>[^.;]+)")
_FIXED = re.compile(
    r"\b(?:effective(?:\s+(?:as\s+of|from|on))?|with\s+effect\s+(?:on\s+and\s+)?from|with\s+effect\s+as\s+(?:of|from)|takes?\s+effect\s+(?:on|from)|from(?:\s+and\s+including)?)\s+$",
    re.IGNORECASE,
)
_LATER = re.compile(r"\b(?:effective|effect)\b[^.;]{0,60}?\b(?:later|latest)\s+of\b", re.IGNORECASE)
_WAIVED = re.compile(
    r"\b(?:any|each|every|the|all)\s+(?:(?:Events?\s+of\s+)?Defaults?|breach(?:es)?|failures?)\b(?:[^.;]|\.\d){0,200}?\b(?:is|are|be)\s+(?:hereby\s+)?(?:irrevocably\s+)?waived\b|\bwaives?\s+(?:any|each|every|the|all)\s+(?:(?:Events?\s+of\s+)?Defaults?|breach(?:es)?|failures?)\b[^.;]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Effect:
    """How the date is found, the day that is written (if one is), and where the words stand."""

    mode: str
    day: dt.date | None = None
    at: tuple[int, int] | None = None
    back_at: tuple[int, int] | None = None
    stated: bool = True
    """Whether the words say it; an instrument that says nothing counts from its signing (rule book 3.2)."""


def waives_default(text: str) -> tuple[int, int] | None:
    """Where a default that the change removes is waived."""
    m = _WAIVED.search(text)
    return m.span() if m else None


def read_effect(text: str, sentence: tuple[int, int]) -> Effect:
    """The effect of the change that a sentence makes.

    Args:
        text: the clause.
        sentence: where the sentence stands; its own words win over those around it.
    """
    for start, end, own in ((*sentence, True), (0, len(text), False)):
        found = _in(text, start, end, own=own)
        if found is not None:
            return found
    return Effect("on_signing", stated=False)


def _in(text: str, start: int, end: int, *, own: bool) -> Effect | None:
    back = _BACK.search(text, start, end)
    if back:
        dates = find_dates(text, back.end(), min(end, back.end() + 30))
        if dates and dates[0].start - back.end() <= 4:
            return Effect("as_of", dates[0].date, (back.start(), dates[0].end), (back.start(), dates[0].end))
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
    for token in find_dates(text, start, end):
        words = _FIXED.search(text, max(start, token.start - 40), token.start)
        if words and not re.search(
            r"\b(?:ending|ended|period|quarters?)\s*$", text[max(start, words.start() - 20) : words.start()], re.IGNORECASE
        ):
            return Effect("fixed_date", token.date, (words.start(), token.end))
    if met and own:
        return Effect("on_cp", None, met.span())
    return None
