"""Intervals of proportions: no share is reported without its number of trials and its interval.

Wilson's score interval: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
American Statistical Association 22 (1927), 209-212.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import NamedTuple

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, whole
from conformed.model.base import Frozen, Missing

__all__ = ["Z95", "Estimate", "Interval", "Proportion", "proportion", "wilson_interval", "z_of"]

Z95 = 1.959964
"""The standard normal's 97.5% point to six places, as the field writes it: of a two-sided interval of 95%."""


class Interval(NamedTuple):
    """Two ends, both included. Also a plain pair."""

    low: float
    """Lower end."""
    high: float
    """Upper end."""


class Proportion(Frozen):
    """A share with what makes it readable."""

    successes: int
    """How many."""
    trials: int
    """Of how many; at least 1."""
    interval: Interval
    """Wilson's interval."""
    level: float = 0.95
    """Coverage that the interval aims at."""

    @property
    def exact(self) -> Fraction:
        """The share itself, exact."""
        return Fraction(self.successes, self.trials)

    @property
    def value(self) -> float:
        """The share as a float, rounded once."""
        return self.successes / self.trials

    def words(self) -> str:
        """The share for people, for instance ``52/500 = 10.4% (8.0% to 13.4%)``."""
        low, high = self.interval
        return f"{self.successes}/{self.trials} = {self.value:.1%} ({low:.1%} to {high:.1%})"


class Estimate(Frozen):
    """A figure that is no share (a mean, a difference, a threshold) with its number of units and its interval."""

    value: float
    """The figure."""
    n: int
    """Of how many units: items, or groups of items where they were resampled."""
    interval: Interval
    """Its interval."""
    level: float
    """Coverage that the interval aims at."""
    method: str
    """How the interval was made, with seed and number of resamples where it was drawn."""


def z_of(level: float) -> float:
    """The standard normal's point for a two-sided interval.

    Args:
        level: coverage, strictly between 0 and 1.

    Raises:
        GivenTypeError: when it is no number.
        GivenValueError: when it is outside (0, 1).
    """
    level = float(finite("level", level))
    if not 0 < level < 1:
        raise GivenValueError(f"level is {level}.", "Give a coverage between 0 and 1, for instance 0.95.")
    return Z95 if level == 0.95 else NormalDist().inv_cdf((1 + level) / 2)


def wilson_interval(successes: int, trials: int, z: float = Z95) -> Interval:
    """Wilson's score interval of a proportion.

    Args:
        successes: from 0 to ``trials``.
        trials: at least 1.
        z: the standard normal's point, above 0; 95% unless told.

    Raises:
        GivenTypeError: for a bool or anything that is not of the type named.
        GivenValueError: for no trials, more successes than trials, or a z that is not finite and above 0.
    """
    trials = whole("trials", trials, least=1)
    successes = whole("successes", successes, most=trials)
    z = float(finite("z", z))
    if z <= 0:
        raise GivenValueError(f"z is {z}.", "Give a z above 0, for instance 1.96.")
    square = z * z
    if not math.isfinite(square):
        raise GivenValueError(f"z is {z}: its square is not finite.", "Give a z such as 1.96.")
    share = successes / trials
    centre = share + square / (2 * trials)
    # The square root of the score equation's discriminant, which is never negative.
    half = z * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    below = 1 + square / trials
    # At the two ends of the scale the interval touches it exactly; rounding must not say otherwise.
    low = 0.0 if successes == 0 else max(0.0, (centre - half) / below)
    high = 1.0 if successes == trials else min(1.0, (centre + half) / below)
    return Interval(low, high)


def proportion(successes: int, trials: int, *, level: float = 0.95, of: str = "") -> Proportion | Missing:
    """A share with its interval, or the reason why there is none.

    Args:
        successes: from 0 to ``trials``.
        trials: 0 gives Missing.
        level: coverage of the interval.
        of: what the trials are, in words, for the reason.

    Raises:
        GivenTypeError: for a bool or anything that is not of the type named.
        GivenValueError: for counts that cannot be.
    """
    trials = whole("trials", trials)
    successes = whole("successes", successes, most=trials)
    if trials == 0:
        return Missing(reason=f"There is no trial to count{': ' + of if of else ''}.", code="no_trials")
    return Proportion(successes=successes, trials=trials, interval=wilson_interval(successes, trials, z_of(level)), level=level)
