"""The responses of one generation: what a run folder keeps of them, and their figures under the names that every trainer uses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from conformed_plugins.training.advantage import GroupedAdvantages
from conformed_plugins.training.items import Checked, TrainingItem
from conformed_plugins.training.reward import Judged
from conformed_plugins.training.telemetry import batch_figures

__all__ = ["Sample", "Scored", "group_figures", "sample_rows", "step_figures"]

_NAMES = {
    "loss": "loss",
    "grad_norm": "gradient_norm",
    "learning_rate": "learning_rate",
    "entropy": "token_entropy",
    "kl": "sampled_kl",
    "clip_ratio/region_mean": "clip_fraction",
    "step_time": "update_seconds",
    "sampling/sampling_logp_difference/max": "replay_difference",
}
"""TRL's names and ours. The last is there where vLLM samples."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One response and what was found of it."""

    place: int
    """Place of the item among the run's."""
    response: str
    """The response's text."""
    prompt_tokens: int
    """Tokens of the prompt, template included."""
    tokens: int
    """Tokens of the response, the one that ends it included."""
    stop: str
    """``eos``, or ``length`` where it was cut off."""
    judged: Judged
    """What the check found, and the reward."""

    def __reduce__(self) -> tuple[Any, ...]:
        """How it goes from one process to another: a read-only mapping cannot be sent."""
        found = self.judged.checked
        plain = (found.outcome, found.format_ok, found.code, dict(found.parts), self.judged.reward)
        return _received, ((self.place, self.response, self.prompt_tokens, self.tokens, self.stop), plain)


@dataclass(frozen=True, slots=True)
class Scored:
    """The responses of one generation, over all devices: those of a group stand together."""

    rows: tuple[Sample, ...]
    """One a response."""
    groups: GroupedAdvantages
    """Their advantages and what was left out."""


def step_figures(logged: Mapping[str, Any], *, maximum: float) -> dict[str, float]:
    """Figures of one update, out of what TRL logged.

    Args:
        logged: TRL's log of one step.
        maximum: to which the gradient is clipped.
    """
    found = {ours: float(logged[theirs]) for theirs, ours in _NAMES.items() if _is_number(logged.get(theirs))}
    if "gradient_norm" in found:
        found["gradient_clipped"] = float(found["gradient_norm"] > maximum)
    return found


def group_figures(scored: Scored) -> dict[str, float]:
    """Figures of the rewards of one generation. Rewards that are not there are in no mean, and are counted."""
    rows = iter(scored.rows)
    groups = [[next(rows) for _ in kept] for kept in scored.groups.kept]
    return batch_figures([[one.judged for one in group] for group in groups], [[one.tokens for one in group] for group in groups])


def sample_rows(scored: Scored, items: Sequence[TrainingItem]) -> list[dict[str, Any]]:
    """The samples as a run folder keeps them. One that taught nothing has no advantage.

    Args:
        scored: the samples.
        items: the run's items.
    """
    places = [
        (number, group[at] if taught and group is not None else None)
        for number, (group, kept) in enumerate(zip(scored.groups.advantages, scored.groups.kept, strict=True))
        for at, taught in enumerate(kept)
    ]
    return [
        {
            "item": items[one.place].id,
            "task": str(items[one.place].task),
            "template": items[one.place].template,
            "group": number,
            "prompt": items[one.place].prompt,
            "prompt_tokens": one.prompt_tokens,
            "response": one.response,
            "response_tokens": one.tokens,
            "stop": one.stop,
            "outcome": str(one.judged.checked.outcome),
            "format_ok": one.judged.checked.format_ok,
            "code": one.judged.checked.code,
            "reward": one.judged.reward,
            "advantage": advantage,
        }
        for one, (number, advantage) in zip(scored.rows, places, strict=True)
    ]


def _received(plain: tuple[int, str, int, int, str], found: tuple[Any, ...]) -> Sample:
    outcome, format_ok, code, parts, reward = found
    return Sample(*plain, Judged(Checked(outcome, format_ok, code, MappingProxyType(parts)), reward))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
