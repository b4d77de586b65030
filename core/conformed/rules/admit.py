"""Which instruments can operate at all (rule book 3.1), and what is in doubt about each."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformed.model.codes import sentence_of
from conformed.model.decision import Reason
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind

__all__ = ["Admitted", "admit"]

K = InstrumentKind
_OPERATES = {K.FACILITY_AGREEMENT, K.RESTATEMENT, K.AMENDMENT, K.WAIVER, K.CONSENT, K.SIDE_LETTER}


@dataclass(frozen=True, slots=True)
class Admitted:
    """Instruments that can operate, doubts by document, and what was set aside with its reason."""

    instruments: tuple[Instrument, ...]
    doubts: dict[str, tuple[str, ...]]
    aside: tuple[Reason, ...]
    known: tuple[Instrument, ...] = field(default=())


def _reason(code: str, instrument: Instrument) -> Reason:
    spans = instrument.spans.get("execution", ()) or instrument.spans.get("dated", ())
    return Reason(code=code, sentence=sentence_of(code), subject=instrument.document, spans=spans)


def admit(case: CaseFile) -> Admitted:
    """Applies knowledge date, kind, draft marks and execution to each instrument of the case file."""
    kept: list[Instrument] = []
    known: list[Instrument] = []
    aside: list[Reason] = []
    doubts: dict[str, tuple[str, ...]] = {}
    recited = {(r.number, r.kind) for i in case.instruments for r in i.recites}
    for instrument in case.instruments:
        if instrument.dated is not None and instrument.dated > case.question.known_at:
            aside.append(_reason("reject_after_known_date", instrument))
            continue
        known.append(instrument)
        if instrument.kind is K.RESERVATION:
            aside.append(_reason("reject_no_level_change", instrument))
            continue
        if instrument.kind is K.CONFORMED_COPY:
            aside.append(_reason("reject_non_operative_document", instrument))
            continue
        if instrument.kind not in _OPERATES:
            continue
        if instrument.execution is Execution.DRAFT:
            if (instrument.number, K.AMENDMENT) in recited and instrument.number is not None:
                doubts[instrument.document] = ("review_unsigned_instrument",)
                kept.append(instrument)
            else:
                aside.append(_reason("reject_draft", instrument))
            continue
        kept.append(instrument)
        found: list[str] = []
        if instrument.execution in {Execution.UNSIGNED, Execution.UNKNOWN}:
            found.append("review_unsigned_instrument")
        elif instrument.execution is Execution.PARTIAL:
            found.append("review_partial_execution")
        if instrument.kind is K.SIDE_LETTER:
            found.append("review_side_letter_authority")
        doubts[instrument.document] = tuple(found)
    return Admitted(tuple(kept), doubts, tuple(aside), tuple(known))
