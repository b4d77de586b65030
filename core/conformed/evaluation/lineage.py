"""Lineage: which files the items came from, by hash, and what else each item has influenced.

A benchmark's name says neither which revision was used nor what was in it, so a name alone is refused.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field, field_validator

from conformed.errors import GivenValueError, UsageError
from conformed.evaluation.items import Item
from conformed.model.base import Frozen

__all__ = ["DataSet", "Influence", "InfluenceRow", "Lineage", "data_set", "lineage", "uninfluenced"]


class Influence(StrEnum):
    """Where an item was used besides being a question of this evaluation."""

    TRAINING = "training"
    PROMPT_EXAMPLE = "prompt_example"
    VERIFIER_TRAINING = "verifier_training"
    THRESHOLD_TUNING = "threshold_tuning"


_USES = frozenset(str(one) for one in Influence)


class DataSet(Frozen):
    """A data set: a file and its hash. A name may stand beside them, never in their place."""

    file: Annotated[str, Field(min_length=3)]
    """The file, with its suffix, relative to where the evaluation is described; forward slashes."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """Hash of the file's bytes."""
    name: str = ""
    """What people call it."""

    @field_validator("file")
    @classmethod
    def _is_a_file(cls, value: str) -> str:
        if not PurePosixPath(value).suffix or "\\" in value:
            raise ValueError(
                f"{value!r} is no file with a suffix. Name the file that was read: a benchmark's name alone says nothing."
            )
        return value


class InfluenceRow(Frozen):
    """What one use touches in one split."""

    split: str
    """Split of the evaluation."""
    use: Influence
    """Where the items were used before."""
    items: tuple[str, ...]
    """Ids of the items, sorted."""
    of: int
    """Items of the split."""


class Lineage(Frozen):
    """Where the items of an evaluation come from, and what they influenced."""

    data_sets: tuple[DataSet, ...]
    """The files, sorted."""
    counts: tuple[tuple[str, str, int], ...]
    """Split, file and number of items, sorted."""
    influence: tuple[InfluenceRow, ...]
    """Items that were used elsewhere, by split and use; splits and uses with none are left out."""
    not_known: tuple[str, ...]
    """What these records cannot tell."""


_NOT_KNOWN = (
    "Whether a model saw the items before it came here: what it was trained on is known only as far as its maker says.",
    "Uses that nobody recorded with the items.",
)


def data_set(path: Path, *, relative_to: Path, name: str = "") -> DataSet:
    """Names a data set by its file and the hash of its bytes.

    Args:
        path: the file.
        relative_to: the folder from which its name is written, so that records do not name a machine's folders.
        name: what people call it.

    Raises:
        UsageError: when the file cannot be read, or does not lie below that folder.
        GivenValueError: when the file has no suffix.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        file = path.resolve().relative_to(relative_to.resolve()).as_posix()
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}.", "Name the data set's file.") from problem
    except ValueError as problem:
        raise UsageError(f"{path} does not lie below {relative_to}.", "Put the data set beside its description.") from problem
    try:
        return DataSet(file=file, sha256=digest, name=name)
    except ValueError as problem:
        raise GivenValueError(f"{file} has no suffix.", "Give the file a suffix such as .jsonl.") from problem


def _checked_uses(items: Iterable[Item]) -> None:
    for item in items:
        if unknown := sorted(set(item.influence) - _USES):
            raise GivenValueError(
                f"Item {item.id} says it was used for {', '.join(unknown)}.", f"Known uses: {', '.join(sorted(_USES))}."
            )


def lineage(data_sets: Sequence[DataSet], items: Sequence[Item]) -> Lineage:
    """Ties every item to a file by hash, and says what the items influenced.

    Args:
        data_sets: the files that were read.
        items: the items; ``source`` is a file of ``data_sets`` and ``source_revision`` its hash.

    Raises:
        GivenValueError: for an item whose source is no file of the data sets, or has another hash; an id or file that stands
            twice; or an unknown use.
    """
    files = {one.file: one.sha256 for one in data_sets}
    if len(files) != len(data_sets):
        raise GivenValueError("A file stands twice among the data sets.", "Name each once.")
    if twice := sorted(item for item, count in Counter(one.id for one in items).items() if count > 1):
        raise GivenValueError(f"{len(twice)} ids stand twice: {', '.join(twice[:5])}.", "Give every item an id of its own.")
    if loose := sorted(one.id for one in items if files.get(one.source) != one.source_revision):
        raise GivenValueError(
            f"{len(loose)} items come from no data set named by file and hash: {', '.join(loose[:5])}.",
            "Set source to the file and source_revision to its SHA-256.",
        )
    _checked_uses(items)
    sizes = Counter(one.split for one in items)
    used: dict[tuple[str, str], list[str]] = {}
    for one in items:
        for use in set(one.influence):
            used.setdefault((one.split, use), []).append(one.id)
    return Lineage(
        data_sets=tuple(sorted(data_sets, key=lambda one: one.file)),
        counts=tuple((split, file, n) for (split, file), n in sorted(Counter((one.split, one.source) for one in items).items())),
        influence=tuple(
            InfluenceRow(split=split, use=Influence(use), items=tuple(sorted(ids)), of=sizes[split])
            for (split, use), ids in sorted(used.items())
        ),
        not_known=_NOT_KNOWN,
    )


def uninfluenced(items: Iterable[Item], uses: Iterable[str] = _USES) -> tuple[Item, ...]:
    """The items that were used for none of these purposes: what a final figure may rest on.

    Args:
        items: items.
        uses: purposes; all unless told.

    Raises:
        GivenValueError: for an unknown use, asked for or stated by an item.
    """
    given, shut = tuple(items), set(uses)
    if unknown := sorted(shut - _USES):
        raise GivenValueError(f"{', '.join(unknown)} is no known use.", f"Known uses: {', '.join(sorted(_USES))}.")
    _checked_uses(given)
    return tuple(item for item in given if not shut & set(item.influence))
