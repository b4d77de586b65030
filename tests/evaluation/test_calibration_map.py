"""The calibration map rises, is scipy's isotonic regression, and says nothing beyond what was seen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.evaluation.calibration_map import CalibrationMap, fit_calibration_map
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

optimize = pytest.importorskip("scipy.optimize")
GIVEN: dict[str, Any] = {"event": "answer_correct", "scorer": "s@1", "labels_sha256": "ab" * 32}


def shares(made: CalibrationMap) -> list[tuple[float, float, Fraction]]:
    """Steps as lowest score, highest score, frequency."""
    return [(one.low, one.high, one.observed.exact) for one in made.steps if isinstance(one.observed, Proportion)]


def test_by_hand() -> None:
    """0.2 never, 0.4 once of one, 0.6 none of one, 0.9 twice: the two in the middle are pooled to one half."""
    made = fit_calibration_map([0.9, 0.2, 0.4, 0.6, 0.9], [True, False, True, False, True], **GIVEN)
    assert shares(made) == [(0.2, 0.2, 0), (0.4, 0.6, Fraction(1, 2)), (0.9, 0.9, 1)]
    for score, successes in ((0.5, 1), (0.6, 1), (0.8, 1), (0.3, 0), (0.9, 2)):
        found = made.observed(score, scorer="s@1")
        assert isinstance(found, Proportion)
        assert found.successes == successes


def test_it_does_not_reach_beyond_what_was_seen() -> None:
    """Another scorer or revision, and scores outside those held out, get a reason instead of a figure."""
    made = fit_calibration_map([0.2, 0.8], [False, True], **GIVEN)
    for score, scorer, code in (
        (0.5, "s@2", "calibration_stale"),
        (0.1, "s@1", "score_outside_calibration"),
        (0.9, "s@1", "score_outside_calibration"),
    ):
        found = made.observed(score, scorer=scorer)
        assert isinstance(found, Missing)
        assert found.code == code
    for bad in (math.nan, True, "0.5"):
        with pytest.raises((ValueError, TypeError)):
            made.observed(bad, scorer="s@1")  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1, max_size=30))
def test_as_scipy_has_it(rows: list[tuple[int, bool]]) -> None:
    """Every held-out score maps to scipy's isotonic regression of its labels; the steps rise and lose no label."""
    made = fit_calibration_map([score for score, _ in rows], [event for _, event in rows], **GIVEN)
    levels = sorted({score for score, _ in rows})
    groups = [[event for score, event in rows if score == level] for level in levels]
    fitted = optimize.isotonic_regression([sum(one) / len(one) for one in groups], weights=[len(one) for one in groups]).x
    for level, expected in zip(levels, fitted, strict=True):
        found = made.observed(level, scorer="s@1")
        assert isinstance(found, Proportion)
        assert found.value == pytest.approx(expected, abs=1e-12)
    steps = shares(made)
    assert [one[2] for one in steps] == sorted({one[2] for one in steps})
    assert sum(one.observed.trials for one in made.steps if isinstance(one.observed, Proportion)) == len(rows) == made.n


@pytest.mark.parametrize(
    ("scores", "events", "changed"),
    [
        ([], [], {}),
        ([0.5], [], {}),
        ([math.inf], [True], {}),
        ([True], [True], {}),
        ([0.5], [1], {}),
        ([0.5], [True], {"event": "confidence"}),
        ([0.5], [True], {"labels_sha256": "latest"}),
    ],
)
def test_refusals(scores: Any, events: Any, changed: dict[str, Any]) -> None:
    """No scores, unequal lengths, scores and labels that are none, no named event and no hash of the labels are refused."""
    with pytest.raises((ValueError, TypeError)):
        fit_calibration_map(scores, events, **(GIVEN | changed))
