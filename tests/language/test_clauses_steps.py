"""Clauses with step-downs: for each test date the level of the window that the words give, and no other."""

from __future__ import annotations

from fractions import Fraction

import pytest

STEPS = [
    (
        "The Leverage Ratio shall first be tested for the fiscal quarter ending December 31, 2024. The Leverage Ratio shall not exceed 4.75 to 1.00 at each fiscal quarter end.",
        False,
        "le",
        {"2024-09-30": "nt", "2024-12-31": "4.75"},
    ),
    (
        "The Leverage Ratio shall not exceed 3.50 to 1.00. Compliance shall first be tested on December 31, 2025.",
        False,
        "le",
        {"2025-09-30": "nt", "2025-12-31": "3.5"},
    ),
    (
        "On June 30, 2026 and on the last day of each fiscal quarter thereafter, the Leverage Ratio shall not exceed 3.65 to 1.00.",
        False,
        "le",
        {"2026-03-31": "nt", "2026-06-30": "3.65"},
    ),
    (
        "The Leverage Ratio shall not exceed 4.55 to 1.00 on or before March 31, 2026, 4.05 to 1.00 on or after April 1, 2026 and on or before December 31, 2026 and 3.55 to 1.00 thereafter.",
        False,
        "le",
        {"2026-03-31": "4.55", "2026-04-01": "4.05", "2027-03-31": "3.55"},
    ),
    (
        "From the Closing Date through and including March 31, 2026 the Leverage Ratio shall not exceed 4.55 to 1.00, from April 1, 2026 through and including December 31, 2026, 4.05 to 1.00 and thereafter 3.55 to 1.00.",
        False,
        "le",
        {"2026-03-31": "4.55", "2026-06-30": "4.05", "2027-03-31": "3.55"},
    ),
    (
        "The Leverage Ratio shall not exceed: (i) in the case of any Quarter Date falling in the period to 31 December 2024, 4.50:1; (ii) in the case of any later Quarter Date, 4.00:1.",
        False,
        "le",
        {"2024-09-30": "4.5", "2024-12-31": "doubt", "2025-03-31": "4"},
    ),
    (
        (
            "Leverage in respect of any Relevant Period specified in column 1 below shall not exceed the ratio set out in column 2 below opposite that Relevant Period.\n"
            "Column 1 Column 2\n"
            "Relevant Period Ratio\n"
            "Relevant Period expiring 31 March 2024 4.75:1\n"
            "Relevant Period expiring 30 June 2024 4.50:1\n"
            "Relevant Period expiring 30 September 2024 4.40:1\n"
            "Each Relevant Period expiring thereafter 4.25:1\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5", "2024-09-30": "4.4", "2024-12-31": "4.25"},
    ),
    (
        (
            "Leverage in respect of any Relevant Period specified in column 1 below shall not exceed the ratio set out in column 2 below opposite that Relevant Period.\n"
            "Column 1 Column 2\n"
            "Relevant Period Ratio\n"
            "Relevant Period expiring 31 March 2024\t4.75:1\n"
            "Relevant Period expiring 30 June 2024\t4.50:1\n"
            "Relevant Period expiring 30 September 2024\t4.40:1\n"
            "Each Relevant Period expiring thereafter\t4.25:1\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5", "2024-09-30": "4.4", "2024-12-31": "4.25"},
    ),
    (
        (
            "Leverage in respect of any Relevant Period specified in column 1 below shall not exceed the ratio set out in column 2 below opposite that Relevant Period.\n"
            "Column 1 Column 2\n"
            "Relevant Period Ratio\n"
            "Relevant Period expiring 31 March 2024 | 4.75:1\n"
            "Relevant Period expiring 30 June 2024 | 4.50:1\n"
            "Relevant Period expiring 30 September 2024 | 4.40:1\n"
            "Each Relevant Period expiring thereafter | 4.25:1\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5", "2024-09-30": "4.4", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Parent shall ensure that Leverage in respect of any Relevant Period specified in column 1 of the table below shall not be more than the ratio specified in column 2 opposite that Relevant Period.\n"
            "\n"
            "Column 1\n"
            "\n"
            "Column 2\n"
            "\n"
            "Relevant Period ending on\n"
            "\n"
            "Ratio\n"
            "\n"
            "31 March 2024\n"
            "\n"
            "4.75:1\n"
            "\n"
            "30 June 2024\n"
            "\n"
            "4.50:1\n"
            "\n"
            "30 September 2024\n"
            "\n"
            "4.40:1\n"
            "\n"
            "31 December 2024 and each Quarter Date thereafter\n"
            "\n"
            "4.25:1\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5", "2024-09-30": "4.4", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Parent shall procure that Leverage for each Relevant Period ending on a Quarter Date set out below shall not exceed the level set out opposite it:\n"
            "| Quarter Date | Leverage |\n"
            "| --- | --- |\n"
            "| 31 March 2024 | 4.75:1 |\n"
            "| 30 June 2024 | 4.50:1 |\n"
            "| 30 September 2024 | 4.40:1 |\n"
            "| 31 December 2024 and each Quarter Date falling thereafter | 4.25:1 |\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5", "2024-09-30": "4.4", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter ending during the periods set forth below to exceed the ratio set forth opposite such period:\n"
            "\n"
            "Period                                            Maximum Ratio\n"
            "Closing Date through June 30, 2024                4.50 to 1.00\n"
            "July 1, 2024 through December 31, 2024            4.25 to 1.00\n"
            "January 1, 2025 and thereafter                    4.00 to 1.00\n"
        ),
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4.25", "2024-12-31": "4.25", "2025-03-31": "4"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below:\n"
            "\n"
            "Fiscal Quarter Ending          Maximum Ratio\n"
            "March 31, 2024                 5.00 to 1.00\n"
            "June 30, 2024                  4.75 to 1.00\n"
            "September 30, 2024 and each fiscal quarter ending thereafter   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2025-12-31": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below:\n"
            "\n"
            "Fiscal Quarter     Maximum Ratio\n"
            "Q1 2024            5.00 to 1.00\n"
            "Q2 2024            4.75 to 1.00\n"
            "Q3 2024 and thereafter   4.50 to 1.00\n"
        ),
        True,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2025-12-31": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below:\n"
            "\n"
            "Period     Maximum Ratio\n"
            "Fiscal year 2024            5.00 to 1.00\n"
            "Fiscal year 2025            4.75 to 1.00\n"
            "Fiscal year 2026 and thereafter   4.50 to 1.00\n"
        ),
        True,
        "le",
        {"2024-03-31": "5", "2025-06-30": "4.75", "2026-03-31": "4.5", "2027-12-31": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below:\n"
            "\n"
            "Period     Maximum Ratio\n"
            "Each fiscal quarter ending in 2024            5.00 to 1.00\n"
            "Each fiscal quarter ending in 2025            4.75 to 1.00\n"
            "Each fiscal quarter ending thereafter   4.50 to 1.00\n"
        ),
        True,
        "le",
        {"2024-03-31": "5", "2025-06-30": "4.75", "2026-03-31": "4.5", "2027-12-31": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below:\n"
            "\n"
            "2024\n"
            "March 31    5.00 to 1.00\n"
            "June 30     4.75 to 1.00\n"
            "2025\n"
            "March 31    4.50 to 1.00\n"
            "June 30     4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2025-03-31": "4.5", "2025-06-30": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio to exceed the following:\n"
            "\n"
            "January 1, 2024 – June 30, 2024      5.00 to 1.00\n"
            "July 1, 2024 – December 31, 2024      4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio to exceed the following:\n"
            "\n"
            "January 1 - June 30, 2024      5.00 to 1.00\n"
            "July 1 - December 31, 2024      4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "5", "2024-09-30": "4.5"},
    ),
    (
        "The Net Leverage Ratio as of the end of any fiscal quarter shall not exceed (a) 4.50 to 1.00, for any fiscal quarter ending on or prior to September 30, 2024, (b) 4.25 to 1.00, for any fiscal quarter ending after September 30, 2024 and on or prior to June 30, 2025, and (c) 4.00 to 1.00, for any fiscal quarter ending thereafter.",
        False,
        "le",
        {"2024-09-30": "4.5", "2024-12-31": "4.25", "2025-06-30": "4.25", "2025-09-30": "4"},
    ),
    (
        (
            "The Net Leverage Ratio as of the end of any fiscal quarter shall not exceed\n"
            "(i) 4.50 to 1.00 for each fiscal quarter ending on or before September 30, 2024;\n"
            "(ii) 4.25 to 1.00 for each fiscal quarter ending on or after December 31, 2024 but before September 30, 2025; and\n"
            "(iii) 4.00 to 1.00 for each fiscal quarter ending on or after September 30, 2025."
        ),
        False,
        "le",
        {"2024-09-30": "4.5", "2024-12-31": "4.25", "2025-06-30": "4.25", "2025-09-30": "4"},
    ),
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00 until September 30, 2024, and 4.00 to 1.00 thereafter.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "doubt", "2024-12-31": "4"},
    ),
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00 prior to September 30, 2024, and 4.00 to 1.00 on and after September 30, 2024.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4", "2024-12-31": "4"},
    ),
    (
        "The Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00 through September 30, 2024, and 4.00 to 1.00 after September 30, 2024.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4.5", "2024-12-31": "4"},
    ),
    (
        "Commencing with the fiscal quarter ending September 30, 2024, the Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00.",
        False,
        "le",
        {"2024-06-30": "nt", "2024-09-30": "4.5"},
    ),
    (
        "The Borrower shall not permit the Leverage Ratio as of the last day of any fiscal quarter, commencing with the fiscal quarter ending September 30, 2024, to exceed 4.50 to 1.00.",
        False,
        "le",
        {"2024-06-30": "nt", "2024-09-30": "4.5"},
    ),
    (
        "Until September 30, 2024 the Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-12-31": "doubt"},
    ),
    (
        "From and after September 30, 2024 the Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00.",
        False,
        "le",
        {"2024-06-30": "nt", "2024-12-31": "4.5"},
    ),
    (
        "After September 30, 2024 the Borrower shall not permit the Leverage Ratio to exceed 4.50 to 1.00.",
        False,
        "le",
        {"2024-09-30": "doubt", "2024-12-31": "4.5"},
    ),
    (
        "The first Test Date is 31 December 2024. On each Test Date the Leverage Ratio shall be no more than 4.75 to 1.00.",
        False,
        "le",
        {"2024-09-30": "nt", "2024-12-31": "4.75"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Maximum Ratio   Quarter ending\n"
            "5.00 to 1.00   March 31, 2024\n"
            "4.75 to 1.00   June 30, 2024\n"
            "4.50 to 1.00   September 30, 2024\n"
            "4.25 to 1.00   December 31, 2024 and thereafter\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Maximum Ratio\n"
            "\n"
            "Quarter ending\n"
            "\n"
            "5.00 to 1.00\n"
            "\n"
            "March 31, 2024\n"
            "\n"
            "4.75 to 1.00\n"
            "\n"
            "June 30, 2024\n"
            "\n"
            "4.50 to 1.00\n"
            "\n"
            "September 30, 2024\n"
            "\n"
            "4.25 to 1.00\n"
            "\n"
            "December 31, 2024 and thereafter\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Quarter ending\n"
            "\n"
            "Maximum Ratio\n"
            "\n"
            "March 31, 2024\n"
            "\n"
            "5.00 to 1.00\n"
            "\n"
            "June 30, 2024\n"
            "\n"
            "4.75 to 1.00\n"
            "\n"
            "September 30, 2024\n"
            "\n"
            "4.50 to 1.00\n"
            "\n"
            "December 31, 2024 and thereafter\n"
            "\n"
            "4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024   N/A\n"
            "June 30, 2024   4.75 to 1.00\n"
            "September 30, 2024   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "doubt", "2024-06-30": "4.75"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024   5.00 to 1.00\n"
            "March 31, 2024   4.75 to 1.00\n"
            "September 30, 2024   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "doubt", "2024-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024 and thereafter   5.00 to 1.00\n"
            "June 30, 2024 and thereafter   4.75 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "doubt", "2024-09-30": "doubt"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Quarter ending   Maximum Ratio\n"
            "March 31, 2024   5.00 to 1.00\n"
            "June 30, 2024   4.75 to 1.00\n"
            "\n"
            "- 45 -\n"
            "\n"
            "Quarter ending   Maximum Ratio\n"
            "September 30, 2024   4.50 to 1.00\n"
            "December 31, 2024 and each fiscal quarter end thereafter   4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Quarter ending   Maximum Ratio\n"
            "March 31, 2024   5.00 to 1.00\n"
            "June 30, 2024   4.75 to 1.00\n"
            "September 30, 2024   4.50 to 1.00\n"
            "December 31, 2024 and each\n"
            "fiscal quarter ending thereafter   4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Closing Date through\n"
            "March 31, 2024   5.00 to 1.00\n"
            "April 1, 2024 through\n"
            "June 30, 2024   4.75 to 1.00\n"
            "July 1, 2024 and\n"
            "thereafter   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Fiscal Year 2024\n"
            "First Quarter   5.00 to 1.00\n"
            "Second Quarter   4.75 to 1.00\n"
            "Third Quarter   4.50 to 1.00\n"
            "Fourth Quarter   4.25 to 1.00\n"
        ),
        True,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Fiscal Year 2024\n"
            "First Quarter   5.00 to 1.00\n"
            "Second Quarter   4.75 to 1.00\n"
            "Third Quarter   4.50 to 1.00\n"
            "Fourth Quarter   4.25 to 1.00\n"
            "Fiscal Year 2025\n"
            "First Quarter   4.00 to 1.00\n"
        ),
        True,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2024-09-30": "4.5", "2024-12-31": "4.25", "2025-03-31": "4"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Through June 30, 2024   5.00 to 1.00\n"
            "July 1, 2024 through June 30, 2025   4.75 to 1.00\n"
            "Thereafter   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-06-30": "5", "2024-09-30": "4.75", "2025-06-30": "4.75", "2025-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Until June 30, 2024   5.00 to 1.00\n"
            "From June 30, 2024 until June 30, 2025   4.75 to 1.00\n"
            "Thereafter   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "doubt", "2024-09-30": "4.75", "2025-06-30": "doubt", "2025-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Prior to June 30, 2024   5.00 to 1.00\n"
            "On or after June 30, 2024 and prior to June 30, 2025   4.75 to 1.00\n"
            "On or after June 30, 2025   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2025-03-31": "4.75", "2025-06-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "On or prior to June 30, 2024   5.00 to 1.00\n"
            "After June 30, 2024 and on or prior to June 30, 2025   4.75 to 1.00\n"
            "After June 30, 2025   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-06-30": "5", "2024-09-30": "4.75", "2025-06-30": "4.75", "2025-09-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Before June 30, 2024   5.00 to 1.00\n"
            "June 30, 2024 to but excluding June 30, 2025   4.75 to 1.00\n"
            "June 30, 2025 and after   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75", "2025-03-31": "4.75", "2025-06-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "June 30, 2024 to June 29, 2025   4.75 to 1.00\n"
            "June 30, 2025 to June 29, 2026   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-06-30": "4.75", "2025-03-31": "4.75", "2025-06-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "Each fiscal quarter ending on or prior to June 30, 2024   4.75 to 1.00\n"
            "Each fiscal quarter ending after June 30, 2024 but on or prior to June 30, 2025   4.50 to 1.00\n"
            "Each fiscal quarter ending after June 30, 2025   4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-06-30": "4.75", "2024-09-30": "4.5", "2025-06-30": "4.5", "2025-09-30": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024, June 30, 2024 and September 30, 2024   4.75 to 1.00\n"
            "December 31, 2024 and March 31, 2025   4.50 to 1.00\n"
            "June 30, 2025 and thereafter   4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-09-30": "4.75", "2025-03-31": "4.5", "2025-06-30": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024 through September 30, 2024   4.75 to 1.00\n"
            "December 31, 2024 through September 30, 2025   4.50 to 1.00\n"
            "December 31, 2025 and thereafter   4.25 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-09-30": "4.75", "2025-03-31": "4.5", "2026-06-30": "4.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "03/31/2024   4.75 to 1.00\n"
            "06/30/2024   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "2024-03-31   4.75 to 1.00\n"
            "2024-06-30   4.50 to 1.00\n"
        ),
        False,
        "le",
        {"2024-03-31": "4.75", "2024-06-30": "4.5"},
    ),
    (
        (
            "The Company will not permit the Interest Coverage Ratio as of the last day of any fiscal quarter to be less than the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024   2.00 to 1.00\n"
            "June 30, 2024 and thereafter   2.25 to 1.00\n"
        ),
        False,
        "ge",
        {"2024-03-31": "2", "2024-09-30": "2.25"},
    ),
    (
        (
            "The Company will not permit the Leverage Ratio as of the last day of any fiscal quarter to exceed the ratio set forth below opposite such date:\n"
            "\n"
            "March 31, 2024   5.00 to 1.00\n"
            "June 30, 2024 and thereafter   4.75 to 1.00\n"
            "\n"
            "The Leverage Ratio shall be calculated on a consolidated basis in accordance with GAAP.\n"
        ),
        False,
        "le",
        {"2024-03-31": "5", "2024-06-30": "4.75"},
    ),
    (
        "The Leverage Ratio shall not exceed 4.50 to 1.00 for fiscal quarters ending in 2024 and 4.00 to 1.00 for fiscal quarters ending in 2025.",
        True,
        "le",
        {"2024-06-30": "4.5", "2025-06-30": "4"},
    ),
    (
        "The Leverage Ratio shall not exceed 4.50 to 1.00 on March 31, 2024 and June 30, 2024 and 4.00 to 1.00 on each Quarter Date thereafter.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4"},
    ),
    (
        "The Leverage Ratio shall not exceed (x) on or before June 30, 2024, 4.50 to 1.00 and (y) thereafter, 4.00 to 1.00.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4"},
    ),
    (
        "The Leverage Ratio shall not exceed, on or before June 30, 2024, 4.50 to 1.00 and, after June 30, 2024, 4.00 to 1.00.",
        False,
        "le",
        {"2024-06-30": "4.5", "2024-09-30": "4"},
    ),
    (
        "The Company shall ensure that Leverage does not exceed 4.50:1 on any Quarter Date falling on or before 31 December 2024 and 4.00:1 on any Quarter Date falling after that date.",
        False,
        "le",
        {"2024-12-31": "4.5", "2025-03-31": "4"},
    ),
]


@pytest.mark.parametrize(("text", "with_calendar", "comparator", "levels"), STEPS)
def test_steps(read, answer, calendar_year, text: str, with_calendar: bool, comparator: str, levels: dict[str, str]) -> None:
    """Each date has the level of its own step; an edge that the words leave open goes to a person, before the first test nothing is tested."""
    (terms,) = read(text, "", calendar_year if with_calendar else None)
    for day, level in levels.items():
        said = answer(terms, day)
        if level == "doubt":
            assert said[0] == "open", day
        elif level == "nt":
            assert said[0] == "not_tested", day
        else:
            assert said == (comparator, Fraction(level)), day


def test_near_counts_for_every_row(read) -> None:
    """The words "nearest to" in the column head makes every row inexact."""
    (terms,) = read(
        "Permit the Leverage Ratio on the last day of any Test Period to exceed the ratio set forth below:\n\n"
        "Test Period ending nearest to   Maximum Ratio\nMarch 31, 2024   5.00 to 1\nJune 30, 2024   4.50 to 1\n"
    )
    assert [r.near for r in terms.rows] == [True, True]


def test_two_ways_to_read_a_table_are_a_doubt(read) -> None:
    """Labels and levels that could be paired either way give no level and say so."""
    (terms,) = read(
        "The Leverage Ratio shall not exceed the ratio set forth below:\n\nMarch 31, 2024\n\n5.00 to 1.00\n\nJune 30, 2024\n\n4.00 to 1.00\n\n"
        "September 30, 2024\n"
    )
    assert {d.code for d in terms.doubts} & {"review_table_ambiguous", "review_clause_not_fully_read"}
