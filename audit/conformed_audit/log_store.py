"""What the log's face asks of a database: the rows it gives, and its methods. SQLite and PostgreSQL are two of them.

One difference shows. On SQLite a record gets its place in the tree in the transaction that writes it. On PostgreSQL writers
of different cases do not wait for each other, so that places are given afterwards (`LogStore.place`); until then a record
has the place `UNPLACED`. Number, chain and hash of a record never change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from conformed_audit.checkpoint_table import CheckpointTable
from conformed_audit.tiles import TileSource

__all__ = ["UNPLACED", "BlobRow", "Event", "EventRow", "Head", "KeptBlob", "Key", "KeyRow", "LogStore", "StateRow"]

UNPLACED = (1 << 53) - 1
"""Place of a record that is committed and was not yet given its place in the tree. The largest integer of the profile: after
every place and outside every tree, so that whoever compares it with a size finds the record not covered."""

Event = tuple[str, int, str, str, str, str | None, bytes, bytes, bytes]
"""Case, cseq, kind, ts, actor, idempotency key, body, leaf, prev."""

Key = tuple[str, str | None, str]
"""Case, idempotency key and kind of a record that is about to be written."""


class Head(NamedTuple):
    """The last record of a case."""

    cseq: int
    leaf: bytes


class EventRow(NamedTuple):
    """A record as stored; idx or body is None where half of it is missing."""

    idx: int | None
    leaf: bytes
    body: bytes | None


class StateRow(NamedTuple):
    """A case as the projection has it."""

    case: str
    state: str | None
    cseq: int
    head: bytes
    contract: str | None


class BlobRow(NamedTuple):
    """A blob as stored."""

    salt: bytes | None
    data: bytes | None
    erased_at: str | None
    key_ref: str | None = None
    nonce: bytes | None = None


class KeptBlob(NamedTuple):
    """A blob as it is to be stored: plain with its salt, or sealed, the salt inside, under a data key."""

    commit: str
    salt: bytes | None
    key_ref: str | None
    nonce: bytes | None
    data: bytes
    length: int
    media: str


class KeyRow(NamedTuple):
    """A data key as stored, wrapped by the master key; None once it was destroyed."""

    wrapped: bytes | None
    destroyed_at: str | None


class LogStore(Protocol):
    """The tables of one log. Every method may raise a StoreError (`conformed_audit.errors`)."""

    @property
    def tiles(self) -> TileSource:
        """Leaves and full tiles, for the tree."""
        ...

    @property
    def unsaved(self) -> int:
        """Bytes that wait beside the tables to be brought into them: the write-ahead log of a file, which should stay small."""
        ...

    @property
    def checkpoints(self) -> CheckpointTable:
        """Checkpoints and what was acknowledged of them."""
        ...

    def close(self) -> None:
        """Closes. Closing twice does nothing."""
        ...

    def write(self, keys: Sequence[Key] = (), *, ordered: bool = False, guess: bool = False) -> AbstractContextManager[None]:
        """One durable transaction: on disk when it is left; nothing is kept when it raises, but for CommitError (not known).

        Args:
            keys: the records that are about to be written; their cases are locked, in an order that cannot deadlock.
            ordered: give records their places inside the transaction, everything committed before them first.
            guess: the store may count on what it remembers of a case, and raise UnsureError when that no longer stands.
        """
        ...

    def start(self) -> tuple[int, str | None]:
        """Inside `write`: place of the next record, or `UNPLACED`; and the time of the last record, None where there is none."""
        ...

    def place(self) -> int:
        """Gives committed records their places in the tree, and says how many got one; 0 where they have it at once."""
        ...

    def tail(self) -> tuple[int, str | None] | None:
        """Index and time of the last record that has a place; None where there is none."""
        ...

    def head(self, case: str) -> Head | None:
        """The last record of a case."""
        ...

    def find(self, case: str, idem: str, kind: str) -> int | None:
        """Number inside the case of the record with this idempotency key and kind."""
        ...

    def add_event(self, idx: int, event: Event) -> None:
        """Inside `write`: adds a record at its place, or without one."""
        ...

    def set_state(self, row: StateRow) -> None:
        """Inside `write`: moves the projection of a case; None leaves state or contract as they were."""
        ...

    def add_blob(self, blob: KeptBlob) -> None:
        """Inside `write`: adds a blob unless one with the same commitment is there."""
        ...

    def add_data_key(self, ref: str, wrapped: bytes) -> None:
        """Inside `write`: adds a data key; an error, or a conflict that is tried again, when one of that name is there."""
        ...

    def some_data_key(self) -> tuple[str, bytes] | None:
        """Name and wrapped key of some data key that was not destroyed, to try the master key on."""
        ...

    def data_key(self, ref: str) -> KeyRow | None:
        """A data key by its name; inside `write` one that was added before, too."""
        ...

    def blob(self, commit: str) -> BlobRow | None:
        """A blob by its commitment."""
        ...

    def events(self, *, first: int = 0) -> Iterator[EventRow]:
        """Records that have a place, in the order of the log; writing between two of them is safe."""
        ...

    def pending(self, *, first: int) -> Iterator[EventRow]:
        """What `events` did not give: records from a place on, and then those that have none, by case and number."""
        ...

    def case_events(self, case: str, *, first: int = 0) -> Iterator[EventRow]:
        """Records of a case in its order, from a number inside the case on."""
        ...

    def states(self) -> Iterator[StateRow]:
        """The projection, sorted by case; inside an ordered `write` as it stands just before the next record."""
        ...
