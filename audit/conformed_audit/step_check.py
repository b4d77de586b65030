"""What a run may do, as far as its records alone say: one opening a case, steps that were begun, the same pins, one end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformed_audit.checks import Case
from conformed_audit.finding import Bad, Classification
from conformed_audit.seen import Seen

__all__ = ["StepCheck"]

_BUG = Classification.WRITER_BUG
_ENDS = frozenset({"step.outcome", "step.failed", "step.unknown"})
_STEPS = frozenset({"step.intent", "state.changed", *_ENDS})
_STOPPED = "stopped"
_PINS = ("engine", "contract", "plugins")
_Step = tuple[str | None, int, str | None]


class _Run:
    """A run that has not ended."""

    __slots__ = ("begun", "pins")

    def __init__(self, pins: dict[str, Any]) -> None:
        self.pins = pins
        self.begun: _Step | None = None


class StepCheck:
    """Follows runs. Memory grows with the cases and the runs that have not ended."""

    kinds: frozenset[str] | None = _STEPS | {"case.opened"}

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str | None], _Run] = {}
        self._ended: dict[str, str] = {}

    def follow(self, seen: Seen, _leaf: bytes, _idx: int, _cases: Mapping[str, Case], /) -> Bad | None:
        """Looks at one record."""
        kind = seen.kind
        if kind == "case.opened":
            return Bad("opened", "the opening of a case as its first record", f"number {seen.cseq}", _BUG) if seen.cseq else None
        case, name, pins = seen.case, seen.run, seen.pins
        run = self._runs.get((case, name))
        if run is None:
            if name is not None and self._ended.get(case) == name:
                return Bad("ended", f"nothing more of run {name!a}, which ended", kind, _BUG)
            run = self._runs[case, name] = _Run(pins)
        elif pins is not run.pins and name is not None:
            for pin in _PINS:
                if pins[pin] != run.pins[pin]:
                    return Bad(f"pins.{pin}", ascii(run.pins[pin]), ascii(pins[pin]), _BUG)
        if kind == "step.intent":
            run.begun = (seen.step, seen.attempt, seen.idem)
        elif kind in _ENDS:
            ended = (seen.step, seen.attempt, seen.idem)
            if run.begun != ended:
                return Bad("intent", f"the intent of step {ended[0]!a}, attempt {ended[1]}", _step(run.begun), _BUG)
            if kind != "step.unknown":
                run.begun = None
        elif seen.step == _STOPPED or seen.gives_record:
            del self._runs[case, name]
            self._ended[case] = name or ""
        return None


def _step(begun: _Step | None) -> str:
    return "none" if begun is None else f"that of step {begun[0]!a}, attempt {begun[1]}"
