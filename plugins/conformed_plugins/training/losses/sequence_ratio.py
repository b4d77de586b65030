"""The sequence-ratio loss of GSPO: the ratio, and with it the clipping, is of whole responses."""

from __future__ import annotations

from conformed_plugins.training.losses.grpo import response_mean
from conformed_plugins.training.losses.kind import LossKind

__all__ = ["SEQUENCE_RATIO"]

SEQUENCE_RATIO = LossKind(
    name="sequence-ratio",
    source='C. Zheng et al., "Group Sequence Policy Optimization" (2025), arXiv:2507.18071, equations 5 to 7; the penalty of GRPO is '
    "kept, which the paper leaves out",
    scaled=True,
    sequence_ratio=True,
    of_group=response_mean,
)
"""The ratio is the geometric mean of the token ratios, so that a range far narrower than GRPO's is usual."""
