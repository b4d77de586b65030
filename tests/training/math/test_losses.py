"""The named losses: what each weighs by hand, where each comes from, and no name that stands for another."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.training.loss import dense_loss, token_terms  # noqa: E402 - after the check that torch is there
from conformed_plugins.training.losses import LOSSES, loss_named  # noqa: E402


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("grpo", (1 / (2 * 1), 1 / (2 * 3))),  # a response one half, its tokens in equal parts
        ("sequence-ratio", (1 / (2 * 1), 1 / (2 * 3))),
        ("token-weighted", (1 / 4, 1 / 4)),  # four tokens in the group
        ("dr-grpo", (1 / 2, 1 / 2)),  # no length divides anything
    ],
)
def test_weights_by_hand(name: str, weights: tuple[float, float]) -> None:
    """A group of lengths 1 and 3; with a second prompt beside it each weighs half as much."""
    kind = loss_named(name)
    assert kind.token_weights([[True, True]], [[1, 3]])[0] == pytest.approx(weights)
    halved = kind.token_weights([[True, True], [True, True]], [[1, 3], [2, 2]])
    assert halved[0] == pytest.approx([one / 2 for one in weights])
    # A response left out and a dropped group divide nothing.
    holed = kind.token_weights([[True, False, True], [False, False]], [[1, 9, 3], [4, 4]])
    assert holed[0] == pytest.approx([weights[0], 0.0, weights[1]])
    assert holed[1] == (0.0, 0.0)


@pytest.mark.parametrize("name", ["grpo", "token-weighted", "sequence-ratio"])
def test_weights_of_a_mean_sum_to_one(name: str) -> None:
    """Three of the four are means: over all tokens their weights add up to 1."""
    lengths = [[5, 1, 2], [3, 3, 9]]
    weights = loss_named(name).token_weights([[True] * 3] * 2, lengths)
    total = sum(w * n for group, sizes in zip(weights, lengths, strict=True) for w, n in zip(group, sizes, strict=True))
    assert total == pytest.approx(1)


def _loss(name: str, old: Any, rewards: Any = ((1.0, 0.0),), beta: float = 0.0) -> Any:
    now = torch.zeros(1, 2, 3, dtype=torch.float64).requires_grad_()
    loss, metrics = dense_loss(
        loss_named(name),
        current_logprobs=now,
        old_logprobs=old,
        reference_logprobs=torch.full((1, 2, 3), math.log(2)),
        response_mask=[[[True, False, False], [True, True, True]]],
        rewards=torch.tensor(rewards, dtype=torch.float64),
        clip_epsilon=0.2,
        kl_beta=beta,
        eps=1e-15,
    )
    loss.backward()
    return loss.item(), metrics, now.grad


def test_on_policy_gradients_by_hand() -> None:
    """On policy, rewards 1 and 0, lengths 1 and 3: each loss weighs the two responses in its own way."""
    equal = torch.zeros(1, 2, 3)
    assert _loss("grpo", equal)[2][0].tolist() == [pytest.approx([-1 / 2, 0, 0]), pytest.approx([1 / 6] * 3)]
    assert _loss("token-weighted", equal)[2][0].tolist() == [pytest.approx([-1 / 4, 0, 0]), pytest.approx([1 / 4] * 3)]
    # Advantages 1/2 and -1/2: the spread divides nothing either.
    assert _loss("dr-grpo", equal)[2][0].tolist() == [pytest.approx([-1 / 4, 0, 0]), pytest.approx([1 / 4] * 3)]
    assert _loss("sequence-ratio", equal)[2][0].tolist() == [pytest.approx([-1 / 2, 0, 0]), pytest.approx([1 / 6] * 3)]


def test_unscaled_advantages_grow_with_the_rewards() -> None:
    """Ten times the rewards are ten times Dr. GRPO's loss, and leave GRPO's where it was."""
    old = torch.full((1, 2, 3), -0.1)
    assert _loss("dr-grpo", old, [[10.0, 0.0]])[0] == pytest.approx(10 * _loss("dr-grpo", old)[0])
    assert _loss("grpo", old, [[10.0, 0.0]])[0] == pytest.approx(_loss("grpo", old)[0], rel=1e-6)


def test_a_sequence_ratio_is_the_geometric_mean() -> None:
    """Log-ratios 0.3, 0 and -0.3 average to a ratio of 1: nothing is clipped, where the token ratios clip at both ends."""
    old = torch.tensor([[[0.0, 9.0, 9.0], [-0.3, 0.0, 0.3]]])
    whole, tokens = _loss("sequence-ratio", old), _loss("grpo", old)
    assert float(whole[1]["clip_fraction"]) == 0
    assert float(tokens[1]["clip_fraction"]) == 0.5
    assert whole[0] == pytest.approx(0, abs=1e-9)  # -(1 - 1) / 2
    terms = token_terms([[0.0, 0.0]], [[math.log(2), math.log(8)]], None, [[1, 1]], [1.0], 0.2, 0.0, sequence_ratio=True)
    assert terms.ratio[0].tolist() == pytest.approx([1 / 4, 1 / 4])


def test_a_sequence_is_clipped_as_a_whole() -> None:
    """A response whose ratio is out on the far side gets no gradient at any of its tokens, though one token's ratio is within."""
    old = torch.tensor([[[0.0, 9.0, 9.0], [0.0, 1.0, 1.0]]])  # worse and already less likely
    gradient = _loss("sequence-ratio", old)[2][0]
    assert gradient[1].tolist() == [0.0, 0.0, 0.0]
    assert gradient[0, 0].item() == pytest.approx(-1 / 2)
    assert _loss("grpo", old)[2][0, 1].tolist() == [pytest.approx(1 / 6), 0.0, 0.0]


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_the_penalty_is_in_every_loss(name: str) -> None:
    """k3 at d = ln 2 is 1 - ln 2, weighed as the loss weighs tokens."""
    sizes = {"grpo": 1, "token-weighted": 1, "sequence-ratio": 1, "dr-grpo": 4 / 2}
    _, metrics, _ = _loss(name, torch.zeros(1, 2, 3), [[1.0, 1.0]], beta=0.5)
    assert float(metrics["sampled_kl"]) == pytest.approx((1 - math.log(2)) * sizes[name], rel=1e-6)
    assert float(metrics["loss"]) == pytest.approx(0.5 * float(metrics["sampled_kl"]))


def test_each_loss_names_its_source() -> None:
    """A name leads to the loss of that name, and each says from which paper it is."""
    assert sorted(LOSSES) == ["dr-grpo", "grpo", "sequence-ratio", "token-weighted"]
    for name in LOSSES:
        assert loss_named(name).name == name
        assert "arXiv:" in loss_named(name).source
    assert len({one.source for one in LOSSES.values()}) == len(LOSSES)


@pytest.mark.parametrize("name", ["GRPO", "dapo", "", None, 3])
def test_unknown_names_are_refused(name: Any) -> None:
    """Nothing falls back to another loss, and the refusal names those there are."""
    with pytest.raises(ValueError, match="token-weighted"):
        loss_named(name)
