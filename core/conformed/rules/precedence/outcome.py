"""One covenant of one chain on one test date: every reading of it, and what keeps it from being the only one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant, CovenantKind, CovenantTerms
from conformed.model.decision import Reason
from conformed.model.operation import Op
from conformed.rules.instruments.chains import Chain
from conformed.rules.instruments.dating import Standing
from conformed.rules.instruments.formatting import lost_marks
from conformed.rules.instruments.strange_notices import strange_notices
from conformed.rules.precedence.apply import apply
from conformed.rules.precedence.gaps import base_doubts, chain_doubts, enforcement, restated_elsewhere
from conformed.rules.precedence.ground import Ground
from conformed.rules.precedence.reading import Outcome, covenant_of, distinct, no_accept, of_world, reason_for, to_review, unique
from conformed.rules.precedence.schedule import pick_row
from conformed.rules.precedence.state import State
from conformed.rules.precedence.targets import Stray, own_terms, section_of, stray, touches
from conformed.rules.precedence.undefined import undefined_ratio
from conformed.rules.precedence.wording import in_words
from conformed.rules.precedence.worlds import Ordered, Placed, World, in_order, standing_after, worlds
from conformed.rules.timed.relief import applies_to, relief_on, relieved
from conformed.rules.unread.unread import unread_changes

__all__ = ["evaluate", "known_covenants"]

_TESTED = {CovenantKind.MAINTENANCE, CovenantKind.SPRINGING}


def known_covenants(ground: Ground, chain: Chain) -> dict[str, tuple[CovenantTerms, ...]]:
    """Covenants of a chain by slot, each with every reading of it; ratios that are no maintenance covenant are left out (PR-25)."""
    here = [(o, t) for o in ground.operations if o.document in chain.documents for t in o.terms if t.kind in _TESTED]
    stated: dict[tuple[str, str], set[str]] = {}
    for operation, terms in here:
        stated.setdefault((operation.document, terms.section), set()).add(terms.metric)
    several = {section for (_, section), metrics in stated.items() if len(metrics) > 1}
    known: dict[str, list[CovenantTerms]] = {}
    for _, terms in here:
        slot = f"{terms.section}#{terms.metric}" if terms.section in several else terms.section
        known.setdefault(slot, []).append(terms)
    return {s: tuple(t) for s, t in sorted(known.items())}


def _place(ground: Ground, chain: Chain, slot: str, test: dt.date) -> tuple[list[Placed], list[Reason]]:
    base = chain.base.document if chain.base is not None else ""
    placed: list[Placed] = []
    reasons: list[Reason] = []
    for operation in ground.operations:
        if operation.document not in chain.documents or not touches(operation, slot):
            continue
        stated = operation.document == base and operation.op is Op.STATE_COVENANT
        if operation.id in ground.renumbered:
            reasons.append(reason_for("finding_numbering_drift", operation, ground.renumbered[operation.id]))
        standing = _waived(ground, chain, slot, test, ground.standing(operation, test))
        if standing.state == "not_yet" and not stated:
            reasons += [reason_for(c, operation) for c in standing.codes]
            continue
        placed.append(
            Placed(operation, ground.instruments[operation.document], standing, ground.doubts.get(operation.document, ()), stated)
        )
    return placed, reasons


def _waived(ground: Ground, chain: Chain, slot: str, test: dt.date, standing: Standing) -> Standing:
    """A change that reaches back with no waiver of its own stands where another waiver covers the test (P28)."""
    if not (standing.state == "doubt" and standing.retroactive):
        return standing
    known = ground.case.question.known_at
    for o in ground.operations:
        if o.op is Op.WAIVE_TEST and o.document in chain.documents and applies_to(o, slot) and not o.doubts and o.ceiling is None:
            sound = ground.standing(o, known).state == "in_force" and not ground.doubts.get(o.document)
            if sound and (o.ends_on is None or o.ends_on > known) and any(w.holds(test) for w in o.windows):
                return Standing(
                    "in_force", standing.date, ("accept_retroactive_express", "finding_retroactive_basis_shown"), retroactive=True
                )
    return standing


def _run(ground: Ground, slot: str, placed: Sequence[Placed]) -> State:
    state = State()
    for p in placed:
        o = p.operation
        after = apply(state, o, slot, ground.payload_of(o, slot), ground.replacement_of(o), ground.calendar)
        state = in_words(state, after, o, ground.text_of)
    return state


def evaluate(ground: Ground, chain: Chain, slot: str, test: dt.date) -> Outcome:
    """The covenant at one slot of a chain on one test date, with everything that is in doubt about it."""
    ground = ground.at(test)
    placed, reasons = _place(ground, chain, slot, test)
    ordered = in_order(placed)
    every, whole = worlds(ordered.placed, lambda counted: _run(ground, slot, counted))
    first = _settle(every, [of_world(ground, w, test) for w in every], slot, whole=whole)
    first = replace(
        first, reasons=(*reasons, *(Reason(code=c, sentence=sentence_of(c), subject=slot) for c in ordered.codes), *first.reasons)
    )
    first = _with_clashes(ground, first, ordered, slot, test)
    first = _with_strays(ground, chain, first, ordered, slot, test)
    if any(p.standing.retroactive and p.standing.state == "in_force" for p in placed):
        enforced = enforcement(ground)
        first = to_review(first, [enforced]) if enforced is not None else first
    first = relieved(ground, first, relief_on(ground, chain, slot, test), placed)
    stops = [*base_doubts(ground, chain, placed, test), *chain_doubts(ground, chain, first, slot, test)]
    stops += [*unread_changes(ground, chain, slot, test), *restated_elsewhere(ground, chain, slot, test)]
    stops += [*lost_marks(ground, chain, test), *undefined_ratio(ground, chain, first.state, test)]
    stops += strange_notices(ground, chain, first.reasons)
    first = to_review(first, stops, _saved(ground, chain, ordered, slot, test)) if stops else first
    if first.state.terms is None and first.result == "review" and not first.candidates:
        first = replace(first, candidates=_reaching(ground, chain, slot, test))
    if chain.spent and first.result == "determined":
        dropped = [
            Reason(code="reject_superseded", sentence=sentence_of("reject_superseded"), subject=i.document) for i in chain.spent
        ]
        first = replace(first, reasons=unique([*first.reasons, *dropped]))
    return replace(first, reasons=unique(first.reasons))


def _saved(ground: Ground, chain: Chain, ordered: Ordered, slot: str, test: dt.date) -> list[Covenant]:
    """The covenant if an amendment that a restatement keeps alive by name still counts (PR-08)."""
    saved = {i.document for i in chain.saved}
    mine = [o for o in ground.operations if o.document in saved and ground.standing(o, test).state == "in_force"]
    return [c for o in mine for c in _as_if_meant(ground, Stray(o, "review_target_ambiguous", ""), ordered, slot, test)]


def _reaching(ground: Ground, chain: Chain, slot: str, test: dt.date) -> tuple[Covenant, ...]:
    """Levels that an instrument not yet in force lists for the date: right only if it reaches back, so shown and no more."""
    found = []
    for operation in ground.operations:
        if operation.document in chain.documents and touches(operation, slot):
            for terms in own_terms(operation, slot):
                reading = f"if {operation.document} reaches back to this date"
                found += [covenant_of(terms, r, ground, reading) for r in pick_row(terms, test).rows]
    return distinct(c for c in found if c is not None)


def _settle(every: list[World], outcomes: list[Outcome], slot: str, *, whole: bool) -> Outcome:
    """One outcome from all readings: value identity first, otherwise review with each as a candidate."""
    first = outcomes[0]
    if len(outcomes) == 1:
        return first
    if whole and len({o.key for o in outcomes}) == 1 and all(o.result != "review" for o in outcomes):
        # The reading that needs nothing to be assumed says where the covenant comes from.
        last = outcomes[-1]
        return replace(
            last,
            reasons=(
                *last.reasons,
                Reason(code="finding_reading_immaterial", sentence=sentence_of("finding_reading_immaterial"), subject=slot),
            ),
        )
    reasons = [reason_for(c, p.operation) for p in every[0].counted if p.open and not p.base for c in p.codes]
    candidates: list[Covenant] = []
    for outcome in outcomes:
        candidates += [outcome.covenant] if outcome.covenant else list(outcome.candidates)
        reasons += no_accept(outcome)
    return Outcome(
        "review",
        candidates=distinct(candidates),
        reasons=unique(r for r in reasons if not r.code.startswith("not_tested")),
        state=first.state,
        key=("review",),
    )


def _with_clashes(ground: Ground, first: Outcome, ordered: Ordered, slot: str, test: dt.date) -> Outcome:
    """Pairs whose order is open (PR-31, PR-32): each is tried last; the same covenant both ways is no conflict."""
    for a, b in ordered.clashes:
        keys, covenants = [], []
        for last in (a, b):
            placed = standing_after(ordered.placed, last, b if last is a else a)
            outcome = of_world(ground, World(_run(ground, slot, placed), tuple(placed)), test)
            keys.append(outcome.key)
            covenants += [outcome.covenant] if outcome.covenant else list(outcome.candidates)
        if keys[0] == keys[1]:
            if len({c.document for c in covenants}) > 1 and first.result == "determined":
                both = [reason_for("accept_duplicate_consistent", p.operation) for p in (a, b)]
                first = replace(first, reasons=(*first.reasons, *both))
                first = _no_overtaking(ground, first, ordered, slot, test, a)
            continue
        if a.standing.undated or b.standing.undated:
            codes = [*a.codes, *b.codes]
        elif a.standing.date == b.standing.date:
            codes = ["review_conflict_same_effective_date"]
        else:
            codes = ["review_effective_order_inverts_signing"]
        # Which of the two is overtaken is the very question.
        pair = {a.operation.document, b.operation.document}
        kept = tuple(r for r in first.reasons if r.code != "reject_superseded" or r.subject not in pair)
        first = to_review(replace(first, reasons=kept), [reason_for(c, b.operation) for c in codes], covenants)
    return first


def _no_overtaking(ground: Ground, first: Outcome, ordered: Ordered, slot: str, test: dt.date, twin: Placed) -> Outcome:
    """Without ``reject_superseded`` where nothing but an instrument that says the same was overtaken (PR-31)."""
    placed = [p for p in ordered.placed if p is not twin]
    alone = of_world(ground, World(_run(ground, slot, placed), tuple(placed)), test)
    if any(r.code == "reject_superseded" for r in alone.reasons):
        return first
    return replace(first, reasons=tuple(r for r in first.reasons if r.code != "reject_superseded"))


def _with_strays(ground: Ground, chain: Chain, first: Outcome, ordered: Ordered, slot: str, test: dt.date) -> Outcome:
    """Operations that may have been meant for this covenant and do not fit it: a question, with the level that they would give."""
    known = known_covenants(ground, chain)
    labels = (
        frozenset(p.label for p in ground.tree_of(chain.base.document).provisions if p.label)
        if chain.base is not None
        else frozenset()
    )
    for operation in ground.operations:
        if operation.document not in chain.documents or ground.standing(operation, test).state == "not_yet":
            continue
        found = stray(operation, slot, known, labels)
        if found is not None:
            first = to_review(
                first, [reason_for(found.code, operation, found.sentence)], _as_if_meant(ground, found, ordered, slot, test)
            )
    return first


def _as_if_meant(ground: Ground, found: Stray, ordered: Ordered, slot: str, test: dt.date) -> list[Covenant]:
    """The covenant if a stray operation were carried through to it."""
    operation = found.operation
    if operation.op not in {Op.SET_LEVEL, Op.SUBSTITUTE_TEXT}:
        return []
    state = apply(
        _run(ground, slot, ordered.placed), operation, section_of(slot), None, ground.replacement_of(operation), ground.calendar
    )
    if state.terms is None or state.setter is not operation:
        return []
    reading = f"if {operation.document} was meant for {section_of(slot)}"
    return [c for c in (covenant_of(state.terms, r, ground, reading) for r in pick_row(state.terms, test).rows) if c is not None]
