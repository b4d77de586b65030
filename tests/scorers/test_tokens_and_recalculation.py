"""Likelihood scores from kept log-probabilities, and the deterministic scorer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from conformed.evaluation.scorers.score import Score
from conformed.model.base import Missing
from conformed_plugins.scorers.options import TokenOptions
from conformed_plugins.scorers.recalculation import RecalculationScorer
from conformed_plugins.scorers.tokens import TokenScorer

LOGPROBS = [-1.0, -2.0, -0.25, -0.75]


@pytest.mark.parametrize(
    ("options", "value", "tokens"),
    [
        ({"way": "sum"}, -4.0, 4),
        ({"way": "mean"}, -1.0, 4),
        ({"way": "terminal"}, -1.0, 2),
        ({"way": "penalised", "alpha": 0}, -4.0, 4),
        ({"way": "penalised", "alpha": 1}, -4.0 / 1.5, 4),
    ],
)
def test_four_ways_each_with_its_tokens(options: dict[str, Any], value: float, tokens: int) -> None:
    """Sum, mean, final field alone and length penalty, by hand; each says how many tokens it is over."""
    (got,) = TokenScorer(TokenOptions(**options)).score([{"logprobs": LOGPROBS, "terminal_tokens": 2}])
    assert isinstance(got, Score)
    assert got.value == pytest.approx(value)
    assert got.tokens == tokens


def test_no_likelihood_is_a_confidence() -> None:
    """A likelihood scorer never gives a number that reads as a probability of being right: its card says logarithm."""
    (got,) = TokenScorer(TokenOptions(way="sum")).score([{"logprobs": LOGPROBS, "terminal_tokens": 2}])
    assert isinstance(got, Score)
    assert got.value < 0


@pytest.mark.parametrize(("way", "logprobs", "code"), [("sum", [], "no_logprobs"), ("terminal", LOGPROBS, "no_terminal_field")])
def test_what_was_not_kept_is_missing(way: Any, logprobs: list[float], code: str) -> None:
    """Without log-probabilities, or without knowing the final field, there is a reason in place of a number."""
    (got,) = TokenScorer(TokenOptions(way=way)).score([{"logprobs": logprobs, "terminal_tokens": 0}])
    assert isinstance(got, Missing)
    assert got.code == code


@pytest.mark.parametrize("options", [{"way": "average"}, {"alpha": math.nan}, {"alpha": 2}, {"scale": 1}])
def test_options_are_strict(options: dict[str, Any]) -> None:
    """An unknown way, an alpha outside 0 to 1 and an unknown option are refused."""
    with pytest.raises(ValueError):
        TokenOptions(**options)


@pytest.mark.parametrize(
    ("calculation", "answer", "wanted"),
    [
        ("(2 + 3)*4", "20", 1.0),
        ("1/3 + 1/6", "1/2", 1.0),
        ("1/3 + 1/6", "0.5", 1.0),
        ("1/3", "0.3333", 0.0),
        ("7*8", "54", 0.0),
        ("7*8", None, "no_number"),
        ("7*8", "fifty-six", "no_number"),
        ("", "56", "no_calculation"),
        ("7/0", "56", "calculation_refused"),
        ("__import__('os')", "56", "calculation_refused"),
    ],
)
def test_recalculation(calculation: str, answer: str | None, wanted: Any) -> None:
    """1 for the exact value, 0 for another, and a reason where nothing can be told; text is never evaluated."""
    (got,) = RecalculationScorer().score([{"calculation": calculation, "answer": answer}])
    assert (got.code if isinstance(got, Missing) else got) == wanted
