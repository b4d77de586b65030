"""Kestrel Aggregates: a British leverage test that an amendment tightened. Ends in breach."""

from __future__ import annotations

from fractions import Fraction

from . import uk
from .agreement import Deal
from .packs import Document, write

__all__ = ["files"]

COMPANY, AGENT = "Kestrel Aggregates Limited", "Brindle & Stow Bank plc"

TERMS = uk.TERMS | {
    "BORROWERNAME": COMPANY,
    "AGENT": AGENT,
    "ARRANGER": AGENT,
    "SPONSOR": "Fellside Partners LLP",
    "CLOSING": "9 June 2021",
    "MATURITY": "9 June 2027",
    "DATED": "9 June 2021",
    "CITY": "London",
    "AUDITORS": "Marchbank Lyle LLP",
    "RATIO": "Leverage",
    "SWEEP1": "3.00:1",
    "SWEEP2": "2.25:1",
    "INC": "3.25:1",
    "DEBTINC": "3.30:1",
    "INVLEVEL": "2.60:1",
    "RPLEVEL": "2.80:1",
    "RPOPEN": "2.00:1",
    "JDLEVEL": "2.40:1",
    "INSTALMENT": "1.00 per cent.",
    "OTHERFACILITY": "plant finance agreement dated 3 March 2019 between Kestrel Haulage Limited and Tolbooth "
    "Asset Finance Limited",
    "OTHERCOVENANT": "the ratio of that company's borrowings to its operating profit is not to be more than 4.60:1",
    "ADDRESS": "The Limeworks, Station Road, Settle BD24 9XX",
    "AGENTADDRESS": "12 Cloth Hall Yard, London EC2V 0XX",
}


DEAL = Deal(
    british=True,
    name="FACILITIES AGREEMENT",
    place="kestrel",
    terms=TERMS,
    sign="£",
    amounts={"TOTAL": 175_000_000, "TERM": 135_000_000, "RCF": 40_000_000, "THRESHOLD": 4_000_000},
    articles=uk.CLAUSES,
    exhibits=uk.EXHIBITS,
    own_clauses=("uk/clauses", "kestrel/clauses"),
    lenders=(
        (AGENT, 50_000_000, 15_000_000),
        ("Holmfirth & District Bank plc", 45_000_000, 13_000_000),
        ("Northgate Mutual Bank", 40_000_000, 12_000_000),
    ),
    subsidiaries=(
        ("Kestrel Quarries Limited", "England and Wales", COMPANY),
        ("Kestrel Readymix Limited", "England and Wales", COMPANY),
        ("Ribble Lime Limited", "England and Wales", "Kestrel Quarries Limited"),
        ("Kestrel Haulage Limited", "England and Wales", COMPANY),
        ("Borders Stone Limited", "Scotland", "Kestrel Quarries Limited"),
        ("Kestrel Land Restoration Limited", "England and Wales", COMPANY),
    ),
    scale=Fraction(2, 5),
)

DOCUMENTS = (
    Document("01_facilities-agreement_2021-06-09.pdf", "", "Facilities Agreement"),
    Document("02_first-amendment-letter_2022-10-18.docx", "kestrel/amendment-1", "First Amendment Letter"),
    Document("03_second-amendment-letter_2023-11-14.pdf", "kestrel/amendment-2", "Second Amendment Letter"),
    Document("04_waiver-letter_2023-08-22.html", "kestrel/waiver", "Waiver Letter"),
    Document("05_conditions-notice_2023-12-01.pdf", "kestrel/notice", "Notice of Satisfaction of Conditions Precedent"),
    Document("06_compliance-certificate_2024-06-30.pdf", "kestrel/certificate", "Compliance Certificate"),
)


def files() -> dict[str, bytes]:
    """Every document of the pack."""
    return write(DEAL, DOCUMENTS, head=COMPANY, size=12, a4=True)
