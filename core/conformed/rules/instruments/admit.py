"""Which instruments can operate at all (rule book 3.1), and what is in doubt about each."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from conformed.language.traced import Traced
from conformed.model.codes import sentence_of
from conformed.model.decision import Reason
from conformed.model.operation import Op, Operation
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind
from conformed.rules.authority.authority import Authority, authority_of
from conformed.rules.instruments.savings import saved_numbers
from conformed.rules.instruments.strangers import strangers

__all__ = ["Admitted", "admit"]

K = InstrumentKind
_OPERATES = {K.FACILITY_AGREEMENT, K.RESTATEMENT, K.AMENDMENT, K.WAIVER, K.CONSENT, K.SIDE_LETTER}
_BASE = {K.FACILITY_AGREEMENT, K.RESTATEMENT}
_NEEDS_SHARE = {K.RESTATEMENT, K.AMENDMENT, K.WAIVER, K.CONSENT}
_NO_OPERATION = {K.RESERVATION: "reject_no_level_change", K.CONFORMED_COPY: "reject_non_operative_document"}


@dataclass(frozen=True, slots=True)
class Admitted:
    """What rule book 3.1 leaves.

    Attributes:
        instruments: instruments that can operate.
        doubts: review codes about each of them, by document.
        aside: what was set aside, each with its reason.
        known: every instrument that had come into being by the knowledge date, evidence that came later taken off.
        corrected: instruments by which agent and borrower mend an error, as the agreement lets them.
    """

    instruments: tuple[Instrument, ...]
    doubts: dict[str, tuple[str, ...]]
    aside: tuple[Reason, ...]
    known: tuple[Instrument, ...] = ()
    corrected: frozenset[str] = frozenset()


def _reason(code: str, instrument: Instrument) -> Reason:
    spans = instrument.spans.get("execution", ()) or instrument.spans.get("dated", ())
    return Reason(code=code, sentence=sentence_of(code), subject=instrument.document, spans=spans)


def _later(instrument: Instrument, known_at: datetime.date) -> bool:
    """Whether an instrument came into being after the knowledge date (PR-01): dated, or signed to the end, after it."""
    return any(d is not None and d > known_at for d in (instrument.dated, instrument.signed_on))


def _recited(draft: Instrument, known: list[Instrument]) -> bool:
    """Whether another instrument speaks of a draft as made (PR-04); drafts and the draft itself prove nothing."""
    for other in known:
        if other.document == draft.document or other.execution is Execution.DRAFT or other.kind not in _OPERATES:
            continue
        if other.amends is not None and draft.kind in _BASE and draft.dated is not None and other.amends.dated == draft.dated:
            return True
        for recital in other.recites:
            same_kind = recital.kind is None or recital.kind is draft.kind
            if recital.number is not None and recital.number == draft.number and same_kind:
                return True
            if recital.dated is not None and recital.dated == draft.dated and (same_kind or recital.number is None):
                return True
    return False


def _doubts(instrument: Instrument, authority: Authority) -> tuple[str, ...]:
    found: list[str] = []
    if instrument.execution in {Execution.UNSIGNED, Execution.UNKNOWN}:
        found.append("review_unsigned_instrument")
    elif instrument.execution is Execution.PARTIAL:
        found.append("review_partial_execution")
    elif instrument.execution is Execution.DRAFT:
        found.append("review_unsigned_instrument")
    elif instrument.kind in _NEEDS_SHARE:
        found += authority.consent(instrument)
    if instrument.kind is K.SIDE_LETTER:
        found += authority.side_letter(instrument)
    return tuple(found)


def _unknown_kind(case: CaseFile, instrument: Instrument, operations: tuple[Operation, ...]) -> bool:
    """Whether a document that nobody calls by its kind makes changes all the same."""
    attested = any(d.file == instrument.document and d.kind is not None for d in case.manifest.documents)
    silent = {Op.STATE_COVENANT, Op.DEFINE, Op.GIVE_CONSENT}
    return (
        instrument.kind is K.OTHER
        and not attested
        and any(o.document == instrument.document and o.op not in silent for o in operations)
    )


def admit(case: CaseFile, views: Mapping[str, Traced], operations: tuple[Operation, ...] = ()) -> Admitted:
    """Applies knowledge date, kind, draft marks, execution and consent to each instrument of the case file.

    Args:
        case: the case file.
        views: live text of each document.
        operations: what the documents were read to do; a document of unknown kind that does something is in doubt.
    """
    aside: list[Reason] = []
    late = {i.document for i in case.instruments if _later(i, case.question.known_at)}
    known: list[Instrument] = []
    for instrument in case.instruments:
        if instrument.document in late:
            aside.append(_reason("reject_after_known_date", instrument))
            continue
        shown = {s.document for s in instrument.effective_evidence}
        if shown and shown <= late:
            # The day was shown by a document that did not yet exist.
            instrument = instrument.model_copy(update={"effective_on": None, "effective_evidence": ()})
        ended = {s.document for s in instrument.lapse_evidence}
        if ended and ended <= late:
            instrument = instrument.model_copy(update={"lapsed_on": None, "lapse_evidence": ()})
        saved = saved_numbers(views[instrument.document].text) if instrument.kind is K.RESTATEMENT else ()
        known.append(instrument.model_copy(update={"saves": saved}) if saved else instrument)
    authority = authority_of(known, views, operations)
    others = strangers(case.borrower, known, views)
    kept: list[Instrument] = []
    doubts: dict[str, tuple[str, ...]] = {}
    for instrument in known:
        if instrument.kind in _NO_OPERATION:
            aside.append(_reason(_NO_OPERATION[instrument.kind], instrument))
        elif _unknown_kind(case, instrument, operations):
            kept.append(instrument)
            doubts[instrument.document] = ("review_clause_not_fully_read",)
        elif instrument.kind not in _OPERATES:
            continue
        elif instrument.document in others:
            aside.append(_reason("reject_other_facility_covenant", instrument))
        elif instrument.execution is Execution.DRAFT and not _recited(instrument, known):
            aside.append(_reason("reject_draft", instrument))
        else:
            kept.append(instrument)
            doubts[instrument.document] = _doubts(instrument, authority)
    corrected = frozenset(i.document for i in kept if not doubts.get(i.document) and authority.corrects(i))
    return Admitted(tuple(kept), doubts, tuple(aside), tuple(known), corrected)
