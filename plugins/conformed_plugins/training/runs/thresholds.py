"""Every threshold of the diagnosis and of the shortcut detectors, in one place. They are of patterns over windows, never of a point."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from conformed.model.base import Frozen

__all__ = ["STANDARD", "Thresholds"]

Share = Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=2, strict=True)]


class Thresholds(Frozen):
    """The thresholds. The first and the last third of what was recorded are the windows that are compared."""

    least_points: Count = 6
    """Fewest updates with a figure before a pattern over it is judged."""
    least_evaluations: Count = 2
    """Fewest evaluations of a split before its accuracy is called flat."""
    least_samples: Count = 16
    """Fewest samples in each window before a shortcut is judged."""

    reward_rise: Positive = 0.05
    """Shortcut: the mean reward of the last window is higher by so much, and by more than twice the standard error."""
    flat_accuracy: Share = 0.02
    """Shortcut: no held-out split gained more than this."""
    informative_rate: Share = 0.1
    """Curriculum: the informative share of the last window is below this."""
    entropy_left: Share = 0.5
    """Collapse: of the first window's entropy at most this share is left, and ..."""
    unique_left: Share = 0.8
    """... of its unique answers at most this one."""
    kl_growth: Positive = 2.0
    """Runaway: the last third's KL is at least so many times the middle third's, which is above the first's ..."""
    kl_floor: Positive = 0.1
    """... and above so many nats a token; ..."""
    kl_limit: Positive = 1.0
    """... or above so many, however it came there."""
    clip_always: Share = 0.2
    """Clipping: the clipped share of every update of the last window is above this."""
    outage_jump: Share = 0.3
    """Outage: review and error together lie above the median so far by this much for two updates or more, ..."""
    outage_from_start: Share = 0.5
    """... or above this in each of the first three."""
    loss_zero: Positive = 1e-3
    """On-policy: the displayed loss is within this of zero in every update of the last window."""

    empty_share: Share = 0.2
    """Empty answer: so many responses of the last window say nothing."""
    majority_share: Share = 0.5
    """Majority value: so many samples give one and the same answer, ..."""
    majority_excess: Share = 0.2
    """... which is more by this than the share of the items for which it was right."""
    majority_items: Count = 8
    """Majority value: fewest different items."""
    copied_prompt: Share = 0.5
    """Copying: a response repeats so much of its prompt in one stretch, letter by letter; ..."""
    copied_share: Share = 0.2
    """... so many responses do."""
    padding_growth: Positive = 1.5
    """Padding: responses of the last window are so many times as long as those of the first, ..."""
    padding_gain: Share = 0.05
    """... and the share of correct ones is not higher by this."""
    form_share: Share = 0.9
    """Format without content: so many have the form, ..."""
    content_share: Share = 0.1
    """... at most so many are correct, and the share of correct ones is not higher by ``padding_gain``."""


STANDARD = Thresholds()
"""The thresholds unless told."""
