"""Gates of weights with intervals: figures by hand, the end that speaks against, and gates that nobody can loosen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from conformed.errors import PolicyError
from conformed.evaluation.intervals import Estimate, wilson_interval
from conformed.evaluation.weight_gates import (
    Counted,
    TokensCounted,
    WeightCounts,
    WeightGates,
    interval_gates,
    mean_tokens,
    point_gates,
    summary_of,
)
from conformed.model.base import Missing
from conformed.policy.load import load_text

GATES = WeightGates(name="policy", least_accuracy=Fraction(4, 5))
YAML = 'name: policy\nleast_accuracy: "4/5"\n'


def _counts(**changes: Any) -> WeightCounts:
    """A thousand items, and not one to object to."""
    every, none = Counted(successes=1000, trials=1000), Counted(successes=0, trials=1000)
    plain: dict[str, Any] = {"accuracy": every, "coverage": every, "false_accepts": none, "invalid": none, "retention": every}
    return WeightCounts(**{**plain, "tokens": TokensCounted.of([100] * 1000), **changes})


def _failed(**changes: Any) -> list[str]:
    return [one.gate for one in interval_gates(_counts(**changes), GATES) if not one.passed]


def test_flawless_counts_pass() -> None:
    """A thousand right answers, none wrongly taken, all of 100 tokens: six gates, all passed."""
    assert len(interval_gates(_counts(), GATES)) == 6
    assert _failed() == []


@pytest.mark.parametrize(
    ("field", "gate", "trials", "passing", "most"),
    [
        ("accuracy", "accuracy", 1000, 825, False),
        ("coverage", "coverage", 1000, 989, False),
        ("retention", "retention_accuracy", 1000, 964, False),
        ("false_accepts", "false_accept_rate", 1000, 3, True),
        ("invalid", "invalid_rate", 1000, 3, True),
    ],
)
def test_each_gate_looks_at_the_worse_end(field: str, gate: str, trials: int, passing: int, most: bool) -> None:
    """The last count whose whole interval is within the bound passes and the next does not, though its point is well within."""
    worse = passing + 1 if most else passing - 1
    assert _failed(**{field: Counted(successes=passing, trials=trials)}) == []
    assert _failed(**{field: Counted(successes=worse, trials=trials)}) == [gate]
    bound = {"accuracy": 0.8, "coverage": 0.98, "retention": 0.95}.get(field, 0.01)
    low, high = wilson_interval(worse, trials)
    assert (worse / trials < bound < high) if most else (low < bound < worse / trials)


def test_few_items_prove_nothing() -> None:
    """None of 380 wrongly taken does not yet show at most 1%; none of 381 does."""
    assert _failed(false_accepts=Counted(successes=0, trials=380)) == ["false_accept_rate"]
    assert _failed(false_accepts=Counted(successes=0, trials=381)) == []


@pytest.mark.parametrize("field", ["accuracy", "coverage", "false_accepts", "invalid", "retention"])
def test_what_was_not_tried_is_not_passed(field: str) -> None:
    """Nothing wrong of nothing tried is no pass, and the result says that it was not measured."""
    results = interval_gates(_counts(**{field: Counted(successes=0, trials=0)}), GATES)
    (failed,) = [one for one in results if not one.passed]
    assert failed.found.startswith("Not measured")


def test_mean_length_by_hand() -> None:
    """Fifty responses of 400 tokens and fifty of 600: mean 500, sample variance 10,000 x 100/99, half width 1.96 of a hundredth of it."""
    tokens = TokensCounted.of([400, 600] * 50)
    found = mean_tokens(tokens)
    assert isinstance(found, Estimate)
    half = 1.959964 * math.sqrt(10_000 * 100 / 99 / 100)
    assert found.value == 500
    assert found.interval == pytest.approx((500 - half, 500 + half), rel=1e-12)
    assert _failed(tokens=tokens) == ["mean_response_tokens"]  # 500 is within 512 and 519.7 is not
    assert _failed(tokens=TokensCounted.of([500] * 100)) == []
    assert _failed(tokens=TokensCounted.of([512] * 100)) == []
    assert _failed(tokens=TokensCounted.of([513] * 100)) == ["mean_response_tokens"]


def test_few_lengths_have_no_interval() -> None:
    """Of 29 responses no interval is given, and the gate is not passed."""
    assert isinstance(mean_tokens(TokensCounted.of([5] * 29)), Missing)
    assert _failed(tokens=TokensCounted.of([5] * 29)) == ["mean_response_tokens"]
    assert _failed(tokens=TokensCounted.of([5] * 30)) == []


@settings(max_examples=100)
@given(st.lists(st.integers(0, 4000), min_size=30, max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_an_interval_that_passes_passes_on_the_point(lengths: list[int], right: int, wrong: int) -> None:
    """The gates on intervals are never the easier ones."""
    counts = WeightCounts(
        accuracy=Counted(successes=right, trials=60),
        coverage=Counted(successes=60 - wrong, trials=60),
        false_accepts=Counted(successes=wrong, trials=60),
        invalid=Counted(successes=min(right, wrong), trials=60),
        retention=Counted(successes=right, trials=60),
        tokens=TokensCounted.of(lengths),
    )
    points = point_gates(summary_of(counts), GATES)
    intervals = interval_gates(counts, GATES)
    assert [one.gate for one in points] == [one.gate for one in intervals]
    assert not any(interval.passed and not point.passed for point, interval in zip(points, intervals, strict=True))


def test_points_of_counts() -> None:
    """Counts give the point values that eligibility is judged by; nothing tried gives none."""
    summary = summary_of(_counts(accuracy=Counted(successes=3, trials=4), tokens=TokensCounted.of([1, 2])))
    assert (summary.accuracy, summary.coverage, summary.false_accept_rate, summary.mean_response_tokens) == (0.75, 1.0, 0.0, 1.5)
    with pytest.raises(ValueError, match="retention"):
        summary_of(_counts(retention=Counted(successes=0, trials=0)))


def test_a_higher_level_is_harder() -> None:
    """825 of 1,000 pass a minimum of 0.8 at 95% and not at 99.9%."""
    surer = GATES.model_copy(update={"confidence": Fraction(999, 1000)})
    counts = _counts(accuracy=Counted(successes=825, trials=1000))
    assert interval_gates(counts, GATES)[0].passed
    assert not interval_gates(counts, surer)[0].passed


def test_gates_from_yaml() -> None:
    """The defaults are those of the product, and numbers are exact."""
    got = load_text(YAML, WeightGates, name="gates.yaml").value
    assert got == GATES
    assert (got.least_coverage, got.most_false_accepts, got.most_tokens) == (Fraction(49, 50), Fraction(1, 100), Fraction(512))
    stricter = load_text(
        YAML + 'least_coverage: "0.99"\nmost_tokens: 128\nconfidence: "0.99"\n', WeightGates, name="gates.yaml"
    ).value
    assert (stricter.least_coverage, stricter.most_tokens, stricter.confidence) == (
        Fraction(99, 100),
        Fraction(128),
        Fraction(99, 100),
    )


@pytest.mark.parametrize(
    "line",
    [
        'least_coverage: "0.97"',
        'most_false_accepts: "0.02"',
        'most_invalid: "0.011"',
        "most_tokens: 513",
        'least_retention: "0.94"',
        'least_retention: "1.1"',
        'most_invalid: "-1/100"',
        'confidence: "0.9"',
        'confidence: "1"',
        "surprise: 1",
    ],
)
def test_gates_cannot_be_loosened(line: str) -> None:
    """Every bound may be asked for more strictly, and none less."""
    with pytest.raises(PolicyError, match=r"gates\.yaml:3:"):
        load_text(YAML + line + "\n", WeightGates, name="gates.yaml")


@pytest.mark.parametrize(
    "text", ["name: policy\n", 'name: policy\nleast_accuracy: "1.2"\n', 'name: Policy!\nleast_accuracy: "1/2"\n']
)
def test_the_owner_must_name_a_minimum(text: str) -> None:
    """There is no default accuracy, and none outside 0 to 1."""
    with pytest.raises(PolicyError):
        load_text(text, WeightGates, name="gates.yaml")


@pytest.mark.parametrize(("successes", "trials"), [(2, 1), (-1, 1), (True, 1), (1.0, 1), (0, -1)])
def test_counts_refused(successes: Any, trials: Any) -> None:
    """Counts are whole, and no more than there were trials."""
    with pytest.raises(ValidationError):
        Counted(successes=successes, trials=trials)


@pytest.mark.parametrize(("responses", "total", "squares"), [(2, 4, 7), (0, 1, 1), (3, 2, 1)])
def test_sums_that_no_lengths_have_are_refused(responses: int, total: int, squares: int) -> None:
    """Squares are never too few for their total, and what has no length has no sum."""
    with pytest.raises(ValidationError):
        TokensCounted(responses=responses, total=total, squares=squares)
