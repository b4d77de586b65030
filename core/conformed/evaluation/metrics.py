"""Metrics of judged answers: accuracy, coverage, selective accuracy, pass@k and selection accuracy at N.

pass@k is the unbiased estimator of M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021), section 2.1,
here without its floating-point product.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from conformed.errors import GivenValueError
from conformed.evaluation.given import one_of, whole
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.answer import Outcome
from conformed.model.base import Frozen, Missing

__all__ = ["Scores", "Selection", "outcomes_of", "pass_at_k", "pass_at_k_exact", "scores", "selection_accuracy"]

_WORDS = frozenset(str(one) for one in Outcome)


class Scores(Frozen):
    """What a set of judged answers says, each share with its count and interval."""

    n: int
    """Answers judged."""
    correct: int
    """Of them right."""
    incorrect: int
    """Of them wrong."""
    review: int
    """Of them for a person."""
    error: int
    """Of them not judged, because the check itself failed."""
    accuracy: Proportion | Missing
    """correct / n."""
    coverage: Proportion | Missing
    """(correct + incorrect) / n."""
    selective_accuracy: Proportion | Missing
    """correct / (correct + incorrect); Missing where nothing was decided."""
    review_rate: Proportion | Missing
    """review / n."""
    error_rate: Proportion | Missing
    """error / n."""


def outcomes_of(outcomes: Iterable[str]) -> tuple[Outcome, ...]:
    """Outcomes, checked.

    Raises:
        GivenTypeError: when one is no text.
        GivenValueError: when one is none of the four words.
    """
    return tuple(Outcome(one_of("an outcome", one, _WORDS)) for one in outcomes)


def scores(outcomes: Iterable[str], *, level: float = 0.95) -> Scores:
    """Counts judged answers.

    Args:
        outcomes: one a judged answer: correct, incorrect, review or error.
        level: coverage of the intervals.

    Raises:
        GivenTypeError: when an outcome is no text.
        GivenValueError: when an outcome is none of the four words.
    """
    count = Counter(outcomes_of(outcomes))
    correct, incorrect = count[Outcome.CORRECT], count[Outcome.INCORRECT]
    total = count.total()

    def share(successes: int, of: str) -> Proportion | Missing:
        return proportion(successes, total, level=level, of=of)

    return Scores(
        n=total,
        correct=correct,
        incorrect=incorrect,
        review=count[Outcome.REVIEW],
        error=count[Outcome.ERROR],
        accuracy=share(correct, "no answer was judged"),
        coverage=share(correct + incorrect, "no answer was judged"),
        selective_accuracy=proportion(correct, correct + incorrect, level=level, of="no answer was found right or wrong"),
        review_rate=share(count[Outcome.REVIEW], "no answer was judged"),
        error_rate=share(count[Outcome.ERROR], "no answer was judged"),
    )


def _checked(n: int, c: int, k: int) -> tuple[int, int, int]:
    n = whole("n", n, least=1)
    return n, whole("c", c, most=n), whole("k", k, least=1, most=n)


def _all_wrong(n: int, c: int, k: int) -> tuple[int, int]:
    """C(n−c, k)/C(n, k) as a numerator and a denominator, by whichever of c and k gives the shorter products."""
    if c <= k:
        return math.perm(n - k, c), math.perm(n, c)
    return math.perm(n - c, k), math.perm(n, k)


def pass_at_k_exact(*, n: int, c: int, k: int) -> Fraction:
    """The chance that k samples drawn without replacement from n hold one of the c correct, as an exact fraction.

    Args:
        n: samples, at least 1.
        c: correct among them, 0 to n.
        k: samples drawn, 1 to n.

    Raises:
        GivenTypeError: for a bool or anything that is not an int.
        GivenValueError: outside the ranges.
    """
    n, c, k = _checked(n, c, k)
    return 1 - Fraction(*_all_wrong(n, c, k)) if n - c >= k else Fraction(1)


def pass_at_k(*, n: int, c: int, k: int) -> float:
    """pass@k = 1 − C(n−c, k)/C(n, k), and 1 when n−c < k: the exact value rounded once to the nearest float.

    It belongs to one item; over several items give the mean with its interval (``paired.bootstrap_mean``).

    Args:
        n: samples, at least 1.
        c: correct among them, 0 to n.
        k: samples drawn, 1 to n.

    Raises:
        GivenTypeError: for a bool or anything that is not an int.
        GivenValueError: outside the ranges.
    """
    n, c, k = _checked(n, c, k)
    if n - c < k:
        return 1.0
    # The chance of missing is at most (1 − k/n)^c ≤ exp(−ck/n). Below exp(−40) < 2^−54 the nearest float to the result is 1;
    # saying so at once spares products of millions of digits.
    if c * k > 40 * n:
        return 1.0
    above, below = _all_wrong(n, c, k)
    return (below - above) / below  # a quotient of ints is rounded once, whatever their size


class Selection(Frozen):
    """How good a way of choosing among N candidates is, beside what was there to be chosen."""

    at: int
    """N: candidates that each item offered."""
    chosen_correct: Proportion | Missing
    """Selection accuracy at N: items whose chosen candidate is correct. An item without a choice counts as not correct."""
    no_choice: Proportion | Missing
    """Items for which nothing was chosen."""
    any_correct: Proportion | Missing
    """Items with a correct candidate among the N: what an oracle would reach."""
    given_any: Proportion | Missing
    """Items chosen rightly among those with a correct candidate: the selector's own part."""


def selection_accuracy(candidates: Sequence[Sequence[str]], chosen: Sequence[int | None], *, level: float = 0.95) -> Selection:
    """Selection accuracy at N.

    Args:
        candidates: for each item the outcomes of its N candidates; every item has the same N, at least 1.
        chosen: for each item the place of the chosen candidate, from 0; None where nothing was chosen.
        level: coverage of the intervals.

    Raises:
        GivenTypeError: when an outcome is no text, or a place no int.
        GivenValueError: for lists of unequal length, items with different N, or a place outside the candidates.
    """
    if len(candidates) != len(chosen):
        raise GivenValueError(f"There are {len(candidates)} items and {len(chosen)} choices.", "Give one choice an item.")
    judged = [outcomes_of(one) for one in candidates]
    sizes = {len(one) for one in judged}
    if len(sizes) != 1 or 0 in sizes:
        raise GivenValueError(f"The items have {sorted(sizes)} candidates.", "Give every item the same N, at least 1.")
    size = sizes.pop()
    places = [None if place is None else whole("a choice", place, most=size - 1) for place in chosen]
    right = sum(place is not None and one[place] is Outcome.CORRECT for one, place in zip(judged, places, strict=True))
    able = sum(Outcome.CORRECT in one for one in judged)
    return Selection(
        at=size,
        chosen_correct=proportion(right, len(judged), level=level),
        no_choice=proportion(places.count(None), len(judged), level=level),
        any_correct=proportion(able, len(judged), level=level),
        given_any=proportion(right, able, level=level, of="no item has a correct candidate"),
    )
