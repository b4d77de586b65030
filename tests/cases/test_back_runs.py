"""Changes that reach back, reliefs that end early and covenants that are gone, through whole runs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from fenwick_papers import BACK, DEMAND, HOLIDAY, LETTER, Run, codes, shown

from conformed.model.decision import Result


@pytest.mark.parametrize(
    ("debt", "more", "expected", "code"),
    [
        ("370,000", {}, ("pass", "none"), "accept_retroactive_express"),
        ("400,000", {}, ("review", "none"), "review_retroactive_without_waiver"),
        ("400,000", {"letter.txt": LETTER.format(condition="")}, ("pass", "waived"), "accept_retroactive_express"),
        ("370,000", {"demand.txt": DEMAND.format(day="November 4, 2024")}, ("review", "none"), "review_retroactive_without_waiver"),
    ],
)  # fmt: skip
def test_a_change_that_reaches_back(run: Run, debt: str, more: dict[str, str], expected: tuple[str, str], code: str) -> None:
    """Without a waiver of its own it counts where the old level was met too, or another waiver covers the test; never after enforcement (P28)."""
    decision = run(debt, {"first.txt": BACK, **more})
    assert shown(decision) == expected
    assert {code, "finding_retroactive_basis_shown"} <= codes(decision)
    if expected[0] == "review":
        assert {c.limit.value for c in decision.candidates} == {Fraction("3.75"), Fraction("4.25")}
    else:
        said = next(r.sentence for r in decision.findings if r.code == "finding_retroactive_basis_shown")
        assert "3.75x" in said
        assert "4.25x" in said


def test_a_certificate_that_tests_what_was_taken_out(run: Run) -> None:
    """A covenant that was deleted is not tested; a certificate that holds a level against it is told (P26)."""
    gone = BACK.replace('amended by replacing "3.75 to 1.00" with "4.25 to 1.00"', "deleted in its entirety").replace(
        "November 18, 2024", "July 1, 2024"
    )
    gone = gone.replace(" This First Amendment shall be effective as of September 1, 2024.", "")
    decision = run("400,000", {"first.txt": gone})
    assert decision.result is Result.NOT_TESTED
    assert {"not_tested_covenant_deleted", "finding_certificate_uses_wrong_level"} <= codes(decision)


@pytest.mark.parametrize(
    ("note", "result", "code"),
    [
        ("", "review", "review_suspension_end_unclear"),
        ("The Administrative Agent confirms that no election notice for the Relief Period has been received.", "not_tested", "not_tested_suspended"),
    ],
)  # fmt: skip
def test_a_holiday_that_can_end_early(run: Run, note: str, result: str, code: str) -> None:
    """Whether the borrower ended it is open until a paper says that no notice came (P39)."""
    papers = {
        "first.txt": HOLIDAY,
        **({"agent.txt": f"OAKRIDGE BANK\n\nJanuary 10, 2025\n\n{note}\n\n/s/ Paul Reyes\n"} if note else {}),
    }
    decision = run("300,000", papers)
    assert decision.result.value == result
    assert code in codes(decision)
