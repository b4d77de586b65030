"""Precedence: from proposals to the covenant on the test date, to "not tested", or to a review with every reading shown.

The procedure is total (rule book section 3): admit documents, date operations, group chains, find the covenant asked for,
apply operations in order, pick the level, then time-limited states and overlays. Codes are collected, never only the first.
"""

from __future__ import annotations

import datetime
from dataclasses import replace

from conformed.language.subjects import find_subject, metric_of
from conformed.language.traced import live_view
from conformed.model.base import Missing
from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant, CovenantTerms, Definition
from conformed.model.dates import FiscalCalendar
from conformed.model.decision import Effective, Reason
from conformed.model.operation import Effectiveness, EffectiveMode, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile, Instrument, InstrumentKind
from conformed.rules.admit import Admitted, admit
from conformed.rules.chains import Chain, build_chains, ends_by_name
from conformed.rules.conformed_copy import conform
from conformed.rules.dating import standing_of
from conformed.rules.outcome import Ground, Outcome, evaluate
from conformed.rules.relief import overlay_of
from conformed.rules.slots import Choice, choose
from conformed.rules.timeline import timeline

__all__ = ["calendar_of", "chains_on", "decide", "ground_of"]

_BASES = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}


def calendar_of(case: CaseFile) -> FiscalCalendar | None:
    """The fiscal calendar that pack.yaml attests, if it does."""
    text = case.manifest.fiscal_year_end
    if not text or len(text) != 5:
        return None
    return FiscalCalendar(end_month=int(text[:2]), end_day=int(text[3:]))


def ground_of(case: CaseFile, extraction: Extraction) -> tuple[Ground, Admitted]:
    """What every evaluation of the case shares."""
    admitted = admit(case)
    documents = {i.document for i in admitted.instruments}
    operations = tuple(o for o in extraction.operations if o.document in documents)
    views = {d.name: live_view(d) for d in case.documents}
    ground = Ground(case, operations, {i.document: i for i in case.instruments}, dict(admitted.doubts), views, calendar_of(case))
    return ground, admitted


def _base_standing(ground: Ground, instrument: Instrument, test: datetime.date) -> str:
    own = next((o for o in ground.operations if o.document == instrument.document and o.op in {Op.STATE_COVENANT, Op.RESTATE_AGREEMENT}), None)
    rule = own or Operation(id="base", op=Op.STATE_COVENANT, document=instrument.document, target=Target(), effective=Effectiveness(mode=EffectiveMode.ON_CLOSING))
    standing = standing_of(rule, instrument, test, ground.case.question.known_at)
    return standing.state


def chains_on(ground: Ground, admitted: Admitted, test: datetime.date) -> tuple[Chain, ...]:
    """The chains whose agreement is in force on a date. An agreement whose closing is not evidenced counts, with that doubt."""
    bases = [i for i in admitted.instruments if i.kind in _BASES]
    in_force = {b.document: _base_standing(ground, b, test) in {"in_force", "doubt"} for b in bases}
    ended = {d: day for d, day in ends_by_name(ground.operations, admitted.instruments, in_force).items() if day <= test}
    return build_chains(admitted.instruments, in_force, ended)


def _known(ground: Ground, chain: Chain) -> dict[str, tuple[CovenantTerms, ...]]:
    documents = {i.document for i in (*([chain.base] if chain.base else []), *chain.changes)}
    stated: dict[tuple[str, str], set[str]] = {}
    for operation in ground.operations:
        for terms in operation.terms:
            stated.setdefault((operation.document, terms.section), set()).add(terms.metric)
    several = {section for (document, section), metrics in stated.items() if len(metrics) > 1 and document in documents}
    known: dict[str, list[CovenantTerms]] = {}
    for operation in ground.operations:
        if operation.document in documents:
            for terms in operation.terms:
                slot = f"{terms.section}#{terms.metric}" if terms.section in several else terms.section
                known.setdefault(slot, []).append(terms)
    return {s: tuple(t) for s, t in sorted(known.items())}


def decide(case: CaseFile, extraction: Extraction) -> Effective:
    """The covenant asked for, on the test date, on what was known at the knowledge date."""
    ground, admitted = ground_of(case, extraction)
    test = case.question.test_date
    chains = chains_on(ground, admitted, test)
    reasons: list[Reason] = list(admitted.aside)
    reasons += [Reason(code="review_document_unreadable", sentence=r.sentence, subject=r.name) for r in case.refusals]
    found: list[tuple[Chain, str, Outcome]] = []
    choices: list[Choice] = []
    for chain in chains:
        choice = choose(case.question, _known(ground, chain))
        choices.append(choice)
        found += [(chain, s, evaluate(ground, chain, s, test)) for s in choice.sections]
    found, extra = _selected(found, choices)
    reasons += extra
    waived = tuple(s.partition("#")[0] for _, s, _ in found) or ((case.question.section,) if case.question.section else ())
    overlay, waiver_reasons = overlay_of(list(ground.operations), ground.instruments, ground.doubts, waived, case.question)
    if not found:
        return _nothing(ground, chains, reasons, overlay_reasons=waiver_reasons, overlay=overlay)
    outcome = _together([o for _, _, o in found], ambiguous=any(len(c.sections) > 1 for c in choices))
    unread = any(r.code == "review_document_unreadable" for r in reasons) and not case.manifest.documents
    if unread and outcome.result == "determined":
        outcome = replace(outcome, result="review", covenant=None, candidates=(outcome.covenant,) if outcome.covenant else ())
    if any(r.code.startswith("review") for r in extra) and outcome.result == "determined":
        outcome = replace(outcome, result="review", covenant=None, candidates=(outcome.covenant,) if outcome.covenant else ())
    chain, section, _ = found[0]
    conformed, definitions, findings = conform(ground, chain, section, outcome.state, test)
    outcome = _defined(outcome, definitions)
    every = _unique([*outcome.reasons, *reasons, *waiver_reasons, *findings])
    if outcome.result == "review":
        every = [r for r in every if not r.code.startswith("accept") or r.code == "accept_waiver_overlay"]
    missing = Missing(reason="More than one reading remains open, or something decisive is missing." if outcome.result == "review" else "The covenant is not tested on this date.",
                      code=next((r.code for r in every if r.code.startswith(("review", "not_tested"))), "review_input_missing"))  # fmt: skip
    return Effective(
        result=outcome.result, overlay=overlay, not_tested=outcome.not_tested if outcome.result == "not_tested" else "",
        covenant=outcome.covenant or missing, candidates=outcome.candidates if outcome.result == "review" else (),
        timeline=timeline(ground, admitted, section, chains_on), conformed=conformed, definitions=definitions, reasons=tuple(every),
    )  # fmt: skip


def _defined(outcome: Outcome, definitions: tuple[Definition, ...]) -> Outcome:
    """The covenant with its definitions; a figure that is only a name takes its two sides, and whether it is net, from its definition."""
    covenant = outcome.covenant
    if covenant is None:
        return outcome
    update: dict[str, object] = {"definitions": definitions}
    own = next((d for d in definitions if d.term.lower() == covenant.name.lower()), None)
    if own is not None and not covenant.numerator:
        body = own.text.partition("\"")[2].partition("\"")[2] or own.text
        subject = find_subject(body, 0, len(body))
        if subject is not None and subject.upper:
            update |= {"numerator": subject.upper, "denominator": subject.lower}
            if covenant.metric.endswith("leverage"):
                update["metric"] = metric_of(covenant.name, subject.upper, subject.lower)
    return replace(outcome, covenant=covenant.model_copy(update=update))


def _selected(found: list[tuple[Chain, str, Outcome]], choices: list[Choice]) -> tuple[list[tuple[Chain, str, Outcome]], list[Reason]]:
    """Leaves out forms whose box is not ticked where another chain answers, and says what was odd about the choice."""
    ticked = [f for f in found if f[2].not_tested != "not_selected"]
    kept = ticked or found
    codes = [c for choice in choices for c in choice.codes if choice.sections or not kept]
    return kept, [Reason(code=c, sentence=sentence_of(c)) for c in dict.fromkeys(codes)]


def _together(outcomes: list[Outcome], *, ambiguous: bool) -> Outcome:
    """Outcomes of several chains or covenants: the same covenant in all is one answer; otherwise it is a question."""
    if len(outcomes) == 1:
        return outcomes[0]
    keys = {o.key for o in outcomes}
    determined = [o for o in outcomes if o.result == "determined"]
    if len(keys) == 1 and len(determined) == len(outcomes) and not ambiguous:
        reason = Reason(code="finding_reading_immaterial", sentence=sentence_of("finding_reading_immaterial"))
        return replace(outcomes[-1], reasons=(*outcomes[-1].reasons, reason))
    candidates: list[Covenant] = []
    reasons: list[Reason] = []
    for o in outcomes:
        candidates += [o.covenant] if o.covenant else list(o.candidates)
        reasons += [r for r in o.reasons if not r.code.startswith("accept")]
    code = "review_metric_ambiguous" if ambiguous else "review_target_ambiguous"
    return Outcome("review", candidates=tuple(candidates), reasons=(Reason(code=code, sentence=sentence_of(code)), *reasons), state=outcomes[0].state)


def _unique(reasons: list[Reason]) -> list[Reason]:
    seen: dict[tuple[str, str], Reason] = {}
    for r in reasons:
        seen.setdefault((r.code, r.subject), r)
    return sorted(seen.values(), key=lambda r: (_CLASS.get(r.code.split("_")[0], 9), r.code, r.subject))


_CLASS = {"review": 0, "not": 1, "accept": 2, "reject": 3, "finding": 4}


def _nothing(ground: Ground, chains: tuple[Chain, ...], reasons: list[Reason], *, overlay: object, overlay_reasons: tuple[Reason, ...]) -> Effective:
    """No covenant of that name or section: says which ones were found."""
    names = sorted({f"{t.name} ({t.section})" for c in chains for terms in _known(ground, c).values() for t in terms})
    listed = "; ".join(names[:12]) if names else "none"
    sentence = f"No covenant of that name or section is stated by a text in force on the test date. Found: {listed}."
    found = [r for r in reasons if r.code not in {"review_no_covenant_found"}]
    every = _unique([Reason(code="review_no_covenant_found", sentence=sentence), *found, *overlay_reasons])
    return Effective.model_validate({"result": "review", "overlay": overlay, "covenant": Missing(reason=sentence, code="review_no_covenant_found"), "reasons": tuple(every)})
