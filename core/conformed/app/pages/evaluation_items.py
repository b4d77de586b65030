"""The raw items of an evaluation for its page: each with its prompt, its reference and what every method gave for it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from conformed.app.evaluating.choosing import Choice
from conformed.app.evaluating.report import EvaluationReport
from conformed.evaluation.items import Item, Result
from conformed.model.answer import Outcome

__all__ = ["LONGEST", "MOST_ITEMS", "MOST_SAMPLES", "RawItem", "RawMethod", "anchors", "items_of", "visible"]

MOST_ITEMS = 100
"""Most items on a page."""
MOST_SAMPLES = 8
"""Most samples of a method shown of one item, besides the one that was chosen."""
LONGEST = 2000
"""Most characters shown of one text."""
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class RawMethod:
    """What one method gave for one item."""

    name: str
    """The method."""
    choice: Choice
    """What it chose."""
    samples: tuple[Result, ...]
    """Its samples, in order; not all of them where there are many."""
    left_out: int
    """How many are only in report.json."""


@dataclass(frozen=True, slots=True)
class RawItem:
    """One item."""

    item: Item
    """The item."""
    right: int
    """Methods that gave the right answer."""
    methods: tuple[RawMethod, ...]
    """Every method."""


def items_of(report: EvaluationReport) -> tuple[RawItem, ...]:
    """The items that the page shows, by id. Where there are too many, those that not every method got right come first."""
    samples: dict[tuple[str, str], list[Result]] = {}
    for method in report.methods:
        for result in method.results:
            samples.setdefault((method.name, result.item), []).append(result)
    choices = {(method.name, choice.item): choice for method in report.methods for choice in method.choices}
    names = [method.name for method in report.methods]

    def right(item: Item) -> int:
        return sum(choices[name, item.id].outcome is Outcome.CORRECT for name in names)

    kept = sorted(report.items, key=lambda item: (right(item) == len(names), item.id))[:MOST_ITEMS]
    return tuple(
        RawItem(
            item, right(item), tuple(_method(name, choices[name, item.id], samples.get((name, item.id), [])) for name in names)
        )
        for item in sorted(kept, key=lambda item: item.id)
    )


def _method(name: str, choice: Choice, samples: Sequence[Result]) -> RawMethod:
    shown = tuple(one for at, one in enumerate(samples) if at < MOST_SAMPLES or one.sample == choice.sample)
    return RawMethod(name, choice, shown, len(samples) - len(shown))


def anchors(items: Sequence[RawItem]) -> dict[str, str]:
    """The place of each item on the page, by its id; ids of a data set are no names of places."""
    return {one.item.id: f"item-{at}" for at, one in enumerate(items, 1)}


def visible(text: str, longest: int = LONGEST) -> str:
    """A text of a data set or a model with whatever a page would obey shown as its code point: ``⟨U+202E⟩``.

    Ends of lines and tabs stay. What is longer than ``longest`` characters is cut, and says so.
    """
    whole = "".join(
        f"⟨U+{ord(sign):04X}⟩" if sign not in "\n\t" and unicodedata.category(sign) in _OBEYED else sign
        for sign in text[:longest]
    )
    return whole if len(text) <= longest else f"{whole} … ({len(text) - longest:,} more characters in report.json)"
