"""A reading that counsel took, among those that the run itself showed. It can choose; it can never bring a level of its own."""

from __future__ import annotations

from collections.abc import Sequence

from conformed.model.base import Missing
from conformed.model.codes import CODES, code_class, sentence_of
from conformed.model.covenant import Covenant
from conformed.model.decision import Conformed, ConformedRun, Effective, Reason
from conformed.model.operation import Extraction
from conformed.model.override import MAY_ANSWER, CounselReading
from conformed.model.pack import CaseFile, InstrumentKind
from conformed.model.span import Span
from conformed.rules.precedence.reading import key_of
from conformed.rules.precedence.schedule import pick_row
from conformed.rules.precedence.witness import unwitnessed

__all__ = ["read_as_advised"]

_Read = tuple[Effective, bool, str]  # what precedence gives after the readings, whether they were taken, and why not


def _stops(code: str) -> bool:
    """Whether a code sends a run to a person."""
    return code not in CODES or code_class(code) in {"review", "claim"}


def read_as_advised(case: CaseFile, extraction: Extraction, effective: Effective, readings: Sequence[CounselReading]) -> _Read:
    """The answer with the reading that counsel took.

    Only the codes that the overrides answer are closed. With anything else open the answer stays a review, and so it does where
    the chosen level is not witnessed or a conformed copy of the pack says otherwise.

    Args:
        case: the case.
        extraction: what was proposed.
        effective: what precedence gives without the readings.
        readings: overrides of this kind; all must choose one reading.
    """
    if not readings:
        return effective, False, ""
    if effective.result != "review":
        return effective, False, "Nothing was left for counsel to read: precedence has one answer."
    keys = {_key(one.chosen) for one in readings if one.chosen is not None}
    if len(keys) != 1:
        return effective, False, "The overrides choose different readings, so that none was taken."
    chosen = next((c for c in effective.candidates if _key(c) in keys), None)
    if chosen is None:
        return effective, False, "The run no longer shows that reading, so that it was not taken."
    answered = {(one.answers, one.subject) for one in readings if one.answers in MAY_ANSWER[one.code]}
    if not any((r.code, r.subject) in answered for r in effective.reasons):
        return effective, False, "What the reading would settle is not open, or is no question of law."
    kept = [r for r in effective.reasons if (r.code, r.subject) not in answered]
    kept += [*unwitnessed(case, chosen), *_contradicted(case, extraction, chosen)]
    first = readings[0]
    why = f"Reading {first.reading} of run {first.run} was taken on counsel's advice of {first.advised_on}; a person gave it."
    reasons = (*kept, Reason(code=first.code, sentence=why, subject=chosen.document, spans=chosen.limit.spans))
    if any(_stops(r.code) for r in kept):
        covenant = effective.covenant
        code = next(r.code for r in kept if _stops(r.code))
        missing = covenant.model_copy(update={"code": code}) if isinstance(covenant, Missing) else covenant
        return effective.model_copy(update={"reasons": reasons, "covenant": missing}), True, ""
    settled = {
        "result": "determined",
        "covenant": chosen.model_copy(update={"reading": "", "definitions": effective.definitions}),
        "candidates": (),
        "conformed": tuple(c for one in effective.conformed if (c := _as_chosen(one, chosen)) is not None),
        "reasons": reasons,
    }
    return effective.model_copy(update=settled), True, ""


def _as_chosen(copy: Conformed, chosen: Covenant) -> Conformed | None:
    """The conformed copy under the chosen reading: the words of that reading stand, and those of the other do not.

    Where the words cannot be told apart whole, None: no copy is shown rather than one of another reading.
    """
    if copy.definition or copy.section.partition(" ")[0] != chosen.section or _within(chosen.limit.spans, copy.runs):
        return copy
    holders = {r.operation for r in copy.superseded if _within(chosen.limit.spans, (r,))}
    now = tuple(r for r in copy.superseded if r.operation in holders)
    if not now or not _within(chosen.spans, now):
        return None
    return copy.model_copy(update={"runs": now, "superseded": (*(r for r in copy.superseded if r not in now), *copy.runs)})


def _within(spans: tuple[Span, ...], runs: Sequence[ConformedRun]) -> bool:
    """Whether every span lies in one of the places of some runs."""
    places = [p for run in runs for p in run.spans]
    return bool(spans) and all(
        any(p.document == s.document and p.start <= s.start and s.end <= p.end for p in places) for s in spans
    )


def _key(covenant: Covenant | None) -> tuple[object, ...]:
    return () if covenant is None else (*key_of([covenant]), covenant.section, covenant.document)


def _contradicted(case: CaseFile, extraction: Extraction, chosen: Covenant) -> list[Reason]:
    """A reason for each conformed copy of the pack that states the covenant at another level on the test date (PR-47)."""
    copies = {i.document for i in case.instruments if i.kind is InstrumentKind.CONFORMED_COPY}
    found = []
    for operation in extraction.operations:
        for terms in operation.terms if operation.document in copies else ():
            if (terms.section, terms.metric) != (chosen.section, chosen.metric):
                continue
            said = {(terms.comparator, row.limit.value) for row in pick_row(terms, case.question.test_date).rows}
            if said and (chosen.comparator, chosen.limit.value) not in said:
                code = "review_conformed_copy_conflict"
                found.append(Reason(code=code, sentence=sentence_of(code), subject=operation.document))
    return found
