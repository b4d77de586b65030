"""Between rows of the log and what its face hands out; and the record that the log writes by itself."""

from __future__ import annotations

from dataclasses import dataclass

from conformed_audit.blob import commitment
from conformed_audit.body import parse_record
from conformed_audit.clock import Reading
from conformed_audit.encode import encode
from conformed_audit.errors import NotCanonicalError, TamperedError
from conformed_audit.log_store import UNPLACED, EventRow
from conformed_audit.merkle import leaf_hash
from conformed_audit.record import Actor, Item, Kind, Record, RecordDraft

__all__ = ["CaseRow", "checked", "stepped"]

_LOG_ACTOR = Actor(id="log", kind="log")


@dataclass(frozen=True, slots=True)
class CaseRow:
    """Where a case stands, according to the projection."""

    case: str
    """The case."""
    state: str | None
    """The state last entered: ``step`` of the latest ``state.changed`` record."""
    cseq: int
    """Number of its last record."""
    head: str
    """Leaf of its last record, hex."""
    contract: str | None
    """The contract last pinned."""


def stepped(reading: Reading) -> RecordDraft:
    """The record that says that the wall clock was set."""
    step = reading.step
    assert step is not None
    detail = encode({"before": step.before, "cause": step.cause, "now": reading.text})
    item = Item("step", commitment(detail, None), len(detail), "application/json", {"before": step.before, "cause": step.cause})
    return RecordDraft(case="_log", kind=Kind.CLOCK_STEPPED, actor=_LOG_ACTOR, output=(item,))


def checked(row: EventRow) -> Record:
    """The record of a row, held against its hash.

    Raises:
        TamperedError: when it is not what was written.
    """
    where = "A record" if row.idx in {None, UNPLACED} else f"Record {row.idx}"
    if row.idx is None or not isinstance(row.body, bytes):
        raise TamperedError(f"{where} of the log is only half there: something was removed.", "Verify the log.")
    if leaf_hash(row.body) != row.leaf:
        raise TamperedError(f"{where} of the log does not match its hash: it was changed.", "Verify the log.")
    try:
        return parse_record(row.idx, row.body)
    except NotCanonicalError as problem:
        raise TamperedError(f"{where} of the log is not what a log writes: {problem}", "Verify the log.") from problem
