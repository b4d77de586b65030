"""The condition of a springing covenant inside its clause: found whole, and taken out so that the rest reads as a covenant (P06).

The words of the condition are a closed grammar: who speaks ("this covenant shall be tested only if"), what is used, beyond
which share, of which commitments, and nothing behind that. Whatever else stands in it leaves the clause as it is, so that
the doubts of a condition that was not understood remain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.amounts import fold
from conformed.language.trigger import read_trigger
from conformed.language.use_of_facility import is_commitments, read_use
from conformed.model.covenant import Trigger

__all__ = ["Springing", "find_springing", "spoken_conditions"]

_PERIOD = r"(?:(?:fiscal|financial)\s+quarter|quarter|Test\s+Period|Relevant\s+Period|Measurement\s+Period|period)"
_DAY = (
    r"(?:(?:on|as\s+of|as\s+at|at)\s+(?:(?:that|such|the\s+relevant|any\s+such)\s+(?:last\s+day|day|date|Test\s+Date|Quarter\s+Date|time)"
    rf"|(?:the\s+)?(?:last\s+day|end)\s+of\s+(?:such|that|the\s+(?:relevant|applicable)|any|each|a)\s+{_PERIOD}|(?:any|a|each)\s+(?:Test|Quarter)\s+Date))"
)
_NUMBER = r"\d{1,2}(?:\.\d{1,3})*(?:\s?\([a-zA-Z0-9]{1,4}\))*"
_THIS = (
    r"(?:\b(?:the\s+)?(?:provisions|requirements|covenants?)\s+(?:in|of|under|contained\s+in|set\s+(?:forth|out)\s+in)\s+(?:this\s+)?(?:section|clause|paragraph)"
    rf"(?:\s+{_NUMBER})?"
    r"|\b(?:this|the|such|the\s+foregoing)\s+(?:financial\s+)?(?:maintenance\s+)?(?:covenants?|ratio|test|section|clause|paragraph|provision)"
    rf"(?:\s+{_NUMBER})?(?:\s+(?:in|of|set\s+(?:forth|out)\s+in)\s+(?:this\s+)?(?:section|clause|paragraph)(?:\s+{_NUMBER})?)?"
    rf"|\b(?:section|clause|paragraph)\s+{_NUMBER})"
)
_ONLY = re.compile(
    rf"(?:[;,]\s*)?(?:\b(?:provided(?:,?\s+(?:however,?\s+)?that)?|but|and)\b,?\s*(?:that\s+)?)?{_THIS}\s+(?:(?:shall|will|must|is|are)\s+)?(?P<first>only\s+)?(?:to\s+)?(?:be\s+)?"
    rf"(?:appl(?:y|ies)|applicable|tested|effective|in\s+effect|measured|calculated)\s*,?\s*(?:{_DAY}\s*,?\s*)?(?P<only>(?:but\s+)?(?:only|solely)\s+)?(?:if(?:\s+and\s+only\s+if)?|when|where|to\s+the\s+extent(?:\s+that)?)\s*,?\s*(?:{_DAY}\s*,?\s*)?",
    re.IGNORECASE,
)
_IF = re.compile(rf"\b(?:If|Where|When)(?i:\s*,?\s+(?:{_DAY}\s*,?\s*)?)")
_WHICH = re.compile(r"(?<=[a-z])\s+(?:on|as\s+of|at\s+the\s+end\s+of)\s+which\s+", re.IGNORECASE)
_BEYOND = r"(?:equals?\s+or\s+exceeds?|exceeds?|(?:(?:is|are)\s+)?(?:equal\s+to\s+or\s+(?:greater|more|higher)\s+than|(?:greater|more|higher)\s+than|at\s+least|not\s+less\s+than|in\s+excess\s+of))"
_SHARE = (
    r"(?:\d{1,3}(?:\.\d{1,4})?\s*(?:%|per\s?cent\.?)|[a-z]+(?:[\s-][a-z]+)?\s+per\s?cent\.?(?:\s*\(\s*\d{1,3}(?:\.\d+)?%\s*\))?)"
)
_CORE = re.compile(
    rf"(?P<upper>[^;]{{4,420}}?)\s+(?P<raw>{_BEYOND}\s+{_SHARE}\s+of\s+(?:the\s+)?(?P<lower>[^.;,()]{{6,110}}?))(?:\s+{_DAY})?(?=\s*(?:[.;,)]|\Z)|\s+to\s+(?:be|exceed)\b)",
    re.IGNORECASE,
)
_WHO = r"(?P<who>(?:Revolving|RCF|Revolver)(?:\s+(?:Credit|Facility))?\s+Lenders)"
_FOR_WHOM = (
    re.compile(rf"\b(?:solely|only|exclusively)\s+(?:for|with\s+respect\s+to)\s+(?:the\s+(?:sole\s+)?benefit\s+of\s+)?the\s+{_WHO}\s*,\s*", re.IGNORECASE),
    re.compile(
        rf"{_THIS}\s+(?:is|has\s+been\s+made)\s+(?:made\s+)?(?:solely\s+)?for\s+the\s+(?:sole\s+|exclusive\s+)?benefit\s+of\s+the\s+{_WHO}(?:\s+(?:only|alone))?"
        r"(?:,?\s+and\s+(?:may|shall)\s+(?:only\s+)?be\s+(?:(?:amended|waived|modified|supplemented|varied)(?:\s*,\s*|\s+(?:and|or)\s+)?)+\s*(?:only\s+)?"
        r"(?:with|by)\s+(?:the\s+)?(?:prior\s+)?(?:written\s+)?(?:consent\s+of\s+)?the\s+(?:Required|Majority)\s+(?:Revolving|RCF|Revolver)(?:\s+(?:Credit|Facility))?\s+Lenders)?\s*\.",
        re.IGNORECASE,
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Springing:
    """A condition that was understood.

    Attributes:
        trigger: the condition, its spans still to be set.
        at: where its words of comparison stand, with what they are a share of.
        start: where the condition begins.
        end: one past its last word.
        beneficiary: for whom the covenant is made, in lower case with underscores; empty where nothing says so.
        whom: where that stands.
        text: the text with both taken out, offsets as they were.
    """

    trigger: Trigger
    at: tuple[int, int]
    start: int
    end: int
    beneficiary: str
    whom: tuple[int, int] | None
    text: str


def find_springing(text: str, start: int, end: int) -> Springing | None:
    """The one condition on the use of a revolving facility in a stretch; None where there is none, or not exactly one.

    Args:
        text: the text.
        start: first offset of the provision.
        end: one past its last.
    """
    found = [f for f in (_condition(text, m, start, end) for m in _heads(text, start, end)) if f is not None]
    if len({f[1] for f in found}) != 1:
        return None
    trigger, at, stretch = found[0]
    masked = _blank(text, *stretch)
    whom = next((m for pattern in _FOR_WHOM if (m := pattern.search(masked, start, end))), None)
    who = "" if whom is None else "_".join(whom["who"].lower().split())
    place = None if whom is None else whom.span()
    return Springing(trigger, at, *stretch, who, place, masked if place is None else _blank(masked, *place))


def spoken_conditions(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where a stretch says that a covenant applies, or is tested, only if something is so: understood or not.

    Args:
        text: the text.
        start: first offset.
        end: one past the last.
    """
    return [m.span() for m in _ONLY.finditer(text, start, end) if m["first"] or m["only"]]


def _heads(text: str, start: int, end: int) -> list[re.Match[str]]:
    heads = [m for m in _ONLY.finditer(text, start, end) if m["first"] or m["only"]]
    heads += [m for m in _IF.finditer(text, start, end) if _opens(text, start, m.start())]
    heads += [m for m in _WHICH.finditer(text, start, end) if re.search(r"\b(?:day|date|quarter|period)\s*\Z", text[max(start, m.start() - 20) : m.start()], re.IGNORECASE)]  # fmt: skip
    return heads


def _opens(text: str, start: int, at: int) -> bool:
    """Whether a sentence begins at a place."""
    before = text[max(start, at - 40) : at]
    plain = before.rstrip()
    return "\n" in before[len(plain) :] or plain[-1:] in {".", ";", ":"} or (not plain and at - 40 <= start)


def _condition(text: str, head: re.Match[str], start: int, end: int) -> tuple[Trigger, tuple[int, int], tuple[int, int]] | None:
    core = _CORE.match(text, head.end(), end)
    if core is None or read_use(core["upper"]) is None or not is_commitments(core["lower"]):
        return None
    trigger = read_trigger(f"only if {core['upper']} {core['raw']}")
    if trigger is None:
        return None
    words = {"numerator": " ".join(fold(core["upper"]).split()), "denominator": " ".join(fold(core["lower"]).split())}
    stop = core.end()
    if head.re is _IF:
        comma = re.compile(r"\s*,\s*(?:then\s+)?").match(text, stop, end)
        if comma is None:
            return None
        stop = comma.end()
    elif head.re is _ONLY and not re.compile(r"\s*(?:[.;)]|\Z)").match(text[:end], stop):
        return None  # something more hangs on it
    begin = head.start()
    if text[max(start, begin - 40) : begin].rstrip().endswith(".") and text[stop : stop + 1] == ".":
        stop += 1
    return trigger.model_copy(update=words), core.span("raw"), (begin, stop)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
