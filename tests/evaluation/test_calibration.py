"""Calibration: the Brier score and its terms add up exactly, bins are honest, and a confidence names its event."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.calibration import _equal_mass, _equal_width, _pairs, _terms, brier, calibration
from conformed.evaluation.intervals import Proportion
from conformed.model.base import Missing

labelled = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_by_hand() -> None:
    """0.25 with one right of four, 0.75 with three right of four: 3/16 = 0 − 1/16 + 1/4."""
    scores, events = [0.25] * 4 + [0.75] * 4, [True, False, False, False, True, True, True, False]
    found = brier(scores, events)
    assert found.score == 0.1875
    assert (found.reliability, found.resolution, found.uncertainty) == (0.0, 0.0625, 0.25)
    assert (found.within_variance, found.within_covariance) == (0.0, 0.0)
    report = calibration(scores, events, event="answer_correct", bins=4)
    assert [one.count for one in report.bins] == [0, 4, 0, 4]
    assert isinstance(report.bins[0].observed, Missing)
    assert report.bins[0].mean_score is None
    assert isinstance(report.bins[1].observed, Proportion)
    assert report.bins[1].observed.successes == 1
    assert (report.expected_error, report.greatest_error) == (0.0, 0.0)


def test_expected_error_by_hand() -> None:
    """Six scores of 0.9 half right and two of 0.1 never right: (6·0.4 + 2·0.1)/8, greatest 0.4."""
    scores = [Fraction(9, 10)] * 6 + [Fraction(1, 10)] * 2
    report = calibration(scores, [True] * 3 + [False] * 5, event="claim_supported", bins=5)
    assert report.expected_error == float(Fraction(26, 80))
    assert report.greatest_error == 0.4
    assert report.binning == "equal_width, 5 bins"


@given(labelled, st.integers(1, 12), st.sampled_from([_equal_width, _equal_mass]))
def test_terms_add_up_exactly(pairs: list[tuple[float, bool]], bins: int, way: Any) -> None:
    """For any scores and bins the five terms give the Brier score as fractions, without any rounding."""
    checked = _pairs([score for score, _ in pairs], [event for _, event in pairs])
    groups = [group for _, group in way(checked, bins) if group]
    assert sum(map(len, groups)) == len(pairs)
    score, reliability, resolution, uncertainty, variance, covariance = _terms(checked, groups)
    assert score == reliability - resolution + uncertainty + variance - covariance
    assert score == sum((Fraction(s) - int(e)) ** 2 for s, e in pairs) / len(pairs)
    assert min(reliability, resolution, uncertainty, variance) >= 0


@given(labelled)
def test_a_bin_a_score_has_no_within_terms(pairs: list[tuple[float, bool]]) -> None:
    """With a bin for each distinct score nothing varies inside a bin: Murphy's three terms are all."""
    found = brier([score for score, _ in pairs], [event for _, event in pairs])
    assert (found.within_variance, found.within_covariance) == (0.0, 0.0)


@given(labelled, st.integers(1, 10))
def test_equal_width_bins_hold_their_lower_edge(pairs: list[tuple[float, bool]], bins: int) -> None:
    """Equal-width bins hold their lower edge and not the upper, but for 1, which is in the last."""
    report = calibration([s for s, _ in pairs], [e for _, e in pairs], event="tests_pass", bins=bins)
    assert len(report.bins) == bins
    for place, one in enumerate(report.bins):
        low, high = Fraction(place, bins), Fraction(place + 1, bins)
        inside = [s for s, _ in pairs if low <= Fraction(s) < high or (place == bins - 1 and s == 1)]
        assert one.count == len(inside)
    assert 0 <= report.expected_error <= report.greatest_error <= 1


@given(labelled, st.integers(1, 10))
def test_equal_mass_never_parts_equal_scores(pairs: list[tuple[float, bool]], bins: int) -> None:
    """Bins of equal mass are in order, none is empty, at most as many as asked, and a score is in one bin only."""
    made = _equal_mass(_pairs([s for s, _ in pairs], [e for _, e in pairs]), bins)
    assert 1 <= len(made) <= bins
    edges = [(min(s for s, _ in group), max(s for s, _ in group)) for _, group in made]
    assert all(before[1] < after[0] for before, after in pairwise(edges))


def test_equal_mass_of_distinct_scores() -> None:
    """Twelve distinct scores in four bins are three each."""
    scores = [place / 20 for place in range(12)]
    report = calibration(scores, [place % 2 == 0 for place in range(12)], event="action_safe", bins=4, binning="equal_mass")
    assert [one.count for one in report.bins] == [3, 3, 3, 3]
    assert [one.low for one in report.bins] == [0.0, 0.15, 0.3, 0.45]
    assert [one.high for one in report.bins] == [0.15, 0.3, 0.45, 1.0]


def test_as_numpy_works_it_out() -> None:
    """Brier score and expected calibration error as a few lines of numpy give them."""
    np = pytest.importorskip("numpy")
    draw = np.random.default_rng(3)
    scores = draw.random(500)
    events = draw.random(500) < scores
    expected = float(np.mean((scores - events) ** 2))
    assert brier(scores.tolist(), events.tolist()).score == pytest.approx(expected, abs=1e-12)
    report = calibration(scores.tolist(), events.tolist(), event="reviewer_prefers")
    places = np.minimum(9, (scores * 10).astype(int))
    gaps = [abs(scores[places == b].mean() - events[places == b].mean()) * (places == b).sum() for b in range(10)]
    assert report.expected_error == pytest.approx(sum(gaps) / 500, abs=1e-12)


@pytest.mark.parametrize(
    "changed",
    [
        {"scores": [1.1]},
        {"scores": [-0.1]},
        {"scores": [math.nan]},
        {"scores": [True]},
        {"scores": ["0.5"]},
        {"scores": []},
        {"scores": [0.5, 0.5]},
        {"events": [1]},
        {"events": ["correct"]},
        {"event": "confidence"},
        {"event": ""},
        {"event": None},
        {"bins": 0},
        {"bins": True},
        {"binning": "fixed"},
    ],
)
def test_refusals(changed: dict[str, Any]) -> None:
    """Scores outside 0 to 1, labels that are no truth values, no event or an unknown one, and no bins are refused."""
    fields = {"scores": [0.5], "events": [True], "event": "answer_correct"} | changed
    with pytest.raises((ValueError, TypeError)):
        calibration(fields.pop("scores"), fields.pop("events"), **fields)
