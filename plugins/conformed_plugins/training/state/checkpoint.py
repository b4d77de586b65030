"""Checkpoints: named by the update after which they were made, tried before they count, and passed over when they are not whole."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.errors import GivenValueError
from conformed_plugins.training.state.files import publish, verify

__all__ = ["Checkpoint", "checkpoints", "latest", "read", "write"]

_STATE = "state.json"
_NAME = re.compile(r"update-([0-9]{8})")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run's state after an update."""

    update: int
    """Updates behind it."""
    state: Mapping[str, Any]
    """Counters, generators, revisions: plain JSON."""
    files: Mapping[str, bytes]
    """Tensors as safetensors, and what belongs to them, by name of file."""


def write(root: Path, checkpoint: Checkpoint, *, keep: int, prove: Callable[[Path], None] | None = None) -> Path:
    """Writes a checkpoint, then drops the oldest of too many.

    Args:
        root: the folder of all.
        checkpoint: what to keep.
        keep: how many stay.
        prove: is shown the written folder before it counts; raises to refuse it.

    Returns:
        Its folder.
    """
    data = json.dumps(dict(checkpoint.state), sort_keys=True, allow_nan=False).encode()
    made = publish(root / f"update-{checkpoint.update:08d}", {**checkpoint.files, _STATE: data}, prove)
    for _, old in checkpoints(root)[:-keep]:
        # It loses its name first: killed in the middle, nothing half deleted looks like a checkpoint.
        gone = old.rename(old.with_name(f".{old.name}.gone"))
        shutil.rmtree(gone)
    for left in sorted(root.glob(".update-*.gone")):
        shutil.rmtree(left, ignore_errors=True)
    return made


def checkpoints(root: Path) -> list[tuple[int, Path]]:
    """Updates and folders of the checkpoints, oldest first. Whether they are whole is not looked at."""
    if not root.is_dir():
        return []
    found = [(name, one) for one in root.iterdir() if (name := _NAME.fullmatch(one.name)) and one.is_dir()]
    return sorted((int(name[1]), one) for name, one in found)


def read(folder: Path) -> Checkpoint:
    """Reads a checkpoint.

    Raises:
        GivenValueError: when it is torn or altered.
    """
    files = verify(folder)
    name = _NAME.fullmatch(folder.name.removeprefix(".").removesuffix(".half"))
    try:
        state = json.loads(files.pop(_STATE))
    except (KeyError, ValueError) as problem:
        raise GivenValueError(f"{folder.name} has no state.", "Take the one before it.") from problem
    if name is None or not isinstance(state, dict) or state.get("update") != int(name[1]):
        raise GivenValueError(f"{folder.name} is not of the update that its name says.", "Take the one before it.")
    return Checkpoint(int(name[1]), state, files)


def latest(root: Path) -> tuple[Checkpoint | None, tuple[str, ...]]:
    """The last checkpoint that is whole.

    Returns:
        It, or None where there is none; and why each later one was passed over.
    """
    refused: list[str] = []
    for _, folder in reversed(checkpoints(root)):
        try:
            return read(folder), tuple(refused)
        except GivenValueError as problem:
            refused.append(problem.found)
    return None, tuple(refused)
