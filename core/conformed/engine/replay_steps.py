"""L2: each pure step is done again from its recorded inputs, and what it gives is compared byte for byte.

Beside it the run is done again as a whole with what comes out today, where anything differs: only that tells whether the decision
would be the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ValidationError

from conformed.engine.attempt import Attempt, Result
from conformed.engine.canonical import canonical_bytes, digest_of
from conformed.engine.context import Conclusion, Inputs, Meter, StepContext
from conformed.engine.history import History, Move
from conformed.engine.replay import Divergence, DivergenceClass, Level, LevelResult, Severity, difference, shown
from conformed.engine.workflow import CONCLUDE, Failure, Kind, StepSpec, Workflow
from conformed.errors import JournalError

__all__ = ["Again", "Steps"]

_PATIENCE = 10
"""How many times its limit a step may take when it is done again: a busy machine is no divergence."""
_OF_THE_CLOCK = frozenset({"review_step_timeout", "review_budget_exceeded"})
"""Failures that may come out otherwise on another day."""


@dataclass(frozen=True, slots=True)
class Again:
    """What doing a run again came to."""

    result: LevelResult
    """Of L2."""
    divergences: tuple[Divergence, ...]
    """In the order of the steps."""
    record: BaseModel | None
    """The final record of the run done again as a whole; None where it could not be."""


@dataclass
class Steps:
    """Does the steps of a recorded run again.

    Args:
        workflow: the steps with today's code, bound to what the run kept.
        history: the run.
        request: what was asked.
        read: the content of a blob. Raises JournalError.
        again: steps that are done again although they are no pure ones: those whose whole input the run kept.
    """

    workflow: Workflow
    history: History
    request: BaseModel
    read: Callable[[str], bytes]
    again: Collection[str] = ()
    _models: dict[str, BaseModel] = field(default_factory=dict)
    _done: dict[tuple[str, ...], Result] = field(default_factory=dict)

    def compare(self) -> Again:
        """Does each step again, and the run as a whole where one differs."""
        found: list[Divergence] = []
        held: dict[str, BaseModel] = {}
        failures: list[Failure] = []
        spent: Mapping[str, int] = {}
        compared, served = 0, []
        names = self.workflow.names
        for move in self.history.moves:
            if move.step not in names:
                found.append(_other(move.step, DivergenceClass.STEPS_DIFFER, "done", "no such step"))
                break
            step = self.workflow.step(move.step)
            if self._again(step) and not (move.failure and move.failure.code in _OF_THE_CLOCK):
                compared += 1
                found += self._compare(step, move, held, tuple(failures), spent)
            else:
                served.append(step.name)
            if not self._take(move, held, failures, found):
                return Again(_cannot(found, compared), tuple(found), None)
            spent = move.spent
        record = None
        if self.history.record:
            compared += 1
            found += self._conclusion(held, tuple(failures))
            record = self.whole() if found else self._recorded(found)
        return Again(_result(found, compared, served), tuple(found), record)

    def whole(self) -> BaseModel | None:
        """The final record of the run done again from its beginning; None where a step would have to ask the outside world."""
        held: dict[str, BaseModel] = {}
        failures: list[Failure] = []
        moves = {move.step: move for move in self.history.moves}
        state, spent = self.workflow.steps[0].name, dict[str, int]()
        while state != CONCLUDE:
            step = self.workflow.step(state)
            move = moves.get(state)
            if self._again(step):
                result = self._work(step, held, tuple(failures), spent)
                if result.failure is not None:
                    failures.append(result.failure)
                elif result.output is not None:
                    held[step.gives.name] = result.output
                label = result.label
            elif move is not None and self._take(move, held, failures, []):
                label = move.label
            else:
                return None
            state, spent = self.workflow.leads(step).get(label, CONCLUDE), dict(move.spent) if move else spent
        return self._conclude(held, tuple(failures))

    def _again(self, step: StepSpec) -> bool:
        return step.kind is Kind.PURE or step.name in self.again

    def _work(
        self, step: StepSpec, held: Mapping[str, BaseModel], failures: tuple[Failure, ...], spent: Mapping[str, int]
    ) -> Result:
        inputs = (*step.needs, *step.uses)
        parts = [digest_of(canonical_bytes(held[slot.name])) for slot in inputs if slot.name in held]
        key = (step.name, *parts, *(f"{one.step}:{one.code}" for one in failures))
        if key not in self._done:
            limits = self.workflow.limits
            meter = Meter(limits.counters, {name: count for name, count in spent.items() if name in limits.counters})
            me = self.history
            context = StepContext(me.case, me.run, step.name, 1, "", me.began, self.request, failures, meter)
            patient = replace(step, limit_ms=step.limit_ms * _PATIENCE)
            attempt = Attempt(patient, Inputs(held, inputs), context, limits.wall_ms * _PATIENCE, time.monotonic)
            self._done[key] = attempt.make(step.run)
        return self._done[key]

    def _compare(
        self, step: StepSpec, move: Move, held: Mapping[str, BaseModel], failures: tuple[Failure, ...], spent: Mapping[str, int]
    ) -> list[Divergence]:
        result = self._work(step, held, failures, spent)
        if move.failure is not None or result.failure is not None:
            then, now = (one.code if one else "an output" for one in (move.failure, result.failure))
            return [] if then == now else [_other(step.name, DivergenceClass.OUTPUT_DIFFERS, then, now, "outcome")]
        try:
            recorded = self.read(move.commit)
        except JournalError as problem:
            return [_absent(step.name, problem)]
        if recorded != result.data:
            where, then, now = difference(recorded, result.data)
            return [_other(step.name, DivergenceClass.OUTPUT_DIFFERS, then, now, where)]
        if move.label != result.label:
            return [_other(step.name, DivergenceClass.OUTPUT_DIFFERS, move.label, result.label, "outcome")]
        return []

    def _take(self, move: Move, held: dict[str, BaseModel], failures: list[Failure], found: list[Divergence]) -> bool:
        """Holds what the log says that a step gave, for the steps after it."""
        if move.failure is not None:
            failures.append(move.failure)
            return True
        kind = self.workflow.step(move.step).gives.type
        try:
            model = self._models.get(move.commit) or kind.model_validate_json(self.read(move.commit))
        except JournalError as problem:
            found.append(_absent(move.step, problem))
            return False
        except ValidationError:
            found.append(
                _other(move.step, DivergenceClass.INPUT_DIFFERS, "as recorded", f"no {kind.__name__} of this version", "type")
            )
            return False
        held[move.slot] = self._models[move.commit] = model
        return True

    def _conclusion(self, held: Mapping[str, BaseModel], failures: tuple[Failure, ...]) -> list[Divergence]:
        try:
            recorded = self.read(self.history.record)
        except JournalError as problem:
            return [_absent("conclude", problem)]
        record = self._conclude(held, failures)
        if record is None:
            return [_other("conclude", DivergenceClass.OUTPUT_DIFFERS, "a record", "none could be put together")]
        now = canonical_bytes(record)
        if now == recorded:
            return []
        where, then, today = difference(recorded, now)
        return [_other("conclude", DivergenceClass.OUTPUT_DIFFERS, then, today, where)]

    def _conclude(self, held: Mapping[str, BaseModel], failures: tuple[Failure, ...]) -> BaseModel | None:
        try:
            return self.workflow.conclude(Conclusion(self.history.run, self.request, dict(held), failures))
        except Exception:  # noqa: BLE001 - in a run this stops it; here it is a finding
            return None

    def _recorded(self, found: list[Divergence]) -> BaseModel | None:
        """The recorded final record, which is the one that comes out again."""
        return None if found else self.workflow.record.model_validate_json(self.read(self.history.record))


def _other(step: str, kind: DivergenceClass, recorded: str, now: str, where: str = "") -> Divergence:
    severity: Severity = "medium" if kind is DivergenceClass.OUTPUT_DIFFERS else "high"
    return Divergence(
        level=Level.L2, step=shown(step), kind=kind, severity=severity, recorded=shown(recorded), now=shown(now), where=where
    )


def _absent(step: str, problem: JournalError) -> Divergence:
    found = problem.found.partition("read: ")[2] or problem.found
    return Divergence(
        level=Level.L2, step=shown(step), kind=DivergenceClass.INPUT_ABSENT, severity="high", recorded="committed to",
        now=shown(found),
    )  # fmt: skip


def _cannot(found: list[Divergence], compared: int) -> LevelResult:
    why = f"Cannot be replayed further at this level: {found[-1].kind} in step {found[-1].step}."
    return LevelResult(level=Level.L2, status="cannot", compared=compared, sentence=why)


def _result(found: list[Divergence], compared: int, served: list[str]) -> LevelResult:
    status: Literal["same", "differs"] = "differs" if found else "same"
    taken = f" Taken from the record and not done again: {', '.join(served)}." if served else ""
    sentence = f"{compared} steps were done again; {'not all' if found else 'all'} gave the recorded bytes.{taken}"
    return LevelResult(level=Level.L2, status=status, compared=compared, sentence=sentence)
