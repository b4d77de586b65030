"""What must not be read as a level: ratios that are no covenant, and clauses that no program may settle."""

from __future__ import annotations

import pytest

NO_COVENANT = [
    (
        "The Borrower may incur Ratio Debt so long as the Total Net Leverage Ratio does not exceed 5.00 to 1.00 on a "
        "pro forma basis."
    ),
    "No Restricted Payment shall be made unless the Leverage Ratio is less than 3.00 to 1.00 after giving effect thereto.",
    (
        "Permitted Acquisition means an acquisition where the Leverage Ratio, after giving pro forma effect, shall "
        "not exceed 4.00 to 1.00."
    ),
    "The Borrower may make Restricted Payments if the Leverage Ratio is less than 2.50 to 1.00.",
    "Other Investments, provided that the Leverage Ratio shall not exceed 3.00 to 1.00.",
    "The Borrower shall not declare any dividend if the Leverage Ratio would exceed 3.00 to 1.00.",
    "The Borrower shall not make any Restricted Payment at any time when the Leverage Ratio exceeds 3.00 to 1.00.",
    "The Borrower shall not permit any Subsidiary to incur Indebtedness when the Leverage Ratio is greater than 3.00 to 1.00.",
    (
        "The Borrower shall not permit any Subsidiary to incur any Indebtedness that would cause the Leverage Ratio "
        "to exceed 3.00 to 1.00."
    ),
    (
        "the Borrower fails to comply with the financial covenants of the Note Purchase Agreement, including that "
        "Consolidated Debt not exceed 3.25 times Consolidated EBITDA, beyond any grace period."
    ),
    "an event of default occurs under the Senior Indenture, under which the Leverage Ratio shall not exceed 5.00 to 1.00.",
    (
        '"Applicable Margin" means 1.50% if the Leverage Ratio is less than 2.00 to 1.00, 1.75% if it is at least '
        "2.00 to 1.00 but less than 3.00 to 1.00 and 2.00% otherwise."
    ),
    (
        "Level I: Leverage Ratio is less than 2.00 to 1.00, 1.50%. Level II: Leverage Ratio at least 2.00 to 1.00 "
        "but less than 3.00 to 1.00, 1.75%."
    ),
    "The Applicable Rate shall be 2.00% per annum at any time when the Leverage Ratio shall be greater than 3.00 to 1.00.",
]


@pytest.mark.parametrize("text", NO_COVENANT)
def test_other_ratios_are_no_covenants(read, goes_to_a_person, text: str) -> None:
    """Baskets, conditions, definitions, pricing and other people's covenants never give a level without a doubt."""
    assert goes_to_a_person(read(text))


OPEN = [
    "The Leverage Ratio shall be at or above 1.20:1.",
    "The Borrower shall maintain a Leverage Ratio of 3.50 to 1.00.",
    "The Borrower shall keep its Leverage Ratio within 3.50x.",
    "The Borrower shall keep its Leverage Ratio around 3.50 to 1.00.",
    "The Borrower shall not permit the Leverage Ratio to be not more than 3.50 to 1.00.",
    "The Borrower shall not permit the Interest Coverage Ratio to exceed 3.50 to 1.00.",
    "The Borrower shall ensure that the Leverage Ratio exceeds 3.50 to 1.00.",
    (
        "The Company will not permit the Leverage Ratio to exceed the following:\n"
        "\n"
        "01/01/2024 - 06/30/2024      5.00 to 1.00\n"
        "07/01/2024 - 12/31/2024      4.50 to 1.00\n"
    ),
    "Total Debt shall not exceed 60 per cent. of Total Capitalisation.",
    "Total Debt shall not exceed 60% at any time.",
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00 prior to September 30, 2024, and "
        "4.00 to 1.00 from and after such date."
    ),
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00; provided that from and after "
        "January 1, 2025 the Leverage Ratio shall not exceed 4.00 to 1.00."
    ),
    "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00, stepping down to 4.00 to 1.00 on January 1, 2025.",
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00, except that for the fiscal quarter "
        "ending June 30, 2024 the Leverage Ratio may be as high as 5.00 to 1.00."
    ),
    (
        "Solely for the benefit of the Revolving Lenders, the Borrower shall not permit the First Lien Leverage "
        "Ratio to exceed 6.50 to 1.00 if on the last day of the Test Period the Revolving Exposure exceeds 35% of "
        "the Revolving Commitments."
    ),
    (
        "At any time when Revolving Loans exceed 35% of the Revolving Commitments, the First Lien Leverage Ratio "
        "shall not exceed 6.50 to 1.00."
    ),
    (
        "If, on the last day of any fiscal quarter, Revolving Usage exceeds 40%, the First Lien Leverage Ratio shall "
        "not exceed 6.50 to 1.00."
    ),
    "During a Covenant Trigger Period, the Borrower shall not permit the First Lien Leverage Ratio to exceed 6.50 to 1.00.",
    "The First Lien Leverage Ratio shall not exceed 6.50 to 1.00; this Section applies only when Revolving Usage is over 40%.",
    (
        "The Leverage Ratio shall not exceed 4.75 to 1.00 at any fiscal quarter end, beginning with the first full "
        "fiscal quarter after the Closing Date."
    ),
    "Leverage shall not exceed three point seven five (3.50) to one on any Quarter Date.",
    "Leverage shall not exceed three and one-half to one (3.25:1) on any Quarter Date.",
    "Leverage shall not exceed 3.5O to 1.00 on any Quarter Date.",
    "Leverage shall not exceed 3.l5 to 1.00 on any Quarter Date.",
    "Leverage shall not exceed 3,50:1 on any Quarter Date.",
    "Leverage shall not exceed 3.50 to 1.0O on any Quarter Date.",
    "Leverage shall not exceed 3.50 to 2.00 on any Quarter Date.",
    "Leverage shall not exceed 3.5 0 to 1.00 on any Quarter Date.",
    "Leverage shall not exceed [3.50] to 1.00 on any Quarter Date.",
    "Leverage shall not exceed 3.50 to 1.00 [or 3.75 to 1.00] on any Quarter Date.",
    "Leverage shall not exceed 4.00:1. For the avoidance of doubt, the Parent complies where Leverage is below 4.00:1.",
    "Leverage shall not exceed 4.00:1. For the avoidance of doubt, Leverage of exactly 4.00:1 is not a breach.",
    "Leverage shall not exceed 4.00:1. For the avoidance of doubt, Leverage shall be less than 4.00:1.",
    (
        "The Leverage Ratio shall not exceed 4.00 to 1.00; provided that, following a Material Acquisition, the "
        "Leverage Ratio may, at the Borrower's election, be increased to 4.50 to 1.00 for four fiscal quarters."
    ),
    "The Leverage Ratio shall not exceed 4.00 to 1.00 (or 4.50 to 1.00 during an Acquisition Period).",
    "The Leverage Ratio shall not exceed 4.00 to 1.00, or such other level as the Lenders may agree.",
    (
        "The Leverage Ratio shall not exceed 4.00 to 1.00 at any fiscal quarter end other than the fiscal quarter "
        "ending March 31, 2024."
    ),
    "The Leverage Ratio shall not exceed the greater of 4.00 to 1.00 and the ratio in the Senior Notes.",
    "The Leverage Ratio shall not exceed 4.00 to 1.00 plus 0.25 to 1.00.",
    "The Leverage Ratio shall not exceed 4.00 to 1.00 during any fiscal quarter in which a dividend was paid.",
    "Tested only from the Holiday End Date, the Leverage Ratio shall not exceed 4.00 to 1.00.",
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "Quarter ending   Maximum Leverage   Minimum Coverage\n"
        "March 31, 2024   5.00 to 1.00   2.00 to 1.00\n"
        "June 30, 2024   4.75 to 1.00   2.25 to 1.00\n"
        "September 30, 2024   4.50 to 1.00   2.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024\n"
        "5.00 to 1.00\n"
        "2.00 to 1.00\n"
        "June 30, 2024\n"
        "4.75 to 1.00\n"
        "2.25 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "| Quarter ending | Leverage | Coverage |\n"
        "| --- | --- | --- |\n"
        "| March 31, 2024 | 5.00:1 | 2.00:1 |\n"
        "| June 30, 2024 | 4.75:1 | 2.25:1 |\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "Quarter ending\n"
        "March 31, 2024\n"
        "June 30, 2024\n"
        "September 30, 2024\n"
        "December 31, 2024 and thereafter\n"
        "Maximum Ratio\n"
        "5.00 to 1.00\n"
        "4.75 to 1.00\n"
        "4.50 to 1.00\n"
        "4.25 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "Maximum Ratio\n"
        "5.00 to 1.00\n"
        "4.75 to 1.00\n"
        "4.50 to 1.00\n"
        "4.25 to 1.00\n"
        "Quarter ending\n"
        "March 31, 2024\n"
        "June 30, 2024\n"
        "September 30, 2024\n"
        "December 31, 2024 and thereafter\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "   4.75 to 1.00\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024\n"
        "5.00 to 1.00\n"
        "June 30, 2024\n"
        "September 30, 2024\n"
        "4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024   4.7S to 1.00\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024   4.75\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00\n"
        "June 30, 2024   4.75\n"
        "September 30, 2024   4.50\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 31, 2024   4.75 to 1.00\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 20_4   4.75 to 1.00\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024   None\n"
        "September 30, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024*   5.00 to 1.00\n"
        "June 30, 2024   4.75 to 1.00\n"
        "September 30, 2024   4.50 to 1.00\n"
        "* Subject to adjustment after a Material Acquisition.\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "Closing Date through          5.00 to 1.00\n"
        "March 31, 2024\n"
        "April 1, 2024 through         4.75 to 1.00\n"
        "June 30, 2024\n"
        "July 1, 2024 and              4.50 to 1.00\n"
        "thereafter\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "Fiscal Year 2024\n"
        "First Quarter   5.00 to 1.00\n"
        "Second Quarter   4.75 to 1.00\n"
        "Third Quarter   4.50 to 1.00\n"
        "Fourth Quarter   4.25 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "First anniversary of the Closing Date   4.75 to 1.00\n"
        "Thereafter   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "From the Closing Date until the Conversion Date   4.75 to 1.00\n"
        "Thereafter   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "June 30, 2024 (or, if later, the Opening Date)   4.75 to 1.00\n"
        "December 31, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "June 30, 2024, except September 30, 2024   4.75 to 1.00\n"
        "December 31, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "June 30, 2024, unless a Trigger Event occurred   4.75 to 1.00\n"
        "December 31, 2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "3/31/24   4.75 to 1.00\n"
        "6/30/24   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "03/04/2024   4.75 to 1.00\n"
        "06/07/2024   4.50 to 1.00\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024 and thereafter   4.75 to 1.00\n"
        "\n"
        "This Section shall apply only if any Revolving Loans are outstanding.\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024 and thereafter   4.75 to 1.00\n"
        "\n"
        "Following a Material Acquisition each such ratio shall be increased by 0.50 to 1.00 for four quarters.\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024 and thereafter   4.75 to 1.00\n"
        "\n"
        "The Leverage Ratio shall not be tested for the fiscal quarter ending June 30, 2024.\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024 and thereafter   4.75 to 1.00\n"
        "\n"
        "Compliance with this Section is required only when Utilization exceeds 35%.\n"
    ),
    (
        "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
        "\n"
        "March 31, 2024   5.00 to 1.00\n"
        "June 30, 2024 and thereafter   4.75 to 1.00\n"
        "\n"
        "No test is made for a quarter in which the Borrower is rated BBB- or better.\n"
    ),
    "The Leverage Ratio shall not exceed 4.50 to 1.00 (4.00 to 1.00 from June 30, 2024).",
    (
        "(a) on or before June 30, 2024, the Leverage Ratio shall not exceed 4.50 to 1.00; and (b) after June 30, "
        "2024, the Leverage Ratio shall not exceed 4.00 to 1.00."
    ),
    (
        "The Company shall ensure that Leverage on any Quarter Date up to and including 31 December 2024 does not "
        "exceed 4.50:1 and on any Quarter Date after that date does not exceed 4.00:1."
    ),
    "The Leverage Ratio shall not exceed 4.00 to 1.00 for Borrower A and 5.00 to 1.00 for Borrower B.",
    "The Leverage Ratio shall not exceed 4.00 to 1.00 before the Spin-Off and 5.00 to 1.00 after the Spin-Off.",
    "The Leverage Ratio shall not exceed 4.00 to 1.00 and 5.00 to 1.00.",
    "The Leverage Ratio shall not exceed 4.00 to 1.00 or 5.00 to 1.00, whichever is lower.",
    "The Leverage Ratio shall be between 1.00 to 1.00 and 3.00 to 1.00.",
    "The Leverage Ratio shall not be less than 1.00 to 1.00 nor more than 3.00 to 1.00.",
    "The Leverage Ratio shall be not less than 1.00 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 (3.25 to 1.00) at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1.50 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3..50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50.1 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.5O:1 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to I.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed .50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed -3.50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 1 3.50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed three and three-quarters (3.50) to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50-1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50/1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 350% at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed twenty-five to one at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00x at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 10.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1,00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3 .50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3. 50 to 1.00 at any fiscal quarter end.",
    ("The Leverage Ratio shall not exceed 3.\n50 to 1.00 at any fiscal quarter end."),
    "The Leverage Ratio shall not exceed 4.OO to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed l.50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed S.50 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.5B to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3,750 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 to 4.00 to 1.00 at any fiscal quarter end.",
    "The Leverage Ratio shall not be less than 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall not be not more than 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall not be lower than 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall be limited to 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall be capped at 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall equal 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall be 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio shall approximate 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio should not exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio may exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio need not exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio is expected not to exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio did not exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio has not exceeded 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio does not exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio would not exceed 3.50 to 1.00 at the end of each fiscal quarter.",
    "The Leverage Ratio exceeds 3.50 to 1.00 at the end of each fiscal quarter.",
    "Following a Change of Rating, the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 following the Release Date.",
    "Subject to clause 22.4, the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00, subject to Section 7.14.",
    "Except as set forth in Schedule 2, the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "Notwithstanding Section 7.11(a), the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "Unless waived, the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 as adjusted under Section 2.",
    'The Leverage Ratio shall not exceed 3.50 to 1.00 (the "Base Level"), increasing by 0.50 after each acquisition.',
    "For so long as the Notes are rated, the Leverage Ratio shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 or the level fixed under Schedule 4.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 (as such level may be increased).",
    "The Leverage Ratio (other than for the purposes of Section 2) shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 while Tranche B is outstanding.",
    "With the consent of the Agent, the Leverage Ratio may exceed 3.50 to 1.00.",
    "The Leverage Ratio, when tested, shall not exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not for two consecutive fiscal quarters exceed 3.50 to 1.00.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 more than once in any fiscal year.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00. The foregoing applies only while the Revolving Facility is drawn.",
    (
        "The Leverage Ratio shall not exceed 3.50 to 1.00. The Borrower may elect to raise this level to 4.00 to "
        "1.00 after a Material Acquisition."
    ),
    "The Leverage Ratio shall not exceed 3.50 to 1.00. This level will fall to 3.25 to 1.00 on 1 January 2025.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00. From January 1, 2025 the level is 3.25x.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00. If the Rating falls, the covenant is suspended.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00. The first Test Date is the second Quarter Date after Closing.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00. Leverage will not be measured before December 31, 2025.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00, falling by 0.25 each year.",
    "The Leverage Ratio shall not exceed 3.50 to 1.00 less 0.10 for each Disposal.",
    "The covenant in this Section ceases on the Investment Grade Date. The Leverage Ratio shall not exceed 3.50 to 1.00.",
    "The level is 4.00 to 1.00 until the Step-Down Date. Thereafter the Leverage Ratio shall not exceed 3.50 to 1.00.",
]


@pytest.mark.parametrize("text", OPEN)
def test_open_clauses_go_to_a_person(read, goes_to_a_person, text: str) -> None:
    """A condition, exception, right, spoilt number or ambiguous table is never a level without a doubt."""
    assert goes_to_a_person(read(text))


CODES = [
    ("The Leverage Ratio shall not exceed 3.5O to 1.00 at any time.", "review_numeric_token_malformed"),
    (
        "The Leverage Ratio shall not exceed three and one-half to one (3.25 to 1.00) at any time.",
        "review_words_figures_conflict",
    ),
    (
        "The Leverage Ratio shall not exceed 4.00:1. For the avoidance of doubt, Leverage is compliant if below 4.00:1.",
        "review_gloss_conflict",
    ),
    ("If Revolving Usage exceeds 40%, the Leverage Ratio shall not exceed 4.00 to 1.00.", "review_trigger_evidence_missing"),
    (
        "The Leverage Ratio shall not exceed 4.00 to 1.00. The Leverage Ratio shall not be tested in 2024.",
        "review_suspension_end_unclear",
    ),
    ("The Leverage Ratio shall not exceed 4.00 to 1.00, save as a side letter provides.", "review_side_letter_not_in_pack"),
    ("Total Debt shall not exceed 60 per cent. of Total Capitalisation.", "review_percent_ratio_ambiguous"),
    ("The Leverage Ratio shall not exceed 4.00 to 1.00 plus 0.25 to 1.00.", "review_level_by_external_reference"),
    (
        "The Leverage Ratio shall not exceed 4.00 to 1.00 from the first full fiscal quarter after the Closing Date.",
        "review_input_missing",
    ),
    ("The Borrower shall ensure that the Leverage Ratio exceeds 3.50 to 1.00.", "review_comparator_ambiguous"),
]


@pytest.mark.parametrize(("text", "code"), CODES)
def test_the_doubt_says_what_is_open(read, text: str, code: str) -> None:
    """The reason code names the kind of doubt, so that the person knows where to look."""
    assert code in {d.code for terms in read(text) for d in terms.doubts}


def test_a_gloss_that_repeats_is_no_doubt(read, goes_to_a_person) -> None:
    """A clarifying sentence that compares in the same way changes nothing."""
    text = "Leverage shall not exceed 4.00:1. For the avoidance of doubt, Leverage may not exceed 4.00:1 on any Quarter Date."
    codes = {d.code for terms in read(text) for d in terms.doubts}
    assert "review_gloss_conflict" not in codes


def test_a_right_to_a_higher_level_is_kept_apart(read) -> None:
    """A level after an acquisition is a right, with its event, and not the level."""
    text = (
        "The Leverage Ratio shall not exceed 4.00 to 1.00; provided that after a Material Acquisition the Borrower may elect to "
        "increase the level to 4.50 to 1.00 in lieu of it."
    )
    (terms,) = read(text)
    assert [str(r.limit.value) for r in terms.rows] == ["4"]
    assert [(i.event, str(i.level)) for i in terms.increases] == [("Material Acquisition", "9/2")]


def test_two_statements_of_one_figure_are_a_doubt_on_both(read) -> None:
    """Neither of two statements in one provision is first by its place."""
    found = read("The Leverage Ratio shall not exceed 4.00 to 1.00. The Leverage Ratio shall not exceed 3.50 to 1.00.")
    assert len(found) == 2
    assert all(any(d.code.startswith("review") for d in t.doubts) for t in found)
