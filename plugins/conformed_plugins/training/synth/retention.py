"""Other extraction that a policy must not unlearn: agent, governing law and notice period of a clause without a covenant.

Supervised training sees these wordings, so that there is something to retain; training with rewards does not.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.fields import canonical, item_id
from conformed_plugins.training.synth.values import Draw

__all__ = ["RetentionWording", "make_retention", "retention_wordings"]

_KEYS = ("agent", "law", "notice")
_FIRST = (
    "Alder",
    "Birchfield",
    "Castell",
    "Dunmore",
    "Eastgate",
    "Fairlea",
    "Granby",
    "Holm",
    "Inver",
    "Kestrel",
    "Larch",
    "Merrow",
)
_LAST = ("Bank", "Trust", "Agency Services", "Bank Limited", "Trust Company", "Capital Bank")
_LAWS = ("English law", "New York law", "Scots law", "Irish law", "Dutch law", "German law", "Delaware law", "Swedish law")
_UNITS = ("Business Days", "days", "weeks", "months")

_TEXTS = (
    "{A} acts as Agent. The governing law is {W}. Notice must be given {N} before.",
    "This Agreement is governed by {W}. The Agent is {A}. A change needs notice of {N}.",
    "On notice of {N} the Agent, {A}, may resign. All disputes fall under {W}.",
    "The Agent is {A} and may be replaced after {N}. The contract is subject to {W}.",
    "A letter must reach {A} as Agent at least {N} ahead. Its terms follow {W}.",
    "Notices are effective after {N}. The parties chose {W}. They appointed {A} as Agent.",
    "The Lenders appoint {A} as their Agent. Either side may end this on {N} of notice.",
    "This deed and any claim under it are governed by {W}. The period of notice is {N}.",
    "The office of Agent is held by {A}. The law of this letter is {W}.",
    "Prepayment requires {N} of notice to {A} as Agent under {W}.",
    "Subject to {W}, the Agent, being {A}, gives {N} of warning.",
    "Communications go to {A} as Agent. They count {N} after posting.",
)


class RetentionWording(NamedTuple):
    """One way to say it."""

    name: str
    bank: str
    text: str


@cache
def retention_wordings() -> tuple[RetentionWording, ...]:
    """All of them."""
    return tuple(RetentionWording(f"retention/sft/{number}", "sft", text) for number, text in enumerate(_TEXTS))


def make_retention(wording: RetentionWording, split: Split, draw: Draw) -> TrainingItem:
    """An item of a wording."""
    values = {
        "A": f"{draw.pick(_FIRST)} {draw.pick(_FIRST)} {draw.pick(_LAST)}",
        "W": draw.pick(_LAWS),
        "N": f"{2 + draw.below(44)} {draw.pick(_UNITS)}",
    }
    slots = {"agent": "A", "law": "W", "notice": "N"}
    found = {key: f" {values[slots[key]]}" if f"{{{slots[key]}}}" in wording.text else "" for key in _KEYS}
    prompt = f"Terms:\nThe parties agree: {wording.text.format_map(values)}"
    answer = canonical(found)
    facts: dict[str, Any] = {"fields": found}
    return TrainingItem(
        item_id(Task.FIELDS, prompt, answer), Task.FIELDS, split, wording.name, prompt, answer, facts, ("kind:retention",)
    )
