"""Files of JSON lines that only grow: each line is on the disk before the call returns, and a line that was cut off is not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformed.errors import UsageError

__all__ = ["add", "as_bytes", "flush_folder", "keep_where", "read", "write_whole"]

_TAIL = 1 << 16


def as_bytes(plain: object) -> bytes:
    """Plain data as JSON with sorted keys and no white space, in ASCII: half a character that a model generated is no error.

    Raises:
        ValueError: for NaN and infinities, which are no JSON.
        TypeError: for what is no plain data.
    """
    return json.dumps(plain, sort_keys=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def add(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Adds lines and has them on the disk before it returns. A torn last line is cut away first.

    Raises:
        UsageError: when they cannot be written.
    """
    data = b"".join(as_bytes(row) + b"\n" for row in rows)
    try:
        new = not path.exists()
        with path.open("ab+") as stream:
            _mend(stream)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if new:
            flush_folder(path.parent)
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.", "Make room, and resume.") from problem


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file, in order; none where there is no file. A last line without its end was cut off, and is not there.

    Raises:
        UsageError: for a whole line that is no JSON object, with its number.
    """
    if not path.exists():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as problem:
                raise UsageError(f"{path}:{number} is no JSON.", "Restore the file.") from problem
            if not isinstance(row, dict):
                raise UsageError(f"{path}:{number} is no JSON object.", "Restore the file.")
            yield row


def keep_where(path: Path, kept: Callable[[dict[str, Any]], bool]) -> int:
    """Rewrites a file with the lines that are kept, at once or not at all.

    Returns:
        How many lines were dropped.

    Raises:
        UsageError: when it cannot be read or written.
    """
    rows = list(read(path))
    left = [row for row in rows if kept(row)]
    if path.exists():
        write_whole(path, b"".join(as_bytes(row) + b"\n" for row in left))
    return len(rows) - len(left)


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file at once or not at all: a half beside it, flushed, renamed, and the folder flushed.

    Raises:
        UsageError: when it cannot be written.
    """
    half = path.with_name(f".{path.name}.half")
    try:
        with half.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        half.replace(path)
        flush_folder(path.parent)
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.", "Make room, and try again.") from problem


def flush_folder(path: Path) -> None:
    """Has a folder's names on the disk; does nothing where the system opens no folders."""
    if os.name != "posix":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mend(stream: Any) -> None:
    """Cuts away what stands behind the last whole line."""
    end = stream.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _TAIL)
        stream.seek(start)
        at = stream.read(end - start).rfind(b"\n")
        if at >= 0:
            end = start + at + 1
            break
        end = start
    stream.truncate(end)
    stream.seek(0, os.SEEK_END)
