"""One gradient, however an update is cut: on a stub policy with prompts and responses of unequal lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.training.advantage import GroupedAdvantages, ragged_advantages  # noqa: E402 - after the check
from conformed_plugins.training.loss import LossSums, dense_loss, grpo_loss, loss_metrics, microbatch_loss  # noqa: E402
from conformed_plugins.training.losses import LOSSES, LossKind, loss_named  # noqa: E402

VOCABULARY = 11
LENGTHS = ((7, 2, 5), (1, 1, 9), (3, 8, 4), (6, 2, 2))
REWARDS = ((1.1, 0.0, 0.1), (0.0, 1.0, 0.1), (1.1, 1.1, 0.0), (0.1, 0.0, 1.0))


class Policy(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A word is guessed from the one before it."""

    def __init__(self) -> None:
        super().__init__()
        draw = torch.Generator().manual_seed(1)
        self.table = torch.nn.Parameter(torch.randn(VOCABULARY, 6, generator=draw))
        self.out = torch.nn.Parameter(torch.randn(6, VOCABULARY, generator=draw))

    def forward(self, words: Any) -> Any:
        logits = torch.tanh(self.table[words[:, :-1]]) @ self.out
        return logits.log_softmax(-1).gather(-1, words[:, 1:, None])[..., 0]


def _rows(lengths: Sequence[Sequence[int]] = LENGTHS) -> list[list[Any]]:
    """For each response of each group its words, one more than it has tokens."""
    draw = torch.Generator().manual_seed(2)
    return [[torch.randint(0, VOCABULARY, (size + 1,), generator=draw) for size in group] for group in lengths]


def _update(
    kind: LossKind,
    splits: int,
    rewards: Sequence[Sequence[float | None]] = REWARDS,
    lengths: Sequence[Sequence[int]] = LENGTHS,
    beta: float = 0.04,
) -> tuple[Any, dict[str, Any]]:
    """Gradient and metrics of an update in ``splits`` microbatches of whole prompts, each padded for itself."""
    policy, rows = Policy(), _rows(lengths)
    got: GroupedAdvantages = ragged_advantages(rewards, scaled=kind.scaled)
    weights = kind.token_weights(got.kept, lengths)
    size = -(-len(rows) // splits)
    sums: LossSums | None = None
    flat: list[float] = []
    for first in range(0, len(rows), size):
        taking = [
            (rows[place][seat], group[seat], weights[place][seat])
            for place in range(first, min(first + size, len(rows)))
            if (group := got.advantages[place]) is not None
            for seat in range(len(group))
            if got.kept[place][seat]
        ]
        if not taking:
            continue
        flat += [advantage for _words, advantage, _weight in taking]
        words = torch.nn.utils.rnn.pad_sequence([one for one, _a, _w in taking], batch_first=True)
        mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(one) - 1) for one, _a, _w in taking], batch_first=True)
        now = policy(words)
        # What sampled and what is held on to are a fixed way off, different for each word.
        old, reference = now.detach() + 0.3 * torch.sin(words[:, 1:]), now.detach() + 0.4 * torch.cos(3 * words[:, 1:])
        compared, weighed = torch.tensor([a for _, a, _ in taking]), torch.tensor([w for _, _, w in taking])
        loss, part = microbatch_loss(now, old, reference, mask, compared, weighed, 0.2, beta, sequence_ratio=kind.sequence_ratio)
        loss.backward()
        sums = part if sums is None else sums + part
    assert sums is not None
    gradient = torch.cat([one.grad.flatten() for one in policy.parameters()])
    return gradient, loss_metrics(sums, torch.tensor(flat))


def _same(one: Any, other: Any) -> None:
    assert one.norm() > 1e-3
    assert ((one - other).norm() / one.norm()).item() <= 1e-6


@pytest.mark.parametrize("name", sorted(LOSSES))
@pytest.mark.parametrize("splits", [2, 4])
def test_report_15_any_cut_has_the_same_gradient(name: str, splits: int) -> None:
    """Four prompts of unequal lengths in 1, 2 and 4 microbatches: gradients within 1e-6 relative, and metrics, for every loss."""
    (whole, figures), (cut, same) = _update(loss_named(name), 1), _update(loss_named(name), splits)
    _same(whole, cut)
    for key, value in figures.items():
        assert float(same[key]) == pytest.approx(float(value), rel=1e-5, abs=1e-6), key


@pytest.mark.parametrize("splits", [1, 2, 4])
def test_cuts_with_responses_left_out(splits: int) -> None:
    """With unscored responses and a dropped group, every cut equals the update of what is left alone."""
    kind = loss_named("grpo")
    holes: tuple[tuple[float | None, ...], ...] = ((1.1, None, 0.1), (0.0, 1.0, 0.1), (None, 1.1, None), (0.1, 0.0, 1.0))
    cut, figures = _update(kind, splits, holes)
    rows = _rows()
    left = [(0, (0, 2)), (1, (0, 1, 2)), (3, (0, 1, 2))]
    policy, losses = Policy(), []
    for place, seats in left:
        advantages = ragged_advantages([[REWARDS[place][seat] for seat in seats]]).advantages[0]
        assert advantages is not None
        for seat, advantage in zip(seats, advantages, strict=True):
            words = rows[place][seat][None]
            now = policy(words)
            old, reference = now.detach() + 0.3 * torch.sin(words[:, 1:]), now.detach() + 0.4 * torch.cos(3 * words[:, 1:])
            ratio, apart = (now - old).exp(), reference - now
            objective = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            losses.append(-(objective - 0.04 * (apart.exp() - apart - 1)).mean() / len(seats) / len(left))
    loss = torch.stack(losses).sum()
    loss.backward()
    _same(torch.cat([one.grad.flatten() for one in policy.parameters()]), cut)
    assert float(figures["loss"]) == pytest.approx(loss.item(), rel=1e-5)
    assert float(figures["mean_response_tokens"]) == pytest.approx((7 + 5 + 1 + 1 + 9 + 6 + 2 + 2) / 8)


def test_report_14_what_is_left_out_is_in_no_denominator() -> None:
    """Two responses of length 4, one left out as truncated: the update equals that of the other alone."""
    kind = loss_named("grpo")
    assert kind.token_weights([[True, False]], [[4, 4]]) == ((1 / 4, 0.0),)
    now = torch.tensor([[-1.0, -2.0, -3.0, -0.5]], requires_grad=True)
    loss, sums = microbatch_loss(now, now.detach(), None, [[1] * 4], [1.5], [1 / 4], 0.2, 0.0)
    loss.backward()
    assert loss.item() == pytest.approx(-1.5)
    assert now.grad[0].tolist() == pytest.approx([-1.5 / 4] * 4)
    assert int(sums.tokens) == 4


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_a_whole_batch_is_one_microbatch(name: str) -> None:
    """The loss of a dense batch is the microbatch form with the weights of its groups."""
    kind = loss_named(name)
    draw = torch.Generator().manual_seed(4)
    now = -torch.rand(2, 3, 6, generator=draw)
    old, reference = now + 0.1 * torch.randn(2, 3, 6, generator=draw), now + 0.1
    lengths = [[6, 2, 3], [1, 5, 4]]
    mask = torch.arange(6) < torch.tensor(lengths)[..., None]
    rewards = [[1.0, 0.0, 0.1], [0.0, 1.1, 1.0]]
    got = ragged_advantages(rewards, scaled=kind.scaled)
    weights = torch.tensor(kind.token_weights(got.kept, lengths)).flatten()
    flat = [one.flatten(0, 1) for one in (now, old, reference, mask)]
    loss, sums = microbatch_loss(
        flat[0], flat[1], flat[2], flat[3], got.taking_part, weights, 0.2, 0.1, sequence_ratio=kind.sequence_ratio
    )
    dense, metrics = dense_loss(
        kind,
        current_logprobs=now,
        old_logprobs=old,
        reference_logprobs=reference,
        response_mask=mask,
        rewards=rewards,
        clip_epsilon=0.2,
        kl_beta=0.1,
    )
    assert loss.item() == pytest.approx(dense.item(), rel=1e-5)
    assert float(loss_metrics(sums, torch.tensor(got.advantages))["loss"]) == pytest.approx(float(metrics["loss"]), rel=1e-5)
    if name == "grpo":
        plain = grpo_loss(
            current_logprobs=now,
            old_logprobs=old,
            reference_logprobs=reference,
            response_mask=mask,
            rewards=rewards,
            clip_epsilon=0.2,
            kl_beta=0.1,
        )
        assert plain[0].item() == dense.item()


def test_ratios_furthest_out_are_kept_over_microbatches() -> None:
    """The greatest and the least ratio of an update are those of all its parts."""
    parts = [
        microbatch_loss(torch.log(torch.tensor([[ratio]])), torch.zeros(1, 1), None, [[1]], [1.0], [0.5], 0.2, 0.0)[1]
        for ratio in (0.5, 1.1, 3.0)
    ]
    both = parts[1] + parts[0] + parts[2]
    assert [float(both.greatest_ratio), float(both.least_ratio)] == pytest.approx([3.0, 0.5])
    assert int(both.clipped) == 2


@pytest.mark.parametrize("weights", [[0.0], [-1.0], [float("nan")], [1.0, 1.0]])
def test_weights_refused(weights: list[float]) -> None:
    """A response that weighs nothing is left out, not handed in."""
    with pytest.raises(ValueError, match="weight"):
        microbatch_loss(torch.zeros(1, 1), torch.zeros(1, 1), None, [[1]], [1.0], weights, 0.2, 0.0)


def test_sums_of_two_updates_are_refused() -> None:
    """Parts with different penalties are not of one update."""
    zero = torch.zeros(1, 1)
    one, other = (microbatch_loss(zero, zero, zero, [[1]], [1.0], [1.0], 0.2, beta)[1] for beta in (0.0, 0.1))
    with pytest.raises(ValueError, match="beta"):
        one + other


@pytest.mark.parametrize(("kept", "lengths"), [([[True]], [[0]]), ([[False, False]], [[1, 1]]), ([[True]], [[1, 1]]), ([], [])])
def test_token_weights_refused(kept: Any, lengths: Any) -> None:
    """A kept response without a token, nothing kept, shapes that differ."""
    with pytest.raises(ValueError):
        loss_named("grpo").token_weights(kept, lengths)
