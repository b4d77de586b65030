"""Checkpoints of TRL under a seal: what a run is resumed from is whole, unaltered and of this very run, or it is not resumed.

TRL writes a checkpoint file by file. One that was cut off by a kill looks much like a whole one, so a seal with the SHA-256 of every
file is written after all of them, and a checkpoint without its seal is none.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from conformed.errors import GivenValueError, UsageError
from conformed_plugins.training.runs.lines import write_whole

__all__ = ["SEAL", "newest", "seal"]

SEAL = "conformed.json"
"""Name of the seal."""
_FOLDER = re.compile(r"checkpoint-([0-9]{1,9})")
_UNUSED = "training_args.bin"
"""A pickle of the arguments, which nothing reads: not kept."""


def seal(folder: Path, *, condition: str) -> None:
    """Seals a checkpoint whose files are all written.

    Args:
        folder: the checkpoint's folder.
        condition: digest of everything that makes the run what it is.

    Raises:
        UsageError: when it cannot be written.
    """
    (folder / _UNUSED).unlink(missing_ok=True)
    write_whole(folder / SEAL, json.dumps({"condition": condition, "files": _files(folder)}, sort_keys=True).encode() + b"\n")


def newest(output: Path, *, condition: str) -> tuple[int, Path]:
    """The newest whole checkpoint: its update and its folder. One that is torn or altered is passed over.

    Args:
        output: the folder in which TRL keeps checkpoints.
        condition: digest of everything that makes the run what it is.

    Raises:
        UsageError: when there is none.
        GivenValueError: when the newest whole one is of another plan, model, data, settings or version.
    """
    found = [(int(match[1]), one) for one in output.glob("checkpoint-*") if (match := _FOLDER.fullmatch(one.name))]
    for update, folder in sorted(found, reverse=True):
        sealed = _sealed(folder)
        if sealed is None or sealed.get("files") != _files(folder):
            continue
        if sealed.get("condition") != condition:
            raise GivenValueError(
                f"The checkpoint of update {update} is of another plan, model, data, settings or version.",
                "Resume with what the run was begun with, or begin another.",
            )
        return update, folder
    raise UsageError("There is no whole checkpoint to resume from.", "Begin again, with save_every set.")


def _sealed(folder: Path) -> dict[str, object] | None:
    try:
        found = json.loads((folder / SEAL).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _files(folder: Path) -> dict[str, str]:
    """SHA-256 of every file but the seal, by its place in the folder."""
    found = {}
    for one in sorted(folder.rglob("*")):
        if one.is_file() and one != folder / SEAL and not one.name.startswith("."):
            with one.open("rb") as stream:
                found[one.relative_to(folder).as_posix()] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found
