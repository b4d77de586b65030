"""Amending instructions, end to end: the new level where the words are plain, a person where they are not, never the old level."""

from __future__ import annotations

import mill_packs as packs
import pytest

SWAP = 'Section 7.11(a) of the Credit Agreement is hereby amended by replacing "4.00 to 1.00" with "4.50 to 1.00".'
NEW = '"(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.25 to 1.00."'


def _level(body: str, on: str = "2023-09-30", covenants: str = packs.FLAT, **more: object) -> str:
    return str(packs.shown(packs.ask(packs.agreement(covenants), packs.amendment(body), on=on, **more)))


@pytest.mark.parametrize(
    ("body", "level"),
    [
        (f"1. {SWAP}", "4.5"),
        ("1. Section 7.11(a) of the Credit Agreement is amended by deleting the ratio 4.00 to 1.00 therein and substituting therefor the ratio 4.50 to 1.00.", "4.5"),
        ('1. section 7.11(a) of the Credit Agreement is amended by replacing "4.00 to 1.00" with "4.25 to 1.00".', "4.25"),
        ('1. Paragraph (a) of Section 7.11 of the Credit Agreement shall be read as if the reference to "4.00 to 1.00" were a reference to "4.25 to 1.00".', "4.25"),
        (f"1. Subsection (a) of Section 7.11 of the Credit Agreement is hereby deleted and the following is substituted therefor:\n\n{NEW}", "4.25"),
        (f"1. The Credit Agreement is amended by deleting Section 7.11(a) in its entirety and inserting in lieu thereof the following:\n\n{NEW}", "4.25"),
        ('1. Section 7.11(a) of the Credit Agreement (as previously amended) is hereby amended by replacing "4.00 to 1.00" with "4.50 to 1.00".', "4.5"),
        ('1. Section 7.11(a) of the Credit Agreement is amended by replacing "fiscal quarter" with "fiscal year" and by replacing "4.00 to 1.00" with "4.50 to 1.00".', "4.5"),
        ("1. Section 7.11(a) of the Credit Agreement is hereby deleted in its entirety.", "not_tested"),
        ("1. The Credit Agreement is hereby amended by deleting Section 7.11(a) in its entirety.", "not_tested"),
        ('1. Section 7.11(a) of the Credit Agreement is amended and restated in its entirety to read as follows: "(a) [Reserved]."', "not_tested"),
        ("1. Sections 7.10 through 7.12 of the Credit Agreement are hereby deleted in their entirety.", "not_tested"),
        ("1. Section 7.11(b) of the Credit Agreement is hereby deleted in its entirety.", "4"),
    ],
)  # fmt: skip
def test_plain_instructions_are_carried_out(body: str, level: str) -> None:
    """Common wordings of swapping, restating and deleting give the level that a reader of the words would name."""
    assert _level(body) == level


@pytest.mark.parametrize(
    "body",
    [
        f'1. {SWAP[:-1]} and inserting at its end "; provided that the ratio shall be 4.25 to 1.00 while Notes are outstanding".',
        f"1. {SWAP} On December 31, 2023 the ratio shall revert to 4.00 to 1.00.",
        f"1. {SWAP[:-1]}; provided that if the Borrower does not sell the Dale mill this amendment shall be of no effect.",
        '1. The last sentence of Section 7.11(a) of the Credit Agreement is amended and restated in its entirety to read as follows: "The ratio shall not exceed 9.00 to 1.00."',
        "1. During the Relief Time, the ratio in Section 7.11(a) of the Credit Agreement shall be 5.00 to 1.00.",
    ],
)
def test_an_instruction_that_does_more_than_was_read_goes_to_a_person(body: str) -> None:
    """A second change, a condition or a time that was not understood beside a plain one is never dropped."""
    assert _level(body) == "review"


@pytest.mark.parametrize(
    ("lead", "before", "inside", "after"),
    [
        ("Commencing with the fiscal quarter ending December 31, 2023, ", "4", "4.5", "4.5"),
        ("Effective for fiscal quarters ending on or after December 31, 2023, ", "4", "4.5", "4.5"),
        ("Solely for the fiscal quarter ending December 31, 2023, ", "4", "4.5", "4"),
        ("Effective as of October 15, 2023, ", "4", "4.5", "4.5"),
    ],
)
def test_words_of_time_before_the_provision_count(lead: str, before: str, inside: str, after: str) -> None:
    """The periods that an instruction names are the only ones whose level it changes."""
    assert [_level(f"1. {lead}{SWAP}", on=d) for d in ("2023-09-30", "2023-12-31", "2024-03-31")] == [before, inside, after]


def test_a_level_set_for_some_quarters_ends_with_them() -> None:
    """A level given for named quarters leaves the other rows of the table as they are."""
    body = "1. The ratio set forth in Section 7.11(a) of the Credit Agreement for the fiscal quarters ending March 31, 2024 through December 31, 2024 is hereby increased to 5.00 to 1.00."
    assert [_level(body, d, packs.TABLE) for d in ("2023-12-31", "2024-06-30", "2025-03-31")] == ["4.5", "5", "3.5"]


def test_a_new_text_from_a_later_period_leaves_earlier_ones() -> None:
    """A provision restated from a period on keeps its old level for the periods before."""
    body = f"1. Commencing with the fiscal quarter ending December 31, 2023, Section 7.11(a) of the Credit Agreement is hereby amended and restated to read as follows:\n\n{NEW}"
    assert [_level(body, d) for d in ("2023-09-30", "2023-12-31")] == ["4", "4.25"]


def test_the_sentence_that_opens_the_list_times_every_amendment_in_it() -> None:
    """A day of effect in "the Credit Agreement is amended as follows" counts for each item."""
    body = f"1. Effective as of December 1, 2023, the Credit Agreement is hereby amended as follows:\n\n(a) {SWAP}"
    assert [_level(body, d) for d in ("2023-09-30", "2023-12-31")] == ["4", "4.5"]


def test_an_instruction_about_another_paper_does_not_change_this_one() -> None:
    """The same section number of a note purchase agreement is no target in the credit agreement."""
    body = '1. Section 7.11(a) of the Note Purchase Agreement dated June 1, 2020 is amended by replacing "4.00 to 1.00" with "4.50 to 1.00".'
    assert _level(body) != "4.5"


def test_a_grid_in_the_provision_can_be_replaced_by_name() -> None:
    """A table named as such ("the table in Section 7.11(a)") is the table, not the whole provision."""
    table = '"Fiscal Quarter Ending                      Maximum Ratio\nMarch 31, 2023 through June 30, 2023        4.50 to 1.00\nSeptember 30, 2023 and thereafter           5.25 to 1.00"'
    body = f"1. The table in Section 7.11(a) of the Credit Agreement is hereby amended and restated in its entirety to read as follows:\n\n{table}"
    assert _level(body, "2023-09-30", packs.TABLE) == "5.25"


@pytest.mark.parametrize("opening", ["A new Section 7.14 shall be added", "The following new Section 7.14 is added"])
def test_a_new_provision_ends_the_text_of_the_one_before(opening: str) -> None:
    """A provision added after a restated one, without quotation marks, has its own number and is no part of the other."""
    body = (
        "(m) Section 7.12 shall be amended and restated in its entirety to read as follows:\n\n"
        "7.12 Spending. The Borrower shall not spend more than $12,000,000 in any fiscal year.\n\n"
        f"(n) {opening} to the Credit Agreement as follows:\n\n"
        "7.14 Senior Leverage Ratio. The Borrower shall not permit the Senior Leverage Ratio as of the last day of any fiscal "
        "quarter to be greater than 2.25 to 1.00.\n"
    )
    assert _level(body, section="7.14") == "2.25"
