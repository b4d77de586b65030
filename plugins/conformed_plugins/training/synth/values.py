"""Values of the slots, drawn from a seed: levels, dates, names, numbers. No set order, no clock, no hash()."""

from __future__ import annotations

import calendar
import datetime as dt
import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from conformed_plugins.training.synth.words import MONTHS

__all__ = ["OUTSIDE", "TRAINING", "Draw", "Ranges", "day_in"]

_T = TypeVar("_T")


class Ranges(NamedTuple):
    """What values are drawn from."""

    name: str
    """Tag of the items: ``training`` or ``outside``."""
    levels: tuple[tuple[int, int], ...]
    """First and last level of each part, in hundredths."""
    years: tuple[int, int]
    """First and last year."""
    amounts: tuple[int, int]
    """First and last amount of debt, in millions."""


TRAINING = Ranges("training", ((200, 545),), (2023, 2029), (20, 400))
"""Every split but ``values``."""
OUTSIDE = Ranges("outside", ((105, 195), (550, 945)), (2030, 2036), (410, 900))
"""The split ``values``: no level and no year of it is in training."""


class Draw:
    """Draws of one item. The same words give the same draws on every machine.

    Args:
        words: seed, split, task, number and attempt, joined.
        ranges: what levels and dates are drawn from.
    """

    def __init__(self, words: str, ranges: Ranges = TRAINING) -> None:
        self._random = random.Random(words).random  # noqa: S311 - data sets are to repeat, not to be secret
        self.ranges = ranges

    def below(self, count: int) -> int:
        """A whole number from 0 to ``count - 1``."""
        return int(self._random() * count)

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return choices[int(self._random() * len(choices))]

    def shuffled(self, choices: Sequence[_T]) -> list[_T]:
        """The choices in another order."""
        rest = list(choices)
        for last in range(len(rest) - 1, 0, -1):
            other = self.below(last + 1)
            rest[last], rest[other] = rest[other], rest[last]
        return rest

    def hundredths(self) -> int:
        """A level in hundredths, in steps of five."""
        low, high = self.pick(self.ranges.levels)
        return low + 5 * self.below((high - low) // 5 + 1)

    def amount(self) -> int:
        """An amount of debt, in millions."""
        low, high = self.ranges.amounts
        return low + self.below(high - low + 1)

    def level(self, hundredths: int) -> str:
        """A level as contracts write it: ``3.75 to 1.00``, ``3.75:1.00``, ``3.75:1``, ``3.75x``."""
        number = f"{hundredths // 100}.{hundredths % 100:02d}"
        return number + self.pick((" to 1.00", " to 1.00", ":1.00", ":1", "x"))

    def date(self, after: dt.date | None = None, before: dt.date | None = None) -> dt.date:
        """A date, after one date and before another where they are given. Half of them end a quarter."""
        first, last = self.ranges.years
        while True:
            year = first + self.below(last - first + 1)
            quarter_end = self.below(2) == 0
            month = 3 * (1 + self.below(4)) if quarter_end else 1 + self.below(12)
            days = calendar.monthrange(year, month)[1]
            day = dt.date(year, month, days if quarter_end else 1 + self.below(days))
            if (after is None or day > after) and (before is None or day < before):
                return day


def day_in(style: str, day: dt.date) -> str:
    """``June 30, 2026`` in US style, ``30 June 2026`` in UK style."""
    name = MONTHS[day.month - 1]
    return f"{name} {day.day}, {day.year}" if style == "us" else f"{day.day} {name} {day.year}"
