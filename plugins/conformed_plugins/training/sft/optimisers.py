"""Muon on the matrices of the layers, AdamW (I. Loshchilov and F. Hutter, 2019) on the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from conformed.errors import StepError
from conformed_plugins.training.sft.muon import Muon
from conformed_plugins.training.sft.settings import SftSettings

__all__ = ["Optimisers"]


class Optimisers:
    """Steps all parameters of a model.

    Args:
        model: with its embedding in ``model.embed_tokens``.
        settings: which, and how fast.
    """

    def __init__(self, model: Any, settings: SftSettings) -> None:
        self._settings = settings
        named = list(model.named_parameters())
        matrices = [one for name, one in named if one.ndim == 2 and "embed" not in name and "lm_head" not in name]
        chosen = {id(one) for one in matrices}
        others = [one for _, one in named if id(one) not in chosen]
        first: torch.optim.Optimizer
        if settings.optimiser == "muon":
            first = Muon(matrices, lr=settings.matrix_rate, threads=settings.threads)
        else:
            first = torch.optim.AdamW(matrices, lr=settings.matrix_rate, betas=(0.9, 0.98), weight_decay=0.01)
        second = torch.optim.AdamW(others, lr=settings.other_rate, betas=(0.9, 0.98), weight_decay=0.0)
        self.parts = (first, second)
        """The one of the matrices, the one of the rest."""
        self._full = (settings.matrix_rate, settings.other_rate)

    def step(self, parameters: list[torch.nn.Parameter], gradients: list[torch.Tensor], share: float, update: int) -> float:
        """Clips the gradient and steps.

        Args:
            parameters: of the model.
            gradients: one a parameter.
            share: of the full rates.
            update: its number, for messages.

        Returns:
            The norm of the gradient before it was clipped.

        Raises:
            StepError: when it is not finite. Then nothing has been changed.
        """
        norm = math.sqrt(sum(float(one.double().square().sum()) for one in gradients))
        if not math.isfinite(norm):
            raise StepError(f"The gradient of update {update} is not finite; no step was made.", "Lower the rates.")
        most = self._settings.max_gradient_norm
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient if norm <= most else gradient * (most / norm)
        for part, rate in zip(self.parts, self._full, strict=True):
            for group in part.param_groups:
                group["lr"] = rate * share
            part.step()
            part.zero_grad(set_to_none=True)
        return norm

    def __iter__(self) -> Iterator[torch.optim.Optimizer]:
        """Its two parts."""
        return iter(self.parts)
