"""Gathers the files of a pack: a folder, a single file, or a zip. Reads bytes, never what they mean.

What is wrong with one file is a refusal that leaves the rest unharmed; what makes the pack as a whole untrustworthy (two
documents of one name, a hostile archive) is an error. Every file is read once, within limits, and hashed as it was read.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conformed.engine.archive import ArchiveError, is_archive, members
from conformed.engine.limits import LIMITS, Limits
from conformed.errors import PackError
from conformed.model.document import Refusal

__all__ = ["LIMITS", "MANIFEST", "File", "Gathered", "Limits", "gather"]

MANIFEST = "pack.yaml"
"""Name of the manifest at the root of a pack."""

_ASIDE = frozenset({"expected.yaml", "readme.md", "source.md"})


@dataclass(frozen=True, slots=True)
class File:
    """One file of a pack."""

    name: str
    """Path inside the pack, with forward slashes."""
    data: bytes = field(repr=False)
    """Its bytes."""
    sha256: str
    """Their hash, 64 lower-case hex digits."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The files of a pack, sorted by name."""

    name: str
    """Name of the pack: of its folder, or of its file without the ending."""
    files: tuple[File, ...]
    """What may be evidence."""
    aside: tuple[File, ...] = ()
    """README.md, SOURCE.md and expected.yaml: evidence only where the manifest lists them."""
    refusals: tuple[Refusal, ...] = ()
    """Files that were not taken, and why."""
    manifest: bytes | None = field(default=None, repr=False)
    """Bytes of pack.yaml, or None where the pack has none."""


def gather(path: Path, *, limits: Limits = LIMITS) -> Gathered:
    """Gathers a pack.

    Names that begin with '.' or '_' are passed over. A zip inside a folder is opened one level deep; its files are named
    ``archive.zip/file``.

    Args:
        path: a folder, a zip, or a single document.
        limits: most files, bytes and compression.

    Raises:
        PackError: when there is no such pack, it is empty, it holds two documents of one name, or the archive that it is
            holds paths that lead out of it, links, or a bomb.
    """
    if not path.exists():
        raise PackError(f"There is no pack at {path}.", "Give the path of a folder, a zip or a document.")
    shelf = _Shelf(limits)
    if path.is_dir():
        name = path.resolve().name
        shelf.folder(path)
    else:
        name = path.name if path.name.startswith(".") else path.stem
        shelf.single(path)
    return shelf.gathered(name, path)


class _Shelf:
    """What has been gathered so far, against the limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._files: list[File] = []
        self._refusals: list[Refusal] = []
        self._names: dict[str, str] = {}
        self._left = limits.total_bytes

    def folder(self, root: Path) -> None:
        """Takes every file under a folder, in the order of their names."""
        for count, (name, path) in enumerate(_walk(root, self._refuse), 1):
            if count > self._limits.files:
                raise PackError(
                    f"{root} holds more than {self._limits.files} files.", "Split the pack, or take out what is no evidence."
                )
            self._name(name, str(root))
            data = self._bytes(path, name)
            if data is not None and is_archive(data) and not _is_manifest(name):
                self._inner(name, data)
            elif data is not None:
                self._add(name, data)

    def single(self, path: Path) -> None:
        """Takes one document, or the files of one zip."""
        name = path.name
        if _is_manifest(name):
            raise PackError(f"{path} is a manifest and not a pack.", "Give the folder in which it lies.")
        data = self._bytes(path.resolve(), name)
        if data is None:
            return
        if not is_archive(data):
            self._name(name, str(path))
            self._add(name, data)
            return
        try:
            found = list(members(data, self._limits, self._left))
        except ArchiveError as problem:
            raise PackError(f"{path}: {problem.found}", problem.mend) from problem
        top = _common_folder(member.name for member in found)
        for member in found:
            inner = member.name[len(top) :]
            if _hidden(inner):
                continue
            self._name(inner, str(path))
            self._member(inner, member.data, member.refusal)

    def _inner(self, name: str, data: bytes) -> None:
        """Takes the files of a zip that lies in a folder, or refuses the zip and nothing else."""
        try:
            found = [member for member in members(data, self._limits, self._left) if not _hidden(member.name)]
        except ArchiveError as problem:
            self._refuse(name, problem.code, f"{name}: {problem.found} {problem.mend}", hashlib.sha256(data).hexdigest())
            return
        if len(self._files) + len(found) > self._limits.files:
            self._refuse(name, "too_large", f"{name} brings the pack to more than {self._limits.files} files. Split the pack.")
            return
        for member in found:
            self._name(f"{name}/{member.name}", name)
            self._member(f"{name}/{member.name}", member.data, member.refusal)

    def _member(self, name: str, data: bytes | None, refusal: tuple[str, str] | None) -> None:
        if data is None:
            code, sentence = refusal or ("broken", "cannot be read out of its archive. Pack it again.")
            self._refuse(name, code, f"{name} {sentence}")
        elif is_archive(data):
            self._refuse(
                name,
                "nested_archive",
                f"{name} is an archive inside an archive. Unpack it and put its documents into the pack.",
                hashlib.sha256(data).hexdigest(),
            )
        else:
            self._left -= len(data)
            self._add(name, data)

    def _name(self, name: str, where: str) -> None:
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if key in self._names:
            raise PackError(
                f"{where} holds two documents with the same name: {self._names[key]!r} and {name!r}.",
                "Rename one or take it out.",
            )
        self._names[key] = name

    def _add(self, name: str, data: bytes) -> None:
        if not data and not _is_manifest(name):
            self._refuse(
                name, "empty", f"{name} has no bytes. Put the full document into the pack.", hashlib.sha256(b"").hexdigest()
            )
            return
        self._files.append(File(name=name, data=data, sha256=hashlib.sha256(data).hexdigest()))

    def _refuse(self, name: str, code: str, sentence: str, sha256: str | None = None) -> None:
        self._refusals.append(Refusal(name=name, code=code, sentence=sentence, sha256=sha256))

    def _bytes(self, path: Path, name: str) -> bytes | None:
        """The bytes of a regular file, read once and bounded; None after a refusal."""
        try:
            # Not blocking: a pipe put in place of a document must not hold the run.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        except OSError as problem:
            self._refuse(
                name, "unreadable", f"{name} cannot be opened ({problem.strerror}). Mend its permissions or take it out."
            )
            return None
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                self._refuse(name, "not_a_file", f"{name} is a pipe or a device and not a document. Take it out of the pack.")
                return None
            most = min(self._limits.file_bytes, self._left)
            try:
                data = stream.read(most + 1)
            except OSError as problem:
                self._refuse(name, "unreadable", f"{name} cannot be read ({problem.strerror}). Copy it into the pack again.")
                return None
        if len(data) > most:
            self._refuse(
                name,
                "too_large",
                f"{name} takes the pack over its limit of {most} bytes. Split it, or take out what is no evidence.",
            )
            return None
        self._left -= len(data)
        return data

    def gathered(self, name: str, path: Path) -> Gathered:
        """Everything, sorted.

        Raises:
            PackError: when there is nothing, or the manifest is misnamed or too large.
        """
        manifest = None
        files, aside = [], []
        for file in sorted(self._files, key=lambda file: file.name):
            if file.name == MANIFEST:
                if len(file.data) > self._limits.manifest_bytes:
                    raise PackError(
                        f"{path}: {MANIFEST} has {len(file.data)} bytes; a manifest may have {self._limits.manifest_bytes}.",
                        "Shorten it.",
                    )
                manifest = file.data
            elif _is_manifest(file.name):
                raise PackError(f"{path} holds {file.name!r} where the manifest should be.", f"Rename it to {MANIFEST}.")
            elif file.name.rpartition("/")[2].lower() in _ASIDE:
                aside.append(file)
            else:
                files.append(file)
        refusals = tuple(sorted(self._refusals, key=lambda refusal: (refusal.name, refusal.code)))
        if not files and not refusals and not (manifest and aside):
            raise PackError(
                f"{path} holds no document.", "Put the agreement and its amendments into it (PDF, DOCX, HTML or text)."
            )
        return Gathered(name=name, files=tuple(files), aside=tuple(aside), refusals=refusals, manifest=manifest)


def _is_manifest(name: str) -> bool:
    return name.lower() in {MANIFEST, "pack.yml"}


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _common_folder(names: Iterable[str]) -> str:
    """The one folder in which every file of an archive lies, with its slash, or nothing."""
    tops = {name.partition("/")[0] if "/" in name else "" for name in names if not _hidden(name)}
    return f"{tops.pop()}/" if len(tops) == 1 and "" not in tops else ""


def _walk(root: Path, refuse: object) -> Iterator[tuple[str, Path]]:
    """Every regular file under a folder, sorted; links and odd names are refused, never followed."""
    assert callable(refuse)
    waiting = [(root, "")]
    found: list[tuple[str, Path]] = []
    while waiting:
        folder, prefix = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as problem:
            refuse(
                prefix.rstrip("/") or ".",
                "unreadable",
                f"{prefix or folder} cannot be listed ({problem.strerror}). Mend its permissions.",
            )
            continue
        for entry in entries:
            if entry.name.startswith((".", "_")):
                continue
            shown = (prefix + entry.name).encode("utf-8", "backslashreplace").decode("utf-8")
            if shown != prefix + entry.name or any(unicodedata.category(c) == "Cc" for c in shown):
                refuse(
                    ascii(shown)[1:-1],
                    "bad_name",
                    f"{ascii(shown)[1:-1]} has characters in its name that cannot be shown. Rename it.",
                )
            elif entry.is_symlink():
                refuse(shown, "link", f"{shown} is a link; a pack holds its documents itself. Put the document in its place.")
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), f"{shown}/"))
            else:
                found.append((shown, Path(entry.path)))
    yield from sorted(found)
