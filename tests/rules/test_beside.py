"""What stands beside a result: the conditions of a cure one by one, waivers with ceilings, the next test (PR-44, PR-45)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support_figures import DAY, covenant, figure, run

from conformed.language.agreement import CureTerms
from conformed.language.cure_limits import CureLimits
from conformed.language.delivery import Delivery
from conformed.model.calculation import Calculation
from conformed.model.covenant import Comparator, Limit, Unit
from conformed.model.decision import CappedWaiver, Effective, Overlaid, Overlay, Reason
from conformed.rules.beside.beside import NextTest, Papers, overlaid, paid_in
from conformed.rules.beside.ceilings import pending
from conformed.rules.beside.cure_conditions import CureUse
from conformed.rules.calculation.agreement_terms import AgreementTerms
from conformed.rules.calculation.calculate import Calculated

D = dt.date
LATER = D(2025, 6, 1)
DUTY = (Delivery(period="quarter", days=45, certificate=True),)
LIMITS = CureLimits(days=15, business=True, runs_from="due", most_uses=4, consecutive=False)
USE = CureUse(
    document="n", test_date=DAY, amount=Fraction(2_500_000), currency="USD", received_on=D(2024, 11, 25), noticed_on=D(2024, 11, 25),
    earlier=(),
)  # fmt: skip
EFFECTIVE = Effective(result="determined", covenant=covenant())


def papers(*uses: CureUse, limits: CureLimits = LIMITS, kind: str = "ebitda", **more: Any) -> Papers:
    """Papers with a right to cure and some uses of it."""
    agreement = AgreementTerms(cure=CureTerms(kind=kind, limits=limits), deliveries=DUTY)
    return Papers(**{"test": DAY, "known": LATER, "agreement": agreement, "uses": uses, **more})


def worked(side: Papers, debt: object = 402) -> Calculated:
    """402 over 98 against 4.00, with the cure that the papers show."""
    lines = (figure("total_debt", debt), figure("net_income", 98))
    return run(covenant(), *lines, agreement=side.agreement, paid_in=paid_in(side.uses, DAY))


def beside(side: Papers, debt: object = 402, effective: Effective = EFFECTIVE) -> Overlaid:
    """What stands beside that."""
    done = worked(side, debt)
    return overlaid(effective, done.calculation, [r.code for r in done.reasons], side)


def codes(found: Overlaid) -> set[str]:
    """Its codes."""
    return {r.code for r in found.reasons}


def changed(**fields: Any) -> CureUse:
    """The good use with one thing otherwise."""
    return dataclasses.replace(USE, **fields)


def test_a_cure_with_every_condition_shown() -> None:
    """The overlay stands beside the breach; the first ratio and result are untouched and the second is exact (P40)."""
    side = papers(USE)
    done = worked(side)
    assert isinstance(done.calculation, Calculation)
    assert (done.result, done.calculation.ratio) == ("breach", Fraction(402, 98))
    assert done.calculation.cure is not None
    assert done.calculation.cure.ratio == 4
    found = beside(side)
    assert (found.overlay, codes(found)) == (Overlay.CURED, {"accept_cure_applied"})


@pytest.mark.parametrize(
    ("use", "limits"),
    [
        (changed(received_on=None), LIMITS),
        (changed(amount=None), LIMITS),
        (changed(test_date=None), LIMITS),
        (changed(noticed_on=None), LIMITS),
        (changed(currency="EUR"), LIMITS),
        (changed(amount=Fraction("2499999.99")), LIMITS),
        (changed(received_on=D(2024, 12, 6)), LIMITS),
        (changed(noticed_on=D(2024, 12, 6)), LIMITS),
        (changed(received_on=D(2025, 7, 1), noticed_on=D(2025, 7, 1)), LIMITS.model_copy(update={"days": 400})),
        (changed(earlier=None), LIMITS),
        (changed(earlier=(D(2024, 6, 30),)), LIMITS),
        (changed(earlier=tuple(D(y, 12, 31) for y in (2019, 2020, 2021, 2022))), LIMITS),
        (changed(earlier=(D(2023, 12, 31), D(2024, 3, 31))), LIMITS.model_copy(update={"most_in": (2, 4)})),
        (changed(amount=Fraction(2_500_001)), LIMITS.model_copy(update={"no_more_than_needed": True})),
        (changed(netted=True), LIMITS),
        (USE, LIMITS.model_copy(update={"unread": True})),
        (USE, LIMITS.model_copy(update={"runs_from": "other"})),
        (USE, LIMITS.model_copy(update={"days": None})),
    ],
)
def test_each_condition_that_is_not_shown(use: CureUse, limits: CureLimits) -> None:
    """Day, amount, test, notice, currency, number, size or use: no overlay, an open code, and the breach stays (PR-45)."""
    side = papers(use, limits=limits)
    assert worked(side).result == "breach"
    found = beside(side)
    assert (found.overlay, "review_cure_conditions_unproven" in codes(found)) == (Overlay.NONE, True)


@pytest.mark.parametrize(
    ("use", "limits"),
    [
        (changed(received_on=D(2024, 12, 5), noticed_on=D(2024, 12, 5)), LIMITS),
        (changed(earlier=(D(2024, 3, 31),)), LIMITS),
        (changed(earlier=tuple(D(y, 12, 31) for y in (2020, 2021, 2022))), LIMITS),
        (changed(earlier=(D(2023, 9, 30), D(2024, 3, 31))), LIMITS.model_copy(update={"most_in": (2, 4)})),
        (changed(amount=Fraction(2_500_000)), LIMITS.model_copy(update={"no_more_than_needed": True})),
        (changed(amount=Fraction(9_000_000)), LIMITS),
        (changed(earlier=None), CureLimits()),
        (changed(netted=False), LIMITS),
    ],
)
def test_each_condition_at_its_edge(use: CureUse, limits: CureLimits) -> None:
    """The last business day, one quarter between two uses, the last use allowed, the very amount needed: the cure stands."""
    assert beside(papers(use, limits=limits)).overlay is Overlay.CURED


FACTS = ("test_date", "amount", "received_on", "noticed_on", "earlier")


@given(st.sets(st.sampled_from(FACTS), min_size=1))
def test_taking_evidence_away_never_cures(gone: set[str]) -> None:
    """Whatever facts are missing, nothing is cured and nothing else changes."""
    found = beside(papers(changed(**dict.fromkeys(gone))))
    assert found.overlay is Overlay.NONE
    assert "accept_cure_applied" not in codes(found)


def test_a_net_ratio_and_money_that_was_there_on_the_test_date() -> None:
    """Money that came by the test date is in the cash that a net ratio takes off, unless a paper says that it is not."""
    net = EFFECTIVE.model_copy(update={"covenant": covenant(metric="net_leverage")})
    early = {"received_on": D(2024, 9, 20), "noticed_on": D(2024, 9, 20)}
    assert beside(papers(changed(**early)), effective=net).overlay is Overlay.NONE
    assert beside(papers(changed(netted=False, **early)), effective=net).overlay is Overlay.CURED
    assert beside(papers(USE), effective=net).overlay is Overlay.CURED


def test_a_test_that_was_met_or_is_open() -> None:
    """Nothing is cured where nothing failed, or where figures or level are open."""
    assert beside(papers(USE), debt=390) == Overlaid()
    review = Effective(result="review", covenant=EFFECTIVE.covenant)
    assert beside(papers(USE), effective=review).overlay is Overlay.NONE
    done = worked(papers(USE))
    open_ = overlaid(EFFECTIVE, done.calculation, ["review_input_conflict"], papers(USE))
    assert open_.overlay is Overlay.NONE


def test_a_claim_without_a_right_and_two_claims() -> None:
    """A claim that no agreement supports, and two claims for one test, are open."""
    none = Papers(test=DAY, known=LATER, uses=(USE,))
    assert codes(beside(none)) == {"review_cure_conditions_unproven"}
    assert beside(papers(USE, changed(document="m"))).overlay is Overlay.NONE
    assert beside(papers(USE, kind="")).overlay is Overlay.NONE


@pytest.mark.parametrize(
    ("after", "barring", "barred", "overlay"),
    [
        (NextTest(D(2024, 12, 31), met=True), (), True, Overlay.CURED),
        (NextTest(D(2024, 12, 31), met=True), None, False, Overlay.CURED),
        (NextTest(D(2024, 12, 31), met=True), None, True, Overlay.NONE),
        (NextTest(D(2024, 12, 31), met=True), (D(2024, 12, 31),), True, Overlay.NONE),
        (NextTest(D(2024, 12, 31), met=True), (D(2025, 1, 1),), True, Overlay.CURED),
        (NextTest(D(2024, 12, 31), met=False), (), True, Overlay.NONE),
        (NextTest(D(2024, 12, 31), met=None), (), True, Overlay.NONE),
        (None, (), True, Overlay.NONE),
    ],
)  # fmt: skip
def test_a_deemed_cure(after: NextTest | None, barring: tuple[dt.date, ...] | None, barred: bool, overlay: Overlay) -> None:
    """The next test that is met mends the earlier one, unless a notice came by then or nobody confirms that none did (P40)."""
    limits = LIMITS.model_copy(update={"deemed": True, "barred": barred})
    found = beside(papers(limits=limits, next_test=lambda: after, barring=barring))
    assert found.overlay is overlay
    assert ("accept_cure_applied" in codes(found)) is (overlay is Overlay.CURED)
    early = papers(limits=limits, next_test=lambda: after, barring=barring, known=D(2024, 12, 30))
    assert beside(early).overlay is Overlay.NONE
    assert beside(papers(next_test=lambda: after, barring=barring)).overlay is Overlay.NONE


@pytest.mark.parametrize(("known", "still"), [(D(2024, 12, 5), True), (D(2024, 12, 6), False)])
def test_the_window(known: dt.date, still: bool) -> None:
    """A failed test that may still be cured on the knowledge date, whether or not a cure was tried."""
    assert ("finding_cure_window_open" in codes(beside(papers(known=known)))) is still
    tried = beside(papers(changed(amount=None), known=known))
    assert ("finding_cure_window_open" in codes(tried)) is still
    assert "finding_cure_window_open" not in codes(beside(papers(USE, known=known)))
    assert "finding_cure_window_open" not in codes(beside(papers(known=known), debt=390))


def capped(level: str, comparator: Comparator = Comparator.LE, metric: str = "") -> Effective:
    """A waiver that holds within a ratio."""
    limit = Limit(unit=Unit.RATIO, value=Fraction(level), raw=f"{level} to 1.00")
    said = Reason(code="review_cp_evidence_missing", sentence=pending(limit), subject="w")
    waiver = CappedWaiver(document="w", ceiling=limit, comparator=comparator, metric=metric)
    return EFFECTIVE.model_copy(update={"reasons": (said,), "overlay_reasons": (said,), "waivers": (waiver,)})


@pytest.mark.parametrize(
    ("effective", "overlay", "code"),
    [
        (capped("4.20"), Overlay.WAIVED, "accept_waiver_overlay"),
        (capped("4.02"), Overlay.WAIVED, "accept_waiver_overlay"),
        (capped("4.01"), Overlay.NONE, "reject_waiver_condition_failed"),
        (capped("4.02", Comparator.LT), Overlay.NONE, "reject_waiver_condition_failed"),
        (capped("4.20", metric="senior_leverage"), Overlay.NONE, "review_cp_evidence_missing"),
        (capped("4.20", metric="total_leverage"), Overlay.WAIVED, "accept_waiver_overlay"),
    ],
)
def test_a_ceiling(effective: Effective, overlay: Overlay, code: str) -> None:
    """A ratio of exactly 4.02: within, at and above the ceiling; one of another ratio is not judged by this one (PR-44)."""
    lines = (figure("total_debt", 402), figure("net_income", 100))
    done = run(covenant(), *lines)
    found = overlaid(effective, done.calculation, [r.code for r in done.reasons], Papers(test=DAY, known=LATER))
    assert (done.result, found.overlay, codes(found)) == ("breach", overlay, {code})


def test_a_waiver_goes_before_a_cure() -> None:
    """Where both stand, both are told and the overlay is the waiver's."""
    found = beside(papers(USE), effective=capped("4.20"))
    assert (found.overlay, codes(found)) == (Overlay.WAIVED, {"accept_waiver_overlay", "accept_cure_applied"})


def test_a_ceiling_is_judged_on_the_ratio_as_tested() -> None:
    """Without a comparison, or with a figure in question, nobody judges the ceiling."""
    done = run(covenant(), figure("total_debt", 402), figure("net_income", -1))
    found = overlaid(capped("4.20"), done.calculation, [r.code for r in done.reasons], Papers(test=DAY, known=LATER))
    assert (found.overlay, codes(found)) == (Overlay.NONE, {"review_cp_evidence_missing"})
