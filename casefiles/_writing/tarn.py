"""Tarn Lodging: a covenant relief period with a liquidity test. Ends in not_tested."""

from __future__ import annotations

from fractions import Fraction

from . import us
from .agreement import Deal
from .packs import Document, write

__all__ = ["files"]

BORROWER, AGENT = "Tarn Lodging Holdings, Inc.", "Copperline Bank, N.A."

TERMS = us.TERMS | {
    "BORROWERNAME": BORROWER,
    "AGENT": AGENT,
    "ARRANGER": "Copperline Capital Markets LLC",
    "SPONSOR": "Greyfell Hospitality Partners, L.P.",
    "CLOSING": "January 20, 2022",
    "MATURITY": "January 20, 2027",
    "DATED": "January 20, 2022",
    "CITY": "Denver",
    "AUDITORS": "Hallworth & Stine LLP",
    "RATIO": "Net Leverage Ratio",
    "SWEEP1": "3.60 to 1.00",
    "SWEEP2": "2.90 to 1.00",
    "INC": "3.85 to 1.00",
    "DEBTINC": "3.90 to 1.00",
    "INVLEVEL": "3.20 to 1.00",
    "RPLEVEL": "3.40 to 1.00",
    "RPOPEN": "2.70 to 1.00",
    "JDLEVEL": "3.10 to 1.00",
    "INSTALMENT": "0.50 per cent.",
    "OTHERFACILITY": "Mortgage Loan Agreement dated as of October 2, 2018 between Tarn Lakefront LLC and "
    "Birchwater Life Insurance Company",
    "OTHERCOVENANT": "the ratio of the mortgage debt to the yearly cash flow of the property may not be above 6.10 to 1.00",
    "LAW": "the State of Colorado",
    "COURTS": "the courts of the State of Colorado sitting in Denver and of the United States for the District of Colorado",
    "ADDRESS": "1 Tarn Lodge Drive, Estes Park, Colorado 80517",
    "AGENTADDRESS": "1775 Assay Street, Denver, Colorado 80202",
}

NEGATIVES = (
    *("liens", "debt", "investments", "fundamental", "dispositions", "restrictedpayments", "business", "affiliates", "fincov"),
    *("burdensome", "reserved-negative", "capex", "juniordebt", "orgdocs", "use-neg"),
)

DEAL = Deal(
    british=False,
    name="CREDIT AGREEMENT",
    place="tarn",
    terms=TERMS,
    sign="$",
    amounts={"TOTAL": 325_000_000, "TERM": 225_000_000, "RCF": 100_000_000, "THRESHOLD": 7_500_000},
    articles=us.articles(
        ("defs", "credit", "yield", "cp", "reps", "affirmative", "negative", "defaults", "agent", "guaranty", "general"),
        NEGATIVES,
        drop=("rounding", "sweep"),
    ),
    exhibits=us.EXHIBITS,
    lenders=(
        (AGENT, 95_000_000, 40_000_000),
        ("High Plains Cooperative Bank", 75_000_000, 35_000_000),
        ("Union Meridian Trust", 55_000_000, 25_000_000),
    ),
    subsidiaries=(
        ("Tarn Summit Lodge LLC", "Colorado", BORROWER),
        ("Tarn Canyon Inns, Inc.", "Utah", BORROWER),
        ("Tarn Resort Services LLC", "Colorado", "Tarn Summit Lodge LLC"),
        ("Tarn Lakefront LLC", "Wyoming", BORROWER),
        ("Tarn Vacation Exchange LLC", "Delaware", BORROWER),
    ),
    scale=Fraction(7, 10),
)

DOCUMENTS = (
    Document("01_credit-agreement_2022-01-20.docx", "", "Credit Agreement"),
    Document("02_amendment-1_2023-06-15.html", "tarn/amendment-1", "Amendment No. 1 to Credit Agreement"),
    Document("03_amendment-2_2024-03-22.pdf", "tarn/amendment-2", "Amendment No. 2 to Credit Agreement"),
    Document("04_limited-waiver_2024-01-30.docx", "tarn/waiver", "Limited Waiver to Credit Agreement"),
    Document("05_confirmation_2024-03-28.pdf", "tarn/notice", "Confirmation of Effective Date"),
    Document("06_compliance-certificate_2024-09-30.docx", "tarn/certificate", "Compliance Certificate"),
)


def files() -> dict[str, bytes]:
    """Every document of the pack."""
    return write(DEAL, DOCUMENTS, head=BORROWER)
