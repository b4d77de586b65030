"""What a step is handed: its inputs, and what it may know of the run."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from conformed.engine.workflow import Failure, Slot
from conformed.errors import StepError

__all__ = ["Conclusion", "Inputs", "Meter", "StepContext"]

M = TypeVar("M", bound=BaseModel)


class Inputs:
    """The outputs that a step declared, and no others."""

    __slots__ = ("_held", "_slots")

    def __init__(self, held: Mapping[str, BaseModel], slots: tuple[Slot[BaseModel], ...]) -> None:
        self._slots = frozenset(slot.name for slot in slots)
        self._held = {name: held[name] for name in sorted(self._slots) if name in held}

    def __getitem__(self, slot: Slot[M]) -> M:
        """The output in a slot.

        Raises:
            StepError: when the step did not declare it, or no step has given it.
        """
        found = self.get(slot)
        if found is None:
            raise StepError(f"{slot.name} was not given by any step of this run.", "Declare it under uses and ask with get.")
        return found

    def get(self, slot: Slot[M]) -> M | None:
        """The output in a slot, None where no step has given it.

        Raises:
            StepError: when the step did not declare it.
        """
        if slot.name not in self._slots:
            raise StepError(f"The step did not declare {slot.name}.", "Name it under needs or uses.")
        found = self._held.get(slot.name)
        return found if isinstance(found, slot.type) else None


class Meter:
    """Counts what a run spends against its budgets. Steps may spend from several threads."""

    def __init__(self, budgets: Mapping[str, int], spent: Mapping[str, int] | None = None) -> None:
        self._budgets = dict(budgets)
        self._spent = dict(spent or {})
        self._lock = threading.Lock()

    def spend(self, **counts: int) -> None:
        """Counts before the work is done: a call that would pass a budget is refused and still counted.

        Raises:
            StepError: review_budget_exceeded, naming the budget; or when a budget is unknown or a count no whole number.
        """
        with self._lock:
            for name in sorted(counts):
                count = counts[name]
                if type(count) is not int or count < 0:
                    raise StepError(f"{name} was counted with something that is no whole number.", "Count in whole units.")
                self._spent[name] = self._spent.get(name, 0) + count
        over = self.over()
        if over:
            raise StepError(self.sentence(over), code="review_budget_exceeded")

    def over(self) -> str:
        """The first budget that is passed, or an empty string. A name without a budget is passed by the first unit."""
        with self._lock:
            return next((name for name in sorted(self._spent) if self._spent[name] > self._budgets.get(name, 0)), "")

    def left(self, name: str) -> int:
        """What a budget has left, 0 or more."""
        with self._lock:
            return max(0, self._budgets.get(name, 0) - self._spent.get(name, 0))

    def sentence(self, name: str) -> str:
        """What to say of a budget that is passed."""
        return f"The contract allows {self._budgets.get(name, 0)} {name.replace('_', ' ')} a run; the run asked for more."

    @property
    def spent(self) -> dict[str, int]:
        """What was spent so far, sorted by name."""
        with self._lock:
            return dict(sorted(self._spent.items()))


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step may know of its run. It has no clock, no log and no settings."""

    case: str
    """Case id."""
    run: str
    """Run id."""
    step: str
    """Name of the step."""
    attempt: int
    """1 for the first."""
    key: str
    """Idempotency key of this attempt, to be handed to whatever an effect changes."""
    now: datetime
    """When the run began, UTC, from the log: the same after a resume."""
    request: BaseModel
    """What is asked, as recorded when the run began."""
    failures: tuple[Failure, ...]
    """Earlier steps of this run that failed."""
    meter: Meter
    """Where tokens and cost are counted, before they are spent."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the final record is made of."""

    run: str
    """Run id."""
    request: BaseModel
    """What was asked, as recorded when the run began."""
    held: Mapping[str, BaseModel]
    """Outputs of the steps that were done, by slot."""
    failures: tuple[Failure, ...]
    """Steps that failed, in order."""

    def get(self, slot: Slot[M]) -> M | None:
        """The output in a slot, None where no step has given it."""
        found = self.held.get(slot.name)
        return found if isinstance(found, slot.type) else None
