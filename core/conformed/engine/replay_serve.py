"""L3: the orchestrator is served the recorded answers, and everything that it would write is compared with what was written.

Nothing is worked again and nothing is written. The state machine itself decides which step follows, which inputs it takes,
under which key and with which pins: each of its records is held against the next record of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from conformed.engine.history import BEGUN, History, Move
from conformed.engine.journal import ENDED, Journal
from conformed.engine.log import Identity
from conformed.engine.machine import Machine, begin_of
from conformed.engine.replay import Divergence, DivergenceClass, Level, LevelResult, Severity, shown
from conformed.engine.workflow import CONCLUDE, Workflow
from conformed.errors import ReplayError
from conformed_audit import Blob, Item, Kind, Record, RecordDraft
from conformed_audit import make_blob as blob_of

__all__ = ["serve"]

_SEQUENCE = frozenset({Kind.STEP_INTENT, Kind.STEP_OUTCOME, Kind.STEP_FAILED, Kind.STATE_CHANGED})
_JSON = "application/json"


def serve(
    workflow: Workflow, identity: Identity, history: History, records: Sequence[Record]
) -> tuple[LevelResult, list[Divergence]]:
    """Serves a run to the orchestrator.

    Args:
        workflow: the steps as the contract has them; none of their code is called.
        identity: the run, with the pins that it began with.
        history: the fold over its records.
        records: its records in order.

    Returns:
        The result, and the divergences in the order in which they were met.
    """
    comparing = _Comparing(_course(records))
    journal = Journal(comparing, identity)
    try:
        _Served(workflow, journal, history).play(records[0])
        comparing.finish()
    except _Parted:
        pass
    except ReplayError as problem:  # an outcome that the contract does not name
        comparing.add(comparing.last, DivergenceClass.STEPS_DIFFER, problem.found, "not named by the contract", "outcome")
    status: Literal["same", "differs"] = "differs" if comparing.found else "same"
    sentence = f"{comparing.compared} records are those that the orchestrator writes today."
    if comparing.found:
        sentence = f"The first of {comparing.compared} records compared that differs is in step {comparing.found[0].step}."
    return LevelResult(level=Level.L3, status=status, compared=comparing.compared, sentence=sentence), comparing.found


class _Parted(Exception):  # noqa: N818 - a signal inside this module: the two sequences have nothing more in common
    pass


@dataclass(frozen=True, slots=True)
class _Expected:
    record: Record
    attempt: int
    """The attempt as a run that was not cut off would count it."""


def _course(records: Sequence[Record]) -> list[_Expected]:
    """The records of the course of a run: without what was cut off and taken up again, and without what followed its end."""
    kept: list[_Expected] = []
    lost = {(r.step, r.attempt) for r in records if r.kind == Kind.STEP_UNKNOWN}
    failed = {(r.step, r.attempt) for r in records if r.kind == Kind.STEP_FAILED}
    ended = False
    for record in records:
        if (
            ended
            or record.kind not in _SEQUENCE
            or (record.kind == Kind.STATE_CHANGED and record.note != BEGUN and _aside(record))
        ):
            continue
        if (record.step, record.attempt) in lost - failed and record.kind == Kind.STEP_INTENT:
            continue
        kept.append(_Expected(record, 1 if record.attempt else 0))
        ended = record.kind == Kind.STATE_CHANGED and record.note == ENDED
    return kept


def _aside(record: Record) -> bool:
    """A change of state that a person made, not the machine."""
    return bool(record.input)


@dataclass
class _Comparing:
    """A log that takes what is to be written, and compares it with what was written."""

    expected: list[_Expected]
    compared: int = 0
    found: list[Divergence] = field(default_factory=list)

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:  # noqa: ARG002 - nothing is stored
        """Compares drafts with the next records of the run."""
        written = []
        for draft in drafts:
            if draft.run is None:
                continue  # the case is opened once, whichever run does it
            if self.compared >= len(self.expected):
                self.part(draft.step or "", "nothing more", f"{draft.kind} {draft.step}")
            expected = self.expected[self.compared]
            self.compared += 1
            self._compare(draft, expected)
            written.append(expected.record)
        return tuple(written)

    def records(self, case: str | None = None, run: str | None = None) -> Iterator[Record]:
        """The records of the run."""
        return iter([one.record for one in self.expected if case in {None, one.record.case} and run in {None, one.record.run}])

    def make_blob(self, data: bytes, media: str, *, public: bool = False) -> Blob:  # noqa: ARG002 - nor kept
        """Commits to the little that stands in the records themselves."""
        return blob_of(data, media, public=True)

    def get_blob(self, commit: str) -> bytes:
        """Nothing is read while answers are served."""
        raise ReplayError(f"The blob {commit} was asked for while answers were served.")

    def part(self, step: str, recorded: str, now: str) -> None:
        """Notes a step that is not the recorded one, and ends the comparison."""
        self.add(step, DivergenceClass.STEPS_DIFFER, recorded, now, "step")
        raise _Parted

    def finish(self) -> None:
        """Notes records that the orchestrator would no longer write."""
        if self.compared < len(self.expected):
            left = self.expected[self.compared].record
            self.add(left.step or "", DivergenceClass.STEPS_DIFFER, f"{left.kind} {left.step}", "nothing more", "step")

    def _compare(self, draft: RecordDraft, expected: _Expected) -> None:
        record = expected.record
        step = draft.step or ""
        if (record.kind, record.step) != (str(draft.kind), draft.step):
            self.part(record.step or step, f"{record.kind} {record.step}", f"{draft.kind} {draft.step}")
        if record.pins.contract != draft.pins.contract or record.pins.policy != draft.pins.policy:
            pinned = record.pins.contract or ""
            self.add(step, DivergenceClass.POLICY_DIFFERS, pinned, draft.pins.contract or "", "pins.contract")
        if (record.pins.engine, record.pins.plugins) != (draft.pins.engine, draft.pins.plugins):
            pins = f"{record.pins.engine} {record.pins.plugins}"
            self.add(step, DivergenceClass.PIN_DIFFERS, pins, f"{draft.pins.engine} {draft.pins.plugins}", "pins")
        if record.kind == Kind.STEP_INTENT and record.note != draft.note:
            self.add(step, DivergenceClass.PIN_DIFFERS, record.note or "no plugin", draft.note or "no plugin", "plugins")
        self._items(step, record.input, draft.input)
        if record.kind == Kind.STATE_CHANGED and record.note != draft.note:
            self.add(step, DivergenceClass.STEPS_DIFFER, record.note or "", draft.note or "", "state")
        if record.attempt == draft.attempt and record.idem != draft.idem:
            self.add(step, DivergenceClass.INPUT_DIFFERS, record.idem or "", draft.idem or "", "key")

    def _items(self, step: str, recorded: Sequence[Item], now: Sequence[Item]) -> None:
        """Inputs by name and commitment: those of an intent are outputs of the steps before it."""
        left, right = ({one.name: f"{one.commit} {one.bytes}" for one in some} for some in (recorded, now))
        for name in (*left, *(name for name in right if name not in left)):
            if left.get(name) != right.get(name):
                self.add(step, DivergenceClass.INPUT_DIFFERS, left.get(name, "absent"), right.get(name, "absent"), name)
                return

    @property
    def last(self) -> str:
        """Step of the record that was compared last."""
        return self.expected[self.compared - 1].record.step or "" if self.compared else ""

    def add(self, step: str, kind: DivergenceClass, recorded: str, now: str, where: str) -> None:
        """Notes a divergence."""
        severity: Severity = "high" if kind in {DivergenceClass.STEPS_DIFFER, DivergenceClass.INPUT_DIFFERS} else "low"
        self.found.append(
            Divergence(
                level=Level.L3, step=shown(step), kind=kind, severity=severity, recorded=shown(recorded), now=shown(now),
                where=shown(where),
            )
        )  # fmt: skip


class _Served(Machine):
    """The state machine with recorded answers in the place of its steps' code."""

    def __init__(self, workflow: Workflow, journal: Journal, history: History) -> None:
        super().__init__(workflow, journal)
        self._history = history
        self._moves = {move.step: move for move in history.moves}

    def play(self, begun: Record) -> None:
        """Goes through the run as it would be gone through today."""
        state = self._workflow.steps[0].name
        self._journal.begin_with(begun.input, begin_of(self._workflow.step(state), 1))
        while state != CONCLUDE:
            move = self._moves.get(state)
            if move is None:
                return  # begun, and without a recorded end: the run stopped there
            begin, move = begin_of(self._workflow.step(state), 1), replace(move, attempt=1)
            if self._history.stopped and move.step == self._history.moves[-1].step:
                self._journal.stop(begin, move)
                return
            state = self._settle(self._workflow.step(state), 1, move)
        if self._history.record:
            self._journal.end(Item("record", self._history.record, 0, _JSON), self._workflow.final)

    def _last(self, move: Move) -> None:
        """Nothing is concluded: the recorded record is served, too."""

    def _take(self, move: Move) -> None:
        """Nothing is held: what a step gave goes on by its name in the log, which `Journal.cross` has noted."""
