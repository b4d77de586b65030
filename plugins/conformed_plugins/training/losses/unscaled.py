"""The loss of Dr. GRPO: neither the spread of a group nor the length of a response divides anything."""

from __future__ import annotations

from collections.abc import Sequence

from conformed_plugins.training.losses.kind import LossKind

__all__ = ["UNSCALED", "token_sum"]


def token_sum(lengths: Sequence[int]) -> tuple[float, ...]:
    """A token weighs one part of the number of responses, whatever the lengths."""
    return (1 / len(lengths),) * len(lengths)


UNSCALED = LossKind(
    name="dr-grpo",
    source='Z. Liu et al., "Understanding R1-Zero-Like Training: A Critical Perspective" (2025), arXiv:2503.20783, section 3.2; tokens '
    "are summed, as its equation has it, and not divided by a constant, as its listing does: the rate or the norm's bound makes up for it",
    scaled=False,
    sequence_ratio=False,
    of_group=token_sum,
)
"""Free of the two biases that the paper finds: towards long wrong answers, and towards questions that are nearly all right or wrong."""
