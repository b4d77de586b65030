"""Small packs, in words of the tests' own, of which something is left open that a person can settle; and a desk to override at."""

from __future__ import annotations

import datetime as dt
import itertools
from fractions import Fraction
from pathlib import Path

from conformed.app.options import RunOptions, silent
from conformed.app.overrides.override import Overrides
from conformed.app.workspace import Workspace
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision, Result

__all__ = [
    "ACCOUNTS",
    "AMENDMENT",
    "ATTESTED",
    "DATED",
    "NOTICE",
    "SECOND",
    "SHOWS",
    "WHOLE",
    "Desk",
    "advised",
    "amend",
    "conditional",
    "confirmed",
    "level",
    "seen",
    "two_of_one_day",
]

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)

_HEAD = """{name} AMENDMENT TO CREDIT AGREEMENT

This instrument (this "Amendment"), dated as of {dated}, is among Fenwick Timber Company (the "Borrower"), each Lender party \
hereto and Oakridge Bank, as Administrative Agent.

WHEREAS, the parties hereto are party to the Credit Agreement dated as of March 1, 2023 (the "Credit Agreement");

NOW, THEREFORE, the parties agree as follows:

"""
_SIGNED = """
IN WITNESS WHEREOF, the parties have caused this Amendment to be executed.

FENWICK TIMBER COMPANY

By: {borrower}
Name: Anna Thorne

OAKRIDGE BANK, as Administrative Agent and as a Lender

By: {agent}
Name: Paul Reyes
"""
AMENDMENT = (
    'Section 1. Section 6.10 of the Credit Agreement is hereby amended by deleting "3.75 to 1.00" and inserting '
    '"4.25 to 1.00" in its place.\n\nSection 2. Conditions. This Amendment shall become effective on the date on which the '
    "Administrative Agent has received (a) counterparts of this Amendment and (b) payment of the amendment fee.\n"
)
"""A change of level that waits for conditions."""
SECOND = (
    'Section 1. Section 6.11 of the Credit Agreement is hereby amended by deleting "2.50 to 1.00" and inserting '
    '"2.75 to 1.00" in its place.\n\nSection 2. This Amendment is effective as of its date.\n'
)
"""A change of another covenant."""
NOTICE = (
    "From the Administrative Agent to the Borrower and the Lenders\n\nOn May 14, 2024 the Administrative Agent held the signed "
    "counterparts of the amendment of Section 6.10 and the fee, and every condition in its Section 2 was met on that day.\n"
)
"""A paper that shows the day."""


def amend(body: str, *, name: str = "FIRST", dated: str = "May 10, 2024", signed: bool = True, half: bool = False) -> str:
    """An amendment of the timber company's agreement."""
    borrower = "/s/ Anna Thorne" if signed or half else "____________________"
    agent = "/s/ Paul Reyes" if signed else "____________________"
    return _HEAD.format(name=name, dated=dated) + body + _SIGNED.format(borrower=borrower, agent=agent)


DATED = AMENDMENT.partition("Section 2")[0] + "Section 2. This Amendment is effective as of its date.\n"
WHOLE = (
    "Section 1. Section 6.10 of the Credit Agreement is hereby amended and restated in its entirety to read as follows:\n\n"
    '"Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter '
    'to be greater than 4.25 to 1.00."\n\nSection 2. This Amendment is effective as of its date.\n'
)
ATTESTED = ("kind: amendment", "dated: 2024-05-10", "execution: executed", "effective_on: 2024-05-10")
SHOWS = "every condition in its Section 2 was met on that day"
ACCOUNTS = "Management accounts at September 30, 2024, in US$ thousands.\n\nBorrowings in all: 390,000.\n"


class Desk:
    """A pack on disk, a workspace, and what a person does there.

    Args:
        pack: folder of the pack.
        bank: folder of the workspace.
    """

    def __init__(self, pack: Path, bank: Path) -> None:
        self.pack, self.bank = pack, bank
        seconds, runs = itertools.count(), itertools.count(1)
        self.service = Overrides(
            Workspace(root=bank, policies=bank / "policies", origin="flag"),
            clock=lambda: NOON + dt.timedelta(seconds=next(seconds)),
            ids=lambda: f"r-{next(runs):04}",
            environment={},
        )

    def add(self, name: str, text: str, *entry: str) -> None:
        """Adds a paper to the pack, with lines of its entry in the manifest."""
        (self.pack / name).write_text(text, encoding="utf-8")
        manifest = self.pack / "pack.yaml"
        lines = "".join(f"  {line}\n" for line in entry)
        listed = manifest.read_text(encoding="utf-8")
        manifest.write_text(listed.replace("attested_by:", f"- file: {name}\n{lines}attested_by:"), encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        """Changes words of a paper of the pack that stand in it."""
        text = (self.pack / name).read_text(encoding="utf-8")
        assert old in text
        (self.pack / name).write_text(text.replace(old, new), encoding="utf-8")

    def beside(self, name: str, text: str) -> Path:
        """Writes a paper that is not of the pack."""
        path = self.bank / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self) -> Decision:
        """Runs the pack."""
        return self.service.run(self.pack, RunOptions(), silent)

    def override(self, run: Decision | str, *given: dict[str, str], by: str = "Ida Marsh") -> Decision:
        """Overrides a run."""
        name = run if isinstance(run, str) else run.run
        return self.service.override(name, given, by=by, policy=None, progress=silent)

    def codes(self, decision: Decision) -> set[str]:
        """Codes of a decision."""
        return {r.code for r in (*decision.reasons, *decision.findings)}


def level(decision: Decision) -> Fraction | None:
    """The level that governs, None where none does."""
    return decision.covenant.limit.value if isinstance(decision.covenant, Covenant) else None


def conditional(desk: Desk) -> Decision:
    """A run that stops because nothing shows that an amendment's conditions were met."""
    desk.add("first.txt", amend(AMENDMENT), "kind: amendment", "dated: 2024-05-10")
    decision = desk.run()
    assert decision.result is Result.REVIEW
    assert {r.code for r in decision.reasons} == {"review_cp_evidence_missing"}
    return decision


def seen(
    desk: Desk, text: str = NOTICE, words: str = SHOWS, met_on: str = "2024-05-14", name: str = "from-agent.txt"
) -> dict[str, str]:
    """The override that answers it."""
    return {
        "code": "override_cp_evidence_seen", "answers": "review_cp_evidence_missing", "subject": "first.txt", "met_on": met_on,
        "file": str(desk.beside(name, text)), "words": words, "reason": "The agency desk sent its note.",
    }  # fmt: skip


def confirmed(section: str = "Section 6.10") -> dict[str, str]:
    """The override that says which provision an instruction about 6.20 means."""
    return {
        "code": "override_target_confirmed", "answers": "review_target_not_found", "named": "6.20", "section": section,
        "reference": "P. Lowe, PL/8", "reason": "A slip of the pen.",
    }  # fmt: skip


def two_of_one_day(desk: Desk) -> Decision:
    """A run with two amendments of one day that set different levels."""
    desk.add("first.txt", amend(WHOLE), *ATTESTED)
    desk.add("second.txt", amend(WHOLE.replace("4.25", "4.00"), name="SECOND"), *ATTESTED)
    decision = desk.run()
    assert [c.limit.value for c in decision.candidates] == [4, Fraction(17, 4)]
    return decision


def advised(reading: str) -> dict[str, str]:
    """Counsel's choice."""
    return {
        "code": "override_counsel_reading", "answers": "review_conflict_same_effective_date", "counsel": "P. Lowe",
        "advised_on": "2024-10-01", "reference": "PL/114", "reading": reading, "reason": "Written advice is in the file.",
    }  # fmt: skip
