"""A borrower's notice that elects an increase: read into facts only as far as its words show each of them (P38)."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.amounts import Amount, Convention, read_amount
from conformed.language.dates import find_dates
from conformed.language.pattern_words import count_of
from conformed.model.election import Election

__all__ = ["ElectionLetter", "read_election_letter"]

_NUMBER = r"\d{1,2}(?:\.\d{1,3})*[A-Z]?(?:\s?\([a-zA-Z0-9]{1,4}\))*"
_ELECTS = re.compile(
    rf"\b(?:hereby\s+)?(?:elects?|gives?\s+(?:you\s+)?(?:written\s+)?notice\s+(?:of\s+(?:its|the|an)\s+election|that\s+it\s+elects)|exercises?\s+its\s+(?:right|option|election))\b(?P<what>(?:[^.;]|\.\d){{0,240}}?)\b(?:Section|Clause)\s+(?P<section>{_NUMBER})",
    re.IGNORECASE,
)
_RIGHT = re.compile(r"\bincrease\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"\b(?:may|might|intends?\s+to|would|will|proposes?\s+to|reserves?|right\s+to|not|wish(?:es)?\s+to|if)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:subject\s+to|conditional|conditioned|provided\s+that|if|unless|until|revok\w+|withdraw\w*|rescind\w*|draft|except\w*|expected|anticipated|not|no(?!\s+(?:other|previous|prior|earlier)))\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\b(?:acquisition|purchase)\b(?:[^.;]|\.\d){0,160}?\b(?:closed|was\s+(?:closed|completed|consummated|made)|completed)\s+on\s+(?=[A-Z\d])",
    re.IGNORECASE,
)
_IS_ONE = re.compile(r"\b(?:is|was|constitutes|constituted)\s+an?\s+(?P<event>(?:[A-Z][a-z]+\s+){1,2}Acquisition)\b")
_CERTIFIES = re.compile(
    r"\bcertif(?:y|ies)\b(?:[^.;]|\.\d){0,160}?\bconsideration\b(?:[^.;$€£]|\.\d){0,80}?\b(?:was|is|of|amounted\s+to)\s+(?P<money>[A-Z]{0,3}[$€£]?\s?\d[\d,.]*\d(?:\s+(?:million|billion))?)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\bthis\s+is\s+the\s+(?P<which>\w+)\s+(?:such\s+)?(?:election|increase)\b|\bno\s+(?:other|previous|prior|earlier)\s+(?:such\s+)?(?:election|increase)\s+has\s+been\s+made\b",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"\bthe\s+(?:last|previous|prior|most\s+recent)\s+increase\s+ended\s+(?:on|with\s+the\s+(?:fiscal|financial)\s+quarter\s+(?:that\s+)?(?:ended|ending))\s+(?=[A-Z\d])",
    re.IGNORECASE,
)
_ORDINALS = {w: i for i, w in enumerate(("first", "second", "third", "fourth", "fifth", "sixth"), 1)}


@dataclass(frozen=True, slots=True)
class ElectionLetter:
    """What a notice says.

    Attributes:
        section: the provision under which it elects.
        event: name of the event that it says happened, as a defined term; empty where it says none.
        facts: the facts that it shows, without spans.
        places: where each of them stands.
        at: the words that elect.
        open: words that make the election doubtful, or None.
    """

    section: str
    event: str
    facts: Election
    places: dict[str, tuple[int, int]]
    at: tuple[int, int]
    open: tuple[int, int] | None


def read_election_letter(text: str) -> ElectionLetter | None:
    """The one election of an increase that a letter makes; None where it makes none, or more than one.

    Args:
        text: the letter's live text.
    """
    hits = [m for m in _ELECTS.finditer(text) if _RIGHT.search(m["what"])]
    if len(hits) != 1:
        return None
    elects = hits[0]
    places: dict[str, tuple[int, int]] = {"elects": elects.span()}
    told: dict[str, object] = {}
    closed = list(_CLOSED.finditer(text))
    days = [_day_at(text, m.end()) for m in closed]
    if len(closed) == 1 and days[0] is not None:
        told["event_date"], places["event"] = days[0][0], (closed[0].start(), days[0][1])
    named = {m["event"] for m in _IS_ONE.finditer(text)}
    certified = list(_CERTIFIES.finditer(text))
    amounts = [read_amount(m["money"], convention=Convention.POINT, home="XXX") for m in certified]
    if len(amounts) == 1 and isinstance(amounts[0], Amount):
        told |= {"size": amounts[0].value, "size_currency": amounts[0].currency or ""}
        places["size"] = certified[0].span()
    first = list(_FIRST.finditer(text))
    if len(first) == 1:
        number = 1 if first[0]["which"] is None else _ORDINALS.get(first[0]["which"].lower()) or count_of(first[0]["which"])
        told |= {"number": number, "first": True if number == 1 else None}
        places["number"] = first[0].span()
    before = list(_PREVIOUS.finditer(text))
    if len(before) == 1 and (day := _day_at(text, before[0].end())) is not None:
        told["previous_window_end"], places["previous"] = day[0], (before[0].start(), day[1])
    told |= {"first": None} if before else {}
    start = max(text.rfind(".", 0, elects.start()), text.rfind("\n", 0, elects.start())) + 1
    doubt = _NOT_YET.search(text[start : elects.start()])
    loose = next((m for m in _OPEN.finditer(text) if not any(m.start() >= f.start() and m.end() <= f.end() for f in first)), None)
    where = (start + doubt.start(), elects.start()) if doubt else loose.span() if loose else None
    section = re.sub(r"\s", "", elects["section"])
    return ElectionLetter(
        section, named.pop() if len(named) == 1 else "", Election.model_validate(told), places, elects.span(), where
    )


def _day_at(text: str, at: int) -> tuple[dt.date, int] | None:
    found = find_dates(text, at, at + 40)
    return (found[0].date, found[0].end) if found and found[0].start - at <= 1 else None
