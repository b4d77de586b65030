"""What verification says: data, never an exception for what a log contains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

__all__ = ["Bad", "Classification", "Expected", "Finding", "Stop", "VerifyResult", "stop_at"]


class Classification(StrEnum):
    """What kind of trouble a finding points to."""

    TAMPERED = "tampered"
    """Something was changed, removed or added after it was written."""
    TRUNCATED = "truncated"
    """The newest records are gone: a cut tail, an old backup, a lost write-ahead log."""
    FORKED = "forked"
    """Two histories of one case, or of the log."""
    WRITER_BUG = "writer-bug"
    """The bytes are those that were hashed, but a correct writer would not have written them."""
    UNREADABLE = "unreadable"
    """The database cannot be read there."""
    ERASED = "erased"
    """A payload is gone, and no record of an erasure explains it."""
    UNPUBLISHED_TAIL = "unpublished-tail"
    """Records that no outside party holds under a checkpoint yet: no fault, but nobody outside vouches for them. It is a
    fault only where the caller asked for cosignatures and no checkpoint has enough of them."""


class Bad(NamedTuple):
    """What one check found."""

    check: str
    expected: str
    found: str
    classification: Classification


@dataclass(frozen=True, slots=True)
class Expected:
    """What somebody outside the database remembers of the log."""

    size: int
    """How many records it had."""
    root: str
    """Root of the Merkle tree over them, hex."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The first thing that is wrong."""

    idx: int | None
    """Position in the log; None where the finding is not about one record."""
    case: str | None
    """Its case."""
    cseq: int | None
    """Position inside the case."""
    check: str
    """The check that failed."""
    expected: str
    """What should have been there."""
    found: str
    """What was there."""


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What verification found, and how far it could see."""

    ok: bool
    """Whether every check held."""
    checked: int
    """Records that verified, from the first on."""
    first_bad: Finding | None
    """The first thing that is wrong."""
    classification: Classification | None
    """What kind of trouble it points to. When all is well: ``unpublished-tail`` where the last records are under no
    checkpoint that somebody outside holds, else None."""
    size: int
    """Records in the log, as far as it could be read."""
    root: str | None
    """Root of the Merkle tree over all records, hex; None when not ok."""
    anchored: bool
    """Whether the log was compared with something kept outside it. If not, a cut tail or a wholly re-hashed log passes."""
    checkpoints: int = 0
    """Checkpoints of the log itself that it continues."""
    given: int = 0
    """Checkpoints and sizes from outside that it continues."""
    signed: bool | None = None
    """Whether each checkpoint is signed by a known key; None where no key was given: then nobody's signature was checked."""
    cosigned: int | None = None
    """Largest size with enough cosignatures; None where no witness's key was given."""
    published: int = 0
    """Records under a checkpoint that somebody outside holds: as cosigned, as given, else as the log itself says."""
    unpublished: int = 0
    """Records after that."""
    heads: int = 0
    """Records of all heads that were worked out again."""
    heads_left: int = 0
    """Records of all heads of which only form and number of cases were checked, to bound the time; never the last one."""
    erased: int = 0
    """Contents that are gone, each with a record that says why."""
    unopened: int = 0
    """Sealed contents of which only the form was checked, since no keys were given."""


class Stop(Exception):  # noqa: N818 - a signal inside verification, never seen outside
    """The first thing that is wrong, on its way out of a pass.

    Args:
        bad: what a check found.
        idx: position in the log.
        case: the case.
        cseq: position inside the case.
    """

    def __init__(self, bad: Bad, idx: int | None = None, case: str | None = None, cseq: int | None = None) -> None:
        super().__init__(bad.check)
        self.bad, self.finding = bad, Finding(idx, case, cseq, bad.check, bad.expected, bad.found)


def stop_at(bad: Bad | None, idx: int | None = None, case: str | None = None, cseq: int | None = None) -> None:
    """Ends a pass where something is bad; does nothing where nothing is.

    Args:
        bad: what a check found.
        idx: position in the log.
        case: the case.
        cseq: position inside the case.

    Raises:
        Stop: with the finding.
    """
    if bad is not None:
        raise Stop(bad, idx, case, cseq)
