"""What American agreements share: the plan of articles, terms of the market, exhibits."""

from __future__ import annotations

__all__ = ["EXHIBITS", "TERMS", "articles"]

TERMS = {
    "B": "Borrower",
    "A": "Administrative Agent",
    "RL": "Required Lenders",
    "RLSHARE": "50 per cent.",
    "LD": "Loan Documents",
    "LD1": "Loan Document",
    "OB": "Loan Party",
    "OBs": "Loan Parties",
    "GAAP": "GAAP",
    "RATE": "Term SOFR",
    "FY": "Fiscal Year",
    "COUNTRY": "the United States",
    "CURRENCY": "Dollars",
    "SANCTIONS": "the United States, the United Nations, the European Union or the United Kingdom",
    "DAYS": "365 or 366",
    "DAYS2": "360",
    "AGREEMENTNAME": "Credit Agreement",
    "ASSIGNFEE": "$3,500",
    "LAW": "the State of New York",
    "COURTS": "the courts of the State of New York sitting in New York County and of the United States "
    "for the Southern District of New York",
    "SIGNATORIES": "the chief financial officer",
    "ANNUALDAYS": "90",
}

EXHIBITS = (
    ("commitments", "Schedule I", "Commitments"),
    ("guarantors", "Schedule II", "Guarantors and Subsidiaries"),
    ("existing", "Schedule III", "Existing Facility, Indebtedness, Liens and Investments"),
    ("security", "Schedule IV", "Security Documents and Filings"),
    ("disclosure", "Schedule V", "Disclosed Matters"),
    ("postclosing", "Schedule VI", "Matters after Closing"),
    ("addresses", "Schedule VII", "Addresses for Notices"),
    ("borrowing", "Exhibit A", "Form of Notice of Borrowing"),
    ("note", "Exhibit B", "Form of Note"),
    ("certificate", "Exhibit C", "Form of Compliance Certificate"),
    ("assignment", "Exhibit D", "Form of Assignment Agreement"),
    ("accession", "Exhibit E", "Form of Accession Document"),
)

PLAN: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "defs": (
        "Definitions and Accounting Terms",
        "",
        ("definitions", "interpretation", "accountingterms", "rounding", "timesofday", "rates", "divisions"),
    ),
    "credit": (
        "The Commitments and Credit Extensions",
        "",
        (
            *(
                "loans",
                "borrowings",
                "lettersofcredit",
                "swingline",
                "prepayments",
                "sweep",
                "reductions",
                "repayment",
                "interest",
                "margin",
            ),
            *(
                "fees",
                "computation",
                "evidence",
                "payments",
                "sharing",
                "incremental",
                "reserved-credit",
                "extension",
                "cashcollateral",
                "defaulting",
            ),
        ),
    ),
    "yield": (
        "Taxes, Yield Protection and Illegality",
        "",
        ("taxes", "taxforms", "illegality", "inability", "increasedcosts", "breakage", "mitigation", "survivalyield"),
    ),
    "cp": ("Conditions Precedent", "", ("cpinitial", "cpall", "cppost")),
    "reps": (
        "Representations and Warranties",
        "The {B} represents and warrants to the {A} and the Lenders, on the Closing Date and on the day of each loan, that:",
        (
            *(
                "rep-status",
                "rep-authority",
                "rep-approvals",
                "rep-binding",
                "rep-accounts",
                "rep-litigation",
                "rep-nodefault",
                "rep-property",
            ),
            *(
                "rep-environment",
                "rep-insurance",
                "rep-taxes",
                "rep-pensions",
                "rep-subsidiaries",
                "rep-margin",
                "rep-disclosure",
                "rep-ip",
            ),
            *("rep-solvency", "rep-labour", "reserved-reps", "rep-sanctions", "rep-security", "rep-beneficial"),
        ),
    ),
    "affirmative": (
        "Affirmative Covenants",
        "So long as a Lender has a Commitment, or a loan or other Obligation is unpaid, or a Letter of Credit is outstanding:",
        (
            *(
                "statements",
                "certificates",
                "notices-default",
                "obligations",
                "existence",
                "properties",
                "insurance",
                "laws",
                "books",
            ),
            *(
                "inspection",
                "proceeds",
                "furtherassurance",
                "environment",
                "cashmanagement",
                "lendercalls",
                "reserved-affirmative",
                "hedging-aff",
            ),
        ),
    ),
    "defaults": (
        "Events of Default and Remedies",
        "Each of the events described in {S:payment-default} to {S:last-default} is an Event of Default.",
        (
            *(
                "payment-default",
                "covenant-default",
                "other-default",
                "rep-default",
                "cross-default",
                "insolvency-default",
                "inability-default",
            ),
            *(
                "judgment-default",
                "pension-default",
                "invalidity-default",
                "control-default",
                "last-default",
                "remedies",
                "application",
            ),
        ),
    ),
    "agent": (
        "The Administrative Agent",
        "",
        (
            *(
                "appointment",
                "rightsaslender",
                "exculpatory",
                "reliance",
                "delegation",
                "effectivenotice",
                "resignation",
                "nonreliance",
            ),
            *("noother", "proofs", "collateralmatters", "creditbid", "indemnityagent", "securedhedges", "erisa"),
        ),
    ),
    "guaranty": (
        "Guaranty",
        "",
        ("guaranty", "unconditional", "reinstatement", "waiversguaranty", "limitationguaranty", "keepwell", "remediesguaranty"),
    ),
    "general": (
        "Miscellaneous",
        "",
        (
            *(
                "amendments",
                "notices",
                "nowaiver",
                "expenses",
                "setaside",
                "assignments",
                "register",
                "participations",
                "pledges",
                "confidentiality",
            ),
            *(
                "setoff",
                "usury",
                "counterparts",
                "survivalreps",
                "severability",
                "reserved-general",
                "governinglaw",
                "jurywaiver",
                "noadvisory",
            ),
            *("patriot", "bailin", "judgmentcurrency", "language"),
        ),
    ),
}


def articles(
    order: tuple[str, ...], negatives: tuple[str, ...], *, drop: tuple[str, ...] = ()
) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Articles in an order, with the negative covenants in theirs."""
    lead = "So long as a Lender has a Commitment, or a loan or other Obligation is unpaid, or a Letter of Credit is outstanding:"
    plan = {**PLAN, "negative": ("Negative Covenants", lead, negatives)}
    return tuple(
        (caption, text, tuple(key for key in keys if key not in drop)) for caption, text, keys in (plan[name] for name in order)
    )
