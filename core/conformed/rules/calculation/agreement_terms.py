"""Clauses of the agreement in force that a calculation must obey, wherever they stand: rounding, frozen accounting, cures, rates."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from conformed.language.agreement import CureTerms, FrozenBasis, read_cure, read_frozen
from conformed.language.conversion import Conversion, read_conversion, read_redenomination
from conformed.language.cure_limits import CureLimits, merged_limits, read_cure_limits
from conformed.language.delivery import Delivery, read_deliveries
from conformed.language.ratios import find_ratios
from conformed.language.rounding import RoundingTerms, read_rounding
from conformed.model.base import Frozen
from conformed.model.covenant import Doubt
from conformed.model.document import Document
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind
from conformed.model.provision import Provision
from conformed.model.span import Span

__all__ = ["AgreementTerms", "agreement_terms"]

_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
_CHANGES = {InstrumentKind.AMENDMENT, InstrumentKind.SIDE_LETTER}
_LEAD = re.compile(
    r"\b(?:interpretation|construction|calculation|computation|rounding|accounting|GAAP|terms|financial|definition|cure|currenc|exchange)\b",
    re.IGNORECASE,
)
_DEEMED = re.compile(
    r"EBITDA[^.]{0,120}(?:zero|negative|less than (?:or equal to )?(?:zero|\$?0))[^.]{0,120}(?:deemed|be treated)[^.]{0,60}"
    r"(?:exceed|in excess|greater than|higher than|not (?:be )?(?:in compliance|satisf|met))",
    re.IGNORECASE,
)
_PRICING = re.compile(r"\b(?:pricing|margin|applicable rate|fees?|interest rate|commitment fee)\b", re.IGNORECASE)
_LONGEST = 6000
T = TypeVar("T")


class AgreementTerms(Frozen):
    """What clauses beside the definitions say."""

    rounding: RoundingTerms | None = None
    """The rounding clause."""
    frozen: FrozenBasis | None = None
    """The clause that keeps the accounting of an earlier day."""
    cure: CureTerms | None = None
    """The right to cure."""
    deliveries: tuple[Delivery, ...] = ()
    """Within how many days accounts and certificates must be delivered."""
    conversions: tuple[Conversion, ...] = ()
    """Currency clauses."""
    written: tuple[tuple[Fraction, int], ...] = ()
    """Leverage ratios as they are written anywhere in it: value and places, each pair once, sorted."""
    non_positive: str = "silent"
    """``breach`` where a clause deems the ratio exceeded when earnings are not positive."""
    closing: dt.date | None = None
    """Day of closing, where it is evidenced."""
    doubts: tuple[Doubt, ...] = ()
    """Where clauses contradict each other."""


def agreement_terms(case: CaseFile) -> AgreementTerms:
    """Reads the agreement in force on the test date, and instruments that are dated by then, for such clauses.

    A clause counts only in a base agreement that no later restatement has replaced; one in an amendment counts beside it. Two
    rounding clauses that differ are a doubt, and so is one that an amendment touches without its text being plain.

    Args:
        case: the case file.
    """
    bases = [i for i in case.instruments if i.kind in _BASES and _counts(i, case)]
    base = max(bases, key=lambda i: (i.effective_on or i.dated or dt.date.min, i.document), default=None)
    later = [i for i in case.instruments if i.kind in _CHANGES and _counts(i, case)]
    rounding: list[RoundingTerms] = []
    frozen: list[FrozenBasis] = []
    cures: list[CureTerms] = []
    limits: list[CureLimits] = []
    deliveries: list[Delivery] = []
    conversions: list[Conversion] = []
    deemed = False
    written: set[tuple[Fraction, int]] = set()
    for instrument in (*([base] if base else []), *later):
        document, provisions = case.document(instrument.document), _provisions(case, instrument.document)
        for provision in provisions:
            text, spans = _words(document, provision)
            headings = _headings(case, instrument.document, provision)
            if _PRICING.search(headings):
                continue  # a fee or a margin is rounded by words of its own
            written |= _ratios(text)
            deemed = deemed or _DEEMED.search(text) is not None
            one = read_rounding(text, spans)
            if one is not None and (one.carry != "none" or _LEAD.search(headings)) and all(one.raw != r.raw for r in rounding):
                rounding.append(one)
            _add(read_frozen, frozen, text, spans)
            _add(read_cure, cures, text, spans)
            if read_cure(text) is not None:
                limits.append(read_cure_limits(text))
            deliveries += read_deliveries(text, spans)
            redenominated = read_redenomination(text, spans)
            if redenominated is not None and all(redenominated.raw != known.raw for known in conversions):
                conversions.append(redenominated)
            if provision.kind != "definition" and _LEAD.search(headings):
                conversions += [c for c in read_conversion(text, spans) if all(c.raw != known.raw for known in conversions)]
    doubts: list[Doubt] = []
    if len({(r.carry, r.places, r.half) for r in rounding}) > 1:
        said = "More than one rounding clause is in the pack and they do not say the same."
        doubts.append(
            Doubt(code="review_rounding_method_ambiguous", sentence=said, spans=tuple(s for r in rounding for s in r.spans))
        )
    kinds = {c.kind for c in cures}
    return AgreementTerms(
        rounding=rounding[-1] if rounding else None,
        frozen=frozen[-1] if frozen else None,
        cure=cures[-1].model_copy(update={"limits": merged_limits(limits)}) if len(kinds) == 1 else None,
        deliveries=tuple(dict.fromkeys(deliveries)),
        conversions=tuple(conversions),
        written=tuple(sorted(written)),
        non_positive="breach" if deemed else "silent",
        closing=base.effective_on if base else None,
        doubts=tuple(doubts),
    )


def _ratios(text: str) -> set[tuple[Fraction, int]]:
    """Values and places of the ratios of a provision that speaks of leverage."""
    if re.search(r"leverage", text, re.IGNORECASE) is None:
        return set()
    return {(t.value, t.places) for t in find_ratios(text) if t.value is not None and t.places is not None}


def _add(read: Callable[[str, tuple[Span, ...]], T | None], kept: list[T], text: str, spans: tuple[Span, ...]) -> None:
    found = read(text, spans)
    if found is not None and all(getattr(found, "raw", found) != getattr(other, "raw", other) for other in kept):
        kept.append(found)


def _counts(instrument: Instrument, case: CaseFile) -> bool:
    """Whether an instrument may speak on the test date: made by then, and not a draft. What changes an agreement must be signed."""
    day = instrument.effective_on or instrument.dated
    unmade = {Execution.DRAFT} if instrument.kind in _BASES else {Execution.DRAFT, Execution.UNSIGNED}
    return instrument.execution not in unmade and (day is None or day <= case.question.test_date)


def _headings(case: CaseFile, name: str, provision: Provision) -> str:
    """Captions of a provision and of those around it."""
    tree = next(t for t in case.trees if t.document == name)
    found, at = [provision.heading], provision.parent
    while at is not None and len(found) < 8:
        found.append(tree.provisions[at].heading)
        at = tree.provisions[at].parent
    return " / ".join(found)


def _provisions(case: CaseFile, name: str) -> list[Provision]:
    """Provisions that hold no other one: each clause is read once."""
    tree = next((t for t in case.trees if t.document == name), None)
    if tree is None:
        return []
    parents = {p.parent for p in tree.provisions}
    return [
        p
        for p in tree.provisions
        if p.kind not in ("schedule", "exhibit") and (p.index not in parents or p.kind in ("section", "clause"))
    ]


def _words(document: Document, provision: Provision) -> tuple[str, tuple[Span, ...]]:
    end = min(provision.end, provision.start + _LONGEST)
    gone = sorted((*document.struck, *document.hidden, *document.furniture), key=lambda run: run.start)
    text, at = "", provision.start
    for run in gone:
        if at <= run.start < end:
            text += document.text[at : run.start]
            at = max(at, run.end)
    return text + document.text[at:end], (document.span(provision.start, min(end, provision.start + 400)),)
