"""Conditions that stand beside a covenant, in another clause of its section or anywhere that names it: "Section 7.11 shall apply only if ..."."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.springing_clause import find_springing, spoken_conditions
from conformed.language.terms import with_condition
from conformed.language.traced import Traced
from conformed.model.covenant import CovenantKind, CovenantTerms, Doubt

__all__ = ["Place", "conditioned"]

_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,3})*(?:\s?\([a-zA-Z0-9]{1,4}\))*")


@dataclass(frozen=True, slots=True)
class Place:
    """A covenant that was read, the stretch of its own words, and the section that holds it."""

    terms: CovenantTerms
    start: int
    end: int
    section: tuple[int, int]


def conditioned(places: list[Place], view: Traced) -> list[CovenantTerms]:
    """The terms of each covenant, with the conditions that other clauses set to it.

    A condition that was understood, of a section with one covenant, becomes its trigger. Any other is a doubt: whether the
    covenant was tested is then not for the clause alone to say.

    Args:
        places: covenants of one document.
        view: its live view.
    """
    spoken = spoken_conditions(view.text, 0, len(view.text)) if places else []
    return [_one(place, places, spoken, view) for place in places]


def _one(place: Place, places: list[Place], spoken: list[tuple[int, int]], view: Traced) -> CovenantTerms:
    terms = place.terms
    if terms.kind is not CovenantKind.MAINTENANCE:
        return terms
    outside = [
        (a, b)
        for a, b in spoken
        if not place.start <= a < place.end and (_within(a, place.section) or _names(view.text[a:b], terms.section))
    ]
    if not outside:
        return terms
    alone = sum(p.section == place.section for p in places) == 1
    a, b = outside[0]
    blank = re.compile(r"\n[ \t]*\n").search(view.text, b)
    found = find_springing(view.text, a, blank.start() if blank else len(view.text))
    if len(outside) == 1 and alone and found is not None:
        return with_condition(terms, found, view)
    said = "Another clause lets the covenant apply only under a condition that was not understood."
    doubt = Doubt(code="review_trigger_evidence_missing", sentence=said, spans=view.spans(a, b))
    return terms.model_copy(update={"doubts": (*terms.doubts, doubt)})


def _within(at: int, section: tuple[int, int]) -> bool:
    return section[0] <= at < section[1]


def _names(words: str, section: str) -> bool:
    """Whether some words name the covenant's own number, or one around it."""
    plain = re.sub(r"\s", "", section)
    named = [re.sub(r"\s", "", m[0]) for m in _NUMBER.finditer(words)]
    return bool(plain) and any(plain == n or plain.startswith(f"{n}(") for n in named)
