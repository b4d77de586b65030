"""Folders that are there whole or not at all: written beside their place, each file on the disk, a list of hashes last, then renamed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from conformed.errors import GivenValueError

__all__ = ["MANIFEST", "publish", "verify"]

MANIFEST = "files.json"
"""The list of a folder's files with their sizes and hashes; written last."""


def publish(folder: Path, files: Mapping[str, bytes], prove: Callable[[Path], None] | None = None) -> Path:
    """Makes a folder with some files. Killed at any moment, it is there whole or not there; what is left over has another name.

    Args:
        folder: where it is to be; a folder that stands there is replaced.
        files: content by name.
        prove: is shown the finished folder before it gets its name; raises to refuse it.

    Returns:
        The folder.

    Raises:
        OSError: when the disk does not take it.
    """
    half = folder.with_name(f".{folder.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    listed = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in sorted(files.items())}
    for name, data in files.items():
        _write(half / name, data)
    _write(half / MANIFEST, json.dumps(listed, sort_keys=True, indent=1).encode())
    _flush(half)
    if prove is not None:
        prove(half)
    if folder.exists():  # of an update that was made once, lost and made again
        shutil.rmtree(folder)
    half.rename(folder)
    _flush(folder.parent)
    return folder


def verify(folder: Path) -> dict[str, bytes]:
    """The files of a folder, every byte as it was written.

    Args:
        folder: as ``publish`` made it.

    Returns:
        Content by name, without the list.

    Raises:
        GivenValueError: for a file that lacks, is too many, or is not what it was.
    """
    try:
        listed = json.loads((folder / MANIFEST).read_bytes())
        found = {one.name: one.read_bytes() for one in sorted(folder.iterdir()) if one.name != MANIFEST}
        kept = {name: (entry["bytes"], entry["sha256"]) for name, entry in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise GivenValueError(f"{folder.name} is torn: {type(problem).__name__}.", _MEND) from problem
    if sorted(found) != sorted(kept):
        raise GivenValueError(f"{folder.name} has other files than it lists.", _MEND)
    for name, data in found.items():
        if kept[name] != (len(data), hashlib.sha256(data).hexdigest()):
            raise GivenValueError(f"{folder.name}/{name} is not what was written.", _MEND)
    return found


_MEND = "Take the one before it."


def _write(file: Path, data: bytes) -> None:
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _flush(folder: Path) -> None:
    """Puts a folder's names on the disk; where folders cannot be opened the file system sees to it."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
