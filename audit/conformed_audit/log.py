"""The log's face: open, append, read. Everything that the engine needs and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from conformed_audit.blob import Blob, commitment, make_blob
from conformed_audit.body import make_record, parse_record
from conformed_audit.clock import Clock, Reading
from conformed_audit.encode import encode
from conformed_audit.errors import AlreadyRecordedError, BlobError, DraftError, NotCanonicalError, TamperedError
from conformed_audit.merkle import leaf_hash
from conformed_audit.record import ZERO_LEAF, Actor, Item, Kind, Record, RecordDraft
from conformed_audit.store import EventRow, StateRow, Store

__all__ = ["AuditLog", "CaseRow"]

_LOG_ACTOR = Actor(id="log", kind="log")
_TAIL = 64


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


class AuditLog:
    """One append-only log in one file. Use `open`, as a context manager; one object per thread and process."""

    def __init__(self, store: Store, origin: str, clock: Clock, entropy: Callable[[int], bytes]) -> None:
        self._store, self._origin, self._clock, self._entropy = store, origin, clock, entropy

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        origin: str,
        clock: Callable[[], datetime],
        monotonic_ns: Callable[[], int] | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
        wait_s: float = 30.0,
        create: bool = True,
    ) -> AuditLog:
        """Opens a log, making it when the file is absent, and checks its tail.

        Args:
            path: the file; its folder must exist.
            origin: name of the deployment, such as ``bank.example/covenants/prod``. Fixed for the life of the log.
            clock: gives the time now, aware.
            monotonic_ns: a monotonic clock in nanoseconds (``time.monotonic_ns``); with it jumps of the wall clock are
                noticed, without it only steps back.
            entropy: gives n random bytes, for salts.
            wait_s: how long an append waits for another writer, in seconds.
            create: whether to make a log that is not there; readers give False.

        Raises:
            StoreError: when the file cannot be used (see `conformed_audit.errors` for the classes).
            TamperedError: when one of the last records does not verify.
            NotCanonicalError: when the clock gives a time without a zone, or the origin cannot be written in a record.
        """
        encode(origin)
        reader = Clock(clock, monotonic_ns)
        store = Store.open(Path(path), origin=origin, made_at=reader.read(None).text, wait_s=wait_s, create=create)
        log = cls(store, origin, reader, entropy)
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

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:
        """Writes records, of one case or several, and blobs, in one transaction with one sync: all of it or nothing.

        When this returns, everything is on the disk. All records get the same time.

        Args:
            drafts: the records, in order.
            blobs: content to keep with them (`make_blob`); one that is already there is left as it is.

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
        store = self._store
        with store.write():
            tail = store.tail()
            idx = 0 if tail is None else tail[0] + 1
            reading = self._clock.read(None if tail is None else tail[1])
            for blob in blobs:
                store.add_blob(blob)
            if reading.step is not None:
                self._add(_stepped(reading), idx, reading.text)
                idx += 1
            return tuple(self._add(draft, at, reading.text) for at, draft in enumerate(drafts, idx))

    def records(self, case: str | None = None, run: str | None = None, kind: str | None = None) -> Iterator[Record]:
        """Records in the order of the log, of all cases or one, each checked against its hash as it is read.

        Args:
            case: only this case.
            run: only this run.
            kind: only this kind.

        Raises:
            TamperedError: for a record that is not what was written.
        """
        for record in map(_checked, self._store.events()) if case is None else self._case(case):
            if (run is None or record.run == run) and (kind is None or record.kind == kind):
                yield record

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
            BlobError: when it is not there, was erased, or does not match.
        """
        row = self._store.blob(commit)
        if row is None:
            raise BlobError(f"No blob {commit!a} is kept in this log.")
        if row.data is None:
            raise BlobError(
                f"The blob {commit} was erased{f' at {row.erased_at}' if row.erased_at else ''}.", "Its record says why."
            )
        if commitment(row.data, row.salt) != commit:
            raise BlobError(f"The blob {commit} does not match its commitment: it was changed.", "Verify the log.")
        return row.data

    def _add(self, draft: RecordDraft, idx: int, ts: str) -> Record:
        store = self._store
        if draft.idem is not None and (there := store.find(draft.case, draft.idem, draft.kind)) is not None:
            raise AlreadyRecordedError(draft.case, draft.idem, draft.kind, there)
        head = store.head(draft.case)
        cseq, prev = (0, ZERO_LEAF) if head is None else (head.cseq + 1, head.leaf)
        record = make_record(draft, idx=idx, log=self._origin, cseq=cseq, prev=prev, ts=ts)
        leaf = bytes.fromhex(record.leaf)
        store.add_event(idx, (record.case, cseq, record.kind, ts, record.actor.id, record.idem, record.body, leaf, prev))
        state = record.step if record.kind == Kind.STATE_CHANGED else None
        store.set_state(StateRow(record.case, state, cseq, leaf, record.pins.contract))
        return record

    def _one(self, case: str, cseq: int) -> Record:
        return _checked(next(self._store.case_events(case, first=cseq)))

    def _case(self, case: str) -> Iterator[Record]:
        """The records of a case, with the chain followed from the first."""
        prev = ZERO_LEAF.hex()
        for cseq, record in enumerate(map(_checked, self._store.case_events(case))):
            if (record.case, record.cseq, record.prev) != (case, cseq, prev):
                raise TamperedError(f"Record {record.idx} does not follow the one before it in case {case!a}.", "Verify the log.")
            prev = record.leaf
            yield record

    def _check_tail(self) -> None:
        """Re-hashes the last records: after a failed sync or a crash this is what tells what was kept."""
        tail = self._store.tail()
        for row in self._store.events(first=0 if tail is None else max(0, tail[0] + 1 - _TAIL)):
            _checked(row)


def _stepped(reading: Reading) -> RecordDraft:
    step = reading.step
    assert step is not None
    detail = encode({"before": step.before, "cause": step.cause, "now": reading.text})
    item = Item("step", commitment(detail, None), len(detail), "application/json", {"before": step.before, "cause": step.cause})
    return RecordDraft(case="_log", kind=Kind.CLOCK_STEPPED, actor=_LOG_ACTOR, output=(item,))


def _checked(row: EventRow) -> Record:
    where = "A record" if row.idx is None else f"Record {row.idx}"
    if row.idx is None or not isinstance(row.body, bytes):
        raise TamperedError(f"{where} of the log is only half there: something was removed.", "Verify the log.")
    if leaf_hash(row.body) != row.leaf:
        raise TamperedError(f"{where} of the log does not match its hash: it was changed.", "Verify the log.")
    try:
        return parse_record(row.idx, row.body)
    except NotCanonicalError as problem:
        raise TamperedError(f"{where} of the log is not what a log writes: {problem}", "Verify the log.") from problem
