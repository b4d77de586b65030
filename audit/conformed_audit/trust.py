"""Whom whoever verifies trusts: public keys that were kept outside the database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from conformed_audit.errors import NoteError
from conformed_audit.note import COSIGNATURE, VerifyKey

__all__ = ["Trust"]

_MOST_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Trust:
    """Keys of the log and of its witnesses, and how many of these must have cosigned."""

    keys: tuple[VerifyKey, ...] = ()
    """Keys that sign checkpoints of the log; none: signatures are not checked, and the result says so."""
    witnesses: tuple[VerifyKey, ...] = ()
    """Keys that cosign; none: cosignatures are not checked, and the result says so."""
    quorum: int = 0
    """How many different witnesses must have cosigned a checkpoint; 0 for all of them."""

    @property
    def needed(self) -> int:
        """How many cosignatures make a checkpoint count."""
        return self.quorum or len(self.witnesses)

    @classmethod
    def of(cls, keys: Iterable[VerifyKey], quorum: int = 0) -> Self:
        """Sorts keys by their kind: those that sign notes are the log's, those that cosign are the witnesses'.

        Raises:
            NoteError: when more cosignatures are asked for than there are witnesses.
        """
        every = list(dict.fromkeys(keys))
        witnesses = tuple(key for key in every if key.kind == COSIGNATURE)
        if not 0 <= quorum <= len(witnesses):
            raise NoteError(
                f"{quorum} cosignatures are asked for, and there are keys of {len(witnesses)} witnesses.", "Name their keys."
            )
        return cls(tuple(key for key in every if key.kind != COSIGNATURE), witnesses, quorum)

    @classmethod
    def parse(cls, text: str, quorum: int = 0) -> Self:
        """Reads a file of keys: one a line as ``name+hash+base64``; empty lines and those that begin with # are passed over.

        Raises:
            NoteError: when a line is no key.
        """
        lines = [line.strip() for line in text.splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        if not lines or len(lines) > _MOST_LINES:
            raise NoteError(f"The file has {len(lines)} keys.", f"Name 1 to {_MOST_LINES}, each on a line of its own.")
        return cls.of((VerifyKey.parse(line) for line in lines), quorum)
