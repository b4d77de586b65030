"""The loss: numbers by hand, both signs of clipping, padding that cannot hurt, refusals, and the public reports."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.training.loss import grpo_loss, token_terms  # noqa: E402 - after the check that torch is there

NAMES = ("loss", "policy_objective", "sampled_kl", "clip_fraction", "mean_response_tokens", "normalised_advantage_std")


def _batch(seed: int = 3, prompts: int = 3, group: int = 4, tokens: int = 5, kind: Any = None) -> dict[str, Any]:
    """A batch of unequal lengths, its policies a little apart."""
    draw = torch.Generator().manual_seed(seed)
    shape = (prompts, group, tokens)
    now = -torch.rand(shape, generator=draw, dtype=kind or torch.float32) * 3
    lengths = torch.randint(1, tokens + 1, (prompts, group), generator=draw)
    return {
        "current_logprobs": now,
        "old_logprobs": now + torch.randn(shape, generator=draw, dtype=now.dtype) * 0.2,
        "reference_logprobs": now + torch.randn(shape, generator=draw, dtype=now.dtype) * 0.3,
        "response_mask": torch.arange(tokens) < lengths[..., None],
        "rewards": torch.randint(0, 2, (prompts, group), generator=draw).to(now.dtype),
        "clip_epsilon": 0.2,
        "kl_beta": 0.04,
    }


def _one(ratio: float, advantage: float, epsilon: float = 0.2) -> tuple[float, float]:
    """Objective and gradient of a single token of probability ratio ``ratio``."""
    now = torch.tensor([[math.log(ratio)]], dtype=torch.float64, requires_grad=True)
    terms = token_terms(now, torch.zeros(1, 1), None, [[True]], [advantage], epsilon, 0.0)
    terms.objective.sum().backward()
    return terms.objective.item(), now.grad.item()


def test_the_vectors(vectors: Any) -> None:
    """The cases with right answers agree, metrics and gradient included."""
    for one in vectors("grpo_loss"):
        now = torch.tensor(one["current"], requires_grad=True)
        loss, metrics = grpo_loss(
            current_logprobs=now,
            old_logprobs=torch.tensor(one["old"]),
            reference_logprobs=torch.tensor(one["reference"]),
            response_mask=torch.tensor(one["mask"]),
            rewards=torch.tensor(one["rewards"]),
            clip_epsilon=one["clip_epsilon"],
            kl_beta=one["kl_beta"],
        )
        loss.backward()
        assert loss.item() == pytest.approx(one["loss"], abs=1e-6)
        for name in NAMES[:-1]:
            assert float(metrics[name]) == pytest.approx(one[name], abs=1e-6), name
        torch.testing.assert_close(now.grad, torch.tensor(one["gradient_current"]), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("ratio", "advantage", "objective", "gradient"),
    [
        (1.0, 2.0, 2.0, 2.0),
        (1.1, 2.0, 2.2, 2.2),
        (1.5, 2.0, 2.4, 0.0),  # better than its siblings and already likelier by more than epsilon: no further
        (0.5, 2.0, 1.0, 1.0),  # better and yet less likely: drawn back
        (1.5, -2.0, -3.0, -3.0),  # worse and yet likelier: drawn back, without a bound
        (0.5, -2.0, -1.6, 0.0),  # worse and already less likely by more than epsilon: no further
        (0.9, -2.0, -1.8, -1.8),
        (7.0, 0.0, 0.0, 0.0),
    ],
)
def test_clipping_by_hand(ratio: float, advantage: float, objective: float, gradient: float) -> None:
    """min(ratio A, clip(ratio) A) for both signs, and a gradient only where the step would not go further out."""
    got, slope = _one(ratio, advantage)
    assert got == pytest.approx(objective, rel=1e-12)
    assert slope == pytest.approx(gradient, rel=1e-12, abs=1e-12)


def test_two_responses_by_hand() -> None:
    """Rewards 1 and 0 give advantages 1 and -1 (eps aside); ratios 1; two tokens beside one: the means are within responses first."""
    now = torch.log(torch.tensor([[[0.5, 0.5], [0.25, 0.9]]], dtype=torch.float64)).requires_grad_()
    reference = now.detach().clone()
    reference[0, 0, 0] = math.log(1.0)  # d = ln 2, so k3 = 2 - ln 2 - 1
    loss, metrics = grpo_loss(
        current_logprobs=now,
        old_logprobs=now.detach(),
        reference_logprobs=reference,
        response_mask=[[[True, True], [True, False]]],
        rewards=[[1.0, 0.0]],
        clip_epsilon=0.2,
        kl_beta=0.5,
        eps=1e-15,
    )
    kl = (1 - math.log(2)) / 2 / 2
    assert float(metrics["policy_objective"]) == pytest.approx(0, abs=1e-7)
    assert float(metrics["sampled_kl"]) == pytest.approx(kl, rel=1e-9)
    assert loss.item() == pytest.approx(0.5 * kl, rel=1e-6)
    assert float(metrics["clip_fraction"]) == 0
    assert float(metrics["mean_response_tokens"]) == 1.5
    assert float(metrics["normalised_advantage_std"]) == pytest.approx(1, rel=1e-6)
    loss.backward()
    # -A / (group 2 x tokens), and the penalty's (1 - e^d) beta / 4 = -1/8 on the first token.
    assert now.grad[0].tolist() == [pytest.approx([-0.25 - 0.125, -0.25], rel=1e-6), pytest.approx([0.5, 0.0], rel=1e-6)]


def test_metrics_are_these_and_carry_no_gradient() -> None:
    """Six figures; the loss alone is a path for gradients, and its figure is the loss."""
    batch = _batch()
    batch["current_logprobs"].requires_grad_()
    loss, metrics = grpo_loss(**batch)
    assert tuple(metrics) == NAMES
    assert loss.requires_grad
    assert not any(one.requires_grad for one in metrics.values())
    assert float(metrics["loss"]) == pytest.approx(loss.item(), rel=1e-6)


@pytest.mark.parametrize("odd", [-1e4, 1e4, 1e30, math.inf, -math.inf, math.nan])
def test_padding_changes_nothing(odd: float) -> None:
    """Whatever stands outside the mask, the loss, every metric and every gradient keep each bit, and outside it the gradient is 0."""
    clean, dirty = _batch(), _batch()
    outside = ~clean["response_mask"]
    assert bool(outside.any())
    for name, sign in (("current_logprobs", 1), ("old_logprobs", -1), ("reference_logprobs", 1)):
        dirty[name] = dirty[name].masked_fill(outside, odd * sign)
    clean["current_logprobs"].requires_grad_()
    dirty["current_logprobs"].requires_grad_()
    (one, figures), (other, same) = grpo_loss(**clean), grpo_loss(**dirty)
    one.backward()
    other.backward()
    assert torch.equal(one, other)
    assert figures == same
    assert torch.equal(clean["current_logprobs"].grad, dirty["current_logprobs"].grad)
    assert bool((dirty["current_logprobs"].grad[outside] == 0).all())


def test_wider_padding_changes_nothing() -> None:
    """Columns of padding added on the right leave loss and gradient as they were."""
    plain, wide = _batch(), _batch()
    for name in ("current_logprobs", "old_logprobs", "reference_logprobs"):
        wide[name] = torch.nn.functional.pad(wide[name], (0, 7), value=-50.0)
    wide["response_mask"] = torch.nn.functional.pad(wide["response_mask"], (0, 7), value=False)
    for batch in (plain, wide):
        batch["current_logprobs"].requires_grad_()
        batch["loss"] = grpo_loss(**batch)[0]
        batch["loss"].backward()
    assert plain["loss"].item() == pytest.approx(wide["loss"].item(), rel=1e-6)
    torch.testing.assert_close(plain["current_logprobs"].grad, wide["current_logprobs"].grad[..., :5], rtol=1e-6, atol=1e-9)


def test_gradients_reach_the_current_policy_alone() -> None:
    """Old, reference and rewards are observations, even where they come with a graph."""
    batch = _batch()
    leaves = ("current_logprobs", "old_logprobs", "reference_logprobs", "rewards")
    for name in leaves:
        batch[name].requires_grad_()
    grpo_loss(**batch)[0].backward()
    assert [batch[name].grad is not None for name in leaves] == [True, False, False, False]


def test_penalty_is_zero_when_equal() -> None:
    """A policy that is its reference has no penalty, exactly."""
    batch = _batch()
    batch["reference_logprobs"] = batch["current_logprobs"].clone()
    assert float(grpo_loss(**batch)[1]["sampled_kl"]) == 0


@settings(deadline=None, max_examples=200)
@given(st.floats(-60, 60, width=32), st.floats(-20, 0, width=32))
def test_penalty_is_never_below_zero(apart: float, now: float) -> None:
    """k3 is at least 0 at every distance, in float32 too, where a plain exp(d) - d - 1 is not."""
    terms = token_terms(torch.tensor([[now]]), torch.tensor([[now]]), torch.tensor([[now + apart]]), [[1]], [0.0], 0.2, 0.1)
    assert terms.kl is not None
    assert terms.kl.item() >= 0


def test_penalty_keeps_small_distances() -> None:
    """At a distance of 1e-4 the penalty is half its square within a thousandth, in float32."""
    terms = token_terms(torch.zeros(1, 1), torch.zeros(1, 1), torch.full((1, 1), 1e-4), [[1]], [0.0], 0.2, 0.1)
    assert terms.kl is not None
    assert terms.kl.item() == pytest.approx(0.5e-8, rel=1e-3)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_an_order_of_prompts_and_responses_is_no_matter(seed: int) -> None:
    """Prompts turned about, and responses within each, give the same loss."""
    batch = _batch(seed, kind=torch.float64)
    turned = {**batch}
    for name in ("current_logprobs", "old_logprobs", "reference_logprobs", "response_mask", "rewards"):
        turned[name] = batch[name].flip(0, 1)
    assert grpo_loss(**batch)[0].item() == pytest.approx(grpo_loss(**turned)[0].item(), rel=1e-9, abs=1e-12)


def test_half_precision_is_worked_in_float32() -> None:
    """bfloat16 log-probabilities give the loss of the same values in float32, and a gradient of their own type."""
    small, wide = _batch(kind=torch.bfloat16), _batch(kind=torch.bfloat16)
    for name in ("current_logprobs", "old_logprobs", "reference_logprobs"):
        wide[name] = small[name].float()
    small["current_logprobs"].requires_grad_()
    loss = grpo_loss(**small)[0]
    loss.backward()
    assert loss.dtype == torch.float32
    assert loss.item() == grpo_loss(**wide)[0].item()
    assert small["current_logprobs"].grad.dtype == torch.bfloat16


def test_lists_and_masks_of_numbers_are_taken() -> None:
    """Nested lists and a mask of zeros and ones give what tensors and a bool mask give."""
    batch = _batch()
    plain = {name: value.tolist() if isinstance(value, torch.Tensor) else value for name, value in batch.items()}
    counted = {**batch, "response_mask": batch["response_mask"].long()}
    assert grpo_loss(**batch)[1] == grpo_loss(**plain)[1] == grpo_loss(**counted)[1]


def _changed(**changes: Any) -> dict[str, Any]:
    return {**_batch(), **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"clip_epsilon": 0.0},
        {"clip_epsilon": 1.0},
        {"clip_epsilon": -0.2},
        {"clip_epsilon": math.nan},
        {"clip_epsilon": True},
        {"kl_beta": -0.01},
        {"kl_beta": math.nan},
        {"kl_beta": math.inf},
        {"kl_beta": None},
        {"rewards": torch.zeros(3, 5)},
        {"rewards": torch.zeros(12)},
        {"rewards": torch.full((3, 4), math.nan)},
        {"old_logprobs": torch.zeros(3, 4, 6)},
        {"old_logprobs": torch.zeros(1, 1, 1)},
        {"reference_logprobs": torch.zeros(3, 4)},
        {"reference_logprobs": None},
        {"response_mask": torch.ones(3, 4, 4, dtype=torch.bool)},
        {"response_mask": torch.zeros(3, 4, 5, dtype=torch.bool)},
        {"response_mask": torch.full((3, 4, 5), 0.5)},
        {"current_logprobs": torch.zeros(3, 20)},
        {"current_logprobs": torch.zeros(3, 4, 5, dtype=torch.bool)},
        {"eps": 0.0},
    ],
)
def test_refused(changes: dict[str, Any]) -> None:
    """Shapes that do not fit, masks that are none, and numbers outside their range."""
    with pytest.raises(ValueError):
        grpo_loss(**_changed(**changes))


@pytest.mark.parametrize("name", ["current_logprobs", "old_logprobs", "reference_logprobs"])
@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_scored_values_that_are_no_numbers_are_refused(name: str, odd: float) -> None:
    """One scored value that is not finite is named."""
    batch = _batch()
    batch[name][0, 0, 0] = odd
    with pytest.raises(ValueError, match=name):
        grpo_loss(**batch)


def test_one_empty_response_is_refused() -> None:
    """A single response without a token is enough."""
    batch = _batch()
    batch["response_mask"][1, 2] = False
    with pytest.raises(ValueError, match="no token"):
        grpo_loss(**batch)


def _weights_after(current: float, old: float, reference: float, advantages: list[float], beta: float) -> tuple[float, float]:
    """A policy of one number, one step of which is tried: the number before and after."""
    weight = torch.nn.Parameter(torch.tensor(current))
    optimiser = torch.optim.SGD([weight], lr=1.0)
    now = weight.expand(1, 2, 1)
    with pytest.raises(ValueError, match="not finite"):  # noqa: PT012 - the whole step is tried, so that a refusal too late would show
        loss, _ = grpo_loss(
            current_logprobs=now,
            old_logprobs=torch.full((1, 2, 1), old),
            reference_logprobs=torch.full((1, 2, 1), reference),
            response_mask=torch.ones(1, 2, 1, dtype=torch.bool),
            rewards=[advantages],
            clip_epsilon=0.2,
            kl_beta=beta,
        )
        loss.backward()
        optimiser.step()
    return current, weight.item()


def test_report_1_an_overflowing_penalty_is_refused_before_the_step() -> None:
    """Reference 0 and current -200: a named error, weights untouched; the same values under padding change nothing."""
    before, after = _weights_after(-200.0, -200.0, 0.0, [1.0, 0.0], 0.04)
    assert before == after
    batch = _batch()
    outside = ~batch["response_mask"]
    plain = grpo_loss(**batch)[0]
    padded = {
        **batch,
        "current_logprobs": batch["current_logprobs"].masked_fill(outside, -200.0),
        "reference_logprobs": batch["reference_logprobs"].masked_fill(outside, 0.0),
    }
    assert torch.equal(plain, grpo_loss(**padded)[0])


@pytest.mark.parametrize("rewards", [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
def test_report_2_an_overflowing_ratio_is_refused_for_either_sign(rewards: list[float]) -> None:
    """A log-ratio of 100 is refused whatever the advantage, so that no infinity times zero reaches a weight."""
    before, after = _weights_after(-1.0, -101.0, -1.0, rewards, 0.0)
    assert before == after


@pytest.mark.parametrize("advantage", [1.0, -1.0, 0.0])
def test_report_2_a_lone_overflowing_token_is_refused(advantage: float) -> None:
    """With a positive advantage the clipped objective stays finite while its gradient does not: the ratio itself is looked at."""
    with pytest.raises(ValueError, match="ratio"):
        token_terms([[0.0]], [[-100.0]], None, [[1]], [advantage], 0.2, 0.0)


def test_an_overflowing_penalty_is_refused_where_it_is_only_a_figure() -> None:
    """With a beta of 0 the penalty is still reported, and infinity is no report."""
    with pytest.raises(ValueError, match="k3"):
        token_terms([[-200.0]], [[-200.0]], [[0.0]], [[1]], [1.0], 0.2, 0.0)


def test_terms_of_an_empty_response_are_refused() -> None:
    """One response without a token among others is refused here too."""
    with pytest.raises(ValueError, match="no token"):
        token_terms(torch.zeros(2, 3), torch.zeros(2, 3), None, [[1, 1, 0], [0, 0, 0]], [1.0, 1.0], 0.2, 0.0)


def test_advantages_are_observations() -> None:
    """No gradient reaches an advantage, though it comes with a graph."""
    advantages = torch.tensor([1.0], requires_grad=True)
    now = torch.zeros(1, 2, requires_grad=True)
    token_terms(now, torch.zeros(1, 2), None, [[1, 1]], advantages, 0.2, 0.0).objective.sum().backward()
    assert advantages.grad is None
    assert now.grad.tolist() == [[1.0, 1.0]]


@pytest.mark.parametrize("whole", [False, True])
def test_the_ratio_outside_the_mask_is_one(whole: bool) -> None:
    """Padding has a ratio of 1 and is never counted as clipped, whether ratios are of tokens or of responses."""
    terms = token_terms([[0.0, 5.0]], [[-1.0, 0.0]], None, [[1, 0]], [1.0], 0.2, 0.0, sequence_ratio=whole)
    assert terms.ratio[0].tolist() == [pytest.approx(math.e), 1.0]
    assert terms.clipped[0].tolist() == [True, False]


def test_report_2_the_largest_ratios_have_finite_gradients() -> None:
    """Just under overflow, a ratio of about 1e37 still gives a finite gradient of the right sign and no clamp's zero."""
    now = torch.tensor([[85.0]], requires_grad=True)
    terms = token_terms(now, torch.zeros(1, 1), None, [[True]], [-1.0], 0.2, 0.0)
    (-terms.objective.sum()).backward()
    assert math.isfinite(now.grad.item())
    assert now.grad.item() == pytest.approx(math.exp(85), rel=1e-4)


@pytest.mark.parametrize("apart", [-0.7, -0.1, 0.1, 0.7])
def test_report_20_the_penalty_draws_to_the_reference(apart: float) -> None:
    """With no advantage the step goes toward the reference from either side, and the gradient is that of finite differences."""
    batch = _batch(kind=torch.float64)
    batch["rewards"] = torch.ones(3, 4, dtype=torch.float64)
    batch["reference_logprobs"] = batch["current_logprobs"] + apart
    now = batch["current_logprobs"].clone().requires_grad_()
    grpo_loss(**{**batch, "current_logprobs": now})[0].backward()
    mask = batch["response_mask"]
    assert bool(((-now.grad * apart)[mask] > 0).all())
    for place in [(0, 0, 0), (1, 3, 0), (2, 1, 0)]:
        ends = []
        for step in (1e-6, -1e-6):
            moved = batch["current_logprobs"].clone()
            moved[place] += step
            ends.append(grpo_loss(**{**batch, "current_logprobs": moved})[0].item())
        assert now.grad[place].item() == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


def test_the_gradient_is_that_of_finite_differences() -> None:
    """Policy term and penalty together, at every scored token of a batch of unequal lengths."""
    batch = _batch(seed=11, kind=torch.float64)
    mask = batch["response_mask"]

    def loss(now: Any) -> Any:
        return grpo_loss(**{**batch, "current_logprobs": now})[0]

    assert bool(mask.any())
    assert torch.autograd.gradcheck(loss, batch["current_logprobs"].clone().requires_grad_(), eps=1e-7, atol=1e-6)


def test_report_21_a_group_of_equals_moves_only_the_penalty() -> None:
    """Prompt A all right, prompt B all wrong: without a penalty the gradient is exactly zero everywhere."""
    batch = _batch(prompts=2, group=2)
    batch |= {"rewards": torch.tensor([[1.0, 1.0], [0.0, 0.0]]), "kl_beta": 0.0}
    batch["current_logprobs"].requires_grad_()
    loss, _ = grpo_loss(**batch)
    loss.backward()
    assert loss.item() == 0
    assert not bool(batch["current_logprobs"].grad.any())


def test_advantages_of_tokens() -> None:
    """One advantage a token gives, token by token, what one a response gives where they are equal; padding's may be anything."""
    now, old = torch.tensor([[-1.0, -2.0, -1.0]]), torch.tensor([[-1.1, -1.8, -9.0]])
    whole = token_terms(now, old, None, [[1, 1, 0]], [2.0], 0.2, 0.0)
    each = token_terms(now, old, None, [[1, 1, 0]], [[2.0, 2.0, math.nan]], 0.2, 0.0)
    assert torch.equal(whole.objective, each.objective)
    with pytest.raises(ValueError, match="advantages"):
        token_terms(now, old, None, [[1, 1, 0]], [2.0, 2.0], 0.2, 0.0)
    with pytest.raises(ValueError, match="advantage"):
        token_terms(now, old, None, [[1, 1, 0]], [math.inf], 0.2, 0.0)
