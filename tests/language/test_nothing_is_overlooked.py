"""Nothing in a clause is overlooked: words put anywhere into a plain clause or table are never read past in silence."""

from __future__ import annotations

import datetime as dt
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.language.terms import read_terms
from conformed.language.traced import live_view
from conformed.model.covenant import Comparator, CovenantKind

CLAUSES = [
    "The Company will not permit the Total Leverage Ratio, as of the last day of any fiscal quarter, to exceed 3.25 to 1.00.",
    (
        "The Borrower shall maintain a Consolidated Total Leverage Ratio of not more than 3.75 to 1.00 as at the "
        "last day of each quarter."
    ),
    "The Leverage Ratio shall at all times be equal to or less than 3.50 to 1.00.",
    "The Parent shall procure that the ratio of Total Net Debt to Adjusted EBITDA on each Quarter Date is below 4.00 to 1.",
    "At no time shall the Senior Leverage Ratio be greater than 3.00 to 1.00.",
    "Leverage shall not on any Quarter Date exceed 4.10:1.",
]
TABLE = (
    "The Company will not permit the Leverage Ratio on the last day of any fiscal quarter to exceed the ratio set forth below:\n\n"
    "Quarter ending   Maximum Ratio\nMarch 31, 2024   5.00 to 1.00\nJune 30, 2024   4.75 to 1.00\nSeptember 30, 2024 and thereafter   4.50 to 1.00\n"
)
BEFORE_AND_AFTER = dt.date(2024, 6, 30), dt.date(2030, 6, 30)
WORDS = [
    " unless the Agent agrees",
    " (other than in 2025)",
    " if the Notes are rated",
    " until the Release Date",
    ", except as set out in Schedule 3,",
    " when tested",
    " only",
    " following a Qualified Sale",
    " plus 0.25",
    " or 4.80 to 1.00",
    " 5.10 to 1.00",
    " during a Holiday Period",
    " temporarily",
    " approximately",
    " zebra",
]


def _silent_levels(document, text: str) -> set[tuple[str, Fraction]]:
    """Levels that a text gives for every one of two days without a doubt."""
    view = live_view(document(text))
    found = set()
    for terms in read_terms(view, 0, len(view.text), section="7.1"):
        if terms.kind is not CovenantKind.MAINTENANCE or not isinstance(terms.comparator, Comparator) or terms.increases:
            continue
        if any(d.code.startswith("review") for d in terms.doubts) or terms.first_test:
            continue
        for day in BEFORE_AND_AFTER:
            levels = {r.limit.value for r in terms.rows if r.window.holds(day)}
            if len(levels) == 1:
                found.add((terms.comparator.value, levels.pop()))
    return found


@pytest.mark.parametrize("text", CLAUSES)
def test_the_plain_clause_is_read(document, text: str) -> None:
    """Without a word put in, each clause gives its level: the property below is not empty."""
    assert len(_silent_levels(document, text)) == 1


@settings(max_examples=400, deadline=None)
@given(clause=st.sampled_from(CLAUSES), words=st.sampled_from(WORDS), place=st.integers(0, 60))
def test_words_put_into_a_clause(document, clause: str, words: str, place: int) -> None:
    """A condition, exception, second level or unknown word at any place of a clause leaves no level without a doubt."""
    gaps = [m.start() for m in re.finditer(r"(?<!\d) |(?=[.;,](?:\s|$))", clause)]
    at = gaps[place % len(gaps)]
    assert _silent_levels(document, clause[:at] + words + clause[at:]) == set()


@settings(max_examples=200, deadline=None)
@given(words=st.sampled_from([w for w in WORDS if "1.00" not in w]), row=st.integers(0, 2), side=st.booleans())
def test_words_put_into_a_row(document, words: str, row: int, side: bool) -> None:
    """The same beside the label or the level of any row of a table."""
    lines = TABLE.split("\n")
    label, level = re.split(r"\s{3}", lines[3 + row])
    lines[3 + row] = f"{label}{words}   {level}" if side else f"{label}   {level}{words}"
    assert _silent_levels(document, "\n".join(lines)) == set()


@given(st.integers(100, 999), st.integers(100, 999), st.integers(100, 999))
def test_a_changed_digit_changes_the_level(document, one: int, two: int, three: int) -> None:
    """Levels are what is printed, each in its own row, whatever their digits."""
    shown = [f"{n // 100}.{n % 100:02d}" for n in (one, two, three)]
    parts = re.split(r"5\.00 to|4\.75 to|4\.50 to", TABLE)
    text = "".join(p + f"{s} to" for p, s in zip(parts, shown, strict=False)) + parts[3]
    view = live_view(document(text))
    (terms,) = read_terms(view, 0, len(view.text), section="7.1")
    assert sorted(str(r.limit.value) for r in terms.rows) == sorted(str(Fraction(s)) for s in shown)
    days = [dt.date(2024, 3, 31), dt.date(2024, 6, 30), dt.date(2025, 6, 30)]
    held = [[r.limit.value for r in terms.rows if r.window.holds(d)] for d in days]
    assert held == [[Fraction(s)] for s in shown]


def test_swapped_columns_swap_the_levels(document) -> None:
    """Two levels exchanged between rows are exchanged in the reading: nothing is put in order."""
    swapped = TABLE.replace("5.00", "9.99").replace("4.75", "5.00").replace("9.99", "4.75")
    view = live_view(document(swapped))
    (terms,) = read_terms(view, 0, len(view.text), section="7.1")
    assert [str(r.limit.value) for r in terms.rows] == ["19/4", "5", "9/2"]
