"""One append: what is chained to what, inside one transaction; and trying again when another writer was quicker."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count, repeat

from conformed_audit.blob import Blob
from conformed_audit.blobs import Blobs
from conformed_audit.body import make_record
from conformed_audit.clock import Clock, Reading, Step
from conformed_audit.errors import AlreadyRecordedError, ConflictError, UnsureError
from conformed_audit.log_rows import stepped
from conformed_audit.log_store import UNPLACED, Key, LogStore, StateRow
from conformed_audit.record import ZERO_LEAF, Kind, Record, RecordDraft

__all__ = ["Appender"]

_TRIES = 8
_PAUSE_S = 0.004


class Appender:
    """Appends to one log.

    Args:
        store: its tables.
        origin: the deployment whose log it is.
        clock: reads the time.
        entropy: gives n random bytes.
        blobs: keeps content.
    """

    def __init__(self, store: LogStore, origin: str, clock: Clock, entropy: Callable[[int], bytes], blobs: Blobs) -> None:
        self._store, self._origin, self._clock, self._entropy, self._blobs = store, origin, clock, entropy, blobs
        self.conflicts = 0
        """How often it was tried again."""
        self.also: Callable[[str], None] | None = None
        """What else is done in each transaction before its records, at their time; erasure is."""
        self._step: Step | None = None

    def append(
        self,
        drafts: Callable[[], Sequence[RecordDraft]],
        blobs: Sequence[Blob],
        keys: Sequence[Key],
        *,
        ordered: bool = False,
        sure: bool = False,
    ) -> tuple[Record, ...]:
        """Appends; when another writer was quicker, reads again and tries again, after a pause that differs between writers.

        Args:
            drafts: gives the records, inside the transaction.
            blobs: content to keep with them.
            keys: case, idempotency key and kind of each record.
            ordered: give the records their places in the tree at once.
            sure: ``drafts`` decides by what it reads, so that the cases are locked first.

        Raises:
            As `conformed_audit.log.AuditLog.append`.
        """
        if not (ordered or sure or self.also):
            try:
                return self._once(drafts, blobs, keys, guess=True)
            except ConflictError as quicker:  # a store that remembers nothing locks, and may lose to another writer as ever
                self.conflicts += not isinstance(quicker, UnsureError)
        for wait in range(_TRIES):
            try:
                return self._once(drafts, blobs, keys, ordered=ordered)
            except ConflictError:
                self.conflicts += 1
                if wait == _TRIES - 1:
                    raise
                time.sleep(_PAUSE_S * (1 << wait) * (1 + self._entropy(32)[-1] / 255))
        raise AssertionError

    def _once(
        self,
        drafts: Callable[[], Sequence[RecordDraft]],
        blobs: Sequence[Blob],
        keys: Sequence[Key],
        *,
        ordered: bool = False,
        guess: bool = False,
    ) -> tuple[Record, ...]:
        store = self._store
        with store.write(keys, ordered=ordered, guess=guess):
            first, last_ts = store.start()
            places = repeat(UNPLACED) if first == UNPLACED else count(first)
            reading = self._clock.read(last_ts)
            self._step = reading.step or self._step  # a jump is noticed once: the attempt that succeeds records it
            self._blobs.keep(blobs, [case for case, _, _ in keys])
            if self.also is not None:
                self.also(reading.text)
            if self._step is not None:
                self._add(stepped(Reading(reading.text, self._step)), next(places), reading.text)
            records = tuple(self._add(draft, idx, reading.text) for draft, idx in zip(drafts(), places, strict=False))
        self._step = None
        return records

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
