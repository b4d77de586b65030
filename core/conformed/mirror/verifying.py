"""Reads a model's folder once: each file is opened without following links, judged, hashed, and copied while it is read.

What is hashed is what is copied, in one pass over one open file: a file that is changed or put in another's place afterwards changes
nothing of the copy.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformed.errors import MirrorError
from conformed.mirror.content import HEAD, MOST_JSON_BYTES, Fault, fault_of_head, fault_of_json, fault_of_name
from conformed.mirror.manifest import MANIFEST, MOST_MANIFEST_BYTES, Manifest, PinnedFile, read_manifest

__all__ = ["Examined", "Trouble", "examine", "manifest_in", "opened", "read_pinned", "refuse", "verify"]

_CHUNK = 1 << 20
_MOST_FILES = 1000
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True, order=True)
class Trouble:
    """One thing that is wrong with a model's folder."""

    name: str
    """The file."""
    fault: Fault
    """Why it is refused."""
    words: str
    """The same in a few words, with what was found."""

    @property
    def sentence(self) -> str:
        """For a person."""
        return f"{self.name}: {self.fault}: {self.words}"


@dataclass(frozen=True, slots=True)
class Examined:
    """What a folder holds."""

    files: tuple[PinnedFile, ...]
    """Files that may be there, sorted by name, with their hashes."""
    troubles: tuple[Trouble, ...]
    """Everything that may not be so, sorted."""


def verify(folder: Path, manifest: Manifest) -> tuple[Trouble, ...]:
    """Everything in which a folder differs from its manifest, sorted by name. Reads every byte; loads nothing.

    Args:
        folder: the model's folder.
        manifest: its manifest.

    Raises:
        MirrorError: when the folder cannot be opened.
    """
    with opened(folder) as descriptor:
        return examine(descriptor, manifest).troubles


def manifest_in(folder: Path, sha256: str | None = None) -> Manifest:
    """The manifest of a folder.

    Args:
        folder: the model's folder.
        sha256: what its bytes must hash to; None takes any.

    Raises:
        MirrorError: when it is not there, cannot be read, or is another.
    """
    with opened(folder) as descriptor:
        return read_pinned(descriptor, folder, sha256)


def read_pinned(descriptor: int, folder: Path, sha256: str | None) -> Manifest:
    """The manifest of an open folder; as ``manifest_in``."""
    where = str(folder / MANIFEST)
    try:
        with _file(descriptor, MANIFEST) as file:
            data = None if file is None else _whole(file, MOST_MANIFEST_BYTES + 1)
    except OSError as problem:
        raise MirrorError(
            f"{where} cannot be read: {problem.strerror}.", "Pin the model: conformed models pin NAME FOLDER."
        ) from problem
    if data is None:
        raise MirrorError(f"{where} is no file.", "Pin the model again.")
    if len(data) > MOST_MANIFEST_BYTES:
        raise MirrorError(f"{where} is larger than {MOST_MANIFEST_BYTES} bytes.", "Pin the model again.")
    found = hashlib.sha256(data).hexdigest()
    if sha256 is not None and found != sha256:
        raise MirrorError(
            f"{where} has SHA-256 {found}, and {sha256} is pinned.",
            "Bring back the approved files, or approve these and pin them.",
        )
    return read_manifest(data, where)


def examine(descriptor: int, manifest: Manifest | None, into: int | None = None) -> Examined:
    """Reads an open folder.

    Args:
        descriptor: the folder, opened.
        manifest: what must be there; None takes what may be there.
        into: a folder, opened, that gets a copy of each file; None copies nothing.
    """
    expected = {one.name: one for one in manifest.files} if manifest else None
    names = sorted(set(os.listdir(descriptor)) - {MANIFEST})
    troubles: list[Trouble] = []
    files: list[PinnedFile] = []
    if len(names) > _MOST_FILES:
        return Examined((), (Trouble("the folder", Fault.EXTRA, f"{len(names)} files, where {_MOST_FILES} are the most"),))
    for name in names:
        found = _read(descriptor, name, frozenset(names), into)
        if isinstance(found, Trouble):
            troubles.append(found)
            continue
        files.append(found)
        if expected is not None and name not in expected:
            troubles.append(Trouble(name, Fault.EXTRA, "the manifest has no such file"))
        elif expected is not None and found != expected[name]:
            troubles.append(Trouble(name, Fault.ALTERED, _difference(found, expected[name])))
    absent = sorted(set(expected or ()) - set(names))
    troubles += [Trouble(name, Fault.MISSING, "the manifest has it, the folder has not") for name in absent]
    return Examined(tuple(files), tuple(sorted(troubles)))


def refuse(troubles: tuple[Trouble, ...], folder: Path) -> None:
    """Raises for troubles, naming each; returns where there are none.

    Raises:
        MirrorError: for any.
    """
    if troubles:
        said = "; ".join(one.sentence for one in troubles[:20]) + (
            f"; and {len(troubles) - 20} more" if len(troubles) > 20 else ""
        )
        raise MirrorError(f"{folder} is refused: {said}.", "Bring back the approved files.")


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    """A folder, opened: what is read afterwards is of this folder, whatever its name comes to mean.

    Raises:
        MirrorError: when it cannot be opened.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as problem:
        raise MirrorError(f"the folder {folder} cannot be read: {problem.strerror}.", "Name a model's folder.") from problem
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _file(descriptor: int, name: str) -> Iterator[int | None]:
    """A file of an open folder, opened without following a link or waiting for a pipe; None where it is no plain file.

    Raises:
        OSError: when it cannot be opened.
    """
    file = os.open(name, os.O_RDONLY | _NO_LINK, dir_fd=descriptor)
    try:
        yield file if stat.S_ISREG(os.fstat(file).st_mode) else None
    finally:
        os.close(file)


def _whole(file: int, most: int) -> bytes:
    """The bytes of a file, ``most`` at the most."""
    kept = bytearray()
    while len(kept) < most and (chunk := os.read(file, min(_CHUNK, most - len(kept)))):
        kept += chunk
    return bytes(kept)


def _read(descriptor: int, name: str, there: frozenset[str], into: int | None) -> PinnedFile | Trouble:
    """One file: judged, hashed and, where asked, copied."""
    fault = fault_of_name(name)
    try:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            return Trouble(name, Fault.SYMLINK, "a link may lead anywhere; put the file itself here")
        if not stat.S_ISREG(status.st_mode):
            return Trouble(name, Fault.NO_FILE, "a folder or a device; a model's folder holds files only")
        if fault is not None:
            return Trouble(name, *fault)
        with _file(descriptor, name) as file:
            if file is None:
                return Trouble(name, Fault.NO_FILE, "it became something else while it was looked at")
            return _hashed(file, name, there, into)
    except OSError as problem:
        return Trouble(name, Fault.UNREADABLE, problem.strerror or type(problem).__name__)


def _hashed(file: int, name: str, there: frozenset[str], into: int | None) -> PinnedFile | Trouble:
    size = os.fstat(file).st_size
    is_json = name.endswith(".json")
    if is_json and size > MOST_JSON_BYTES:
        return Trouble(name, Fault.CONTENT, f"it is larger than {MOST_JSON_BYTES} bytes")
    digest, read, kept, first = hashlib.sha256(), 0, bytearray(), True
    with _copy(into, name) as write:
        while chunk := os.read(file, _CHUNK):
            if first and (fault := fault_of_head(name, chunk[:HEAD], size)):
                return Trouble(name, *fault)
            first = False
            digest.update(chunk)
            read += len(chunk)
            if is_json:
                kept += chunk
                if read > MOST_JSON_BYTES:
                    return Trouble(name, Fault.CONTENT, "it grew while it was read")
            write(chunk)
    if first and (fault := fault_of_head(name, b"", 0)):
        return Trouble(name, *fault)
    if is_json and (fault := fault_of_json(name, bytes(kept), there)):
        return Trouble(name, *fault)
    return PinnedFile(name=name, sha256=digest.hexdigest(), size=read)


@contextmanager
def _copy(into: int | None, name: str) -> Iterator[Callable[[bytes], None]]:
    """Writes a copy, which its owner may then only read; without a folder it writes nothing.

    Raises:
        MirrorError: when it cannot be written.
    """
    if into is None:
        yield lambda _data: None
        return
    try:
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=into)
    except OSError as problem:
        raise _unwritten(name, problem) from problem

    def write(data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(file, rest) :]
        except OSError as problem:
            raise _unwritten(name, problem) from problem

    try:
        yield write
        os.fchmod(file, 0o400)
    finally:
        os.close(file)


def _unwritten(name: str, problem: OSError) -> MirrorError:
    return MirrorError(f"the private copy of {name} cannot be written: {problem.strerror}.", "Make room where TMPDIR is.")


def _difference(found: PinnedFile, wanted: PinnedFile) -> str:
    if found.size != wanted.size:
        return f"{found.size} bytes, and {wanted.size} are pinned"
    return f"SHA-256 {found.sha256}, and {wanted.sha256} is pinned"
