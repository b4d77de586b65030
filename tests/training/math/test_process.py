"""Process supervision: later rewards summed backwards, normalised in the group, each token by its step."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.training.advantage import UNSCORED, ragged_advantages  # noqa: E402 - after the check that torch is there
from conformed_plugins.training.process import StepReward, process_advantages  # noqa: E402


def test_by_hand() -> None:
    """Step rewards 1, 0 and 1, 0 have mean 1/2 and spread 1/2, so +1 and -1; the first step's tokens get their sum, 0."""
    got = process_advantages(
        [[[StepReward(1, 1.0), StepReward(2, 0.0)], [StepReward(0, 1.0), StepReward(3, 0.0)]]], [[3, 4]], 1e-15
    )
    (group,) = got.advantages
    assert group is not None
    assert group[0] == pytest.approx((0, 0, -1), abs=1e-9)
    assert group[1] == pytest.approx((0, -1, -1, -1), abs=1e-9)


def test_a_later_reward_reaches_back_and_no_earlier_one_reaches_on() -> None:
    """Steps 0, 0, 3 beside 0: the last step's token has its own reward alone, the first the sum of all three."""
    got = process_advantages(
        [[[StepReward(0, 0.0), StepReward(1, 0.0), StepReward(2, 3.0)], [StepReward(0, 0.0)]]], [[3, 1]], 1e-15
    )
    (group,) = got.advantages
    assert group is not None
    low, high = -1 / math.sqrt(3), math.sqrt(3)  # mean 3/4, population variance 27/16
    assert group[0] == pytest.approx((2 * low + high, low + high, high))
    assert group[1] == pytest.approx((low,))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(1, 6)), min_size=2, max_size=6))
def test_one_step_is_outcome_supervision(responses: list[tuple[float, int]]) -> None:
    """A single step that ends with the response gives every token the response's own advantage."""
    rewards, lengths = [reward for reward, _ in responses], [length for _, length in responses]
    steps = [[StepReward(length - 1, reward)] for reward, length in responses]
    (got,), (outcome,) = process_advantages([steps], [lengths]).advantages, ragged_advantages([rewards]).advantages
    assert got is not None
    assert outcome is not None
    assert got == tuple((advantage,) * length for advantage, length in zip(outcome, lengths, strict=True))


def test_equal_steps_teach_nothing() -> None:
    """Where every step of a group has one reward every token gets exactly zero, whatever the number of steps."""
    got = process_advantages([[[StepReward(0, 0.1), StepReward(1, 0.1)], [StepReward(4, 0.1)]]], [[2, 5]], 1e-300)
    assert got.advantages == (((0.0, 0.0), (0.0,) * 5),)
    assert got.tied_groups == 1


def test_what_could_not_be_judged_is_left_out() -> None:
    """A response without step rewards moves no mean and is counted; a group of one is dropped."""
    full = [[StepReward(0, 1.0)], [StepReward(0, 0.0)]]
    got = process_advantages([[full[0], None, full[1]], [None, full[0]]], [[1, 7, 1], [7, 1]])
    (alone,) = process_advantages([full], [[1, 1]]).advantages
    assert alone is not None
    assert got.advantages == ((alone[0], (), alone[1]), None)
    assert got.excluded == {UNSCORED: 2}
    assert (got.dropped_groups, got.dropped_responses) == (1, 1)


@pytest.mark.parametrize(
    ("steps", "length"),
    [
        ([], 1),
        ([(0, 1.0)], 2),  # the last token belongs to no step
        ([(2, 1.0)], 2),
        ([(1, 1.0), (1, 0.0)], 2),
        ([(1, 1.0), (0, 0.0)], 1),
        ([(-1, 1.0)], 0),
        ([(0, math.nan)], 1),
        ([(0, math.inf)], 1),
        ([(0, True)], 1),
        ([(0, None)], 1),
    ],
)
def test_refused(steps: list[tuple[int, Any]], length: int) -> None:
    """Steps that do not cut the response from first to last token, and rewards that are no finite numbers."""
    with pytest.raises(ValueError):
        process_advantages([[[StepReward(*one) for one in steps], [StepReward(0, 0.0)]]], [[length, 1]])


def test_shapes_that_differ_are_refused() -> None:
    """One length a response."""
    with pytest.raises(ValueError, match="shapes"):
        process_advantages([[[StepReward(0, 0.0)]]], [[1, 1]])
