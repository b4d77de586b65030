"""Muon, by what it promises: directions of singular values about 1, and steps of a known size."""

from __future__ import annotations

import math

import pytest
import torch

from conformed_plugins.training.sft.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(8, 8), (24, 8), (8, 24)])
def test_singular_values_become_about_one(shape: tuple[int, int]) -> None:
    """Whatever the singular values were, they are 0.6 to 1.3 afterwards, and the singular vectors are the same."""
    torch.manual_seed(0)
    u, _, v = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    values = torch.linspace(0.1, 30, min(shape))
    found = orthogonal(u * values @ v)
    inner = u.mT @ found @ v.mT
    assert inner.diagonal().min() > 0.6
    assert inner.diagonal().max() < 1.3
    assert (inner - inner.diagonal().diag()).abs().max() < 1e-4


def test_nothing_stays_nothing() -> None:
    """A gradient of zero moves nothing."""
    assert not orthogonal(torch.zeros(3, 5)).any()


def test_a_step_by_hand() -> None:
    """One step from zero momentum: the Nesterov direction is a multiple of the gradient, so the step is rate x 0.2 x sqrt(rows) x UV'."""
    matrix = torch.nn.Parameter(torch.zeros(4, 2))
    matrix.grad = torch.tensor([[3.0, 0.0], [0.0, 3.0], [0.0, 0.0], [0.0, 0.0]])
    Muon([matrix], lr=0.1).step()
    expected = -0.1 * 0.2 * math.sqrt(4) * orthogonal(matrix.grad)
    assert torch.allclose(matrix.detach(), expected, atol=1e-6)
    assert matrix[0, 0].item() < -0.02


def test_threads_change_no_bit() -> None:
    """Two threads step as one does."""
    found = []
    for threads in (1, 2):
        torch.manual_seed(1)
        some = [torch.nn.Parameter(torch.randn(16, 8)) for _ in range(5)]
        muon = Muon(some, lr=0.02, threads=threads)
        for _ in range(3):
            for one in some:
                one.grad = torch.randn(16, 8)
            muon.step()
        found.append(some)
    assert all(torch.equal(one, two) for one, two in zip(*found, strict=True))
