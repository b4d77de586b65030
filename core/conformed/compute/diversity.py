"""Diversity of samples: how many different answers, and how evenly they are spread, after equal ones are merged.

Reported with accuracy and the share of valid outputs for each setting tried, because samples can differ by being wrong in more
ways. Entropy: C. E. Shannon, "A Mathematical Theory of Communication" (1948).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from conformed.errors import GivenTypeError, GivenValueError
from conformed.evaluation.given import truth
from conformed.evaluation.intervals import Proportion, proportion
from conformed.evaluation.metrics import Scores, scores
from conformed.model.base import Exact, Frozen, Missing

__all__ = ["Decoding", "Diversity", "DiversityRow", "SampledItem", "diversity", "diversity_table", "merged"]


class Diversity(Frozen):
    """How different the samples of one question are."""

    total: int
    """Samples."""
    valid: int
    """Of them with an answer."""
    distinct: int
    """Different answers among the valid, equal ones merged."""
    unique_ratio: Exact | Missing
    """distinct / valid."""
    entropy: float | Missing
    """Shannon entropy of the shares of the answers, in nats: 0 where all agree, log(distinct) where all are equally frequent."""


class Decoding(Frozen):
    """A setting tried."""

    temperature: Exact
    """Temperature, exact as it was written."""
    top_p: Exact
    """Nucleus."""


class SampledItem(Frozen):
    """One item's samples under a setting."""

    item: str
    """Id."""
    answers: tuple[str | None, ...]
    """Normalised answers; None where none parsed."""
    outcomes: tuple[str, ...]
    """Outcome of each answer against the reference."""


class DiversityRow(Frozen):
    """A setting with its diversity, accuracy and valid outputs side by side."""

    decoding: Decoding
    """The setting."""
    items: int
    """Items sampled."""
    mean_unique_ratio: float | Missing
    """Mean over the items with a valid answer."""
    mean_entropy: float | Missing
    """Mean over the items with a valid answer, in nats."""
    valid_outputs: Proportion | Missing
    """Samples with an answer among all."""
    scores: Scores
    """Metrics over all samples."""


def merged(answers: Sequence[str], equal: Callable[[str, str], bool]) -> dict[str, str]:
    """Gives each different answer a representative, the first in the alphabet of those that the verifier calls equal to it.

    An answer is compared with the representatives so far, in order. Where a verifier is not transitive (a ~ b, b ~ c, not
    a ~ c) the result therefore still does not depend on the order of the samples.

    Args:
        answers: normalised answers.
        equal: whether a verifier calls two answers equal; review counts as not equal.

    Raises:
        GivenTypeError: when ``equal`` answers anything but True or False.
    """
    chosen: dict[str, str] = {}
    representatives: list[str] = []
    for answer in sorted(set(answers)):
        same = next((one for one in representatives if truth("what equal returned", equal(one, answer))), None)
        if same is None:
            representatives.append(answer)
        chosen[answer] = same or answer
    return chosen


def diversity(answers: Sequence[str | None], equal: Callable[[str, str], bool] | None = None) -> Diversity:
    """Diversity of one question's samples.

    Args:
        answers: normalised answers; None where none parsed.
        equal: whether a verifier calls two answers equal; None where only the same text is.

    Raises:
        GivenTypeError: for an answer that is neither text nor None, or when ``equal`` answers anything but True or False.
    """
    valid = [answer for answer in answers if answer is not None]
    if not all(isinstance(answer, str) for answer in valid):
        raise GivenTypeError("An answer is neither a text nor None.", "Give normalised answers.")
    if not valid:
        none = Missing(reason="No sample has an answer.", code="no_valid_answer")
        return Diversity(total=len(answers), valid=0, distinct=0, unique_ratio=none, entropy=none)
    same = merged(valid, equal) if equal else {answer: answer for answer in valid}
    counts = Counter(same[answer] for answer in valid)
    terms = sorted(count / len(valid) * math.log(len(valid) / count) for count in counts.values())
    return Diversity(
        total=len(answers),
        valid=len(valid),
        distinct=len(counts),
        unique_ratio=Fraction(len(counts), len(valid)),
        entropy=math.fsum(terms),
    )


def _mean(values: Sequence[float | Fraction]) -> float | Missing:
    if not values:
        return Missing(reason="No item has a valid answer.", code="no_valid_answer")
    return float(sum((Fraction(value) for value in values), Fraction(0)) / len(values))


def diversity_table(
    runs: Sequence[tuple[Decoding, Sequence[SampledItem]]], equal: Callable[[str, str], bool] | None = None
) -> tuple[DiversityRow, ...]:
    """One row a setting tried on the development split, sorted by temperature and nucleus.

    Args:
        runs: settings with the samples of the same items.
        equal: as for ``diversity``.

    Raises:
        GivenTypeError: as ``diversity``.
        GivenValueError: when the settings were tried on different items, or answers and outcomes differ in number.
    """
    if len({tuple(sorted(one.item for one in sampled)) for _, sampled in runs}) > 1:
        raise GivenValueError("The settings were tried on different items.", "Sample the same items under each.")
    rows = []
    for decoding, sampled in sorted(runs, key=lambda run: (run[0].temperature, run[0].top_p)):
        if odd := [one.item for one in sampled if len(one.answers) != len(one.outcomes)]:
            raise GivenValueError(f"Item {odd[0]} has not one outcome an answer.", "Give one outcome an answer.")
        each = [diversity(one.answers, equal) for one in sampled]
        rows.append(
            DiversityRow(
                decoding=decoding,
                items=len(each),
                mean_unique_ratio=_mean([one.unique_ratio for one in each if not isinstance(one.unique_ratio, Missing)]),
                mean_entropy=_mean([one.entropy for one in each if not isinstance(one.entropy, Missing)]),
                valid_outputs=proportion(sum(one.valid for one in each), sum(one.total for one in each)),
                scores=scores(outcome for one in sampled for outcome in one.outcomes),
            )
        )
    return tuple(rows)
