"""Derivatives by hand beside finite differences, in float64."""

from __future__ import annotations

import torch
from torch.autograd import gradcheck

from conformed_plugins.training.grpo.shared.functions import gated, normed, token_logprobs, turned
from conformed_plugins.training.telemetry import mean_token_entropy


def numbers(*shape: int) -> torch.Tensor:
    """Numbers whose gradient is wanted."""
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape))).requires_grad_()


def test_derivatives_are_those_of_finite_differences() -> None:
    """Norm, turning with and without a norm, gate, and log-probabilities: each derivative by hand is the function's own."""
    angles = torch.polar(torch.ones(5, 1, 2, dtype=torch.float64), torch.rand(5, 1, 2, dtype=torch.float64))
    assert gradcheck(lambda values: normed(values, 1e-6), numbers(5, 6))
    assert gradcheck(lambda heads, weight: turned(heads, weight, angles, 1e-6), (numbers(5, 3, 4), numbers(3, 4)))
    assert gradcheck(lambda heads: turned(heads, None, angles, 1e-6), numbers(5, 3, 4))
    assert gradcheck(gated, numbers(4, 6))
    targets = torch.tensor([0, 6, 3, 3])
    assert gradcheck(lambda hidden, head: token_logprobs(hidden, head, targets)[0], (numbers(4, 3), numbers(7, 3)))


def test_turning_keeps_dot_products_of_equal_distance() -> None:
    """A query and a key turned by places that are equally far apart have the same product."""
    query, key = numbers(2, 1, 4).detach(), numbers(1, 2, 4).detach()[:, :1]
    products = []
    for start in (0, 3, 50):
        places = torch.tensor([start, start + 2], dtype=torch.float64)[:, None, None]
        angles = torch.polar(torch.ones(2, 1, 2, dtype=torch.float64), places * torch.tensor([1.0, 0.1]))
        both = turned(torch.cat((query[:1], key)), None, angles, 0.0)
        products.append(float((both[0] * both[1]).sum()))
    assert max(products) - min(products) < 1e-12
    assert abs(products[0] - float((query[:1] * key).sum())) > 1e-3


def test_entropy_is_the_telemetrys() -> None:
    """The entropy beside the log-probabilities is that of the telemetry, and none is worked out where no gradient is wanted."""
    hidden, head, targets = numbers(9, 4), numbers(30, 4), torch.arange(9)
    _, entropy = token_logprobs(hidden, head, targets)
    wanted = mean_token_entropy((hidden @ head.t())[None].detach(), torch.ones(1, 9, dtype=torch.bool))
    assert abs(float(entropy.mean()) - float(wanted)) < 1e-12
    assert not entropy.requires_grad
    with torch.no_grad():
        assert len(token_logprobs(hidden, head, targets)[1]) == 0


def test_an_improbable_token_has_its_log_probability() -> None:
    """A token 400 nats below the best has that log-probability, not minus infinity, and a finite gradient."""
    hidden, head = torch.tensor([[1.0]], requires_grad=True), torch.tensor([[400.0], [0.0]], requires_grad=True)
    logprob, _ = token_logprobs(hidden, head, torch.tensor([1]))
    assert logprob.tolist() == [-400.0]
    assert torch.autograd.grad(logprob.sum(), hidden)[0].tolist() == [[-400.0]]
