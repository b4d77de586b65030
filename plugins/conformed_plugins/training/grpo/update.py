"""Stages 2 to 4: advantages, log-probabilities and loss, gradient. The step itself is ``step``.

A response's weight is made once for the whole update, from all its groups, before it is cut into microbatches; the gradients of the
microbatches are added in their order. So neither the cut nor the number of threads changes what is learnt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch

from conformed.errors import StepError
from conformed_plugins.training.advantage import Grouped, ragged_advantages
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.shared.forward import plain, score_groups
from conformed_plugins.training.grpo.shared.layout import Group
from conformed_plugins.training.grpo.shared.threads import on_threads
from conformed_plugins.training.grpo.window import Asked, Response
from conformed_plugins.training.loss import LossSums, loss_metrics, microbatch_loss
from conformed_plugins.training.losses import loss_named
from conformed_plugins.training.process import process_advantages

__all__ = ["Learnt", "advantages_of", "learn", "step"]


@dataclass(frozen=True, slots=True)
class Learnt:
    """What an update's responses teach."""

    gradients: tuple[torch.Tensor, ...] | None
    """Of each parameter, in the model's order; None where nothing teaches anything and no step may be made."""
    figures: dict[str, float | int]
    """By the names of the series."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One prompt's share of an update: its responses that take part."""

    prompt: tuple[int, ...]
    responses: tuple[Response, ...]
    advantages: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """What a microbatch gives."""

    gradients: tuple[torch.Tensor, ...]
    sums: LossSums
    entropy: float
    """Sum over its tokens."""
    apart: float
    """Largest difference of current and old log-probabilities."""
    ratios: float
    """Sum of the ratios of its tokens."""

    def add(self, other: _Piece) -> _Piece:
        """Both together; the other's gradients are added into these."""
        for mine, more in zip(self.gradients, other.gradients, strict=True):
            mine.add_(more)
        return _Piece(
            self.gradients,
            self.sums + other.sums,
            self.entropy + other.entropy,
            max(self.apart, other.apart),
            self.ratios + other.ratios,
        )


def advantages_of(asked: Sequence[Asked], settings: GrpoSettings) -> Grouped[tuple[float, ...]]:
    """Advantages of an update's groups, one a token."""
    reasons = [[one.judged.checked.code for one in group.responses] for group in asked]
    lengths = [[len(one.tokens) for one in group.responses] for group in asked]
    if settings.supervision == "process":
        steps = [[one.steps for one in group.responses] for group in asked]
        return process_advantages(steps, lengths, settings.advantage_eps, reasons=reasons)
    rewards = [[one.judged.reward for one in group.responses] for group in asked]
    found = ragged_advantages(rewards, settings.advantage_eps, reasons=reasons, scaled=loss_named(settings.loss).scaled)
    spread = tuple(
        None if row is None else tuple((value,) * length for value, length in zip(row, sizes, strict=True))
        for row, sizes in zip(found.advantages, lengths, strict=True)
    )
    return Grouped(spread, found.kept, found.excluded, found.dropped_groups, found.dropped_responses, found.tied_groups)


def learn(model: Any, asked: Sequence[Asked], settings: GrpoSettings, *, first: bool) -> Learnt:
    """The gradient of an update. Changes nothing.

    Args:
        model: the current policy, in evaluation mode.
        asked: the update's groups.
        settings: the run's.
        first: whether current and old policy are still the same, so that every ratio must be 1.

    Raises:
        StepError: when they are the same and a ratio is not 1 within ``replay_tolerance``.
        ValueError: as ``microbatch_loss``.
    """
    compared = advantages_of(asked, settings)
    figures: dict[str, float | int] = {
        "dropped_groups": compared.dropped_groups,
        "unscored": sum(compared.excluded.values()),
    }
    parts = list(_parts(asked, compared, settings))
    if not parts:
        return Learnt(None, figures)
    size, share = settings.microbatch_prompts, not plain(model)
    cut = [parts[start : start + size] for start in range(0, len(parts), size)]
    pieces = on_threads(lambda some: _piece(model, some, settings, share=share), cut, settings.update_threads if share else 1)
    whole = reduce(_Piece.add, pieces)
    if first:
        _check_replay(whole.apart, settings.replay_tolerance)
        figures["replay_difference"] = whole.apart
    tokens = int(whole.sums.tokens)
    taking_part = torch.tensor([each[0] for each in compared.taking_part])
    figures |= {name: float(value) for name, value in loss_metrics(whole.sums, taking_part).items()}
    figures |= {
        "token_entropy": whole.entropy / tokens,
        "ratio_mean": whole.ratios / tokens,
        "ratio_max": float(whole.sums.greatest_ratio),
    }
    if not settings.with_reference:
        del figures["sampled_kl"]
    return Learnt(whole.gradients, figures)


def step(
    model: Any, optimiser: torch.optim.Optimizer, gradients: Sequence[torch.Tensor], settings: GrpoSettings, update: int
) -> float:
    """Stage 5: clips the gradient and steps.

    Args:
        model: the current policy.
        optimiser: of its parameters.
        gradients: one a parameter.
        settings: the run's.
        update: its number, the first is 1.

    Returns:
        Norm of the gradient before it was clipped.

    Raises:
        StepError: when it is not finite. Then nothing has been changed, and no gradient is left behind.
    """
    norm = math.sqrt(sum(float(one.double().square().sum()) for one in gradients))
    if not math.isfinite(norm):
        optimiser.zero_grad(set_to_none=True)
        raise StepError(
            f"The gradient of update {update} is not finite; no step was made.", "Lower the rate, or look at its rollouts."
        )
    scale = settings.max_gradient_norm / norm if norm > settings.max_gradient_norm else 1.0
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        parameter.grad = gradient if scale == 1.0 else gradient * scale
    for group in optimiser.param_groups:
        group["lr"] = settings.rate(update)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return norm


def _parts(asked: Sequence[Asked], compared: Grouped[tuple[float, ...]], settings: GrpoSettings) -> Iterator[_Part]:
    """What takes part, with its weights. Without a reference a tied group's gradient is exactly 0, so it is not run; it weighs as a group."""
    if not compared.kept_groups:
        return
    lengths = [[len(one.tokens) for one in group.responses] for group in asked]
    weights = loss_named(settings.loss).token_weights(compared.kept, lengths)
    for group, advantages, kept, own in zip(asked, compared.advantages, compared.kept, weights, strict=True):
        if advantages is None or not (settings.with_reference or any(map(any, advantages))):
            continue
        chosen = [number for number, takes_part in enumerate(kept) if takes_part]
        yield _Part(
            group.prompt,
            tuple(group.responses[number] for number in chosen),
            tuple(advantages[number] for number in chosen),
            tuple(own[number] for number in chosen),
        )


def _piece(model: Any, some: Sequence[_Part], settings: GrpoSettings, *, share: bool) -> _Piece:
    """Forward and backward pass of a microbatch."""
    responses = [one for part in some for one in part.responses]
    groups = [Group(part.prompt, tuple(one.tokens for one in part.responses)) for part in some]
    scored = score_groups(model, groups, share=share)
    old = _table([one.old for one in responses], scored.mask)
    references = [one.reference for one in responses if one.reference is not None]
    loss, sums = microbatch_loss(
        scored.logprobs,
        old,
        _table(references, scored.mask) if references else None,
        scored.mask,
        _table([row for part in some for row in part.advantages], scored.mask),
        torch.tensor([one for part in some for one in part.weights]),
        settings.clip_epsilon,
        settings.kl_beta,
        sequence_ratio=loss_named(settings.loss).sequence_ratio,
    )
    gradients = torch.autograd.grad(loss, list(model.parameters()))
    apart = (scored.logprobs.detach() - old)[scored.mask]
    return _Piece(gradients, sums, float(scored.entropy.sum()), float(apart.abs().max()), float(apart.exp().sum()))


def _table(rows: Sequence[Sequence[float]], mask: torch.Tensor) -> torch.Tensor:
    return torch.zeros(mask.shape).masked_scatter_(mask, torch.tensor([value for row in rows for value in row]))


def _check_replay(apart: float, tolerance: float) -> None:
    if not apart <= tolerance:
        raise StepError(
            f"Log-probabilities of unchanged weights differ from the rollout's by {apart:.3g}, at most {tolerance:.3g} is expected.",
            "The policy sampled is not the policy scored: look at the model's type and mode.",
        )
