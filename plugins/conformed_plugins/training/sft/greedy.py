"""What a policy answers, judged: the same tokens whatever batch an item rides in and however many threads there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformed.model.answer import Outcome
from conformed_plugins.backends.decoder import Decoder, Settings
from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.grpo.shared.threads import on_threads
from conformed_plugins.training.items import Check, Checked, TrainingItem
from conformed_plugins.training.reward import judged

__all__ = ["Said", "exact", "greedy"]


@dataclass(frozen=True, slots=True)
class Said:
    """One answer."""

    item: TrainingItem
    """What was asked."""
    text: str
    """The answer, without the mark that ends it."""
    tokens: int
    """Its tokens, that mark included."""
    stop: str
    """eos, length or context: only the first is an end that the policy chose."""
    checked: Checked
    """What the check found. An answer that was cut is judged as it is."""


def greedy(
    model: Any,
    codec: Codec,
    items: Sequence[TrainingItem],
    check: Check,
    *,
    max_new_tokens: int,
    threads: int = 1,
    sampled: int | None = None,
) -> tuple[Said, ...]:
    """Answers of a policy.

    Args:
        model: the policy, in evaluation mode.
        codec: text to tokens and back.
        items: what is asked.
        check: judges an answer; what it raises is an error of that answer.
        max_new_tokens: most tokens of an answer.
        threads: threads, a share of the items each.
        sampled: seed of one draw from the model's own distribution an item; None is greedy.

    Raises:
        GivenValueError: as ``Decoder.decode`` and ``Codec.prompt``.
    """
    if not items:
        return ()
    settings = Settings(
        max_new_tokens=max_new_tokens,
        stop_ids=codec.stop_ids,
        temperature=None if sampled is None else 1.0,
        seed=sampled or 0,
    )
    decoder = Decoder(model)
    size = -(-len(items) // threads)
    parts = [items[start : start + size] for start in range(0, len(items), size)]

    def answered(part: Sequence[TrainingItem]) -> list[Said]:
        rows = decoder.decode([codec.prompt(item.prompt) for item in part], settings)
        return [
            Said(item, text, len(row.tokens), row.stop, judged(check, item, text).checked)
            for item, (row,) in zip(part, rows, strict=True)
            for text in (codec.text(row.tokens),)
        ]

    return tuple(said for part in on_threads(answered, parts, threads) for said in part)


def exact(said: Sequence[Said]) -> float:
    """Share of the answers that are correct; review and error are none. 0 of nothing."""
    return sum(one.checked.outcome is Outcome.CORRECT for one in said) / len(said) if said else 0.0
