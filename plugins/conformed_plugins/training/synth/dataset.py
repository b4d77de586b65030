"""The data set: items of every split from one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from conformed.errors import GivenTypeError, GivenValueError
from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth import files
from conformed_plugins.training.synth.card import card_of
from conformed_plugins.training.synth.challenge import challenge_wordings, make_challenge
from conformed_plugins.training.synth.clause import clause_wordings, make_clause
from conformed_plugins.training.synth.fields import make_fields
from conformed_plugins.training.synth.retention import make_retention, retention_wordings
from conformed_plugins.training.synth.sources import make_sources, source_wordings
from conformed_plugins.training.synth.trace import make_trace, trace_wordings
from conformed_plugins.training.synth.values import OUTSIDE, TRAINING, Draw
from conformed_plugins.training.synth.wording import BANK_OF, wordings

__all__ = ["RETENTION_EVERY", "DataSet", "make", "read"]

RETENTION_EVERY = 8
"""Of so many items of supervised training, one is of the retention set's wordings; without it there were nothing to retain."""
_ATTEMPTS = 500


@dataclass(frozen=True)
class DataSet:
    """Items by split, and how they were made."""

    seed: int
    tasks: tuple[Task, ...]
    by_split: Mapping[Split, tuple[TrainingItem, ...]]
    removed: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"exact": 0, "near": 0}))
    """Drawn again: ``exact``, because the prompt was there before; ``near``, because the same wording had the same answer before."""

    def items(self, split: Split) -> tuple[TrainingItem, ...]:
        """The items of a split, in their order; none where none were asked for."""
        return self.by_split.get(split, ())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all items, 64 hex digits."""
        return files.digest_of(self.by_split)

    @cached_property
    def card(self) -> dict[str, Any]:
        """What the data set is and is not, as plain JSON: counts, wordings, ranges, contamination, digest, licence."""
        return card_of(self.seed, self.tasks, self.by_split, self.removed, self.digest)

    def write(self, folder: Path) -> None:
        """Writes one file a split, the card, and a manifest of their hashes, into a new or empty folder.

        Raises:
            GivenValueError: when the folder holds something already, or cannot be written.
        """
        files.write(folder, self.by_split, self.card)


def read(folder: Path) -> DataSet:
    """A data set as it was written.

    Raises:
        GivenValueError: when a file was altered, is absent, or is there beside the manifest; names it.
    """
    by_split, card = files.read(folder)
    return DataSet(card["seed"], tuple(Task(one) for one in card["tasks"]), by_split, MappingProxyType(dict(card["removed"])))


class _Source(NamedTuple):
    """Where items of one kind come from."""

    wordings: Callable[[str], Sequence[Any]]
    """By name of the bank."""
    item: Callable[[Any, Split, Draw], TrainingItem]


_SOURCES: Mapping[str, _Source] = {
    "fields": _Source(wordings, make_fields),
    "clause": _Source(clause_wordings, make_clause),
    "trace": _Source(trace_wordings, make_trace),
    "sources": _Source(source_wordings, make_sources),
    "retention": _Source(lambda _bank: retention_wordings(), make_retention),
    "challenge": _Source(lambda _bank: challenge_wordings(), make_challenge),
}


class _Taken:
    """What is in the data set already, over all splits."""

    def __init__(self) -> None:
        self.prompts: set[str] = set()
        self.answers: set[tuple[str, str]] = set()
        self.removed = {"exact": 0, "near": 0}

    def admits(self, item: TrainingItem) -> bool:
        """Whether an item is new, and then takes it in; what is not is counted."""
        near = (item.template, item.answer) if _answer_tells(item) else None
        fault = "exact" if item.prompt in self.prompts else "near" if near in self.answers else ""
        if fault:
            self.removed[fault] += 1
            return False
        self.prompts.add(item.prompt)
        if near is not None:
            self.answers.add(near)
        return True


def _answer_tells(item: TrainingItem) -> bool:
    """Whether the answer has the clause's own values, so that the same answer to the same wording is the same question."""
    return item.task is Task.TRACE or bool(item.facts.get("comparator"))


def make(seed: int, counts: Mapping[Split, int], tasks: Sequence[Task] = tuple(Task)) -> DataSet:
    """Makes a data set. The same arguments give the same bytes on every machine.

    Args:
        seed: any whole number.
        counts: items of each split; a split that is not named has none.
        tasks: take turns within a split. ``challenge`` and ``retention`` are of the task ``fields`` alone.

    Raises:
        GivenValueError: for a negative count, no task or one twice, or more items than a wording can give apart.
        GivenTypeError: for a seed or a count that is no int.
    """
    chosen = _checked(seed, counts, tasks)
    taken = _Taken()
    by_split = {split: _items(seed, split, counts[split], chosen, taken) for split in Split if counts.get(split)}
    return DataSet(seed, chosen, MappingProxyType(by_split), MappingProxyType(taken.removed))


def _checked(seed: int, counts: Mapping[Split, int], tasks: Sequence[Task]) -> tuple[Task, ...]:
    for number in (seed, *counts.values()):
        if type(number) is not int:
            raise GivenTypeError(f"{number!r} is no whole number.", "Give the seed and every count as an int.")
    if any(count < 0 for count in counts.values()):
        raise GivenValueError("A count is below zero.", "Give 0 or more.")
    chosen = tuple(Task(task) for task in tasks)
    if not chosen or len(set(chosen)) != len(chosen):
        raise GivenValueError("The tasks are none, or one is there twice.", "Name each task once.")
    return chosen


def _kind(split: Split, number: int, tasks: Sequence[Task]) -> str:
    if split in {Split.CHALLENGE, Split.RETENTION}:
        return split.value
    if split is Split.SFT and Task.FIELDS in tasks and number % RETENTION_EVERY == RETENTION_EVERY - 1:
        return "retention"
    return tasks[number % len(tasks)].value


def _items(seed: int, split: Split, count: int, tasks: Sequence[Task], taken: _Taken) -> tuple[TrainingItem, ...]:
    bank = BANK_OF.get(split, "")
    ranges = OUTSIDE if split is Split.VALUES else TRAINING
    made: dict[str, int] = {}
    order: dict[str, list[Any]] = {}
    found: list[TrainingItem] = []
    for number in range(count):
        kind = _kind(split, number, tasks)
        source = _SOURCES[kind]
        at = made.get(kind, 0)
        made[kind] = at + 1
        cycle, place = divmod(at, len(source.wordings(bank)))
        if place == 0:  # every cycle has each wording once
            order[kind] = Draw(f"{seed}/{split.value}/{kind}/order/{cycle}").shuffled(source.wordings(bank))
        found.append(_apart(source, order[kind][place], split, f"{seed}/{split.value}/{kind}/{at}", ranges, taken))
    return tuple(found)


def _apart(source: _Source, wording: Any, split: Split, words: str, ranges: Any, taken: _Taken) -> TrainingItem:
    for attempt in range(_ATTEMPTS):
        item = source.item(wording, split, Draw(f"{words}/{attempt}", ranges))
        if taken.admits(item):
            return item
    raise GivenValueError(
        f"The wording {wording.name} gives no further item for the split {split.value} that is not there already.",
        "Ask for fewer.",
    )
