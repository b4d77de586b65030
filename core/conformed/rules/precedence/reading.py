"""The covenant under one reading: the state that its operations leave, the row of the test date, and what stops it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from conformed.model.base import Missing
from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant, CovenantTerms, Row, Unit
from conformed.model.decision import Reason
from conformed.model.operation import Op, Operation
from conformed.model.pack import InstrumentKind
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.schedule import Pick, pick_row, test_date_state
from conformed.rules.precedence.state import Setting, State
from conformed.rules.precedence.worlds import World
from conformed.rules.timed.elections import increased
from conformed.rules.timed.triggers import trigger_met

__all__ = ["Outcome", "covenant_of", "distinct", "key_of", "no_accept", "of_world", "reason_for", "to_review", "unique"]

_SANE = (1, 15)
_EARNINGS = ("ebit", "earnings", "cash flow", "operating income")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result on one date.

    Attributes:
        result: ``determined``, ``not_tested`` or ``review``.
        covenant: the covenant that governs; for a covenant not tested the level that would be, where there is one.
        candidates: open readings, on review.
        not_tested: why it is not tested.
        reasons: codes.
        state: the covenant's text and terms under the first reading.
        key: what has to agree for two outcomes to be one (rule G3).
    """

    result: str
    covenant: Covenant | None = None
    candidates: tuple[Covenant, ...] = ()
    not_tested: str = ""
    reasons: tuple[Reason, ...] = ()
    state: State = field(default_factory=State)
    key: tuple[object, ...] = ()


def reason_for(code: str, operation: Operation | None = None, sentence: str = "") -> Reason:
    """A reason with the code's own sentence, about an operation's document."""
    spans = operation.instruction[:2] if operation else ()
    return Reason(code=code, sentence=sentence or sentence_of(code), subject=operation.document if operation else "", spans=spans)


def covenant_of(terms: CovenantTerms, row: Row, ground: Ground, reading: str = "") -> Covenant | None:
    """The covenant that one row of some terms makes; None where the comparator is open or nothing shows where it stands."""
    where = row.limit.spans or terms.spans.get("clause", ())
    if isinstance(terms.comparator, Missing) or not where:
        return None
    document = where[0].document
    instrument = ground.instruments[document]
    label = instrument.title or f"{instrument.kind.value.replace('_', ' ')} of {instrument.dated}"
    clause = [s for role in ("comparator", "metric", "table", "clause") for s in terms.spans.get(role, ())]
    return Covenant(name=terms.name, metric=terms.metric, section=terms.section, comparator=terms.comparator, limit=row.limit, document=document,
                    instrument=label, tested=terms.tested, row=row.label, reading=reading, numerator=terms.numerator, denominator=terms.denominator,
                    spans=(*row.limit.spans, *row.spans, *clause))  # fmt: skip


def key_of(covenants: Iterable[Covenant]) -> tuple[object, ...]:
    """What has to agree for two readings to be one: metric, comparator, level, unit and currency (rule G3)."""
    return tuple((c.metric, c.comparator, c.limit.value, c.limit.unit, c.limit.currency) for c in covenants)


def distinct(covenants: Iterable[Covenant]) -> tuple[Covenant, ...]:
    """The first of each covenant that differs from the others in what counts."""
    seen: dict[tuple[object, ...], Covenant] = {}
    for c in covenants:
        seen.setdefault((*key_of([c]), c.section), c)
    return tuple(seen.values())


def unique(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """The first of each code about each subject."""
    seen: dict[tuple[str, str], Reason] = {}
    for r in reasons:
        seen.setdefault((r.code, r.subject), r)
    return tuple(seen.values())


def no_accept(outcome: Outcome) -> tuple[Reason, ...]:
    """The reasons of an outcome without its accept codes, for a review."""
    return tuple(r for r in outcome.reasons if not r.code.startswith("accept"))


def to_review(outcome: Outcome, reasons: Iterable[Reason], candidates: Iterable[Covenant] = ()) -> Outcome:
    """Turns an outcome into a review that shows what it would have been, and further readings; a doubt is then not immaterial."""
    shown = (*((outcome.covenant,) if outcome.covenant else ()), *outcome.candidates, *candidates)
    kept = [r for r in no_accept(outcome) if r.code != "finding_reading_immaterial"]
    return replace(outcome, result="review", covenant=None, candidates=distinct(shown), reasons=unique([*kept, *reasons]))


def _stops(reasons: Iterable[Reason]) -> bool:
    return any(r.code.startswith("review") for r in reasons)


def _before(state: State, document: str) -> Setting | None:
    """The earlier setting whose row still governs: the last change is confined to later periods and left it alone (PR-30)."""
    if state.setter is None or state.setter.document == document:
        return None
    return next((s for s in reversed(state.earlier) if s.setter.document == document), None)


def _how(state: State, ground: Ground, retro: list[str], document: str) -> tuple[str, ...]:
    """The accept codes that say how the level was found."""
    before = _before(state, document)
    how, setter = (before.how, before.setter) if before is not None else (state.how, state.setter)
    if "accept_retroactive_express" in retro:
        how = ""
    if setter is not None and how.startswith("accept") and setter.document in ground.admitted.corrected:
        how = "accept_corrected_error"
    if how and setter is not None and setter.op is Op.STATE_COVENANT:
        restates = any(o.op is Op.RESTATE_AGREEMENT and o.document == setter.document for o in ground.operations)
        if restates or ground.instruments[setter.document].kind is InstrumentKind.RESTATEMENT:
            how = "accept_restated_agreement"
    scheduled = state.terms is not None and sum(1 for r in state.terms.rows if r.label) > 1
    if scheduled and how == "accept_base_statement":
        return ("accept_schedule_row",)
    return tuple(c for c in (how, "accept_schedule_row" if scheduled else "") if c)


def _insane(terms: CovenantTerms, row: Row) -> bool:
    """Whether a level is impossible for debt over earnings (PR-07, PR-28): not above 1, or above 15."""
    earnings = any(w in f"{terms.denominator} {terms.name}".lower() for w in _EARNINGS)
    ratio = row.limit.unit is Unit.RATIO and terms.metric.endswith("leverage")
    return ratio and earnings and not _SANE[0] < row.limit.value <= _SANE[1]


def of_world(ground: Ground, world: World, test: dt.date) -> Outcome:
    """The outcome under one set of answers. Every doubt that the state or the terms carry stops it."""
    state, terms = world.state, world.state.terms
    subject = state.setter.document if state.setter else ""
    reasons = [Reason(code=c, sentence=sentence_of(c), subject=subject) for c in state.codes]
    retro = [c for p in world.counted if p.standing.retroactive and p.operation is state.setter for c in p.standing.codes]
    reasons += [reason_for(c, state.setter) for c in retro if not c.startswith("review")]
    reasons += [Reason(code=d.code, sentence=d.sentence, spans=d.spans, subject=subject) for d in state.doubts]
    if state.deleted is not None:
        reasons.append(reason_for("not_tested_covenant_deleted", state.deleted))
        return _untested("deleted", reasons, state)
    if terms is None:
        reasons.append(Reason(code="review_input_missing", sentence="No text in force on the test date states this covenant."))
        return Outcome("review", reasons=tuple(reasons), state=state, key=("none",))
    reasons += [Reason(code=d.code, sentence=d.sentence, spans=d.spans, subject=terms.section) for d in terms.doubts]
    pick = pick_row(terms, test)
    covenants = [c for c in (covenant_of(terms, r, ground, world.reading) for r in pick.rows) if c is not None]
    why = _not_now(terms, pick, test, ground, reasons)
    if why:
        return _untested(why, reasons, state, covenants)
    if isinstance(terms.comparator, Missing):
        where = terms.spans.get("clause", ())
        reasons.append(Reason(code=terms.comparator.code, sentence=terms.comparator.reason, subject=terms.section, spans=where))
    if any(_insane(terms, r) for r in pick.rows):
        sentence = "The level is not possible for debt over earnings: it must be above 1 and at most 15."
        reasons.append(
            Reason(
                code="review_numeric_token_malformed", sentence=sentence, subject=terms.section, spans=pick.rows[0].limit.spans
            )
        )
    other = increased(ground, terms, covenants)
    reasons += other.reasons
    met, said = trigger_met(terms, ground.case.question, ground.certificates)
    reasons += said
    if met is False and not _stops(reasons):
        return _untested("trigger_unmet", reasons, state, covenants)
    if _stops(reasons) or len(covenants) != 1:
        if not _stops(reasons):
            reasons.append(
                Reason(
                    code="review_clause_not_fully_read",
                    sentence="No one level could be read for the test date.",
                    subject=terms.section,
                )
            )
        return Outcome(
            "review",
            candidates=distinct((*covenants, *other.others, *([other.elected] if other.elected else []))),
            reasons=tuple(reasons),
            state=state,
            key=("review", *key_of(covenants)),
        )
    if other.elected is not None:
        return Outcome("determined", covenant=other.elected, reasons=tuple(reasons), state=state, key=key_of([other.elected]))
    before = _before(state, covenants[0].document)
    if before is not None and state.setter is not None:
        later = set(state.codes) - set(before.codes)
        reasons = [r for r in reasons if r.code not in later or r.subject != subject]
        words = f"{state.setter.document} changes the level for later periods only."
        reasons.append(reason_for("reject_not_yet_effective", state.setter, words))
    accepted = [
        reason_for(code, before.setter if before else state.setter) for code in _how(state, ground, retro, covenants[0].document)
    ]
    return Outcome("determined", covenant=covenants[0], reasons=(*accepted, *reasons), state=state, key=key_of(covenants))


def _untested(why: str, reasons: list[Reason], state: State, covenants: Iterable[Covenant] = ()) -> Outcome:
    """Not tested, unless something is in doubt: then it may be tested after all."""
    shown = tuple(covenants)
    if _stops(reasons):
        return Outcome("review", candidates=distinct(shown), reasons=tuple(reasons), state=state, key=("review", why))
    kept = tuple(r for r in reasons if not r.code.startswith("accept"))
    return Outcome(
        "not_tested",
        covenant=shown[0] if why == "trigger_unmet" and len(shown) == 1 else None,
        not_tested=why,
        reasons=kept,
        state=state,
        key=("not_tested", why),
    )


def _not_now(terms: CovenantTerms, pick: Pick, test: dt.date, ground: Ground, reasons: list[Reason]) -> str:
    """Why the covenant is not tested on the date, if it is not; codes of the row and the date are added."""
    if terms.selected is False:
        reasons.append(
            Reason(
                code="not_tested_not_selected",
                sentence=sentence_of("not_tested_not_selected"),
                spans=terms.spans.get("clause", ()),
            )
        )
        return "not_selected"
    reasons += [Reason(code=c, sentence=sentence_of(c), subject=terms.section) for c in pick.codes]
    if pick.not_tested:
        return pick.not_tested
    when = test_date_state(terms, test, ground.calendar)
    if when == "no" and len(terms.rows) > 1:
        code = "not_tested_not_a_test_date"
        reasons.append(Reason(code=code, sentence=sentence_of(code), subject=terms.section, spans=terms.spans.get("tested", ())))
        return "not_a_test_date"
    if when != "yes" and "finding_test_date_unconfirmed" not in pick.codes:
        code = "finding_test_date_unconfirmed"
        reasons.append(Reason(code=code, sentence=sentence_of(code), subject=terms.section))
    return ""
