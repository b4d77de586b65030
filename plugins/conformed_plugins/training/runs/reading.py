"""Reads a run back: its series, its raw samples, its evaluations. What was not recorded and follows from them is worked out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformed_plugins.training.runs.behaviour import behaviour_metrics
from conformed_plugins.training.runs.files import EVALUATIONS, ROLLOUTS, SERIES
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.series import Point, Series
from conformed_plugins.training.runs.stops import met

__all__ = ["Evaluation", "evaluation_figures", "evaluations_of", "rollouts_of", "series_of", "stops_met"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation of one split."""

    update: int
    """Of which update's policy."""
    split: str
    """Of which items."""
    rows: tuple[Mapping[str, Any], ...]
    """Judged items, in the order in which they were kept."""


def series_of(folder: RunFolder, *, samples: bool = True) -> Series:
    """The series of a run. What was recorded stands; what was not, and follows from samples or judged items, is worked out.

    Args:
        folder: the run.
        samples: whether to look into its raw samples, which takes longest.
    """
    found: dict[str, dict[int, float | int | str]] = defaultdict(dict)
    for row in folder.rows(SERIES):
        for name, value in row["figures"].items():
            found[name][row["update"]] = value
    for update, rows in (rollouts_of(folder) if samples else {}).items():
        for name, value in behaviour_metrics(rows).items():
            found[name].setdefault(update, value)
    for one in evaluations_of(folder):
        for name, value in evaluation_figures(one.rows).items():
            found[f"evaluation.{one.split}.{name}"].setdefault(one.update, value)
    numbers: dict[str, tuple[Point, ...]] = {}
    words: dict[str, tuple[tuple[int, str], ...]] = {}
    for name in sorted(found):
        points = sorted(found[name].items())
        number = tuple((update, float(value)) for update, value in points if not isinstance(value, str))
        word = tuple((update, value) for update, value in points if isinstance(value, str))
        numbers.update({name: number} if number else {})
        words.update({name: word} if word else {})
    return Series(numbers, words)


def stops_met(folder: RunFolder) -> tuple[tuple[str, int], ...]:
    """Stop rules of the plan that are met so far, each with the first update at which it was (see ``stops``)."""
    return met(folder.plan.stop_rules, series_of(folder, samples=False))


def rollouts_of(folder: RunFolder) -> dict[int, list[Mapping[str, Any]]]:
    """Raw samples by update, in order."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for row in folder.rows(ROLLOUTS):
        found.setdefault(row["update"], []).append(row["row"])
    return dict(sorted(found.items()))


def evaluations_of(folder: RunFolder) -> tuple[Evaluation, ...]:
    """Evaluations by split and update."""
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in folder.rows(EVALUATIONS):
        found.setdefault((row["split"], row["update"]), []).append(row["row"])
    return tuple(Evaluation(update, split, tuple(rows)) for (split, update), rows in sorted(found.items()))


def evaluation_figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Shares of one evaluation. A figure that some item lacks is not given, rather than taken over the others."""
    total = len(rows)
    if not total:
        return {}

    def share(which: Iterable[bool]) -> float:
        return sum(which) / total

    figures = {
        "accuracy": share(row["outcome"] == "correct" for row in rows),
        "coverage": share(row["outcome"] in ("correct", "incorrect") for row in rows),
        "review_rate": share(row["outcome"] == "review" for row in rows),
        "error_rate": share(row["outcome"] == "error" for row in rows),
    }
    if all(isinstance(row.get("format_ok"), bool) for row in rows):
        figures["invalid_rate"] = share(not row["format_ok"] for row in rows)
    if all(type(row.get("tokens")) is int for row in rows):
        figures["mean_response_tokens"] = sum(row["tokens"] for row in rows) / total
    return figures
