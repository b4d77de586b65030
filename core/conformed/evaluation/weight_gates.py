"""Gates of trained weights, declared in YAML before they are evaluated. Weights may be used only when every one is passed.

Twice the same six questions: on point values, which says whether a checkpoint is eligible at all, and on counts with their
intervals, which says whether it may be promoted. An interval is judged by the end that speaks against the weights, and what could
not be measured is not passed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field, model_validator

from conformed.errors import GivenValueError
from conformed.evaluation.given import finite, share, whole
from conformed.evaluation.intervals import Estimate, Interval, Proportion, proportion, z_of
from conformed.evaluation.scorers.gates import GateResult
from conformed.model.base import Exact, Frozen, Missing
from conformed.policy.refused import RefusedError

__all__ = [
    "Counted",
    "EvalSummary",
    "GateResult",
    "TokensCounted",
    "WeightCounts",
    "WeightGates",
    "interval_gates",
    "mean_tokens",
    "point_gates",
    "summary_of",
]

FEWEST = 30
"""Fewest responses of which the mean length is given an interval: under it the normal distribution says too little."""

Whole = Annotated[int, Field(ge=0, strict=True)]


class WeightGates(Frozen):
    """What trained weights must reach. The owner may ask for more than the defaults, never for less."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,63}$")]
    """Name of this set of gates; the file's name."""
    least_accuracy: Exact
    """Right answers of all items: the owner's minimum."""
    least_coverage: Exact = Fraction(98, 100)
    """Items that could be judged, right or wrong, of all items."""
    most_false_accepts: Exact = Fraction(1, 100)
    """Answers that would be taken and must not be, of all items."""
    most_invalid: Exact = Fraction(1, 100)
    """Responses without the asked form, of all items."""
    most_tokens: Exact = Fraction(512)
    """Mean tokens of a response."""
    least_retention: Exact = Fraction(95, 100)
    """Right answers of the retention set: what the weights must not have unlearned."""
    confidence: Exact = Fraction(95, 100)
    """Coverage that the intervals aim at; a higher one asks for more items."""

    @model_validator(mode="after")
    def _no_looser(self) -> WeightGates:
        if not 0 <= self.least_accuracy <= 1:
            raise RefusedError(f"least_accuracy is {self.least_accuracy}", "Give a number from 0 to 1.", ("least_accuracy",))
        for name in ("least_coverage", "most_false_accepts", "most_invalid", "most_tokens", "least_retention"):
            bound, asked = Fraction(type(self).model_fields[name].default), getattr(self, name)
            greatest = Fraction(1) if name.startswith("least") else bound
            least = bound if name.startswith("least") else Fraction(0)
            if not least <= asked <= greatest:
                raise RefusedError(f"{name} is {asked}", f"Give a number from {least} to {greatest}.", (name,))
        if not Fraction(95, 100) <= self.confidence < 1:
            raise RefusedError(f"confidence is {self.confidence}", "Give 0.95 or more, and less than 1.", ("confidence",))
        return self


class Counted(Frozen):
    """How many of how many."""

    successes: Whole
    """How many."""
    trials: Whole
    """Of how many; 0 where nothing was tried, and then no gate on it is passed."""

    @model_validator(mode="after")
    def _within(self) -> Counted:
        if self.successes > self.trials:
            raise RefusedError(f"{self.successes} of {self.trials}", "Count the same items twice.", ("successes",))
        return self


class TokensCounted(Frozen):
    """Lengths of responses, as exact sums."""

    responses: Whole
    """How many responses."""
    total: Whole
    """Sum of their tokens."""
    squares: Whole
    """Sum of the squares of their tokens."""

    @model_validator(mode="after")
    def _possible(self) -> TokensCounted:
        if self.total**2 > self.responses * self.squares or self.squares < self.total:
            raise RefusedError("no lengths have these sums", "Make them with TokensCounted.of.", ("squares",))
        return self

    @classmethod
    def of(cls, lengths: Iterable[int]) -> TokensCounted:
        """Sums of lengths.

        Raises:
            GivenTypeError: for a length that is no whole number.
            GivenValueError: for one below 0.
        """
        known = [whole("a length", one) for one in lengths]
        return cls(responses=len(known), total=sum(known), squares=sum(one * one for one in known))


class WeightCounts(Frozen):
    """What an evaluation of weights counted."""

    accuracy: Counted
    """Right answers, of all items."""
    coverage: Counted
    """Items judged right or wrong, of all items."""
    false_accepts: Counted
    """Answers that would be taken and must not be, of all items."""
    invalid: Counted
    """Responses without the asked form, of all items."""
    retention: Counted
    """Right answers of the retention set, of all its items."""
    tokens: TokensCounted
    """Lengths of the responses."""


@dataclass(frozen=True, slots=True)
class EvalSummary:
    """Point values of an evaluation. They are checked when they are judged, so that nothing is judged unchecked."""

    accuracy: float
    """Right answers of all items, 0 to 1."""
    coverage: float
    """Items judged right or wrong, of all items, 0 to 1."""
    false_accept_rate: float
    """Answers that would be taken and must not be, of all items, 0 to 1."""
    invalid_rate: float
    """Responses without the asked form, of all items, 0 to 1."""
    mean_response_tokens: float
    """Mean tokens of a response, 0 or more."""
    retention_accuracy: float
    """Right answers of the retention set, 0 to 1."""


def point_gates(summary: EvalSummary, gates: WeightGates) -> tuple[GateResult, ...]:
    """Holds point values against gates. Equal to the bound is passed.

    A binary float is held against the decimal number that it is written as: 0.95 reaches 0.95 and 0.01 stays within 0.01.

    Raises:
        GivenTypeError: for a value that is no number, a bool included.
        GivenValueError: for a value that is not finite or outside its range.
    """
    rates = ("accuracy", "coverage", "false_accept_rate", "invalid_rate", "retention_accuracy")
    found = {name: _written(share(name, getattr(summary, name))) for name in rates}
    found["mean_response_tokens"] = _written(finite("mean_response_tokens", summary.mean_response_tokens, least=0))
    return (
        _held("accuracy", found["accuracy"], gates.least_accuracy),
        _held("coverage", found["coverage"], gates.least_coverage),
        _held("false_accept_rate", found["false_accept_rate"], gates.most_false_accepts, most=True),
        _held("invalid_rate", found["invalid_rate"], gates.most_invalid, most=True),
        _held("mean_response_tokens", found["mean_response_tokens"], gates.most_tokens, most=True),
        _held("retention_accuracy", found["retention_accuracy"], gates.least_retention),
    )


def interval_gates(counts: WeightCounts, gates: WeightGates) -> tuple[GateResult, ...]:
    """Holds counts against gates: Wilson's interval of each share, the normal one of the mean length.

    To be sure of at most 1% takes many items: with none at all to object to, 381 at a level of 95%.
    """
    level = float(gates.confidence)
    return (
        _share("accuracy", counts.accuracy, gates.least_accuracy, level),
        _share("coverage", counts.coverage, gates.least_coverage, level),
        _share("false_accept_rate", counts.false_accepts, gates.most_false_accepts, level, most=True),
        _share("invalid_rate", counts.invalid, gates.most_invalid, level, most=True),
        _length("mean_response_tokens", counts.tokens, gates.most_tokens, level),
        _share("retention_accuracy", counts.retention, gates.least_retention, level),
    )


def mean_tokens(tokens: TokensCounted, *, level: float = 0.95) -> Estimate | Missing:
    """Mean length with the normal interval of a mean, or the reason why there is none.

    Args:
        tokens: the lengths.
        level: coverage of the interval.

    Raises:
        GivenTypeError: when the level is no number.
        GivenValueError: when the level is outside (0, 1).
    """
    z, n = z_of(level), tokens.responses
    if n < FEWEST:
        return Missing(reason=f"{n} responses are too few for an interval of their mean; {FEWEST} are not.", code="too_few")
    mean = Fraction(tokens.total, n)
    # The sums are exact, so that the variance of equal lengths is 0 and nothing is lost to cancellation.
    variance = Fraction(n * tokens.squares - tokens.total**2, n * (n - 1))
    half = z * math.sqrt(variance / n)
    interval = Interval(max(0.0, float(mean) - half), float(mean) + half)
    return Estimate(value=float(mean), n=n, interval=interval, level=level, method="normal interval of a mean")


def summary_of(counts: WeightCounts) -> EvalSummary:
    """Point values of counts.

    Raises:
        GivenValueError: where nothing was tried.
    """
    return EvalSummary(
        accuracy=_rate("accuracy", counts.accuracy.successes, counts.accuracy.trials),
        coverage=_rate("coverage", counts.coverage.successes, counts.coverage.trials),
        false_accept_rate=_rate("false_accepts", counts.false_accepts.successes, counts.false_accepts.trials),
        invalid_rate=_rate("invalid", counts.invalid.successes, counts.invalid.trials),
        mean_response_tokens=_rate("tokens", counts.tokens.total, counts.tokens.responses),
        retention_accuracy=_rate("retention", counts.retention.successes, counts.retention.trials),
    )


def _rate(name: str, total: int, trials: int) -> float:
    if not trials:
        raise GivenValueError(f"Nothing was tried for {name}.", "Evaluate at least one item.")
    return total / trials


def _written(value: float | Fraction) -> Fraction:
    """The decimal number that a float is written as; 0.98 is 98/100 here, as whoever wrote it meant."""
    return Fraction(value) if isinstance(value, int | Fraction) else Fraction(repr(float(value)))


def _held(gate: str, found: Fraction, bound: Fraction, *, most: bool = False) -> GateResult:
    passed = found <= bound if most else found >= bound
    return GateResult(gate=gate, passed=passed, found=f"{float(found):g}; at {'most' if most else 'least'} {float(bound):g}.")


def _share(gate: str, counted: Counted, bound: Fraction, level: float, *, most: bool = False) -> GateResult:
    found = proportion(counted.successes, counted.trials, level=level, of=gate)
    return _within(gate, found, bound, f"{float(bound):g}", most=most)


def _length(gate: str, tokens: TokensCounted, bound: Fraction, level: float) -> GateResult:
    return _within(gate, mean_tokens(tokens, level=level), bound, f"{float(bound):g} tokens", most=True)


def _within(gate: str, found: Proportion | Estimate | Missing, bound: Fraction, said: str, *, most: bool) -> GateResult:
    if isinstance(found, Missing):
        return GateResult(gate=gate, passed=False, found=f"Not measured: {found.reason}")
    end = found.interval.high if most else found.interval.low
    words = found.words() if isinstance(found, Proportion) else _words(found)
    passed = end <= bound if most else end >= bound
    return GateResult(gate=gate, passed=passed, found=f"{words}; the whole interval at {'most' if most else 'least'} {said}.")


def _words(found: Estimate) -> str:
    return f"{found.value:.1f} ({found.interval.low:.1f} to {found.interval.high:.1f}) over {found.n}"
