"""Items of the task ``fields``: a clause, and its figure, comparison, level and date copied letter by letter."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.filling import filled, written
from conformed_plugins.training.synth.values import Draw
from conformed_plugins.training.synth.wording import Wording
from conformed_plugins.training.synth.words import COMPARISONS, NEW_COMPARISONS

__all__ = ["KEYS", "LEAD", "canonical", "item_id", "make_fields"]

KEYS = ("ratio", "direction", "level", "date")
"""Keys of an answer, in order. A field that the clause does not have is an empty text."""
LEAD = "Fields:"
"""The instruction line of this task."""


def canonical(fields: Mapping[str, Any]) -> str:
    """The one form of an answer: JSON without blanks between its signs, keys in the given order."""
    return json.dumps(dict(fields), ensure_ascii=False, separators=(",", ":"))


def item_id(task: Task, prompt: str, answer: str) -> str:
    """First 16 hex digits of the SHA-256 of task, prompt and answer."""
    return hashlib.sha256("\0".join((task.value, prompt, answer)).encode()).hexdigest()[:16]


def make_fields(wording: Wording, split: Split, draw: Draw) -> TrainingItem:
    """An item of a wording. Held-out wordings use words of comparison that supervised training never sees in a third of the items."""
    new = wording.bank != "sft" and draw.below(3) == 0
    values, sense = filled(wording.text, wording.core.style, NEW_COMPARISONS if new else COMPARISONS, draw)
    asked = (values.get("R"), next((values[name] for name in values if name[0] == "D"), None), values.get("L"), values.get("T"))
    found = {key: f" {value}" if value else "" for key, value in zip(KEYS, asked, strict=True)}
    prompt = f"{LEAD}\n{written(wording.text, values)}"
    answer = canonical(found)
    tags = (
        f"pattern:{wording.core.pattern}",
        f"values:{draw.ranges.name}",
        f"states:{'covenant' if found['ratio'] else 'none'}",
        f"comparison:{'new' if new else 'known'}",
    )
    facts: dict[str, Any] = {"comparator": sense, "fields": found}
    return TrainingItem(item_id(Task.FIELDS, prompt, answer), Task.FIELDS, split, wording.name, prompt, answer, facts, tags)
