"""Frozen accounting, earnings of zero or less, cures, lines, formulas and rounding, through ``calculate``."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest
from support_figures import codes, covenant, figure, record, run, value

from conformed.language.agreement import CureTerms, FrozenBasis
from conformed.language.rounding import RoundingTerms
from conformed.model.base import Missing
from conformed.model.calculation import Comparison, Figure
from conformed.model.covenant import Comparator
from conformed.rules.calculation.agreement_terms import AgreementTerms

FROZEN = AgreementTerms(frozen=FrozenBasis(raw="computed on the Accounting Principles used in the Original Financial Statements"))
RECON = (figure("recon_debt", -18, "IFRS 16 adjustment to debt"), figure("recon_earnings", -6, "IFRS 16 adjustment to EBITDA"))


def test_frozen_accounting_moves_both_sides() -> None:
    """A change is taken out of debt and of earnings by the certificate's reconciliation; half of it is none (P43)."""
    lines = (figure("total_debt", 318), figure("net_income", 106))
    changed: dict[str, Any] = {"accounting": "changed"}
    done = run(covenant(), *lines, *RECON, paper=changed, agreement=FROZEN)
    assert (value(done, "tested_debt"), value(done, "ebitda_tested"), record(done).ratio) == (300, 100, 3)
    assert codes(done) == {"accept_calculation_complete", "finding_accounting_basis_frozen"}
    for some in ((), RECON[:1], RECON[1:]):
        half = run(covenant(), *lines, *some, paper=changed, agreement=FROZEN)
        assert "review_accounting_change_unreconciled" in codes(half)
    assert codes(run(covenant(), *lines, agreement=FROZEN)) == {"accept_calculation_complete"}
    kept: dict[str, Any] = {"accounting": "frozen", "supports": ("reconciliation",)}
    assert "finding_accounting_basis_frozen" in codes(run(covenant(), *lines, paper=kept, agreement=FROZEN))
    assert "review_accounting_change_unreconciled" in codes(run(covenant(), *lines, *RECON, paper=changed))
    assert codes(run(covenant(), *lines, paper=changed)) == {"accept_calculation_complete"}


def test_deemed_to_exceed() -> None:
    """Earnings of zero or less are a breach only where the agreement says so, in a definition or beside it; never a pass."""
    words = "means Net Income; if EBITDA is zero or negative the Leverage Ratio shall be deemed to exceed the level"
    lines = (figure("total_debt", 50), figure("net_income", -4))
    for terms, agreement in ((covenant(earnings=words), AgreementTerms()), (covenant(), AgreementTerms(non_positive="breach"))):
        done = run(terms, *lines, agreement=agreement)
        assert done.result == "breach"
        assert isinstance(record(done).ratio, Missing)
    assert run(covenant(), *lines).result == "review"
    assert run(covenant(), figure("total_debt", 50), figure("net_income", 0)).result == "review"
    unsigned = run(covenant(earnings=words), *lines, paper={}, agreement=AgreementTerms())
    assert unsigned.result == "breach"


def test_net_cash_with_positive_earnings_passes() -> None:
    """Net debt below zero with earnings meets any maximum."""
    done = run(
        covenant("means all Indebtedness less unrestricted cash"),
        figure("total_debt", 10),
        figure("unrestricted_cash", 30),
        figure("net_income", 5),
    )
    assert (done.result, record(done).ratio) == ("pass", -4)


CURE = AgreementTerms(cure=CureTerms(kind="ebitda"))


def test_the_least_cure_is_rounded_up_and_stands_beside_the_breach() -> None:
    """The first result stays; the least payable amount meets the level and one cent less does not."""
    done = run(covenant(level="3.75"), figure("total_debt", 412), figure("net_income", "104.2"), agreement=CURE)
    cure = record(done).cure
    assert cure is not None
    assert (done.result, cure.least, cure.met) == ("breach", Fraction(566666667, 100), True)
    assert Fraction(412 * 10**6) / (Fraction("104200000") + cure.least - Fraction(1, 100)) > Fraction("3.75")
    assert (
        record(run(covenant(level="4.00"), figure("total_debt", 412), figure("net_income", "104.2"), agreement=CURE)).cure is None
    )
    assert record(run(covenant(level="3.75"), figure("total_debt", 412), figure("net_income", "104.2"))).cure is None


def test_a_cure_in_debt_and_one_under_less_than() -> None:
    """Counted as less debt, the gap itself; under "less than" one cent more than equality."""
    debt = AgreementTerms(cure=CureTerms(kind="debt"))
    cure = record(run(covenant(), figure("total_debt", 412), figure("net_income", 100), agreement=debt)).cure
    assert cure is not None
    assert (cure.least, cure.ratio) == (12 * 10**6, 4)
    strict = record(
        run(covenant(comparator=Comparator.LT), figure("total_debt", 400), figure("net_income", 100), agreement=CURE)
    ).cure
    assert strict is not None
    assert (strict.least, strict.met) == (Fraction(1, 100), True)


def test_a_claimed_cure_is_a_second_calculation_and_leaves_the_first() -> None:
    """New money in the certificate never enters the first ratio nor its result; what it would give is shown (P40, PR-45)."""
    lines = (figure("total_debt", 402), figure("net_income", 98), figure("cure_amount", "2.5"))
    done = run(covenant(), *lines, agreement=CURE)
    cure = record(done).cure
    assert cure is not None
    assert (record(done).ratio, cure.claimed, cure.ratio, cure.met) == (Fraction(201, 49), 2_500_000, 4, True)
    assert (done.result, "accept_calculation_complete" in codes(done)) == ("breach", True)


def test_lines_that_differ_are_told_one_by_one() -> None:
    """Each stated result stands beside its recalculation; those that differ are named in one finding."""
    lines = (
        *(figure("total_debt", 500), figure("unrestricted_cash", 90), figure("net_income", 110)),
        *(figure("stated_eligible_cash", 90, "Cash netted"), figure("stated_net_debt", 410, "Net Debt"), figure("ebitda", 110)),
        Figure(name="ratio", label="Leverage", value=Fraction("3.73"), raw="3.73 to 1.00"),
    )
    done = run(covenant("means all Indebtedness less unrestricted cash not exceeding $60,000,000"), *lines)
    found = {line.label: (line.agrees, line.stated, line.recalculated) for line in record(done).lines}
    assert found["Cash netted"] == (False, 90 * 10**6, 60 * 10**6)
    assert found["Net Debt"] == (False, 410 * 10**6, 440 * 10**6)
    assert found["ebitda"][0] is True
    assert found["Leverage"] == (False, Fraction("3.73"), 4)
    (why,) = [r.sentence for r in done.reasons if r.code == "finding_certificate_ratio_differs"]
    assert all(
        words in why for words in ("3.73 to 1.00", "4.00x", "'Cash netted' says USD 90,000,000", "'Net Debt'", "USD 440,000,000")
    )
    assert "'ebitda'" not in why


def test_a_declared_formula_is_used_as_it_stands() -> None:
    """A formula of the contract works out its metric; one that algebra proves to be leverage leaves the usual trace."""
    lines = (figure("total_debt", 300), figure("net_income", 60), figure("interest", 40))
    words = "means Net Income plus interest"
    cover = covenant(earnings=words, level="2.00", metric="interest_cover", comparator=Comparator.GE)
    assert isinstance(run(cover, *lines).calculation, Missing)
    done = run(cover, *lines, formulas={"interest_cover": "earnings / interest"})
    assert (record(done).ratio, done.result, record(done).headroom_debt) == (Fraction(5, 2), "pass", None)
    same = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / earnings - cash / earnings"})
    assert [s.expression for s in record(same).steps if s.name == "ratio"] == ["tested_debt / ebitda_tested"]
    other = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / (earnings - interest)"})
    assert (record(other).ratio, record(other).headroom_debt) == (5, Fraction(4 * 60 - 300) * 10**6)
    zero = run(covenant(earnings=words), *lines, formulas={"total_leverage": "debt / (earnings - earnings)"})
    assert zero.result == "review"
    assert codes(zero) >= {"review_input_missing"}


@pytest.mark.parametrize(
    ("clause", "level", "ratio", "tested", "result"),
    [
        (RoundingTerms(carry="none", places=2), "3.50", "3.504", "3.50", "pass"),
        (RoundingTerms(carry="none", places=2), "3.50", "3.505", "3.51", "breach"),
        (RoundingTerms(carry="none", places=1, half="down"), "3.50", "3.59", "3.5", "pass"),
        (RoundingTerms(carry="none", places=2, half="ceiling"), "3.50", "3.5001", "3.51", "breach"),
        (RoundingTerms(carry="round"), "3.50", "3.5049", "3.51", "breach"),
    ],
)
def test_other_rounding_clauses(clause: RoundingTerms, level: str, ratio: str, tested: str, result: str) -> None:
    """Straight to named places, cut, up, or carried by rounding: as the words say, both figures kept."""
    done = run(
        covenant(level=level),
        figure("total_debt", Fraction(ratio) * 100),
        figure("net_income", 100),
        agreement=AgreementTerms(rounding=clause),
    )
    comparison = record(done).comparison
    assert isinstance(comparison, Comparison)
    assert (done.result, comparison.left, record(done).ratio) == (result, Fraction(tested), Fraction(ratio))


def test_earnings_over_debt_keeps_its_form_when_earnings_are_negative() -> None:
    """In the inverse form a person is asked, is told what the words say, and no ratio is made (CA-42)."""
    share = covenant(level="0.20", metric="earnings_to_debt", comparator=Comparator.GE)
    inverse = {"earnings_to_debt": "earnings / debt"}
    lines = (figure("total_debt", 100), figure("net_income", -5))
    done = run(share, *lines, formulas=inverse)
    assert done.result == "review"
    assert "review_ebitda_non_positive" in codes(done)
    (said,) = [r.sentence for r in done.reasons if r.code == "review_ebitda_non_positive"]
    assert "not met" in said
    assert isinstance(record(done).ratio, Missing)
    good = run(share, figure("total_debt", 100), figure("net_income", 20), formulas=inverse)
    assert (good.result, record(good).ratio) == ("pass", Fraction(1, 5))


def test_a_lease_standard_in_the_figures_is_a_change_for_an_older_agreement() -> None:
    """Where the covenant keeps its first accounting, a line by a lease standard needs a reconciliation; not in an agreement made after it."""
    lines = (figure("senior_debt", 100), figure("net_income", 50))
    leases: dict[str, Any] = {"accounting": "leases"}
    unreconciled = "review_accounting_change_unreconciled"
    old = FROZEN.model_copy(update={"closing": dt.date(2017, 5, 1)})
    assert unreconciled in codes(run(covenant(), *lines, paper=leases, agreement=old))
    assert unreconciled in codes(run(covenant(), *lines, paper=leases, agreement=FROZEN))
    new = FROZEN.model_copy(update={"closing": dt.date(2024, 5, 1)})
    assert unreconciled not in codes(run(covenant(), *lines, paper=leases, agreement=new))
    assert unreconciled not in codes(run(covenant(), *lines, paper=leases))
