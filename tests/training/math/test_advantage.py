"""Advantages: right numbers by hand, exact zeros, what is refused, and what has no reward."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.training.advantage import UNSCORED, group_advantages, ragged_advantages  # noqa: E402 - after the check

REWARDS = st.lists(st.floats(-100, 100, allow_nan=False), min_size=2, max_size=8)


def test_the_vectors(vectors: Any) -> None:
    """The cases with right answers agree."""
    for one in vectors("advantages"):
        got = group_advantages(torch.tensor(one["rewards"]), eps=one["eps"])
        torch.testing.assert_close(got, torch.tensor(one["advantages"]), rtol=1e-6, atol=1e-6)


def test_by_hand() -> None:
    """Rewards 0 and 2 have mean 1 and population variance 1; an eps of 3 makes the root 2: the advantages are -1/2 and 1/2."""
    assert group_advantages(torch.tensor([[0.0, 2.0]]), eps=3.0).tolist() == [[-0.5, 0.5]]


def test_four_by_hand() -> None:
    """1, 0, 0, 0: mean 1/4, population variance 3/16, so 3/sqrt(3) and three times -1/sqrt(3)."""
    got = group_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]], dtype=torch.float64), eps=1e-12)[0].tolist()
    assert got == pytest.approx([math.sqrt(3), *[-1 / math.sqrt(3)] * 3], rel=1e-9)


def test_unscaled_by_hand() -> None:
    """Without the division only the mean is taken off."""
    assert group_advantages(torch.tensor([[0.0, 2.0]]), scaled=False).tolist() == [[-1.0, 1.0]]


def test_float32_rewards_are_worked_in_float64() -> None:
    """1,000,000 and 3/8, 7/8 and 1/8 keep their distances from their mean, which float32 would round to a sixteenth."""
    got = group_advantages(torch.tensor([[1000000.375, 1000000.875, 1000000.125]]), eps=1e-12)
    assert got.dtype == torch.float32
    # In eighths: deviations of -2/3, 10/3 and -8/3, whose squares have the mean 56/9.
    assert got[0].tolist() == pytest.approx([one / math.sqrt(56) for one in (-2, 10, -8)], abs=1e-6)


@pytest.mark.parametrize("value", [0.1, 1.1, 1 / 3, -0.7, 1e-30, 1e6])
@pytest.mark.parametrize("size", [2, 3, 7, 64])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_ties_are_exactly_zero(value: float, size: int, kind: str) -> None:
    """Equal rewards give exactly zero however small eps is, though their rounded mean need not be their value."""
    got = group_advantages(torch.full((1, size), value, dtype=getattr(torch, kind)), eps=1e-300)
    assert got.tolist() == [[0.0] * size]


def test_what_differs_a_little_is_no_tie() -> None:
    """Ties are found by equality: a difference far under any threshold still orders two responses."""
    first, second = group_advantages(torch.tensor([[0.0, 1e-9]], dtype=torch.float64), eps=1e-30)[0].tolist()
    assert first == pytest.approx(-1, rel=1e-6)
    assert second == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize(
    "rewards", [[[1, 0]], [[1.0, 0.0]], torch.tensor([[1, 0]]), torch.tensor([[1.0, 0.0]], dtype=torch.float64)]
)
def test_types_taken(rewards: Any) -> None:
    """Lists, whole numbers and both floating types give the same advantages."""
    assert group_advantages(rewards, eps=1e-6)[0].tolist() == pytest.approx([0.999998, -0.999998], rel=1e-6)


def test_the_type_is_kept_and_no_gradient_flows() -> None:
    """float64 stays float64, and an advantage is a figure, not a path for gradients."""
    got = group_advantages(torch.tensor([[1.0, 0.0]], dtype=torch.float64, requires_grad=True))
    assert got.dtype == torch.float64
    assert not got.requires_grad


@pytest.mark.parametrize(
    "rewards",
    [
        torch.zeros(3),
        torch.zeros(0, 4),
        torch.zeros(2, 1),
        torch.zeros(1, 2, 2),
        torch.tensor([[0.0, math.nan]]),
        torch.tensor([[0.0, math.inf], [1.0, 0.0]]),
        torch.tensor([[True, False]]),
        [[1.0, None]],
        [[1.0], [1.0, 0.0]],
        [[1e308, -1e308]],
        "rewards",
    ],
)
def test_refused(rewards: Any) -> None:
    """Other shapes, values that are no finite numbers, and a variance that is not finite."""
    if isinstance(rewards, list) and rewards == [[1e308, -1e308]]:
        rewards = torch.tensor(rewards, dtype=torch.float64)
    with pytest.raises(ValueError):
        group_advantages(rewards)


@pytest.mark.parametrize("eps", [0, -1e-6, math.nan, math.inf, True, "1e-6", None])
def test_eps_refused(eps: Any) -> None:
    """Only a finite number above 0 is an eps, in either form."""
    with pytest.raises(ValueError, match="eps"):
        group_advantages(torch.tensor([[1.0, 0.0]]), eps=eps)
    with pytest.raises(ValueError, match="eps"):
        ragged_advantages([[None, None]], eps=eps)


@settings(deadline=None, max_examples=60)
@given(st.lists(REWARDS, min_size=1, max_size=4))
def test_groups_never_mix(groups: list[list[float]]) -> None:
    """A group gets what it gets alone; sums are zero, order is kept, and a better reward never has the lesser advantage."""
    together = ragged_advantages(groups)
    for group, got in zip(groups, together.advantages, strict=True):
        assert got is not None
        assert list(got) == group_advantages(torch.tensor([group], dtype=torch.float64))[0].tolist()
        assert sum(got) == pytest.approx(0, abs=1e-6)
        ranked = [advantage for _reward, advantage in sorted(zip(group, got, strict=True))]
        assert ranked == sorted(ranked)


@settings(deadline=None, max_examples=60)
@given(REWARDS, st.floats(-10, 10), st.permutations(range(8)))
def test_what_is_added_to_all_changes_nothing(group: list[float], shift: float, order: list[int]) -> None:
    """A constant on every reward leaves the advantages, and another order of responses only reorders them."""
    plain = group_advantages(torch.tensor([group], dtype=torch.float64), eps=1e-3)[0]
    moved = group_advantages(torch.tensor([group], dtype=torch.float64) + shift, eps=1e-3)[0]
    torch.testing.assert_close(plain, moved, rtol=1e-6, atol=1e-6)
    kept = [place for place in order if place < len(group)]
    turned = group_advantages(torch.tensor([[group[place] for place in kept]], dtype=torch.float64), eps=1e-3)[0]
    torch.testing.assert_close(plain[kept], turned, rtol=1e-9, atol=1e-9)


def test_report_7_none_moves_no_baseline() -> None:
    """[1, None, 0, 1]: advantages are those of 1, 0, 1; the row without a reward has none and is counted by its reason."""
    got = ragged_advantages([[1.0, None, 0.0, 1.0]], reasons=[["", "check_exception:TimeoutError", "", ""]])
    alone = group_advantages([[1.0, 0.0, 1.0]])[0].tolist()
    (group,) = got.advantages
    assert group is not None
    assert [group[0], group[2], group[3]] == pytest.approx(alone, rel=1e-6)
    assert group[1] == 0
    assert got.taking_part == (group[0], group[2], group[3])
    assert got.kept == ((True, False, True, True),)
    assert got.excluded == {"check_exception:TimeoutError": 1}


def test_report_8_unset_is_no_zero() -> None:
    """[unset, -1, -1, unset]: what nobody rewarded does not beat an honest -1; the two that tie get exactly zero."""
    got = ragged_advantages([[None, -1.0, -1.0, None]])
    assert got.advantages == ((0.0, 0.0, 0.0, 0.0),)
    assert got.kept == ((False, True, True, False),)
    assert got.excluded == {UNSCORED: 2}
    assert got.tied_groups == 1


def test_report_21_groups_stay_apart_and_whole() -> None:
    """Prompt A [1, 1] and prompt B [0, 0] teach nothing; [1, 0, 0, 0] beside a dropped group stays whole."""
    assert group_advantages([[1.0, 1.0], [0.0, 0.0]]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    got = ragged_advantages([[None, 1.0, None, None], [1.0, 0.0, 0.0, 0.0]])
    assert got.advantages[0] is None
    assert got.advantages[1] == tuple(group_advantages(torch.tensor([[1.0, 0.0, 0.0, 0.0]], dtype=torch.float64))[0].tolist())
    assert (got.dropped_groups, got.dropped_responses, got.kept_groups) == (1, 1, 1)


def test_an_outage_leaves_nothing() -> None:
    """With no reward at all every group is dropped and nothing is kept: no update can be made of it."""
    got = ragged_advantages([[None, None], [None]])
    assert got.advantages == (None, None)
    assert got.kept_groups == 0
    assert got.excluded == {UNSCORED: 3}


@pytest.mark.parametrize("rewards", [[], [[math.nan, 1.0]], [[math.inf, 1.0]], [[True, 0.0]], [["1", 0.0]]])
def test_ragged_refused(rewards: Any) -> None:
    """No group at all, and rewards that are no finite numbers."""
    with pytest.raises(ValueError):
        ragged_advantages(rewards)


def test_reasons_of_another_shape_are_refused() -> None:
    """One reason a response, or none at all."""
    with pytest.raises(ValueError, match="shapes"):
        ragged_advantages([[1.0, None]], reasons=[["a"]])
