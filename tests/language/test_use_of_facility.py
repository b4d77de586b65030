"""What counts as use of a facility: read whole or not at all, from triggers and from lines of figures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.language.use_of_facility import Use, line_part, read_use

LOANS, SWING, DRAWN, UNDRAWN, COVERED = "revolver", "swingline", "drawn_lc", "undrawn_lc", "cash_covered_lc"


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("the aggregate outstanding principal amount of Revolving Loans", Use((LOANS,))),
        ("Loans under the Revolving Facility", Use((LOANS,))),
        ("Revolving Loans and drawn letters of credit then outstanding", Use((LOANS, DRAWN))),
        ("Revolving Loans plus unreimbursed drawings under Letters of Credit", Use((LOANS, DRAWN))),
        ("the sum of Revolving Advances, Swingline Loans and L/Cs (whether drawn or undrawn)", Use((LOANS, SWING, DRAWN, UNDRAWN), (COVERED,))),
        ("Revolving Loans and Letters of Credit", Use((LOANS, DRAWN), (UNDRAWN, COVERED))),
        ("Revolving Exposure", Use((LOANS,), (SWING, DRAWN, UNDRAWN, COVERED))),
        ("Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit)", Use((LOANS, DRAWN))),
        ("Revolving Loans and Letters of Credit, other than cash collateralized Letters of Credit", Use((LOANS, DRAWN), (UNDRAWN,))),
        (
            "Revolving Loans and Letters of Credit (excluding cash covered Letters of Credit but including undrawn Letters of Credit)",
            Use((LOANS, DRAWN, UNDRAWN)),
        ),
        (
            "Revolving Loans and Letters of Credit (excluding undrawn Letters of Credit in an aggregate amount not to exceed $7,500,000)",
            Use((LOANS, DRAWN, UNDRAWN), (COVERED,), ((UNDRAWN, Fraction(7_500_000)),)),
        ),
        ("Revolving Loans (other than Revolving Loans made on the Closing Date to pay fees and expenses)", Use((LOANS,), closing=True)),
    ],
)  # fmt: skip
def test_words_of_use(words: str, wanted: Use) -> None:
    """Each part counts, is left out, or is one on which the words are silent; a part left out up to an amount counts beyond it."""
    assert read_use(words) == wanted


@pytest.mark.parametrize(
    "words",
    [
        "Revolving Loans and Term Loans",
        "Revolving Loans and bankers' acceptances",
        "the average daily Revolving Loans",
        "Revolving Loans (as adjusted by the Agent)",
        "Consolidated Total Debt",
        "letters of credit and Indebtedness",
        "Revolving Loans excluding Revolving Loans",
        "Revolving Loans (excluding amounts used for the Merger)",
        "Revolving Loans (excluding Revolving Loans made on the Closing Date for Letters of Credit)",
    ],
)
def test_unknown_words_are_not_read(words: str) -> None:
    """A word that is not known, or a use of which nothing is left, gives no reading."""
    assert read_use(words) is None


@pytest.mark.parametrize(
    ("label", "part"),
    [
        ("1. Revolving Loans outstanding as of June 30, 2024", LOANS),
        ("(b) Drawn Letters of Credit", DRAWN),
        ("Undrawn letters of credit:", UNDRAWN),
        ("Cash collateralized Letters of Credit", COVERED),
        ("Total Revolving Commitments (C)", "commitments"),
        ("Revolving Loans made on the Closing Date", "closing_draws"),
        ("Revolving Loans and drawn Letters of Credit", "utilised"),
        ("Letters of Credit", None),
        ("Loans outstanding", None),
        ("Total Commitments", None),
        ("Unused Revolving Commitments", None),
        ("Available Revolving Commitments", None),
        ("Term Loan Commitments", None),
        ("Revolving Loans and Swingline Loans", None),
    ],
)
def test_lines_of_use(label: str, part: str | None) -> None:
    """A line shows a part only where its label says no more and no less; loans and commitments must name the revolving facility."""
    assert line_part(label, Use((LOANS, DRAWN)), named=True) == part
