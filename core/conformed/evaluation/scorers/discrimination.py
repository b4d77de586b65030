"""Discrimination: whether right candidates get higher scores than wrong ones, with an interval that knows of items.

The candidates of one item are alike, so the interval's variance is that of clusters: N. A. Obuchowski, "Nonparametric analysis
of clustered ROC curve data", Biometrics 53 (1997), 567-578. It is taken on the scale of the log odds, where it cannot leave 0 to 1.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Annotated

from pydantic import Field

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, truth
from conformed.evaluation.intervals import Interval, wilson_interval, z_of
from conformed.model.base import Frozen, Missing

__all__ = ["Auroc", "auroc", "rank_correlation"]


class Auroc(Frozen):
    """Area under the ROC curve: the chance that a right candidate scores above a wrong one, equal scores counted half."""

    value: Annotated[float, Field(ge=0, le=1)]
    """The area; one half orders nothing."""
    right: int
    """Right candidates."""
    wrong: int
    """Wrong candidates."""
    groups: int
    """Items."""
    interval: Interval
    """Its interval."""
    level: float
    """Coverage that it aims at."""
    method: str
    """How the interval was made."""

    def words(self) -> str:
        """The area for people, for instance ``0.871 (0.842 to 0.896; 300 right, 500 wrong, 100 items)``."""
        low, high = self.interval
        return f"{self.value:.3f} ({low:.3f} to {high:.3f}; {self.right} right, {self.wrong} wrong, {self.groups} items)"


def _placements(scores: Sequence[float], others: Sequence[float]) -> list[float]:
    """For each score the share of the others that it is above, ties half; ``others`` is sorted."""
    return [(bisect_left(others, one) + bisect_right(others, one)) / (2 * len(others)) for one in scores]


def auroc(scores: Sequence[float], right: Sequence[bool], groups: Sequence[Hashable], *, level: float = 0.95) -> Auroc | Missing:
    """The area with its interval.

    Args:
        scores: finite numbers.
        right: whether the candidate is right, one a score.
        groups: its item, one a score.
        level: coverage of the interval.

    Returns:
        The area; Missing (``one_class_only``) where every candidate is right or every one is wrong.

    Raises:
        GivenTypeError: for a score that is no number or a label that is no bool.
        GivenValueError: for a score that is not finite, or unequal lengths.
    """
    if not len(scores) == len(right) == len(groups):
        raise GivenValueError(f"There are {len(scores)} scores, {len(right)} labels and {len(groups)} groups.", "Give one each.")
    values = [float(finite("a score", one)) for one in scores]
    labels = [truth("a label", one) for one in right]
    high = sorted(value for value, label in zip(values, labels, strict=True) if label)
    low = sorted(value for value, label in zip(values, labels, strict=True) if not label)
    if not high or not low:
        return Missing(reason=f"There are {len(high)} right and {len(low)} wrong candidates.", code="one_class_only")
    placed: dict[Hashable, list[float]] = {}  # by group: sum over its right, how many, sum over its wrong, how many
    for value, label, group in zip(values, labels, groups, strict=True):
        sums = placed.setdefault(group, [0.0, 0, 0.0, 0])
        other = _placements([value], low if label else high)[0]
        sums[0 if label else 2] += other if label else 1 - other
        sums[1 if label else 3] += 1
    ordered = [placed[group] for group in sorted(placed, key=repr)]
    area = math.fsum(one[0] for one in ordered) / len(high)
    interval, method = _interval(ordered, area, len(high), len(low), level)
    return Auroc(
        value=min(1.0, max(0.0, area)), right=len(high), wrong=len(low), groups=len(ordered), interval=interval, level=level,
        method=method,
    )  # fmt: skip


def _interval(ordered: list[list[float]], area: float, right: int, wrong: int, level: float) -> tuple[Interval, str]:
    with_right, with_wrong = sum(one[1] > 0 for one in ordered), sum(one[3] > 0 for one in ordered)
    if with_right < 2 or with_wrong < 2 or len(ordered) < 2:
        return Interval(0.0, 1.0), "fewer than two items of a kind: nothing can be said"
    ten = math.fsum((one[0] - one[1] * area) ** 2 for one in ordered) * with_right / ((with_right - 1) * right)
    one_ = math.fsum((one[2] - one[3] * area) ** 2 for one in ordered) * with_wrong / ((with_wrong - 1) * wrong)
    both = math.fsum((one[0] - one[1] * area) * (one[2] - one[3] * area) for one in ordered)
    both *= len(ordered) / (len(ordered) - 1)
    variance = max(0.0, ten / right + one_ / wrong + 2 * both / (right * wrong))
    if not 0 < area < 1 or variance == 0:
        # All right candidates above all wrong ones (or below): the data show no spread, which is not certainty.
        few = min(with_right, with_wrong)
        low, high = wilson_interval(round(area * few), few, z_of(level))
        return Interval(min(low, area), max(high, area)), f"Wilson over {few} items, since no spread was seen"
    centre, half = math.log(area / (1 - area)), z_of(level) * math.sqrt(variance) / (area * (1 - area))
    return Interval(_odds(centre - half), _odds(centre + half)), "Obuchowski over items, log odds"


def _odds(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, the mean rank for equal values."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    ranks = [0.0] * len(values)
    seen = 0
    for _, group in groupby(order, key=lambda place: values[place]):
        places = list(group)
        for place in places:
            ranks[place] = seen + (len(places) + 1) / 2
        seen += len(places)
    return ranks


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | Missing:
    """Spearman's rank correlation; Missing where one of the two does not vary.

    Args:
        first: finite numbers.
        second: as many.

    Raises:
        GivenTypeError: when one is no number.
        GivenValueError: for a number that is not finite, or unequal lengths.
    """
    if len(first) != len(second):
        raise GivenValueError(f"There are {len(first)} and {len(second)} values.", "Give pairs.")
    ranks = [_ranks([float(finite("a value", one)) for one in values]) for values in (first, second)]
    centred = [[rank - (len(first) + 1) / 2 for rank in one] for one in ranks]
    spread = [math.fsum(rank * rank for rank in one) for one in centred]
    if not all(spread):
        return Missing(reason="One of the two never varies.", code="no_variation")
    return math.fsum(a * b for a, b in zip(*centred, strict=True)) / math.sqrt(spread[0] * spread[1])
