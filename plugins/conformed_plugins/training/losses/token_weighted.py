"""The token-weighted loss of DAPO: every token of a group weighs the same, so that long responses count for more."""

from __future__ import annotations

from collections.abc import Sequence

from conformed_plugins.training.losses.kind import LossKind

__all__ = ["TOKEN_WEIGHTED", "token_mean"]


def token_mean(lengths: Sequence[int]) -> tuple[float, ...]:
    """A token weighs one part of the tokens of its group."""
    return (1 / sum(lengths),) * len(lengths)


TOKEN_WEIGHTED = LossKind(
    name="token-weighted",
    source='Q. Yu et al., "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025), arXiv:2503.14476, equation 12 '
    "and section 3.3; the mean is over the tokens of a group, as written there, and not over those of a batch. Of DAPO's other parts "
    "(wider upper clipping, dynamic sampling, overlong penalties) it has none",
    scaled=True,
    sequence_ratio=False,
    of_group=token_mean,
)
"""For runs with long responses, whose tokens GRPO weighs down."""
