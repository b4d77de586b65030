"""The overlay: a waiver that stands beside the result and never changes it (PR-44)."""

from __future__ import annotations

from collections.abc import Collection

from conformed.model.decision import CappedWaiver, Overlay, Reason
from conformed.model.operation import Op, Operation
from conformed.model.pack import Question
from conformed.rules.beside.ceilings import pending
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.reading import reason_for
from conformed.rules.timed.relief import applies_to

__all__ = ["overlay_of"]


def _doubts(ground: Ground, operation: Operation, question: Question) -> list[str]:
    """What keeps a waiver of this covenant from being taken as given on the knowledge date."""
    standing = ground.standing(operation, question.known_at)
    codes = [*ground.doubts.get(operation.document, ()), *(standing.codes if standing.state == "doubt" else ())]
    codes += [d.code for d in operation.doubts]
    holds = [w for w in operation.windows if w.holds(question.test_date)]
    if not operation.windows:
        codes.append("review_effective_date_ambiguous")
    elif all(w.edge_unclear(question.test_date) for w in holds):
        codes.append("review_boundary_date_ambiguous")
    return codes


def overlay_of(
    ground: Ground, documents: Collection[str], strangers: Collection[str], slots: Collection[str]
) -> tuple[Overlay, tuple[Reason, ...], tuple[CappedWaiver, ...]]:
    """The waiver that stands beside the result on the knowledge date, if one does.

    A ceiling needs the calculation and is not judged here (``conformed.rules.beside.ceilings``): a waiver that holds only within one is
    told as open, and given as the third value where nothing else is open about it.

    Args:
        ground: the case.
        documents: instruments of the agreement, those that a restatement dropped too: what was waived stays waived.
        strangers: instruments that may belong to another agreement.
        slots: the covenants in question.
    """
    question = ground.case.question
    reasons: list[Reason] = []
    overlay = Overlay.NONE
    capped: list[CappedWaiver] = []
    for operation in ground.operations:
        if operation.op is Op.GIVE_CONSENT and operation.document in documents:
            reasons.append(reason_for("reject_no_level_change", operation))
        if operation.op is not Op.WAIVE_TEST:
            continue
        reasons.append(reason_for("reject_waiver_not_amendment", operation))
        if not any(applies_to(operation, s) for s in slots):
            continue
        if operation.windows and not any(w.holds(question.test_date) for w in operation.windows):
            continue
        if operation.document not in documents:
            if operation.document in strangers:
                reasons.append(reason_for("review_base_reference_mismatch", operation))
            continue
        if operation.ends_on is not None and question.known_at >= operation.ends_on:
            reasons.append(reason_for("reject_expired", operation, "The waiver had ended by the knowledge date."))
            continue
        standing = ground.standing(operation, question.known_at)
        if standing.state == "not_yet":
            reasons += [reason_for(c, operation) for c in standing.codes]
            continue
        codes = _doubts(ground, operation, question)
        reasons += [reason_for(c, operation) for c in dict.fromkeys(codes)]
        clean = not any(c.startswith("review") for c in codes)
        ceiling, comparator = operation.ceiling, operation.ceiling_comparator
        if ceiling is not None:
            reasons.append(reason_for("review_cp_evidence_missing", operation, pending(ceiling)))
            if clean and comparator is not None:
                named = {"metric": operation.ceiling_metric, "spans": operation.instruction[:2]}
                capped.append(
                    CappedWaiver.model_validate(
                        {"document": operation.document, "ceiling": ceiling, "comparator": comparator, **named}
                    )
                )
        elif clean:
            overlay = Overlay.WAIVED
            reasons.append(reason_for("accept_waiver_overlay", operation))
    return overlay, tuple(reasons), tuple(capped)
