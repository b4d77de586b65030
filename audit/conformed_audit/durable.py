"""Files that are on the disk when the call returns: one replaced whole, and one that is never overwritten."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["is_shared", "make_private", "private_mode", "replace_whole", "sync_folder", "write_once"]


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
        if private_mode(path.parent) != 0o600:  # a folder that a group shares: its files are the group's, whatever the umask says
            os.fchmod(handle, mode | 0o660)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def is_shared(folder: Path) -> bool:
    """Whether a folder is shared by a group on purpose: its group may write and passes itself on (setgid), and nobody else may enter.

    Raises:
        OSError: when that cannot be told.
    """
    return folder.stat().st_mode & 0o2077 == 0o2070


def private_mode(folder: Path) -> int:
    """The mode of a file in a folder that only its owner may use; its group too, where the folder is shared by it."""
    try:
        return 0o660 if is_shared(folder) else 0o600
    except OSError:
        return 0o600


def make_private(folder: Path) -> None:
    """Makes a folder: for its owner alone, or for a group where the folder around it is shared by one.

    Raises:
        OSError: when it cannot be made.
    """
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if is_shared(folder.parent):
        folder.chmod(0o2770)
