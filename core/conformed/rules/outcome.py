"""One covenant of one chain on one test date: every reading of it, and what keeps it from being the only one."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace

from conformed.language.traced import Traced, join
from conformed.model.base import Missing
from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant, CovenantTerms, Row
from conformed.model.dates import FiscalCalendar
from conformed.model.decision import Reason
from conformed.model.operation import Op, Operation
from conformed.model.pack import CaseFile, Instrument
from conformed.model.span import Span
from conformed.rules.apply import State, apply, own_terms, touches
from conformed.rules.chains import Chain, missing_instruments
from conformed.rules.dating import standing_of
from conformed.rules.mentions import mention, speaks_of
from conformed.rules.relief import Relief, reason_for, relief_on
from conformed.rules.schedule import pick_row, test_date_state
from conformed.rules.worlds import Placed, World, in_order, worlds

__all__ = ["Ground", "Outcome", "covenant_of", "evaluate"]

_RESTATES = {Op.REPLACE_PROVISION, Op.ADD_PROVISION, Op.REPLACE_TABLE}


@dataclass(frozen=True, slots=True)
class Ground:
    """What every evaluation of a case shares."""

    case: CaseFile
    operations: tuple[Operation, ...]
    instruments: dict[str, Instrument]
    doubts: dict[str, tuple[str, ...]]
    views: dict[str, Traced]
    calendar: FiscalCalendar | None

    def text_of(self, spans: tuple[Span, ...]) -> Traced | None:
        """The live text behind spans, or None where there are none."""
        parts = []
        for span in spans:
            view = self.views[span.document]
            parts.append(view.slice(view.offset_of(span.document, span.start), view.offset_of(span.document, span.end)))
        return join(parts) if parts else None


    def payload_of(self, operation: Operation, slot: str) -> Traced | None:
        """The text that an operation gives to one covenant: of a payload that states several, only that covenant's sentence."""
        own = own_terms(operation, slot)
        if len(operation.terms) > 1 and len(own) == 1:
            return self.text_of(own[0].spans.get("clause", ()))
        return self.text_of(operation.payload)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result on one date: ``determined``, ``not_tested`` or ``review``."""

    result: str
    covenant: Covenant | None = None
    candidates: tuple[Covenant, ...] = ()
    not_tested: str = ""
    reasons: tuple[Reason, ...] = ()
    state: State = field(default_factory=State)
    key: tuple[object, ...] = ()


def covenant_of(terms: CovenantTerms, row: Row, ground: Ground, reading: str = "") -> Covenant | None:
    """The covenant that one row of some terms makes; None where the comparator is open."""
    if isinstance(terms.comparator, Missing):
        return None
    document = row.limit.spans[0].document if row.limit.spans else next(iter(terms.spans.get("clause", ()))).document
    instrument = ground.instruments[document]
    label = instrument.title or f"{instrument.kind.value.replace('_', ' ')} of {instrument.dated}"
    clause = [s for role in ("comparator", "metric", "table", "clause") for s in terms.spans.get(role, ())]
    return Covenant(name=terms.name, metric=terms.metric, section=terms.section, comparator=terms.comparator, limit=row.limit, document=document,
                    instrument=label, tested=terms.tested, row=row.label, reading=reading, numerator=terms.numerator, denominator=terms.denominator,
                    spans=(*row.limit.spans, *row.spans, *clause))  # fmt: skip


def _place(ground: Ground, chain: Chain, section: str, test: dt.date, known: dt.date) -> tuple[list[Placed], list[Reason]]:
    documents = {i.document for i in (*([chain.base] if chain.base else []), *chain.changes)}
    placed: list[Placed] = []
    reasons: list[Reason] = []
    for operation in ground.operations:
        if operation.document not in documents or not touches(operation, section):
            continue
        instrument = ground.instruments[operation.document]
        standing = standing_of(operation, instrument, test, known)
        if standing.state == "not_yet" and operation.op is not Op.STATE_COVENANT:
            reasons.append(reason_for("reject_not_yet_effective", operation))
            continue
        if operation.op is Op.ADD_PROVISION and not own_terms(operation, section) and operation.target.section != section.partition("#")[0]:
            continue
        placed.append(Placed(operation, instrument, standing, ground.doubts.get(operation.document, ())))
    return placed, reasons


def evaluate(ground: Ground, chain: Chain, section: str, test: dt.date) -> Outcome:
    """The covenant at one section of a chain on one test date."""
    question = ground.case.question.model_copy(update={"test_date": test})
    placed, reasons = _place(ground, chain, section, test, question.known_at)
    ordered, order_codes, clashes = in_order(placed)

    def run(counted: list[Placed]) -> State:
        state = State()
        for p in ordered:
            if p in counted:
                o = p.operation
                state = apply(state, o, section, ground.payload_of(o, section), ground.text_of(o.replace_spans), ground.calendar)
        return state

    every = worlds(ordered, run)
    relief = relief_on(_relief_operations(ground, chain), ground.instruments, ground.doubts, section, question, no_election=question.no_election or ground.case.manifest.no_election)
    reasons += [Reason(code=c, sentence=sentence_of(c), subject=section) for c in order_codes]
    outcomes = [_of_world(ground, w, test) for w in every]
    first = _settle(ground, every, outcomes, section)
    first = _with_clashes(ground, first, clashes, ordered, section, test, run)
    first = replace(first, reasons=(*reasons, *relief.reasons, *first.reasons))
    first = _base_doubts(ground, chain, first, ordered)
    first = _chain_doubts(ground, chain, first, test)
    first = _unread_changes(ground, chain, first, section, test)
    if first.state.terms is None and first.result == "review" and not first.candidates:
        first = replace(first, candidates=_reaching(ground, chain, section, test))
    return _relieved(ground, first, relief)


def _reaching(ground: Ground, chain: Chain, section: str, test: dt.date) -> tuple[Covenant, ...]:
    """Levels that an instrument not yet in force lists for the date: right only if it reaches back, so shown and no more."""
    found = []
    documents = {i.document for i in chain.changes}
    for operation in ground.operations:
        if operation.document in documents and touches(operation, section):
            for terms in own_terms(operation, section):
                covenants = [covenant_of(terms, r, ground, f"if {operation.document} reaches back to this date") for r in pick_row(terms, test).rows]
                found += [c for c in covenants if c is not None]
    return _distinct(found)


def _relief_operations(ground: Ground, chain: Chain) -> list[Operation]:
    documents = {i.document for i in chain.changes}
    return [o for o in ground.operations if o.document in documents]


def _of_world(ground: Ground, world: World, test: dt.date) -> Outcome:
    """The outcome under one set of answers."""
    state = world.state
    codes = [Reason(code=c, sentence=sentence_of(c), subject=state.setter.document if state.setter else "") for c in state.codes]
    retro = [c for p in world.counted if p.standing.retroactive and p.operation is state.setter for c in p.standing.codes if not c.startswith("review")]
    codes += [reason_for(c, state.setter) for c in retro]
    doubts = [Reason(code=d.code, sentence=d.sentence, spans=d.spans, subject=state.setter.document if state.setter else "") for d in state.doubts]
    if state.deleted is not None:
        codes.append(reason_for("not_tested_covenant_deleted", state.deleted))
        return Outcome("review" if doubts else "not_tested", not_tested="deleted", reasons=(*codes, *doubts), state=state, key=("deleted",))
    terms = state.terms
    if terms is None:
        codes.append(Reason(code="review_input_missing", sentence="No text in force on the test date states this covenant."))
        return Outcome("review", reasons=(*codes, *doubts), state=state, key=("none",))
    if terms.selected is False:
        codes.append(Reason(code="not_tested_not_selected", sentence=sentence_of("not_tested_not_selected"), spans=terms.spans.get("clause", ())))
        return Outcome("not_tested", not_tested="not_selected", reasons=tuple(codes), state=state, key=("not_selected",))
    pick = pick_row(terms, test)
    doubts += [Reason(code=d.code, sentence=d.sentence, spans=d.spans, subject=terms.section) for d in terms.doubts]
    findings = [Reason(code=c, sentence=sentence_of(c), subject=terms.section) for c in pick.codes]
    if pick.not_tested:
        return Outcome("not_tested", not_tested=pick.not_tested, reasons=(*codes, *findings), state=state, key=("not_tested", pick.not_tested))
    covenants = [c for c in (covenant_of(terms, r, ground, world.reading) for r in pick.rows) if c is not None]
    increased, claim = _increase(ground, terms, covenants)
    when = test_date_state(terms, test, ground.calendar)
    if when == "no" and len(terms.rows) > 1:
        codes.append(Reason(code="not_tested_not_a_test_date", sentence=sentence_of("not_tested_not_a_test_date"), subject=terms.section, spans=terms.spans.get("tested", ())))
        return Outcome("not_tested", not_tested="not_a_test_date", reasons=(*codes, *findings), state=state, key=("not_a_test_date",))
    if when != "yes" and "finding_test_date_unconfirmed" not in pick.codes:
        findings.append(Reason(code="finding_test_date_unconfirmed", sentence=sentence_of("finding_test_date_unconfirmed"), subject=terms.section))
    everything = (*codes, *findings, *doubts, *claim)
    stopped = any(r.code.startswith("review") for r in everything) or isinstance(terms.comparator, Missing) or len(covenants) != 1
    if isinstance(terms.comparator, Missing):
        everything = (*everything, Reason(code=terms.comparator.code, sentence=terms.comparator.reason, subject=terms.section, spans=terms.spans.get("clause", ())))
    if stopped:
        spare = [c for c in (covenant_of(terms, r, ground, world.reading) for r in (pick.rows or ())) if c is not None]
        return Outcome("review", candidates=(*(covenants or spare), *increased), reasons=everything, state=state, key=("review", *_key(covenants)))
    how = state.how
    if len(terms.rows) > 1 and how == "accept_base_statement":
        how = "accept_schedule_row"
    accept = [reason_for(how, state.setter)] if how else []
    if len(terms.rows) > 1 and how not in {"accept_schedule_row", ""}:
        accept.append(reason_for("accept_schedule_row", state.setter))
    return Outcome("determined", covenant=covenants[0], reasons=(*accept, *everything), state=state, key=_key(covenants))


def _key(covenants: list[Covenant]) -> tuple[object, ...]:
    return tuple((c.metric, c.comparator, c.limit.value, c.limit.unit, c.limit.currency) for c in covenants)


def _increase(ground: Ground, terms: CovenantTerms, covenants: list[Covenant]) -> tuple[list[Covenant], list[Reason]]:
    question, manifest = ground.case.question, ground.case.manifest
    if not terms.increases or not covenants:
        return [], []
    if (question.no_election or manifest.no_election) and not question.claimed_elections:
        return [], []
    found = []
    base = covenants[0]
    for increase in terms.increases:
        value = increase.level if increase.level is not None else base.limit.value + increase.delta if increase.delta is not None else None
        if value is not None:
            value = min(value, increase.cap) if increase.cap is not None else value
            limit = base.limit.model_copy(update={"value": value, "raw": increase.spans[0].text if increase.spans else base.limit.raw, "spans": increase.spans or base.limit.spans})
            found.append(base.model_copy(update={"limit": limit, "reading": f"if the {increase.event or 'election'} is evidenced"}))
    event = terms.increases[0]
    sentence = "The clause lets another level apply after an event or election, and nothing in the pack shows whether it happened."
    return found, [Reason(code="review_election_evidence_missing", sentence=sentence, subject=terms.section, spans=event.spans)]


def _settle(ground: Ground, every: list[World], outcomes: list[Outcome], section: str) -> Outcome:
    """One outcome from all readings: value identity first, otherwise review with each as a candidate."""
    first = outcomes[0]
    if len(outcomes) == 1:
        return first
    if len({o.key for o in outcomes}) == 1 and first.result != "review":
        reason = Reason(code="finding_reading_immaterial", sentence=sentence_of("finding_reading_immaterial"), subject=section)
        return replace(first, reasons=(*first.reasons, reason))
    codes = [reason_for(c, p.operation) for w in every[:1] for p in w.counted if p.open for c in p.codes]
    candidates: list[Covenant] = []
    reasons: list[Reason] = []
    for outcome in outcomes:
        candidates += [outcome.covenant] if outcome.covenant else list(outcome.candidates)
        reasons += [r for r in outcome.reasons if not r.code.startswith("accept")]
    return Outcome("review", candidates=_distinct(candidates), reasons=tuple(_unique([*codes, *reasons])), state=first.state, key=("review",))


def _distinct(covenants: list[Covenant]) -> tuple[Covenant, ...]:
    seen: dict[tuple[object, ...], Covenant] = {}
    for c in covenants:
        seen.setdefault((c.metric, c.comparator, c.limit.value, c.limit.currency, c.section), c)
    return tuple(seen.values())


def _unique(reasons: list[Reason]) -> list[Reason]:
    seen: dict[tuple[str, str], Reason] = {}
    for r in reasons:
        seen.setdefault((r.code, r.subject), r)
    return list(seen.values())


def _with_clashes(ground: Ground, first: Outcome, clashes: tuple[tuple[Placed, Placed], ...], ordered: list[Placed], section: str, test: dt.date, run: object) -> Outcome:
    for a, b in clashes:
        keys, covenants = [], []
        for last in (a, b):
            state = State()
            for p in [p for p in ordered if p is not last] + [last]:
                o = p.operation
                state = apply(state, o, section, ground.payload_of(o, section), ground.text_of(o.replace_spans), ground.calendar)
            outcome = _of_world(ground, World(state, tuple(ordered), ()), test)
            keys.append(outcome.key)
            covenants += [outcome.covenant] if outcome.covenant else list(outcome.candidates)
        if keys[0] == keys[1]:
            first = replace(first, reasons=(*first.reasons, reason_for("accept_duplicate_consistent", b.operation)))
            continue
        code = "review_conflict_same_effective_date" if a.standing.date == b.standing.date else "review_effective_order_inverts_signing"
        candidates = _distinct([*covenants, *first.candidates])
        first = replace(first, result="review", covenant=None, candidates=candidates, reasons=(*_no_accept(first), reason_for(code, b.operation)))
    return first


def _no_accept(outcome: Outcome) -> tuple[Reason, ...]:
    return tuple(r for r in outcome.reasons if not r.code.startswith("accept"))


def _to_review(outcome: Outcome, reasons: list[Reason]) -> Outcome:
    """Turns an outcome into a review that shows what it would have been."""
    candidates = (outcome.covenant,) if outcome.covenant else outcome.candidates
    return replace(outcome, result="review", covenant=None, candidates=candidates, reasons=tuple(_unique([*_no_accept(outcome), *reasons])))


def _base_doubts(ground: Ground, chain: Chain, outcome: Outcome, ordered: list[Placed]) -> Outcome:
    """Doubts about the base agreement itself: without it nothing stands, so that they are no reading but a stop."""
    stated = [p for p in ordered if p.operation.op is Op.STATE_COVENANT]
    codes = list(dict.fromkeys(c for p in stated for c in p.codes))
    if not codes and not stated and chain.base is not None:
        codes = list(ground.doubts.get(chain.base.document, ()))
    return _to_review(outcome, [reason_for(c, stated[0].operation if stated else None) for c in codes]) if codes else outcome


def _chain_doubts(ground: Ground, chain: Chain, outcome: Outcome, test: dt.date) -> Outcome:
    """Instruments that are not in the pack (PR-06), and a base that is not (PR-22)."""
    if ground.case.manifest.chain_complete:
        return outcome
    reasons: list[Reason] = []
    setter = outcome.state.setter
    if chain.base is None:
        reasons.append(reason_for("review_target_not_found", setter, "The agreement that the instrument changes is not in the pack."))
    mine = ground.instruments[setter.document] if setter is not None else None
    for absent in missing_instruments(chain):
        restated = setter is not None and mine is not None and setter.op in _RESTATES and (
            (mine.number is not None and absent.number < mine.number) or (absent.dated is not None and mine.dated is not None and absent.dated < mine.dated)
        )  # fmt: skip
        later = absent.dated is not None and absent.dated > test
        if not restated and not later:
            sentence = f"Amendment No. {absent.number} is named or implied by {absent.recited_by} and is not in the pack."
            reasons.append(Reason(code="review_missing_instrument_in_chain", sentence=sentence, subject=absent.recited_by))
    for other in chain.mismatched:
        if ground.case.question.test_date >= (other.dated or dt.date.min) and any(o.document == other.document and o.op is not Op.WAIVE_TEST for o in ground.operations):
            sentence = f"{other.document} names an agreement by a date that no agreement of the pack bears."
            reasons.append(Reason(code="review_base_reference_mismatch", sentence=sentence, subject=other.document, spans=other.amends.spans if other.amends else ()))
    return _to_review(outcome, reasons) if reasons else outcome


def _unread_changes(ground: Ground, chain: Chain, outcome: Outcome, section: str, test: dt.date) -> Outcome:
    """An instrument that speaks of changing the provision, and of which no operation on it was understood, stops the run."""
    reasons = []
    for instrument in chain.changes:
        if instrument.dated is not None and instrument.dated > test and not any(o.effective.date and o.effective.date <= test for o in ground.operations if o.document == instrument.document):
            continue
        told = [o for o in ground.operations if o.document == instrument.document and (touches(o, section) or speaks_of(o, section))]
        place = None if told else mention(ground.views[instrument.document].text, section.partition("#")[0])
        if place is not None:
            sentence = f"{instrument.document} speaks of a change of {section.partition('#')[0]} that was not understood."
            reasons.append(Reason(code="review_clause_not_fully_read", sentence=sentence, subject=instrument.document, spans=ground.views[instrument.document].spans(*place)))
    return _to_review(outcome, reasons) if reasons else outcome


def _relieved(ground: Ground, outcome: Outcome, relief: Relief) -> Outcome:
    """Suspension first, then a temporary level (PR-40, PR-41)."""
    if relief.suspended:
        reason = reason_for("not_tested_suspended", relief.suspended[-1])
        kept = tuple(r for r in outcome.reasons if r.code.startswith(("finding", "reject")))
        return replace(outcome, result="not_tested", covenant=None, candidates=(), not_tested="suspended", reasons=(reason, *kept), key=("suspended",))
    level = outcome.covenant or (outcome.candidates[0] if outcome.candidates else None)
    if relief.temporary and level is not None and relief.temporary[-1].limit is not None:
        operation = relief.temporary[-1]
        limit = operation.limit
        assert limit is not None
        instrument = ground.instruments[operation.document]
        moved = level.model_copy(update={"limit": limit, "document": operation.document, "instrument": instrument.title, "spans": (*limit.spans, *operation.instruction)})
        if outcome.result == "determined":
            return replace(outcome, covenant=moved, reasons=(reason_for("accept_temporary_level", operation), *_no_accept(outcome)), key=_key([moved]))
        return replace(outcome, candidates=(moved, *outcome.candidates))
    if relief.open:
        reasons = [reason_for(c, o) for o, codes in relief.open for c in codes]
        return _to_review(outcome, reasons)
    return outcome
