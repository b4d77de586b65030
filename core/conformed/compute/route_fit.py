"""The router's threshold, fitted on held-out traffic with a bootstrap interval, and the drift of routed shares.

The router samples from a difficulty on. The fit finds where, by the owner's utilities of answering directly and of sampling; the
interval says how much the threshold owes to the traffic that happened to be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from conformed.errors import GivenValueError
from conformed.evaluation.given import needed, one_of, share, whole
from conformed.evaluation.intervals import Estimate, Interval, Proportion, proportion
from conformed.evaluation.resampling import bootstrap_mean, percentile_interval
from conformed.model.base import Exact, Frozen, Missing

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Drift", "FittedThreshold", "RouteTrial", "ShareDrift", "fit_threshold", "route_drift", "utility_at"]

ROUTES = ("direct", "human_review", "sample_and_verify")
"""The router's routes."""
_CELLS = 1 << 20


class RouteTrial(Frozen):
    """One held-out question with a deterministic verifier, answered both ways."""

    item: str
    """Id."""
    difficulty: Exact
    """Estimated before it was answered, from 0 to 1."""
    direct: Exact
    """Owner's utility of the direct answer."""
    sampled: Exact
    """Owner's utility of sampling and verifying, its costs taken off."""


class FittedThreshold(Frozen):
    """Where sampling should begin."""

    threshold: Exact | Missing
    """The difficulty from which to sample, one of those seen; Missing where sampling never paid."""
    gain: Exact
    """Mean utility over always answering directly, on the traffic it was fitted on: flattered by the fitting."""
    interval: Interval | Missing
    """Percentile interval of the threshold over the resamples in which sampling paid; Missing where it paid in none."""
    never: Proportion | Missing
    """Resamples in which sampling never paid; their interval shrinks with the number of resamples, not of questions."""
    level: float
    """Coverage of the interval."""
    n: int
    """Questions."""
    seed: int
    """Of the bootstrap."""
    resamples: int
    """Of the bootstrap."""


class ShareDrift(Frozen):
    """One route's share before and now."""

    route: str
    """Route."""
    before: Proportion | Missing
    """Share in the traffic the threshold was fitted on."""
    now: Proportion | Missing
    """Share in the traffic now."""
    moved: bool
    """The two intervals do not meet."""


class Drift(Frozen):
    """Drift of the routed shares."""

    shares: tuple[ShareDrift, ...]
    """One a route, sorted."""
    distance: Exact
    """Total variation distance of the two sets of shares: half the sum of differences, from 0 to 1."""
    drifted: bool
    """Whether any route moved: time to fit the threshold anew."""


def _checked(trials: Sequence[RouteTrial]) -> list[RouteTrial]:
    if not trials:
        raise GivenValueError("There is no traffic.", "Give at least one question answered both ways.")
    if len({one.item for one in trials}) != len(trials):
        raise GivenValueError("A question stands twice.", "Give each once.")
    for one in trials:
        share(f"difficulty of {one.item}", one.difficulty)
    return sorted(trials, key=lambda one: (one.difficulty, one.item))


def _fitted(ordered: Sequence[RouteTrial]) -> tuple[Fraction | None, Fraction]:
    """The best threshold and its mean gain, exact. Of several the highest: sampling must pay for itself."""
    best: Fraction | None = None
    most = total = Fraction(0)
    for place in range(len(ordered) - 1, -1, -1):
        total += ordered[place].sampled - ordered[place].direct
        first_of_its_difficulty = place == 0 or ordered[place - 1].difficulty != ordered[place].difficulty
        if first_of_its_difficulty and total > most:
            best, most = ordered[place].difficulty, total
    return best, most / len(ordered)


def _resampled(np: Any, ordered: Sequence[RouteTrial], seed: int, resamples: int) -> npt.NDArray[np.float64]:
    """The best threshold of each resample, NaN where sampling never paid."""
    levels = sorted({one.difficulty for one in ordered})
    place = {difficulty: n for n, difficulty in enumerate(levels)}
    group = np.array([place[one.difficulty] for one in ordered])
    gains = np.array([float(one.sampled - one.direct) for one in ordered])
    values = np.array([float(one) for one in levels])
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    draw = np.random.Generator(np.random.PCG64(seed))
    found = np.empty(resamples)
    rows = max(1, _CELLS // len(ordered))
    chance = np.full(len(ordered), 1 / len(ordered))
    for first in range(0, resamples, rows):
        last = min(resamples, first + rows)
        drawn = draw.multinomial(len(ordered), chance, size=last - first) * gains
        totals = np.add.reduceat(drawn, starts, axis=1)[:, ::-1].cumsum(axis=1)
        best = totals.argmax(axis=1)  # the first from above: of equal ones the highest threshold
        paid = totals[np.arange(last - first), best] > 1e-12 * np.abs(gains).sum()
        found[first:last] = np.where(paid, values[::-1][best], np.nan)
    return found  # type: ignore[no-any-return]


def fit_threshold(trials: Sequence[RouteTrial], *, seed: int, resamples: int = 2000, level: float = 0.95) -> FittedThreshold:
    """Fits the threshold that would have gained most utility.

    Args:
        trials: held-out questions answered both ways, with the owner's utilities.
        seed: of the bootstrap, 0 or more.
        resamples: of the bootstrap, at least 1.
        level: coverage of the interval.

    Raises:
        GivenTypeError: for a seed or number of resamples that is no int.
        GivenValueError: without traffic, for a question twice, or a difficulty outside 0 to 1.
        UsageError: without numpy.
    """
    ordered = _checked(trials)
    seed, resamples = whole("seed", seed), whole("resamples", resamples, least=1)
    best, gain = _fitted(ordered)
    np = needed("numpy")
    found = _resampled(np, ordered, seed, resamples)
    paid = found[~np.isnan(found)]
    nowhere = Missing(reason="Sampling paid at no difficulty of this traffic.", code="sampling_never_pays")
    return FittedThreshold(
        threshold=nowhere if best is None else best,
        gain=gain,
        interval=percentile_interval(paid, level) if len(paid) else nowhere,
        never=proportion(resamples - len(paid), resamples, level=level),
        level=level,
        n=len(ordered),
        seed=seed,
        resamples=resamples,
    )


def utility_at(
    trials: Sequence[RouteTrial], threshold: Fraction | None, *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> Estimate:
    """Mean utility of a threshold on traffic that it was not fitted on, with its interval.

    Args:
        trials: other held-out questions answered both ways.
        threshold: difficulty from which to sample; None to answer all directly.
        seed: of the bootstrap, 0 or more.
        resamples: of the bootstrap, at least 1.
        level: coverage of the interval.

    Raises:
        GivenTypeError: as ``fit_threshold``.
        GivenValueError: as ``fit_threshold``, or for a threshold outside 0 to 1.
        UsageError: without numpy.
    """
    ordered = _checked(trials)
    if threshold is not None:
        share("threshold", threshold)
    values = [float(one.sampled if threshold is not None and one.difficulty >= threshold else one.direct) for one in ordered]
    return bootstrap_mean(values, seed=seed, resamples=resamples, level=level)


def route_drift(before: Mapping[str, int], now: Mapping[str, int], *, level: float = 0.99) -> Drift:
    """Compares the routed shares of two stretches of traffic.

    Args:
        before: questions by route in the traffic the threshold was fitted on; a route that is absent had none.
        now: the same of today.
        level: coverage of the intervals that must not meet for a share to have moved.

    Raises:
        GivenTypeError: for a count that is no int, or a route that is no text.
        GivenValueError: for an unknown route, a negative count or no traffic.
    """
    counts = []
    for name, side in (("before", before), ("now", now)):
        for route, count in side.items():
            one_of("a route", route, ROUTES)
            whole(f"{name}[{route}]", count)
        if not sum(side.values()):
            raise GivenValueError(f"There is no traffic {name}.", "Give at least one routed question.")
        counts.append({route: side.get(route, 0) for route in ROUTES})
    first, second = counts
    shares, distance = [], Fraction(0)
    for route in ROUTES:
        was = proportion(first[route], sum(first.values()), level=level)
        is_now = proportion(second[route], sum(second.values()), level=level)
        assert not isinstance(was, Missing), "no traffic was refused above"
        assert not isinstance(is_now, Missing), "no traffic was refused above"
        apart = was.interval.high < is_now.interval.low or is_now.interval.high < was.interval.low
        shares.append(ShareDrift(route=route, before=was, now=is_now, moved=apart))
        distance += abs(was.exact - is_now.exact) / 2
    return Drift(shares=tuple(shares), distance=distance, drifted=any(one.moved for one in shares))
