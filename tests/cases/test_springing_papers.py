"""A springing covenant from papers, through the whole product: tested, not tested, or asked about (PR-43, P06)."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_pack import PLAIN, decide

from conformed.model.decision import Decision

USE = "Revolving Loans and drawn Letters of Credit"
CONDITION = f"the aggregate outstanding principal amount of {USE} exceeds 40% of the aggregate Revolving Commitments"
SPRINGING = f"{PLAIN[:-1]}; provided that this covenant shall be tested only if on such day {CONDITION}."
BESIDE = (
    PLAIN.replace("Ratio. The", "Ratio. (a) The")
    + f"\n\n(b) The covenant in Section 6.10(a) shall be tested only if on such day {CONDITION}."
)
LOANS, DRAWN, UNDRAWN = "Revolving Loans", "Drawn Letters of Credit", "Undrawn Letters of Credit"
CLOSING = "Revolving Loans made on the Closing Date"


def run(fenwick: Path, bank: Path, clause: str, lines: dict[str, int], rest: int) -> Decision:
    """A run of the pack with another clause, and more lines in the certificate (thousands), the rest of the debt being term loans."""
    agreement, certificate = fenwick / "agreement.txt", fenwick / "certificate.txt"
    text = agreement.read_text()
    assert PLAIN in text
    agreement.write_text(text.replace(PLAIN, clause))
    more = "".join(f"{label:<58}{value:,}\n" for label, value in {**lines, "Term Loans": rest}.items())
    certificate.write_text(certificate.read_text().replace("Consolidated Total Debt  ", f"{more}Consolidated Total Debt  "))
    return decide(fenwick, bank)


def codes(decision: Decision) -> set[str]:
    """Codes of a decision."""
    return {r.code for r in decision.reasons}


@pytest.mark.parametrize("clause", [SPRINGING, BESIDE], ids=["in the clause", "in another clause"])
@pytest.mark.parametrize(
    ("lines", "result", "code"),
    [
        ({LOANS: 31_000, DRAWN: 1_000, UNDRAWN: 9_000, "Revolving Commitments": 80_000}, "not_tested", "not_tested_trigger_unmet"),
        ({LOANS: 31_001, DRAWN: 1_000, "Revolving Commitments": 80_000}, "pass", "accept_base_statement"),
        ({LOANS: 33_000, "Revolving Commitments": 80_000}, "pass", "accept_base_statement"),
        ({LOANS: 31_000, "Revolving Commitments": 80_000}, "review", "review_trigger_evidence_missing"),
        ({LOANS: 31_000, DRAWN: 1_000}, "review", "review_trigger_evidence_missing"),
        ({}, "review", "review_trigger_evidence_missing"),
    ],
)  # fmt: skip
def test_three_ends(fenwick: Path, bank: Path, clause: str, lines: dict[str, int], result: str, code: str) -> None:
    """Exactly 40 per cent. is not more than 40; a part that nothing shows is asked about unless the others are enough."""
    decision = run(fenwick, bank, clause, lines, 300_000 - lines.get(LOANS, 0) - lines.get(DRAWN, 0))
    assert decision.result.value == result
    assert code in codes(decision)
    if result != "review":
        assert "review_trigger_evidence_missing" not in codes(decision)


def test_a_condition_beside_the_covenant_that_was_not_understood(fenwick: Path, bank: Path) -> None:
    """Another clause that lets the covenant apply only if something unread is so: never taken as tested."""
    clause = BESIDE.replace("exceeds 40%", "has for ten days exceeded 40%")
    decision = run(fenwick, bank, clause, {LOANS: 33_000, "Revolving Commitments": 80_000}, 267_000)
    assert decision.result.value == "review"
    assert "review_trigger_evidence_missing" in codes(decision)


@pytest.mark.parametrize(
    ("use", "lines", "met"),
    [
        ("Revolving Loans (excluding Revolving Loans made on the Closing Date)", {LOANS: 33_000}, None),
        ("Revolving Loans (excluding Revolving Loans made on the Closing Date)", {LOANS: 33_000, CLOSING: 5_000}, False),
        ("Revolving Loans (excluding Revolving Loans made on the Closing Date)", {LOANS: 38_000, CLOSING: 5_000}, True),
        ("Revolving Loans (excluding Revolving Loans made on the Closing Date)", {LOANS: 32_000}, False),
        ("Revolving Loans and Letters of Credit", {LOANS: 31_000, DRAWN: 1_000, UNDRAWN: 9_000}, None),
        ("Revolving Loans and Letters of Credit", {LOANS: 20_000, DRAWN: 1_000, UNDRAWN: 9_000}, False),
        ("Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit)", {LOANS: 31_000, DRAWN: 1_000}, False),
        ("Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit up to $8,000,000)", {LOANS: 31_000, DRAWN: 1_000, UNDRAWN: 9_000}, True),
        ("Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit up to $8,000,000)", {LOANS: 31_000, DRAWN: 1_000}, None),
        ("Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit up to $9,000,000)", {LOANS: 31_000, DRAWN: 1_000, UNDRAWN: 9_000}, False),
    ],
)  # fmt: skip
def test_what_the_words_leave_out_needs_its_amount(
    fenwick: Path, bank: Path, use: str, lines: dict[str, int], met: bool | None
) -> None:
    """What is left out, or what the words are silent on, is asked about exactly where the answer hangs on it."""
    clause = SPRINGING.replace(USE, use)
    decision = run(fenwick, bank, clause, {**lines, "Revolving Commitments": 80_000}, 300_000)
    got = {"review_trigger_evidence_missing": None, "not_tested_trigger_unmet": False}
    found = [got[c] for c in sorted(got) if c in codes(decision)]
    assert found == ([] if met else [met])


def test_an_unsigned_certificate_shows_no_use(fenwick: Path, bank: Path) -> None:
    """A paper that nobody signed is no evidence of the use."""
    certificate = fenwick / "certificate.txt"
    certificate.write_text(certificate.read_text().replace("Signed: /s/ Anna Thorne", "Signed: ______________"))
    lines = {LOANS: 31_000, DRAWN: 1_000, "Revolving Commitments": 80_000}
    assert "review_trigger_evidence_missing" in codes(run(fenwick, bank, SPRINGING, lines, 268_000))
