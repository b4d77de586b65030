"""Facts that a person adds about figures: one that was wrong, and a line that belongs to another term of the definition."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from conformed.language.labels import STATUTORY
from conformed.language.traced import live_view
from conformed.model.calculation import Certificate, Figure
from conformed.model.decision import Reason
from conformed.model.operation import Extraction
from conformed.model.override import InputCorrected, MappingCorrected
from conformed.model.pack import CaseFile
from conformed.rules.attested.attested_papers import places_of
from conformed.rules.calculation.worksheet import base_name

__all__ = ["TERMS", "input_corrected", "is_term", "mapping_corrected", "places_of_figure"]

TERMS = (
    "cash", "ebitda", "excluded_cash", "first_lien_debt", "foreign_cash", "net_income", "proforma_acquired", "proforma_disposed",
    "restricted_cash", "secured_debt", "senior_debt", "total_debt", "uncontrolled_cash", "unrestricted_cash", *STATUTORY,
)  # fmt: skip
"""Terms of a leverage definition to which a line may belong; besides these its parts, ``debt_...``, ``addback_...`` and ``gain_...``."""
_PARTS = re.compile(r"(?:debt|addback|gain)_[a-z0-9_]{1,60}")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")


def is_term(name: str) -> bool:
    """Whether a line may be counted to a term of this name."""
    return name in TERMS or _PARTS.fullmatch(name) is not None


def places_of_figure(certificate: Certificate, name: str) -> list[int]:
    """Places of the figures of a certificate that bear a name or a label."""
    wanted = " ".join(name.split()).casefold()
    return [
        n for n, one in enumerate(certificate.figures) if wanted in {one.name.casefold(), " ".join(one.label.split()).casefold()}
    ]


def _changed(
    extraction: Extraction, base: Extraction, document: str, figure: str, change: Callable[[Figure, Certificate], Figure | str]
) -> Extraction | str:
    """The extraction with one figure changed, or why it cannot be; the figure is looked for as the run read it."""
    there = [n for n, one in enumerate(base.certificates) if one.document == document]
    if len(there) != 1:
        return f"{document} was not read as one certificate, so that no figure of it can be corrected."
    places = places_of_figure(base.certificates[there[0]], figure)
    if len(places) != 1:
        return f"{document} has {len(places) or 'no'} figures of the name or label given: it must be one."
    now = extraction.certificates[there[0]]
    new = change(now.figures[places[0]], now)
    if isinstance(new, str):
        return new
    figures = tuple(new if n == places[0] else one for n, one in enumerate(now.figures))
    certificate = now.model_copy(update={"figures": figures})
    return extraction.model_copy(
        update={"certificates": tuple(certificate if n == there[0] else one for n, one in enumerate(extraction.certificates))}
    )


def input_corrected(
    case: CaseFile, extraction: Extraction, base: Extraction, override: InputCorrected
) -> tuple[Extraction, Reason]:
    """A certificate with another figure, where the old one is what was read and a paper shows the new one.

    Args:
        case: the case, the paper among its documents.
        extraction: what was proposed, with what other overrides changed.
        base: what was proposed, as it was read.
        override: the fact.
    """
    document = next((one for one in case.documents if one.name == override.file), None)
    view = live_view(document) if document is not None else None
    places = places_of(view, override.words) if view is not None else []
    spans = view.spans(*places[0]) if view is not None and len(places) == 1 else ()

    def change(figure: Figure, _certificate: Certificate) -> Figure | str:
        if figure.value != override.old:
            return f"{override.subject} gives {figure.value} where the override says that it gives {override.old}."
        if not spans or not _shows(override.words, override.new, figure.scale):
            return f"{override.file} does not show the figure {override.new} at the words given."
        return figure.model_copy(update={"value": override.new, "raw": override.words, "spans": (*spans, *figure.spans)})

    found = _changed(extraction, base, override.subject, override.figure, change)
    if isinstance(found, str):
        return extraction, Reason(code="review_input_conflict", sentence=found, subject=override.subject, spans=spans)
    why = f"A figure of {override.subject} is {override.new} and not {override.old}, as {override.file} shows; a person gave it."
    return found, Reason(code=override.code, sentence=why, subject=override.subject, spans=spans)


def _shows(words: str, value: Fraction, scale: int) -> bool:
    """Whether some words hold a number that is the value, as written or in the unit of the figure that it replaces."""
    numbers = [Fraction(m[0].replace(",", "")) for m in _NUMBER.finditer(words)]
    return any(number * unit == abs(value) for number in numbers for unit in {1, scale})


def mapping_corrected(extraction: Extraction, base: Extraction, override: MappingCorrected) -> tuple[Extraction, Reason]:
    """A certificate with a line counted to another term, where it was counted to the one that the override says.

    Args:
        extraction: what was proposed, with what other overrides changed.
        base: what was proposed, as it was read.
        override: the fact.
    """

    def change(figure: Figure, certificate: Certificate) -> Figure | str:
        if override.old not in {figure.name, base_name(figure.name)}:
            return f"{override.subject} has the line under {base_name(figure.name)} and not under {override.old}."
        if not is_term(override.new):
            return f"{override.new} is no term to which a line can belong."
        taken = {one.name for one in certificate.figures} - {figure.name}
        names = (override.new, *(f"{override.new}__{n}" for n in range(2, len(taken) + 3)))
        return figure.model_copy(update={"name": next(name for name in names if name not in taken)})

    found = _changed(extraction, base, override.subject, override.figure, change)
    if isinstance(found, str):
        return extraction, Reason(code="review_input_conflict", sentence=found, subject=override.subject)
    why = f"A line of {override.subject} belongs to {override.new} and not to {override.old}; a person gave it."
    return found, Reason(code=override.code, sentence=why, subject=override.subject)
