"""The tree of errors of the append-only log.

AuditError
├── NotCanonicalError       a value or bytes outside the canonical profile (place says where)
├── DraftError              a record that may not be written as it stands
├── AlreadyRecordedError    this case already holds this kind of record under this idempotency key
├── TamperedError           what was read back is not what was written
├── BlobError               a blob is absent, erased, or does not match its commitment
└── StoreError              the database as a file
    ├── NotALogError        the file is something else, or its tables are not those of a log
    ├── NewerSchemaError    the log was written by a later version
    ├── OriginError         the log belongs to another deployment
    ├── PlaceError          the file system cannot keep the promise that a log makes
    ├── RefusedError        a guard of the database refused the statement
    ├── BusyError           another writer held the log for too long
    ├── DiskFullError       no room left; nothing of the transaction was kept
    ├── CommitError         a commit or sync failed: final, close, reopen, verify the tail
    └── ClosedError         the log was closed, or was opened by another process

Verification never raises for what a log contains: its findings are data (`conformed_audit.verify`). Messages name the
place and the mend and never quote a record's content.
"""

from __future__ import annotations

__all__ = [
    "AlreadyRecordedError",
    "AuditError",
    "BlobError",
    "BusyError",
    "ClosedError",
    "CommitError",
    "DiskFullError",
    "DraftError",
    "NewerSchemaError",
    "NotALogError",
    "NotCanonicalError",
    "OriginError",
    "PlaceError",
    "RefusedError",
    "StoreError",
    "TamperedError",
]


class AuditError(Exception):
    """Root of every error that this package raises.

    Args:
        found: what was found, and where.
        mend: what to do about it; empty where nothing can be done.
    """

    def __init__(self, found: str, mend: str = "") -> None:
        self.found = found
        self.mend = mend
        super().__init__(f"{found} {mend}".strip())


class NotCanonicalError(AuditError):
    """A value, or bytes, outside the canonical profile.

    Args:
        found: what was found there.
        mend: the mend.
        place: path from the top, such as ``output[0].inline.ratio``; empty for the whole.
    """

    def __init__(self, found: str, mend: str = "", *, place: str = "") -> None:
        self.place = place
        super().__init__(f"{place}: {found}" if place else found, mend)


class DraftError(AuditError):
    """A record may not be written as it stands: unknown kind, a wrong case for its kind, a field of the wrong type."""


class AlreadyRecordedError(AuditError):
    """The case already holds a record of this kind under this idempotency key. Nothing was written.

    Args:
        case: the case.
        idem: the idempotency key.
        kind: the kind of record.
        cseq: number inside the case of the record that is already there.
    """

    def __init__(self, case: str, idem: str, kind: str, cseq: int) -> None:
        self.case, self.idem, self.kind, self.cseq = case, idem, kind, cseq
        super().__init__(
            f"Case {case!r} already holds a {kind} record under the key {idem!r}: number {cseq}.",
            "Read that record instead of doing the work again.",
        )


class TamperedError(AuditError):
    """A record that was read back does not match its hash, its columns or the canonical profile."""


class BlobError(AuditError):
    """A blob is absent, was erased, or its bytes do not match its commitment."""


class StoreError(AuditError):
    """The database, as a file, cannot do what was asked."""


class NotALogError(StoreError):
    """The file is no log of ours, or its tables and triggers are not those that this version made."""


class NewerSchemaError(StoreError):
    """The log was written by a later version of this package."""


class OriginError(StoreError):
    """The log belongs to another deployment than the one that opened it."""


class PlaceError(StoreError):
    """The path lies where locks and syncs cannot be relied on, such as a network file system."""


class RefusedError(StoreError):
    """A guard of the database (trigger, constraint or authorizer) refused a statement."""


class BusyError(StoreError):
    """Another writer held the log for longer than this one waits. Nothing was written; trying again is safe."""


class DiskFullError(StoreError):
    """The disk, or the database's page limit, is full. Nothing of the transaction was kept and the log is valid."""


class CommitError(StoreError):
    """A commit, write or sync failed. Whether the transaction was kept is not known until the log is reopened."""


class ClosedError(StoreError):
    """The log was closed (by its owner or after a failed commit), or was opened by another process."""
