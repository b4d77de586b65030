"""The likelihood family on kept log-probabilities: how likely the generator was to say it, which is no confidence in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from conformed.evaluation.scorers.score import Score, Scored
from conformed.model.base import Missing
from conformed_plugins.scorers.options import TokenOptions

__all__ = ["TokenScorer"]


class TokenScorer:
    """Sum, mean, final field alone, or length penalty, each with the number of tokens that it is over."""

    def __init__(self, options: TokenOptions) -> None:
        self._way, self._alpha = options.way, options.alpha

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[Scored, ...]:
        """One score an item from its ``logprobs``; Missing where they were not kept."""
        return tuple(self._one(item["logprobs"], item["terminal_tokens"] if self._way == "terminal" else 0) for item in items)

    def _one(self, logprobs: Sequence[float], terminal: int) -> Scored:
        if not logprobs:
            return Missing(reason="Nobody kept the log-probabilities of the tokens.", code="no_logprobs")
        if self._way == "terminal":
            if not terminal:
                return Missing(reason="Which tokens are the final field is not known.", code="no_terminal_field")
            return Score(value=math.fsum(logprobs[-terminal:]), tokens=terminal)
        total = math.fsum(logprobs)
        below = {"sum": 1.0, "mean": len(logprobs), "penalised": ((5 + len(logprobs)) / 6) ** self._alpha}[self._way]
        return Score(value=total / below, tokens=len(logprobs))
