"""What verification reads of a log, whatever database it lies in. Text comes as bytes: a database may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from conformed_audit.checkpoint_check import Stored
from conformed_audit.finding import Bad

__all__ = ["Source"]


class Source(Protocol):
    """One log at one moment. A method raises whatever its database raises; the caller turns that into a finding."""

    has_tiles: bool
    """Whether the format keeps tiles."""

    def altered(self) -> Bad | None:
        """Whether the tables and their guards are not those that were made."""
        ...

    def origin(self) -> str:
        """The deployment whose log it says it is."""
        ...

    def records(self) -> Iterable[tuple[Any, ...]]:
        """By place: idx, leaf, case, cseq of the index; case, cseq, kind, ts, actor, idem, body, leaf, prev of the record."""
        ...

    def unplaced(self) -> Iterable[tuple[Any, Any]]:
        """Case and number of records without a place that should have one."""
        ...

    def late(self) -> Iterable[tuple[Any, ...]]:
        """As `records`, by case and number: those without a place, in a database that gives places afterwards."""
        ...

    def states(self) -> Iterable[tuple[Any, ...]]:
        """The projection by case: case, state, cseq, head, contract."""
        ...

    def blobs(self) -> Iterable[tuple[Any, ...]]:
        """Blobs: commit, salt, content, bytes, erased_at, key_ref, nonce, wrapped data key."""
        ...

    def tile(self, level: int, n: int) -> tuple[Any, Any] | None:
        """Hashes and root of a kept tile."""
        ...

    def tiles(self) -> int:
        """How many tiles are kept."""
        ...

    def checkpoints(self) -> Iterator[Stored]:
        """Its own checkpoints, smallest first, each with what sinks said of it."""
        ...

    def key_rows(self) -> Iterable[tuple[Any, Any]]:
        """Its table of keys: the key as text, and the place of the record that added it."""
        ...
