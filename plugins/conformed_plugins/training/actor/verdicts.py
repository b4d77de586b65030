"""What an answer is to somebody who would use it: right, wrong and taken for right, silent, or unreadable."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from conformed.model.answer import Outcome
from conformed_plugins.training.items import Check, Checked, Task, TrainingItem
from conformed_plugins.training.reward import judged

__all__ = ["Answered", "Verdict", "answered", "verdict_of"]


class Verdict(StrEnum):
    """Four kinds of answer."""

    RIGHT = "right"
    """Correct."""
    WRONG = "determined and wrong"
    """It determines something, and that is wrong: the harm."""
    SILENT = "silent"
    """It says that there is nothing, and there is something."""
    UNREADABLE = "unreadable"
    """It has not the asked form, or could not be judged."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One reader's answer to one item."""

    item: TrainingItem
    """What was asked."""
    text: str
    """The answer."""
    checked: Checked
    """What the check found."""
    verdict: Verdict
    """What it is to a user."""
    tokens: int = 0
    """Tokens of the answer; 0 where it has none."""


def answered(
    items: Sequence[TrainingItem], texts: Sequence[str], check: Check, tokens: Sequence[int] | None = None
) -> tuple[Answered, ...]:
    """Judges one reader's answers.

    Args:
        items: what was asked.
        texts: an answer each.
        check: judges; what it raises is an error of that answer.
        tokens: tokens of each answer; None where there are none.
    """
    lengths = [0] * len(items) if tokens is None else list(tokens)
    return tuple(
        Answered(item, text, found, verdict_of(item, text, found), length)
        for item, text, length in zip(items, texts, lengths, strict=True)
        for found in (judged(check, item, text).checked,)
    )


def verdict_of(item: TrainingItem, text: str, found: Checked) -> Verdict:
    """The verdict on a judged answer."""
    if found.outcome is Outcome.CORRECT:
        return Verdict.RIGHT
    if found.outcome is not Outcome.INCORRECT or not found.format_ok:
        return Verdict.UNREADABLE
    return Verdict.WRONG if _determines(item, json.loads(text)) else Verdict.SILENT


def _determines(item: TrainingItem, value: object) -> bool:
    """Whether an answer says anything that would be used. Of the fields of a clause it is the level; of other answers any value."""
    if not isinstance(value, Mapping):
        return True
    if item.task is Task.FIELDS and "level" in value:
        return bool(value["level"])
    return any(value.values())
