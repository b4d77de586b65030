"""One generation's frozen observations: what was asked, what was said with which probabilities, how it was judged.

Four policies have a part in it. *Behaviour* is what was sampled from: the model's own softmax at temperature 1 and top-p 1, one uniform a
token. *Old* is the policy at the rollout; since it is what was sampled from, its log-probabilities are the sampler's. *Reference* is the
policy before training, and stays. *Current* is the one that learns, and is nowhere here.
"""

from __future__ import annotations

from dataclasses import dataclass

from conformed_plugins.training.process import StepReward
from conformed_plugins.training.reward import Judged

__all__ = ["Asked", "Response", "Window"]


@dataclass(frozen=True, slots=True)
class Response:
    """One sampled response."""

    tokens: tuple[int, ...]
    """Token ids; the stop token that ended it is the last."""
    old: tuple[float, ...]
    """Log-probability of each token under the policy at the rollout, as it was sampled: natural logarithm, float32."""
    reference: tuple[float, ...] | None
    """The same under the reference; None where nothing asks for it."""
    stop: str
    """eos, length or context."""
    judged: Judged
    """What the check found, and the reward: None where there is none."""
    steps: tuple[StepReward, ...] | None = None
    """Its steps and their rewards, under process supervision."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt and the group of its responses."""

    place: int
    """Its place in the order of prompts, which no other has."""
    item: str
    """Id of the item."""
    prompt: tuple[int, ...]
    """Token ids."""
    responses: tuple[Response, ...]
    """The group."""


@dataclass(frozen=True, slots=True)
class Window:
    """A generation, and what it feeds."""

    generation: int
    """Its number, from 0."""
    update: int
    """Updates that the old policy has behind it."""
    old: str
    """Digest of the old policy's weights."""
    asked: tuple[Asked, ...]
    """Prompts in the order drawn, those of the first update first."""
