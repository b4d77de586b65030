"""What definitions say for a calculation: netting and its cap, capped add-backs, basis, periods, rounding."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.language.definitions import DefinitionTerms, reached, read_definitions, read_rounding
from conformed.model.covenant import Definition


def terms(**texts: str) -> DefinitionTerms:
    """Terms of definitions given by term (underscores for blanks)."""
    return read_definitions(
        [Definition(term=term.replace("_", " "), text=text, instrument="a") for term, text in texts.items()], home="USD"
    )


@pytest.mark.parametrize(
    ("text", "netting", "cap"),
    [
        ("means Total Debt less the lesser of (a) Unrestricted Cash and (b) $60,000,000", "capped", 60_000_000),
        ("means Total Debt, minus (up to $25,000,000 of) unrestricted cash and cash equivalents", "capped", 25_000_000),
        (
            "means all Indebtedness net of unrestricted cash in an aggregate amount not to exceed $40 million",
            "capped",
            40_000_000,
        ),
        ("means Total Debt less the aggregate amount of unrestricted cash of the Group", "uncapped", None),
        ("means all Indebtedness of the Group on a consolidated basis", "none", None),
        ("means all Indebtedness, including cash-collateralised letters of credit", "none", None),
    ],
)
def test_netting(text: str, netting: str, cap: int | None) -> None:
    """Cash is netted only where the words take it off, and capped only where they cap it."""
    found = terms(Consolidated_Total_Net_Debt=text)
    assert found.netting == netting
    assert (found.netting_cap.value if found.netting_cap else None) == cap
    assert found.restricted_excluded == ("unrestricted" in text.lower())


def test_only_the_definitions_that_the_ratio_uses_count() -> None:
    """Cash netted, or a cap set, for another ratio of the agreement changes nothing here; the longer term is meant."""
    every = [
        Definition(term="Total Leverage Ratio", text="means the ratio of Total Debt to EBITDA", instrument="a"),
        Definition(term="Net Leverage Ratio", text="means the ratio of Total Net Debt to Pro Forma EBITDA", instrument="a"),
        Definition(term="Total Debt", text="means all Indebtedness", instrument="a"),
        Definition(term="Total Net Debt", text="means Total Debt less cash up to $5,000,000", instrument="a"),
        Definition(term="EBITDA", text="means Net Income plus taxes", instrument="a"),
        Definition(term="Pro Forma EBITDA", text="means EBITDA plus (a) synergies not to exceed 10% of EBITDA", instrument="a"),
    ]
    gross, net = (read_definitions(every, root=name, home="USD") for name in ("Total Leverage Ratio", "Net Leverage Ratio"))
    assert (gross.netting, len(gross.caps)) == ("none", 0)
    assert (net.netting, len(net.caps)) == ("capped", 1)
    assert {d.term for d in reached(every, "Total Net Debt")} == {"Total Net Debt", "Total Debt"}
    assert len(reached(every, "a figure of no such name")) == len(every)


def test_a_cap_that_cannot_be_fixed_is_a_doubt() -> None:
    """Two amounts in one cap, or two definitions with different caps, are asked about."""
    two = terms(Net_Debt="means Debt less cash, not exceeding $10,000,000 or, after a Flotation, $20,000,000")
    assert [doubt.code for doubt in two.doubts] == ["review_cap_basis_ambiguous"]
    apart = terms(
        Net_Debt="means Debt less cash up to $10,000,000", Leverage_Ratio="means Debt less cash up to $15,000,000 to EBITDA"
    )
    assert [doubt.code for doubt in apart.doubts] == ["review_definition_version_unclear"]


@pytest.mark.parametrize(
    ("words", "basis", "kind", "fixed"),
    [
        (
            "in an amount not to exceed 25% of Consolidated EBITDA (calculated before giving effect to this clause (b))",
            "before",
            "percent",
            None,
        ),
        ("not exceeding 20% of Consolidated EBITDA (after giving effect to such add-back)", "after", "percent", None),
        ("limited to 15 per cent. of Consolidated EBITDA for such period", "unstated", "percent", None),
        (
            "not to exceed the greater of $10,000,000 and 12.5% of Consolidated EBITDA, before giving effect thereto",
            "before",
            "greater_of",
            10_000_000,
        ),
    ],
)
def test_caps_on_addbacks(words: str, basis: str, kind: str, fixed: int | None) -> None:
    """Share, fixed amount and basis come from the words; silence is silence."""
    text = (
        f"means Consolidated Net Income plus (a) Interest Expense, taxes, depreciation and (b) synergies and cost savings {words}"
    )
    (cap,) = terms(Consolidated_EBITDA=text).caps
    assert (cap.basis, cap.kind, cap.fixed) == (basis, kind, fixed)
    assert cap.share in (Fraction(1, 4), Fraction(1, 5), Fraction(3, 20), Fraction(1, 8))
    assert set(cap.words) == {"synerg", "saving", "(b)"}


def test_a_cap_follows_its_references() -> None:
    """A proviso that caps clauses by letter caps the items of those clauses and no other."""
    text = (
        "means Net Income plus (a) taxes, plus (b) severance, plus (c) integration costs and (d) synergies; "
        "provided that the amounts under clauses (b) and (d) shall not exceed 10% of EBITDA before giving effect thereto"
    )
    (cap,) = terms(EBITDA=text).caps
    assert set(cap.words) == {"severance", "synerg", "(b)", "(d)"}
    assert "integration" in cap.elsewhere
    assert "severance" not in cap.elsewhere
    assert terms(EBITDA=text).components == ("taxes",)


def test_fixed_caps_and_ceilings_that_cannot_be_read() -> None:
    """A fixed amount caps as well as a share; a ceiling on something else is a doubt, never passed over."""
    (cap,) = terms(EBITDA="means Net Income plus (a) taxes and (b) severance not exceeding $5,000,000 in any period").caps
    assert (cap.kind, cap.fixed, cap.share) == ("fixed", 5_000_000, None)
    odd = terms(EBITDA="means Net Income plus (a) taxes and (b) severance not to exceed 2% of revenues")
    assert odd.caps == ()
    assert [doubt.code for doubt in odd.doubts] == ["review_cap_basis_ambiguous"]


def test_per_cent_with_its_stop_ends_no_sentence() -> None:
    """The words behind "20 per cent. of" still say before or after, also where an item is "after adding back" something."""
    text = (
        "means profit (a) before tax and (b) after adding back severance of not more than 20 per cent. of EBITDA "
        "(calculated before giving effect to this paragraph (b))"
    )
    (cap,) = terms(EBITDA=text).caps
    assert (cap.basis, cap.share) == ("before", Fraction(1, 5))


@pytest.mark.parametrize(
    ("words", "basis"),
    [
        ("not above 20% of Consolidated EBITDA as determined before this item", "before"),
        ("without exceeding 20 per cent. of Consolidated EBITDA (calculated after such add-back)", "after"),
        ("subject to a cap of 20% of Consolidated EBITDA prior to giving effect thereto", "before"),
        ("in an amount no greater than 20% of Consolidated EBITDA", "unstated"),
        ("which shall not be more than 20% of Consolidated EBITDA before the relevant adjustment", "before"),
        ("restricted to 20% of Consolidated EBITDA after any such amounts", "after"),
    ],
)
def test_other_words_of_a_ceiling(words: str, basis: str) -> None:
    """A ceiling in other words is the same ceiling: none is passed over."""
    (cap,) = terms(Consolidated_EBITDA=f"means Net Income plus (a) taxes and (b) cost savings {words}").caps
    assert (cap.share, cap.basis) == (Fraction(1, 5), basis)


def test_percentages_that_cap_nothing() -> None:
    """A share of earnings without words of a ceiling is no cap."""
    assert terms(EBITDA="means Net Income plus 100% of EBITDA of Joint Ventures and 50% of EBITDA of Branches").caps == ()


def test_period_and_negative_earnings() -> None:
    """Four quarters, and a rule for earnings of zero or less, are read when written."""
    found = terms(
        EBITDA="means, for the four consecutive fiscal quarters then ended, earnings; "
        "if EBITDA is zero or negative the ratio shall be deemed to exceed the level"
    )
    assert found.twelve_months
    assert found.non_positive == "breach"
    assert terms(EBITDA="means earnings").non_positive == "silent"


def test_rounding_clauses() -> None:
    """The usual clause does not say how the extra place is reached; one that cuts says so; other text has none."""
    usual = (
        "by carrying the result to one place more than the number of places by which such ratio is expressed herein "
        "and rounding the result up or down to the nearest number"
    )
    passive = "the quotient is carried to one place more than the number of places of the level, and the result is rounded"
    assert read_rounding(passive) is not None
    cutting = "by carrying the result, without rounding, to one place more than the level and rounding half up"
    found = read_rounding(usual), read_rounding(cutting)
    assert [clause.carry if clause else None for clause in found] == ["unstated", "truncate"]
    assert read_rounding("amounts are rounded to the nearest thousand") is None
