"""Condition notices: the agent's word that an instrument's conditions were met, and on which day (rule book 3.2)."""

from __future__ import annotations

import datetime as dt
import itertools
import re

from conformed.language.dates import find_dates
from conformed.language.names import AGREEMENT, ORDINAL, find_named, ordinal
from conformed.language.traced import Traced
from conformed.model.pack import Instrument, InstrumentKind

__all__ = ["apply_notices", "days_shown", "denies"]

_MET = re.compile(
    r"\b(?:conditions?\b[^;]{0,240}?\b(?:satisfied|fulfilled|met|waived)|(?:effective|closing|restatement)\s+date\b[^;]{0,160}?\b(?:occurred|is|was|fell|took\s+place)|"
    r"(?:became|become|is|was)\s+effective|effective\s+date\s*(?:is|was|:|=)|received\s+(?:or\s+waived\s+)?(?:all|each|every)\b[^;]{0,200}?\b(?:conditions?|documents?|items?))",
    re.IGNORECASE,
)
_NOT_YET = re.compile(r"\b(?:not|until|unless|if|once|when|will|shall|would|subject\s+to)\b[^.;]{0,60}$", re.IGNORECASE)
_DENIED = re.compile(  # a sentence that denies, hopes, orders, disputes or excepts shows no day
    r"\b(?:not|never|none|neither|nor|cannot|until|unless|fail(?:s|ed|ure)?|remains?|outstanding|yet\s+to|only\s+if|pending|subject\s+to|"
    r"except|save\s+(?:for|that)|other\s+than|disput\w+|alleg\w+|expect\w*|anticipat\w+|hop\w+|must|should|would|may|might|"
    r"(?:is|are)\s+to\s+be|to\s+be\s+(?:satisfied|fulfilled|met|waived)|if)\b|\bno\b(?!\.?\s*\d)",
    re.IGNORECASE,
)
_OTHER_DAY = re.compile(r"\b(?:dated|agreement|amendment|letter)(?:\s+(?:dated|as\s+of|of))*\s*(?:the\s+)?$", re.IGNORECASE)
_NUMBERED_DATE = re.compile(rf"\b(?P<ordinal>{ORDINAL})\s+(?:amendment\s+)?effective\s+date\b", re.IGNORECASE)
_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_STOP = re.compile(r"(?<=[a-z0-9)\"])(?<!\b[Nn]o)[.;]\s+(?=[A-Z(\"\d])|\n[ \t]*(?=\d{1,2}\.\s)|\n\s*\n")


def _sentences(text: str) -> list[tuple[int, int]]:
    edges = [0, *(m.end() for m in _STOP.finditer(text)), len(text)]
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _days(text: str, start: int, end: int) -> list[dt.date]:
    """Dates in a sentence that are not the date of an instrument that it names."""
    days = [
        token.date
        for token in find_dates(text, start, end)
        if not _OTHER_DAY.search(text[max(start, token.start - 40) : token.start])
    ]
    return list(dict.fromkeys(days))


def denies(text: str, start: int, end: int) -> bool:
    """Whether a sentence around some words denies, hopes, orders, disputes or excepts, so that it shows no day.

    Args:
        text: live text of a paper.
        start: first code point of the words.
        end: one past their last.
    """
    return any(_denied(text, a, b) for a, b in _sentences(text) if a < end and start < b)


def _denied(text: str, start: int, end: int) -> bool:
    """Whether a sentence has a word of denial. The month of May is none: dates are taken out first."""
    words = list(text[start:end])
    for token in find_dates(text, start, end):
        words[token.start - start : token.end - start] = " " * (token.end - token.start)
    return _DENIED.search("".join(words)) is not None


def days_shown(
    instruments: tuple[Instrument, ...], views: dict[str, Traced]
) -> dict[str, list[tuple[dt.date, Traced, tuple[int, int]]]]:
    """Every day that a notice of the pack shows for an instrument, by its document: day, text of the notice, and the sentence."""
    shown: dict[str, list[tuple[dt.date, Traced, tuple[int, int]]]] = {}
    for notice in instruments:
        if notice.kind is not InstrumentKind.CONDITION_NOTICE:
            continue
        view = views[notice.document]
        for a, b in _sentences(view.text):
            met = _MET.search(view.text, a, b)
            if met is None or _NOT_YET.search(view.text[a : met.start()]) or _denied(view.text, a, b):
                continue
            days = _days(view.text, a, b)
            for target in _named(view.text, a, b, instruments, notice) if len(days) == 1 else ():
                shown.setdefault(target.document, []).append((days[0], view, (a, b)))
    return shown


def apply_notices(instruments: tuple[Instrument, ...], views: dict[str, Traced]) -> tuple[Instrument, ...]:
    """Gives each instrument the effective day that a notice of the pack shows for it; an attested day stays.

    Each sentence of a notice speaks of the instrument that it names. One that names none of the pack, or whose day is not
    plain, or that speaks of what is still to come, changes nothing; two notices that disagree leave the day open.
    """
    shown = days_shown(instruments, views)
    result = []
    for instrument in instruments:
        found = shown.get(instrument.document, [])
        if instrument.effective_on is None and found and len({f[0] for f in found}) == 1:
            day, view, (a, b) = found[0]
            instrument = instrument.model_copy(update={"effective_on": day, "effective_evidence": view.spans(a, b)})
        result.append(instrument)
    return tuple(result)


def _named(text: str, start: int, end: int, instruments: tuple[Instrument, ...], notice: Instrument) -> list[Instrument]:
    """The instrument of which a sentence speaks: an amendment by number, else the agreement, else the one the notice is about."""
    changes = [
        i for i in instruments if i.kind not in {*_BASES, InstrumentKind.CONDITION_NOTICE, InstrumentKind.COMPLIANCE_CERTIFICATE}
    ]
    numbers = {n.number for n in find_named(text, start, end)}
    numbers |= {n for m in _NUMBERED_DATE.finditer(text, start, end) if (n := ordinal(m["ordinal"])) is not None}
    if numbers:
        return _unique([i for i in changes if i.number in numbers]) if len(numbers) == 1 else []
    if re.compile(rf"\b(?:{AGREEMENT}|(?:credit|facilit(?:y|ies)|loan)\s+agreement)\b", re.IGNORECASE).search(text, start, end):
        bases = [i for i in instruments if i.kind in _BASES]
        dates = {t.date for t in find_dates(text)}
        return _unique([i for i in bases if i.dated in dates] or bases)
    named = {n.number for n in find_named(text)}
    dated = {t.date for t in find_dates(text)} - {notice.dated}
    return _unique([i for i in changes if i.number in named or (not named and i.dated in dated)])


def _unique(found: list[Instrument]) -> list[Instrument]:
    return found if len(found) == 1 else []
