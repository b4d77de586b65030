"""Variants of step-downs and first tests (P05, P09), through the whole product: the difference brings its code, and only it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from small_pack import PLAIN, decide

STEPS = (
    "Section 6.10 Leverage Ratio. The Leverage Ratio at the end of any Fiscal Quarter shall not be greater than (i) 4.50 to 1.00, {first}, "
    "(ii) {second}, and (iii) 4.00 to 1.00 thereafter."
)
FIRST, SECOND = (
    "from the Closing Date through and including September 30, 2024",
    "4.25 to 1.00, from October 1, 2024 through and including June 30, 2025",
)
TWO = "Section 6.10 Leverage Ratio. The Leverage Ratio at the end of any Fiscal Quarter shall not be greater than 4.50 to 1.00 {first} and 4.00 to 1.00 thereafter."
TESTED = "Section 6.10 Leverage Ratio. The first test is for {first}. From then on the Leverage Ratio must at each Fiscal Quarter end be no more than 3.75 to 1.00."


def codes(fenwick: Path, bank: Path, clause: str, test: str = "2024-09-30", *, calendar: bool = True) -> set[str]:
    """Codes about the covenant of a run of the pack with another clause, on a test date."""
    agreement, manifest = fenwick / "agreement.txt", fenwick / "pack.yaml"
    text = agreement.read_text(encoding="utf-8")
    assert PLAIN in text
    agreement.write_text(text.replace(PLAIN, clause), encoding="utf-8")
    words = (
        manifest.read_text()
        .replace("test_date: 2024-09-30", f"test_date: {test}")
        .replace("known_at: 2024-11-30", "known_at: 2026-01-31")
    )
    manifest.write_text(words if calendar else words.replace("fiscal_year_end: 12-31\n", ""))
    certificate = fenwick / "certificate.txt"
    shown = f"{dt.date.fromisoformat(test):%B %d, %Y}"
    certificate.write_text(certificate.read_text().replace("September 30, 2024", shown))
    decision = decide(fenwick, bank)
    return {r.code for r in decision.reasons if r.code.startswith(("review", "not_tested", "accept_schedule", "accept_base"))}


@pytest.mark.parametrize(
    ("clause", "test", "wanted"),
    [
        (STEPS.format(first=FIRST, second=SECOND), "2024-09-30", {"accept_schedule_row"}),
        (STEPS.format(first=FIRST, second=SECOND), "2024-12-31", {"accept_schedule_row"}),
        (STEPS.format(first=FIRST, second=SECOND.replace("October 1, 2024", "January 1, 2025")), "2024-12-31", {"review_schedule_gap"}),
        (STEPS.format(first=FIRST, second=SECOND.replace("October 1, 2024", "September 1, 2024")), "2024-09-30", {"review_schedule_overlap"}),
        (TWO.format(first="through and including September 30, 2024"), "2024-09-30", {"accept_schedule_row"}),
        (TWO.format(first="until September 30, 2024"), "2024-09-30", {"review_boundary_date_ambiguous"}),
        (TWO.format(first="until September 30, 2024"), "2024-06-30", {"accept_schedule_row"}),
        (TWO.format(first="until September 30, 2024"), "2024-12-31", {"accept_schedule_row"}),
    ],
)  # fmt: skip
def test_windows_of_steps(fenwick: Path, bank: Path, clause: str, test: str, wanted: set[str]) -> None:
    """A bare "until" leaves only its own day open; a day in no window, or in two, is never given the nearest level (P05)."""
    assert codes(fenwick, bank, clause, test) == wanted


@pytest.mark.parametrize(
    ("first", "test", "wanted"),
    [
        ("the Fiscal Quarter ending December 31, 2024", "2024-09-30", {"not_tested_before_first_test"}),
        ("the Fiscal Quarter ending December 31, 2024", "2024-12-31", {"accept_base_statement"}),
        ("the first full Fiscal Quarter after the Closing Date", "2024-09-30", {"review_input_missing"}),
        ("the first full Fiscal Quarter after the Closing Date", "2024-12-31", {"review_input_missing"}),
    ],
)
def test_first_test(fenwick: Path, bank: Path, first: str, test: str, wanted: set[str]) -> None:
    """Before the first test there is none; a first test told by a quarter that no calendar shows is asked about (P09)."""
    assert codes(fenwick, bank, TESTED.format(first=first), test, calendar=False) == wanted
