"""The files of a run's folder: their names, and what a line of each must have. A line that has it not is refused with its number."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformed.errors import UsageError
from conformed_plugins.training.runs import lines
from conformed_plugins.training.runs.given import is_run_id

__all__ = [
    "BEGUN",
    "DIARY",
    "EVALUATIONS",
    "GROWING",
    "NOTES",
    "PLAN",
    "ROLLOUTS",
    "SERIES",
    "begun_of",
    "make",
    "rows_of",
    "run_ids",
]

PLAN, BEGUN = "plan.json", "begun.json"
SERIES, ROLLOUTS, EVALUATIONS, NOTES = "series.jsonl", "rollouts.jsonl", "evaluations.jsonl", "notes.jsonl"
GROWING = (SERIES, ROLLOUTS, EVALUATIONS, NOTES)
"""Files that grow while the run goes on."""
DIARY = ("diary.json", "diary.md")
"""Files of its end; the first says that it is finished."""

_KEYS: dict[str, dict[str, type]] = {
    SERIES: {"update": int, "figures": dict},
    ROLLOUTS: {"update": int, "row": dict},
    EVALUATIONS: {"update": int, "split": str, "row": dict},
    NOTES: {"update": int, "kind": str},
}


def make(path: Path, plan: bytes, begun: bytes) -> None:
    """Makes the folder of a run, with both files of its beginning, or not at all.

    Raises:
        UsageError: when it cannot be made.
    """
    half = path.with_name(f".{path.name}.half")
    try:
        shutil.rmtree(half, ignore_errors=True)  # of a process that was killed here; it holds nothing else
        half.mkdir(parents=True)
        lines.write_whole(half / PLAN, plan)
        lines.write_whole(half / BEGUN, begun)
        half.rename(path)
        lines.flush_folder(path.parent)
    except OSError as problem:
        raise UsageError(f"The folder {path} cannot be made: {problem.strerror}.", "Give another.") from problem


def rows_of(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The lines of one of the files that grow, in order.

    Raises:
        UsageError: for a line that is none of this file, with its number.
    """
    for number, row in enumerate(lines.read(folder / name), start=1):
        wrong = [key for key, kind in _KEYS[name].items() if type(row.get(key)) is not kind]
        if wrong:
            raise UsageError(f"{folder / name}:{number} has no {wrong[0]}.", "Restore the file.")
        yield row


def begun_of(folder: Path) -> dict[str, Any]:
    """When a run began, and what was known then.

    Raises:
        UsageError: when that file is not there or is broken.
    """
    try:
        found = json.loads((folder / BEGUN).read_bytes())
        if isinstance(found["begun"], str) and all(isinstance(one, dict) for one in found["facts"].values()):
            return dict(found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"{folder / BEGUN} is broken.", "Restore it.") from problem
    raise UsageError(f"{folder / BEGUN} is broken.", "Restore it.")


def run_ids(root: Path) -> tuple[str, ...]:
    """Names of the runs in a folder, sorted; none where there is no folder."""
    if not root.is_dir():
        return ()
    return tuple(sorted(one.name for one in root.iterdir() if is_run_id(one.name) and (one / BEGUN).is_file()))
