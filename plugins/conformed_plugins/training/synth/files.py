"""A data set on disk: one file of JSON lines a split, the card, and a manifest of SHA-256 that is checked before anything is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from conformed.errors import GivenValueError
from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.fields import item_id

__all__ = ["MANIFEST", "digest_of", "line_of", "read", "write"]

MANIFEST = "manifest.json"
"""Name of the file with the hashes of the others."""
_CARD = "card.json"
_MEND = "Make the data set again from its seed, or fetch it again."


def line_of(item: TrainingItem) -> str:
    """One item as one line of JSON, keys sorted."""
    row: dict[str, Any] = {
        "answer": item.answer, "facts": item.facts, "id": item.id, "prompt": item.prompt, "split": item.split.value,
        "tags": list(item.tags), "task": item.task.value, "template": item.template,
    }  # fmt: skip
    return json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def _text(items: Iterable[TrainingItem]) -> str:
    return "".join(map(line_of, items))


def digest_of(by_split: Mapping[Split, tuple[TrainingItem, ...]]) -> str:
    """SHA-256 of all lines, splits in the order in which they are declared."""
    state = hashlib.sha256()
    for split in Split:
        state.update(_text(by_split.get(split, ())).encode())
    return state.hexdigest()


def write(folder: Path, by_split: Mapping[Split, tuple[TrainingItem, ...]], card: Mapping[str, Any]) -> None:
    """Writes everything; the manifest comes last, so that a folder without one is an unfinished one.

    Raises:
        GivenValueError: when the folder holds something already, or cannot be written.
    """
    texts = {f"{split.value}.jsonl": _text(items) for split, items in by_split.items()}
    texts[_CARD] = json.dumps(card, ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(texts.items())}
    texts[MANIFEST] = json.dumps({"files": hashes}, indent=2) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise GivenValueError(f"The folder {folder} is not empty.", "Name a new or an empty one.")
        for name, text in texts.items():
            (folder / name).write_bytes(text.encode())
    except OSError as problem:
        raise GivenValueError(f"The folder {folder} cannot be written: {problem.strerror}.", "Name another.") from problem


def read(folder: Path) -> tuple[dict[Split, tuple[TrainingItem, ...]], dict[str, Any]]:
    """Items by split, and the card.

    Raises:
        GivenValueError: for a file that was altered, is absent or was added, by its name.
    """
    manifest = _json(MANIFEST, _bytes(folder / MANIFEST))
    hashes = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(hashes, dict) or _CARD not in hashes:
        raise GivenValueError(f"{MANIFEST} names no files.", _MEND)
    allowed = {_CARD, *(f"{split.value}.jsonl" for split in Split)}
    for name in sorted({*hashes, *(path.name for path in folder.iterdir())} - {MANIFEST}):
        if name not in hashes or name not in allowed:
            raise GivenValueError(f"{name} is not of this data set.", "Take it away.")
    contents = {name: _bytes(folder / name) for name in sorted(hashes)}
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() != hashes[name]:
            raise GivenValueError(f"{name} was altered: its SHA-256 is not the one in {MANIFEST}.", _MEND)
    card = _json(_CARD, contents[_CARD])
    if not isinstance(card, dict) or not {"digest", "removed", "seed", "tasks"} <= card.keys():
        raise GivenValueError(f"{_CARD} is no card of a data set.", _MEND)
    by_split = {
        split: tuple(_item(name, line) for line in contents[name].split(b"\n")[:-1])
        for split in Split
        if (name := f"{split.value}.jsonl") in contents
    }
    if card["digest"] != digest_of(by_split):  # a manifest that was made to fit altered files
        raise GivenValueError(f"{_CARD} gives another digest than the items have.", _MEND)
    return by_split, card


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise GivenValueError(f"{path.name} cannot be read: {problem.strerror}.", _MEND) from problem


def _json(name: str, content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError as problem:
        raise GivenValueError(f"{name} is no JSON.", _MEND) from problem


def _item(name: str, line: bytes) -> TrainingItem:
    row = _json(name, line)
    try:
        item = TrainingItem(
            row["id"], Task(row["task"]), Split(row["split"]), row["template"], row["prompt"], row["answer"], row["facts"], tuple(row["tags"])
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as problem:
        raise GivenValueError(f"{name} has a line that is no item.", _MEND) from problem
    if item.id != item_id(item.task, item.prompt, item.answer):
        raise GivenValueError(f"{name} has an item whose id is not that of its text.", _MEND)
    return item
