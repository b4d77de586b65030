"""The bootstrap of a mean: items, or whole groups of items, drawn with replacement.

B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979), 1-26; percentile intervals. Where
items come in groups (several from one document) the groups are drawn, as A. C. Davison and D. V. Hinkley, "Bootstrap Methods
and their Application" (1997), section 3.8, have it.

Two ways give draws from the same distribution. Where the items take few distinct values, how often each value is drawn is
exactly multinomial, and one such draw stands for n. Otherwise places are drawn, a block of rows at a time, so that memory stays
bounded. The same seed and the same values give the same draws, whatever else runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, needed, whole
from conformed.evaluation.intervals import Estimate, Interval, z_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["bootstrap_mean", "percentile_interval", "resampled_means"]

RESAMPLES = 10_000
"""Resamples unless told."""
_FEW = 64
"""Up to so many distinct values the multinomial draw is the quicker; it never changes the distribution."""
_CELLS = 1 << 18
"""Places drawn at a time: 2 MiB, which stays in a processor's cache."""


def _units(values: Sequence[float], groups: Sequence[Hashable] | None) -> list[tuple[float, int]]:
    """What is drawn: each item, or each group by the sum and number of its items, in the order of first appearance."""
    if groups is None:
        return [(value, 1) for value in values]
    if len(groups) != len(values):
        raise GivenValueError(f"There are {len(values)} values and {len(groups)} groups.", "Give one group an item.")
    sums: dict[Hashable, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        sums.setdefault(group, []).append(value)
    return [(sum(members), len(members)) for members in sums.values()]


def resampled_means(
    values: Sequence[float], *, seed: int, resamples: int = RESAMPLES, groups: Sequence[Hashable] | None = None
) -> npt.NDArray[np.float64]:
    """Means of resamples.

    Args:
        values: one finite number an item.
        seed: 0 or more.
        resamples: how many, at least 1.
        groups: for each item the group that is drawn as a whole; None where items are drawn alone.

    Returns:
        The means, float64 of shape [resamples], in the order drawn.

    Raises:
        GivenTypeError: for a value that is no number.
        GivenValueError: for no value, a value that is not finite, or groups of another length.
        UsageError: without numpy.
    """
    seed = whole("seed", seed)
    resamples = whole("resamples", resamples, least=1)
    checked = [float(finite("a value", value)) for value in values]
    if not checked:
        raise GivenValueError("There is no value to resample.", "Give at least one item.")
    np = needed("numpy")
    units = np.array(_units(checked, groups), dtype=np.float64)
    draw = np.random.Generator(np.random.PCG64(seed))
    distinct, counts = np.unique(units, axis=0, return_counts=True)
    if len(distinct) <= _FEW:
        drawn = draw.multinomial(len(units), counts / len(units), size=resamples)
        totals = drawn @ distinct
        return totals[:, 0] / totals[:, 1]  # type: ignore[no-any-return]
    return _by_places(np, draw, units, resamples, grouped=groups is not None)


def _by_places(np: Any, draw: Any, units: Any, resamples: int, *, grouped: bool) -> npt.NDArray[np.float64]:
    """Means of resamples by drawing places, rows at a time."""
    means = np.empty(resamples)
    rows = max(1, _CELLS // len(units))
    sums, sizes = np.ascontiguousarray(units[:, 0]), np.ascontiguousarray(units[:, 1])
    for first in range(0, resamples, rows):
        last = min(resamples, first + rows)
        # int64 is the quickest of numpy's exact draws; narrower types are packed and unpacked.
        places = draw.integers(0, len(units), size=(last - first, len(units)), dtype=np.int64)
        totals = sums.take(places).sum(axis=1)
        means[first:last] = totals / (sizes.take(places).sum(axis=1) if grouped else len(units))
    return means  # type: ignore[no-any-return]


def percentile_interval(drawn: npt.NDArray[np.float64], level: float = 0.95) -> Interval:
    """The percentile interval of resampled figures.

    Args:
        drawn: the figures, at least one.
        level: coverage, between 0 and 1.

    Raises:
        GivenTypeError: when the level is no number.
        GivenValueError: when the level is outside (0, 1).
    """
    z_of(level)
    np = needed("numpy")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def bootstrap_mean(
    values: Sequence[float],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    groups: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Estimate:
    """A mean with its percentile interval: of pass@k over items, of tokens, of a difference.

    Args:
        values: one finite number an item.
        seed: 0 or more.
        resamples: how many, at least 1.
        groups: for each item the group that is drawn as a whole.
        level: coverage of the interval.

    Raises:
        GivenTypeError: for a value that is no number.
        GivenValueError: for no value, a value that is not finite, or groups of another length.
        UsageError: without numpy.
    """
    drawn = resampled_means(values, seed=seed, resamples=resamples, groups=groups)
    # The mean is summed as exact fractions, so that the order of the items cannot show in it.
    mean = sum((Fraction(value) for value in values), Fraction(0)) / len(values)
    what = "items" if groups is None else "groups"
    return Estimate(
        value=float(mean),
        n=len(values) if groups is None else len(set(groups)),
        interval=percentile_interval(drawn, level),
        level=level,
        method=f"percentile bootstrap over {what}, {resamples} resamples, seed {seed}",
    )
