"""One row of a table, a level typed "as of" a day and a definition named beside a section, through the product on small packs."""

from __future__ import annotations

import mill_packs as packs
import pytest

from conformed.model.decision import Effective

TABLE = """Section 7.11 Financial Covenants.

(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter set forth below to be greater than the ratio set forth opposite such fiscal quarter:

Fiscal Quarter Ending                      Maximum Ratio
December 31, 2024                          4.25 to 1.00
March 31, 2025                             4.00 to 1.00
June 30, 2025 and thereafter               3.75 to 1.00
"""
QUARTERS = ("2024-12-31", "2025-03-31", "2025-06-30")
ROWS = [
    'The row of the table in Section 7.11(a) of the Credit Agreement for "March 31, 2025" is restated to read "March 31, 2025 - 4.60 to 1.00". All other rows are unchanged.',
    'In the table in Section 7.11(a) of the Credit Agreement, the row for the fiscal quarter ending "March 31, 2025" is replaced with "March 31, 2025 - 4.60 to 1.00". The remaining rows are not changed.',
    'The table in Section 7.11(a) of the Credit Agreement is amended by deleting the row "March 31, 2025 - 4.00 to 1.00" and substituting therefor the row "March 31, 2025 - 4.60 to 1.00".',
    'In the table in Section 7.11(a) of the Credit Agreement, the entry "4.00 to 1.00" opposite the fiscal quarter ending March 31, 2025 is changed to "4.60 to 1.00".',
    "In Section 7.11(a) of the Credit Agreement, the ratio in the second column of the table against the fiscal quarter ending March 31, 2025 shall be 4.60 to 1.00.",
]


def _answers(body: str, on: str) -> Effective:
    return packs.ask(packs.agreement(TABLE), packs.amendment(f"1. {body}", dated="March 10, 2025"), on=on, met=("2025-03-10",))


@pytest.mark.parametrize("body", ROWS)
def test_one_row_leaves_the_others(body: str) -> None:
    """However the row is named, its quarter has the new level and the other quarters keep theirs."""
    assert [packs.shown(_answers(body, day)) for day in QUARTERS] == ["4.25", "4.6", "3.75"]


@pytest.mark.parametrize("body", ROWS)
def test_a_row_that_the_table_does_not_have(body: str) -> None:
    """A row under a day that the table lacks, or that is part of a longer row, changes nothing and goes to a person."""
    for other in ("September 30, 2024", "June 30, 2025"):
        answer = _answers(body.replace("March 31, 2025", other), "2025-06-30")
        assert packs.shown(answer) == "review"
        assert {"review_target_not_found", "review_anchor_not_unique"} & {r.code for r in answer.reasons}
    assert "review_target_not_found" not in {r.code for r in _answers(body, "2025-06-30").reasons}


@pytest.mark.parametrize("body", ROWS[:4])
def test_a_row_not_changed_stays(body: str) -> None:
    """An instruction that is denied changes no row, and no level comes out of it unseen."""
    for word in ("restated", "replaced", "amended", "changed"):
        body = body.replace(f"is {word}", f"is not {word}", 1)
    assert packs.shown(_answers(body, "2025-03-31")) in {"4", "review"}


def test_signed_as_of_a_day_is_no_period() -> None:
    """A day in "signed as of" says when the paper was made: the level is for good, not for that one day."""
    body = "Signed as of August 15, 2023 by the parties to this Amendment, under which the ratio in Section 7.11(a) of the Credit Agreement becomes 4.50 to 1.00 from its date."
    shown = [
        packs.shown(packs.ask(packs.agreement(), packs.amendment(body), on=day))
        for day in ("2023-06-30", "2023-09-30", "2024-06-30")
    ]
    assert shown == ["4", "4.5", "4.5"]


def test_delivered_on_a_day_is_not_passed_over() -> None:
    """A day whose part is not understood is never taken for the day of signing."""
    body = "Commencing with the certificate delivered on March 31, 2024, the ratio in Section 7.11(a) of the Credit Agreement becomes 4.50 to 1.00."
    assert packs.shown(packs.ask(packs.agreement(), packs.amendment(body), on="2023-09-30")) in {"4", "review"}


def test_a_definition_named_beside_its_section_adds_no_provision() -> None:
    """Words added to a definition "in Section 1.01" leave the covenant and the other sections as they are."""
    body = 'Section 1.01 of the Credit Agreement is amended by adding to the definition of "EBITDA" at the end thereof: "plus any loss of up to 3.00 to 1.00".'
    answer = packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30")
    assert packs.shown(answer) in {"4", "review"}


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ('Section 7.11(a) of the Credit Agreement shall be deleted and the following new Section 7.11(a) inserted in its place: "(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.25 to 1.00."', "4.25"),
        ('The Credit Agreement is amended by deleting Section 7.11(a) in its entirety and substituting in lieu thereof the following new Section 7.11(a): "(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.25 to 1.00."', "4.25"),
    ],
)  # fmt: skip
def test_a_new_provision_in_the_place_of_the_old_is_no_second_one(body: str, level: str) -> None:
    """A provision deleted and put anew under its number replaces the old one; it is not added beside it."""
    assert packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30")) == level
