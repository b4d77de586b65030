"""Checkpoints (C2SP tlog-checkpoint): what is signed of a log, and the signer's own memory of the last one.

A checkpoint says origin, size and root of the tree. A signer never signs a smaller tree, nor one that does not begin with
the last one that it signed; it keeps that last one in a file of its own, outside the database.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from conformed_audit.durable import replace_whole
from conformed_audit.errors import NoteError, SignerError
from conformed_audit.merkle import EMPTY_ROOT
from conformed_audit.note import Note, Signer
from conformed_audit.tree import consistent

__all__ = ["Checkpoint", "SignerMemory", "sign"]

_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")
_MARK = "conformed signer memory 1"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log was at one moment."""

    origin: str
    """The deployment whose log it is."""
    size: int
    """Number of records."""
    root: bytes
    """Root of the tree over them."""
    further: tuple[str, ...] = ()
    """Further lines of the text, signed like the rest."""

    @property
    def text(self) -> str:
        """What is signed."""
        return "".join(f"{line}\n" for line in (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.further))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads the text of a checkpoint.

        Raises:
            NoteError: when it is none.
        """
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not lines[0] or not _SIZE.fullmatch(lines[1]) or not all(lines[3:-1]):
            raise NoteError("The text of the note is no checkpoint.", "A checkpoint has three lines: origin, size and root.")
        try:
            root = base64.b64decode(lines[2], validate=True)
        except ValueError:
            root = b""
        if len(root) != 32 or base64.b64encode(root).decode() != lines[2]:
            raise NoteError("The root in the checkpoint has not 32 bytes in base64.", "Give the checkpoint as it was made.")
        return cls(lines[0], int(lines[1]), root, tuple(lines[3:-1]))


@dataclass(frozen=True, slots=True)
class SignerMemory:
    """The last checkpoint that a signer signed, in a file of its own that is replaced whole and synced."""

    path: Path
    """The file. Its folder must exist."""

    def last(self, origin: str) -> Checkpoint | None:
        """The last one; None before the first.

        Raises:
            SignerError: when the file holds something else, or another log's checkpoint.
        """
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as problem:
            raise SignerError(
                f"The signer's memory {self.path.name!r} cannot be read.", "Restore it; never sign without."
            ) from problem
        mark, _, rest = text.partition("\n")
        try:
            found = Checkpoint.parse(rest)
        except NoteError as problem:
            raise SignerError(
                f"The signer's memory {self.path.name!r} is damaged.", "Restore it; never sign without."
            ) from problem
        if mark != _MARK or found.origin != origin:
            raise SignerError(
                f"The signer's memory {self.path.name!r} belongs to another log.", "Give each log a signer of its own."
            )
        return found

    def keep(self, checkpoint: Checkpoint) -> None:
        """Replaces what is remembered; on the disk when it returns.

        Raises:
            SignerError: when that is not certain.
        """
        try:
            replace_whole(self.path, f"{_MARK}\n{checkpoint.text}".encode())
        except OSError as problem:
            raise SignerError(
                f"The signer's memory {self.path.name!r} could not be written: {problem.strerror}.",
                "Nothing was signed; mend it.",
            ) from problem


def sign(checkpoint: Checkpoint, signers: Sequence[Signer], memory: SignerMemory, path: Sequence[bytes]) -> Note:
    """Signs a checkpoint, after the memory has been moved on: a signature that exists is one that is remembered.

    Args:
        checkpoint: what is signed.
        signers: one, or two while keys are changed.
        memory: the last one that was signed.
        path: proof that this tree begins with the last one signed.

    Raises:
        SignerError: when the tree is smaller, or does not continue the last one.
    """
    last = memory.last(checkpoint.origin)
    size, root = (last.size, last.root) if last is not None else (0, EMPTY_ROOT)
    if checkpoint.size < size:
        raise SignerError(
            f"The log has {checkpoint.size} records; {size} were signed before: records were lost.",
            "Verify it against a witness.",
        )
    if not consistent(size, checkpoint.size, root, checkpoint.root, path):
        raise SignerError(
            f"The log of {checkpoint.size} records does not begin with the {size} that were signed.",
            "It was rewritten; verify it.",
        )
    memory.keep(checkpoint)
    note = Note(checkpoint.text)
    for signer in signers:
        note = note.signed(signer)
    return note
