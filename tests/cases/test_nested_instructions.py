"""Words of an amendment inside the new text of another one: an example or a form is never a level, and a real list still is."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pack import decide

from conformed.model.covenant import Covenant

AMENDMENT = """FIRST AMENDMENT TO CREDIT AGREEMENT

This FIRST AMENDMENT TO CREDIT AGREEMENT, dated as of January 10, 2024 (this "Amendment"), is among FENWICK TIMBER COMPANY, as \
Borrower, the LENDERS party hereto, and OAKRIDGE BANK, as Administrative Agent, and amends the Credit Agreement dated as of \
March 1, 2023.

SECTION 1. Amendments. Effective as of the date hereof, the Credit Agreement is amended as follows:

{body}

SECTION 2. Effectiveness. This Amendment is effective on January 10, 2024.

IN WITNESS WHEREOF, the parties have caused this Amendment to be executed.

FENWICK TIMBER COMPANY, as Borrower

By: /s/ Anna Thorne
Name: Anna Thorne
Title: Treasurer

OAKRIDGE BANK, as Administrative Agent and a Lender

By: /s/ Paul Reyes
Name: Paul Reyes
Title: Director
"""
LEAD = "Section 9.01 of the Credit Agreement is hereby amended and restated in its entirety to read as follows:"
LAW = "Section 9.01 Governing Law. This Agreement is governed by the law of the State of New York."
SWAP = 'Section 6.10 is hereby amended by replacing "3.75 to 1.00" with "5.00 to 1.00".'
WHOLE = (
    "Section 6.10 of the Credit Agreement is hereby amended and restated in its entirety to read as follows: Section 6.10 Leverage"
    " Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be greater than 5.00 to 1.00."
)


@pytest.fixture
def amended(fenwick: Path) -> Path:
    """The small pack with an amendment that is still to be written."""
    manifest = (fenwick / "pack.yaml").read_text()
    paper = "- file: amendment.txt\n  kind: amendment\n  dated: 2024-01-10\n  execution: executed\n  effective_on: 2024-01-10\n"
    (fenwick / "pack.yaml").write_text(manifest.replace("- file: certificate.txt", f"{paper}- file: certificate.txt"))
    return fenwick


@pytest.mark.parametrize(
    "body",
    [
        f'{LEAD}\n\n"{LAW}\n\n{SWAP}"',
        f'{LEAD} "{LAW} {SWAP}"',
        f"{LEAD}\n\n\u201c{LAW}\n\nSection 6.10 is hereby amended by replacing \u201c3.75 to 1.00\u201d with \u201c5.00 to 1.00\u201d.\u201d",
        f"{LEAD}\n\n\u201c{LAW}\n\nSection 6.10 is hereby amended by deleting the figure 3.75 to 1.00 and inserting 5.00 to 1.00 in its place.\u201d",
        f"{LEAD}\n\n{LAW} {SWAP}",
        f"{LEAD}\n\n\u201cSection 9.01 Example. By way of example only, an amendment may say:\n\n{WHOLE}\u201d",
        f'The Credit Agreement is hereby amended by adding a new Section 9.02 as follows:\n\n"Section 9.02 Springing. If the Borrower so elects, {SWAP}"',
    ],
    ids=["quoted", "quoted_in_line", "curly", "curly_without_quotes", "unquoted", "restatement", "new_section"],
)
def test_words_inside_new_text_set_no_level(amended: Path, bank: Path, body: str) -> None:
    """What may be another section's new text goes to a person, with a code that says so; 5.00 is never determined."""
    (amended / "amendment.txt").write_text(AMENDMENT.format(body=body))
    decision = decide(amended, bank)
    assert decision.result == "review"
    assert not isinstance(decision.covenant, Covenant)
    assert "review_clause_not_fully_read" in {reason.code for reason in decision.reasons}


@pytest.mark.parametrize(
    "body",
    [
        f'(a) {LEAD}\n\n"{LAW}"\n\n(b) {SWAP}',
        f'{LEAD}\n\n"{LAW}"\n\n{SWAP}',
        f'(a) {LEAD} "{LAW}"; and\n(b) {SWAP}',
        f"{LEAD}\n\n\u201cSection 9.01 Governing Law. This Agreement (the \u201cDeed\u201d) is governed by the law of New York.\u201d\n\n{WHOLE}",
        f"(a) {LEAD}\n\n{LAW}\n\n(b) {SWAP}",
    ],
    ids=["items", "paragraphs", "items_in_a_line", "inner_quotes", "unquoted_items"],
)
def test_a_list_of_amendments_is_still_read(amended: Path, bank: Path, body: str) -> None:
    """An instruction behind the closing mark, or with an item's mark of its own, counts as before."""
    (amended / "amendment.txt").write_text(AMENDMENT.format(body=body))
    decision = decide(amended, bank)
    assert isinstance(decision.covenant, Covenant)
    assert decision.covenant.limit.value == 5
