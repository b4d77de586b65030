"""What must hold of every pack, on packs that reach rows, tables, temporary levels, holidays, definitions, restatements and reach-back."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from support import Paper, codes, decided, level_of, make
from support_packs import DAYS, FIRST, changes, packs

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode, Extraction
from conformed.model.pack import CaseFile, Execution, InstrumentKind
from conformed.rules.precedence.precedence import decide

K, X, M = InstrumentKind, Execution, EffectiveMode
SETTINGS = settings(
    max_examples=int(os.environ.get("CONFORMED_EXAMPLES", "40")), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
IRRELEVANT = (
    "The weather in the valley was fair.",
    "Pricing notice: the Leverage Ratio is at Level II, 2.00 to 1.00 or more, and the Applicable Margin is 1.75%.",
    "From the desk of the treasurer: we may ask for 5.00 to 1.00 in Section 7.11 next year.",
    "Press release: leverage fell below 3.00 to 1.00 after the sale.",
)


def said(found: Effective) -> tuple[Any, ...]:
    """What an answer says: result, overlay, covenant, candidates and the copy of the text."""
    covenant = found.covenant.model_dump_json()
    return (
        found.result,
        found.overlay,
        found.not_tested,
        covenant,
        found.conformed,
        sorted(c.model_dump_json() for c in found.candidates),
    )


def settled(found: Effective) -> tuple[Any, ...] | None:
    """Result and level where nothing is open; None on a review."""
    return None if found.result == "review" else (found.result, level_of(found))


def weaker(before: Effective, after: Effective) -> None:
    """Less evidence may keep an answer or open it, and never settle or move one."""
    if settled(before) is None:
        assert settled(after) is None, "a review was settled by taking evidence away"
    elif settled(after) is not None:
        assert settled(after) == settled(before), "one level became another without a review"


@SETTINGS
@given(packs(), DAYS, st.randoms(use_true_random=False))
def test_order_never_matters_to_the_byte(papers: list[Paper], test: dt.date, random: Any) -> None:
    """Documents, trees, instruments and operations in any order give the same record, byte for byte."""
    case, extraction = make(papers, test.isoformat())

    def mixed(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(random.sample(items, len(items)))

    names = mixed(tuple(d.name for d in case.documents))
    operations = tuple(o for name in names for o in extraction.operations if o.document == name)
    other = CaseFile.model_validate(
        {**dict(case), "documents": mixed(case.documents), "trees": mixed(case.trees), "instruments": mixed(case.instruments)}
    )
    again = decide(other, Extraction(operations=operations))
    assert again.model_dump_json() == decide(case, extraction).model_dump_json()


@SETTINGS
@given(
    packs(),
    DAYS,
    st.sampled_from([K.OTHER, K.RESERVATION, K.NOTICE, K.COMPLIANCE_CERTIFICATE, K.CONDITION_NOTICE]),
    DAYS,
    st.sampled_from(IRRELEVANT),
)
def test_a_paper_that_does_nothing_changes_nothing(
    papers: list[Paper], test: dt.date, kind: InstrumentKind, dated: dt.date, words: str
) -> None:
    """A letter, a notice, a pricing notice, an e-mail or a press release moves neither result, level, covenant nor text."""
    more = Paper("more", kind, dated, words=words)
    assert said(decided([*papers, more], test.isoformat())) == said(decided(papers, test.isoformat()))


@SETTINGS
@given(packs(), st.lists(changes(9), min_size=1, max_size=2), st.booleans(), DAYS, DAYS)
def test_what_comes_later_never_rewrites_an_earlier_answer(
    papers: list[Paper], later: list[Paper], restated: bool, test: dt.date, known: dt.date
) -> None:
    """Papers made after the knowledge date, restatements among them, leave result, covenant, candidates and text as they were."""
    late = [replace(p, name=f"late{i}", dated=known + dt.timedelta(days=i + 1)) for i, p in enumerate(later)]
    if restated:
        late.append(replace(late[-1], name="late9", kind=K.RESTATEMENT, amends=FIRST, effective_on=late[-1].dated))
    before, after = (decided(p, test.isoformat(), known=known.isoformat()) for p in (papers, [*papers, *late]))
    assert said(after) == said(before)
    assert codes(after) - codes(before) <= {"reject_after_known_date"}
    assert codes(before) <= codes(after)


@SETTINGS
@given(packs(least=1), DAYS, DAYS, st.integers(0, 2))
def test_evidence_that_comes_later_is_not_known_before(papers: list[Paper], test: dt.date, known: dt.date, which: int) -> None:
    """A notice of conditions given after the knowledge date counts as no notice at all."""
    amendments = [p for p in papers if p.kind is K.AMENDMENT]
    chosen = amendments[which % len(amendments)]
    day = known + dt.timedelta(days=1)
    notice = Paper("notice", K.CONDITION_NOTICE, day, words="Conditions are met.")
    waits = {"mode": M.ON_CP, "effect": {}}
    shown = [replace(p, effective_on=day, shown_by="notice", **waits) if p is chosen else p for p in papers]  # type: ignore[arg-type]
    bare = [replace(p, effective_on=None, **waits) if p is chosen else p for p in papers]  # type: ignore[arg-type]
    found, without = (decided(p, test.isoformat(), known=known.isoformat()) for p in ([*shown, notice], bare))
    assert said(found) == said(without)


@SETTINGS
@given(packs(), DAYS, st.integers(0, 5), st.sampled_from(["effect", "signature", "attestation"]))
def test_less_evidence_never_settles_a_question(papers: list[Paper], test: dt.date, which: int, what: str) -> None:
    """Without a day of effect, a signature or an attestation of one nothing is settled that was open, and no level becomes another."""
    chosen = papers[which % len(papers)]
    taken = {"effect": {"effective_on": None}, "signature": {"execution": X.UNKNOWN}, "attestation": {"attested": False}}[what]
    assume(any(getattr(chosen, key) != value for key, value in taken.items()) and chosen.execution is X.EXECUTED)
    less = [replace(p, **taken) if p is chosen else p for p in papers]  # type: ignore[arg-type]
    weaker(decided(papers, test.isoformat()), decided(less, test.isoformat()))


@SETTINGS
@given(packs(least=1, whole=False), changes(4, whole=False), DAYS, st.integers(0, 2))
def test_a_recited_instrument_taken_away_never_settles_a_question(
    papers: list[Paper], last: Paper, test: dt.date, which: int
) -> None:
    """Without an amendment that a later signed one recites, nothing is settled that was open, and no level becomes another.

    Where a restatement follows, or the provision is restated as a whole, earlier instruments no longer matter (PR-06, PR-08): none is
    drawn here.
    """
    gone = papers[1:][which % len(papers[1:])]
    assert gone.dated is not None
    day = gone.dated + dt.timedelta(days=1)
    recites = [(gone.number, None)]
    reciting = replace(last, recites=recites, execution=X.EXECUTED, mode=M.ON_SIGNING, effect={}, dated=day)
    more = [*papers, reciting]
    weaker(decided(more, test.isoformat()), decided([p for p in more if p is not gone], test.isoformat()))


def test_the_packs_reach_every_state() -> None:
    """The generator is not vacuous: determined by every way, not tested, reviews, overlays and changed definitions all come up."""
    seen: Counter[str] = Counter()

    @seed(7)
    @settings(max_examples=200, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(packs(), DAYS)
    def look(papers: list[Paper], test: dt.date) -> None:
        found = decided(papers, test.isoformat())
        seen.update({found.result, str(found.overlay.value), *codes(found)})

    look()
    wanted = {
        "determined", "review", "not_tested", "reject_waiver_not_amendment", "accept_base_statement", "accept_schedule_row", "accept_amended_provision",
        "accept_temporary_level", "accept_restated_agreement", "finding_retroactive_basis_shown",
        "not_tested_suspended", "reject_expired", "finding_definition_changed",
        "review_cp_evidence_missing", "review_unsigned_instrument", "review_missing_instrument_in_chain", "review_anchor_not_unique",
        "review_definition_version_unclear", "reject_superseded", "reject_not_yet_effective",
    }  # fmt: skip
    assert sorted(wanted - set(seen)) == []
