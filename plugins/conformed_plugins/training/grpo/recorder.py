"""Where a run's figures and samples go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

__all__ = ["InMemory", "Recorder"]


class Recorder(Protocol):
    """Takes figures and samples; ``training.runs.folder.RunFolder`` is one that keeps them on the disk."""

    def record(self, update: int, figures: Mapping[str, float | int | str], /) -> None:
        """Figures of an update, by name of series; 0 is before the first."""
        ...

    def rollouts(self, update: int, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Raw samples of a generation; ``update`` is the first that it feeds."""
        ...

    def evaluated(self, update: int, split: str, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Judged answers to held-out items."""
        ...

    def cut(self, update: int, /) -> object:
        """Drops what lies after an update."""
        ...


class InMemory:
    """Keeps everything in lists, for tests and short trials."""

    def __init__(self) -> None:
        self.figures: list[tuple[int, dict[str, float | int | str]]] = []
        self.samples: list[tuple[int, list[dict[str, Any]]]] = []
        self.evaluations: list[tuple[int, str, list[dict[str, Any]]]] = []

    def record(self, update: int, figures: Mapping[str, float | int | str], /) -> None:
        """Keeps figures."""
        self.figures.append((update, dict(figures)))

    def rollouts(self, update: int, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Keeps samples."""
        self.samples.append((update, [dict(one) for one in rows]))

    def evaluated(self, update: int, split: str, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Keeps judged answers."""
        self.evaluations.append((update, split, [dict(one) for one in rows]))

    def cut(self, update: int, /) -> None:
        """Drops what lies after an update."""
        self.figures = [one for one in self.figures if one[0] <= update]
        self.samples = [one for one in self.samples if one[0] <= update]
        self.evaluations = [one for one in self.evaluations if one[0] <= update]
