"""Harrow Freight: an amendment whose conditions nobody confirms. Ends in review."""

from __future__ import annotations

from fractions import Fraction

from . import us
from .agreement import Deal
from .packs import Document, write

__all__ = ["files"]

BORROWER, AGENT = "Harrow Freight Systems, LLC", "Sable Point Bank"

TERMS = us.TERMS | {
    "BORROWERNAME": BORROWER,
    "AGENT": AGENT,
    "ARRANGER": "Sable Point Securities Inc.",
    "SPONSOR": "Wexcombe Infrastructure Fund III, L.P.",
    "CLOSING": "August 2, 2021",
    "MATURITY": "August 2, 2026",
    "DATED": "August 2, 2021",
    "CITY": "Chicago",
    "AUDITORS": "Orme, Thackeray & Lund LLP",
    "RATIO": "Secured Net Leverage Ratio",
    "SWEEP1": "3.00 to 1.00",
    "SWEEP2": "2.25 to 1.00",
    "INC": "3.15 to 1.00",
    "DEBTINC": "3.35 to 1.00",
    "INVLEVEL": "2.85 to 1.00",
    "RPLEVEL": "2.65 to 1.00",
    "RPOPEN": "2.15 to 1.00",
    "JDLEVEL": "2.45 to 1.00",
    "INSTALMENT": "0.625 per cent.",
    "OTHERFACILITY": "Rolling Stock Loan Agreement dated as of May 6, 2019 between Harrow Rail Cars LLC and "
    "Plumb Street Leasing Corp.",
    "OTHERCOVENANT": "the ratio of funded debt to cash flow of that company may not be more than 4.90 to 1.00",
    "LAW": "the State of Illinois",
    "COURTS": "the courts of the State of Illinois sitting in Cook County and of the United States for "
    "the Northern District of Illinois",
    "ADDRESS": "900 Switchyard Avenue, Joliet, Illinois 60432",
    "AGENTADDRESS": "55 Harborlight Plaza, Chicago, Illinois 60601",
}

NEGATIVES = (
    *(
        "liens",
        "debt",
        "fundamental",
        "investments",
        "dispositions",
        "restrictedpayments",
        "juniordebt",
        "affiliates",
        "business",
        "burdensome",
    ),
    *("capex", "fincov", "reserved-negative", "saleleaseback", "orgdocs", "use-neg"),
)

DEAL = Deal(
    british=False,
    name="CREDIT AGREEMENT",
    place="harrow",
    terms=TERMS,
    sign="$",
    amounts={"TOTAL": 490_000_000, "TERM": 430_000_000, "RCF": 60_000_000, "THRESHOLD": 12_500_000},
    articles=us.articles(
        ("defs", "credit", "reps", "cp", "affirmative", "negative", "defaults", "yield", "agent", "guaranty", "general"),
        NEGATIVES,
        drop=("rounding",),
    ),
    exhibits=us.EXHIBITS,
    lenders=(
        (AGENT, 170_000_000, 25_000_000),
        ("Fox Valley National Bank", 150_000_000, 20_000_000),
        ("Grain Exchange Trust Company", 110_000_000, 15_000_000),
    ),
    subsidiaries=(
        ("Harrow Terminals LLC", "Delaware", BORROWER),
        ("Harrow Intermodal LLC", "Illinois", BORROWER),
        ("Prairie Drayage, Inc.", "Iowa", "Harrow Intermodal LLC"),
        ("Harrow Rail Cars LLC", "Delaware", BORROWER),
        ("Harrow Freight (Canada) ULC", "British Columbia", BORROWER),
    ),
    scale=Fraction(9, 10),
)

DOCUMENTS = (
    Document("01_credit-agreement_2021-08-02.html", "", "Credit Agreement"),
    Document("02_first-amendment_2023-03-10.pdf", "harrow/amendment-1", "First Amendment to Credit Agreement"),
    Document("03_second-amendment_2024-05-24.docx", "harrow/amendment-2", "Second Amendment to Credit Agreement"),
    Document("04_waiver-agreement_2023-02-21.pdf", "harrow/waiver", "Waiver Agreement"),
    Document("05_notice_2023-03-24.pdf", "harrow/notice", "Notice of Effective Date"),
    Document("06_compliance-certificate_2024-06-30.html", "harrow/certificate", "Compliance Certificate"),
)


def files() -> dict[str, bytes]:
    """Every document of the pack."""
    return write(DEAL, DOCUMENTS, head=BORROWER)
