"""Process supervision: a check that judges the steps of a response, and where each step ends among its tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.process import StepReward

__all__ = ["JudgedStep", "StepCheck", "step_rewards"]


class JudgedStep(NamedTuple):
    """One step of a response."""

    end: int
    """Characters of the response up to the end of the step."""
    sound: bool | None
    """Whether it is right; None where that cannot be told."""


StepCheck = Callable[[TrainingItem, str], Sequence[JudgedStep] | None]
"""Judges the steps of a response, in order; None where it has none that could be told apart. What it raises is no wrong step."""


def step_rewards(
    check: StepCheck, item: TrainingItem, tokens: Sequence[int], codec: Codec
) -> tuple[tuple[StepReward, ...] | None, str]:
    """Rewards of the steps of a response: 1 for a sound one, 0 for another.

    Args:
        check: judges the steps.
        item: what was asked.
        tokens: the response, at least one token.
        codec: tokens to text.

    Returns:
        The steps, the last of which takes all tokens to the end, and an empty text; or None and a reason code: a step that cannot be
        judged, steps that end within one token, or a check that failed.
    """
    text = codec.text(tokens)
    try:
        found = check(item, text)
        steps = [(int(one.end), one.sound) for one in found or ()]
    except Exception as problem:  # noqa: BLE001 - whatever the check raises is the check's failure and no wrong step
        return None, f"step_check_exception:{type(problem).__name__}"
    if not steps or any(type(sound) is not bool for _, sound in steps):
        return None, "step_not_judged"
    ends = [_reaching(tokens, end, codec) - 1 for end, _ in steps]
    if any(later <= earlier for earlier, later in pairwise(ends)):
        return None, "steps_within_one_token"
    ends[-1] = len(tokens) - 1
    return tuple(StepReward(end, float(bool(sound))) for end, (_, sound) in zip(ends, steps, strict=True)), ""


def _reaching(tokens: Sequence[int], characters: int, codec: Codec) -> int:
    """Fewest tokens whose text is that long: its length grows with them, so halving finds it."""
    low, high = 1, len(tokens)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if len(codec.text(tokens[:middle])) >= characters else (middle + 1, high)
    return low
