"""Small papers of our own for the variants of clause patterns: an agreement made of a covenant and definitions, changes of it, a certificate."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace, packaged_policies
from conformed.model.decision import Decision

__all__ = ["DEBT", "EARNINGS", "GROSS", "NET", "RATIO", "Desk", "amendment", "certificate"]

NOON = dt.datetime(2026, 6, 2, 12, 0, tzinfo=dt.UTC)
SIGNED = """
IN WITNESS WHEREOF, the parties have executed this document.

PELL ROPE INC.
By: /s/ Ann Lea
Name: Ann Lea
HILL BANK, N.A., as Administrative Agent and Lender
By: /s/ Tom Ore
Name: Tom Ore
"""
DEBT = (
    '"Consolidated Total Debt" means, as of any date, all Indebtedness for borrowed money of the Borrower and its Subsidiaries.'
)
EARNINGS = '"Consolidated EBITDA" means, for any period, the net income of the Borrower and its Subsidiaries for that period plus interest expense and income taxes deducted in determining it.'
RATIO = '"Leverage Ratio" means, as of any date, the ratio of Consolidated Total Debt to Consolidated EBITDA for the four fiscal quarters then ended.'
GROSS = (DEBT, EARNINGS, RATIO)
NET = (
    DEBT,
    EARNINGS,
    '"Leverage" means, in respect of any Relevant Period, the ratio of Total Net Debt on its last day to Consolidated EBITDA in respect of that Relevant Period.',
    '"Quarter Date" means each of 31 March, 30 June, 30 September and 31 December.',
    '"Relevant Period" means each period of twelve months ending on a Quarter Date.',
    '"Total Net Debt" means Consolidated Total Debt less cash of the Borrower.',
)


def amendment(number: int, dated: str, *items: str, recital: str = "") -> str:
    """An amendment of the agreement of 14 January 2022."""
    listed = "\n\n".join(f"({chr(97 + i)}) {item}" for i, item in enumerate(items))
    return (
        f"AMENDMENT NO. {number} TO CREDIT AGREEMENT\n\nThis Amendment No. {number}, dated as of {dated}, is among PELL ROPE INC., as "
        f"Borrower, the Required Lenders and HILL BANK, N.A., as Administrative Agent, and amends the Credit Agreement dated as of "
        f"January 14, 2022{recital}.\n\nSECTION 1. Amendments. The Credit Agreement is hereby amended as follows:\n\n{listed}\n{SIGNED}"
    )


def certificate(day: str, *lines: str, level: str = "", ratio: str = "", units: str = "all amounts in US$ thousands") -> str:
    """A compliance certificate of the quarter that ends on a day."""
    rows = [line for line in lines if line]
    rows += [f"Leverage Ratio                    {ratio}"] if ratio else []
    rows += [f"Maximum permitted                 {level}"] if level else []
    body = "\n".join(rows)
    return f"COMPLIANCE CERTIFICATE\n\nPELL ROPE INC.\n\nFor the Fiscal Quarter ended {day}\n\n({units})\n\n{body}\n\nSigned: /s/ Ann Lea\n"


class Desk:
    """A pack in the making, and the product that reads it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.pack = folder, folder / "pell"
        self.pack.mkdir(parents=True)
        self.listed: list[str] = []
        self.attested: list[str] = []
        self.service = Service(
            Workspace(root=folder, policies=packaged_policies(), origin="flag"), clock=lambda: NOON, environment={}
        )

    def agreement(self, covenant: str, definitions: Sequence[str] = GROSS, more: str = "", *, closed: bool = True) -> Desk:
        """Puts the agreement down."""
        terms = "\n\n".join(definitions)
        text = (
            f"CREDIT AGREEMENT\n\ndated as of January 14, 2022\n\namong PELL ROPE INC., as Borrower, the Lenders party hereto and HILL BANK, "
            f"N.A., as Administrative Agent\n\nARTICLE I\nDEFINITIONS\n\nSection 1.01 Defined Terms. The following terms have the "
            f"meanings given below:\n\n{terms}\n\n{more}\n\nARTICLE VII\nCOVENANTS\n\n{covenant}\n{SIGNED}"
        )
        return self.put("agreement.txt", text, "2022-01-14" if closed else "")

    def put(self, name: str, text: str, effective: str = "", kind: str = "") -> Desk:
        """Adds a paper, attested as executed."""
        (self.pack / name).write_text(text, encoding="utf-8")
        more = (f", effective_on: {effective}" if effective else "") + (f", kind: {kind}" if kind else "")
        self.listed.append(f"- {{file: {name}, execution: executed{more}}}")
        return self

    def attest(self, *sentences: str) -> Desk:
        """Adds what an analyst attests."""
        self.attested += sentences
        return self

    def run(self, test: str = "2024-06-30", known: str = "2026-06-02", **asked: str) -> Decision:
        """The decision."""
        head = "pack: pell\nborrower: Pell Rope Inc.\nfiscal_year_end: 12-31\nno_election: true\n"
        if self.attested:
            head += "attested_by: R. Bell, analyst\nattestations:\n" + "".join(f"- {line}\n" for line in self.attested)
        (self.pack / "pack.yaml").write_text(head + "documents:\n" + "\n".join(self.listed) + "\n", encoding="utf-8")
        days = {"test_date": dt.date.fromisoformat(test), "known_at": dt.date.fromisoformat(known)}
        return self.service.run(self.pack, RunOptions.model_validate({**days, **asked}), silent)
