"""Eligibility of a checkpoint on point values: each gate at its bound and one step beyond, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from conformed_plugins.training.gates import EvalSummary, checkpoint_gates, checkpoint_is_eligible

AT_THE_BOUND = {
    "accuracy": 0.8,
    "coverage": 0.98,
    "false_accept_rate": 0.01,
    "invalid_rate": 0.01,
    "mean_response_tokens": 512.0,
    "retention_accuracy": 0.95,
}


def _eligible(minimum: Any = 0.8, **changes: Any) -> bool:
    return checkpoint_is_eligible(EvalSummary(**{**AT_THE_BOUND, **changes}), minimum_accuracy=minimum)


def test_the_vectors(vectors: Any) -> None:
    """The cases with right answers agree, refusals included."""
    for one in vectors("checkpoint_gate"):
        values = {name: one[name] for name in AT_THE_BOUND}
        if one.get("refused"):
            with pytest.raises(ValueError):
                _eligible(one["minimum_accuracy"], **values)
        else:
            assert _eligible(one["minimum_accuracy"], **values) is one["value"]


def test_every_bound_is_passed_when_met_exactly() -> None:
    """Equal to the bound is eligible."""
    assert _eligible() is True


@pytest.mark.parametrize(
    ("name", "beyond"),
    [
        ("accuracy", math.nextafter(0.8, 0)),
        ("coverage", math.nextafter(0.98, 0)),
        ("false_accept_rate", math.nextafter(0.01, 1)),
        ("invalid_rate", math.nextafter(0.01, 1)),
        ("mean_response_tokens", math.nextafter(512, 513)),
        ("retention_accuracy", math.nextafter(0.95, 0)),
    ],
)
def test_each_gate_alone_stops_a_checkpoint(name: str, beyond: float) -> None:
    """One value a single step of its float beyond the bound is enough, and that gate alone is not passed."""
    assert _eligible(**{name: beyond}) is False
    results = checkpoint_gates(EvalSummary(**{**AT_THE_BOUND, name: beyond}), 0.8)
    assert [one.gate for one in results if not one.passed] == [name]
    assert len(results) == 6


@pytest.mark.parametrize("name", [name for name in AT_THE_BOUND if name != "mean_response_tokens"])
@pytest.mark.parametrize("odd", [-1e-9, 1 + 1e-9, math.nan, math.inf, -math.inf])
def test_shares_outside_their_range_are_refused(name: str, odd: float) -> None:
    """A share that cannot be is an error, and not a gate that is not passed."""
    with pytest.raises(ValueError, match=name):
        _eligible(**{name: odd})


@pytest.mark.parametrize("odd", [-1.0, math.nan, math.inf])
def test_lengths_outside_their_range_are_refused(odd: float) -> None:
    """A mean length is finite and at least 0."""
    with pytest.raises(ValueError, match="mean_response_tokens"):
        _eligible(mean_response_tokens=odd)


@pytest.mark.parametrize("minimum", [-0.1, 1.1, math.nan, math.inf])
def test_the_minimum_is_a_share(minimum: float) -> None:
    """The owner's minimum is between 0 and 1."""
    with pytest.raises(ValueError, match="minimum_accuracy"):
        _eligible(minimum)


@pytest.mark.parametrize("odd", [True, "0.9", None])
def test_what_is_no_number_is_refused(odd: Any) -> None:
    """True is not 1, and a text is no share."""
    with pytest.raises(TypeError):
        _eligible(accuracy=odd)
    with pytest.raises(TypeError):
        _eligible(odd)


def test_refusal_goes_before_any_verdict() -> None:
    """A summary that fails one gate and cannot be at another is refused."""
    with pytest.raises(ValueError, match="retention_accuracy"):
        _eligible(accuracy=0.0, retention_accuracy=1.5)


def test_whole_and_exact_numbers_are_taken() -> None:
    """1, 512 and fractions are numbers too."""
    assert _eligible(Fraction(4, 5), accuracy=1, coverage=Fraction(98, 100), invalid_rate=0, mean_response_tokens=512) is True
