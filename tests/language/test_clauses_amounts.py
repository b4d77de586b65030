"""Amounts of money as levels, and UK lists of undertakings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.language.limits import find_limits

READ = [
    ("The Borrower shall maintain Liquidity of not less than $25,000,000 at all times.", [("ge", {"2024-06-30": "25000000"})]),
    ("The Borrower shall not permit Consolidated Net Worth to be less than $100,000,000.", [("ge", {"2024-06-30": "100000000"})]),
    (
        "Consolidated EBITDA for any period of four fiscal quarters shall be at least £10 million.",
        [("ge", {"2024-06-30": "10000000"})],
    ),
    (
        (
            "22.2 Financial condition\nThe Parent shall ensure that:\n(a) Leverage in respect of any Relevant Period "
            "shall not exceed 3.50:1; and\n(b) Interest Cover in respect of any Relevant Period shall not be less than "
            "4.00:1."
        ),
        [("le", {"2024-06-30": "3.5"}), ("ge", {"2024-06-30": "4"})],
    ),
    (
        (
            "Maximum Leverage Ratio. The Company shall not, at the end of any Fiscal Quarter, permit the Leverage Ratio "
            "to exceed 3.50:1.00."
        ),
        [("le", {"2024-06-30": "3.5"})],
    ),
    (
        "(a) Leverage Ratio. The Leverage Ratio shall not, as at the last day of any Relevant Period, exceed 3.50:1.",
        [("le", {"2024-06-30": "3.5"})],
    ),
    (
        (
            "The Leverage Ratio for the Relevant Period ending on each Quarter Date shall not exceed:\n(i) 4.00:1 for "
            "each Relevant Period ending on or before 31 December 2024; and\n(ii) 3.50:1 thereafter."
        ),
        [("le", {"2024-12-31": "4", "2025-03-31": "3.5"})],
    ),
    (
        (
            "Leverage must not exceed:\n(a) on any Quarter Date falling on or before 31 December 2024, 4.00:1; and\n(b) "
            "on any Quarter Date falling after 31 December 2024, 3.50:1."
        ),
        [("le", {"2024-12-31": "4", "2025-03-31": "3.5"})],
    ),
    (
        (
            "The Total Leverage Ratio shall not be greater than the ratio set out below for the period "
            "indicated:\n\nPeriod\tRatio\nFrom the Closing Date to and including 31 December 2024\t4.00:1\nFrom 1 "
            "January 2025 to and including 31 December 2025\t3.75:1\nFrom 1 January 2026 and at all times "
            "thereafter\t3.50:1\n"
        ),
        [("le", {"2024-12-31": "4", "2025-12-31": "3.75", "2026-03-31": "3.5"})],
    ),
]


@pytest.mark.parametrize(("text", "wanted"), READ)
def test_levels(read, answer, text: str, wanted: list[tuple[str, dict[str, str]]]) -> None:
    """Each undertaking gives its comparator and, for each date, its own level."""
    found = read(text)
    assert len(found) == len(wanted)
    for terms, (comparator, levels) in zip(found, wanted, strict=True):
        for day, level in levels.items():
            assert answer(terms, day) == (comparator, Fraction(level))


OPEN = [
    "If Liquidity falls, the Borrower shall maintain Liquidity of not less than $25,000,000.",
    "During a Cash Dominion Period, the Borrower shall maintain Liquidity of not less than $25,000,000.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 unless the Leverage Ratio is below 3.00 to 1.00.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000, except in 2025.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 until the Release Date.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 when tested.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 plus 50% of Net Income.",
    "The Borrower shall maintain Liquidity of not less than $25,00,000.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 or $20,000,000.",
    "The Borrower shall maintain Liquidity of not less than $25,O00,000.",
    "When no Loans are drawn the Borrower shall maintain Liquidity of not less than $25,000,000.",
    "The Borrower shall maintain Liquidity of not less than $25,000,000 while the Relief Period continues.",
]


@pytest.mark.parametrize("text", OPEN)
def test_open(read, goes_to_a_person, text: str) -> None:
    """Conditions, exceptions, formulas and spoilt digits of an amount go to a person."""
    assert goes_to_a_person(read(text))


@pytest.mark.parametrize("text", ["$25,00,000", "$25,O00,000", "$2.500.000", "£1,00"])
def test_spoilt_amounts_have_no_value(text: str) -> None:
    """An amount whose digits are not grouped whole is refused whole, never cut short."""
    (token,) = find_limits(f"not less than {text}.", 0, 30, "amount")
    assert token.value is None
    assert token.problem == "review_numeric_token_malformed"
    assert token.raw == text


@pytest.mark.parametrize(
    "row",
    [
        "June 30, 2025   ($150,000)",
        "June 30, 2025   <$150,000>",
        "June 30, 2025   -$150,000",
        "June 30, 2025   negative $150,000",
    ],
)
def test_a_negative_amount_is_never_read_as_a_positive_one(read, goes_to_a_person, row: str) -> None:
    """A loss that may be borne, in any form of minus, is a question for a person."""
    text = f"The Mill shall not permit its Net Income for any quarter set forth below to be less than the amount set forth below:\n\nQuarter Ending   Minimum\nMarch 31, 2025   $100,000\n{row}\n"
    readings = read(text)
    assert goes_to_a_person(readings)
    assert not any(r.limit.value == 150_000 for t in readings for r in t.rows)


@pytest.mark.parametrize(
    "amount",
    [
        "Five Million Dollars ($5,000,000)",
        "Five Million and No/100 Dollars ($5,000,000)",
        "five million ($5,000,000)",
        "- $5,000,000",
    ],
)
def test_an_amount_behind_its_words_or_a_dash_is_no_minus(amount: str) -> None:
    """Brackets that repeat an amount in figures, and a dash with spaces around it, leave it positive."""
    text = f"Liquidity of not less than {amount}."
    (token,) = find_limits(text, 0, len(text), "amount")
    assert token.value == 5_000_000


@pytest.mark.parametrize(
    ("text", "lead", "doubted"),
    [
        ("The Mill shall at all times maintain Liquidity of not less than $5,000 (in thousands).", "", True),
        ("The Mill shall not permit EBITDA for any quarter below ($000 omitted) to be less than $5,000.", "", True),
        ("The Mill shall not permit Liquidity to be less than $5,000.", "The following amounts are in thousands:", True),
        ("The Mill shall at all times maintain Liquidity of not less than $5,000,000.", "", False),
        ("The Mill shall at all times maintain Liquidity of not less than $5 million.", "", False),
    ],
)
def test_a_scale_beside_an_amount_is_a_doubt(read, text: str, lead: str, doubted: bool) -> None:
    """A level that is off by a thousand is never shown: words of scale go to a person."""
    (terms,) = read(text, lead)
    assert ("review_scale_unknown" in {d.code for d in terms.doubts}) is doubted
