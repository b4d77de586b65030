"""Names of amendments, captions, limits and normal names of figures."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from conformed.language.captions import read_caption
from conformed.language.limits import KnownLimits, find_limits
from conformed.language.names import find_named, ordinal
from conformed.language.subjects import expected_direction, find_subject, metric_of, name_tokens


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("as amended by Amendment No. 3", [3]),
        ("the First Amendment and the Second Amendment", [1, 2]),
        ("Amendments No. 1 through No. 4", [1, 2, 3, 4]),
        ("Amendment No. Two", [2]),
        ("any amendment hereto", []),
    ],
)
def test_amendments_named(text: str, numbers: list[int]) -> None:
    """Amendments are found by ordinal, number and range."""
    assert [n.number for n in find_named(text)] == numbers


def test_the_date_belongs_to_the_amendment_beside_it() -> None:
    """Each named amendment has the date that follows its own name."""
    found = find_named("the First Amendment dated as of May 2, 2022 and the Second Amendment dated July 9, 2022")
    assert [(n.number, n.dated) for n in found] == [(1, dt.date(2022, 5, 2)), (2, dt.date(2022, 7, 9))]


@pytest.mark.parametrize(("text", "number"), [("Third", 3), ("twentieth", 20), ("7", 7), ("eleven", 11), ("many", None)])
def test_ordinal(text: str, number: int | None) -> None:
    """Ordinals, digits and small cardinals are numbers; other words are none."""
    assert ordinal(text) == number


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        (" Maximum Leverage. The Borrower shall", "Maximum Leverage"),
        ("\nFinancial condition\n(a) Leverage", "Financial condition"),
        (" The Borrower shall not permit the ratio to exceed", ""),
        (" Permit the Leverage Ratio to exceed 3.50 to 1.00.", ""),
        (" Each of the parties\nagrees", ""),
        ("  Spinning\nCapital not less than $5,000,000 at each fiscal quarter end, counted in full and without the looms", ""),
        ("  Reports\nThe mill sends its books to the Agent", "Reports"),
    ],
)
def test_captions(text: str, caption: str) -> None:
    """A caption is short, mostly capitalised or alone on its line; a sentence is none."""
    assert read_caption(text, 0)[0] == caption


def test_amounts_are_limits_of_their_own() -> None:
    """Amounts give whole units and a currency, and are never taken for ratios."""
    text = "not less than $25,000,000 or £2.5 million or 3.00 to 1.00"
    found = find_limits(text, 0, len(text), "amount")
    assert [(t.value, t.currency) for t in found] == [(25_000_000, "USD"), (2_500_000, "GBP")]
    assert [t.value for t in find_limits(text, 0, len(text), "ratio")] == [3]


def test_known_limits_lie_whole_inside() -> None:
    """A token that sticks out of a stretch is not in it."""
    text = "3.50 to 1.00 and 4.00 to 1.00"
    known = KnownLimits(text, 0, len(text))
    assert [t.value for t in known.within(0, 20, "ratio")] == [Fraction(7, 2)]
    assert [t.value for t in known.within(1, len(text), "ratio")] == [4]


@pytest.mark.parametrize(
    ("name", "metric", "direction"),
    [
        ("Consolidated Total Leverage Ratio", "total_leverage", "max"),
        ("Net Leverage Ratio", "net_leverage", "max"),
        ("Senior Secured Net Leverage Ratio", "senior_secured_net_leverage", "max"),
        ("First Lien Leverage Ratio", "first_lien_leverage", "max"),
        ("Interest Coverage Ratio", "interest_cover", "min"),
        ("Fixed Charge Coverage Ratio", "fixed_charge_cover", "min"),
        ("Minimum Liquidity", "minimum_liquidity", "min"),
        ("Capital Expenditures", "capital_expenditures", ""),
    ],
)
def test_metric_and_direction(name: str, metric: str, direction: str) -> None:
    """Net, senior and first lien are different figures; cover is a minimum, leverage a maximum."""
    assert (metric_of(name), expected_direction(name)) == (metric, direction)


def test_a_ratio_of_two_things_has_two_sides() -> None:
    """Numerator and denominator are kept as written."""
    text = "permit the ratio of Total Net Debt to Adjusted EBITDA to exceed"
    found = find_subject(text, 0, len(text))
    assert found is not None
    assert (found.upper, found.lower) == ("Total Net Debt", "Adjusted EBITDA")


def test_a_period_is_no_part_of_a_name() -> None:
    """Words about time before a figure are not its name."""
    text = "Permit during a Holiday Period the Leverage Ratio"
    found = find_subject(text, 0, len(text))
    assert found is not None
    assert found.name == "Leverage Ratio"


def test_name_tokens_ignore_small_words() -> None:
    """What a person types fits whatever small words the agreement uses."""
    assert name_tokens("the Ratio of Debt to EBITDA") == name_tokens("Debt / EBITDA")
