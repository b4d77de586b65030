"""Time-limited states of one covenant: suspension and temporary level (rule book 3.5, PR-40 and PR-41)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformed.model.covenant import Covenant
from conformed.model.dates import Window
from conformed.model.decision import Reason
from conformed.model.operation import Op, Operation
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.reading import Outcome, distinct, key_of, no_accept, reason_for, to_review
from conformed.rules.precedence.slots import same_place
from conformed.rules.precedence.worlds import Placed, recites
from conformed.rules.timed.relief_end import EarlyEnd, early_end

__all__ = ["Relief", "applies_to", "relief_on", "relieved"]

_TIMED = {Op.SUSPEND_TESTING, Op.TEMPORARY_LEVEL}


@dataclass(frozen=True, slots=True)
class Relief:
    """What time-limited operations do on a test date.

    Attributes:
        suspended: operations that suspend testing on the date.
        temporary: operations that set a temporary level on the date.
        open: those of them that may or may not count, with the codes that say why.
        reasons: codes of what was considered (expired, reverted, findings).
    """

    suspended: tuple[Operation, ...] = ()
    temporary: tuple[Operation, ...] = ()
    open: tuple[tuple[Operation, tuple[str, ...]], ...] = ()
    reasons: tuple[Reason, ...] = ()


def applies_to(operation: Operation, slot: str) -> bool:
    """Whether an operation names a covenant's provision, one inside it or one around it."""
    target, section = operation.target.section, slot.partition("#")[0]
    return bool(target) and (same_place(target, section) or same_place(section, target))


def _windows(operation: Operation, start: dt.date | None) -> list[Window]:
    """The windows, those without a beginning from the day on which the instrument counts."""
    return [w if w.start is not None else w.model_copy(update={"start": start}) for w in operation.windows]


def relief_on(ground: Ground, chain: Chain, slot: str, test: dt.date) -> Relief:
    """Suspensions and temporary levels of a covenant as they stand on the test date."""
    suspended: list[Operation] = []
    temporary: list[Operation] = []
    unsure: list[tuple[Operation, tuple[str, ...]]] = []
    reasons: list[Reason] = []
    no_end = ground.case.question.no_election or ground.case.manifest.no_election
    for operation in ground.operations:
        if operation.op not in _TIMED or operation.document not in chain.documents or not applies_to(operation, slot):
            continue
        standing = ground.standing(operation, test)
        if standing.state == "not_yet":
            reasons += [reason_for(c, operation) for c in standing.codes]
            continue
        end = early_end(ground, operation) if operation.ends_early_on else EarlyEnd()
        windows = [end.cut(w) for w in _windows(operation, standing.date)]
        holds = [w for w in windows if w.holds(test)]
        if windows and not holds:
            if all(w.end is not None and w.end < test for w in windows):
                reasons += [reason_for("reject_expired", operation), reason_for("accept_reverted_after_lapse", operation)]
            continue
        codes = [*ground.doubts.get(operation.document, ()), *(standing.codes if standing.state == "doubt" else ())]
        codes += [d.code for d in operation.doubts if d.code.startswith("review")]
        findings = [d for d in operation.doubts if not d.code.startswith("review")]
        reasons += [Reason(code=d.code, sentence=d.sentence, subject=operation.document, spans=d.spans) for d in findings]
        codes += _window_doubts(operation, holds, test, no_end=no_end or end.ruled_out(test) or end.ended is not None)
        if codes:
            unsure.append((operation, tuple(dict.fromkeys(codes))))
        else:
            (suspended if operation.op is Op.SUSPEND_TESTING else temporary).append(operation)
    return Relief(tuple(suspended), tuple(temporary), tuple(unsure), tuple(reasons))


def _window_doubts(operation: Operation, holds: list[Window], test: dt.date, *, no_end: bool) -> list[str]:
    """What the days of a relief leave open: no days at all, an edge, an early end that nothing rules out."""
    codes = []
    if not holds or any(w.start is None for w in holds):
        codes.append("review_suspension_end_unclear")
    if holds and all(w.edge_unclear(test) for w in holds):
        codes.append("review_boundary_date_ambiguous")
    if operation.ends_early_on and not no_end:
        codes.append("review_suspension_end_unclear")
    if operation.op is Op.TEMPORARY_LEVEL and operation.limit is None:
        codes.append("review_clause_not_fully_read")
    return codes


def _moved(ground: Ground, level: Covenant, operation: Operation, reading: str = "") -> Covenant | None:
    """The covenant on a temporary level."""
    limit = operation.limit
    if limit is None or limit.unit is not level.limit.unit:
        return None
    title = ground.instruments[operation.document].title
    spans = (*limit.spans, *operation.instruction)
    return level.model_copy(
        update={
            "limit": limit,
            "document": operation.document,
            "instrument": title,
            "row": "",
            "reading": reading,
            "spans": spans,
        }
    )


def _overtaken(operation: Operation, ground: Ground, placed: Sequence[Placed]) -> Operation | None:
    """A permanent change made after a relief was given, of an instrument that does not deal with the relief (P31)."""
    relief = ground.instruments[operation.document]
    for p in placed:
        later = p.instrument.dated is None or relief.dated is None or p.instrument.dated > relief.dated
        other = p.operation.document != operation.document and not p.base and p.operation.op is not Op.OTHER_CHANGE
        if other and later and not recites(p.instrument, relief):
            return p.operation
    return None


def relieved(ground: Ground, outcome: Outcome, relief: Relief, placed: Sequence[Placed]) -> Outcome:
    """Suspension first, then a temporary level; what is open about either, or clashes, is a review.

    Args:
        ground: the case.
        outcome: the covenant on its permanent text.
        relief: what is in force for a time.
        placed: permanent operations on the covenant that are, or may be, in force.
    """
    outcome = replace(outcome, reasons=(*relief.reasons, *outcome.reasons))
    level = outcome.covenant or (outcome.candidates[0] if outcome.candidates else None)
    shown = (
        [_moved(ground, level, o, f"while {o.document} gives relief") for o in (*relief.temporary, *(o for o, _ in relief.open))]
        if level
        else []
    )
    candidates = distinct(c for c in shown if c is not None)
    certain = relief.suspended or relief.temporary
    clashes = [(o, p) for o in certain for p in (_overtaken(o, ground, placed),) if p is not None]
    if clashes:
        return to_review(outcome, [reason_for("review_conflict_same_effective_date", p) for _, p in clashes], candidates)
    if relief.suspended:
        kept = tuple(r for r in outcome.reasons if r.code.startswith(("finding", "reject")))
        reason = reason_for("not_tested_suspended", relief.suspended[-1])
        return replace(
            outcome,
            result="not_tested",
            covenant=None,
            candidates=(),
            not_tested="suspended",
            reasons=(reason, *kept),
            key=("suspended",),
        )
    if relief.open:
        return to_review(outcome, [reason_for(c, o) for o, codes in relief.open for c in codes], candidates)
    if not relief.temporary or outcome.result == "not_tested":
        return outcome
    if len(candidates) != 1 or outcome.result != "determined":
        code = "review_conflict_same_effective_date" if len(candidates) > 1 else "review_clause_not_fully_read"
        more = [] if outcome.result == "review" and len(candidates) == 1 else [reason_for(code, relief.temporary[-1])]
        first = replace(
            outcome,
            covenant=None,
            candidates=(*candidates, *((outcome.covenant,) if outcome.covenant else ()), *outcome.candidates),
        )
        return to_review(first, more)
    moved = candidates[0].model_copy(update={"reading": ""})
    elected = any(r.code == "accept_elected_increase" for r in outcome.reasons)
    if elected and outcome.covenant is not None and moved.limit.value != outcome.covenant.limit.value:
        # A temporary level and an increase that was elected, both on the date: no words say which one gives way.
        return to_review(outcome, [reason_for("review_conflict_same_effective_date", relief.temporary[-1])], candidates)
    return replace(
        outcome,
        covenant=moved,
        reasons=(reason_for("accept_temporary_level", relief.temporary[-1]), *no_accept(outcome)),
        key=key_of([moved]),
    )
