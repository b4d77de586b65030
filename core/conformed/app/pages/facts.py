"""The facts of a decision and where each stands, gathered once for the screen and the report."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.app.pages import shown
from conformed.model.base import Missing
from conformed.model.covenant import Covenant, Definition
from conformed.model.decision import Decision
from conformed.model.span import Span

__all__ = ["MOST_DEFINITIONS", "Fact", "facts_of", "near_definitions", "titles_of"]

MOST_DEFINITIONS = 12
"""Definitions shown of one covenant at most."""

_CERTIFICATE_PARTS = {
    "states_level": "Level that the certificate tests against",
    "states_ratio": "Ratio that the certificate states",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact and the places that show it."""

    group: str
    """covenant, reading, figure, certificate, definition, timeline or finding."""
    what: str
    """What the fact is."""
    shown: str
    """Its value for people; empty where the words themselves are the fact."""
    spans: tuple[Span, ...]
    """Where it stands, in reading order."""


def _covenant(covenant: Covenant, group: str, label: str) -> list[Fact]:
    found = [Fact(group, label, shown.words(covenant), covenant.limit.spans or covenant.spans[:1])]
    rest = tuple(span for span in covenant.spans if span not in found[0].spans)
    if rest:
        section = f"Section {covenant.section}" if covenant.section else covenant.name
        found.append(Fact(group, f"Words of {section}", "", rest))
    return found


def _reading_order(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(sorted(spans, key=lambda span: (span.document, span.start)))


def near_definitions(covenant: Covenant) -> tuple[Definition, ...]:
    """The definitions that the ratio is worked from: those that the covenant names, and those that these use.

    An agreement's definitions lead on and on, to every term of it; all of them are in the record and the conformed copy.
    """
    longest = sorted({shown.one_line(one.term) for one in covenant.definitions} - {""}, key=lambda term: (-len(term), term))
    terms = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")  # “Net Debt” does not use “Debt”

    def used(text: str) -> set[str]:
        return set(terms.findall(shown.one_line(text))) if longest else set()

    named = used("; ".join(filter(None, (covenant.name, covenant.numerator, covenant.denominator))))
    first = [one for one in covenant.definitions if shown.one_line(one.term) in named] or list(covenant.definitions[:1])
    further = set().union(*(used(one.text) for one in first))
    near = [one for one in covenant.definitions if one in first or shown.one_line(one.term) in further]
    return tuple(near[:MOST_DEFINITIONS])


def titles_of(decision: Decision) -> dict[str, str]:
    """The title of each document that no other document of the pack bears, by its name; people know papers by their titles."""
    titles = [document.title for document in decision.documents]
    return {
        document.name: document.title for document in decision.documents if document.title and titles.count(document.title) == 1
    }


def facts_of(decision: Decision) -> tuple[Fact, ...]:
    """Every fact of the record that has a place in a document: what decides first, then what it rests on."""
    found: list[Fact] = []
    if isinstance(decision.covenant, Covenant):
        found += _covenant(decision.covenant, "covenant", "Level")
    for number, candidate in enumerate(decision.candidates, 1):
        found += _covenant(candidate, "reading", f"Reading {number}")
    if not isinstance(decision.calculation, Missing):
        found += [
            Fact("figure", figure.label or figure.name, shown.figure(figure), _reading_order(figure.spans))
            for figure in decision.calculation.figures
        ]
    if not isinstance(decision.certificate, Missing):
        said = {
            "states_level": decision.certificate.states_level,
            "states_ratio": decision.certificate.states_ratio,
        }
        for part, spans in sorted(decision.certificate.spans.items()):
            stated = said.get(part)
            label = _CERTIFICATE_PARTS.get(part, f"Certificate: {part.replace('_', ' ')}")
            found.append(Fact("certificate", label, shown.level(stated) if stated is not None else "", _reading_order(spans)))
    open_or_governing = (
        (decision.covenant, *decision.candidates) if isinstance(decision.covenant, Covenant) else decision.candidates
    )
    for covenant in open_or_governing:
        for definition in near_definitions(covenant):
            fact = Fact("definition", f"“{shown.one_line(definition.term)}”", "", definition.spans)
            if fact not in found:
                found.append(fact)
    for entry in decision.timeline:
        found.append(Fact("timeline", f"Test dates {shown.stretch(entry.window)}:", entry.level, entry.spans))
    found += [Fact("finding", reason.sentence, "", reason.spans) for reason in (*decision.reasons, *decision.findings)]
    return tuple(fact for fact in found if fact.spans)
