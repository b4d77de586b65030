"""Proofs to take away, as text: that a record is in a log (C2SP tlog-proof), and that a checkpoint continues another.

The first carries the record's exact bytes in its ``extra`` line, so that one file and the log's public key are all that whoever
checks it needs. The second is the body that a witness is given (C2SP tlog-witness, add-checkpoint).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from conformed_audit.checkpoint import Checkpoint
from conformed_audit.errors import NoteError
from conformed_audit.log import AuditLog
from conformed_audit.merkle import leaf_hash
from conformed_audit.note import Note
from conformed_audit.tree import consistency_path, included

__all__ = ["Continuation", "Proof", "continuation_of", "proof_of"]

_HEAD = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile(r"index (0|[1-9][0-9]{0,17})")
_MOST_HASHES = 64
_WRONG = "Give the file as `conformed log prove` wrote it."


@dataclass(frozen=True, slots=True)
class Proof:
    """That a record stands at a place of a log."""

    index: int
    """Its place, from 0."""
    body: bytes
    """The record's exact bytes."""
    path: tuple[bytes, ...]
    """The audit path."""
    note: str
    """The checkpoint with its signatures, exactly as it was given out."""

    @property
    def text(self) -> str:
        """The file (C2SP tlog-proof)."""
        extra = f"extra {base64.b64encode(self.body).decode()}"
        return "\n".join((_HEAD, extra, f"index {self.index}", *_coded(self.path), "", self.note))

    @property
    def checkpoint(self) -> Checkpoint:
        """What the log was when it was proved.

        Raises:
            NoteError: when the note is no checkpoint.
        """
        return Checkpoint.parse(Note.parse(self.note).text)

    @property
    def holds(self) -> bool:
        """Whether the record stands in the tree of the checkpoint. The checkpoint's signatures are a matter of their own."""
        try:
            seen = self.checkpoint
        except NoteError:
            return False
        return included(leaf_hash(self.body), self.index, seen.size, self.path, seen.root)

    @classmethod
    def parse(cls, text: str) -> Proof:
        """Reads the file.

        Raises:
            NoteError: when it is none.
        """
        head, between, note = text.partition("\n\n")
        lines = head.split("\n")
        place = _INDEX.fullmatch(lines[2]) if len(lines) > 2 else None
        if (
            not between
            or lines[0] != _HEAD
            or place is None
            or not lines[1].startswith("extra ")
            or len(lines) > _MOST_HASHES + 3
        ):
            raise NoteError("The text is no proof of a record.", _WRONG)
        hashes = tuple(_decoded(line) for line in lines[3:])
        if any(len(one) != 32 for one in hashes):
            raise NoteError("A line of the proof is no hash.", _WRONG)
        return cls(int(place[1]), _decoded(lines[1][6:]), hashes, note)


@dataclass(frozen=True, slots=True)
class Continuation:
    """That the log of one checkpoint begins with that of another."""

    first: int
    """Size of the earlier one."""
    path: tuple[bytes, ...]
    """The consistency proof."""
    note: str
    """The later checkpoint with its signatures."""

    @property
    def text(self) -> str:
        """The file (C2SP tlog-witness, add-checkpoint)."""
        return "\n".join((f"old {self.first}", *_coded(self.path), "", self.note))


def proof_of(log: AuditLog, index: int) -> Proof | None:
    """The proof of a record against the newest checkpoint; None where no checkpoint covers it.

    Args:
        log: the log.
        index: place of the record.

    Raises:
        TamperedError: when the record is not what was written.
    """
    last = log.store.checkpoints.last()
    record = next(iter(log.records_from(index)), None)
    if last is None or record is None or record.idx != index or index >= last.size:
        return None
    return Proof(index, record.body, log.tree(last.size).inclusion(index), _with_cosignatures(log, last.size, last.note))


def continuation_of(log: AuditLog, first: int, second: int | None = None) -> Continuation | None:
    """The proof that a checkpoint continues an earlier one; None where the log has no such checkpoints.

    Args:
        log: the log.
        first: size of the earlier one.
        second: size of the later one; None for the newest.
    """
    kept = {row.size: row.note for row in log.store.checkpoints.every()}
    later = max(kept, default=0) if second is None else second
    if first not in kept or later not in kept or first > later:
        return None
    return Continuation(first, consistency_path(log.tree(later), first, later), _with_cosignatures(log, later, kept[later]))


def _with_cosignatures(log: AuditLog, size: int, note: str) -> str:
    """A checkpoint with the lines that witnesses gave for it."""
    lines = [line for row in log.store.checkpoints.acknowledged(size) for line in row.line.splitlines()]
    return note + "".join(f"{line}\n" for line in lines if line.startswith("\u2014 ") and f"{line}\n" not in note)


def _coded(hashes: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(base64.b64encode(one).decode() for one in hashes)


def _decoded(line: str) -> bytes:
    try:
        data = base64.b64decode(line, validate=True)
    except ValueError:
        data = None
    if data is None or base64.b64encode(data).decode() != line:  # one proof, one text: no other spelling of the same bytes
        raise NoteError("A line of the proof is not base64.", _WRONG)
    return data
