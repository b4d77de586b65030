# ruff: noqa: ARG001, ARG002 - the ports and the loader fix the signatures
"""Parts that meet the outside: an executor, a sink, a tracker, a command."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from conformed.hooks import NoOptions

__all__ = [
    "FileOptions",
    "Folder",
    "FolderOptions",
    "Hello",
    "Lines",
    "OneByOne",
    "make_command",
    "make_executor",
    "make_sink",
    "make_tracker",
]


class OneByOne:
    """Runs jobs in this process."""

    def run(self, job: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        """Results in the order of the items."""
        return [job(item) for item in items]


class FolderOptions(BaseModel):
    """Options of the sink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path
    """Where checkpoints go; must exist."""
    name: str = "folder"
    """Name of the sink."""


class Folder:
    """Stores each checkpoint as a file that is never written again."""

    def __init__(self, options: FolderOptions) -> None:
        self.folder, self.name, self.outside = options.folder, options.name, True

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Writes, syncs, and refuses another text under a known size."""
        size, data = int(note.split("\n")[1]), note.encode()
        path = self.folder / f"{size}.txt"
        if path.exists():
            if path.read_bytes() != data:
                raise ValueError(f"{path.name} is stored with other bytes")
            return path.name
        with path.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        return path.name


class FileOptions(BaseModel):
    """Options of the tracker."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Path
    """Text file to which lines are appended."""


class Lines:
    """Appends one line a figure."""

    def __init__(self, options: FileOptions) -> None:
        self.file = options.file

    def track(self, run: str, step: int, figures: Mapping[str, str]) -> None:
        """Figures sorted by name."""
        with self.file.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{run} {step} {name} {figures[name]}\n" for name in sorted(figures))


class Hello:
    """Says hello."""

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Greets each name; 2 where there is none."""
        if not arguments:
            write("Type a name: conformed hello NAME")
            return 2
        for name in arguments:
            write(f"Hello, {name}.")
        return 0


def make_executor(options: NoOptions) -> OneByOne:
    """The factory of the executor."""
    return OneByOne()


def make_sink(options: FolderOptions) -> Folder:
    """The factory of the sink."""
    return Folder(options)


def make_tracker(options: FileOptions) -> Lines:
    """The factory of the tracker."""
    return Lines(options)


def make_command(options: NoOptions) -> Hello:
    """The factory of the command."""
    return Hello()
