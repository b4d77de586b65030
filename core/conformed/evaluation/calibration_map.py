"""A calibration map: what a score has meant on held-out labels, as a rising step function with the counts behind each step.

Isotonic regression by pooling adjacent violators: M. Ayer et al., "An empirical distribution function for sampling with
incomplete information", Annals of Mathematical Statistics 26 (1955), 641-647. It assumes only that a higher score is no worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from typing import Annotated

from pydantic import Field

from conformed.errors import GivenValueError
from conformed.evaluation.calibration import Event
from conformed.evaluation.given import finite, one_of, truth
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.base import Frozen, Missing

__all__ = ["CalibrationMap", "CalibrationStep", "fit_calibration_map"]


class CalibrationStep(Frozen):
    """Scores that were pooled."""

    low: float
    """Lowest score of the step."""
    high: float
    """Highest score of the step."""
    observed: Proportion | Missing
    """How often the event happened among them, with its interval."""


class CalibrationMap(Frozen):
    """Score to observed frequency, for one event, scorer and data set."""

    event: Event
    """What the frequency is of."""
    scorer: str
    """Scorer and revision that the map belongs to."""
    labels_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Hash of the held-out labels."""
    n: int
    """Labelled scores."""
    steps: tuple[CalibrationStep, ...]
    """Scores and frequencies rising."""

    def observed(self, score: float, *, scorer: str) -> Proportion | Missing:
        """What was observed for scores like this one.

        Args:
            score: finite.
            scorer: scorer and revision that gave it.

        Returns:
            The proportion of the step that holds the score, or of the lower step where it lies between two: the cautious
            one. Missing for another scorer, and outside the scores that were seen.

        Raises:
            GivenTypeError: when the score is no number.
            GivenValueError: when it is not finite.
        """
        finite("score", score)
        if scorer != self.scorer:
            return Missing(reason=f"The map is of {self.scorer}, not of {scorer}. Calibrate it anew.", code="calibration_stale")
        if not self.steps[0].low <= score <= self.steps[-1].high:
            return Missing(reason="No held-out score was so low or so high.", code="score_outside_calibration")
        return next(step.observed for step in reversed(self.steps) if step.low <= score)


def fit_calibration_map(
    scores: Sequence[float], events: Sequence[bool], *, event: str, scorer: str, labels_sha256: str, level: float = 0.95
) -> CalibrationMap:
    """Fits the map on held-out labels. Judge it on others (``calibration``): on these it is calibrated by construction.

    Args:
        scores: finite numbers; not necessarily between 0 and 1.
        events: whether the event happened, one a score.
        event: which event.
        scorer: scorer and revision.
        labels_sha256: hash of the held-out labels.
        level: coverage of the intervals.

    Raises:
        GivenTypeError: for a score that is no number or an event that is no bool.
        GivenValueError: for a score that is not finite, unequal lengths, no scores, an unknown event or a hash that is none.
    """
    named = Event(one_of("event", event, frozenset(str(one) for one in Event)))
    if len(scores) != len(events) or not scores:
        raise GivenValueError(
            f"There are {len(scores)} scores and {len(events)} events.", "Give one event a score, at least one."
        )
    pairs = sorted(
        ((float(finite("a score", score)), truth("an event", happened)) for score, happened in zip(scores, events, strict=True)),
        key=lambda pair: pair[0],
    )
    pooled: list[tuple[float, float, int, int]] = []  # lowest and highest score, events, scores
    for score, group in groupby(pairs, key=lambda pair: pair[0]):
        happened = [event for _, event in group]
        block = (score, score, sum(happened), len(happened))
        while pooled and Fraction(pooled[-1][2], pooled[-1][3]) >= Fraction(block[2], block[3]):
            low, _, right, count = pooled.pop()
            block = (low, block[1], right + block[2], count + block[3])
        pooled.append(block)
    return CalibrationMap(
        event=named,
        scorer=scorer,
        labels_sha256=labels_sha256,
        n=len(pairs),
        steps=tuple(
            CalibrationStep(low=low, high=high, observed=proportion(right, count, level=level))
            for low, high, right, count in pooled
        ),
    )
