"""Held-out sets, answered greedily by the current policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from conformed.model.answer import Outcome
from conformed_plugins.backends.decoder import Settings
from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.grpo.rollout import Sampler
from conformed_plugins.training.items import Check, TrainingItem
from conformed_plugins.training.reward import judged

__all__ = ["evaluate", "evaluation_figures"]


def evaluate(
    sampler: Sampler, items: Sequence[TrainingItem], check: Check, codec: Codec, *, max_new_tokens: int
) -> list[dict[str, Any]]:
    """One judged row an item.

    Args:
        sampler: with the policy.
        items: at least one.
        check: judges an answer.
        codec: text to tokens and back.
        max_new_tokens: most tokens of an answer.
    """
    how = Settings(max_new_tokens=max_new_tokens, stop_ids=codec.stop_ids)
    rows = []
    for item, (said,) in zip(items, sampler.decode([codec.prompt(one.prompt) for one in items], how), strict=True):
        text = codec.text(said.tokens)
        found = judged(check, item, text).checked
        rows.append(
            {
                "item": item.id,
                "group": item.template,
                "outcome": str(found.outcome),
                "format_ok": found.format_ok,
                "code": found.code,
                "tokens": len(said.tokens),
                "stop": said.stop,
                "response": text,
            }
        )
    return rows


def evaluation_figures(split: str, rows: Sequence[dict[str, Any]]) -> dict[str, float | int | str]:
    """Figures of a set. ``accuracy`` is of all items: what could not be judged is not right."""
    outcomes, count = Counter(row["outcome"] for row in rows), len(rows)
    judged_ones = outcomes[Outcome.CORRECT] + outcomes[Outcome.INCORRECT]
    figures: dict[str, float | int | str] = {
        "items": count,
        "accuracy": outcomes[Outcome.CORRECT] / count,
        "coverage": judged_ones / count,
        "review_rate": outcomes[Outcome.REVIEW] / count,
        "error_rate": outcomes[Outcome.ERROR] / count,
        "invalid_rate": sum(not row["format_ok"] for row in rows) / count,
        "tokens_mean": sum(row["tokens"] for row in rows) / count,
    }
    if judged_ones:
        figures["selective_accuracy"] = outcomes[Outcome.CORRECT] / judged_ones
    return {f"evaluation.{split}.{name}": value for name, value in figures.items()}
