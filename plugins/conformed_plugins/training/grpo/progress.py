"""How far a run is: everything about it that changes, and is neither tensor nor generator nor rollout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from conformed_plugins.training.runs.stops import stop_rule

__all__ = ["Progress"]


@dataclass(slots=True)
class Progress:
    """Counters of a run."""

    update: int = 0
    """Updates behind it, those without a step among them. The learning rate is a function of it."""
    generation: int = 0
    """Generations sampled."""
    place: int = 0
    """Places of the order of prompts that are used."""
    phase: int = 0
    """Updates that the current generation has fed; 0 where there is none."""
    seconds: float = 0.0
    """Time so far."""
    skipped: int = 0
    """Updates without a step: there was nothing to learn from."""
    outages: int = 0
    """Updates in a row without one group that could be judged."""
    in_a_row: dict[str, int] = field(default_factory=dict)
    """For each stop rule how many times in a row it held."""
    best_update: int | None = None
    """Update of the best evaluation so far."""
    best_accuracy: float | None = None
    """Its accuracy."""
    evaluated: dict[str, float | int | str] = field(default_factory=dict)
    """Figures of the last evaluation."""
    stopped: str = ""
    """Why it ended; empty where it goes on."""

    def plain(self) -> dict[str, Any]:
        """As plain JSON."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """From plain JSON."""
        return cls(**plain)

    def look(self, rules: Sequence[str], figures: Mapping[str, float | int | str]) -> str:
        """Counts how often rules held in a row; gives the first that is met, or nothing."""
        for text in rules:
            rule = stop_rule(text)
            value = None if rule is None else figures.get(rule.series)
            if rule is None or value is None or isinstance(value, str):
                continue
            held = value > rule.limit if rule.above else value < rule.limit
            self.in_a_row[text] = self.in_a_row.get(text, 0) + 1 if held else 0
            if self.in_a_row[text] >= rule.times:
                return text
        return ""
