"""Four steps of a layer with their derivatives by hand: each reads and writes its tensors half as often as the derivative that torch makes.

``T`` counts tokens. What is divided or turned is float32 or float64. The tests hold every derivative against finite differences.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function

__all__ = ["gated", "normed", "token_logprobs", "turned"]


def normed(values: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Vectors divided by their root mean square (Zhang and Sennrich 2019, without the weight).

    Args:
        values: [T, width].
        epsilon: added to the mean square.
    """
    return _call(_Normed, values, epsilon)


def turned(heads: torch.Tensor, weight: torch.Tensor | None, angles: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Heads of queries and keys: normed and weighed where there is a weight, then turned by their position (RoPE).

    Args:
        heads: [T, heads, width], the halves of a head interleaved.
        weight: [heads, width], or None where nothing is normed.
        angles: [T, 1, width / 2], complex.
        epsilon: of the norm.
    """
    return _call(_Turned, heads, weight, angles, epsilon)


def gated(gate_up: torch.Tensor) -> torch.Tensor:
    """silu(gate) x up (SwiGLU, Shazeer 2020).

    Args:
        gate_up: [T, 2 x width], the gates first.
    """
    return _call(_Gated, gate_up)


def token_logprobs(hidden: torch.Tensor, head: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of tokens under the plain softmax, and the entropy of each distribution.

    Args:
        hidden: [T, width], ready for the head.
        head: [vocabulary, width].
        targets: [T], int64.

    Returns:
        Log-probabilities and entropies in nats, [T] each; no gradient flows through the entropies. Without gradients the entropies are
        empty, [0].
    """
    if not torch.is_grad_enabled():
        logprobs = torch.nn.functional.linear(hidden, head).log_softmax(-1)
        return logprobs.gather(-1, targets[:, None])[:, 0], logprobs.new_empty(0)
    chosen, entropy = _call(_TokenLogprobs, hidden, head, targets)
    return chosen, entropy


def _call(function: Any, *given: Any) -> Any:
    return function.apply(*given)


class _Normed(Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, values: torch.Tensor, epsilon: float) -> torch.Tensor:
        scale = _scale(values, epsilon)
        found = values * scale
        ctx.save_for_backward(found, scale)
        return found

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        found, scale = ctx.saved_tensors
        return _unscaled(grad, found, scale), None


class _Turned(Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, heads: torch.Tensor, weight: torch.Tensor | None, angles: torch.Tensor, epsilon: float) -> torch.Tensor:
        if weight is None:
            ctx.save_for_backward(angles)
            return _rotated(heads.clone(memory_format=torch.contiguous_format), angles)
        scale = _scale(heads, epsilon)
        found = heads * scale
        ctx.save_for_backward(angles, found, scale, weight)
        return _rotated(found * weight, angles)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        angles, *rest = ctx.saved_tensors
        back = _rotated(grad.clone(memory_format=torch.contiguous_format), angles.conj())
        if not rest:
            return back, None, None, None
        found, scale, weight = rest
        of_weight = (back * found).sum(0)
        return _unscaled(back.mul_(weight), found, scale), of_weight, None, None


class _Gated(Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, gate_up: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(gate_up)
        gate, up = gate_up.chunk(2, -1)
        return torch.nn.functional.silu(gate).mul_(up)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (gate_up,) = ctx.saved_tensors
        gate, up = gate_up.chunk(2, -1)
        found = torch.empty_like(gate_up)
        of_gate, of_up = found.chunk(2, -1)
        share = gate.sigmoid()
        torch.mul(gate, share, out=of_up)
        # silu' = share x (1 + gate x (1 - share)) = share + silu x (1 - share)
        torch.addcmul(share, of_up, 1 - share, out=of_gate)
        of_gate.mul_(up).mul_(grad)
        of_up.mul_(grad)
        return found


class _TokenLogprobs(Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, hidden: torch.Tensor, head: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logprobs = torch.nn.functional.linear(hidden, head).log_softmax(-1)
        chosen = logprobs.gather(-1, targets[:, None])[:, 0]
        probabilities = logprobs.exp()
        entropy = torch.linalg.vecdot(probabilities, logprobs).neg_()
        ctx.save_for_backward(hidden, head, targets, probabilities)
        ctx.mark_non_differentiable(entropy)
        return chosen, entropy

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        hidden, head, targets, probabilities = ctx.saved_tensors
        of_logits = probabilities * -grad[:, None]
        of_logits.scatter_add_(1, targets[:, None], grad[:, None])
        return of_logits @ head, of_logits.t() @ hidden, None


def _scale(values: torch.Tensor, epsilon: float) -> torch.Tensor:
    return values.square().mean(-1, keepdim=True).add_(epsilon).rsqrt_()


def _unscaled(grad: torch.Tensor, found: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Gradient of vectors from the gradient of the normed ones."""
    share = (grad * found).mean(-1, keepdim=True)
    return torch.addcmul(grad, found, share, value=-1).mul_(scale)


def _rotated(heads: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Turns neighbours of a head as complex numbers, in place."""
    torch.view_as_complex(heads.view(*heads.shape[:-1], -1, 2)).mul_(angles)
    return heads
