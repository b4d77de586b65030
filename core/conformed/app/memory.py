"""What was read of a pack, kept by the hash of its files, so that another test date does not read it again.

Only questions without a record (covenant, copy, timeline) use it: a run reads every file afresh. An entry counts only
for the same files, contract and program; a damaged one is read as absent.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from conformed.engine.judge import stops
from conformed.model.base import Frozen, Missing
from conformed.model.decision import Effective, Reason
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.model.retrieval import Retrieved

__all__ = ["Memory", "Read", "held_back", "program_stamp"]


class Read(Frozen):
    """A pack as it was read and what extraction proposed, for any question."""

    asked: str = ""
    """The key under which it is kept, so that a file that was put in another's place is not taken for it."""
    case: CaseFile
    """Case file, with the question for which it was first read."""
    retrieved: Retrieved
    """What retrieval gave."""
    extraction: Extraction
    """What extraction gave, spans checked."""

    def asking(self, question: Question) -> Read:
        """The same for another question."""
        return self.model_copy(update={"case": self.case.model_copy(update={"question": question})})


def held_back(effective: Effective, read: Read) -> Effective:
    """What precedence gives, brought to review where retrieval or extraction left open what a run would not pass over.

    Args:
        effective: what precedence gives.
        read: what the answer rests on.
    """
    doubts = [doubt for doubt in (*read.retrieved.coverage, *read.extraction.rejected) if stops(doubt.code)]
    if not doubts:
        return effective
    covenant = effective.covenant
    readings = () if isinstance(covenant, Missing) or effective.candidates else (covenant,)
    return effective.model_copy(
        update={
            "result": "review",
            "covenant": Missing(reason=doubts[0].sentence, code=doubts[0].code),
            "candidates": (*effective.candidates, *readings),
            "reasons": (*(Reason(code=d.code, sentence=d.sentence, spans=d.spans) for d in doubts), *effective.reasons),
        }
    )


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

    def get(self, asked: str, make: Callable[[], Read]) -> Read:
        """What is kept under a key, made and kept where nothing is.

        Args:
            asked: everything but the program that what is read depends on.
            make: reads the pack.
        """
        key = hashlib.sha256(f"{asked} {self._stamp}".encode()).hexdigest()
        if key not in self._held:
            path = self._folder / f"{key}.json"
            found = self._load(path, asked)
            if found is None:
                found = make().model_copy(update={"asked": asked})
                self._store(path, found)
            self._held[key] = found
        return self._held[key]

    @staticmethod
    def _load(path: Path, asked: str) -> Read | None:
        try:
            found = Read.model_validate_json(path.read_bytes())
        except (OSError, ValueError):  # a ValidationError is one
            return None
        return found if found.asked == asked else None

    def _store(self, path: Path, read: Read) -> None:
        if read.case.refusals:
            return  # a refusal may pass (a full disk, a slow machine): it is tried again
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(f".{os.getpid()}.part")
            try:
                part.write_bytes(read.model_dump_json().encode())
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError:
            return  # the cache is a convenience: a full or read-only disk does not stop an answer
