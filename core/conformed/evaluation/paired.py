"""Two methods on the same items: what improved, what regressed, and whether the difference could be chance.

McNemar's test, exact: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
Psychometrika 12 (1947), 153-157; under the null each item that changed is as likely to have improved as to have regressed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from conformed.errors import GivenValueError
from conformed.evaluation.given import whole
from conformed.evaluation.intervals import Interval, Proportion, proportion
from conformed.evaluation.metrics import outcomes_of
from conformed.evaluation.resampling import RESAMPLES, bootstrap_mean
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["Comparison", "compare", "mcnemar_exact"]


class Comparison(Frozen):
    """Two methods, before and after, on the same items."""

    n: int
    """Items."""
    both_correct: int
    """Right before and after."""
    improved: tuple[str, ...]
    """Ids of the items right after and not before, sorted."""
    regressed: tuple[str, ...]
    """Ids of the items right before and not after, sorted."""
    neither_correct: int
    """Right in neither."""
    before: Proportion | Missing
    """Accuracy before."""
    after: Proportion | Missing
    """Accuracy after."""
    difference: float
    """Accuracy after less accuracy before."""
    interval: Interval
    """Of the difference: percentile interval of the paired bootstrap."""
    level: float
    """Coverage that the intervals aim at."""
    groups: int | None
    """Groups that were drawn as a whole; None where items were drawn alone."""
    p_value: float
    """McNemar's exact test, two-sided, of no difference. It takes the items as independent: with groups read the interval."""
    seed: int
    """Seed of the bootstrap."""
    resamples: int
    """Resamples of the bootstrap."""

    def words(self) -> str:
        """The comparison in one line."""
        low, high = self.interval
        return (
            f"{len(self.improved)} improved, {len(self.regressed)} regressed of {self.n}: {self.difference:+.1%} "
            f"({low:+.1%} to {high:+.1%}; McNemar exact p = {self.p_value:.2g})"
        )


def mcnemar_exact(improved: int, regressed: int) -> float:
    """McNemar's exact two-sided p-value: twice the lesser binomial tail at one half, at most 1; 1 where nothing changed.

    Args:
        improved: items right after and not before.
        regressed: items right before and not after.

    Raises:
        GivenTypeError: for a bool or anything that is not an int.
        GivenValueError: for a negative count.
    """
    improved, regressed = whole("improved", improved), whole("regressed", regressed)
    changed, lesser = improved + regressed, min(improved, regressed)
    term = tail = 1
    for place in range(lesser):
        term = term * (changed - place) // (place + 1)
        tail += term
    return float(min(Fraction(1), Fraction(2 * tail, 2**changed)))


def compare(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    groups: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compares two methods item by item. Only correct counts as right: review and error are none.

    Args:
        before: outcome of the first method by item id.
        after: outcome of the second method by item id; the same items.
        seed: of the bootstrap, 0 or more.
        resamples: of the bootstrap, at least 1.
        groups: group of each item (a document, a template), where items of a group are alike; None where they are independent.
        level: coverage of the intervals.

    Raises:
        GivenTypeError: when an outcome is no text.
        GivenValueError: for no items, different items, or an item without a group.
        UsageError: without numpy.
    """
    if before.keys() != after.keys():
        odd = sorted(before.keys() ^ after.keys())
        raise GivenValueError(f"{len(odd)} items were judged for one method only: {', '.join(odd[:5])}.", "Judge the same items.")
    if not before:
        raise GivenValueError("There is no item to compare.", "Judge at least one.")
    ids = sorted(before)
    if groups is not None and (bare := [item for item in ids if item not in groups]):
        raise GivenValueError(f"{len(bare)} items have no group: {', '.join(bare[:5])}.", "Give every item its group.")
    first = [one is Outcome.CORRECT for one in outcomes_of(before[item] for item in ids)]
    second = [one is Outcome.CORRECT for one in outcomes_of(after[item] for item in ids)]
    improved = tuple(item for item, was, now in zip(ids, first, second, strict=True) if now and not was)
    regressed = tuple(item for item, was, now in zip(ids, first, second, strict=True) if was and not now)
    both = sum(was and now for was, now in zip(first, second, strict=True))
    estimate = bootstrap_mean(
        [int(now) - int(was) for was, now in zip(first, second, strict=True)],
        seed=seed,
        resamples=resamples,
        groups=None if groups is None else [groups[item] for item in ids],
        level=level,
    )
    return Comparison(
        n=len(ids),
        both_correct=both,
        improved=improved,
        regressed=regressed,
        neither_correct=len(ids) - both - len(improved) - len(regressed),
        before=proportion(sum(first), len(ids), level=level),
        after=proportion(sum(second), len(ids), level=level),
        difference=estimate.value,
        interval=estimate.interval,
        level=level,
        groups=None if groups is None else estimate.n,
        p_value=mcnemar_exact(len(improved), len(regressed)),
        seed=seed,
        resamples=resamples,
    )
