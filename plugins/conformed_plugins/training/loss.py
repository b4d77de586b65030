"""The policy loss of a microbatch and of a whole batch, and the metrics of an update.

Tokens are weighted before an update is cut into microbatches, so that any cut adds up to the same gradient; what a token weighs is
the named loss's affair (``losses``), what it says is in ``terms``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed_plugins.training.advantage import EPS, group_advantages
from conformed_plugins.training.losses.grpo import GRPO
from conformed_plugins.training.losses.kind import LossKind
from conformed_plugins.training.tensors import all_finite, floats, mask_of
from conformed_plugins.training.terms import TokenTerms, token_terms

__all__ = ["LossSums", "TokenTerms", "dense_loss", "grpo_loss", "loss_metrics", "microbatch_loss", "token_terms"]


@dataclass(frozen=True, slots=True)
class LossSums:
    """What the metrics of an update are made of; sums of microbatches are added with ``+``. Tensors of no dimension."""

    objective: torch.Tensor
    """Weighted sum of the objective."""
    kl: torch.Tensor
    """Weighted sum of k3, without beta; 0 where there is no reference."""
    beta: float
    """The penalty's weight."""
    clipped: torch.Tensor
    """Tokens whose ratio was outside."""
    tokens: torch.Tensor
    """Tokens."""
    responses: torch.Tensor
    """Responses."""
    greatest_ratio: torch.Tensor
    """The greatest ratio; padding counts as 1."""
    least_ratio: torch.Tensor
    """The least ratio; padding counts as 1."""

    def __add__(self, other: LossSums) -> LossSums:
        if self.beta != other.beta:
            raise GivenValueError(f"Sums with beta {self.beta} and {other.beta} are of two updates.", "Add those of one update.")
        return LossSums(
            self.objective + other.objective,
            self.kl + other.kl,
            self.beta,
            self.clipped + other.clipped,
            self.tokens + other.tokens,
            self.responses + other.responses,
            torch.maximum(self.greatest_ratio, other.greatest_ratio),
            torch.minimum(self.least_ratio, other.least_ratio),
        )


def microbatch_loss(
    current: Any,
    old: Any,
    reference: Any,
    mask: Any,
    advantages: Any,
    token_weights: Any,
    clip_epsilon: float,
    kl_beta: float,
    *,
    sequence_ratio: bool = False,
) -> tuple[torch.Tensor, LossSums]:
    """A microbatch's part of an update's loss: call ``backward`` on each part, and step once.

    Args:
        current: as in ``token_terms``.
        old: as in ``token_terms``.
        reference: as in ``token_terms``.
        mask: as in ``token_terms``.
        advantages: as in ``token_terms``.
        token_weights: what each token of a response weighs in the whole update, [...]: of ``LossKind.token_weights``.
        clip_epsilon: as in ``token_terms``.
        kl_beta: as in ``token_terms``.
        sequence_ratio: as in ``token_terms``.

    Raises:
        ValueError: as in ``token_terms``, for a weight that is not finite and above 0 (leave out responses that weigh nothing),
            or a loss that is not finite.
    """
    terms = token_terms(current, old, reference, mask, advantages, clip_epsilon, kl_beta, sequence_ratio=sequence_ratio)
    weights = floats("token_weights", token_weights).to(terms.objective)
    if weights.shape != terms.mask.shape[:-1]:
        raise GivenValueError(f"token_weights has the shape {tuple(weights.shape)}.", "Give one weight a response.")
    if not bool((weights.isfinite() & (weights > 0)).all()):
        raise GivenValueError("A weight is not finite and above 0.", "Leave out responses that take no part.")
    objective = (terms.objective.sum(dim=-1) * weights).sum()
    kl = objective.new_zeros(()) if terms.kl is None else (terms.kl.sum(dim=-1) * weights).sum()
    # With a beta of 0 k3 is a figure and no part of the loss, and no gradient is worked for it.
    loss = all_finite("The loss", -objective + kl_beta * kl if kl_beta else -objective)
    sums = LossSums(
        objective.detach(),
        kl.detach(),
        float(kl_beta),
        terms.clipped.sum(),
        terms.mask.sum(),
        torch.tensor(weights.numel(), device=weights.device),
        terms.ratio.max(),
        terms.ratio.min(),
    )
    return loss, sums


def loss_metrics(sums: LossSums, advantages: Any) -> dict[str, torch.Tensor]:
    """The metrics of an update, each a tensor of no dimension without gradient.

    Args:
        sums: of the whole update.
        advantages: of all responses that take part, in any shape.

    Returns:
        loss, policy_objective (what is made greater), sampled_kl (without beta; 0 where there is no reference), clip_fraction (of
        all tokens), mean_response_tokens, and normalised_advantage_std (of the population of responses).
    """
    spread = floats("advantages", advantages).detach().to(sums.objective).std(correction=0)
    return {
        "loss": -sums.objective + sums.beta * sums.kl,
        "policy_objective": sums.objective,
        "sampled_kl": sums.kl,
        "clip_fraction": sums.clipped.to(sums.objective) / sums.tokens,
        "mean_response_tokens": sums.tokens.to(sums.objective) / sums.responses,
        "normalised_advantage_std": spread,
    }


def grpo_loss(
    *,
    current_logprobs: Any,
    old_logprobs: Any,
    reference_logprobs: Any,
    response_mask: Any,
    rewards: Any,
    clip_epsilon: float,
    kl_beta: float,
    eps: float = EPS,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """GRPO's loss of a batch of full groups: tokens averaged within a response, then responses, then prompts.

    Args:
        current_logprobs: [prompts, group, tokens] of the policy that learns; the only one that gradients reach.
        old_logprobs: the same of the policy that sampled.
        reference_logprobs: the same of the policy that is held on to.
        response_mask: the same shape; True or 1 for the tokens of a response.
        rewards: [prompts, group], at least two a group, all finite.
        clip_epsilon: between 0 and 1, neither included.
        kl_beta: weight of the penalty, 0 or more.
        eps: of the advantages.

    Returns:
        The loss, to be made smaller, and its metrics as ``loss_metrics`` has them.

    Raises:
        ValueError: for shapes that differ, a response without a token, a scored value or a reward that is not finite, epsilon,
            beta or eps outside their range, or a ratio or loss that is not finite. Nothing has been changed by then.
    """
    return dense_loss(
        GRPO,
        current_logprobs=current_logprobs,
        old_logprobs=old_logprobs,
        reference_logprobs=reference_logprobs,
        response_mask=response_mask,
        rewards=rewards,
        clip_epsilon=clip_epsilon,
        kl_beta=kl_beta,
        eps=eps,
    )


def dense_loss(
    kind: LossKind,
    *,
    current_logprobs: Any,
    old_logprobs: Any,
    reference_logprobs: Any,
    response_mask: Any,
    rewards: Any,
    clip_epsilon: float,
    kl_beta: float,
    eps: float = EPS,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Any named loss of a batch of full groups.

    Args:
        kind: the loss, of ``losses.loss_named``.
        current_logprobs: as in ``grpo_loss``.
        old_logprobs: as in ``grpo_loss``.
        reference_logprobs: as in ``grpo_loss``.
        response_mask: as in ``grpo_loss``.
        rewards: as in ``grpo_loss``.
        clip_epsilon: as in ``grpo_loss``.
        kl_beta: as in ``grpo_loss``.
        eps: as in ``grpo_loss``.

    Raises:
        ValueError: as in ``grpo_loss``.
    """
    now = floats("current_logprobs", current_logprobs, dims=3)
    mask = mask_of("response_mask", response_mask, now.shape)
    given = floats("rewards", rewards, dims=2)
    if given.shape != now.shape[:2]:
        raise GivenValueError(f"rewards has the shape {tuple(given.shape)} beside {tuple(now.shape)}.", "Give one a response.")
    advantages = group_advantages(given, eps, scaled=kind.scaled)
    lengths = mask.sum(dim=-1).tolist()
    weights = torch.tensor(kind.token_weights([[True] * len(group) for group in lengths], lengths), dtype=torch.float64)
    loss, sums = microbatch_loss(
        now,
        old_logprobs,
        reference_logprobs,
        mask,
        advantages.to(now.device),
        weights.to(now.device),
        clip_epsilon,
        kl_beta,
        sequence_ratio=kind.sequence_ratio,
    )
    return loss, loss_metrics(sums, advantages)
