"""Comparison words (rule book 4.11): every row, and one turn round for what forbids."""

from __future__ import annotations

import pytest

from conformed.language.comparators import find_governed, trailing_comparator
from conformed.model.covenant import Comparator

LE, LT, GE, GT = Comparator.LE, Comparator.LT, Comparator.GE, Comparator.GT
LEVEL = " 3.50 to 1.00"

REQUIRED = [
    ("not exceed", LE),
    ("be not more than", LE),
    ("be no greater than", LE),
    ("not be above", LE),
    ("be at most", LE),
    ("be up to and including", LE),
    ("be less than or equal to", LE),
    ("be equal to or less than", LE),
    ("be at or below", LE),
    ("be less than", LT),
    ("be below", LT),
    ("remain under", LT),
    ("not equal or exceed", LT),
    ("not reach", LT),
    ("not be greater than or equal to", LT),
    ("not be equal to or greater than", LT),
    ("not be less than or equal to", GT),
    ("not exceed or equal", LT),
    ("not exceed or be equal to", LT),
    ("not be above or equal to", LT),
    ("be at least", GE),
    ("be not less than", GE),
    ("not be below", GE),
    ("not fall below", GE),
    ("be greater than or equal to", GE),
    ("be at or above", GE),
    ("be more than", GT),
    ("be above", GT),
    ("exceed", GT),
    ("be in excess of", GT),
]


@pytest.mark.parametrize(("words", "comparator"), REQUIRED)
def test_what_is_required(words: str, comparator: Comparator) -> None:
    """After "shall" the words say what compliance needs; a "not" turns them round once."""
    text = f"The Leverage Ratio shall {words}{LEVEL}"
    found = find_governed(text, 0, len(text), 0)
    assert found is not None
    assert found.comparator is comparator
    assert found.governed in {"require", "not"}


@pytest.mark.parametrize(
    ("words", "comparator"),
    [
        ("must again not exceed", LE),
        ("shall thereafter not be above", LE),
        ("must on June 30, 2026 again not surpass", LE),
        ("shall, at the end of each quarter, not exceed", LE),
        ("shall as of the last day of any period not fall below", GE),
        ("must on 30 June 2026 not be less than", GE),
        ("shall once more not be greater than or equal to", LT),
        ("shall on demand be told of, and the margin shall not be less than", GE),
        ("must again be more than", GT),
    ],
)
def test_a_time_may_stand_before_the_not(words: str, comparator: Comparator) -> None:
    """Between a command and its "not" a time or an "again" changes nothing; the command of another clause does not reach over."""
    text = f"The Leverage Ratio {words}{LEVEL}"
    found = find_governed(text, 0, len(text), 0)
    assert found is not None
    assert found.comparator is comparator


@pytest.mark.parametrize(
    "nobody", ["No member of the Group", "No person", "None of the Obligors", "No Obligor", "No company of the Group"]
)
@pytest.mark.parametrize("verb", ["permit", "may have let"])
def test_what_nobody_may_do_is_forbidden(nobody: str, verb: str) -> None:
    """A subject that is nobody forbids as "not" does."""
    modal = "" if verb.startswith("may") else "shall "
    text = f"{nobody} {modal}{verb} the Leverage Ratio on June 30, 2026 to exceed{LEVEL}"
    found = find_governed(text, 0, len(text), 0)
    assert found is not None
    assert (found.comparator, found.governed) == (LE, "permit")


FORBIDDEN = [
    ("exceed", LE),
    ("be greater than", LE),
    ("equal or exceed", LT),
    ("be equal to or greater than", LT),
    ("be less than", GE),
    ("fall below", GE),
]


@pytest.mark.parametrize(("words", "comparator"), FORBIDDEN)
@pytest.mark.parametrize(
    "governing",
    [
        "The Borrower shall not permit the Ratio to",
        "The Company will not allow the Ratio to",
        "Permit the Ratio, at any time, to",
        "to prevent the Ratio to",
    ],
)
def test_what_is_forbidden(governing: str, words: str, comparator: Comparator) -> None:
    """The words "shall not permit", and "Permit" without its lead-in, state what is prohibited."""
    text = f"{governing} {words}{LEVEL}"
    found = find_governed(text, 0, len(text), 0)
    assert found is not None
    assert (found.comparator, found.governed) == (comparator, "permit")


@pytest.mark.parametrize(
    ("text", "comparator"),
    [
        ("Have a Leverage Ratio greater than", LE),
        ("Have, as of any quarter end, a Leverage Ratio greater than", LE),
        ("Fail to achieve an Interest Coverage Ratio of at least", GE),
        ("shall not fail to maintain a Leverage Ratio of less than", LT),
        ("shall maintain a Leverage Ratio of not more than", LE),
        ("At no time shall the Leverage Ratio exceed", LE),
        ("In no event will the Leverage Ratio be more than", LE),
        ("The Leverage Ratio must never exceed", LE),
    ],
)
def test_lists_of_things_not_to_do(text: str, comparator: Comparator) -> None:
    """Forms without "shall not" before the figure keep their sense."""
    found = find_governed(text + LEVEL, 0, len(text) + len(LEVEL), 0)
    assert found is not None
    assert found.comparator is comparator


@pytest.mark.parametrize(
    ("text", "comparator"),
    [("shall maintain a Ratio of 3.50 to 1.00 or less", LE), ("shall be 3.50:1 or more", GE), ("shall not be 3.50x or greater", LT), ("shall not permit the Ratio to be 3.50 to 1.00 or more", LT)],
)  # fmt: skip
def test_comparison_behind_the_level(text: str, comparator: Comparator) -> None:
    """The words "X or less" and "X or more" compare behind the level and are turned round like the others."""
    found = find_governed(text, 0, len(text), 0)
    assert found is not None
    assert found.behind
    assert found.comparator is comparator


@pytest.mark.parametrize(
    "text", ["shall maintain a Ratio of 3.50 to 1.00", "shall keep the Ratio within 3.50x", "shall be around 3.50 to 1.00"]
)
def test_no_comparison(text: str) -> None:
    """Words that do not say how equality is treated give no comparator."""
    assert find_governed(text, 0, len(text), 0) is None


def test_trailing() -> None:
    """A comparator after the level is found with its end."""
    text = "3.50 to 1.00, or less, at any time"
    assert trailing_comparator(text, 12) == (LE, 21)
    assert trailing_comparator("3.50 to 1.00 at any time", 12) is None
