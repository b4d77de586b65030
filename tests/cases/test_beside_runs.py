"""Waivers with a ceiling, cures and late papers through whole runs, from the words of small documents."""

from __future__ import annotations

from fractions import Fraction

import pytest
from fenwick_papers import AGENT, DEEMED, DEMAND, LETTER, NOTICE, REPORTS, RIGHT, SECOND, STATEMENT, Run, codes, shown

from conformed.model.base import Missing
from conformed.model.decision import CheckOutcome, Result

CEILINGS = {
    ", provided that the Leverage Ratio for that quarter does not exceed 4.10 to 1.00": ("waived", "accept_waiver_overlay"),
    ", so long as such ratio was not greater than 4.00 to 1.00": ("waived", "accept_waiver_overlay"),
    ", provided that the Leverage Ratio for that quarter does not exceed 3.95 to 1.00": (
        "none",
        "reject_waiver_condition_failed",
    ),
    ", but only if the Leverage Ratio was less than 4.00 to 1.00": ("none", "reject_waiver_condition_failed"),
    ", provided that the Senior Leverage Ratio does not exceed 4.10 to 1.00": ("none", "review_cp_evidence_missing"),
    ", subject to payment of the waiver fee": ("none", "review_cp_evidence_missing"),
    ", provided that the Leverage Ratio does not exceed 4.10 to 1.00 and subject to receipt of the fee": (
        "none",
        "review_cp_evidence_missing",
    ),
    "": ("waived", "accept_waiver_overlay"),
}


@pytest.mark.parametrize("condition", sorted(CEILINGS))
def test_a_waiver_with_a_condition(run: Run, condition: str) -> None:
    """A ceiling is judged by the recalculated ratio of 4.00; another ratio or another condition leaves the overlay open; breach stays (PR-44)."""
    decision = run("400,000", {"letter.txt": LETTER.format(condition=condition)})
    overlay, code = CEILINGS[condition]
    assert shown(decision) == ("breach", overlay)
    told = codes(decision) & {"accept_waiver_overlay", "reject_waiver_condition_failed", "review_cp_evidence_missing"}
    assert told == {code}
    assert "reject_waiver_not_amendment" in codes(decision)
    assert decision.checks[1].outcome is (CheckOutcome.REVIEW if code.startswith("review") else CheckOutcome.PASS)


def test_a_ceiling_without_figures_stays_open(run: Run) -> None:
    """Where nothing is calculated a ceiling is judged by nobody."""
    letter = LETTER.format(condition=sorted(CEILINGS)[-1])
    decision = run("400,000", {"letter.txt": letter}, certificate="\nConsolidated EBITDA  90,000\n")
    assert decision.result is Result.REVIEW
    assert decision.overlay.value == "none"
    assert "review_cp_evidence_missing" in codes(decision)


def test_a_cure_from_notice_and_bank_statement(run: Run) -> None:
    """With every condition shown the second calculation stands beside the breach, with its places; the first ratio is untouched (P40)."""
    decision = run("400,000", {"notice.txt": NOTICE, "statement.txt": STATEMENT}, agreement=REPORTS + RIGHT)
    assert shown(decision) == ("breach", "cured")
    assert not isinstance(decision.calculation, Missing)
    cure = decision.calculation.cure
    assert cure is not None
    assert (decision.calculation.ratio, cure.claimed, cure.met) == (4, Fraction("6666666.67"), True)
    reason = next(r for r in decision.reasons if r.code == "accept_cure_applied")
    assert {s.document for s in reason.spans} == {"notice.txt", "statement.txt", "agreement.txt"}
    assert any(c.subject == "overlay" for c in decision.claims)
    assert not {c for c in codes(decision) if c.startswith("review")}


def with_statement(*changes: tuple[str, str]) -> dict[str, str]:
    """The notice in other words, and the bank's statement."""
    notice = NOTICE
    for old, new in changes:
        assert old in notice
        notice = notice.replace(old, new)
    return {"notice.txt": notice, "statement.txt": STATEMENT}


@pytest.mark.parametrize(
    ("papers", "right"),
    [
        ({"notice.txt": NOTICE}, RIGHT),
        (with_statement(("This is the first exercise of the right.", "")), RIGHT),
        (with_statement(("first exercise of the right", "first exercise of the right, and the amount is also netted against debt")), RIGHT),
        (with_statement(("6,666,666.67", "6,666,666.66")), RIGHT),
        (with_statement(("Signed: /s/ Anna Thorne", "Signed: ______")), RIGHT),
        (with_statement(("December 2, 2024", "December 20, 2024")), RIGHT),
        ({"notice.txt": NOTICE, "statement.txt": STATEMENT.replace("December 2, 2024", "December 20, 2024")}, RIGHT),
        ({"notice.txt": NOTICE, "statement.txt": STATEMENT.replace("Credit received", "Credit expected")}, RIGHT),
        (with_statement(), RIGHT.replace("no more than four times before the Maturity Date", "no more than as the Lenders may say")),
    ],
)  # fmt: skip
def test_a_cure_with_one_condition_not_shown(run: Run, papers: dict[str, str], right: str) -> None:
    """Receipt, count, use, test, amount, signature, day or limits that are not shown: no overlay, and the breach stays (PR-45)."""
    decision = run("400,000", papers, agreement=REPORTS + right)
    assert shown(decision) == ("breach", "none")
    assert "accept_cure_applied" not in codes(decision)
    assert "review_cure_conditions_unproven" in codes(decision)


def test_a_cure_of_another_test(run: Run) -> None:
    """A notice about the quarter before says nothing of this one."""
    decision = run("400,000", with_statement(("September 30, 2024", "June 30, 2024")), agreement=REPORTS + RIGHT)
    assert shown(decision) == ("breach", "none")
    assert not codes(decision) & {"accept_cure_applied", "review_cure_conditions_unproven"}


@pytest.mark.parametrize(("known", "open_"), [("2024-12-05", True), ("2024-12-06", False)])
def test_the_time_to_cure(run: Run, known: str, open_: bool) -> None:
    """Fifteen business days after the day on which the certificate was due, and not a day longer."""
    decision = run("400,000", agreement=REPORTS + RIGHT, known=known)
    assert shown(decision) == ("breach", "none")
    assert ("finding_cure_window_open" in codes(decision)) is open_


@pytest.mark.parametrize(("day", "late"), [("November 14, 2024", False), ("November 15, 2024", True), ("", False)])
def test_a_certificate_that_came_late(run: Run, day: str, late: bool) -> None:
    """Due 45 days after the quarter's end; a certificate without a day of its own is late to nobody."""
    decision = run("300,000", agreement=REPORTS, certificate=f"\nDelivered to the Administrative Agent on {day}\n" if day else "")
    assert ("finding_late_delivery" in codes(decision)) is late
    assert decision.result is Result.PASS


def test_no_certificate_is_late_where_the_agreement_sets_no_day(run: Run) -> None:
    """Without a clause that sets a day nothing is late."""
    decision = run("300,000", certificate="\nDelivered to the Administrative Agent on December 24, 2024\n")
    assert "finding_late_delivery" not in codes(decision)


@pytest.mark.parametrize(
    ("debt", "papers", "overlay", "code"),
    [
        ("370,000", {"agent.txt": AGENT}, "cured", "accept_cure_applied"),
        ("370,000", {}, "none", "review_cure_conditions_unproven"),
        ("380,000", {"agent.txt": AGENT}, "none", ""),
        ("370,000", {"demand.txt": DEMAND.format(day="December 20, 2024")}, "none", "review_cure_conditions_unproven"),
    ],
)  # fmt: skip
def test_a_deemed_cure_by_the_next_certificate(run: Run, debt: str, papers: dict[str, str], overlay: str, code: str) -> None:
    """The next quarter's own certificate on its own level mends the earlier breach, where a paper says that no notice barred it (P40)."""
    second = {"second.txt": SECOND.format(debt=debt), **papers}
    decision = run("400,000", second, agreement=REPORTS + RIGHT + DEEMED)
    assert shown(decision) == ("breach", overlay)
    told = codes(decision) & {"accept_cure_applied", "review_cure_conditions_unproven"}
    assert told == ({code} if code else set())
