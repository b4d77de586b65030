"""A run's part of the append-only log: every move is written, with the intent of the next step, in one transaction.

Only this module, the replay and the app touch the log. Outputs are blobs that the records name; a record never holds a
document's words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from conformed.engine.canonical import canonical_json
from conformed.engine.history import BEGUN, History, Move, fold
from conformed.engine.log import Identity, Log, ours
from conformed.engine.workflow import STOPPED
from conformed.errors import JournalError, ReplayError
from conformed_audit import Actor, AlreadyRecordedError, Blob, Item, Pins, Record, RecordDraft, commitment
from conformed_audit import Failure as FailureNote
from conformed_audit import Kind as RecordKind

__all__ = ["ENDED", "Begin", "Journal", "Keepsake"]

JSON = "application/json"
ENDED = "Run ended."
"""Note of the record that hands a run to a person."""


@dataclass(frozen=True, slots=True)
class Keepsake:
    """Something that a run keeps from its beginning, so that it can be done again when nothing else is left of it."""

    name: str
    """What it is, in the first record."""
    data: bytes
    """Its bytes."""
    media: str = JSON
    """Media type."""
    public: bool = False
    """Whether it is kept under its plain hash, once for all runs; for nothing that is anybody's secret."""
    beside: tuple[Blob, ...] = ()
    """Blobs that it names."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A step that is about to begin."""

    step: str
    """Its name."""
    attempt: int
    """1 for the first."""
    slots: tuple[str, ...] = ()
    """The slots that it takes; those that hold nothing are passed over."""
    plugins: tuple[str, ...] = ()
    """Name and version of each plugin that does it."""


class Journal:
    """Writes and reads one run.

    Args:
        log: the log.
        identity: who runs what.
        written: told of records after they are on the disk; can neither change nor stop anything.
    """

    def __init__(self, log: Log, identity: Identity, *, written: Callable[[Sequence[Record]], None] | None = None) -> None:
        self._log = log
        self._written = written
        self._identity = identity
        self._actor = Actor(identity.actor, identity.actor_kind)
        self._pins = Pins(engine=identity.engine, contract=identity.contract, policy=identity.contract, plugins=identity.plugins)
        self._began: datetime | None = None
        self._given: dict[str, Item] = {}

    @property
    def identity(self) -> Identity:
        """Who runs what."""
        return self._identity

    @property
    def began(self) -> datetime:
        """When the run's first record was written, UTC.

        Raises:
            JournalError: before the run has begun.
        """
        if self._began is None:
            raise JournalError(f"Run {self._identity.run} has not begun.", "Begin or resume it first.")
        return self._began

    def begin(self, request: bytes, registrations: bytes, first: Begin, kept: Iterable[Keepsake] = ()) -> None:
        """Writes what is asked, every plugin with its digest, what is kept for a replay, and the intent of the first step.

        Raises:
            JournalError: when it cannot be written, or the run is in the log already.
        """
        blobs = {
            "request": self._log.make_blob(request, JSON),
            "registrations": self._log.make_blob(registrations, JSON, public=True),
        }
        further = [(keep.name, self._log.make_blob(keep.data, keep.media, public=keep.public), keep.beside) for keep in kept]
        items = tuple(_item(name, blob) for name, blob in blobs.items())
        items += tuple(_item(name, blob) for name, blob, _beside in further)
        self.begin_with(items, first, [*blobs.values(), *(one for _name, blob, beside in further for one in (blob, *beside))])

    def begin_with(self, items: tuple[Item, ...], first: Begin, blobs: Sequence[Blob] = ()) -> None:
        """Writes the first records of a run whose request, plugins and keepsakes have their names in the log already.

        Raises:
            JournalError: when it cannot be written, or the run is in the log already.
        """
        me, stored = self._identity, [*blobs]
        begun = self._draft(RecordKind.STATE_CHANGED, step=first.step, idem=f"begin {me.run}", input=items, note=BEGUN)
        drafts = [self._draft(RecordKind.CASE_OPENED, run=None, idem="open"), begun, self._intent(first)]
        # Whether the case is open is known only inside the transaction: keys decide, not a look beforehand.
        try:
            written = self._append(drafts, stored)
        except AlreadyRecordedError as opened:
            if opened.kind != RecordKind.CASE_OPENED:
                raise _known(me) from opened
            try:
                written = self._append(drafts[1:], stored)
            except AlreadyRecordedError as problem:
                raise _known(me) from problem
        self._began = datetime.fromisoformat(written[-1].ts)

    def history(self) -> History:
        """What the log says of the run.

        Raises:
            ReplayError: when there is no such run, or engine, contract or plugins are not those with which it began.
            JournalError: when the log cannot be read.
        """
        with ours("read"):
            history = fold(self._log.records(self._identity.case, self._identity.run), self._identity.run)
        for name, now in self._identity.pins.items():
            then = history.pins[name]
            if then != now:
                raise ReplayError(
                    f"Run {self._identity.run} began with {name} {then}; now it is {now}.",
                    "Resume it with what it began with, or begin a new run.",
                )
        self._began = history.began
        return history

    def recall(self, slot: str, commit: str, size: int) -> None:
        """Notes the name in the log of an output that an earlier process recorded."""
        self._given[slot] = Item(slot, commit, size, JSON)

    def read(self, commit: str) -> bytes:
        """The content of a blob.

        Raises:
            JournalError: when it is absent, erased, or not what the log committed to.
        """
        with ours("read"):
            return self._log.get_blob(commit)

    def key(self, begin: Begin) -> str:
        """The idempotency key of an attempt: a digest of case, run, step, attempt and inputs."""
        given = [f"{item.name} {item.commit}" for item in self._inputs(begin)]
        parts = [self._identity.case, self._identity.run, begin.step, str(begin.attempt), *given]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def cross(
        self,
        begin: Begin,
        move: Move,
        state: str,
        following: Begin | None,
        *,
        lost: bool = False,
        last: tuple[bytes, str] | None = None,
    ) -> str:
        """Writes how a step ended, the new state, and the intent of the next step or the end of the run, in one transaction.

        Args:
            begin: the step that ended.
            move: how.
            state: the state that is entered.
            following: the next step, None for the conclusion.
            lost: also write that it is not known how the attempt ended.
            last: with the last step the final record, and the state in which the run ends.

        Returns:
            The name of the final record in the log; empty without one.

        Raises:
            JournalError: when it cannot be written; then the step has not ended, as far as anyone knows.
        """
        key = self.key(begin)
        drafts, blobs = self._outcome(move, key)
        if lost:
            drafts.insert(0, self._lost(begin))
        drafts.append(self._draft(RecordKind.STATE_CHANGED, step=state, note=f"{move.step}: {move.label}"))
        if following is not None:
            drafts.append(self._intent(following))
        if last is None:
            self._move(drafts, blobs)
            return ""
        kept = self._log.make_blob(last[0], JSON)
        self._move([*drafts, self._end(_item("record", kept), last[1])], [*blobs, kept])
        return kept.commit

    def unknown(self, begin: Begin, again: Begin) -> None:
        """Writes that it is not known how an attempt ended, and the intent of the next one.

        Raises:
            JournalError: when it cannot be written.
        """
        self._move([self._lost(begin), self._intent(again)], [])

    def stop(self, begin: Begin, move: Move) -> None:
        """Writes that bad input stops the run.

        Raises:
            JournalError: when it cannot be written.
        """
        drafts, blobs = self._outcome(move, self.key(begin))
        drafts.append(self._draft(RecordKind.STATE_CHANGED, step=STOPPED, note=move.failure.sentence if move.failure else None))
        self._move(drafts, blobs)

    def finish(self, record: bytes, state: str) -> str:
        """Writes the final record and hands the case to a person.

        Returns:
            The name of the final record in the log.

        Raises:
            JournalError: when it cannot be written.
        """
        blob = self._log.make_blob(record, JSON)
        self.end(_item("record", blob), state, (blob,))
        return blob.commit

    def end(self, record: Item, state: str, blobs: Iterable[Blob] = ()) -> None:
        """Writes that the run ended, with its record.

        Raises:
            JournalError: when it cannot be written.
        """
        self._move([self._end(record, state)], [*blobs])

    def _end(self, record: Item, state: str) -> RecordDraft:
        return self._draft(RecordKind.STATE_CHANGED, step=state, output=(record,), note=ENDED)

    def _outcome(self, move: Move, key: str) -> tuple[list[RecordDraft], list[Blob]]:
        measures: dict[str, Any] = {"outcome": move.label, "spent": dict(sorted(move.spent.items()))}
        plain = canonical_json(measures)  # stands in the record itself, so that no blob is kept of it
        noted = Item("move", commitment(plain, None), len(plain), JSON, measures)
        ended: dict[str, Any] = {"step": move.step, "attempt": move.attempt, "idem": key}
        if (failure := move.failure) is not None:
            error = FailureNote(failure.error or "None", failure.code)
            return [self._draft(RecordKind.STEP_FAILED, **ended, output=(noted,), error=error, note=failure.sentence)], []
        blobs = [] if move.commit else [self._log.make_blob(move.data, JSON)]  # one that has a commit is in the log already
        self._given[move.slot] = _item(move.slot, blobs[0]) if blobs else Item(move.slot, move.commit, move.size, JSON)
        return [self._draft(RecordKind.STEP_OUTCOME, **ended, output=(self._given[move.slot], noted))], blobs

    def _lost(self, begin: Begin) -> RecordDraft:
        note, key = "The process ended before the outcome was written.", self.key(begin)
        return self._draft(RecordKind.STEP_UNKNOWN, step=begin.step, attempt=begin.attempt, idem=key, note=note)

    def _intent(self, begin: Begin) -> RecordDraft:
        note = f"By {', '.join(begin.plugins)}." if begin.plugins else None
        key, inputs = self.key(begin), self._inputs(begin)
        return self._draft(RecordKind.STEP_INTENT, step=begin.step, attempt=begin.attempt, idem=key, input=inputs, note=note)

    def _inputs(self, begin: Begin) -> tuple[Item, ...]:
        return tuple(self._given[slot] for slot in begin.slots if slot in self._given)

    def _draft(self, kind: RecordKind, **fields: Any) -> RecordDraft:
        fields.setdefault("run", self._identity.run)
        return RecordDraft(case=self._identity.case, kind=kind, actor=self._actor, pins=self._pins, **fields)

    def _append(self, drafts: list[RecordDraft], blobs: list[Blob]) -> tuple[Record, ...]:
        """Appends, and lets a key that is taken pass as it is: what it means depends on who asked."""
        with ours("written"):
            records = self._log.append(drafts, blobs=blobs)
        if self._written is not None:
            self._written(records)
        return records

    def _move(self, drafts: list[RecordDraft], blobs: list[Blob]) -> None:
        """Appends a move of a run that has begun; a key that is taken means that another process runs it, too."""
        try:
            self._append(drafts, blobs)
        except AlreadyRecordedError as problem:
            raise JournalError("Another process has taken up this run.", "Let it finish: see `conformed log show`.") from problem


def _known(identity: Identity) -> JournalError:
    return JournalError(f"The log has a run {identity.run} already.", "Resume it, or begin one under a new id.")


def _item(name: str, blob: Blob) -> Item:
    return Item(name, blob.commit, len(blob.data), blob.media)
