"""Stop rules that a program can check: ``SERIES above NUMBER for N updates``. Any other sentence of a plan is for people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformed.errors import GivenValueError
from conformed_plugins.training.runs.names import about
from conformed_plugins.training.runs.series import Series

__all__ = ["StopRule", "check_rules", "met", "stop_rule"]

_RULE = re.compile(
    r"\s*(?P<series>[a-z][A-Za-z0-9_.:-]*)\s+(?P<side>above|below)\s+(?P<limit>-?[0-9]{1,12}(?:\.[0-9]{1,12})?)"
    r"(?:\s+for\s+(?P<times>[1-9][0-9]{0,4})\s+(?:updates?|evaluations?))?\s*\.?\s*"
)


@dataclass(frozen=True, slots=True)
class StopRule:
    """One rule that can be checked."""

    text: str
    """As it stands in the plan."""
    series: str
    """Which series."""
    above: bool
    """Whether it is met above the limit, or below it; never at it."""
    limit: float
    """The limit: the double next to the decimal that stands there, so that a recorded 0.2 is at 0.2 and not above it."""
    times: int
    """For how many figures in a row."""

    def met(self, series: Series) -> int | None:
        """The first update at which it was met; None where it never was."""
        row = 0
        for update, value in series.of(self.series):
            row = row + 1 if (value > self.limit if self.above else value < self.limit) else 0
            if row >= self.times:
                return update
        return None


def stop_rule(text: str) -> StopRule | None:
    """Reads a rule; None for a sentence of another form."""
    found = _RULE.fullmatch(text)
    if found is None:
        return None
    return StopRule(text, found["series"], found["side"] == "above", float(found["limit"]), int(found["times"] or 1))


def check_rules(rules: Iterable[str]) -> None:
    """Refuses a rule over a series that is not in the table: it would never be met.

    Raises:
        GivenValueError: naming rule and series.
    """
    for text in rules:
        rule = stop_rule(text)
        if rule is not None and about(rule.series) is None:
            raise GivenValueError(
                f"The stop rule {text!r} is over {rule.series}, which is no series.", "See docs/training-runs.md."
            )


def met(rules: Iterable[str], series: Series) -> tuple[tuple[str, int], ...]:
    """Rules that were met, each with the first update, in the order of the plan."""
    found = ((rule.text, rule.met(series)) for text in rules if (rule := stop_rule(text)) is not None)
    return tuple((text, update) for text, update in found if update is not None)
