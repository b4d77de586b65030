"""The state machine: runs a workflow step by step, and writes every move to the journal before the next one begins.

It knows nothing of what the steps are about. Whatever a step does wrong ends as a failure with a reason code; the final record is
put together from what is known and handed to a person. Only three things leave the machine as exceptions: a journal that
cannot be written (the log is the truth: no log, no run), a final record that cannot be put together, and bad input of
which a step declared that it stops the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from conformed.engine.attempt import Attempt, Result
from conformed.engine.canonical import canonical_bytes, canonical_json
from conformed.engine.context import Conclusion, Inputs, Meter, StepContext
from conformed.engine.deadline import within
from conformed.engine.history import Move
from conformed.engine.journal import Begin, Journal, Keepsake
from conformed.engine.workflow import CONCLUDE, ERROR, Failure, Kind, StepSpec, Workflow
from conformed.errors import JournalError, PolicyError, ReplayError, StepError

__all__ = ["Ended", "Machine", "Progress", "begin_of"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One event for whoever watches a run."""

    step: str
    """Name of the step."""
    event: str
    """``begun``, an outcome (accept, review, error), or ``kept`` for a step that an earlier process had finished."""
    number: int
    """1-based place of the step."""
    total: int
    """Number of steps."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that ended."""

    run: str
    """Run id."""
    record: BaseModel
    """The final record."""
    commit: str
    """Its name in the log."""
    failures: tuple[Failure, ...]
    """Steps that failed."""


class Machine:
    """Runs one workflow once.

    Args:
        workflow: the steps.
        journal: the run's part of the log.
        monotonic: seconds that only go up; for time limits, never for the record.
        progress: called at each event, between the writing of two moves.

    Raises:
        PolicyError: when the journal pins another contract than the workflow's.
    """

    def __init__(
        self,
        workflow: Workflow,
        journal: Journal,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        if journal.identity.contract != workflow.digest:
            raise PolicyError("The journal pins another contract than the one that is to be run.", "Pin the workflow's digest.")
        self._workflow = workflow
        self._journal = journal
        self._monotonic = monotonic
        self._progress = progress
        self._held: dict[str, BaseModel] = {}
        self._failures: list[Failure] = []
        self._meter = Meter(workflow.limits.counters)
        self._worked_ms = 0
        self._concluded: tuple[BaseModel, str] | None = None
        self._request: BaseModel

    def begin(self, request: BaseModel, registrations: Mapping[str, object], kept: Iterable[Keepsake] = ()) -> Ended:
        """Starts a run and carries it to its end.

        Args:
            request: what is asked; recorded, and handed to the conclusion.
            registrations: every plugin with version and digest; named by the first record of the run.
            kept: what is kept with that record, for a replay.

        Raises:
            JournalError: when the log cannot be written.
            StepError: when the final record cannot be put together.
            ConformedError: bad input of which a step says that it stops the run.
        """
        self._request = request
        first = self._workflow.steps[0]
        self._journal.begin(canonical_bytes(request), canonical_json(registrations), begin_of(first, 1), kept)
        return self._go(first.name, 1)

    def resume(self, request: type[BaseModel]) -> Ended:
        """Takes up a run where the log leaves it. Steps with an outcome are read back and never run again.

        Args:
            request: the type of what was asked.

        Raises:
            ReplayError: when log and workflow do not fit, or the run was stopped.
            JournalError, StepError, ConformedError: as begin.
        """
        history = self._journal.history()
        if history.stopped:
            raise ReplayError(f"Run {history.run} was stopped. {history.stopped}", "Mend the input and begin a new run.")
        self._request = self._load(request, history.request)
        state = self._workflow.steps[0].name
        for move in history.moves:
            if move.step != state:
                raise ReplayError(
                    f"The log of run {history.run} has step {move.step} where the contract has {state}.",
                    "Resume it with the version that began it, or begin a new run.",
                )
            self._take(move)
            self._tell(state, "kept")
            state = self._after(move)
        if history.record:
            return self._ended(self._load(self._workflow.record, history.record), history.record)
        if state == CONCLUDE:
            return self._conclude()
        if history.pending is None or history.pending[0] != state:
            raise ReplayError(f"The log of run {history.run} does not begin step {state}.", "Verify the log.")
        return self._again(self._workflow.step(state), history.pending[1])

    def _again(self, step: StepSpec, attempt: int) -> Ended:
        """What to do with a step that was begun and has no outcome."""
        if step.kind is Kind.PURE:
            return self._go(step.name, attempt)
        if step.kind is Kind.EFFECT:
            found = self._ask(step, attempt)
            if found is not None:
                known = found
                move = self._move(step, attempt, self._attempt(step, attempt).make(lambda _inputs, _context: known))
                return self._go(self._settle(step, attempt, move), 1)
            sentence = f"It is not known whether the step {step.name} took effect: ask whoever it acts on, by its key in the log."
        elif attempt < self._workflow.limits.attempts:
            self._journal.unknown(begin_of(step, attempt), begin_of(step, attempt + 1))
            return self._go(step.name, attempt + 1)
        else:
            sentence = f"The step {step.name} was cut off {attempt} times and is not begun again."
        failure = Failure(step.name, "review_step_failed", sentence, attempt=attempt)
        move = Move(step.name, attempt, ERROR, failure=failure, spent=self._spent())
        return self._go(self._settle(step, attempt, move, lost=True), 1)

    def _ask(self, step: StepSpec, attempt: int) -> BaseModel | None:
        """Asks the receiver of an effect whether it was done."""
        ask, key = step.ask, self._journal.key(begin_of(step, attempt))
        if ask is None:
            return None
        try:
            return within(step.limit_ms / 1000, lambda: ask(key))
        except Exception:  # noqa: BLE001 - a receiver that fails to answer has not told, and a person is asked
            return None

    def _go(self, state: str, attempt: int) -> Ended:
        while state != CONCLUDE:
            step = self._workflow.step(state)
            self._tell(state, "begun")
            result = self._attempt(step, attempt).make(step.run)
            move = self._move(step, attempt, result)
            if result.stop is not None:
                self._journal.stop(begin_of(step, attempt), move)
                raise result.stop
            state, attempt = self._settle(step, attempt, move), 1
        return self._conclude()

    def _attempt(self, step: StepSpec, attempt: int) -> Attempt:
        key = self._journal.key(begin_of(step, attempt))
        me = self._journal.identity
        context = StepContext(
            me.case, me.run, step.name, attempt, key, self._journal.began, self._request, tuple(self._failures), self._meter
        )
        inputs = Inputs(self._held, (*step.needs, *step.uses))
        return Attempt(step, inputs, context, self._workflow.limits.wall_ms - self._worked_ms, self._monotonic)

    def _move(self, step: StepSpec, attempt: int, result: Result) -> Move:
        self._worked_ms += result.took_ms
        failure, label = result.failure, result.label
        if failure is None and label not in self._workflow.leads(step):
            sentence = f"Step {step.name} ended in a way that the contract does not name."
            failure, label = Failure(step.name, "review_step_malformed", sentence, attempt=attempt), ERROR
        if failure is not None:
            return Move(step.name, attempt, label, failure=failure, spent=self._spent())
        return Move(step.name, attempt, label, step.gives.name, data=result.data, output=result.output, spent=self._spent())

    def _settle(self, step: StepSpec, attempt: int, move: Move, *, lost: bool = False) -> str:
        """Writes a move, and only then lets it count. Returns the next state.

        The last move goes with the final record, in one transaction. A record that cannot be put together does not keep the
        move from being written: `_conclude` then tries once more, and says so.
        """
        state = self._after(move)
        following = None if state == CONCLUDE else begin_of(self._workflow.step(state), 1)
        last = self._last(move) if state == CONCLUDE else None
        end = None if last is None else (last[1], self._workflow.final)
        commit = self._journal.cross(begin_of(step, attempt), move, state, following, lost=lost, last=end)
        if last is not None:
            self._concluded = last[0], commit
        self._take(move)
        self._tell(step.name, move.label)
        return state

    def _take(self, move: Move) -> None:
        """Holds what a step gave, or notes that it failed, and what the run has spent by then."""
        self._worked_ms = move.spent.get("wall_ms", 0)
        self._meter = Meter(
            self._workflow.limits.counters, {name: count for name, count in move.spent.items() if name != "wall_ms"}
        )
        if move.failure is not None:
            self._failures.append(move.failure)
        elif move.output is not None:
            self._held[move.slot] = move.output
        else:
            self._journal.recall(move.slot, move.commit, move.size)
            self._held[move.slot] = self._load(self._workflow.step(move.step).gives.type, move.commit)

    def _after(self, move: Move) -> str:
        if move.failure is not None and move.failure.code == "review_budget_exceeded":
            return CONCLUDE  # nothing is left to spend on further steps
        leads = self._workflow.leads(self._workflow.step(move.step))
        if move.label not in leads:
            raise ReplayError(
                f"The log gives step {move.step} the outcome {move.label}, which the contract does not name.", "Verify the log."
            )
        return leads[move.label]

    def _last(self, move: Move) -> tuple[BaseModel, bytes] | None:
        """The final record as it will be once a move counts, with its bytes; None where it cannot be put together."""
        held, failures = self._held, self._failures
        if move.failure is not None:
            failures = [*failures, move.failure]
        elif move.output is not None:
            held = {**held, move.slot: move.output}
        try:
            return self._record(held, failures)
        except Exception:  # noqa: BLE001 - `_conclude` meets it again once the move is written, and raises it as ours
            return None

    def _record(self, held: Mapping[str, BaseModel], failures: Sequence[Failure]) -> tuple[BaseModel, bytes]:
        run = self._journal.identity.run
        record = self._workflow.conclude(Conclusion(run, self._request, dict(held), tuple(failures)))
        return record, canonical_bytes(record)

    def _conclude(self) -> Ended:
        if self._concluded is not None:
            return self._ended(*self._concluded)
        run = self._journal.identity.run
        try:
            record, data = self._record(self._held, self._failures)
        except Exception as problem:
            raise StepError(
                f"The record of run {run} could not be put together ({type(problem).__name__}).",
                "Its steps are in the log: mend the program and resume the run.",
            ) from problem
        return self._ended(record, self._journal.finish(data, self._workflow.final))

    def _ended(self, record: BaseModel, commit: str) -> Ended:
        return Ended(self._journal.identity.run, record, commit, tuple(self._failures))

    def _spent(self) -> dict[str, int]:
        return {"wall_ms": self._worked_ms, **self._meter.spent}

    def _tell(self, step: str, event: str) -> None:
        names = self._workflow.names
        if self._progress is not None:
            self._progress(Progress(step, event, names.index(step) + 1, len(names)))

    def _load(self, kind: type[BaseModel], commit: str) -> BaseModel:
        data = self._journal.read(commit)
        try:
            return kind.model_validate_json(data)
        except ValidationError:
            raise JournalError(
                f"The blob {commit} of run {self._journal.identity.run} is no {kind.__name__}.", "Verify the log."
            ) from None


def begin_of(step: StepSpec, attempt: int) -> Begin:
    """An attempt of a step, as the journal notes its beginning."""
    return Begin(step.name, attempt, tuple(slot.name for slot in (*step.needs, *step.uses)), step.plugins)


def _counts(spent: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in spent.items() if name != "wall_ms"}
