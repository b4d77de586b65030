"""Checkpoints of a log and what was acknowledged of them, on SQLite. Statements only; the store's transaction is the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

__all__ = ["AcknowledgementRow", "CheckpointRow", "CheckpointTable"]


class CheckpointRow(NamedTuple):
    """A checkpoint as kept."""

    size: int
    """Number of records."""
    root: bytes
    """Root of the tree over them."""
    heads_root: bytes
    """Root over the heads of all cases, as the last record says."""
    note: str
    """The exact text with its signatures."""
    made_at: str
    """UTC."""


class AcknowledgementRow(NamedTuple):
    """What one sink said of a checkpoint."""

    size: int
    """The checkpoint's size."""
    sink: str
    """Name of the sink."""
    line: str
    """A witness's cosignature lines, or where it was put."""
    got_at: str
    """UTC."""


class CheckpointTable:
    """The two tables.

    Args:
        run: carries out a statement with its values and gives the rows.
    """

    def __init__(self, run: Callable[[str, tuple[Any, ...]], Sequence[tuple[Any, ...]]]) -> None:
        self._run = run

    def add(self, row: CheckpointRow) -> None:
        """Keeps a checkpoint; refused by the database when one of that size or a larger one is there."""
        self._run("INSERT INTO audit_checkpoint VALUES(?,?,?,?,?)", tuple(row))

    def acknowledge(self, row: AcknowledgementRow) -> None:
        """Keeps what a sink said."""
        self._run("INSERT INTO audit_cosig VALUES(?,?,?,?)", tuple(row))

    def last(self) -> CheckpointRow | None:
        """The largest checkpoint."""
        rows = self._run("SELECT size, root, heads_root, note, made_at FROM audit_checkpoint ORDER BY size DESC LIMIT 1", ())
        return CheckpointRow(*rows[0]) if rows else None

    def every(self) -> Iterator[CheckpointRow]:
        """All of them, smallest first."""
        return map(
            CheckpointRow._make,
            self._run("SELECT size, root, heads_root, note, made_at FROM audit_checkpoint ORDER BY size", ()),
        )

    def first_over(self, idx: int) -> CheckpointRow | None:
        """The smallest checkpoint that covers the record at a place in the log."""
        rows = self._run(
            "SELECT size, root, heads_root, note, made_at FROM audit_checkpoint WHERE size > ? ORDER BY size LIMIT 1", (idx,)
        )
        return CheckpointRow(*rows[0]) if rows else None

    def acknowledged(self, size: int) -> tuple[AcknowledgementRow, ...]:
        """What was said of the checkpoint of a size, by name of the sink."""
        rows = self._run("SELECT size, witness, line, got_at FROM audit_cosig WHERE size = ? ORDER BY witness", (size,))
        return tuple(AcknowledgementRow(*row) for row in rows)

    def size_acknowledged(self, sinks: Sequence[str]) -> int:
        """The largest size that one of these sinks acknowledged; 0 for none."""
        marks = ",".join("?" * len(sinks)) or "NULL"
        query = f"SELECT coalesce(max(size), 0) FROM audit_cosig WHERE witness IN ({marks})"  # noqa: S608 - marks only
        return int(self._run(query, tuple(sinks))[0][0])
