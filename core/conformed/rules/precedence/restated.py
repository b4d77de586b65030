"""The covenant said again elsewhere, in a form of certificate or in an instrument's own words, with another treatment of equality (P03).

A form or a certificate is never a source of the level. Where it says "not more than" for what the covenant calls "less than", at the
very same level of the very same figure, what the parties meant by equality is a question for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformed.language.comparators import find_governed
from conformed.language.limits import find_limits
from conformed.model.covenant import Comparator, Covenant
from conformed.model.decision import Reason
from conformed.model.pack import InstrumentKind
from conformed.rules.precedence.ground import Ground

__all__ = ["restated_otherwise"]

_LOOSE = {Comparator.LT: Comparator.LE, Comparator.GT: Comparator.GE}
"""A covenant at which the level itself fails, and the words that would let it pass. The other way round forms are merely loose."""
_FORM = re.compile(r"\bcertificate\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:margin|pricing|fee|so\s+long\s+as|if|unless|pro\s+forma|incur\w*|permitted|may)\b", re.IGNORECASE)
_MOST = 400
_SAYERS = (InstrumentKind.COMPLIANCE_CERTIFICATE, InstrumentKind.AMENDMENT, InstrumentKind.OTHER)


def restated_otherwise(ground: Ground, covenant: Covenant | None) -> list[Reason]:
    """The first place that gives the covenant's level with the other treatment of equality; empty where there is none.

    Args:
        ground: the case.
        covenant: the governing covenant.
    """
    if covenant is None or covenant.comparator not in _LOOSE:
        return []
    operative = [s for o in ground.operations for s in (*o.payload, *o.replace_spans, *o.instruction)]
    for document, start, end in _places(ground, covenant):
        view = ground.views[document]
        for token in find_limits(view.text, start, end, "ratio"):
            place = view.spans(token.start, token.end)
            inside = any(s.document == document and s.start <= p.start and p.end <= s.end for s in operative for p in place)
            if token.value != covenant.limit.value or inside:
                continue
            a, b = _sentence(view.text, token.start, token.end, start, end)
            if _OTHER.search(view.text, a, b) or not _same_figure(view.text[a:b], covenant):
                continue
            found = find_governed(view.text, a, token.start, a)
            if found is not None and found.comparator is _LOOSE[covenant.comparator]:
                said = f"{document} says the covenant again with {view.text[found.start : found.end].strip()!r}, which treats equality otherwise than the covenant's own words."
                return [Reason(code="review_comparator_ambiguous", sentence=said, subject=document, spans=view.spans(a, b))]
    return []


def _places(ground: Ground, covenant: Covenant) -> Iterator[tuple[str, int, int]]:
    """Certificates, instruments that change the agreement, and forms of certificate at the agreement's end."""
    for instrument in ground.admitted.known:
        view = ground.views[instrument.document]
        if instrument.kind in _SAYERS and instrument.document != covenant.document:
            yield instrument.document, 0, len(view.text)
        for provision in ground.tree_of(instrument.document).provisions:
            if provision.kind in ("schedule", "exhibit") and _FORM.search(provision.heading):
                yield (
                    instrument.document,
                    view.offset_of(instrument.document, provision.start),
                    view.offset_of(instrument.document, provision.end),
                )


def _sentence(text: str, start: int, end: int, low: int, high: int) -> tuple[int, int]:
    """The sentence around a level, inside a stretch."""
    breaks = [m.end() for m in re.finditer(r"[.;]\s+(?=[A-Z(\"])|\n\s*\n", text[max(low, start - _MOST) : start])]
    a = max(low, start - _MOST) + (breaks[-1] if breaks else 0)
    stop = re.compile(r"[.;](?=\s|$)|\n\s*\n").search(text, end, min(high, end + _MOST))
    return a, stop.start() if stop else min(high, end + _MOST)


def _same_figure(sentence: str, covenant: Covenant) -> bool:
    """Whether a sentence names the covenant's own figure: by its name, or by both of its sides."""
    folded = " ".join(sentence.split()).lower()
    sides = (covenant.numerator.lower(), covenant.denominator.lower())
    return covenant.name.lower() in folded or (all(sides) and all(side in folded for side in sides))
