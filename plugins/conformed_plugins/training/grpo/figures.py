"""Figures of an update's samples, by the names of the series (``training.runs.names``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.grpo.window import Asked
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.runs.behaviour import behaviour_metrics
from conformed_plugins.training.telemetry import batch_figures

__all__ = ["batch_series", "rows_of"]

_CODES = "code:"
"""How the batch's counts of reason codes begin. Those of the behaviour are taken, whose codes are fit for a name."""


def rows_of(asked: Sequence[Asked], items: Mapping[str, TrainingItem], codec: Codec) -> list[dict[str, Any]]:
    """Raw samples, one a response.

    Args:
        asked: the groups.
        items: by id.
        codec: tokens to text.
    """
    return [
        {
            "item": group.item,
            "template": items[group.item].template,
            "place": group.place,
            "sample": number,
            "response": codec.text(one.tokens),
            "prompt_tokens": len(group.prompt),
            "response_tokens": len(one.tokens),
            "stop": one.stop,
            "outcome": str(one.judged.checked.outcome),
            "format_ok": one.judged.checked.format_ok,
            "code": one.judged.checked.code,
            "reward": one.judged.reward,
        }
        for group in asked
        for number, one in enumerate(group.responses)
    ]


def batch_series(
    asked: Sequence[Asked], rows: Sequence[Mapping[str, Any]], items: Mapping[str, TrainingItem]
) -> dict[str, float | int | str]:
    """Figures of rewards and behaviour.

    Args:
        asked: the groups.
        rows: their samples, as ``rows_of`` gives them.
        items: by id, for the prompts.
    """
    found = batch_figures(
        [[one.judged for one in group.responses] for group in asked],
        [[len(one.tokens) for one in group.responses] for group in asked],
    )
    series: dict[str, float | int | str] = {name: value for name, value in found.items() if not name.startswith(_CODES)}
    return series | behaviour_metrics([{**row, "prompt": items[row["item"]].prompt} for row in rows])
