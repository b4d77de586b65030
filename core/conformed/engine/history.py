"""What the log says of a run: its moves in order, the step that was begun and not ended, and how it ended.

A fold over records, without side effects: the same records give the same history for ever.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel

from conformed.engine.workflow import ERROR, STOPPED, Failure
from conformed.errors import ReplayError, UsageError

if TYPE_CHECKING:
    from conformed_audit import Item, Record

__all__ = ["BEGUN", "History", "Move", "fold"]

BEGUN = "Run begun."
"""Note of the first record of a run."""


@dataclass(frozen=True, slots=True)
class Move:
    """How one attempt of a step ended."""

    step: str
    """Name of the step."""
    attempt: int
    """Which attempt."""
    label: str
    """accept, review, error, or another outcome that the workflow names."""
    slot: str = ""
    """Where the output goes."""
    data: bytes = b""
    """Bytes of the output, for a move that is to be written."""
    commit: str = ""
    """Name of the output in the log, for a move that was read back."""
    size: int = 0
    """Bytes of that output."""
    output: BaseModel | None = None
    """The output itself, for a move that is to be written."""
    failure: Failure | None = None
    """Why there is no output."""
    spent: dict[str, int] = field(default_factory=dict)
    """What the whole run had spent by then, ``wall_ms`` among it."""


@dataclass(slots=True)
class History:
    """One run, as its records tell it."""

    case: str
    """Case id."""
    run: str
    """Run id."""
    began: datetime
    """When its first record was written, UTC."""
    request: str
    """Name in the log of what was asked."""
    registrations: str
    """Name in the log of the list of plugins."""
    pins: dict[str, str]
    """engine, contract and plugins, as they were when it began."""
    moves: list[Move] = field(default_factory=list)
    """Steps that ended, in order."""
    pending: tuple[str, int] | None = None
    """Step and attempt that were begun last and have not ended."""
    unknown: list[tuple[str, int]] = field(default_factory=list)
    """Attempts of which it is not known how they ended."""
    record: str = ""
    """Name in the log of the final record, once there is one."""
    stopped: str = ""
    """Why the run was stopped, where it was."""
    kept: dict[str, str] = field(default_factory=dict)
    """Names in the log of what was kept from the beginning for a replay."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return bool(self.record or self.stopped)


def fold(records: Iterable[Record], run: str) -> History:
    """The history of a run.

    Args:
        records: records of its case, or of a whole log, in order; those of other runs are passed over.
        run: run id.

    Raises:
        ReplayError: when there is no such run, or its records do not follow from each other.
        UsageError: when it is the id of a proposal about weights.
    """
    history: History | None = None
    for record in records:
        if record.run != run:
            continue
        if history is None:
            history = _first(record, run)
        else:
            _next(history, record)
    if history is None:
        raise ReplayError(f"The log has no run {run}.", "List the runs with `conformed log list`.")
    return history


def _first(record: Record, run: str) -> History:
    if record.kind == "approval.requested" and record.step == "weights.proposed":
        raise UsageError(f"{run} is a proposal about weights, and no run.", f"See it: conformed log show {run}.")
    named = {item.name: item.commit for item in record.input}
    if record.kind != "state.changed" or record.note != BEGUN or not {"request", "registrations"} <= set(named):
        raise ReplayError(f"The first record of run {run} does not begin it.", "Verify the log.")
    pins = {"engine": record.pins.engine or "", "contract": record.pins.contract or "", "plugins": record.pins.plugins or ""}
    began = datetime.fromisoformat(record.ts)
    kept = {name: commit for name, commit in named.items() if name not in {"request", "registrations"}}
    return History(record.case, run, began, named["request"], named["registrations"], pins, kept=kept)


def _next(history: History, record: Record) -> None:
    step, attempt = record.step or "", record.attempt
    match record.kind:
        case "step.intent":
            history.pending = (step, attempt)
        case "step.unknown":
            history.unknown.append((step, attempt))
            _expect(history, step, attempt)
        case "step.outcome":
            _expect(history, step, attempt)
            outputs = {item.name: item for item in record.output}
            label, spent = _measures(outputs.pop("move", None))
            slot = next(iter(outputs), "")
            commit, size = (outputs[slot].commit, outputs[slot].bytes) if slot else ("", 0)
            history.moves.append(Move(step, attempt, label, slot=slot, commit=commit, size=size, spent=spent))
            history.pending = None
        case "step.failed":
            _expect(history, step, attempt)
            error = record.error
            failure = Failure(
                step, error.code if error else "review_step_failed", record.note or "", error.class_ if error else "", attempt
            )
            _label, spent = _measures(next((item for item in record.output if item.name == "move"), None))
            history.moves.append(Move(step, attempt, ERROR, failure=failure, spent=spent))
            history.pending = None
        case "state.changed":
            if step == STOPPED:
                history.stopped = record.note or "The input was refused."
            history.record = next((item.commit for item in record.output if item.name == "record"), history.record)
        case _:
            pass  # approvals, exports and the like follow a run and are no part of its steps


def _expect(history: History, step: str, attempt: int) -> None:
    if history.pending != (step, attempt):
        raise ReplayError(
            f"Run {history.run} has an outcome of step {step}, attempt {attempt}, that it did not begin.", "Verify the log."
        )


def _measures(item: Item | None) -> tuple[str, dict[str, int]]:
    plain = item.inline if item is not None else None
    if not isinstance(plain, dict) or not isinstance(plain.get("outcome"), str) or not isinstance(plain.get("spent"), dict):
        raise ReplayError("An outcome in the log does not say how the step ended.", "Verify the log.")
    return plain["outcome"], {str(name): count for name, count in sorted(plain["spent"].items()) if type(count) is int}
