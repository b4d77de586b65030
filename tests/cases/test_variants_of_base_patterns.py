"""Variants of patterns that state a covenant, change a definition or a table, or set how the ratio is worked out.

Each variant is a pack of small papers that differs from a plain one in the one thing that the variant names: with the difference
the code is there, without it the code is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from variant_papers import GROSS, NET, Desk, amendment, certificate

from conformed.model.base import Missing
from conformed.model.decision import Decision

LINES = (
    "Consolidated Total Debt           {debt}",
    "Net income                        70,000",
    "plus interest expense             20,000",
    "plus income taxes                 10,000",
    "Consolidated EBITDA              100,000",
)


def cert(debt: str = "300,000", *more: str, day: str = "June 30, 2024", **heads: str) -> str:
    """A certificate of 100 million of earnings."""
    return certificate(day, *(line.format(debt=debt) for line in LINES), *more, **heads)


PLAIN = "Section 7.11 Leverage. The Borrower shall not permit the Leverage Ratio, measured on the last day of each fiscal quarter, to exceed 3.50 to 1.00."
TABLE = """22.2 Financial covenants
(a) Leverage in respect of any Relevant Period ending on a date in the first column below shall not be more than the ratio set out opposite that date in the second column.

31 March 2024 | 4.75:1
30 June 2024 | 4.50:1
31 December 2024 and each Quarter Date after it | 4.25:1
"""
STRICT = "Section 7.11 Leverage. The Borrower shall ensure that on every Quarter Date the ratio of Total Net Debt to Consolidated EBITDA is less than 4.00 to 1."
SHARE = "Section 7.11 Leverage. Consolidated Total Debt shall not on any Quarter Date be greater than 375 per cent. of Consolidated EBITDA for the twelve months then ended."
BESIDE = "\n\nSection 7.12 Gearing. The Borrower shall not permit the ratio of Consolidated Total Debt to Consolidated EBITDA for the twelve months ending on any Quarter Date to exceed {} to 1.00."
INCURRENCE = "Section 7.03 Indebtedness. A Restricted Subsidiary may incur Ratio Debt if, after giving pro forma effect to it, the Leverage Ratio would not exceed 5.00 to 1.00."
TWO = "Section 6.12 Ratios. (a) The Total Leverage Ratio shall at no fiscal quarter end exceed 5.25 to 1.00. (b) The Senior Leverage Ratio shall at no fiscal quarter end exceed 3.75 to 1.00."
SPOKEN = "Section 7.11 Leverage. Leverage shall not exceed three point seven five (3.50) to one on any Quarter Date."
ROUNDING = "Section 1.04 Rounding. Any ratio required by this Agreement shall be calculated by carrying the result to one place more than the number of places by which such ratio is expressed herein and rounding the result up or down to the nearest number (with a rounding-up if there is no nearest number)."
ONE_PLACE = "Section 7.11 Leverage. The Borrower shall not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed 3.5 to 1.0."
SAVINGS = 'The definition of "Consolidated EBITDA" is amended by inserting before the final period: "and the amount of cost savings projected in good faith to be realized within 18 months, not above 20% of Consolidated EBITDA{}".'
HALF = "Section 26.2 Financial covenants\n(a) Leverage in respect of any Relevant Period ending on a date in the first column below shall not be more than the ratio set out opposite that date in the second column.\n\n31 March 2024 | 5.90:1\n30 June 2024 | 5.80:1\n30 September 2024 | 5.70:1\n31 December 2024 | 5.60:1\n"
NEW_TABLE = "The table in paragraph (a) of clause 26.2 is deleted and the following table takes its place:\n\n30 June 2024 | 5.80:1\n{}31 December 2024 | 5.40:1\n30 June 2025 and later | 5.00:1"
GLOSS = "Section 7.11 Leverage. Leverage shall not exceed 4.00:1 on any Quarter Date.{}"
ECHO = " For the avoidance of doubt, the Borrower is in compliance where Leverage {} 4.00:1."
IN_LEV = (*NET[:-1], '"Total Net Debt" means Consolidated Total Debt less cash of the Borrower not exceeding BGN 30,000,000.')
REDENOMINATED = 'From 1 January 2024 each reference to lev in this Agreement is a reference to euro{}, and the cash deduction limit of BGN 30,000,000 in the definition of "Total Net Debt" shall be read in that way.'
GRID = "Section 2.05 Margin. Level I: Leverage Ratio less than 2.00 to 1.00, Applicable Margin 1.50%. Level II: at least 2.00 but less than 3.00 to 1.00, 1.75%. Level III: 3.00 to 1.00 or more, 2.00%."
FORM = "EXHIBIT C\n\nFORM OF COMPLIANCE CERTIFICATE\n\nThe ratio of Total Net Debt to Consolidated EBITDA on the Quarter Date was {} 4.00 to 1.\n"

Pack = Callable[[Desk], Decision]


@dataclass(frozen=True)
class Variant:
    """A pack with the difference, the same without it, and the code that only the first has."""

    name: str
    code: str
    with_it: Pack
    without: Pack


VARIANTS = (
    Variant("P01 closing conditions not evidenced", "review_cp_evidence_missing",
            lambda d: d.agreement(PLAIN, closed=False).put("c.txt", cert()).run(),
            lambda d: d.agreement(PLAIN).put("c.txt", cert()).run()),
    Variant("P01 recited and absent", "review_missing_instrument_in_chain",
            lambda d: d.agreement(PLAIN).put("a2.txt", amendment(2, "March 3, 2023", 'Section 9.01 is amended by deleting "x" and inserting "y" in lieu thereof.', recital=" (as amended by Amendment No. 1, dated as of June 1, 2022)")).put("c.txt", cert()).run(),
            lambda d: d.agreement(PLAIN).put("a1.txt", amendment(1, "March 3, 2023", 'Section 9.01 is amended by deleting "x" and inserting "y" in lieu thereof.')).put("c.txt", cert()).run()),
    Variant("P02 no row", "review_schedule_gap",
            lambda d: d.agreement(TABLE, NET).run("2024-09-30"),
            lambda d: d.agreement(TABLE, NET).run("2024-06-30")),
    Variant("P02 neither net nor gross", "review_metric_ambiguous",
            lambda d: d.agreement(TABLE, (*NET[:2], *NET[3:5])).put("c.txt", cert()).run(),
            lambda d: d.agreement(TABLE, NET).put("c.txt", cert()).run()),
    Variant("P03 restated by a form", "review_comparator_ambiguous",
            lambda d: d.agreement(STRICT, NET).put("form.txt", FORM.format("not more than")).run(),
            lambda d: d.agreement(STRICT, NET).put("form.txt", FORM.format("less than")).run()),
    Variant("P03 restated by an amendment", "review_comparator_ambiguous",
            lambda d: d.agreement(STRICT, NET).put("a1.txt", amendment(1, "March 3, 2023", 'Section 9.01 is amended by deleting "x" and inserting "y" in lieu thereof.') + "\nFor reference, the ratio of Total Net Debt to Consolidated EBITDA under Section 7.11 is to be not more than 4.00 to 1.\n").run(),
            lambda d: d.agreement(STRICT, NET).put("a1.txt", amendment(1, "March 3, 2023", 'Section 9.01 is amended by deleting "x" and inserting "y" in lieu thereof.') + "\nFor reference, the ratio of Total Net Debt to Consolidated EBITDA under Section 7.11 is to be less than 4.00 to 1.\n").run()),
    Variant("P04 of capitalisation", "review_percent_ratio_ambiguous",
            lambda d: d.agreement(SHARE.replace("375 per cent. of Consolidated EBITDA for the twelve months then ended", "60 per cent. of Total Capitalisation"), NET).run(),
            lambda d: d.agreement(SHARE, NET).run()),
    Variant("P04 of nothing named", "review_percent_ratio_ambiguous",
            lambda d: d.agreement(SHARE.replace(" of Consolidated EBITDA for the twelve months then ended", ""), NET).run(),
            lambda d: d.agreement(SHARE, NET).run()),
    Variant("P04 another ratio elsewhere", "review_percent_ratio_ambiguous",
            lambda d: d.agreement(SHARE + BESIDE.format("3.50"), NET).run(),
            lambda d: d.agreement(SHARE + BESIDE.format("3.75"), NET).run()),
    Variant("P07 tested by a certificate", "review_metric_ambiguous",
            lambda d: d.agreement(INCURRENCE).put("c.txt", cert("300,000", ratio="3.00 to 1.00", level="5.00 to 1.00")).run(),
            lambda d: d.agreement(INCURRENCE).put("c.txt", cert("300,000", ratio="3.00 to 1.00")).run()),
    Variant("P08 the run names the metric", "accept_base_statement",
            lambda d: d.agreement(TWO).run(covenant="Senior Leverage Ratio"),
            lambda d: d.agreement(TWO).run()),
    Variant("P10 words prevail", "accept_base_statement",
            lambda d: d.agreement(SPOKEN, NET, "Section 1.02 Interpretation. Where a number is stated in words and in figures and they differ, the words prevail.").run(),
            lambda d: d.agreement(SPOKEN, NET, "Section 1.02 Interpretation. A number may be stated in words and in figures.").run()),
    Variant("P10 figures prevail", "accept_base_statement",
            lambda d: d.agreement(SPOKEN, NET, "Section 1.02 Interpretation. If there is a discrepancy between words and figures, the figures shall prevail.").run(),
            lambda d: d.agreement(SPOKEN, NET, "Section 1.02 Interpretation. If words and figures differ, neither the words nor the figures shall prevail.").run()),
    Variant("P12 two ways to carry", "review_rounding_method_ambiguous",
            lambda d: d.agreement(PLAIN, GROSS, ROUNDING).put("c.txt", cert("350,490")).run(),
            lambda d: d.agreement(PLAIN, GROSS, ROUNDING).put("c.txt", cert("350,400")).run()),
    Variant("P12 other places elsewhere", "review_rounding_method_ambiguous",
            lambda d: d.agreement(ONE_PLACE + "\n\nSection 7.12 Reports. The report shall show that the Leverage Ratio did not exceed 3.50 to 1.00.", GROSS, ROUNDING).put("c.txt", cert("354,000")).run(),
            lambda d: d.agreement(ONE_PLACE + "\n\nSection 7.12 Reports. The report shall show that the Leverage Ratio did not exceed 3.5 to 1.0.", GROSS, ROUNDING).put("c.txt", cert("354,000")).run()),
    Variant("P23 twelve months straddle", "review_definition_version_unclear",
            lambda d: d.agreement(PLAIN).put("a1.txt", amendment(1, "March 3, 2024", "For fiscal quarters ending after March 3, 2024, t" + SAVINGS.format(" as determined before this item")[1:])).run(),
            lambda d: d.agreement(PLAIN).put("a1.txt", amendment(1, "March 3, 2024", SAVINGS.format(" as determined before this item"))).run()),
    Variant("P23 cap without before or after", "review_cap_basis_ambiguous",
            lambda d: d.agreement(PLAIN).put("a1.txt", amendment(1, "March 3, 2023", SAVINGS.format(""))).put("c.txt", cert("400,000", "plus projected cost savings       24,000")).run(),
            lambda d: d.agreement(PLAIN).put("a1.txt", amendment(1, "March 3, 2023", SAVINGS.format(" as determined before this item"))).put("c.txt", cert("400,000", "plus projected cost savings       24,000")).run()),
    Variant("P24 no row for the old frequency", "review_schedule_gap",
            lambda d: d.agreement(HALF, NET).put("a1.txt", amendment(1, "February 20, 2024", NEW_TABLE.format(""))).run("2024-09-30"),
            lambda d: d.agreement(HALF, NET).put("a1.txt", amendment(1, "February 20, 2024", NEW_TABLE.format("30 September 2024 | 5.60:1\n"))).run("2024-09-30")),
    Variant("P25 no such row", "review_target_not_found",
            lambda d: d.agreement(HALF, NET).put("a1.txt", amendment(1, "February 20, 2024", 'The row of the table in Section 26.2(a) for "31 March 2025" is restated to read "31 March 2025 | 4.60:1".')).run("2024-06-30"),
            lambda d: d.agreement(HALF, NET).put("a1.txt", amendment(1, "February 20, 2024", 'The row of the table in Section 26.2(a) for "31 December 2024" is restated to read "31 December 2024 | 4.60:1".')).run("2024-06-30")),
    Variant("P34 another comparison, ratio not at the level", "review_gloss_conflict",
            lambda d: d.agreement(GLOSS.format(ECHO.format("is below")), NET).put("c.txt", cert("300,000", "Cash   40,000")).run(),
            lambda d: d.agreement(GLOSS.format(ECHO.format("does not exceed")), NET).put("c.txt", cert("300,000", "Cash   40,000")).run()),
    Variant("P34 the gloss repeats", "accept_base_statement",
            lambda d: d.agreement(GLOSS.format(ECHO.format("does not exceed")), NET).run(),
            lambda d: d.agreement(GLOSS.format(ECHO.format("is below")), NET).run()),
    Variant("P42 no rate", "review_fx_basis_missing",
            lambda d: d.agreement(GLOSS.format(""), IN_LEV).put("a1.txt", amendment(1, "December 5, 2023", REDENOMINATED.format(""))).put("c.txt", cert("390,000", "Cash    40,000", units="all amounts in EUR thousands")).run(),
            lambda d: d.agreement(GLOSS.format(""), IN_LEV).put("a1.txt", amendment(1, "December 5, 2023", REDENOMINATED.format(" at 1.95583 lev for one euro"))).put("c.txt", cert("390,000", "Cash    40,000", units="all amounts in EUR thousands")).run()),
    Variant("P44 only a grid", "review_input_missing",
            lambda d: d.agreement("Section 7.11 [Reserved].", GROSS, GRID).put("c.txt", cert()).run(),
            lambda d: d.agreement(PLAIN, GROSS, GRID).put("c.txt", cert()).run()),
)  # fmt: skip


def codes(decision: Decision) -> set[str]:
    """All codes of a decision."""
    return {r.code for r in (*decision.reasons, *decision.findings)}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_a_variant_gives_its_code_and_the_plain_pack_does_not(variant: Variant, tmp_path: Path) -> None:
    """The code follows from the one difference, and a review code is never beside a pass or breach."""
    given, plain = variant.with_it(Desk(tmp_path / "with")), variant.without(Desk(tmp_path / "without"))
    assert variant.code in codes(given)
    assert variant.code not in codes(plain)
    if variant.code.startswith("review"):
        assert given.result.value == "review"


def test_words_or_figures_decide_the_level(tmp_path: Path) -> None:
    """The agreement's own rule chooses the reading: 3.75 in words, 3.50 in figures (P10)."""
    levels = []
    for name in ("P10 words prevail", "P10 figures prevail"):
        found = next(v for v in VARIANTS if v.name == name).with_it(Desk(tmp_path / name[4:9])).covenant
        assert not isinstance(found, Missing)
        levels.append(str(found.limit.value))
    assert levels == ["15/4", "7/2"]
