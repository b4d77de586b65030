"""Papers about a small pack, in the tests' own words: waivers, cures, notices, a change that reaches back."""

from __future__ import annotations

from collections.abc import Callable

from conformed.model.decision import Decision

__all__ = [
    "AGENT",
    "BACK",
    "DEEMED",
    "DEMAND",
    "HOLIDAY",
    "KINDS",
    "LETTER",
    "NOTICE",
    "REPORTS",
    "RIGHT",
    "SECOND",
    "STATEMENT",
    "Run",
    "codes",
    "shown",
]

REPORTS = (
    "Section 5.01 Reporting. The Borrower shall deliver to the Administrative Agent, within 45 days after the end of each Fiscal Quarter, "
    "unaudited financial statements together with a Compliance Certificate.\n\n"
)
RIGHT = (
    "Section 7.02 Equity Cure. If the Leverage Ratio is above its level for a Fiscal Quarter, a Cure Amount received within 15 Business Days "
    "after the Compliance Certificate was due may be added to Consolidated EBITDA for that Fiscal Quarter, no more than four times before the "
    "Maturity Date and not in consecutive Fiscal Quarters."
)
DEEMED = " If the Leverage Ratio is met on the next Fiscal Quarter end, the earlier breach is treated as remedied unless notice of acceleration was given by then."
NOTICE = """CURE NOTICE

December 2, 2024

FENWICK TIMBER COMPANY hereby notifies Oakridge Bank under Section 7.02 that a Cure Amount of $6,666,666.67 is to be added to \
Consolidated EBITDA for the Fiscal Quarter ended September 30, 2024. This is the first exercise of the right.

Signed: /s/ Anna Thorne
"""
STATEMENT = """BANK STATEMENT

December 4, 2024

Account of FENWICK TIMBER COMPANY

December 2, 2024   Credit received from shareholders   6,666,666.67
"""
LETTER = """WAIVER UNDER CREDIT AGREEMENT

dated November 18, 2024

Reference is made to the Credit Agreement dated as of March 1, 2023 among Fenwick Timber Company and Oakridge Bank.

1. The Required Lenders hereby waive the Event of Default arising from the failure to comply with Section 6.10 for the Fiscal Quarter ended \
September 30, 2024{condition}.

2. This waiver is limited to that quarter and is not an amendment of any provision.

FENWICK TIMBER COMPANY

By: /s/ Anna Thorne

OAKRIDGE BANK, as Administrative Agent and as a Lender, for the Required Lenders

By: /s/ Paul Reyes
"""
BACK = """FIRST AMENDMENT TO CREDIT AGREEMENT

This First Amendment, dated November 18, 2024, amends the Credit Agreement dated as of March 1, 2023 among Fenwick Timber Company and Oakridge Bank.

1. Section 6.10 is hereby amended by replacing "3.75 to 1.00" with "4.25 to 1.00". This First Amendment shall be effective as of September 1, 2024.

FENWICK TIMBER COMPANY

By: /s/ Anna Thorne

OAKRIDGE BANK, as Administrative Agent and as a Lender, for the Required Lenders

By: /s/ Paul Reyes
"""
KINDS = {
    "letter.txt": "waiver",
    "notice.txt": "notice",
    "statement.txt": "other",
    "first.txt": "amendment",
    "demand.txt": "notice",
    "agent.txt": "notice",
    "second.txt": "compliance_certificate",
}
DEMAND = "NOTICE OF ACCELERATION\n\n{day}\n\nThe Loans are declared due and payable.\n\n/s/ Paul Reyes\n"
SECOND = """COMPLIANCE CERTIFICATE

FENWICK TIMBER COMPANY

For the Fiscal Quarter ended December 31, 2024

(all amounts in US$ thousands)

Consolidated Total Debt                                    {debt}
Consolidated Net Income                                     40,000
plus interest expense                                       25,000
plus income taxes                                           15,000
plus depreciation and amortization                          20,000
Consolidated EBITDA                                        100,000

Signed: /s/ Anna Thorne
"""
AGENT = """OAKRIDGE BANK

February 20, 2025

The Administrative Agent confirms that no notice of acceleration under Section 8.02 has been given before the date of this letter.

/s/ Paul Reyes
"""
HOLIDAY = (
    BACK[: BACK.index("1. ")].replace("November 18, 2024", "July 1, 2024")
    + """1. Section 6.10 shall not be tested for any Fiscal Quarter \
ending during the Relief Period. "Relief Period" means the period from the date hereof through and including the earlier of (x) March 31, 2025 and (y) the date on which the \
Borrower notifies the Administrative Agent that it elects to end it.
"""
    + BACK[BACK.index("\nFENWICK") :]
)

Run = Callable[..., Decision]


def codes(decision: Decision) -> set[str]:
    """All codes of a run."""
    return {r.code for r in (*decision.reasons, *decision.findings)}


def shown(decision: Decision) -> tuple[str, str]:
    """Result and overlay."""
    return decision.result.value, decision.overlay.value
