"""Checkpoints held against the records: those that the log keeps, and those that somebody outside kept.

Each must be a prefix of the log; each must be signed and cosigned as the caller asks; each ends with the heads of all cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from conformed_audit.checkpoint import Checkpoint
from conformed_audit.errors import NoteError
from conformed_audit.finding import Bad, Classification, Expected
from conformed_audit.heads_check import MOST_SKEW_S, HeadsCheck
from conformed_audit.key_check import KeyCheck
from conformed_audit.merkle import EMPTY_ROOT
from conformed_audit.note import Note, Signature
from conformed_audit.trust import Trust

__all__ = ["CheckpointCheck", "Outside", "Stored", "outside_of"]

_TAMPERED = Classification.TAMPERED
_NEVER = -1


class Stored(NamedTuple):
    """A checkpoint as the log keeps it; whatever a database may hold."""

    size: Any
    root: Any
    heads_root: Any
    note: Any
    said: tuple[str, ...]
    """What sinks said of it."""


class Outside(NamedTuple):
    """A checkpoint, or a size and a root, that somebody outside kept."""

    size: int
    root: bytes
    note: Note | None
    """None for a bare size and root."""


def outside_of(given: Iterable[str], origin: str, expect: Expected | None) -> tuple[list[Outside], Bad | None]:
    """What somebody outside kept, smallest first.

    Args:
        given: exact texts of checkpoints.
        origin: the log that they must be of.
        expect: a size and a root.

    Returns:
        What can be compared, and the first that cannot.
    """
    misfit: Bad | None = None
    found: list[Outside] = []
    for text in given:
        try:
            note = Note.parse(text)
            checkpoint = Checkpoint.parse(note.text)
        except NoteError as problem:
            misfit = misfit or Bad("given", "a checkpoint", problem.found, Classification.UNREADABLE)
            continue
        if checkpoint.origin != origin:
            misfit = misfit or Bad("given.origin", ascii(origin), ascii(checkpoint.origin)[:80], _TAMPERED)
            continue
        found.append(Outside(checkpoint.size, checkpoint.root, note))
    if expect is not None:
        try:
            found.append(Outside(expect.size, bytes.fromhex(expect.root), None))
        except ValueError:
            misfit = misfit or Bad("root", "a root in hex", ascii(expect.root)[:80], Classification.UNREADABLE)
    return sorted(found, key=lambda one: (one.size, one.root)), misfit


class CheckpointCheck:
    """Waits at each size at which there is something to compare (`due`).

    Args:
        origin: the log.
        stored: its own checkpoints, smallest first.
        outside: those from outside, smallest first.
        trust: whose signatures count.
        keys: keys as the records tell.
        heads: the records of all heads.
    """

    def __init__(
        self, origin: str, stored: Iterator[Stored], outside: list[Outside], trust: Trust, keys: KeyCheck, heads: HeadsCheck
    ) -> None:
        self._origin, self._trust, self._keys, self._heads = origin, trust, keys, heads
        self._stored, self._outside, self._at = stored, outside, 0
        self._next: Stored | None = None
        self.due = _NEVER
        self.last = 0
        """Size of the last checkpoint of the log so far."""
        self.count = self.given = 0
        self.cosigned = self.held = self.acknowledged = 0

    def start(self) -> Bad | None:
        """Finds the first size to wait at, and compares what is there of an empty log."""
        return self._advance() or self._meet(0, None)

    def reached(self, size: int, root: bytes) -> Bad | None:
        """Compares everything that is there of a size."""
        return self._meet(size, root)

    def finish(self, size: int) -> Bad | None:
        """After the last record: whatever still waits speaks of records that are gone."""
        if self._at < len(self._outside):
            return Bad("size", f"at least {self._outside[-1].size} records", str(size), Classification.TRUNCATED)
        if self._next is not None:
            return Bad("checkpoint.size", f"at least {self._next.size} records", str(size), Classification.TRUNCATED)
        trust = self._trust
        if trust.witnesses and self.count + self.given and not self.cosigned:
            what = f"a checkpoint with {trust.needed} of {len(trust.witnesses)} cosignatures"
            return Bad("cosignatures", what, "none", Classification.UNPUBLISHED_TAIL)
        return None

    @property
    def published(self) -> int:
        """Records that somebody outside holds: as cosigned where witnesses are known; as given; else as the log itself says."""
        return max(self.held, self.cosigned if self._trust.witnesses else self.acknowledged)

    def _meet(self, size: int, root: bytes | None) -> Bad | None:
        root = EMPTY_ROOT if root is None else root
        while self._at < len(self._outside) and self._outside[self._at].size == size:
            if (bad := self._given(self._outside[self._at], root)) is not None:
                return bad
            self._at += 1
        while self._next is not None and self._next.size == size:
            if (bad := self._own(self._next, root) or self._advance()) is not None:
                return bad
        sizes = [one.size for one in (self._next, *self._outside[self._at : self._at + 1]) if one is not None]
        self.due = min(sizes, default=_NEVER)
        return None

    def _advance(self) -> Bad | None:
        before, self._next = self._next, next(self._stored, None)
        one = self._next
        if one is not None and (type(one.size) is not int or one.size < 0 or (before is not None and one.size <= before.size)):
            return Bad("checkpoint.size", "sizes that grow", ascii(one.size)[:80], _TAMPERED)
        return None

    def _given(self, one: Outside, root: bytes) -> Bad | None:
        if one.root != root:
            return Bad("root", one.root.hex(), root.hex(), _TAMPERED)
        if one.note is not None and (bad := self._signatures(one.note, one.note.signatures, one.size)) is not None:
            return bad
        self.given += 1
        self.held = one.size
        return None

    def _own(self, one: Stored, root: bytes) -> Bad | None:
        """A checkpoint of the log itself: its columns, its text, its heads, its signatures, what was said of it."""
        size = one.size
        if one.root != root:
            return Bad("checkpoint.root", root.hex(), _hex(one.root), _TAMPERED)
        heads = self._heads.last
        if heads is None or heads[0] != size - 1 or heads[1] != one.heads_root:
            return Bad("checkpoint.heads", f"the heads in record {size - 1}", _hex(one.heads_root), _TAMPERED)
        try:
            note = Note.parse(one.note)
            checkpoint = Checkpoint.parse(note.text)
            cosignatures = tuple(
                Signature.parse(line) for said in one.said for line in said.splitlines() if line.startswith("\u2014 ")
            )
        except (NoteError, TypeError, AttributeError) as problem:
            return Bad("checkpoint.note", "a checkpoint", getattr(problem, "found", "no text"), _TAMPERED)
        if (checkpoint.origin, checkpoint.size, checkpoint.root) != (self._origin, size, root):
            return Bad("checkpoint.note", "a note of origin, size and root", "a note of something else", _TAMPERED)
        if (bad := self._signatures(note, (*note.signatures, *cosignatures), size)) is not None:
            return bad
        self.count += 1
        self.last = size
        if one.said:
            self.acknowledged = size
        return None

    def _signatures(self, note: Note, signatures: tuple[Signature, ...], size: int) -> Bad | None:
        trust, whole = self._trust, Note(note.text, signatures)
        try:
            if trust.keys and not any(self._keys.may_sign(key, size, self.last) for key, _ in whole.by(trust.keys)):
                return Bad("signature", "a signature of a key that is known and in force", "none", _TAMPERED)
            cosigned = whole.by(trust.witnesses)
        except NoteError as problem:
            return Bad("signature", "signatures that match", problem.found, _TAMPERED)
        if len({key for key, _ in cosigned}) >= trust.needed > 0:
            self.cosigned = max(self.cosigned, size)
        heads, earliest = self._heads.last, min((s.time for _, s in cosigned if s.time is not None), default=None)
        ahead = MOST_SKEW_S + self._heads.ahead  # a clock that was set forward, and of which the log says so, is no forgery
        if heads is not None and earliest is not None and _seconds(heads[2]) > earliest + ahead:
            return Bad("cosignature.time", f"heads not after {earliest}", heads[2], _TAMPERED)
        return None


def _seconds(ts: str) -> int:
    return int(datetime.fromisoformat(ts).timestamp())


def _hex(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else ascii(value)[:80]
