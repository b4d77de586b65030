"""Suspensions, temporary levels and waivers (PR-40, PR-41, PR-44)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import (
    Act,
    Paper,
    base,
    candidates,
    codes,
    day,
    decided,
    doubt,
    limit,
    record,
    set_level,
    stated,
    suspended,
    temporary,
    waived,
)

from conformed.model.dates import Window
from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode
from conformed.model.pack import Execution, InstrumentKind

K, M = InstrumentKind, EffectiveMode
FOUR, HIGH = Fraction(4), Fraction(21, 4)
TEST = "2024-06-30"
HOLIDAY = ("2024-03-15", "2024-09-30")


def relief(*acts: Act, name: str = "a1.txt", dated: str = "2024-03-15", **more: Any) -> Paper:
    """An executed amendment that gives relief."""
    return Paper(name, K.AMENDMENT, day(dated), acts, **{"number": 1, **more})


def given(*papers: Paper, test: str = TEST, **asked: Any) -> Effective:
    """What precedence gives with the base."""
    return decided([base(), *papers], test, **asked)


def test_suspension() -> None:
    """A covenant that is put aside is not tested, from the first day of the window to the last (P39)."""
    for test, result in (
        ("2024-03-14", "determined"),
        ("2024-03-15", "not_tested"),
        ("2024-09-30", "not_tested"),
        ("2024-10-01", "determined"),
    ):
        found = given(relief(suspended("7.11", HOLIDAY)), test=test)
        assert (found.result, found.not_tested) == (result, "suspended" if result == "not_tested" else "")


def test_other_test_in_force_is_told() -> None:
    """Another test that stands in for the covenant is named."""
    found = given(relief(suspended("7.11", HOLIDAY, doubts=(doubt("finding_other_test_in_force"),))))
    assert {"not_tested_suspended", "finding_other_test_in_force"} <= codes(found)
    assert not {c for c in codes(found) if c.startswith(("accept", "review"))}


def test_ended_relief_returns_to_the_text_as_amended_by_then() -> None:
    """After the end the permanent text as changed meanwhile governs, not the one it was written against (PR-41)."""
    change = Paper("a2.txt", K.AMENDMENT, day("2024-05-02"), [set_level("7.11", "17/4")], number=2, recites=[(1, None)])
    for act in (suspended("7.11", HOLIDAY), temporary("7.11", "21/4", HOLIDAY)):
        found = given(relief(act), change, test="2024-12-31")
        assert record(found) == ("determined", Fraction(17, 4), set())
        assert {"reject_expired", "accept_reverted_after_lapse", "accept_amended_provision"} <= codes(found)


@pytest.mark.parametrize(
    "defect",
    [
        {"execution": Execution.UNSIGNED},
        {"execution": Execution.PARTIAL},
        {"mode": M.ON_CP},
        {"attested": False},
    ],
)
@pytest.mark.parametrize("kind", ["suspend", "temporary"])
def test_relief_of_a_doubtful_instrument(defect: dict[str, Any], kind: str) -> None:
    """Relief that may not be in force settles nothing either way."""
    act = suspended("7.11", HOLIDAY) if kind == "suspend" else temporary("7.11", "21/4", HOLIDAY)
    found = given(relief(act, **defect))
    assert found.result == "review"
    assert candidates(found) == ({FOUR} if kind == "suspend" else {FOUR, HIGH})


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (suspended("7.11"), "review_suspension_end_unclear"),
        (suspended("7.11", HOLIDAY, ends_early_on="notice"), "review_suspension_end_unclear"),
        (suspended("7.11", HOLIDAY, doubts=(doubt("review_clause_not_fully_read"),)), "review_clause_not_fully_read"),
        (
            suspended("7.11", HOLIDAY, windows=(Window(start=day("2024-03-15"), end=day(TEST), end_unclear=True),)),
            "review_boundary_date_ambiguous",
        ),
        (temporary("7.11", "21/4"), "review_suspension_end_unclear"),
        (temporary("7.11", "21/4", HOLIDAY, limit=None), "review_clause_not_fully_read"),
    ],
)
def test_relief_whose_words_leave_something_open(act: Act, code: str) -> None:
    """No days, a possible early end, an edge, a doubt, a level that was not read: each stops."""
    found = given(relief(act))
    assert (found.result, code in codes(found)) == ("review", True)
    assert FOUR in candidates(found)


def test_early_end_excluded_by_attestation() -> None:
    """That no election or notice was made rules the early end out."""
    act = suspended("7.11", HOLIDAY, ends_early_on="notice")
    assert given(relief(act), no_election=True).result == "not_tested"


def test_suspension_without_a_beginning_starts_with_its_instrument() -> None:
    """A relief that names only its end counts from the day on which its instrument takes effect."""
    act = suspended("7.11", (None, "2024-09-30"))
    assert given(relief(act, mode=M.ON_CP, effective_on=day("2024-07-01"))).result == "determined"
    assert given(relief(act, mode=M.ON_CP, effective_on=day("2024-06-12"))).result == "not_tested"


def test_relief_in_the_agreement_itself() -> None:
    """A holiday that the base gives counts as one that an amendment gives."""
    assert decided([base("base.txt", "2022-01-14", stated(), suspended("7.11", HOLIDAY))], TEST).result == "not_tested"


def test_relief_for_another_provision() -> None:
    """A holiday of another section changes nothing."""
    papers = [
        base("base.txt", "2022-01-14", stated(), stated("7.12", "3", metric="interest_cover", comparator="ge")),
        relief(suspended("7.12", HOLIDAY)),
    ]
    assert record(decided(papers, TEST)) == ("determined", FOUR, set())


def test_temporary_level() -> None:
    """A temporary level governs in its window and is said to be one (P31)."""
    found = given(relief(temporary("7.11", "21/4", ("2024-03-31", "2024-03-31"), (TEST, TEST))))
    assert record(found) == ("determined", HIGH, set())
    assert {c for c in codes(found) if c.startswith("accept")} == {"accept_temporary_level"}
    assert found.covenant.document == "a1.txt"


def test_permanent_change_that_does_not_deal_with_the_relief() -> None:
    """A later change of the level that does not know of the relief may have ended it (P31)."""
    for act in (temporary("7.11", "21/4", HOLIDAY), suspended("7.11", HOLIDAY)):
        change = Paper("a2.txt", K.AMENDMENT, day("2024-05-02"), [set_level("7.11", "17/4")])
        found = given(relief(act), change)
        assert (found.result, "review_conflict_same_effective_date" in codes(found)) == ("review", True)
        known = Paper("a2.txt", K.AMENDMENT, day("2024-05-02"), [set_level("7.11", "17/4")], recites=[(1, None)])
        assert given(relief(act), known).result != "review"


def test_two_temporary_levels() -> None:
    """Two reliefs of different levels for one date are a question whatever the names of their documents."""
    one, other = (
        relief(temporary("7.11", "21/4", HOLIDAY)),
        relief(temporary("7.11", "5", HOLIDAY), name="a0.txt", number=2, recites=[(1, None)]),
    )
    found = given(one, other)
    assert found.result == "review"
    assert {HIGH, Fraction(5)} <= candidates(found)


def test_temporary_level_of_another_sort() -> None:
    """An amount in place of a ratio is not a level of the covenant."""
    act = temporary("7.11", "21/4", HOLIDAY)
    amount = Act(
        act.words,
        lambda q: {**act.build(q), "limit": {**limit("21/4", q(act.words)).model_dump(), "unit": "amount", "currency": "USD"}},
    )
    assert given(relief(amount)).result == "review"


def waiver(*acts: Act, dated: str = "2024-08-20", **more: Any) -> Paper:
    """An executed waiver letter."""
    return Paper("w.txt", K.WAIVER, day(dated), acts, **more)


def test_waiver_is_an_overlay() -> None:
    """A waiver of the test stands beside the level and never changes it (P36)."""
    found = given(waiver(waived("7.11", (TEST, TEST))))
    assert (record(found), found.overlay.value) == (("determined", FOUR, set()), "waived")
    assert {"accept_waiver_overlay", "reject_waiver_not_amendment", "accept_base_statement"} <= codes(found)
    assert found.covenant.document == "base.txt"


@pytest.mark.parametrize(
    ("paper", "code"),
    [
        (waiver(waived("7.11", (TEST, TEST), mode=M.ON_CP)), "review_cp_evidence_missing"),
        (waiver(waived("7.11", (TEST, TEST)), execution=Execution.UNSIGNED), "review_unsigned_instrument"),
        (waiver(waived("7.11", (TEST, TEST)), execution=Execution.PARTIAL), "review_partial_execution"),
        (waiver(waived("7.11")), "review_effective_date_ambiguous"),
        (waiver(waived("7.11", (TEST, TEST), doubts=(doubt("review_clause_not_fully_read"),))), "review_clause_not_fully_read"),
        (waiver(waived("7.11", (TEST, TEST), ceiling=limit("21/5", ()))), "review_cp_evidence_missing"),
        (waiver(waived("7.11", (TEST, TEST), ends_on=day("2024-12-31"))), "reject_expired"),
        (waiver(waived("7.11", ("2024-09-30", "2024-09-30"))), "reject_waiver_not_amendment"),
        (waiver(waived("7.12", (TEST, TEST))), "reject_waiver_not_amendment"),
        (
            waiver(waived("7.11", (TEST, TEST), windows=(Window(start=day("2024-03-31"), end=day(TEST), end_unclear=True),))),
            "review_boundary_date_ambiguous",
        ),
    ],
)
def test_waiver_that_gives_no_overlay(paper: Paper, code: str) -> None:
    """A waiver with a condition, a ceiling, a missing signature, other dates or another section is told, and is no overlay."""
    found = given(paper)
    assert (found.overlay.value, code in codes(found)) == ("none", True)
    assert {r.limit.value for r in found.candidates} or record(found)[1] == FOUR


def test_waiver_that_has_not_ended_yet() -> None:
    """A waiver that ends on a day stands while the knowledge date is before it."""
    paper = waiver(waived("7.11", (TEST, TEST), ends_on=day("2024-12-31")))
    assert given(paper, known="2024-12-30").overlay.value == "waived"
    assert given(paper, known="2024-12-31").overlay.value == "none"


def test_waiver_beside_a_review() -> None:
    """An overlay may stand beside a review."""
    unsigned = Paper("a1.txt", K.AMENDMENT, day("2024-03-15"), [set_level()], execution=Execution.UNSIGNED)
    found = given(unsigned, waiver(waived("7.11", (TEST, TEST))))
    assert (found.result, found.overlay.value, "accept_waiver_overlay" in codes(found)) == ("review", "waived", True)
