"""The learned outcome scorer: how right a whole response looks. It sees wording, so whoever knows it can please it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformed_plugins.scorers.learned.features import outcome_features
from conformed_plugins.scorers.learned.network import probabilities
from conformed_plugins.scorers.learned.weights import unpacked
from conformed_plugins.scorers.options import LearnedOptions

__all__ = ["OutcomeScorer"]


class OutcomeScorer:
    """Probability that the answer is right, by the wording of prompt and response."""

    def __init__(self, options: LearnedOptions) -> None:
        self._network = unpacked(Path(options.weights), options.sha256, "outcome")

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[float, ...]:
        """One score an item, from 0 to 1."""
        return probabilities(self._network, [outcome_features(item["prompt"], item["response"]) for item in items])
