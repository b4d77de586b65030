"""Exact numbers: plain text only, so that a few characters never mean a number that fills the memory."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.errors import InexactError
from conformed.model.base import exact


@pytest.mark.parametrize(
    ("given", "value"),
    [("7/2", Fraction(7, 2)), ("3.50", Fraction(7, 2)), ("-0.25", Fraction(-1, 4)), ("+4", Fraction(4)), (4, Fraction(4)),
     ("007", Fraction(7)), ("9" * 4000, Fraction(int("9" * 4000)))],
)  # fmt: skip
def test_plain_numbers_are_exact(given: object, value: Fraction) -> None:
    """Integers, quotients and decimals keep their value."""
    assert exact(given) == value


@pytest.mark.parametrize(
    "given",
    ["1e5", "1e999999999", "1E-999999999", "1_000", " 7/2", "7/2\n", "7 / 2", "7/0", "1.5/2", ".5", "5.", "", "-", "nan", "inf", "\u0664",
     "9" * 4001, 3.5, True, None, b"7"],
)  # fmt: skip
def test_anything_else_is_refused_at_once(given: object) -> None:
    """Exponents, underscores, blanks, other digits, floats and truth values are no exact numbers."""
    with pytest.raises(InexactError, match="is not an exact number"):
        exact(given)
