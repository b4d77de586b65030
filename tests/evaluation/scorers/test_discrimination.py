"""The area under the ROC curve and the rank correlation, against hand-worked cases and scipy."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.scorers.discrimination import Auroc, auroc, rank_correlation
from conformed.model.base import Missing

stats = pytest.importorskip("scipy.stats")


def _area(scores: list[float], right: list[bool], groups: list[int] | None = None) -> Auroc:
    found = auroc(scores, right, groups or list(range(len(scores))))
    assert isinstance(found, Auroc)
    return found


def test_by_hand() -> None:
    """Of the six pairs of right {3, 2} and wrong {1, 2, 4}: 3>1, 3>2, 2>1 and half for 2=2, so 3.5/6."""
    found = _area([3, 2, 1, 2, 4], [True, True, False, False, False])
    assert found.value == pytest.approx(3.5 / 6)
    assert (found.right, found.wrong, found.groups) == (2, 3, 5)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 8)), min_size=2, max_size=40))
def test_it_is_the_mann_whitney_statistic(rows: list[tuple[int, bool, int]]) -> None:
    """The area is U divided by the number of pairs, turns around with the scores, and lies in its interval."""
    scores, right, groups = map(list, zip(*rows, strict=True))
    if len(set(right)) < 2:
        assert isinstance(auroc(scores, right, groups), Missing)
        return
    found = _area(scores, right, groups)
    high, low = ([s for s, r in zip(scores, right, strict=True) if r is side] for side in (True, False))
    assert found.value == pytest.approx(stats.mannwhitneyu(high, low).statistic / (len(high) * len(low)))
    assert 0 <= found.interval.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval.high <= 1
    turned = _area([-one for one in scores], right, groups)
    assert turned.value == pytest.approx(1 - found.value)
    assert turned.interval.low == pytest.approx(1 - found.interval.high)


def test_single_items_give_delong() -> None:
    """With one candidate an item the variance is that of the placements (DeLong), here worked apart."""
    rng = random.Random(4)
    right = [rng.random() < 0.5 for _ in range(60)]
    scores = [rng.gauss(0.8 * one, 1) for one in right]
    high, low = ([s for s, r in zip(scores, right, strict=True) if r is side] for side in (True, False))
    above = [[(a > b) + 0.5 * (a == b) for b in low] for a in high]
    rows, columns = [sum(row) / len(low) for row in above], [sum(column) / len(high) for column in zip(*above, strict=True)]
    area = sum(rows) / len(rows)
    variance = sum((x - area) ** 2 for x in rows) / (len(rows) - 1) / len(rows)
    variance += sum((x - area) ** 2 for x in columns) / (len(columns) - 1) / len(columns)
    half = 1.959964 * math.sqrt(variance) / (area * (1 - area))
    found = _area(scores, right)
    assert math.log(found.interval.high / (1 - found.interval.high)) - math.log(area / (1 - area)) == pytest.approx(
        half, rel=1e-9
    )


def test_copies_of_an_item_bring_no_certainty() -> None:
    """The same candidates eight times over, as more samples of the same items, leave the interval about as wide."""
    rng = random.Random(8)
    right = [rng.random() < 0.5 for _ in range(80)]
    scores = [rng.gauss(one, 1) for one in right]
    once = _area(scores, right)
    copied = _area(scores * 8, right * 8, list(range(80)) * 8)
    apart = _area(scores * 8, right * 8)
    width = once.interval.high - once.interval.low
    assert copied.interval.high - copied.interval.low == pytest.approx(width, rel=0.05)
    assert apart.interval.high - apart.interval.low < width / 2


def test_the_interval_covers() -> None:
    """Over 300 drawn data sets of 40 items with 4 candidates that lean together, about 95% of the intervals hold the truth."""
    rng = random.Random(1)
    truth = 0.5 * (1 + math.erf(0.5))  # a difference of mean 1 and variance 2
    held = 0
    for _ in range(300):
        scores, right, groups = [], [], []
        for item in range(40):
            lean = rng.gauss(0, math.sqrt(0.5))
            for _ in range(4):
                good = rng.random() < 0.5
                right.append(good)
                scores.append(lean + rng.gauss(good, math.sqrt(0.5)))
                groups.append(item)
        low, high = _area(scores, right, groups).interval
        held += low <= truth <= high
    assert 270 <= held <= 299


def test_a_perfect_order_is_no_certainty() -> None:
    """All right candidates above all wrong ones, in five items: the area is 1 and the interval begins well below."""
    found = _area([1, 0] * 5, [True, False] * 5, [n // 2 for n in range(10)])
    assert found.value == found.interval.high == 1
    assert found.interval.low < 0.6


def test_one_item_says_nothing() -> None:
    """Of a single item no interval can be made: it is everything."""
    assert _area([1, 0], [True, False], [1, 1]).interval == (0, 1)


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=30))
def test_rank_correlation_is_spearmans(pairs: list[tuple[int, int]]) -> None:
    """It agrees with scipy, ties included; where one side never varies there is none."""
    first, second = map(list, zip(*pairs, strict=True))
    found = rank_correlation(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert isinstance(found, Missing)
    else:
        assert found == pytest.approx(stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize("bad", [math.nan, math.inf, True, "1"])
def test_refusals(bad: float) -> None:
    """What is no finite number is refused in both."""
    with pytest.raises((ValueError, TypeError)):
        auroc([1.0, bad], [True, False], [1, 2])
    with pytest.raises((ValueError, TypeError)):
        rank_correlation([1.0, bad], [1.0, 2.0])
    with pytest.raises(ValueError):
        auroc([1.0], [True, False], [1, 2])
