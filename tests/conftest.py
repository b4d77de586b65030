"""What the tests of the whole product share: a small pack in words of our own, and a workspace with the product's policies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session", autouse=True)
def state_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Signing keys and checkpoints of the tests lie in a folder of theirs, never in the user's own."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONFORMED_STATE", str(folder))
        yield folder


AGREEMENT = """CREDIT AGREEMENT

dated as of March 1, 2023

among

FENWICK TIMBER COMPANY, as Borrower,

the LENDERS party hereto,

and

OAKRIDGE BANK, as Administrative Agent

ARTICLE I
DEFINITIONS

Section 1.01 Defined Terms. As used in this Agreement, the following terms have the meanings given below:

"Consolidated EBITDA" means, for any period, Consolidated Net Income for that period plus, to the extent deducted in \
determining it, interest expense, income taxes, depreciation and amortization.

"Consolidated Net Income" means, for any period, the net income of the Borrower and its Subsidiaries for that period.

"Consolidated Total Debt" means, as of any date, the aggregate principal amount of all Indebtedness of the Borrower and its \
Subsidiaries on that date.

"Fiscal Quarter" means each period of three months ending on March 31, June 30, September 30 and December 31.

"Interest Coverage Ratio" means, as of the last day of any Fiscal Quarter, the ratio of Consolidated EBITDA to interest \
expense, in each case for the four Fiscal Quarters then ended.

"Leverage Ratio" means, as of the last day of any Fiscal Quarter, the ratio of Consolidated Total Debt on that day to \
Consolidated EBITDA for the four Fiscal Quarters then ended.

"Senior Leverage Ratio" means, as of the last day of any Fiscal Quarter, the ratio of the senior part of Consolidated Total \
Debt on that day to Consolidated EBITDA for the four Fiscal Quarters then ended.

ARTICLE VI
NEGATIVE COVENANTS

Section 6.01 Liens. The Borrower shall not create any Lien on its property other than Permitted Liens.

Section 6.10 Leverage Ratio. The Borrower shall not permit the Leverage Ratio as of the last day of any Fiscal Quarter to be \
greater than 3.75 to 1.00.

Section 6.11 Senior Leverage Ratio. The Borrower shall not permit the Senior Leverage Ratio as of the last day of any Fiscal \
Quarter to be greater than 2.50 to 1.00.

Section 6.12 Interest Coverage Ratio. The Borrower shall not permit the Interest Coverage Ratio as of the last day of any \
Fiscal Quarter to be less than 3.00 to 1.00.

ARTICLE IX
MISCELLANEOUS

Section 9.01 Governing Law. This Agreement is governed by the law of the State of New York.

IN WITNESS WHEREOF, the parties have caused this Agreement to be executed by their authorised officers.

FENWICK TIMBER COMPANY, as Borrower

By: /s/ Anna Thorne
Name: Anna Thorne
Title: Treasurer

OAKRIDGE BANK, as Administrative Agent and a Lender

By: /s/ Paul Reyes
Name: Paul Reyes
Title: Director
"""
"""An agreement with three ratios, short enough to be read in no time."""

CERTIFICATE = """COMPLIANCE CERTIFICATE

FENWICK TIMBER COMPANY

For the Fiscal Quarter ended September 30, 2024

(all amounts in US$ thousands)

Consolidated Total Debt                                    300,000
Consolidated Net Income                                     40,000
plus interest expense                                       25,000
plus income taxes                                           15,000
plus depreciation and amortization                          20,000
Consolidated EBITDA                                        100,000
Leverage Ratio                                         3.00 to 1.00
Maximum permitted                                      3.75 to 1.00

Signed: /s/ Anna Thorne
"""

MANIFEST = """pack: fenwick
borrower: Fenwick Timber Company
test_date: 2024-09-30
known_at: 2024-11-30
covenant: Leverage Ratio
fiscal_year_end: 12-31
documents:
- file: agreement.txt
  kind: facility_agreement
  dated: 2023-03-01
  execution: executed
  effective_on: 2023-03-01
- file: certificate.txt
  kind: compliance_certificate
attested_by: R. Bell, analyst
attestations:
- The agreement was seen signed and came into force on its date.
chain_complete: true
"""


@pytest.fixture
def fenwick(tmp_path: Path) -> Path:
    """A pack of an agreement and a certificate, with its manifest."""
    folder = tmp_path / "fenwick"
    folder.mkdir()
    (folder / "agreement.txt").write_text(AGREEMENT, encoding="utf-8")
    (folder / "certificate.txt").write_text(CERTIFICATE, encoding="utf-8")
    (folder / "pack.yaml").write_text(MANIFEST, encoding="utf-8")
    return folder


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A workspace of its own, with the product's policies and an empty log."""
    folder = tmp_path / "bank"
    folder.mkdir()
    shutil.copytree(ROOT / "policies", folder / "policies")
    return folder


@pytest.fixture
def scripted(bank: Path) -> Callable[..., Path]:
    """Has the workspace's contract of short answers pin the scripted backend, and writes what it says to each prompt.

    The fixture is called with prompts and lists of responses, and gives the script's file; called again it writes that anew.
    """
    contract, script = bank / "policies" / "short-answers.yaml", bank / "script.json"
    text = contract.read_text(encoding="utf-8")
    pinned = "{plugin: arithmetic, version: 1.0.0}"
    assert text.count(pinned) == 1
    options = f"options: {{script: {json.dumps(str(script))}}}"
    contract.write_text(text.replace(pinned, f"{{plugin: scripted, version: 1.0.0, {options}}}"), encoding="utf-8")

    def write(**said: list[str]) -> Path:
        lines = [{"when": when, "say": say} for when, say in said.items()]
        script.write_text(json.dumps(lines), encoding="utf-8")
        return script

    write()
    return write
