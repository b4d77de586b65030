"""Muon: momentum, made orthogonal, on matrices.

K. Jordan and others, "Muon: an optimizer for hidden layers in neural networks" (2024): the quintic Newton-Schulz iteration and its three
coefficients. The rate is scaled so that a step has the size of AdamW's: J. Liu and others, "Muon is scalable for LLM training" (2025).
torch has one too; it computes in bfloat16, which processors without such units do slowly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch

from conformed_plugins.training.grpo.shared.threads import on_threads

__all__ = ["Muon", "orthogonal"]

_A, _B, _C = 3.4445, -4.7750, 2.0315
_LIKE_ADAMW = 0.2


class Muon(torch.optim.Optimizer):  # type: ignore[misc]
    """Steps matrices.

    Args:
        matrices: parameters of two dimensions.
        lr: rate, in AdamW's terms.
        momentum: of the gradients; Nesterov's.
        threads: threads, some matrices each. Changes no bit.
    """

    def __init__(self, matrices: Iterable[torch.nn.Parameter], lr: float, momentum: float = 0.95, *, threads: int = 1) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum})
        self._threads = threads

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: None = None) -> None:
        """Steps every matrix that has a gradient."""
        for group in self.param_groups:
            some = [one for one in group["params"] if one.grad is not None]
            directions = [self._direction(one, group["momentum"]) for one in some]
            for one, by in zip(some, on_threads(orthogonal, directions, self._threads), strict=True):
                one.sub_(by, alpha=group["lr"] * _LIKE_ADAMW * math.sqrt(max(by.shape)))

    def _direction(self, one: torch.nn.Parameter, momentum: float) -> torch.Tensor:
        assert one.grad is not None
        state = self.state[one]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(one)
        kept: torch.Tensor = state["momentum"].lerp_(one.grad, 1 - momentum)
        return one.grad.lerp(kept, momentum)


@torch.no_grad()  # type: ignore[untyped-decorator]
def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """A matrix whose singular values are about 1 (0.6 to 1.2), with the singular vectors of the one given.

    Args:
        matrix: [rows, columns], float32. Zero stays zero.
    """
    tall = matrix.shape[0] > matrix.shape[1]
    found = matrix.mT if tall else matrix
    found = found / found.norm().clamp(min=1e-7)
    for _ in range(5):
        square = found @ found.mT
        found = torch.addmm(found, torch.addmm(square, square, square, beta=_B, alpha=_C), found, beta=_A)
    return found.mT if tall else found
