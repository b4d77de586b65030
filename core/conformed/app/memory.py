"""What was read of a pack, kept by the hash of its files, so that another test date does not read it again.

Only questions without a record (covenant, copy, timeline) use it: a run reads every file afresh. An entry counts only
for the same files, contract and program; a damaged one is read as absent.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from conformed.model.base import Frozen
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.model.retrieval import Retrieved

__all__ = ["Memory", "Read", "program_stamp"]


class Read(Frozen):
    """A pack as it was read and what extraction proposed, for any question."""

    case: CaseFile
    """Case file, with the question for which it was first read."""
    retrieved: Retrieved
    """What retrieval gave."""
    extraction: Extraction
    """What extraction gave, spans checked."""

    def asking(self, question: Question) -> Read:
        """The same for another question."""
        return self.model_copy(update={"case": self.case.model_copy(update={"question": question})})


def program_stamp(packages: tuple[Path, ...]) -> str:
    """A digest of name, size and time of every module, so that a changed program never uses what an older one kept."""
    lines = []
    for root in packages:
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                if name.endswith(".py"):
                    found = (Path(folder) / name).stat()
                    lines.append(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class Memory:
    """Keeps what was read, in the process and in a folder."""

    def __init__(self, folder: Path, stamp: str) -> None:
        self._folder = folder
        self._stamp = stamp
        self._held: dict[str, Read] = {}

    def get(self, digest: str, contract: str, make: Callable[[], Read]) -> Read:
        """What is kept for some files under a contract, made and kept where it is not.

        Args:
            digest: digest of the pack.
            contract: digest of the contract.
            make: reads the pack.
        """
        key = hashlib.sha256(f"{digest} {contract} {self._stamp}".encode()).hexdigest()
        if key in self._held:
            return self._held[key]
        path = self._folder / f"{key}.json"
        found = self._load(path)
        if found is None or found.case.digest != digest:
            found = make()
            self._store(path, found)
        self._held[key] = found
        return found

    @staticmethod
    def _load(path: Path) -> Read | None:
        try:
            return Read.model_validate_json(path.read_bytes())
        except (OSError, ValidationError, ValueError):
            return None

    def _store(self, path: Path, read: Read) -> None:
        if read.case.refusals:
            return  # a refusal may pass (a full disk, a slow machine): it is tried again
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(read.model_dump_json().encode())
            part.replace(path)
        except OSError:
            return  # the cache is a convenience: a full or read-only disk does not stop an answer
