"""Risk and coverage: ties enter as one, the area is the mean risk, and a bound is kept by the interval."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.intervals import Proportion
from conformed.evaluation.risk import RiskPoint, coverage_at_risk, risk_coverage
from conformed.model.base import Missing

judged = st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=25)


def pair(point: RiskPoint) -> tuple[Fraction, Fraction]:
    """Coverage and risk of a point, exact."""
    assert isinstance(point.coverage, Proportion)
    assert isinstance(point.risk, Proportion)
    return point.coverage.exact, point.risk.exact


def test_by_hand() -> None:
    """Scores 0.9 right, 0.8 wrong, 0.7 right, 0.6 wrong: risks 0, 1/2, 1/3, 1/2; best order 0, 0, 1/3, 1/2."""
    curve = risk_coverage([0.7, 0.9, 0.6, 0.8], [True, True, False, False])
    assert [one.threshold for one in curve.points] == [0.9, 0.8, 0.7, 0.6]
    quarter = Fraction(1, 4)
    assert [pair(one) for one in curve.points] == [
        (quarter, 0),
        (2 * quarter, Fraction(1, 2)),
        (3 * quarter, Fraction(1, 3)),
        (1, Fraction(1, 2)),
    ]
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4, abs=1e-15)
    assert curve.best_area == pytest.approx((1 / 3 + 1 / 2) / 4, abs=1e-15)
    assert curve.excess_area == pytest.approx(1 / 8, abs=1e-15)


def test_ties_are_one_block() -> None:
    """Equal scores give one point, whatever the order in which they stand: a lucky order inside a tie shows nothing."""
    lucky = risk_coverage([0.5, 0.5, 0.5, 0.2], [True, True, False, False])
    unlucky = risk_coverage([0.2, 0.5, 0.5, 0.5], [False, False, True, True])
    assert lucky == unlucky
    assert len(lucky.points) == 2
    assert lucky.area == pytest.approx(0.75 * (1 / 3) + 0.25 * 0.5, abs=1e-15)


@given(judged)
def test_properties(rows: list[tuple[float, bool]]) -> None:
    """Coverage rises to all, thresholds fall, the last risk is the error rate, and no score beats the best order."""
    curve = risk_coverage([score for score, _ in rows], [right for _, right in rows])
    coverages = [pair(one)[0] for one in curve.points]
    assert coverages == sorted(set(coverages))
    assert coverages[-1] == 1
    assert [one.threshold for one in curve.points] == sorted({score for score, _ in rows}, reverse=True)
    assert pair(curve.points[-1])[1] == Fraction(sum(not right for _, right in rows), len(rows))
    assert curve.best_area <= curve.area + 1e-12


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_the_best_order_reaches_the_best_area(rights: list[bool]) -> None:
    """A score that ranks every right answer above every wrong one has no excess area."""
    ordered = sorted(rights, reverse=True)
    curve = risk_coverage([-place for place in range(len(ordered))], ordered)
    assert curve.excess_area == pytest.approx(0, abs=1e-12)


def test_a_bound_is_kept_by_the_interval() -> None:
    """No wrong answer of 10 does not show a risk within 5%; of 100 it does; the plain risk is there when asked for."""
    few = risk_coverage([0.9] * 10 + [0.1] * 10, [True] * 10 + [False] * 10)
    assert isinstance(coverage_at_risk(few, 0.05), Missing)
    plain = coverage_at_risk(few, 0.05, by_upper_end=False)
    assert isinstance(plain, RiskPoint)
    assert plain.threshold == 0.9
    many = coverage_at_risk(risk_coverage([0.9] * 100 + [0.1] * 10, [True] * 100 + [False] * 10), 0.05)
    assert isinstance(many, RiskPoint)
    assert pair(many) == (Fraction(10, 11), 0)


@pytest.mark.parametrize(
    ("scores", "correct"),
    [([], []), ([0.5], []), ([math.nan], [True]), ([math.inf], [True]), ([True], [True]), ([0.5], [1]), ([0.5], ["correct"])],
)
def test_refusals(scores: Any, correct: Any) -> None:
    """No scores, unequal lengths, scores that are not finite and judgements that are no truth values are refused."""
    with pytest.raises((ValueError, TypeError)):
        risk_coverage(scores, correct)


@pytest.mark.parametrize("bound", [-0.1, 1.1, math.nan, True, "0.1"])
def test_a_bound_that_is_none(bound: Any) -> None:
    """A bound outside 0 to 1 is refused."""
    with pytest.raises((ValueError, TypeError)):
        coverage_at_risk(risk_coverage([0.5], [True]), bound)
