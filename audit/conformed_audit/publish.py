"""Publishing: a checkpoint of the log is made, signed, kept, and handed to those whom the owner of the database cannot rewrite.

In this order: the heads of all cases are recorded; the records since the last checkpoint are read back and hashed again; the
signer compares with what it signed last; the checkpoint is kept; each sink is given it. What one acknowledges is written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from conformed_audit.checkpoint import Checkpoint, SignerMemory, sign
from conformed_audit.checkpoint_table import AcknowledgementRow, CheckpointRow
from conformed_audit.errors import NoteError, TamperedError
from conformed_audit.log import AuditLog
from conformed_audit.note import Note, Signature, Signer, VerifyKey
from conformed_audit.tree import consistency_path, root_at

__all__ = ["Acknowledgement", "CheckpointSink", "Published", "Publisher", "published_size"]


class CheckpointSink(Protocol):
    """Takes checkpoints away from the database's owner."""

    name: str
    """Its name, unique in a deployment."""
    outside: bool
    """Whether the owner of the database cannot rewrite what it holds. Only such a one releases a decision."""

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Stores the exact text of a signed checkpoint; raises whenever it is not certain that it is stored.

        Args:
            note: the checkpoint with its signatures.
            proof: the proof that this tree begins with the one of an earlier size.

        Returns:
            Cosignature lines, for a witness; otherwise nothing, or where it was put, on one line.
        """
        ...


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What one sink said."""

    sink: str
    """Its name."""
    ok: bool
    """Whether it has the checkpoint."""
    said: str
    """Its lines, or why it has not."""
    outside: bool
    """Whether the owner of the database cannot rewrite what it holds."""


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint that was made."""

    checkpoint: Checkpoint
    """Origin, size and root."""
    note: str
    """Its exact text with the signatures."""
    acknowledgements: tuple[Acknowledgement, ...]
    """What each sink said, in order."""

    @property
    def outside(self) -> bool:
        """Whether somebody outside has it: what it covers may be released."""
        return any(a.ok and a.outside for a in self.acknowledgements)


class Publisher:
    """Makes checkpoints of one log.

    Args:
        log: the log.
        signers: one, or two while keys are changed; the public keys are to be kept outside the database.
        memory: the signer's own file.
        sinks: who is given checkpoints.
        witnesses: keys of witnesses; a cosignature by another key is not one.
    """

    def __init__(
        self,
        log: AuditLog,
        signers: Sequence[Signer],
        memory: SignerMemory,
        sinks: Sequence[CheckpointSink],
        *,
        witnesses: Iterable[VerifyKey] = (),
    ) -> None:
        self._log, self._signers, self._memory = log, tuple(signers), memory
        self._sinks, self._witnesses = tuple(sinks), tuple(witnesses)

    def publish(self) -> Published:
        """Makes a checkpoint over everything that is in the log and hands it out.

        Raises:
            TamperedError: when what is read back is not what was written.
            SignerError: when the tree is smaller than the last one signed, or does not continue it.
            StoreError: when it cannot be kept.
        """
        log, store = self._log, self._log.store
        last = store.checkpoints.last()
        heads, root_of_heads = log.append_heads()
        size = heads.idx + 1
        self._read_back(0 if last is None else last.size, size)
        tree = log.tree(size)
        checkpoint = Checkpoint(log.origin, size, root_at(tree, size))
        signed = self._memory.last(log.origin)
        begins = 0 if signed is None else signed.size
        path = consistency_path(tree, begins, size) if begins <= size else ()
        note = str(sign(checkpoint, self._signers, self._memory, path))
        with store.write():
            store.checkpoints.add(CheckpointRow(size, checkpoint.root, root_of_heads, note, log.now()))
        return Published(checkpoint, note, self._hand_out(checkpoint, note))

    def again(self) -> Published | None:
        """Hands out the last checkpoint once more, to the sinks that have not acknowledged it; None where there is none."""
        last = self._log.store.checkpoints.last()
        if last is None:
            return None
        checkpoint = Checkpoint(self._log.origin, last.size, last.root)
        return Published(checkpoint, last.note, self._hand_out(checkpoint, last.note))

    def _read_back(self, first: int, size: int) -> None:
        """Reads the new records from the database and hashes them again, so that a bad write is never signed."""
        count = sum(1 for record in self._log.records_from(first) if record.idx < size)
        if count != size - first:
            raise TamperedError(f"{size - first} records were to be read back and {count} were there.", "Verify the log.")

    def _hand_out(self, checkpoint: Checkpoint, note: str) -> tuple[Acknowledgement, ...]:
        store, given = self._log.store, []
        known = {row.sink: row.line for row in store.checkpoints.acknowledged(checkpoint.size)}
        tree = self._log.tree(checkpoint.size)
        for sink in self._sinks:
            if sink.name in known:
                given.append(Acknowledgement(sink.name, ok=True, said=known[sink.name], outside=sink.outside))
                continue
            try:
                said = sink.put(note, lambda old: consistency_path(tree, old, checkpoint.size))
                self._check(note, said)
            except Exception as problem:  # noqa: BLE001 - a sink is foreign code: whatever it raises means that it has not got it
                said = f"{type(problem).__name__}: {problem}".splitlines()[0][:300]
                given.append(Acknowledgement(sink.name, ok=False, said=said, outside=sink.outside))
                continue
            with store.write():
                store.checkpoints.acknowledge(AcknowledgementRow(checkpoint.size, sink.name, said, self._log.now()))
            given.append(Acknowledgement(sink.name, ok=True, said=said, outside=sink.outside))
        return tuple(given)

    def _check(self, note: str, said: str) -> None:
        """A line that looks like a cosignature must be one, by a witness that is known."""
        lines = [line for line in said.splitlines() if line.startswith("\u2014 ")]
        if lines and not Note(Note.parse(note).text, tuple(Signature.parse(line) for line in lines)).by(self._witnesses):
            raise NoteError("The cosignature is by no witness that is known.", "Give the witness's key to the deployment.")


def published_size(log: AuditLog, outside: Iterable[str]) -> int:
    """How many records are under a checkpoint that one of these sinks acknowledged.

    Args:
        log: the log.
        outside: names of sinks whose holdings the database's owner cannot rewrite.
    """
    return log.store.checkpoints.size_acknowledged(tuple(outside))
