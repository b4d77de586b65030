"""The log's face: open, append, read. Everything that the engine needs and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

from conformed_audit.appending import Appender
from conformed_audit.blob import Blob, make_blob
from conformed_audit.blobs import Blobs, Opened
from conformed_audit.clock import Clock
from conformed_audit.encode import encode, time_text
from conformed_audit.errors import DraftError, MovedOnError, TamperedError
from conformed_audit.heads import heads_draft, heads_root
from conformed_audit.log_rows import CaseRow, checked
from conformed_audit.log_store import LogStore
from conformed_audit.record import ZERO_LEAF, Kind, Record, RecordDraft
from conformed_audit.sealing import KeyHolder
from conformed_audit.tiles import TileTree
from conformed_audit.where import Where, open_store

__all__ = ["LARGE_WAL", "AuditLog", "CaseRow"]

LARGE_WAL = 256 * 1024 * 1024
"""Bytes of a write-ahead log that are too many: it is emptied every few megabytes, unless a reader never lets go."""
_TAIL = 64


class AuditLog:
    """One append-only log, in one file or one PostgreSQL database. Use `open`, as a context manager; one a thread and process."""

    def __init__(
        self, store: LogStore, origin: str, clock: Clock, entropy: Callable[[int], bytes], keys: KeyHolder | None = None
    ) -> None:
        self._blobs = Blobs(store, keys, entropy)
        self._store, self._origin, self._clock, self._entropy = store, origin, clock, entropy
        self._appender = Appender(store, origin, clock, entropy, self._blobs)

    @classmethod
    def open(
        cls,
        path: Where,
        *,
        origin: str,
        clock: Callable[[], datetime],
        monotonic_ns: Callable[[], int] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        keys: KeyHolder | None = None,
        wait_s: float = 30.0,
        create: bool = True,
    ) -> AuditLog:
        """Opens a log, making it when the file is absent, and checks its tail.

        Args:
            path: the file, whose folder must exist; or the URL of a PostgreSQL database in which the administrator made a log.
            origin: name of the deployment, such as ``bank.example/covenants/prod``. Fixed for the life of the log.
            clock: gives the time now, aware.
            monotonic_ns: a monotonic clock in nanoseconds (``time.monotonic_ns``); with it jumps of the wall clock are
                noticed, without it only steps back.
            entropy: gives n random bytes, for salts and data keys.
            keys: holds the master key; content is then sealed under a data key for each case. None keeps it as it is.
            wait_s: how long an append waits for another writer, in seconds.
            create: whether to make a log that is not there; readers give False.

        Raises:
            StoreError: when the file cannot be used (see `conformed_audit.errors` for the classes).
            TamperedError: when one of the last records does not verify.
            NotCanonicalError: when the clock gives a time without a zone, or the origin cannot be written in a record.
        """
        encode(origin)
        reader = Clock(clock, monotonic_ns)
        store = open_store(path, origin=origin, made_at=reader.read(None).text, wait_s=wait_s, create=create)
        log = cls(store, origin, reader, entropy, keys)
        try:
            log._check_tail()
        except BaseException:
            store.close()
            raise
        return log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. Closing twice does nothing."""
        self._store.close()

    @property
    def origin(self) -> str:
        """The deployment whose log this is."""
        return self._origin

    @property
    def store(self) -> LogStore:
        """The tables, for what stands on the log: checkpoints, proofs, erasure."""
        return self._store

    @property
    def unsaved(self) -> int:
        """Bytes in the write-ahead log beside the file; above `LARGE_WAL` somebody should look why. 0 on PostgreSQL."""
        return self._store.unsaved

    @property
    def conflicts(self) -> int:
        """How often an append was tried again because another writer of the same case was quicker."""
        return self._appender.conflicts

    def tree(self, size: int) -> TileTree:
        """Roots of complete subtrees of the tree over the first ``size`` records, for proofs."""
        return TileTree(self._store.tiles, size)

    def now(self) -> str:
        """The time, as records carry it."""
        return time_text(self._clock.now())

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = (), placed: bool = False) -> tuple[Record, ...]:
        """Writes records, of one case or several, and blobs, in one transaction with one sync: all of it or nothing.

        When this returns, everything is on the disk. All records get the same time.

        Args:
            drafts: the records, in order.
            blobs: content to keep with them (`make_blob`); one that is already there is left as it is.
            placed: give the records their places in the tree at once, on PostgreSQL too, where other writers then wait.

        Returns:
            The records as written, one a draft.

        Raises:
            AlreadyRecordedError: a draft's case already holds its kind under its idempotency key.
            DraftError, NotCanonicalError: a draft may not be written as it stands.
            DiskFullError, BusyError, RefusedError: the database could not take it. In all these cases nothing was kept.
            CommitError: whether it was kept is not known; the log is closed, reopen it.
        """
        if not drafts and not blobs:
            raise DraftError("There is nothing to append.", "Give at least one record or blob.")
        keys = [(draft.case, draft.idem, draft.kind) for draft in drafts]
        return self._appender.append(lambda: drafts, blobs, keys, ordered=placed)

    def append_after(
        self, case: str, head: str | None, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()
    ) -> tuple[Record, ...]:
        """As `append`, if the case still ends where the caller read it: what was decided on its records still holds.

        Args:
            case: the case on whose records it was decided.
            head: leaf of its last record, hex; None for a case without records.
            drafts: the records, in order; one of them at least is the case's own, so that its head is locked.
            blobs: content to keep with them.

        Raises:
            MovedOnError: when the case has a newer record. Nothing was written.
            As `append`.
        """

        def checked() -> Sequence[RecordDraft]:
            last = self._store.head(case)
            if (None if last is None else last.leaf.hex()) != head:
                raise MovedOnError(case)
            return drafts

        if all(draft.case != case for draft in drafts):
            raise DraftError("None of the records is of the case whose end is to be checked.", "Use append.")
        return self._appender.append(checked, blobs, [(draft.case, draft.idem, draft.kind) for draft in drafts], sure=True)

    def append_heads(self) -> tuple[Record, bytes]:
        """Writes the ``log.heads`` record of this moment: the heads of all cases as they stand just before it, as one root.

        Every record that is committed by then has its place before it, on PostgreSQL too.

        Raises:
            As `append`.
        """
        roots: list[bytes] = []

        def drafts() -> Sequence[RecordDraft]:
            rows = list(self._store.states())
            roots.append(heads_root((row.case, row.cseq, row.head) for row in rows))
            return (heads_draft(roots[-1], len(rows)),)

        return self._appender.append(drafts, (), (("_log", None, Kind.LOG_HEADS),), ordered=True)[-1], roots[-1]

    def place(self) -> int:
        """Gives committed records their places in the tree, where they have none yet (`conformed_audit.log_store.UNPLACED`).

        Reading the log in its order, and making a checkpoint, do it by themselves.

        Returns:
            How many records got their place; always 0 for a file, whose records have it at once.
        """
        return self._store.place()

    def records(self, case: str | None = None, run: str | None = None, kind: str | None = None) -> Iterator[Record]:
        """Records in the order of the log, of all cases or one, each checked against its hash as it is read.

        Args:
            case: only this case.
            run: only this run.
            kind: only this kind.

        Raises:
            TamperedError: for a record that is not what was written.
        """
        for record in self._all() if case is None else self._case(case):
            if (run is None or record.run == run) and (kind is None or record.kind == kind):
                yield record

    def records_from(self, first: int) -> Iterator[Record]:
        """Records of all cases from a place in the log on, each checked against its hash.

        Raises:
            TamperedError: for a record that is not what was written.
        """
        return map(checked, self._store.events(first=first))

    def find(self, case: str, idem: str, kind: str) -> Record | None:
        """The record of a case with this idempotency key and kind.

        Raises:
            TamperedError: when it is not what was written.
        """
        cseq = self._store.find(case, idem, kind)
        return None if cseq is None else self._one(case, cseq)

    def head(self, case: str) -> Record | None:
        """The last record of a case; None when there is none.

        Raises:
            TamperedError: when it is not what was written.
        """
        head = self._store.head(case)
        return None if head is None else self._one(case, head.cseq)

    def cases(self) -> tuple[CaseRow, ...]:
        """Every case, sorted by name, the log's own (``_log``...) included."""
        return tuple(CaseRow(row.case, row.state, row.cseq, row.head.hex(), row.contract) for row in self._store.states())

    def make_blob(self, data: bytes, media: str, *, public: bool = False) -> Blob:
        """Commits to some content, without storing it: for `append`, with the record that names it."""
        return make_blob(data, media, public=public, entropy=self._entropy)

    def put_blob(self, data: bytes, media: str, *, public: bool = False) -> str:
        """Stores some content in its own transaction and returns its commitment (``sha256:...``)."""
        blob = self.make_blob(data, media, public=public)
        self.append((), blobs=(blob,))
        return blob.commit

    def get_blob(self, commit: str) -> bytes:
        """The content behind a commitment, checked against it.

        Raises:
            ErasedError: when it was erased.
            BlobError: when it is not there, or does not match.
            SealError: when it is sealed and does not open.
        """
        return self._blobs.open(commit).data

    def open_blob(self, commit: str) -> Opened:
        """The content behind a commitment with the salt, for somebody who is to check the commitment.

        Raises:
            As `get_blob`.
        """
        return self._blobs.open(commit)

    def _one(self, case: str, cseq: int) -> Record:
        return checked(next(self._store.case_events(case, first=cseq)))

    def _all(self) -> Iterator[Record]:
        """All records in the order of the log, those without a place last."""
        first = 0
        for record in map(checked, self._store.events()):
            yield record
            first = record.idx + 1
        yield from map(checked, self._store.pending(first=first))

    def _case(self, case: str) -> Iterator[Record]:
        """The records of a case, with the chain followed from the first."""
        prev = ZERO_LEAF.hex()
        for cseq, record in enumerate(map(checked, self._store.case_events(case))):
            if (record.case, record.cseq, record.prev) != (case, cseq, prev):
                raise TamperedError(f"Record {record.idx} does not follow the one before it in case {case!a}.", "Verify the log.")
            prev = record.leaf
            yield record

    def _check_tail(self) -> None:
        """Re-hashes the last records: after a failed sync or a crash this is what tells what was kept."""
        tail = self._store.tail()
        for row in self._store.events(first=0 if tail is None else max(0, tail[0] + 1 - _TAIL)):
            checked(row)
