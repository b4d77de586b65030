"""The clipped policy loss with its penalty, of one token at a time.

Per token: min(ratio A, clip(ratio, 1 - epsilon, 1 + epsilon) A) - beta k3, with ratio = exp(current - old) and k3 = exp(d) - d - 1
for d = reference - current. J. Schulman et al., "Proximal Policy Optimization Algorithms" (2017), equation 7; k3: J. Schulman,
"Approximating KL Divergence" (2020), which is never below 0 and whose gradient, 1 - exp(d), points to the reference.

Everything outside the mask is replaced by 0 before anything is exponentiated, so that no padding can overflow, forward or backward.
The exponents are never clamped: what overflows at a scored token is refused, and no step is made of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed_plugins.training.tensors import all_finite, floats, mask_of, positive

__all__ = ["TokenTerms", "token_terms"]


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """Terms of each token, 0 outside the mask; [..., tokens], float32, or float64 where the current log-probabilities are."""

    objective: torch.Tensor
    """min(ratio A, clip(ratio) A); the gradient flows into the current log-probabilities."""
    kl: torch.Tensor | None
    """k3 towards the reference, without beta; None where there is no reference."""
    ratio: torch.Tensor
    """exp(current - old), or the response's geometric mean of it; 1 outside the mask, without gradient."""
    clipped: torch.Tensor
    """Whether the ratio lies outside 1 - epsilon to 1 + epsilon, whatever the sign of the advantage; bool."""
    mask: torch.Tensor
    """Which tokens count; bool."""


def token_terms(
    current: Any,
    old: Any,
    reference: Any,
    mask: Any,
    advantages: Any,
    clip_epsilon: float,
    kl_beta: float,
    *,
    sequence_ratio: bool = False,
) -> TokenTerms:
    """Terms of each token, from which every loss here is summed.

    Args:
        current: log-probabilities of the policy that learns, [..., tokens]; the only one that gradients reach.
        old: those of the policy that sampled.
        reference: those of the policy that is held on to; None is allowed where ``kl_beta`` is 0.
        mask: True or 1 for the tokens of the response.
        advantages: one a response, [...], or one a token, [..., tokens].
        clip_epsilon: between 0 and 1, neither included.
        kl_beta: 0 or more.
        sequence_ratio: take the ratio of whole responses.

    Raises:
        ValueError: for shapes that differ, a response without a token, a scored value or an advantage that is not finite,
            epsilon or beta outside their range, or a ratio or k3 that is not finite.
    """
    epsilon, beta = positive("clip_epsilon", clip_epsilon, below=1.0), _beta(kl_beta)
    now = floats("current_logprobs", current)
    kind = torch.float64 if now.dtype == torch.float64 else torch.float32
    scored = mask_of("response_mask", mask, now.shape)
    if now.dim() < 1 or not now.numel() or not bool(scored.any(dim=-1).all()):
        raise GivenValueError("A response has no token.", "Leave it out: there is nothing to learn from it.")
    now = _scored("current_logprobs", now.to(kind), scored)
    then = _scored("old_logprobs", _beside("old_logprobs", old, now), scored)
    weight = _advantages(advantages, now, scored)

    log_ratio = now - then
    if sequence_ratio:
        mean = log_ratio.sum(dim=-1, keepdim=True) / scored.sum(dim=-1, keepdim=True)
        log_ratio = mean.expand_as(now).masked_fill(~scored, 0.0)
    ratio = all_finite("The ratio of current to old", log_ratio.exp())
    plain = ratio * weight
    objective = torch.minimum(plain, ratio.clamp(1 - epsilon, 1 + epsilon) * weight).masked_fill(~scored, 0.0)
    still = ratio.detach()
    clipped = ((still < 1 - epsilon) | (still > 1 + epsilon)) & scored
    return TokenTerms(objective, _kl(reference, now, scored, beta), still, clipped, scored)


def _beta(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise GivenValueError(f"kl_beta is {value!r}.", "Give a finite number of at least 0.")
    return float(value)


def _beside(name: str, given: Any, now: torch.Tensor) -> torch.Tensor:
    """Another policy's log-probabilities in the shape, type and place of the current ones, and out of reach of gradients."""
    made = floats(name, given).detach()
    if made.shape != now.shape:
        raise GivenValueError(f"{name} has the shape {tuple(made.shape)} beside {tuple(now.shape)}.", "Give one value a token.")
    return made.to(now)


def _scored(name: str, values: torch.Tensor, scored: torch.Tensor) -> torch.Tensor:
    """Values with 0 wherever nothing is scored. What is replaced has a gradient of exactly 0, be it infinite or no number."""
    return all_finite(f"A scored value of {name}", values.masked_fill(~scored, 0.0))


def _advantages(given: Any, now: torch.Tensor, scored: torch.Tensor) -> torch.Tensor:
    made = floats("advantages", given).detach().to(now)
    if made.shape == now.shape[:-1]:
        made = made.unsqueeze(-1)
    elif made.shape != now.shape:
        raise GivenValueError(f"advantages has the shape {tuple(made.shape)} beside {tuple(now.shape)}.", "Give one a response.")
    return all_finite("An advantage", made.masked_fill(~scored, 0.0))


def _kl(reference: Any, now: torch.Tensor, scored: torch.Tensor, beta: float) -> torch.Tensor | None:
    if reference is None:
        if beta:
            raise GivenValueError(f"kl_beta is {beta} and there is no reference.", "Give the reference's log-probabilities.")
        return None
    delta = _scored("reference_logprobs", _beside("reference_logprobs", reference, now), scored) - now
    return all_finite("The penalty k3", torch.expm1(delta) - delta)
