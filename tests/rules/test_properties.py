"""What must hold of every pack, on packs that are drawn at random."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support import Act, Paper, base, codes, decided, level_of, make, set_level, stated, substituted, suspended, temporary, waived

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode, Op
from conformed.model.pack import Execution, InstrumentKind
from conformed.rules.precedence.precedence import decide

K, M, X = InstrumentKind, EffectiveMode, Execution
FIRST, LAST = dt.date(2022, 1, 14), dt.date(2025, 6, 30)
DAYS = st.dates(dt.date(2022, 6, 1), dt.date(2025, 3, 31))
LEVELS = st.sampled_from(["7/2", "15/4", "4", "17/4", "5"])
CONDITIONAL = [M.ON_CP, M.ON_EVENT, M.LATER_OF, M.AS_OF_ON_CP]
SETTINGS = settings(max_examples=int(os.environ.get("CONFORMED_EXAMPLES", "50")), deadline=None)


@st.composite
def acts(draw: st.DrawFn) -> Act:
    """One operation on the covenant, or beside it."""
    level = draw(LEVELS)
    start = draw(DAYS)
    days = (start.isoformat(), (start + dt.timedelta(days=draw(st.integers(0, 400)))).isoformat())
    makers: list[Callable[[], Act]] = [
        lambda: set_level("7.11", level),
        lambda: stated("7.11", level, op=Op.REPLACE_PROVISION),
        lambda: stated("7.11", level, op=Op.REPLACE_TABLE, rows=[(level, days[0], None)], from_period=start),
        lambda: substituted("7.11", "4.00 to 1.00", "4.25 to 1.00"),
        lambda: suspended("7.11", days),
        lambda: temporary("7.11", level, days),
        lambda: waived("7.11", days),
        lambda: set_level("7.12", level),
    ]
    return draw(st.sampled_from(makers))()


@st.composite
def changes(draw: st.DrawFn, number: int) -> Paper:
    """An instrument with some operations, evidence of its effect or not, and recitals of those before it."""
    dated = draw(DAYS)
    mode = draw(st.sampled_from([M.ON_SIGNING, M.FIXED, M.AS_OF, *CONDITIONAL]))
    effect = (
        {"date": draw(DAYS), "waives_default": draw(st.booleans())}
        if mode in {M.FIXED, M.AS_OF, M.LATER_OF, M.AS_OF_ON_CP}
        else {}
    )
    shown = dated + dt.timedelta(days=draw(st.integers(0, 120))) if mode in CONDITIONAL and draw(st.booleans()) else None
    recites = [(n, None) for n in range(1, number) if draw(st.booleans())]
    execution = draw(st.sampled_from([X.EXECUTED, X.EXECUTED, X.EXECUTED, X.UNSIGNED, X.PARTIAL, X.DRAFT]))
    return Paper(
        f"{draw(st.sampled_from('abcxyz'))}{number}",
        K.AMENDMENT,
        dated,
        [draw(acts())],
        mode,
        effect,
        execution,
        effective_on=shown,
        number=number,
        recites=recites,
    )


@st.composite
def packs(draw: st.DrawFn, most: int = 3) -> list[Paper]:
    """A base and up to three amendments, sometimes a restatement."""
    first = base("base", FIRST.isoformat(), stated("7.11", "4"), stated("7.12", "3", metric="interest_cover", comparator="ge"))
    papers = [first, *(draw(changes(n)) for n in range(1, draw(st.integers(0, most)) + 1))]
    if draw(st.booleans()):
        dated = draw(DAYS)
        shown = draw(st.none() | st.integers(0, 60))
        papers.append(Paper("restated", K.RESTATEMENT, dated, [stated("7.11", draw(LEVELS)), stated("7.12", "3", metric="interest_cover", comparator="ge")], M.ON_CP,
                            amends=FIRST, effective_on=dated + dt.timedelta(days=shown) if shown is not None else None))  # fmt: skip
    return papers


def answer(found: Effective) -> tuple[Any, ...]:
    """What counts of an answer."""
    return (
        found.result,
        found.overlay,
        found.not_tested,
        level_of(found),
        sorted(c.limit.value for c in found.candidates),
        sorted(codes(found)),
    )


@SETTINGS
@given(packs(), DAYS, st.randoms(use_true_random=False))
def test_order_of_the_documents_never_matters(papers: list[Paper], test: dt.date, random: Any) -> None:
    """The same documents in another order give the same answer, to the last code."""

    def shuffled(items: list[Paper]) -> list[Paper]:
        random.shuffle(items)
        return items

    plain = decide(*make(papers, test.isoformat()))
    assert answer(decide(*make(papers, test.isoformat(), shuffle=shuffled))) == answer(plain)


@SETTINGS
@given(packs(), DAYS, st.permutations("pqrstuvw"))
def test_names_of_the_documents_never_matter(papers: list[Paper], test: dt.date, letters: list[str]) -> None:
    """Other file names give the same result and levels."""
    renamed = [replace(p, name=f"{letter}.txt") for p, letter in zip(papers, letters, strict=False)]
    assert answer(decided(renamed, test.isoformat()))[:5] == answer(decided(papers, test.isoformat()))[:5]


@SETTINGS
@given(packs(), DAYS, st.sampled_from([K.OTHER, K.COMPLIANCE_CERTIFICATE, K.RESERVATION, K.CONDITION_NOTICE, K.NOTICE]), DAYS)
def test_irrelevant_document_never_matters(papers: list[Paper], test: dt.date, kind: InstrumentKind, dated: dt.date) -> None:
    """A document that does nothing changes neither result nor level."""
    more = Paper("more", kind, dated, words="The weather in the valley was fair.")
    assert answer(decided([*papers, more], test.isoformat()))[:5] == answer(decided(papers, test.isoformat()))[:5]


@SETTINGS
@given(packs(), changes(9), DAYS, DAYS)
def test_later_knowledge_never_rewrites_an_earlier_answer(
    papers: list[Paper], later: Paper, test: dt.date, known: dt.date
) -> None:
    """What came into being after the knowledge date changes nothing but the line that says so."""
    assume(later.dated is not None and later.dated > known)
    before = answer(decided(papers, test.isoformat(), known=known.isoformat()))
    after = answer(decided([*papers, later], test.isoformat(), known=known.isoformat()))
    assert after[:5] == before[:5]
    assert set(after[5]) - set(before[5]) <= {"reject_after_known_date"}


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
@given(packs(), DAYS, st.integers(0, 4))
def test_taking_evidence_of_effect_away(papers: list[Paper], test: dt.date, which: int) -> None:
    """Without the day on which conditions were met nothing is settled that was open, and no level becomes another."""
    chosen = papers[which % len(papers)]
    assume(chosen.effective_on is not None)
    less = [replace(p, effective_on=None) if p is chosen else p for p in papers]
    weaker(decided(papers, test.isoformat()), decided(less, test.isoformat()))


@SETTINGS
@given(packs(), DAYS, st.integers(0, 4), st.sampled_from([X.UNKNOWN, X.UNSIGNED, X.PARTIAL]))
def test_taking_signatures_away(papers: list[Paper], test: dt.date, which: int, execution: Execution) -> None:
    """Without signatures nothing is settled that was open, and no level becomes another."""
    chosen = papers[which % len(papers)]
    assume(chosen.execution is X.EXECUTED)
    less = [replace(p, execution=execution) if p is chosen else p for p in papers]
    weaker(decided(papers, test.isoformat()), decided(less, test.isoformat()))


@SETTINGS
@given(changes(1), changes(2), st.none() | changes(3), DAYS)
def test_taking_a_recited_instrument_away(one: Paper, two: Paper, three: Paper | None, test: dt.date) -> None:
    """Without an instrument that another one recites no level becomes another."""
    first = base("base", FIRST.isoformat(), stated("7.11", "4"), stated("7.12", "3", metric="interest_cover", comparator="ge"))
    later = replace(two, recites=[(1, None)], execution=X.EXECUTED)
    rest = [later, *([three] if three is not None else [])]
    before, after = decided([first, one, *rest], test.isoformat()), decided([first, *rest], test.isoformat())
    if settled(before) is not None and settled(after) is not None:
        assert settled(after) == settled(before)


@SETTINGS
@given(packs(), DAYS)
def test_every_answer_is_whole(papers: list[Paper], test: dt.date) -> None:
    """Codes on a review, a ground for a level, spans that slice back, candidates that differ."""
    case, extraction = make(papers, test.isoformat())
    found = decide(case, extraction)
    review = {c for c in codes(found) if c.startswith("review")}
    if found.result == "review":
        assert review
        assert level_of(found) is None
        assert not {c for c in codes(found) if c.startswith(("accept", "not_tested"))} - {"accept_waiver_overlay"}
    elif found.result == "determined":
        assert level_of(found) is not None
        assert any(c.startswith("accept") for c in codes(found))
        assert not found.candidates
    else:
        assert any(c.startswith("not_tested") for c in codes(found))
    shown = [*found.candidates, *([found.covenant] if level_of(found) is not None else [])]
    for covenant in shown:
        assert covenant.spans
        for span in covenant.spans:
            assert case.document(span.document).text[span.start : span.end] == span.text
    assert len({(c.metric, c.comparator, c.limit.value, c.section) for c in found.candidates}) == len(found.candidates)


@SETTINGS
@given(packs(most=2), DAYS)
def test_level_comes_from_an_instrument_that_says_it(papers: list[Paper], test: dt.date) -> None:
    """A level that governs was written by a document that is executed, or by the agreement, and stands in its words."""
    found = decided(papers, test.isoformat())
    assume(found.result == "determined")
    source = next(p for p in papers if p.name == found.covenant.document)
    assert source.execution is not X.DRAFT
    assert Fraction(found.covenant.spans[0].text.split(" to ")[0]) == level_of(found)
