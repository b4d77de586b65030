"""The learned process scorer: how sound each step looks, and of a response the least of its steps.

What needs no learning is checked first: a number that comes from nowhere, or an answer that no step gives, shows that a step was
left out, and a score of the others would say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformed.model.base import Missing
from conformed_plugins.scorers.learned.features import step_features
from conformed_plugins.scorers.learned.network import probabilities
from conformed_plugins.scorers.learned.weights import unpacked
from conformed_plugins.scorers.options import LearnedOptions

__all__ = ["ProcessScorer"]

_NUMBER = re.compile(r"[0-9]+")


class ProcessScorer:
    """The minimum over steps: one step that looks wrong is not mended by many that look right."""

    def __init__(self, options: LearnedOptions) -> None:
        self._network = unpacked(Path(options.weights), options.sha256, "process")

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[float | Missing, ...]:
        """One score an item, from 0 to 1; Missing where a response shows no step, or not every step."""
        gaps = [_gap(item["prompt"], item["steps"], item["answer"]) for item in items]
        whole = [item for item, gap in zip(items, gaps, strict=True) if gap is None]
        found = iter(probabilities(self._network, [step_features(step) for item in whole for step in item["steps"]]))
        return tuple(gap or min(next(found) for _ in item["steps"]) for item, gap in zip(items, gaps, strict=True))


def _gap(prompt: str, steps: Sequence[str], answer: str | None) -> Missing | None:
    """What is missing among the steps; None where nothing is."""
    if not steps:
        return Missing(reason="The response shows no step.", code="no_step")
    known = set(_NUMBER.findall(prompt))
    result: list[str] = []
    for number, step in enumerate(steps, start=1):
        left, equals, right = step.rpartition("=")
        if not equals:  # a sentence: it may repeat numbers, not bring them in
            left = right
        if lost := sorted(set(_NUMBER.findall(left)) - known):
            return Missing(reason=f"Step {number} uses {lost[0]}, which nothing before it gives.", code="number_from_nowhere")
        result = _NUMBER.findall(right)
        known.update(result)
    if answer is not None and not set(_NUMBER.findall(answer)) <= set(result):
        return Missing(reason="The answer is not what the last step gives.", code="answer_from_nowhere")
    return None
