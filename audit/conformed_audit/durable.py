"""Files that are on the disk when the call returns: one replaced whole, and one that is never overwritten."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_whole", "sync_folder", "write_once"]


def replace_whole(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Replaces a file: whoever reads it, or finds it after a crash, has the old one or the new one, never half.

    Args:
        path: the file; its folder must exist.
        data: its content.
        mode: permissions of the new file.

    Raises:
        OSError: when that is not certain.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        _write(fresh, data, os.O_TRUNC, mode)
        fresh.replace(path)
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_once(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Writes a file that is not there; the same content a second time is no fault, since a crash may come before the answer.

    Raises:
        FileExistsError: when it holds something else.
        OSError: when it is not certain that it is stored.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        _write(fresh, data, os.O_TRUNC, mode)
        try:
            os.link(fresh, path)  # unlike a rename, fails where there is a file
        except FileExistsError:
            if path.read_bytes() != data:
                raise
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Brings names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes, flags: int, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | flags, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
