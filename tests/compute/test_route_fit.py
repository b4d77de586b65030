"""The fitted threshold: the best on its traffic, with an honest interval, judged on other traffic, and watched for drift."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.compute.route_fit import RouteTrial, fit_threshold, route_drift, utility_at
from conformed.engine.router import RouteFeatures, choose_route
from conformed.evaluation.intervals import Interval, Proportion
from conformed.model.base import Missing

np = pytest.importorskip("numpy")


def trial(item: str, difficulty: Any, direct: Any, sampled: Any) -> RouteTrial:
    """A question answered both ways."""
    return RouteTrial(item=item, difficulty=difficulty, direct=direct, sampled=sampled)


def traffic(count: int, seed: int, turn: float = 0.4) -> list[RouteTrial]:
    """Questions for which sampling pays on average from a difficulty on."""
    draw = np.random.default_rng(seed)
    made = []
    for n in range(count):
        hard = int(draw.integers(0, 101))
        paid = draw.random() < 0.5 + 0.8 * (hard / 100 - turn)
        made.append(trial(f"q{n:05}", Fraction(hard, 100), 0, 1 if paid else -1))
    return made


def test_by_hand() -> None:
    """Sampling loses at 0.2, gains at 0.5 and 0.9: from 0.5 on, a gain of 5 over four questions."""
    found = fit_threshold(
        [trial("a", "1/5", 3, 1), trial("b", "1/2", 1, 3), trial("c", "9/10", 0, 3), trial("d", "1/10", 2, 2)], seed=1
    )
    assert (found.threshold, found.gain, found.n) == (Fraction(1, 2), Fraction(5, 4), 4)
    assert isinstance(found.interval, Interval)
    assert found.interval.low <= 0.5 <= found.interval.high
    assert choose_route(RouteFeatures("low", True, True, 0.5), found.threshold) == "sample_and_verify"  # type: ignore[arg-type]


def test_sampling_that_never_pays() -> None:
    """Where sampling costs more than it brings there is a reason and no threshold; a gain of nothing is no gain."""
    found = fit_threshold([trial("a", "1/5", 1, 1), trial("b", "1/2", 1, 0)], seed=1, resamples=50)
    assert isinstance(found.threshold, Missing)
    assert isinstance(found.interval, Missing)
    assert isinstance(found.never, Proportion)
    assert (found.gain, found.never.successes) == (0, 50)


rows = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), min_size=1, max_size=12)


@settings(deadline=None)
@given(rows)
def test_no_other_threshold_gains_more(given_rows: list[tuple[int, int]]) -> None:
    """The fit is what trying every threshold finds, the highest of equals, whatever the order of the traffic."""
    trials = [trial(f"q{n}", Fraction(d, 5), 0, g) for n, (d, g) in enumerate(given_rows)]
    found = fit_threshold(trials, seed=1, resamples=5)
    gains = {Fraction(d, 5): sum(g for e, g in given_rows if e >= d) for d, _ in given_rows}
    best = max(gains.values())
    if best > 0:
        assert found.threshold == max(d for d, gain in gains.items() if gain == best)
        assert found.gain == Fraction(best, len(trials))
    else:
        assert isinstance(found.threshold, Missing)
    assert fit_threshold(trials[::-1], seed=1, resamples=5) == found


def test_the_interval_narrows_and_holds_the_truth() -> None:
    """With the turn at 0.4 the interval holds it, and 4,000 questions narrow what 400 leave open."""
    widths = []
    for count in (400, 4000):
        found = fit_threshold(traffic(count, seed=5), seed=1, resamples=400)
        assert isinstance(found.interval, Interval)
        assert found.interval.low <= 0.4 <= found.interval.high
        widths.append(found.interval.high - found.interval.low)
    assert widths[1] < widths[0]


def test_the_resamples_are_refits() -> None:
    """The drawn thresholds have the spread of thresholds fitted by the exact rule to traffic drawn with replacement."""
    trials = traffic(60, seed=3)
    found = fit_threshold(trials, seed=1, resamples=600)
    draw = np.random.default_rng(9)
    refitted = []
    for _ in range(300):
        drawn = [
            trials[place].model_copy(update={"item": str(n)})
            for n, place in enumerate(draw.integers(0, len(trials), len(trials)))
        ]
        again = fit_threshold(drawn, seed=1, resamples=1).threshold
        if isinstance(again, Fraction):
            refitted.append(float(again))
    low, high = np.quantile(refitted, [0.025, 0.975])
    assert isinstance(found.interval, Interval)
    assert found.interval.low == pytest.approx(low, abs=0.12)
    assert found.interval.high == pytest.approx(high, abs=0.12)


def test_on_other_traffic() -> None:
    """The utility of a threshold is taken on traffic it was not fitted on; None answers all directly."""
    trials = [trial("a", "1/5", 3, 1), trial("b", "1/2", 1, 3)]
    assert utility_at(trials, Fraction(1, 2), seed=1).value == 3.0
    assert utility_at(trials, Fraction(0), seed=1).value == 2.0
    assert utility_at(trials, None, seed=1).value == 2.0
    fitted = fit_threshold(traffic(2000, seed=5), seed=1, resamples=20).threshold
    assert isinstance(fitted, Fraction)
    fresh = traffic(2000, seed=6)
    assert utility_at(fresh, fitted, seed=1).value > utility_at(fresh, None, seed=1).value


@pytest.mark.parametrize(
    ("trials", "seed"),
    [
        ([], 1),
        ([trial("a", "1/5", 0, 1)] * 2, 1),
        ([trial("a", "6/5", 0, 1)], 1),
        ([trial("a", "-1/5", 0, 1)], 1),
        ([trial("a", "1/5", 0, 1)], -1),
        ([trial("a", "1/5", 0, 1)], True),
    ],
)
def test_refusals(trials: Any, seed: Any) -> None:
    """No traffic, a question twice, difficulties outside 0 to 1 and seeds that are none are refused."""
    with pytest.raises((ValueError, TypeError)):
        fit_threshold(trials, seed=seed)
    with pytest.raises((ValueError, TypeError)):
        utility_at(trials, Fraction(1, 2), seed=seed)


def test_drift_by_hand() -> None:
    """From 10% to 30% for a person of 1,000 each is drift; from 10% to 11% is not; the distance is exact."""
    before = {"direct": 700, "sample_and_verify": 200, "human_review": 100}
    moved = route_drift(before, {"direct": 500, "sample_and_verify": 200, "human_review": 300})
    assert moved.drifted
    assert [(one.route, one.moved) for one in moved.shares] == [
        ("direct", True),
        ("human_review", True),
        ("sample_and_verify", False),
    ]
    assert moved.distance == Fraction(1, 5)
    still = route_drift(before, {"direct": 690, "sample_and_verify": 200, "human_review": 110})
    assert not still.drifted
    assert route_drift(before, before).distance == 0
    assert route_drift({"direct": 1000}, {"human_review": 1000}).distance == 1


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({}, {"direct": 1}),
        ({"direct": 1}, {"direct": 0}),
        ({"direct": -1}, {"direct": 1}),
        ({"direct": True}, {"direct": 1}),
        ({"maybe": 1}, {"direct": 1}),
    ],
)
def test_drift_refusals(before: Any, now: Any) -> None:
    """No traffic, counts that are none and unknown routes are refused."""
    with pytest.raises((ValueError, TypeError)):
        route_drift(before, now)
