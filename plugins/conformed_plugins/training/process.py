"""Process supervision: rewards at the ends of a response's steps, where outcome supervision has one for the whole response.

Z. Shao et al., "DeepSeekMath" (2024), section 4.1.3: the rewards of all steps of a group are normalised together, and a token's
advantage is the sum of those of its own step and of all later ones. Population variance with eps inside the root, as elsewhere here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import torch

from conformed.errors import GivenValueError
from conformed_plugins.training.advantage import EPS, Grouped, by_group, group_advantages
from conformed_plugins.training.tensors import positive

__all__ = ["StepReward", "process_advantages"]


class StepReward(NamedTuple):
    """One step's reward."""

    end: int
    """Place of its last token in the response, from 0."""
    reward: float
    """Finite."""


def process_advantages(
    steps: Sequence[Sequence[Sequence[StepReward] | None]],
    lengths: Sequence[Sequence[int]],
    eps: float = EPS,
    *,
    reasons: Sequence[Sequence[str]] | None = None,
) -> Grouped[tuple[float, ...]]:
    """Advantages of each token; a single step that ends with the response is outcome supervision again.

    Args:
        steps: for each group and response its steps in order, the last ending with the response's last token, a stop token
            included; None where any step could not be judged.
        lengths: tokens of each response, in the same shape.
        eps: finite and above 0.
        reasons: as in ``ragged_advantages``.

    Returns:
        As ``ragged_advantages``, with a tuple a response: one advantage a token.

    Raises:
        ValueError: for shapes that differ, steps that do not cut the response from first to last token, or a reward that is not
            finite.
    """
    eps = positive("eps", eps)
    if [len(one) for one in steps] != [len(one) for one in lengths]:
        raise GivenValueError("steps and lengths have different shapes.", "Give one length a response.")
    for group, sizes in zip(steps, lengths, strict=True):
        for response, size in zip(group, sizes, strict=True):
            _check(response, size)

    def made(scored: Sequence[Sequence[StepReward]]) -> tuple[list[tuple[float, ...]], bool]:
        rewards = [step.reward for response in scored for step in response]
        values = iter(group_advantages(torch.tensor([rewards], dtype=torch.float64), eps)[0].tolist())
        by_step = [[next(values) for _step in response] for response in scored]
        spread = [_by_token(response, own) for response, own in zip(scored, by_step, strict=True)]
        return spread, len(set(rewards)) == 1

    return by_group(steps, made, reasons, excluded=())


def _by_token(steps: Sequence[StepReward], values: Sequence[float]) -> tuple[float, ...]:
    """Later steps summed backwards, and each sum given to the tokens of its step."""
    sums = list(accumulate(reversed(values)))[::-1]
    starts = [0, *(step.end + 1 for step in steps)]
    return tuple(total for total, (first, last) in zip(sums, pairwise(starts), strict=True) for _token in range(first, last))


def _check(steps: Any, length: int) -> None:
    if steps is None:
        return
    ends = [-1, *(step.end for step in steps)]
    if any(after <= before for before, after in pairwise(ends)) or ends[-1] != length - 1 or length < 1:
        raise GivenValueError(
            f"Steps end at {ends[1:]} in a response of {length} tokens.", "Cut it into steps from its first to its last token."
        )
    for step in steps:
        if isinstance(step.reward, bool) or not isinstance(step.reward, int | float) or not abs(step.reward) < float("inf"):
            raise GivenValueError(f"A step's reward is {step.reward!r}.", "Give a finite number, or None for the response.")
