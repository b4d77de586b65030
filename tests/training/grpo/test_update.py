"""From judged groups to a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from small_run import Letters, check, items_of, model_of, settings_of

from conformed.errors import GivenValueError, StepError
from conformed.model.answer import Outcome
from conformed_plugins.training.grpo.rollout import TRUNCATED, InProcess, roll
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.shared.forward import score_groups
from conformed_plugins.training.grpo.shared.layout import Group
from conformed_plugins.training.grpo.update import learn, step
from conformed_plugins.training.grpo.window import Asked, Response
from conformed_plugins.training.items import Checked
from conformed_plugins.training.loss import grpo_loss
from conformed_plugins.training.losses import LOSSES
from conformed_plugins.training.reward import Judged

PROMPTS = ((1, 2, 3), (4, 5, 6, 7, 8), (9,), (10, 11))


def said(model: Any, prompt: Sequence[int], tokens: Sequence[int], reward: float | None, *, off: float = 0.0) -> Response:
    """A response with the log-probabilities that the model gives it, off by something."""
    with torch.no_grad():
        old = score_groups(model, [Group(tuple(prompt), (tuple(tokens),))]).logprobs[0].tolist()
    outcome = Outcome.ERROR if reward is None else Outcome.CORRECT if reward >= 1 else Outcome.INCORRECT
    return Response(
        tuple(tokens), tuple(value + off for value in old), tuple(old), "length", Judged(Checked(outcome, True, "said"), reward)
    )


def asked_of(model: Any, rewards: Sequence[Sequence[float | None]], *, off: float = 0.0, even: bool = False) -> list[Asked]:
    """Groups with these rewards and responses of different lengths."""
    found = []
    for number, group in enumerate(rewards):
        prompt = PROMPTS[number]
        responses = [
            said(
                model,
                prompt,
                [(number + place * 3 + seat) % 20 for place in range(3 if even else 1 + (seat + number) % 4)],
                reward,
                off=off,
            )
            for seat, reward in enumerate(group)
        ]
        found.append(Asked(number, f"item-{number}", prompt, tuple(responses)))
    return found


def gradient(model: Any, asked: Sequence[Asked], settings: GrpoSettings | None = None, *, first: bool = False) -> torch.Tensor:
    """The gradient of an update, flat."""
    found = learn(model, asked, settings or settings_of(), first=first).gradients
    assert found is not None
    return torch.cat([one.flatten() for one in found])


def apart(one: torch.Tensor, other: torch.Tensor) -> float:
    """Relative distance."""
    return float((one - other).norm() / other.norm())


def test_the_gradient_is_that_of_the_loss_in_the_book() -> None:
    """On full groups of one length it is the gradient of ``grpo_loss`` over the model's own forward pass, KL included."""
    model, settings = model_of().double(), settings_of(kl_beta=0.3)
    asked = asked_of(model, [[1.1, 0.0, 0.1], [0.0, 1.0, 1.0]], off=0.1, even=True)
    rows = torch.tensor([[*group.prompt, *one.tokens] for group in asked[:1] for one in group.responses])
    both = []
    for group in asked:
        rows = torch.tensor([[*group.prompt, *one.tokens] for one in group.responses])
        logits = model(rows, use_cache=False).logits[:, len(group.prompt) - 1 : -1].log_softmax(-1)
        both.append(logits.gather(-1, rows[:, len(group.prompt) :, None])[..., 0])
    loss, metrics = grpo_loss(
        current_logprobs=torch.stack(both),
        old_logprobs=[[one.old for one in group.responses] for group in asked],
        reference_logprobs=[[one.reference for one in group.responses] for group in asked],
        response_mask=torch.ones(2, 3, 3),
        rewards=[[one.judged.reward for one in group.responses] for group in asked],
        clip_epsilon=settings.clip_epsilon,
        kl_beta=0.3,
    )
    wanted = torch.cat([one.flatten() for one in torch.autograd.grad(loss, list(model.parameters()))])
    assert apart(gradient(model, asked, settings), wanted) < 1e-6
    figures = learn(model, asked, settings, first=False).figures
    for name in ("loss", "policy_objective", "sampled_kl", "clip_fraction", "normalised_advantage_std"):
        assert figures[name] == pytest.approx(float(metrics[name]), abs=1e-6), name


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_bug_15_no_cut_into_microbatches_changes_the_gradient(loss: str) -> None:
    """Bug report 15: four prompts of unequal lengths in microbatches of 1, 2, 3 and 4: equal within 1e-6, for every named loss."""
    model = model_of()
    asked = asked_of(model, [[1.1, 0.0, 0.1, 1.0], [0.0, None, 1.0], [1.1, 0.1], [0.0, 0.0, 1.1, 1.1]], off=0.05)
    found = [gradient(model, asked, settings_of(loss=loss, kl_beta=0.1, microbatch_prompts=size)) for size in (1, 2, 3, 4)]
    assert all(apart(one, found[-1]) < 1e-6 for one in found)


def test_threads_change_no_bit() -> None:
    """One thread and three give the same gradient to the bit."""
    model = model_of()
    asked = asked_of(model, [[1.1, 0.0], [0.0, 1.0, 1.0], [1.1, 0.1], [0.0, 1.1]])
    assert torch.equal(gradient(model, asked), gradient(model, asked, settings_of(update_threads=3)))


def test_bug_14_a_cut_response_leaves_both_sides_of_the_fraction() -> None:
    """Bug report 14: of three responses of one length one is left out for having been cut: the gradient is that of the other two."""
    model = model_of()
    (whole,) = asked_of(model, [[1.1, 0.0, 0.1]], even=True)
    cut = Judged(Checked(Outcome.INCORRECT, True, TRUNCATED), None)
    left_out = Asked(0, "item-0", whole.prompt, (*whole.responses[:2], Response(*_fields(whole.responses[2]), cut)))
    two = Asked(0, "item-0", whole.prompt, whole.responses[:2])
    assert torch.equal(gradient(model, [left_out]), gradient(model, [two]))


def _fields(one: Response) -> tuple[Any, ...]:
    return one.tokens, one.old, one.reference, one.stop


def test_bug_7_a_response_without_a_reward_moves_no_baseline() -> None:
    """Bug report 7: rewards 1, None, 0, 1 teach what 1, 0, 1 teach, and the None is counted."""
    model = model_of()
    (group,) = asked_of(model, [[1.0, None, 0.0, 1.0]])
    three = Asked(0, "item-0", group.prompt, tuple(one for one in group.responses if one.judged.reward is not None))
    assert torch.equal(gradient(model, [group]), gradient(model, [three]))
    assert learn(model, [group], settings_of(), first=False).figures["unscored"] == 1


def test_bug_8_what_was_never_set_is_no_reward_above_a_bad_one() -> None:
    """Bug report 8: of unset, bad, bad, unset nothing is learnt: the two that are known are tied."""
    model = model_of()
    learnt = learn(model, asked_of(model, [[None, 0.0, 0.0, None]]), settings_of(), first=False)
    assert learnt.gradients is None
    assert learnt.figures["unscored"] == 2


def test_bug_21_groups_never_mix_and_never_split() -> None:
    """Bug report 21: prompts of all right and all wrong teach nothing, together as alone; 1, 0, 0, 0 is compared as four."""
    model = model_of()
    assert learn(model, asked_of(model, [[1.0, 1.0], [0.0, 0.0]]), settings_of(), first=False).gradients is None
    mixed = asked_of(model, [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0]])
    spread = learn(model, mixed, settings_of(), first=False).figures["normalised_advantage_std"]
    above, below = 0.75 / math.sqrt(0.1875 + 1e-6), -0.25 / math.sqrt(0.1875 + 1e-6)
    assert spread == pytest.approx(math.sqrt((above**2 + 3 * below**2) / 6), rel=1e-5)
    # The tied group weighs as a group: it halves what the other one teaches.
    assert apart(gradient(model, mixed) * 2, gradient(model, mixed[:1])) < 1e-6


def test_a_tied_group_is_run_where_it_matters() -> None:
    """With a distance to the reference a tied group has a gradient, and takes part."""
    model = model_of()
    (group,) = asked_of(model, [[1.0, 1.0]])
    far = tuple(
        Response(one.tokens, one.old, tuple(value - 0.5 for value in one.old), one.stop, one.judged) for one in group.responses
    )
    learnt = learn(model, [Asked(0, "item-0", group.prompt, far)], settings_of(kl_beta=0.1), first=True)
    assert learnt.gradients is not None
    assert learnt.figures["sampled_kl"] == pytest.approx(math.expm1(-0.5) + 0.5, abs=1e-5)
    assert max(float(one.abs().max()) for one in learnt.gradients) > 0


def test_a_ratio_that_is_not_1_where_it_must_be_ends_the_run() -> None:
    """On the first update after a rollout a log-probability off by 2e-5 is found; later it is the policy's own movement."""
    model = model_of()
    asked = asked_of(model, [[1.0, 0.0]], off=2e-5)
    with pytest.raises(StepError, match="differ from the rollout's"):
        learn(model, asked, settings_of(), first=True)
    assert learn(model, asked, settings_of(), first=False).gradients is not None


@pytest.mark.parametrize("off", [-200.0, 1000.0])
def test_bugs_1_and_2_policies_too_far_apart_are_refused_before_a_step(off: float) -> None:
    """Bug reports 1 and 2: a ratio or a penalty that overflows is a named error; the weights are what they were."""
    model = model_of()
    (group,) = asked_of(model, [[1.0, 0.0]])
    far = tuple(
        Response(
            one.tokens,
            tuple(value + min(off, 0) for value in one.old),
            tuple(value + max(off, 0) for value in one.old),
            "eos",
            one.judged,
        )
        for one in group.responses
    )
    before = [one.detach().clone() for one in model.parameters()]
    with pytest.raises(GivenValueError, match="not finite"):
        learn(model, [Asked(0, "item-0", group.prompt, far)], settings_of(kl_beta=0.1), first=False)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), before, strict=True))
    assert all(one.grad is None for one in model.parameters())


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_gradient_that_is_not_finite_makes_no_step(bad: float) -> None:
    """One bad number in a gradient: an error, weights and optimiser as they were, no gradient left behind."""
    model = model_of()
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.1)
    gradients = [torch.ones_like(one) for one in model.parameters()]
    gradients[3].view(-1)[0] = bad
    before = [one.detach().clone() for one in model.parameters()]
    with pytest.raises(StepError, match="not finite"):
        step(model, optimiser, gradients, settings_of(), 1)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), before, strict=True))
    assert not optimiser.state
    assert all(one.grad is None for one in model.parameters())


def test_a_gradient_is_clipped_to_its_norm() -> None:
    """A gradient of norm 5 steps as one of norm 1 in its direction; one of norm 0.5 as it is."""
    for norm, wanted in ((5.0, 1.0), (0.5, 0.5)):
        model = torch.nn.Linear(1, 2, bias=False)
        before = model.weight.detach().clone()
        optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
        gradient_ = torch.tensor([[0.6], [0.8]]) * norm
        found = step(model, optimiser, [gradient_], settings_of(learning_rate=1.0), 1)
        assert found == pytest.approx(norm)
        assert torch.allclose(before - model.weight, gradient_ / norm * wanted)


def test_dropout_is_nowhere() -> None:
    """Bug report 23 at the seam: a rollout's log-probabilities are the update's, and the KL to the same weights is exactly 0."""
    model, settings = model_of(attention_dropout=0.1), settings_of(kl_beta=0.1)
    window = roll(InProcess(model), model, items_of(), check, Letters(), settings, generation=0, place=0, update=0, old="")
    figures = learn(model, window.asked, settings, first=True).figures
    assert figures["sampled_kl"] == 0.0
    assert figures["replay_difference"] <= 1e-5
    assert figures["ratio_max"] == pytest.approx(1, abs=1e-5)
