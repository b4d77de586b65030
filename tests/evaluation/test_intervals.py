"""Wilson's interval and proportions: right against two libraries, strict, and never without their counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import ConformedError
from conformed.evaluation.intervals import Z95, Proportion, proportion, wilson_interval, z_of
from conformed.model.base import Missing


def test_vectors(vectors: Callable[[str], list[dict[str, Any]]]) -> None:
    """The published right answers and refusals."""
    for row in vectors("wilson"):
        if row.get("refused"):
            with pytest.raises((ValueError, TypeError)):
                wilson_interval(row["successes"], row["trials"])
        else:
            assert wilson_interval(row["successes"], row["trials"]) == pytest.approx(row["value"], abs=1e-12)


def test_a_case_by_hand() -> None:
    """With z = 1 and one success of two: centre (1/2 + 1/4)/(3/2), half sqrt(1/8 + 1/16)/(3/2)."""
    half = math.sqrt(3) / 4 / 1.5
    assert wilson_interval(1, 2, z=1) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-15)


@settings(deadline=None)  # the first call imports the library
@given(st.integers(1, 100_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_as_statsmodels_has_it(counts: tuple[int, int]) -> None:
    """The same interval as statsmodels for any counts."""
    proportions = pytest.importorskip("statsmodels.stats.proportion")
    successes, trials = counts
    expected = proportions.proportion_confint(successes, trials, alpha=0.05, method="wilson")
    assert wilson_interval(successes, trials, NormalDist().inv_cdf(0.975)) == pytest.approx(expected, abs=1e-12)
    assert wilson_interval(successes, trials) == pytest.approx(expected, abs=1e-8)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 50))
def test_properties(counts: tuple[int, int], z: float) -> None:
    """Within 0 and 1, holds the share itself, mirrored for failures, exact at both ends."""
    successes, trials = counts
    low, high = wilson_interval(successes, trials, z)
    assert 0 <= low <= successes / trials <= high <= 1
    mirrored = wilson_interval(trials - successes, trials, z)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)
    assert (low == 0) == (successes == 0)
    assert (high == 1) == (successes == trials)


@pytest.mark.parametrize(
    "bad",
    [
        (1, 0, Z95),
        (0, -1, Z95),
        (-1, 3, Z95),
        (4, 3, Z95),
        (1, 2, 0),
        (1, 2, -1.96),
        (1, 2, math.nan),
        (1, 2, math.inf),
        (1, 2, 1e200),
        (True, 2, Z95),
        (1, True, Z95),
        (1, 2, True),
        (1.0, 2, Z95),
        ("1", 2, Z95),
        (1, 2, "1.96"),
        (1, 2, None),
    ],
)
def test_refusals(bad: tuple[Any, Any, Any]) -> None:
    """Counts that cannot be, other types and a z that is no z are refused, by our own error too."""
    with pytest.raises((ValueError, TypeError)) as refusal:
        wilson_interval(*bad)
    assert isinstance(refusal.value, ConformedError)


def test_levels() -> None:
    """95% is the z that the field uses; other levels come from the normal distribution; no level outside (0, 1)."""
    assert z_of(0.95) == Z95
    assert z_of(0.9) == pytest.approx(1.6448536269514722, abs=1e-12)
    for bad in (0, 1, -0.5, math.nan, "0.95", True):
        with pytest.raises((ValueError, TypeError)):
            z_of(bad)  # type: ignore[arg-type]


def test_a_proportion_carries_counts_and_interval() -> None:
    """A share is exact, and its words give counts and interval; no trials give a reason instead of a number."""
    share = proportion(52, 500)
    assert isinstance(share, Proportion)
    assert share.exact == Fraction(13, 125)
    assert share.words() == "52/500 = 10.4% (8.0% to 13.4%)"
    assert Proportion.model_validate_json(share.model_dump_json()) == share
    none = proportion(0, 0, of="nothing was decided")
    assert isinstance(none, Missing)
    assert "nothing was decided" in none.reason
    with pytest.raises(ValueError, match="successes is 1"):
        proportion(1, 0)
