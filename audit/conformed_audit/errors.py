"""The tree of errors of the append-only log.

AuditError
├── NotCanonicalError       a value or bytes outside the canonical profile (place says where)
├── DraftError              a record that may not be written as it stands
├── AlreadyRecordedError    this case already holds this kind of record under this idempotency key
├── MovedOnError            the case has a newer record than the one on which the caller decided
├── TamperedError           what was read back is not what was written
├── BlobError               a blob is absent, or does not match its commitment
│   └── ErasedError         it was erased on purpose; a record says why
├── BundleError             an evidence bundle cannot be made: no checkpoint, or a name that may not stand in it
├── NoteError               text that is no signed note, or a signature that does not match
├── SealError               content cannot be sealed or opened: the master key is lost, exposed, or another
├── SignerError             a signer refuses: a smaller tree, one that does not continue the last, its memory is lost
├── PublishError            no outside sink acknowledged a checkpoint
└── StoreError              the database as a file
    ├── NotALogError        the file is something else, or its tables are not those of a log
    ├── NewerSchemaError    the log was written by a later version
    ├── OriginError         the log belongs to another deployment
    ├── PlaceError          the file system cannot keep the promise that a log makes
    ├── RefusedError        a guard of the database refused the statement
    │   └── EpochClosedError the log's epoch is closed: it takes no further record
    ├── BusyError           another writer held the log for too long
    │   └── ConflictError   another writer was quicker; tried again, a bounded number of times
    │       └── UnsureError what a writer remembered no longer stands; tried again at once
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
    "BundleError",
    "BusyError",
    "ClosedError",
    "CommitError",
    "ConflictError",
    "DiskFullError",
    "DraftError",
    "EpochClosedError",
    "ErasedError",
    "MovedOnError",
    "NewerSchemaError",
    "NotALogError",
    "NotCanonicalError",
    "NoteError",
    "OriginError",
    "PlaceError",
    "PublishError",
    "RefusedError",
    "SealError",
    "SignerError",
    "StoreError",
    "TamperedError",
    "UnsureError",
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


class MovedOnError(AuditError):
    """The case has a newer record than the one on which the caller decided. Nothing was written; read it and decide again.

    Args:
        case: the case.
    """

    def __init__(self, case: str) -> None:
        self.case = case
        super().__init__(f"Case {case!r} has moved on since it was read.", "Read it again and decide again.")


class TamperedError(AuditError):
    """A record that was read back does not match its hash, its columns or the canonical profile."""


class BlobError(AuditError):
    """A blob is absent, was erased, or its bytes do not match its commitment."""


class ErasedError(BlobError):
    """The content was erased on purpose. A record of the case says under which legal basis, by whom and with whose approval."""


class SealError(AuditError):
    """Content cannot be sealed or opened: the master key is absent, exposed, damaged, or not the one that was used."""


class BundleError(AuditError):
    """An evidence bundle cannot be made: the log has no checkpoint over the case, or a file has a name that may not stand in it."""


class NoteError(AuditError):
    """Text that is no signed note, checkpoint or key, or a signature that does not match it."""


class SignerError(AuditError):
    """A checkpoint was not signed: the tree is smaller than the last one signed or does not continue it, or the memory is lost."""


class PublishError(AuditError):
    """No outside sink acknowledged a checkpoint: what it covers stays pending."""


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


class EpochClosedError(RefusedError):
    """The log's epoch is closed: it takes no further record. Nothing was written.

    Args:
        name: the log, as messages name it.
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The epoch of the log {name} is closed, so that it takes no further record.",
            "Its administrator begins the next one: conformed log migrate --next-epoch.",
        )


class BusyError(StoreError):
    """Another writer held the log for longer than this one waits. Nothing was written; trying again is safe."""


class ConflictError(BusyError):
    """Another writer of the same case was quicker. Nothing was written; `AuditLog.append` tries again by itself."""


class UnsureError(ConflictError):
    """An append counted on what the writer remembers of a case. Nothing was written; it is done again with the case locked.

    `AuditLog.append` does that by itself: nobody else meets this error.
    """


class DiskFullError(StoreError):
    """The disk, or the database's page limit, is full. Nothing of the transaction was kept and the log is valid."""


class CommitError(StoreError):
    """A commit, write or sync failed. Whether the transaction was kept is not known until the log is reopened."""


class ClosedError(StoreError):
    """The log was closed (by its owner or after a failed commit), or was opened by another process."""
