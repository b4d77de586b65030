"""GRPO: tokens averaged within a response, then responses within a group, then prompts."""

from __future__ import annotations

from collections.abc import Sequence

from conformed_plugins.training.losses.kind import LossKind

__all__ = ["GRPO", "response_mean"]


def response_mean(lengths: Sequence[int]) -> tuple[float, ...]:
    """A token weighs one part of its response, and a response one part of its group."""
    return tuple(1 / (len(lengths) * length) for length in lengths)


GRPO = LossKind(
    name="grpo",
    source='Z. Shao et al., "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models" (2024), '
    "arXiv:2402.03300, equations 3 and 4; population variance with eps inside the root",
    scaled=True,
    sequence_ratio=False,
    of_group=response_mean,
)
"""The loss that a run uses unless its plan names another."""
