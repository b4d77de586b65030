"""The loss: mean negative log-likelihood over the tokens of the answers, the token that ends them among them."""

from __future__ import annotations

import torch

from conformed.errors import GivenValueError

__all__ = ["masked_nll"]


def masked_nll(logprobs: torch.Tensor, target_mask: torch.Tensor, *, tokens: int | None = None) -> torch.Tensor:
    """``-sum(mask x log p) / sum(mask)``. Prompt and padding are outside the mask, and whatever stands there counts for nothing.

    Args:
        logprobs: log-probability of each token, any shape.
        target_mask: the same shape, bool: True where the token is to be learned.
        tokens: divisor, where this is a part of a batch with so many target tokens; None divides by those of the mask.

    Raises:
        GivenValueError: for another shape or type of the mask, a mask that selects nothing, or a selected value that is not finite.
    """
    if logprobs.shape != target_mask.shape or target_mask.dtype != torch.bool:
        raise GivenValueError(
            f"The mask is {target_mask.dtype} {tuple(target_mask.shape)}, the log-probabilities are {tuple(logprobs.shape)}.",
            "Give a mask of bools, one a token.",
        )
    chosen = logprobs[target_mask]
    count = len(chosen) if tokens is None else tokens
    if not len(chosen) or count < len(chosen):
        raise GivenValueError(f"{len(chosen)} tokens are selected of {count} to divide by.", "Select at least one token.")
    if not torch.isfinite(chosen).all():
        raise GivenValueError("A selected log-probability is not finite.", "Look at the model's weights and at the batch.")
    return -chosen.sum() / count
