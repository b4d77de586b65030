"""The net under extraction, end to end: a change told in words that no rule carries out stops the run, and plain talk does not."""

from __future__ import annotations

import mill_packs as packs
import pytest

SWAP = '1. Section 7.11(a) of the Credit Agreement is hereby amended by replacing "4.00 to 1.00" with "4.50 to 1.00".'


def _answer(body: str, base: str = "", **more: str) -> str:
    change = packs.amendment(body, **more)
    return str(packs.shown(packs.ask(base or packs.agreement(), change, on="2023-09-30")))


@pytest.mark.parametrize(
    "body",
    [
        "1. The maximum permitted Total Leverage Ratio is hereby increased to 4.75 to 1.00.",
        '1. Each reference in the Credit Agreement to "4.00 to 1.00" is hereby replaced by a reference to "4.75 to 1.00".',
        "1. Article VII of the Credit Agreement is hereby amended so that the leverage permitted under it is 4.75 to 1.00.",
        "1. The parties agree that the leverage test of the Credit Agreement is relaxed to 4.75 to 1.00.",
        "1. The financial covenants in the Credit Agreement shall not be tested for the fiscal quarter ending September 30, 2023.",
        "1. The Total Leverage Ratio covenant shall be disregarded for the fiscal quarter ending September 30, 2023.",
        "1. The Borrower agrees that it will not permit the Total Leverage Ratio to exceed 3.75 to 1.00 at any time.",
        "1. The Credit Agreement is amended as follows:\n\n7.11(a) - the ratio of 4.00 to 1.00 is changed to 4.50 to 1.00.",
        "1. The Credit Agreement is hereby amended to read as set forth in Exhibit A hereto.",
        '1. A new Section 7.15 is added to the Credit Agreement to read as follows:\n\n"Section 7.15 Quiet Time. The Total Leverage Ratio shall not be tested for the fiscal quarter ending September 30, 2023."',
    ],
)
def test_a_change_by_name_level_article_or_annex_is_seen(body: str) -> None:
    """However a change is worded, the old level is not shown as the one that governs."""
    assert _answer(body) == "review"


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ('1. Section 2.05 of the Credit Agreement is amended by replacing "Monday" with "Tuesday".\n\n2. The Borrower represents that it is in compliance with Section 7.11(a).', "4"),
        (f"{SWAP}\n\n2. This Amendment shall not be deemed to waive or modify Section 7.11 or any other term except as expressly set forth herein.", "4.5"),
        (f'{SWAP}\n\n2. Exhibit D (Form of Compliance Certificate) is amended by replacing "4.00 to 1.00" with "4.50 to 1.00".', "4.5"),
        ('1. Section 7.06 of the Credit Agreement is amended by replacing "2.50 to 1.00" with "3.00 to 1.00".', "4"),
        ('1. The definition of "Applicable Rate" in Section 1.01 of the Credit Agreement is amended and restated as follows:\n\n"Applicable Rate" means the rate that the Total Leverage Ratio gives; after a Default is waived the rate is 2.00%.', "4"),
        ("1. The Lenders consent to the purchase of the Dale mill, provided that after giving effect to it the Total Leverage Ratio does not exceed 3.25 to 1.00.", "4"),
    ],
)  # fmt: skip
def test_talk_about_the_covenant_is_no_change(body: str, level: str) -> None:
    """Representations, reservations, forms, pricing and conditions of a consent leave the answer as it is."""
    assert _answer(body) == level


@pytest.mark.parametrize(
    "body",
    [
        '1. Section 1 of the First Amendment is hereby amended by replacing "4.50 to 1.00" with "4.75 to 1.00".',
        "1. The First Amendment is hereby rescinded and shall be of no further force.",
    ],
)
def test_an_amendment_of_an_amendment_is_open(body: str) -> None:
    """What another amendment did to the covenant is open once a later one changes or ends it."""
    second = packs.amendment(body, number="SECOND", dated="February 10, 2024")
    answer = packs.ask(packs.agreement(), packs.amendment(SWAP), second, on="2024-03-31", met=("2023-08-15", "2024-02-10"))
    assert packs.shown(answer) == "review"


@pytest.mark.parametrize(
    ("more", "level"),
    [
        (
            "Section 7.14 Quiet Time. During the Quiet Time the Borrower shall not be required to comply with Section 7.11(a).\n",
            "review",
        ),
        (
            "Section 7.14 Purchases. The Borrower may elect, after a large purchase, to increase the maximum ratio permitted under Section 7.11(a) to 4.50 to 1.00.\n",
            "review",
        ),
        (
            "Section 7.14 Start. Notwithstanding Section 7.11(a), for the first year the ratio may be as high as 5.00 to 1.00.\n",
            "review",
        ),
        (
            'FIRST AMENDMENT. Section 7.11(a) of the Agreement is amended by deleting the reference to "4.00" and by inserting "4.25".\n',
            "review",
        ),
        ("Section 7.14 Changes. Section 7.11(a) may be amended or waived only with the consent of the Required Lenders.\n", "4"),
        ("Section 7.14 Equity. For purposes of determining compliance with Section 7.11(a), new equity counts as EBITDA.\n", "4"),
    ],
)
def test_the_agreement_itself_may_override_the_clause(more: str, level: str) -> None:
    """A later section, or an amendment bound into the same file, that bears on the clause is not passed over."""
    assert packs.shown(packs.ask(packs.agreement(more=more), on="2023-09-30")) == level


def test_a_first_clause_on_the_heading_line_has_its_own_number() -> None:
    """A line such as "7.11 Financial Covenants. (a) ..." begins the clause 7.11(a)."""
    joined = packs.FLAT.replace("Covenants.\n\n(a)", "Covenants. (a)")
    assert packs.shown(packs.ask(packs.agreement(joined), packs.amendment(SWAP), on="2023-09-30")) == "4.5"


@pytest.mark.parametrize(
    ("clause", "answer"),
    [
        ("(c) Losses. The Borrower shall not permit its Net Losses to exceed its Net Income by more than $1,000,000.", "review"),
        ("(c) Worth. The Borrower shall not permit its Net Worth to be, at any time, less than $9,000,000.", "9e+06"),
        ("(c) Worth. The Borrower shall not permit its Net Worth to be less than $9,000,000, plus half of Net Income.", "review"),
    ],
)
def test_an_amount_is_read_whole_or_not_at_all(clause: str, answer: str) -> None:
    """A sum that is set for a difference, or worked out from another figure, is no plain level."""
    base = packs.agreement(packs.FLAT + "\n" + clause + "\n")
    assert packs.shown(packs.ask(base, on="2023-09-30", section="7.11(c)")) == answer


def test_sums_outside_financial_covenants_are_no_covenants() -> None:
    """A threshold in an event of default is not a test of the borrower's debt."""
    more = "Section 7.14 Pensions. It is a breach if Plans having Unfunded Vested Liabilities in excess of $500,000 are ended.\n"
    assert packs.shown(packs.ask(packs.agreement(more=more), on="2023-09-30", section="7.14")) == "review"


FILLER = "".join(
    f"Section 8.{n:02d} Notices. Mail for the Agent is left at the mill gate before noon each week.\n\n" for n in range(1, 80)
)
BOUND = """FIRST AMENDMENT TO CREDIT AGREEMENT

THIS FIRST AMENDMENT TO CREDIT AGREEMENT, dated as of August 15, 2023, is among the parties to the Credit Agreement.

Once the Agent says that its conditions are met, the following Section 7.15 is added after Section 7.14:

7.15 Yarn Ratio. The Borrower shall not permit the Yarn Ratio to exceed 2.00 to 1.00 at any time.
"""


def test_a_covenant_of_an_amendment_bound_behind_the_agreement_is_open() -> None:
    """What only a second instrument in the same file states is no covenant of the agreement until that instrument is read."""
    base = packs.agreement(more=f"{FILLER}\n{BOUND}")
    assert packs.shown(packs.ask(base, on="2023-09-30", section="7.15")) == "review"
    assert packs.shown(packs.ask(base, on="2023-09-30")) == "4"
    alone = packs.agreement(more=FILLER + BOUND[BOUND.index("7.15 Yarn") :])
    assert packs.shown(packs.ask(alone, on="2023-09-30", section="7.15")) == "2"


@pytest.mark.parametrize(
    "reference", ["under Section\n8.01(h) hereof;", "with\nSection 8.01(e) and (b) at the time of each draw;"]
)
def test_a_reference_broken_between_two_lines_opens_no_provision(reference: str) -> None:
    """Clauses that follow a wrapped reference keep their own section's number."""
    listed = packs.FLAT.replace("\n\n(b)", f" Liens count as debt unless allowed {reference}\n\n(b)")
    assert packs.shown(packs.ask(packs.agreement(listed), on="2023-09-30", section="7.11(b)")) == "3"
    assert packs.shown(packs.ask(packs.agreement(listed), on="2023-09-30", section="8.01(b)")) == "review"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("Section 7.14 Other Debt. Covenants of any other debt of the Borrower that are more restrictive than those of this Article are hereby incorporated by reference.\n", "review_mfn_external"),
        ("Section 7.14 Other Debt. If a note contains a covenant more favorable to its holder than this Article, this Agreement shall be deemed to be amended to hold it.\n", "review_mfn_external"),
        ("Section 7.14 Other Debt. The Borrower shall not issue notes with covenants that are more restrictive than those of this Article.\n", ""),
    ],
)  # fmt: skip
def test_tighter_covenants_of_other_debt_may_be_taken_in(more: str, code: str) -> None:
    """A most favoured lender clause anywhere in the agreement leaves the level open; a limit on other debt's terms does not."""
    answer = packs.ask(packs.agreement(more=more), on="2023-09-30")
    assert [r.code for r in answer.reasons if r.code.startswith("review")] == ([code] if code else [])
