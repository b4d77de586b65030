"""Words that fill the slots of a wording: names of figures, words of comparison, parties, numbers of sections."""

from __future__ import annotations

__all__ = ["AGENTS", "COMPARISONS", "COVERS", "LEVERAGES", "MONTHS", "NEW_COMPARISONS", "PARTIES", "Comparisons"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip

LEVERAGES = (
    "Total Leverage Ratio", "Net Leverage Ratio", "Senior Leverage Ratio", "Secured Leverage Ratio", "First Lien Leverage Ratio",
    "Consolidated Leverage Ratio", "Consolidated Total Leverage Ratio", "Senior Secured Net Leverage Ratio", "Group Leverage",
    "Adjusted Leverage", "Total Net Leverage Ratio", "Debt to EBITDA Ratio", "Funded Debt Ratio", "Net Debt Cover",
)  # fmt: skip
"""Figures with a highest level."""
COVERS = (
    "Interest Coverage Ratio", "Interest Cover", "Fixed Charge Coverage Ratio", "Debt Service Coverage Ratio",
    "Consolidated Interest Coverage Ratio", "Cashflow Cover",
)  # fmt: skip
"""Figures with a lowest level."""

PARTIES = ("Borrower", "Company", "Parent", "Issuer", "Obligor", "Parent Borrower", "Lead Borrower", "Principal Borrower")
AGENTS = ("Agent", "Administrative Agent", "Facility Agent", "Collateral Agent", "Security Agent", "Lead Lender")

Comparisons = dict[str, tuple[tuple[str, str], ...]]
"""By the place in the sentence: words, and what compliance needs (``le``, ``lt``, ``ge``, ``gt``)."""

COMPARISONS: Comparisons = {
    "Dto": (
        ("exceed", "le"), ("be greater than", "le"), ("be more than", "le"), ("rise above", "le"), ("exceed", "le"),
        ("be less than", "ge"), ("fall below", "ge"),
    ),
    "Dshall": (
        ("not exceed", "le"), ("not be greater than", "le"), ("not be more than", "le"), ("be less than", "lt"),
        ("be no greater than", "le"), ("not exceed", "le"), ("not be less than", "ge"), ("be at least", "ge"),
    ),
    "Dof": (
        ("not more than", "le"), ("no greater than", "le"), ("less than", "lt"), ("not greater than", "le"),
        ("at least", "ge"), ("not less than", "ge"),
    ),
    "Dbehind": (("or less", "le"), ("or lower", "le"), ("or more", "ge"), ("or higher", "ge")),
}  # fmt: skip
"""Words of comparison that supervised training sees. ``Dto`` follows "permit the ratio to" and is turned round by it."""

NEW_COMPARISONS: Comparisons = {
    "Dto": (
        ("be higher than", "le"), ("be in excess of", "le"), ("go above", "le"), ("surpass", "le"),
        ("be lower than", "ge"), ("drop below", "ge"),
    ),
    "Dshall": (
        ("not be higher than", "le"), ("not be above", "le"), ("not surpass", "le"), ("stay below", "lt"),
        ("be no more than", "le"), ("not be in excess of", "le"), ("not fall below", "ge"), ("be no less than", "ge"),
    ),
    "Dof": (
        ("no higher than", "le"), ("no more than", "le"), ("at most", "le"), ("below", "lt"),
        ("no less than", "ge"), ("no lower than", "ge"),
    ),
    "Dbehind": (("or below", "le"), ("or under", "le"), ("or above", "ge"), ("or greater", "ge")),
}  # fmt: skip
"""Words of comparison that only held-out wordings use."""
