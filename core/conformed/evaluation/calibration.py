"""Calibration: whether a score means what it says, for a named event on held-out labels.

Brier score: G. W. Brier, Monthly Weather Review 78 (1950), 1-3. Its decomposition: A. H. Murphy, Journal of Applied Meteorology
12 (1973), 595-600; with the two terms of what varies inside a bin, without which it does not add up when scores are binned:
D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe, Weather and Forecasting 23 (2008), 752-757.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import groupby

from conformed.errors import GivenValueError
from conformed.evaluation.given import one_of, share, truth, whole
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.base import Frozen, Missing

__all__ = ["Brier", "Calibration", "Event", "ReliabilityBin", "brier", "calibration"]


class Event(StrEnum):
    """What a confidence is of. A score without its event is no confidence."""

    NEXT_TOKEN = "next_token"  # noqa: S105 - a token of text
    ANSWER_CORRECT = "answer_correct"
    TESTS_PASS = "tests_pass"  # noqa: S105 - the tests of a program
    REVIEWER_PREFERS = "reviewer_prefers"
    CLAIM_SUPPORTED = "claim_supported"
    ACTION_SAFE = "action_safe"


class Brier(Frozen):
    """score = reliability − resolution + uncertainty + within_variance − within_covariance.

    The equation is exact; each term is computed as a fraction and rounded once.
    """

    score: float
    """Mean squared difference of score and event: 0 is perfect."""
    reliability: float
    """How far a bin's mean score is from what was observed in it; 0 is calibrated."""
    resolution: float
    """How far the bins' frequencies are from the overall one; more is better."""
    uncertainty: float
    """Variance of the event itself; no score changes it."""
    within_variance: float
    """Variance of the scores inside the bins; 0 where each bin holds one score."""
    within_covariance: float
    """Twice the covariance of scores and events inside the bins; 0 where each bin holds one score."""


class ReliabilityBin(Frozen):
    """One point of the reliability diagram."""

    low: float
    """Lower edge, included."""
    high: float
    """Upper edge, excluded but for the last bin."""
    count: int
    """Scores in the bin."""
    mean_score: float | None
    """Their mean; None in an empty bin."""
    observed: Proportion | Missing
    """How often the event happened among them."""


class Calibration(Frozen):
    """How a score stands to what was observed."""

    event: Event
    """What the score is a confidence of."""
    n: int
    """Labelled scores."""
    base_rate: Proportion | Missing
    """How often the event happened at all."""
    brier: Brier
    """Brier score and its terms, over the same bins."""
    bins: tuple[ReliabilityBin, ...]
    """The reliability diagram, bins in order, empty ones too."""
    expected_error: float
    """Expected calibration error: mean over scores of |mean score − frequency| of their bin. It depends on the bins."""
    greatest_error: float
    """The greatest such difference of a bin that is not empty."""
    binning: str
    """How the bins were made."""


_Pair = tuple[Fraction, bool]


def _pairs(scores: Sequence[float | Fraction], events: Sequence[bool]) -> list[_Pair]:
    if len(scores) != len(events):
        raise GivenValueError(f"There are {len(scores)} scores and {len(events)} events.", "Give one event a score.")
    if not scores:
        raise GivenValueError("There is no score.", "Give at least one score with its event.")
    return [(Fraction(share("a score", score)), truth("an event", event)) for score, event in zip(scores, events, strict=True)]


def _mean(numbers: Sequence[Fraction | int]) -> Fraction:
    return Fraction(sum(numbers), len(numbers)) if numbers else Fraction(0)


def _terms(pairs: Sequence[_Pair], groups: Sequence[Sequence[_Pair]]) -> tuple[Fraction, ...]:
    """The Brier score and its five terms, exact."""
    n = len(pairs)
    overall = _mean([int(event) for _, event in pairs])
    score = _mean([(value - event) ** 2 for value, event in pairs])
    reliability = resolution = variance = covariance = Fraction(0)
    for group in groups:
        mean, observed = _mean([value for value, _ in group]), _mean([int(event) for _, event in group])
        reliability += len(group) * (mean - observed) ** 2
        resolution += len(group) * (observed - overall) ** 2
        variance += sum((value - mean) ** 2 for value, _ in group)
        covariance += 2 * sum((event - observed) * (value - mean) for value, event in group)
    return score, reliability / n, resolution / n, overall * (1 - overall), variance / n, covariance / n


def _rounded(terms: tuple[Fraction, ...]) -> Brier:
    score, reliability, resolution, uncertainty, variance, covariance = map(float, terms)
    return Brier(
        score=score,
        reliability=reliability,
        resolution=resolution,
        uncertainty=uncertainty,
        within_variance=variance,
        within_covariance=covariance,
    )


def brier(scores: Sequence[float | Fraction], events: Sequence[bool]) -> Brier:
    """The Brier score with a bin for each distinct score, so that both within-bin terms are 0 (Murphy's form).

    Args:
        scores: from 0 to 1.
        events: whether the event happened, one a score.

    Raises:
        GivenTypeError: for a score that is no number or an event that is no bool.
        GivenValueError: for a score outside 0 to 1, unequal lengths or no scores.
    """
    pairs = sorted(_pairs(scores, events))
    return _rounded(_terms(pairs, [list(group) for _, group in groupby(pairs, key=lambda pair: pair[0])]))


def _equal_mass(pairs: Sequence[_Pair], bins: int) -> list[tuple[Fraction, list[_Pair]]]:
    """Bins of about equal count, in order, each with its lower edge; equal scores are never parted, so there may be fewer."""
    made: list[tuple[Fraction, list[_Pair]]] = []
    seen = 0
    for value, group in groupby(sorted(pairs), key=lambda pair: pair[0]):
        members = list(group)
        if not made or seen * bins >= len(made) * len(pairs):
            made.append((value if made else Fraction(0), []))
        made[-1][1].extend(members)
        seen += len(members)
    return made


def _equal_width(pairs: Sequence[_Pair], bins: int) -> list[tuple[Fraction, list[_Pair]]]:
    made: list[tuple[Fraction, list[_Pair]]] = [(Fraction(place, bins), []) for place in range(bins)]
    for pair in pairs:
        made[min(bins - 1, int(pair[0] * bins))][1].append(pair)
    return made


def calibration(
    scores: Sequence[float | Fraction],
    events: Sequence[bool],
    *,
    event: str,
    bins: int = 10,
    binning: str = "equal_width",
    level: float = 0.95,
) -> Calibration:
    """Calibration of a score for a named event.

    Args:
        scores: from 0 to 1, of items that were used for nothing else.
        events: whether the event happened, one a score.
        event: which event: next_token, answer_correct, tests_pass, reviewer_prefers, claim_supported or action_safe.
        bins: how many, at least 1.
        binning: ``equal_width``, or ``equal_mass`` (about equal counts, equal scores kept together).
        level: coverage of the intervals.

    Raises:
        GivenTypeError: for a score that is no number, or an event that is no bool.
        GivenValueError: for a score outside 0 to 1, unequal lengths, no scores, or an unknown event or binning.
    """
    named = Event(one_of("event", event, frozenset(str(one) for one in Event)))
    bins = whole("bins", bins, least=1)
    way = one_of("binning", binning, ("equal_width", "equal_mass"))
    pairs = _pairs(scores, events)
    made = _equal_width(pairs, bins) if way == "equal_width" else _equal_mass(pairs, bins)
    gaps = [abs(_mean([v for v, _ in group]) - _mean([int(e) for _, e in group])) for _, group in made]
    weighed = sum((gap * len(group) for gap, (_, group) in zip(gaps, made, strict=True)), Fraction(0))
    highs = [*(low for low, _ in made[1:]), Fraction(1)]
    return Calibration(
        event=named,
        n=len(pairs),
        base_rate=proportion(sum(e for _, e in pairs), len(pairs), level=level),
        brier=_rounded(_terms(pairs, [group for _, group in made if group])),
        bins=tuple(
            ReliabilityBin(
                low=float(low),
                high=float(high),
                count=len(group),
                mean_score=float(_mean([v for v, _ in group])) if group else None,
                observed=proportion(sum(e for _, e in group), len(group), level=level, of="no score is in this bin"),
            )
            for (low, group), high in zip(made, highs, strict=True)
        ),
        expected_error=float(weighed / len(pairs)),
        greatest_error=float(max(gap for gap, (_, group) in zip(gaps, made, strict=True) if group)),
        binning=f"{way}, {len(made)} bins",
    )
