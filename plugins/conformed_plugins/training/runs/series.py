"""The series of a run: figures by name, each in the order of its updates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Point", "Series"]

Point = tuple[int, float]
"""An update and its figure."""


@dataclass(frozen=True, slots=True)
class Series:
    """Figures by name, each in the order of its updates."""

    numbers: Mapping[str, tuple[Point, ...]]
    """Those that are numbers."""
    words: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    """Those that are texts."""

    def of(self, name: str) -> tuple[Point, ...]:
        """The points of a series; empty where there is none."""
        return self.numbers.get(name, ())

    def values(self, name: str) -> tuple[float, ...]:
        """Its figures alone."""
        return tuple(value for _, value in self.of(name))

    def splits(self) -> tuple[str, ...]:
        """Splits that were evaluated, sorted."""
        ends = ".accuracy"
        found = (name for name in self.numbers if name.startswith("evaluation.") and name.endswith(ends))
        return tuple(sorted(name.removeprefix("evaluation.").removesuffix(ends) for name in found))
