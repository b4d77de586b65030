"""Risk and coverage: how often answers are wrong when only those with high scores are given.

R. El-Yaniv and Y. Wiener, "On the Foundations of Noise-free Selective Classification", Journal of Machine Learning Research 11
(2010), 1605-1641; area: Y. Geifman, G. Uziel and R. El-Yaniv, "Bias-Reduced Uncertainty Estimation for Deep Neural Classifiers"
(2019). Equal scores enter together: no threshold can part them, so no curve may.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, share, truth
from conformed.evaluation.intervals import Proportion, proportion
from conformed.model.base import Frozen, Missing

__all__ = ["RiskCurve", "RiskPoint", "coverage_at_risk", "risk_coverage"]


class RiskPoint(Frozen):
    """What happens when every answer with at least this score is given."""

    threshold: float
    """Lowest score given; one of the scores themselves."""
    coverage: Proportion | Missing
    """Answers given among all."""
    risk: Proportion | Missing
    """Wrong among those given."""


class RiskCurve(Frozen):
    """Risk against coverage, from the highest score down."""

    n: int
    """Answers with a score."""
    points: tuple[RiskPoint, ...]
    """One a distinct score, thresholds falling."""
    area: float
    """Area under the curve: each block of equal scores counts with its share of the answers at the risk reached with it."""
    best_area: float
    """The area of a score that puts every right answer before every wrong one."""

    @property
    def excess_area(self) -> float:
        """Area above that of the best order: what the score itself costs."""
        return self.area - self.best_area


def risk_coverage(scores: Sequence[float | Fraction], correct: Sequence[bool], *, level: float = 0.95) -> RiskCurve:
    """The risk-coverage curve.

    Args:
        scores: one finite number an answer; higher is surer. Not necessarily a confidence.
        correct: whether the answer is right, one a score.
        level: coverage of the intervals.

    Raises:
        GivenTypeError: for a score that is no number, or a judgement that is no bool.
        GivenValueError: for a score that is not finite, unequal lengths or no scores.
    """
    if len(scores) != len(correct):
        raise GivenValueError(f"There are {len(scores)} scores and {len(correct)} judgements.", "Give one judgement a score.")
    if not scores:
        raise GivenValueError("There is no score.", "Give at least one score with its judgement.")
    pairs = sorted(
        ((finite("a score", one), truth("a judgement", right)) for one, right in zip(scores, correct, strict=True)),
        key=lambda pair: pair[0],
        reverse=True,
    )
    given = wrong = 0
    areas = []
    points = []
    for threshold, block in groupby(pairs, key=lambda pair: pair[0]):
        judged = [right for _, right in block]
        given += len(judged)
        wrong += judged.count(False)
        areas.append(len(judged) * wrong / given)
        points.append(
            RiskPoint(
                threshold=float(threshold),
                coverage=proportion(given, len(pairs), level=level),
                risk=proportion(wrong, given, level=level),
            )
        )
    right = len(pairs) - wrong
    # With every right answer first, the risk is 0 up to there and (place − right)/place after.
    best = math.fsum((place - right) / place for place in range(right + 1, len(pairs) + 1))
    return RiskCurve(n=len(pairs), points=tuple(points), area=math.fsum(areas) / len(pairs), best_area=best / len(pairs))


def coverage_at_risk(curve: RiskCurve, greatest: float, *, by_upper_end: bool = True) -> RiskPoint | Missing:
    """The point of greatest coverage whose risk stays within a bound.

    The threshold is picked by looking at many points, so the risk of the one picked is flattered: state it on other data.

    Args:
        curve: from held-out answers.
        greatest: the bound, from 0 to 1.
        by_upper_end: whether the upper end of the risk's interval must be within the bound, not only the risk itself.

    Raises:
        GivenTypeError: when the bound is no number.
        GivenValueError: when it is outside 0 to 1.
    """
    share("greatest", greatest)
    kept = None
    for point in curve.points:
        risk = point.risk
        if isinstance(risk, Proportion) and (risk.interval.high if by_upper_end else risk.exact) <= greatest:
            kept = point
    if kept is None:
        return Missing(reason=f"No threshold keeps the risk within {greatest}.", code="risk_never_within_bound")
    return kept
