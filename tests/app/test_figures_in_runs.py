"""Figures through whole runs: a certificate that is a workbook, a rounding clause of the agreement, a formula of the contract."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path

import openpyxl

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed.model.calculation import Calculation, Certificate, Comparison
from conformed.model.decision import Decision, Result

CLAUSE = (
    "Section 1.02 Rounding. Each ratio under this Agreement is calculated by carrying the result to one place more than the number of places by "
    "which it is expressed and rounding the result up or down to the nearest number.\n\nARTICLE VI\n"
)


def decided(pack: Path, bank: Path) -> Decision:
    """A run of a pack in a workspace."""
    service = Service(
        Workspace(root=bank, policies=bank / "policies", origin="flag"),
        clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC),
        environment={},
    )
    return service.run(pack, RunOptions(), silent)


def change(path: Path, old: str, new: str) -> None:
    """Puts other words into a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_workbook_is_a_certificate(fenwick: Path, bank: Path) -> None:
    """The same lines in a workbook end in the same ratio, every figure with its place in the sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for line in (fenwick / "certificate.txt").read_text().splitlines():
        label, _, figure = line.rpartition("  ")
        sheet.append(
            [label.strip(), int(figure.replace(",", ""))]
            if figure.replace(",", "").isdigit()
            else [label.strip() or line, figure]
            if label
            else [line]
        )
        sheet.cell(sheet.max_row, 2).number_format = "#,##0"
    (fenwick / "certificate.txt").unlink()
    book.save(fenwick / "certificate.xlsx")
    change(fenwick / "pack.yaml", "certificate.txt", "certificate.xlsx")
    decision = decided(fenwick, bank)
    assert isinstance(decision.calculation, Calculation)
    assert isinstance(decision.certificate, Certificate)
    assert (decision.certificate.document, decision.calculation.ratio) == ("certificate.xlsx", 3)
    assert decision.result is Result.PASS
    assert all(f.spans and f.spans[0].document == "certificate.xlsx" for f in decision.calculation.figures if f.name != "level")


def test_a_rounding_clause_of_the_agreement_binds_the_comparison(fenwick: Path, bank: Path) -> None:
    """A ratio of 3.754 is above 3.75, and within it once the interpretation section's clause is applied; both are shown."""
    change(fenwick / "certificate.txt", "300,000", "375,400")
    change(fenwick / "certificate.txt", "3.00 to 1.00", "3.75 to 1.00")
    plain = decided(fenwick, bank)
    assert plain.result is Result.BREACH
    change(fenwick / "agreement.txt", "ARTICLE VI\n", CLAUSE)
    rounded = decided(fenwick, bank)
    assert isinstance(rounded.calculation, Calculation)
    assert isinstance(rounded.calculation.comparison, Comparison)
    assert (rounded.calculation.ratio, rounded.calculation.comparison.left) == (Fraction("3.754"), Fraction("3.75"))
    assert "3.754x, tested as 3.75x" in rounded.calculation.comparison.shown_left
    assert rounded.result is Result.PASS


def test_a_formula_of_the_contract_is_used(fenwick: Path, bank: Path) -> None:
    """A contract that declares interest cover has it calculated; without the formula the level alone is shown."""
    change(fenwick / "pack.yaml", "covenant: Leverage Ratio", "covenant: Interest Coverage Ratio")
    assert decided(fenwick, bank).result is Result.REVIEW
    policy = bank / "policies" / "covenant.yaml"
    policy.write_text(policy.read_text() + "\nformulas:\n  interest_cover: earnings / interest\n")
    decision = decided(fenwick, bank)
    assert isinstance(decision.calculation, Calculation)
    assert decision.calculation.ratio == 4
    assert [s.expression for s in decision.calculation.steps if s.name == "ratio"] == ["ebitda_tested / interest"]
