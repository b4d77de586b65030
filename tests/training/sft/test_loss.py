"""The loss of supervised training, by hand."""

from __future__ import annotations

import math

import pytest
import torch

from conformed.errors import GivenValueError
from conformed_plugins.training.sft.loss import masked_nll


def test_it_is_the_mean_over_selected_tokens_and_not_over_rows() -> None:
    """Two tokens of the first row and one of the second: (1 + 2 + 6) / 3 = 3, where a mean of rows would be 3.75."""
    logprobs = torch.tensor([[-1.0, -2.0], [-6.0, -100.0]])
    mask = torch.tensor([[True, True], [True, False]])
    assert masked_nll(logprobs, mask).item() == 3.0


def test_a_part_divides_by_the_tokens_of_the_whole() -> None:
    """The losses of the parts of a batch add up to the loss of the batch."""
    logprobs, mask = torch.tensor([[-1.0, -2.0], [-6.0, -4.0]]), torch.tensor([[True, True], [True, False]])
    parts = [masked_nll(logprobs[row : row + 1], mask[row : row + 1], tokens=3).item() for row in (0, 1)]
    assert parts == [1.0, 2.0]


@pytest.mark.parametrize("odd", [-math.inf, math.nan, math.inf, -1e38])
def test_what_is_outside_the_mask_counts_for_nothing(odd: float) -> None:
    """Whatever stands at a prompt's or padding's place changes neither loss nor gradient."""
    found = []
    for value in (0.0, odd):
        logprobs = torch.tensor([[-1.0, value, -3.0]], requires_grad=True)
        loss = masked_nll(logprobs, torch.tensor([[True, False, True]]))
        loss.backward()
        assert logprobs.grad is not None
        found.append((loss.item(), logprobs.grad.tolist()))
    assert found[0] == found[1] == (2.0, [[-0.5, 0.0, -0.5]])


@pytest.mark.parametrize(
    ("logprobs", "mask", "said"),
    [
        ([[-1.0]], [[False]], "0 tokens"),
        ([[-1.0, -1.0]], [[True]], "mask is"),
        ([[-math.inf, -1.0]], [[True, True]], "not finite"),
        ([[math.nan, -1.0]], [[True, False]], "not finite"),
    ],
)
def test_what_means_nothing_is_refused(logprobs: list[list[float]], mask: list[list[bool]], said: str) -> None:
    """A mask that selects nothing or has another shape, and a selected value that is no number, are refused."""
    with pytest.raises(GivenValueError, match=said):
        masked_nll(torch.tensor(logprobs), torch.tensor(mask))


def test_a_mask_of_numbers_is_refused() -> None:
    """1 for True would select by index."""
    with pytest.raises(GivenValueError, match="int64"):
        masked_nll(torch.tensor([[-1.0]]), torch.tensor([[1]]))
