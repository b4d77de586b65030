"""Where a log may lie: a local folder. Locks and syncs over a network file system cannot be relied on."""

from __future__ import annotations

from pathlib import Path

from conformed_audit.errors import PlaceError

__all__ = ["NETWORK_TYPES", "check_place", "file_system"]

NETWORK_TYPES = frozenset({"afs", "cifs", "fuse.s3fs", "fuse.sshfs", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"})
"""File systems on which a log is refused."""
_MOUNTS = Path("/proc/self/mounts")


def check_place(path: Path) -> None:
    """Refuses a path where a log would not be safe.

    Raises:
        PlaceError: when the folder is absent, the path is a folder, or the file system is a network's.
    """
    try:
        folder = path.resolve().parent
        there, is_folder = folder.is_dir(), path.is_dir()
    except (OSError, ValueError, RuntimeError) as problem:  # no leave to look; a null character; links in a circle
        raise PlaceError(f"The log {path.name!a} cannot be reached: {problem}.", "Give another path.") from problem
    if not there:
        raise PlaceError(f"The folder of the log {path.name!r} is not there.", "Make it first.")
    if is_folder:
        raise PlaceError(f"{path.name!r} is a folder.", "Give the path of a file.")
    kind = file_system(folder, _mounts())
    if kind in NETWORK_TYPES or str(folder).startswith("\\\\"):
        raise PlaceError(
            f"The log {path.name!r} would lie on a network file system ({kind or 'share'}).", "Put it on a local disk."
        )


def file_system(folder: Path, mounts: str) -> str:
    """Type of the file system that holds a folder, from a table of mounts; empty where it cannot be told."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), fields[2]
    return kind


def _mounts() -> str:
    try:
        return _MOUNTS.read_text(errors="replace")
    except OSError:
        return ""
