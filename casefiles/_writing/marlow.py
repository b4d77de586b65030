"""Marlow Instruments: a net leverage test whose table an amendment replaced. Ends in pass."""

from __future__ import annotations

from . import us
from .agreement import Deal
from .packs import Document, write

__all__ = ["files"]

BORROWER, AGENT = "Marlow Instruments, Inc.", "Halden Ridge Bank, N.A."
RATIO = "Consolidated Net Leverage Ratio"

TERMS = us.TERMS | {
    "BORROWERNAME": BORROWER,
    "AGENT": AGENT,
    "ARRANGER": "Halden Ridge Capital Markets LLC",
    "SPONSOR": "the descendants of Edwin Marlow and trusts for their benefit",
    "CLOSING": "March 14, 2022",
    "MATURITY": "March 14, 2027",
    "DATED": "March 14, 2022",
    "CITY": "New York City",
    "AUDITORS": "Pell, Dorrance & Co. LLP",
    "RATIO": RATIO,
    "SWEEP1": "3.25 to 1.00",
    "SWEEP2": "2.50 to 1.00",
    "INC": "3.50 to 1.00",
    "DEBTINC": "3.75 to 1.00",
    "INVLEVEL": "2.75 to 1.00",
    "RPLEVEL": "3.00 to 1.00",
    "RPOPEN": "2.25 to 1.00",
    "JDLEVEL": "2.60 to 1.00",
    "INSTALMENT": "1.25 per cent.",
    "OTHERFACILITY": "Note Purchase Agreement dated as of November 9, 2020 between the Borrower and the "
    "purchasers of its 5.75% Senior Notes due 2029",
    "OTHERCOVENANT": "the ratio of consolidated debt to consolidated cash flow may not exceed 5.25 to 1.00",
    "ADDRESS": "4100 Foundry Road, Rochester, New York 14606",
    "AGENTADDRESS": "210 Ledger Street, 9th Floor, New York, New York 10038",
}

NEGATIVES = (
    *(
        "liens",
        "debt",
        "investments",
        "fundamental",
        "dispositions",
        "restrictedpayments",
        "business",
        "affiliates",
        "burdensome",
        "use-neg",
    ),
    *("fincov", "reserved-negative", "capex", "saleleaseback", "juniordebt", "orgdocs", "speculative"),
)

DEAL = Deal(
    british=False,
    name="CREDIT AGREEMENT",
    place="marlow",
    terms=TERMS,
    sign="$",
    amounts={"TOTAL": 500_000_000, "TERM": 400_000_000, "RCF": 100_000_000, "THRESHOLD": 15_000_000},
    articles=us.articles(
        ("defs", "credit", "yield", "cp", "reps", "affirmative", "negative", "defaults", "agent", "guaranty", "general"),
        NEGATIVES,
    ),
    exhibits=us.EXHIBITS,
    lenders=(
        (AGENT, 140_000_000, 35_000_000),
        ("Cordwainer Savings Bank", 110_000_000, 27_500_000),
        ("First Pinnacle Trust Company", 90_000_000, 22_500_000),
        ("Alder & Quince Bank", 60_000_000, 15_000_000),
    ),
    subsidiaries=(
        ("Marlow Optics LLC", "Delaware", BORROWER),
        ("Marlow Flow Controls, Inc.", "Ohio", BORROWER),
        ("Genesee Calibration Services, Inc.", "New York", "Marlow Flow Controls, Inc."),
        ("Marlow Field Service LLC", "Delaware", BORROWER),
        ("Marlow Messtechnik GmbH", "Germany", BORROWER),
        ("Marlow Instruments (Penang) Sdn. Bhd.", "Malaysia", "Marlow Messtechnik GmbH"),
    ),
)

DOCUMENTS = (
    Document("01_credit-agreement_2022-03-14.pdf", "", "Credit Agreement"),
    Document("02_amendment-1_2023-02-17.pdf", "marlow/amendment-1", "Amendment No. 1 to Credit Agreement"),
    Document("03_amendment-2_2023-10-20.html", "marlow/amendment-2", "Amendment No. 2 to Credit Agreement"),
    Document("04_limited-waiver_2023-05-12.docx", "marlow/waiver", "Limited Waiver"),
    Document("05_notice-of-effectiveness_2023-11-03.pdf", "marlow/notice", "Notice of Effectiveness"),
    Document("06_compliance-certificate_2024-09-30.pdf", "marlow/certificate", "Compliance Certificate"),
)


def files() -> dict[str, bytes]:
    """Every document of the pack."""
    return write(DEAL, DOCUMENTS, head=BORROWER)
