"""Eligible cash, several caps, businesses bought and sold, projected savings, through ``calculate``."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support_figures import BASE, codes, covenant, figure, run, value

from conformed.model.covenant import Definition
from conformed.rules.calculation.calculate import Calculated

NETTED = "means all Indebtedness less unrestricted cash held in the United States in accounts subject to control agreements, not exceeding $60,000,000"


def test_eligible_cash_by_place_and_control() -> None:
    """What is held elsewhere or not under control goes out before the cap; what is not shown is asked about."""
    lines = (figure("unrestricted_cash", 90), figure("foreign_cash", 25), figure("uncontrolled_cash", 10))
    done = run(covenant(NETTED, level="5.00"), *BASE, *lines)
    assert (value(done, "eligible_cash"), value(done, "netted_cash")) == (55, 55)
    assert done.result == "pass"
    anywhere = "means all Indebtedness less unrestricted cash, not exceeding $60,000,000"
    assert value(run(covenant(anywhere, level="5.00"), *BASE, *lines), "netted_cash") == 60  # place does not matter there
    share = "means all Indebtedness less 65% of the unrestricted cash of the Group"
    assert "review_cap_basis_ambiguous" in codes(run(covenant(share, level="5.00"), *BASE, lines[0]))
    bare = run(covenant(NETTED, level="5.00"), *BASE, figure("unrestricted_cash", 90))
    assert "review_cash_eligibility_unproven" in codes(bare)
    shown = figure("unrestricted_cash", 50, "unrestricted cash in the United States under control agreements")
    assert run(covenant(NETTED, level="5.00"), *BASE, shown).result == "pass"
    nil = (figure("foreign_cash", 0), figure("uncontrolled_cash", 0))
    assert run(covenant(NETTED, level="5.00"), *BASE, figure("unrestricted_cash", 50), *nil).result == "pass"


def test_a_term_for_cash_that_counts_is_evidence_and_a_plain_one_is_not() -> None:
    """A line that bears the defined term "Eligible Cash" is in that meaning; "Cash Equivalents" says nothing of restriction."""
    for term, result in (("Eligible Cash", "pass"), ("Cash Equivalents", "review")):
        base = covenant(f"means all Indebtedness less {term}, other than restricted cash", level="5.00")
        own = Definition(term=term, text=f"{term} means cash that is not restricted", instrument="a")
        done = run(
            base.model_copy(update={"definitions": (*base.definitions, own)}), *BASE, figure("cash", 50, f"Cash, being {term}")
        )
        assert done.result == result


@pytest.mark.parametrize(
    ("ceiling", "netted"),
    [
        ("the greater of $40,000,000 and 50% of EBITDA", 55),
        ("the greater of $70,000,000 and 50% of EBITDA", 70),
        ("25 per cent. of EBITDA", Fraction(55, 2)),
    ],
)
def test_a_cap_on_cash_as_a_share_of_earnings(ceiling: str, netted: object) -> None:
    """A share of EBITDA, or the greater of it and an amount."""
    done = run(
        covenant(f"means all Indebtedness less unrestricted cash not exceeding {ceiling}", level="5.00"),
        *BASE,
        figure("unrestricted_cash", 90),
    )
    assert value(done, "netted_cash") == netted


def test_a_cap_on_cash_with_two_limbs_and_no_order_is_asked() -> None:
    """An amount and a share without "greater of" fix no cap."""
    words = "means all Indebtedness less unrestricted cash not exceeding $40,000,000 or 50% of EBITDA"
    assert "review_cap_basis_ambiguous" in codes(run(covenant(words, level="5.00"), *BASE, figure("unrestricted_cash", 90)))


TWO = "means Net Income plus (a) severance not to exceed {one} plus (b) synergies not to exceed {two}"


def capped(one: str, two: str, severance: object, synergies: object) -> Calculated:
    """Earnings of 100 with two capped items."""
    words = TWO.format(one=one, two=two)
    return run(
        covenant(earnings=words),
        figure("total_debt", 200),
        figure("net_income", 100),
        figure("addback_severance", severance),
        figure("addback_synergies", synergies),
    )


def test_several_caps_that_may_refer_to_each_other() -> None:
    """Each before its own clause: open where the other item would move its limit, settled where it does not or the words order them."""
    mine = "10% of EBITDA before giving effect to this clause"
    out = "10% of EBITDA before giving effect to any such add-backs"
    last = "10% of EBITDA after all other adjustments but before giving effect to this clause"
    assert "review_cap_basis_ambiguous" in codes(capped(mine, mine, 20, 20))
    assert "review_cap_basis_ambiguous" in codes(capped(mine, mine, 5, 20))
    small = capped(mine, mine, 5, 6)
    assert (small.result, value(small, "ebitda_tested")) == ("pass", 111)
    assert value(capped(out, out, 20, 20), "ebitda_tested") == 120
    assert capped(out, out, 20, 20).result == "pass"
    ordered = capped(out, last, 20, 20)
    assert (ordered.result, value(ordered, "ebitda_tested")) == ("pass", 121)


def test_a_share_near_the_whole_after_hardly_bounds() -> None:
    """99.9% of EBITDA after the item allows 999 times what stands before it."""
    words = "means Net Income plus (a) losses and (b) synergies not to exceed 100% of EBITDA after giving effect thereto".replace(
        "100%", "99.9%"
    )
    done = run(covenant(earnings=words), figure("total_debt", 200), figure("net_income", 100), figure("addback_synergies", 300))
    assert value(done, "ebitda_tested") == 400


def test_a_line_under_two_caps_is_asked() -> None:
    """Two ceilings over one item without an order are a question."""
    words = "means Net Income plus (a) synergies not to exceed 10% of EBITDA before giving effect thereto; provided that synergies shall not exceed $5,000,000"
    assert "review_cap_basis_ambiguous" in codes(
        run(covenant(earnings=words), figure("total_debt", 200), figure("net_income", 100), figure("addback_synergies", 9))
    )


PRO_FORMA = "means Net Income, with the earnings of any acquired business for the part of the period prior to its acquisition"


def test_pro_forma_counts_only_the_part_before_closing() -> None:
    """A line that says so is added, one sold is taken out; without words of the definition, or of the line, it is asked about."""
    bought = figure("proforma_acquired", 7, "EBITDA of the acquired business before closing")
    sold = figure("proforma_disposed", 4, "EBITDA of the business sold")
    lines = (figure("total_debt", 200), figure("net_income", 100), bought, sold)
    done = run(covenant(earnings=PRO_FORMA), *lines)
    assert (done.result, value(done, "ebitda_tested")) == ("pass", 103)
    assert "review_proforma_unsupported" in codes(run(covenant(), *lines))
    whole = bought.model_copy(update={"label": "EBITDA of the acquired business for the year"})
    assert "review_proforma_unsupported" in codes(run(covenant(earnings=PRO_FORMA), *lines[:2], whole))


def test_projected_savings_need_what_the_definition_asks() -> None:
    """A certificate, actions and a horizon where the words ask for them."""
    words = (
        PRO_FORMA
        + " plus (b) cost savings certified by a Responsible Officer and realizable within 18 months, not to exceed $9,000,000"
    )
    lines = (figure("total_debt", 200), figure("net_income", 100), figure("addback_cost_savings", 5, "cost savings"))
    assert "review_proforma_unsupported" in codes(run(covenant(earnings=words), *lines))
    half = run(covenant(earnings=words), *lines, paper={"supports": ("certified",)})
    assert "review_proforma_unsupported" in codes(half)
    assert run(covenant(earnings=words), *lines, paper={"supports": ("certified", "horizon")}).result == "pass"
