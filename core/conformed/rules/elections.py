"""Rights to another level after an event or election (PR-42): a claim or a notice without its evidence is a question."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from conformed.model.covenant import Covenant, CovenantTerms
from conformed.model.decision import Reason
from conformed.model.operation import Operation
from conformed.model.span import Span
from conformed.rules.ground import Ground
from conformed.rules.slots import same_place

__all__ = ["increased"]


def _other(
    base: Covenant, level: Fraction | None, delta: Fraction | None, cap: Fraction | None, spans: tuple[Span, ...], reading: str
) -> Covenant | None:
    value = level if level is not None else base.limit.value + delta if delta is not None else None
    if value is None:
        return None
    value = min(value, cap) if cap is not None else value
    where = spans or base.limit.spans
    limit = base.limit.model_copy(update={"value": value, "raw": where[0].text if spans else base.limit.raw, "spans": where})
    return base.model_copy(update={"limit": limit, "reading": reading})


def _elected(ground: Ground, section: str) -> list[Operation]:
    """Elections of this covenant whose windows hold the test date; one without windows may hold it."""
    test = ground.case.question.test_date
    found = []
    for operation in ground.elections:
        target = operation.target.section
        here = not target or same_place(target, section) or same_place(section, target)
        if here and (not operation.windows or any(w.holds(test) for w in operation.windows)):
            found.append(operation)
    return found


def increased(ground: Ground, terms: CovenantTerms, covenants: Sequence[Covenant]) -> tuple[list[Covenant], list[Reason]]:
    """Other levels that the covenant may have on the test date, and the question that they raise.

    Notice, time, size, number and gap of an election are not proved here, so that an election in the pack is never taken on
    its word; without one, an attestation that none was made settles the matter.

    Args:
        ground: the case; its test date is asked about.
        terms: the covenant's terms.
        covenants: the covenant on the permanent level.
    """
    elections = _elected(ground, terms.section)
    question = ground.case.question
    attested = (question.no_election or ground.case.manifest.no_election) and not question.claimed_elections
    open_rights = terms.increases if not attested or elections else ()
    if not covenants or not (elections or open_rights):
        return [], []
    base, found = covenants[0], []
    for operation in elections:
        level = operation.limit.value if operation.limit is not None else None
        spans = operation.limit.spans if operation.limit is not None else operation.instruction
        found.append(
            _other(base, level, operation.delta, operation.cap, spans, f"if the election in {operation.document} is good")
        )
    found += [_other(base, r.level, r.delta, r.cap, r.spans, f"if the {r.event or 'election'} is evidenced") for r in open_rights]
    if elections:
        sentence = f"{elections[0].document} elects another level; its notice, time, size, number and gap are not evidenced here."
        spans = elections[0].instruction
    else:
        sentence, spans = (
            "The clause lets another level apply after an event or election, and nothing in the pack shows whether it happened.",
            open_rights[0].spans,
        )
    reason = Reason(code="review_election_evidence_missing", sentence=sentence, subject=terms.section, spans=spans)
    return [c for c in found if c is not None], [reason]
