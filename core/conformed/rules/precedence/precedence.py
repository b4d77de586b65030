"""Precedence: from proposals to the covenant on the test date, to "not tested", or to a review with every reading shown.

The procedure is total (rule book section 3): admit documents, date operations, group chains, find the covenant asked for,
apply operations in order, pick the level, then time-limited states and overlays. Codes are collected, never only the first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from conformed.language.subjects import find_subject, metric_of
from conformed.model.base import Missing
from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant, CovenantTerms, Definition
from conformed.model.decision import CappedWaiver, Effective, Overlay, Reason
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, InstrumentKind
from conformed.rules.copy.conformed_copy import conform
from conformed.rules.instruments.chains import Chain
from conformed.rules.instruments.copies import check_copies
from conformed.rules.precedence.asked import chosen, lost_by_restatement
from conformed.rules.precedence.ground import Ground, ground_of
from conformed.rules.precedence.look_alikes import look_alikes, percent_or_ratio
from conformed.rules.precedence.outcome import evaluate, known_covenants
from conformed.rules.precedence.reading import Outcome, distinct, reason_for, to_review, unique
from conformed.rules.precedence.restated import restated_otherwise
from conformed.rules.precedence.retroactive import Met, reconsidered
from conformed.rules.precedence.slots import Choice
from conformed.rules.precedence.timeline import timeline
from conformed.rules.precedence.witness import unwitnessed
from conformed.rules.timed.waivers import overlay_of

__all__ = ["decide"]

_CLASS = {"review": 0, "not": 1, "accept": 2, "reject": 3, "finding": 4}


@dataclass(frozen=True, slots=True)
class _Found:
    """The covenant asked for in one chain."""

    chain: Chain
    slot: str
    outcome: Outcome


def decide(case: CaseFile, extraction: Extraction, met: Met | None = None) -> Effective:
    """The covenant asked for, on the test date, on what was known at the knowledge date.

    Args:
        case: the case file.
        extraction: what its documents were read to do.
        met: compares the figures of the test date with a covenant: a change that reaches back counts without a waiver only
            where the test was met on the old level too. None where no figures are asked.
    """
    return reconsidered(case, extraction, _by_words(case, extraction), _by_words, met)


def _by_words(case: CaseFile, extraction: Extraction) -> Effective:
    ground = ground_of(case, extraction)
    chains = ground.chains_on(case.question.test_date)
    unreadable = _unreadable(case)
    reasons = [*ground.admitted.aside, *unreadable]
    found, choices = _search(ground, chains)
    found, odd = _selected(found, choices)
    reasons += [*odd, *_waiting(ground)]
    overlay, waiver_reasons, waivers = _overlay(ground, chains, found)
    reasons += waiver_reasons
    if not found:
        return _nothing(ground, chains, [*reasons, *look_alikes(ground, extraction, _known(ground, chains))], overlay)
    outcome = _together([f.outcome for f in found], ambiguous=any(len(c.sections) > 1 for c in choices))
    outcome = _restatement_in_doubt(ground, found, outcome)
    outcome = check_copies(ground, found[0].chain, found[0].slot, outcome)
    stops = [*unreadable, *(r for r in odd if r.code.startswith("review")), *unwitnessed(case, outcome.covenant)]
    stops += restated_otherwise(ground, outcome.covenant)
    if stops:
        outcome = to_review(outcome, stops)
    conformed, definitions, findings = conform(ground, found[0].chain, found[0].slot, outcome.state)
    outcome = _defined(outcome, definitions)
    every = _sorted(_emitted(outcome, [*outcome.reasons, *reasons, *findings]))
    return Effective(
        result=outcome.result, overlay=overlay, not_tested=outcome.not_tested if outcome.result == "not_tested" else "",
        covenant=outcome.covenant or _missing(outcome, every), candidates=outcome.candidates if outcome.result == "review" else (),
        timeline=timeline(ground, found[0].slot), conformed=conformed, definitions=definitions, reasons=every,
        overlay_reasons=tuple(r for r in every if r in waiver_reasons and r not in outcome.reasons), waivers=waivers,
    )  # fmt: skip


def _unreadable(case: CaseFile) -> list[Reason]:
    """Files that were not read and may hold what decides; where documents are listed, only those that are listed."""
    listed = {d.file for d in case.manifest.documents}
    refused = [r for r in case.refusals if not listed or r.name in listed]
    return [Reason(code="review_document_unreadable", sentence=r.sentence, subject=r.name) for r in refused]


def _waiting(ground: Ground) -> list[Reason]:
    """Restatements that were made and do not count on the test date, or never did: each is told, with its code (P22)."""
    test = ground.case.question.test_date
    reasons = []
    for instrument in ground.admitted.instruments:
        standing = ground.base_standing(instrument, test) if instrument.kind is InstrumentKind.RESTATEMENT else None
        if standing is not None and standing.state == "not_yet":
            spans = instrument.spans.get("dated", ())
            reasons += [Reason(code=c, sentence=sentence_of(c), subject=instrument.document, spans=spans) for c in standing.codes]
    return reasons


def _search(ground: Ground, chains: tuple[Chain, ...]) -> tuple[list[_Found], list[Choice]]:
    found: list[_Found] = []
    choices: list[Choice] = []
    test = ground.case.question.test_date
    for chain in chains:
        choice = chosen(ground, chain)
        choices.append(choice)
        found += [_Found(chain, s, evaluate(ground, chain, s, test)) for s in choice.sections]
    return found, choices


def _overlay(
    ground: Ground, chains: tuple[Chain, ...], found: list[_Found]
) -> tuple[Overlay, tuple[Reason, ...], tuple[CappedWaiver, ...]]:
    question = ground.case.question
    slots = {f.slot for f in found} or ({question.section} if question.section else set())
    mine = [f.chain for f in found] or list(chains)
    documents = {i.document for c in mine for i in (*c.changes, *c.spent)}
    strangers = {i.document for c in mine for i in (*c.mismatched, *c.unclear)} - documents
    return overlay_of(ground, documents, strangers, slots)


def _restatement_in_doubt(ground: Ground, found: list[_Found], outcome: Outcome) -> Outcome:
    """A restatement that could be effective and has a defect of its own is a review (PR-08); the older text is shown beside it."""
    test = ground.case.question.test_date
    open_ones = frozenset(
        f.chain.base.document
        for f in found
        if f.chain.base is not None
        and f.chain.base.kind is InstrumentKind.RESTATEMENT
        and f.chain.older
        and (ground.doubts.get(f.chain.base.document) or ground.base_standing(f.chain.base, test).state == "doubt")
    )
    if not open_ones:
        return outcome
    older = [f.outcome for chain in ground.chains_on(test, without=open_ones) for f in _in_chain(ground, chain)]
    candidates = [c for o in older for c in ((o.covenant,) if o.covenant else o.candidates)]
    reading = f"if {', '.join(sorted(open_ones))} does not count"
    shown = [c.model_copy(update={"reading": c.reading or reading}) for c in candidates]
    return to_review(outcome, [], shown)


def _in_chain(ground: Ground, chain: Chain) -> list[_Found]:
    return _search(ground, (chain,))[0]


def _emitted(outcome: Outcome, reasons: list[Reason]) -> list[Reason]:
    """What the rule book lets each result carry: no accept codes beside a review or a covenant that is not tested, overlays apart."""
    if outcome.result == "determined":
        return reasons
    return [r for r in reasons if not r.code.startswith("accept") or r.code == "accept_waiver_overlay"]


def _missing(outcome: Outcome, reasons: tuple[Reason, ...]) -> Missing:
    code = next((r.code for r in reasons if r.code.startswith(("review", "not_tested"))), "review_input_missing")
    if outcome.result == "review":
        return Missing(reason="More than one reading remains open, or something decisive is missing.", code=code)
    return Missing(reason="The covenant is not tested on this date.", code=code)


def _defined(outcome: Outcome, definitions: tuple[Definition, ...]) -> Outcome:
    """The covenant with its definitions; a figure that is only a name takes its two sides, and whether it is net, from its definition."""
    covenant = outcome.covenant
    if covenant is None:
        return outcome
    update: dict[str, object] = {"definitions": definitions}
    own = next((d for d in definitions if d.term.lower() == covenant.name.lower()), None)
    if own is not None and not covenant.numerator:
        body = own.text.partition('"')[2].partition('"')[2] or own.text
        subject = find_subject(body, 0, len(body))
        if subject is not None and subject.upper:
            update |= {"numerator": subject.upper, "denominator": subject.lower}
            if covenant.metric.endswith("leverage"):
                update["metric"] = metric_of(covenant.name, subject.upper, subject.lower)
    return replace(outcome, covenant=covenant.model_copy(update=update))


def _selected(found: list[_Found], choices: list[Choice]) -> tuple[list[_Found], list[Reason]]:
    """Leaves out forms whose box is not ticked where another chain answers, and says what was odd about the choice."""
    kept = [f for f in found if f.outcome.not_tested != "not_selected"] or found
    codes = [c for choice in choices for c in choice.codes if choice.sections or not kept]
    return kept, [Reason(code=c, sentence=sentence_of(c)) for c in dict.fromkeys(codes)]


def _together(outcomes: list[Outcome], *, ambiguous: bool) -> Outcome:
    """Outcomes of several chains or covenants: the same covenant in all is one answer; otherwise it is a question."""
    if len(outcomes) == 1:
        return outcomes[0]
    if len({o.key for o in outcomes}) == 1 and all(o.result != "review" for o in outcomes) and not ambiguous:
        return replace(outcomes[-1], reasons=unique([*outcomes[-1].reasons, reason_for("finding_reading_immaterial")]))
    candidates: list[Covenant] = []
    for o in outcomes:
        candidates += [o.covenant] if o.covenant else list(o.candidates)
    percent = percent_or_ratio((c.metric, c.limit.raw, c.limit.value) for c in candidates)
    codes = [
        "review_metric_ambiguous" if ambiguous else "review_target_ambiguous",
        *(["review_percent_ratio_ambiguous"] if percent else []),
    ]
    reasons = [reason_for(code) for code in codes]
    for o in outcomes:
        reasons += [r for r in o.reasons if not r.code.startswith(("accept", "not_tested"))]
    return Outcome("review", candidates=distinct(candidates), reasons=unique(reasons), state=outcomes[0].state)


def _sorted(reasons: list[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(unique(reasons), key=lambda r: (_CLASS.get(r.code.split("_")[0], 9), r.code, r.subject)))


def _known(ground: Ground, chains: tuple[Chain, ...]) -> list[CovenantTerms]:
    return [t for c in chains for terms in known_covenants(ground, c).values() for t in terms]


def _nothing(ground: Ground, chains: tuple[Chain, ...], reasons: list[Reason], overlay: Overlay) -> Effective:
    """No covenant of that name or section: says which ones were found."""
    names = sorted({f"{t.name} ({t.section})" for c in chains for terms in known_covenants(ground, c).values() for t in terms})
    listed = "; ".join(names[:12]) if names else "none"
    sentence = f"No covenant of that name or section is stated by a text in force on the test date. Found: {listed}."
    code = "review_no_covenant_found"
    lost = lost_by_restatement(ground, chains)
    every = _sorted([Reason(code=code, sentence=sentence), *lost, *(r for r in reasons if r.code != code)])
    return Effective(result="review", overlay=overlay, covenant=Missing(reason=sentence, code=code), reasons=every)
