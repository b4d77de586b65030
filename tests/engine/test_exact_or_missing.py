"""A figure that is missing goes into the record as the record it is, and comes back as such."""

from __future__ import annotations

from fractions import Fraction

import pytest

from conformed.engine.canonical import canonical_bytes
from conformed.model.base import Exact, Frozen, Missing
from conformed.model.calculation import Calculation


@pytest.mark.parametrize("ratio", [Missing(reason="An input is missing."), Fraction(7, 2), Fraction(3)])
def test_a_ratio_or_why_there_is_none_reads_back(ratio: Fraction | Missing) -> None:
    """Both sides of ``Exact | Missing`` survive the bytes of the log."""
    given = Calculation(figures=(), steps=(), ratio=ratio, comparison=Missing(reason="Nothing is compared."))
    assert Calculation.model_validate_json(canonical_bytes(given)) == given


def test_a_float_that_slipped_in_is_not_written() -> None:
    """A number put there without validation is refused on the way out, too."""

    class Holds(Frozen):
        value: Exact

    with pytest.raises(ValueError, match="not an exact number"):
        canonical_bytes(Holds.model_construct(value=3.5))
