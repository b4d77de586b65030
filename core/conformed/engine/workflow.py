"""The machine's own idea of a contract: steps with declared inputs and outputs, and where each outcome leads.

Nothing here knows of covenants. A workflow is checked when it is built: names are unique, every need is given on every path
that leads to the step, types fit, transitions only go forward (so that every run ends), and no output may hold a float.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel

from conformed.engine.canonical import float_field
from conformed.errors import ConformedError, PolicyError, StepError

if TYPE_CHECKING:
    from conformed.engine.context import Conclusion, Inputs, StepContext

__all__ = [
    "ACCEPT",
    "CONCLUDE",
    "ERROR",
    "REVIEW",
    "STOPPED",
    "Failure",
    "Kind",
    "Limits",
    "RefusedError",
    "Slot",
    "StepSpec",
    "Workflow",
]

ACCEPT = "accept"
"""The outcome of a step that gave what it owes and left nothing open."""
REVIEW = "review"
"""The outcome of a step that gave what it owes and left something open for a person."""
ERROR = "error"
"""The outcome of a step that raised, hung, went over a limit, or gave something else."""
CONCLUDE = "conclude"
"""The state in which the record is put together from what is known; it follows the last step."""
STOPPED = "stopped"
"""The end of a run that could not be carried out as asked."""

M_co = TypeVar("M_co", bound=BaseModel, covariant=True)


class Kind(StrEnum):
    """What may be done with a step that was begun and whose outcome is not in the log."""

    PURE = "pure"
    """Same inputs, same output: run again."""
    READ = "read"
    """Asks something that may answer differently (a model, a file): run again as a new attempt, the old one is unknown."""
    EFFECT = "effect"
    """Changes something outside: never run again silently; ask the receiver by key, else a person."""


class RefusedError(StepError):
    """The engine's own check refuses what a step gave. Its sentence is ours, so it may stand in the log."""


@dataclass(frozen=True, slots=True)
class Slot(Generic[M_co]):
    """A named place for one step's output, with its type."""

    name: str
    """Name in the log, lower case with underscores."""
    type: type[M_co]
    """The model that fills it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A step that did not give what it owes. Holds none of the document's words."""

    step: str
    """Name of the step."""
    code: str
    """Reason code, one of review_*."""
    sentence: str
    """Our own sentence: never the text of a foreign exception."""
    error: str = ""
    """Class name of the exception, where there was one."""
    attempt: int = 1
    """Which attempt failed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a whole run may use."""

    wall_ms: int = 600_000
    """Time worked, in milliseconds, over all attempts and processes."""
    counters: Mapping[str, int] = field(default_factory=dict)
    """Other budgets by name (``input_tokens``, ``cost_units`` ...); a name that is absent has no budget and may not be spent."""
    attempts: int = 5
    """How often a read step may be begun before a person is asked."""


@dataclass(frozen=True, slots=True)
class StepSpec:
    """One step: what it needs, what it gives, and what to do about its outcomes."""

    name: str
    """Name of the state and of the step in the log."""
    gives: Slot[Any]
    """Where its output goes."""
    run: Callable[[Inputs, StepContext], BaseModel]
    """Does the work. May raise; may not write to the log."""
    needs: tuple[Slot[Any], ...] = ()
    """Outputs without which it cannot run."""
    uses: tuple[Slot[Any], ...] = ()
    """Outputs that it takes where they are there."""
    kind: Kind = Kind.PURE
    """What a resumed run may do with it."""
    plugins: tuple[str, ...] = ()
    """Name and version of each plugin that does it, for the log."""
    limit_ms: int = 120_000
    """Time limit of one attempt, in milliseconds."""
    outcome: Callable[[Any], str] | None = None
    """Names the outcome of an output; ``accept`` for every output where there is none."""
    leads: Mapping[str, str] = field(default_factory=dict)
    """Outcome to next state. ``error`` leads to the conclusion and the other two to the next step unless said otherwise."""
    stops: tuple[type[ConformedError], ...] = ()
    """Errors of ours that end the run with their own sentence (bad input), and are no matter for review."""
    verify: Callable[[Any, Inputs], None] | None = None
    """Checks an output against the inputs. Raises RefusedError with a code."""
    ask: Callable[[str], BaseModel | None] | None = None
    """For an effect: asks the receiver by key whether it was done, and with what result; None where it cannot tell."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """A contract as the machine runs it."""

    name: str
    """Name of the contract."""
    version: str
    """Its version."""
    digest: str
    """SHA-256 of the exact bytes of the contract; the journal must pin the same."""
    steps: tuple[StepSpec, ...]
    """In order."""
    conclude: Callable[[Conclusion], BaseModel]
    """Pure: puts the final record together from what is known. Must be able to do so after any failure."""
    record: type[BaseModel]
    """Type of the final record."""
    limits: Limits = Limits()
    """What a run may use."""
    final: str = "awaiting_person"
    """The state in which a run ends: a person's turn."""
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """Names of the steps in order."""

    def __post_init__(self) -> None:
        """Refuses a contract whose steps do not fit.

        Raises:
            PolicyError: naming the step, what is wrong with it, and the mend.
        """
        object.__setattr__(self, "names", tuple(step.name for step in self.steps))  # once: a run asks a dozen times a step
        _refuse_names(self)
        known: dict[str, tuple[str, type[BaseModel]]] = {}
        for step in self.steps:
            for slot in (*step.needs, *step.uses):
                giver = known.get(slot.name)
                if giver is None:
                    raise PolicyError(
                        f"Step {step.name} takes {slot.name}, which no earlier step gives.", "Order the steps anew."
                    )
                if not issubclass(giver[1], slot.type):
                    raise PolicyError(
                        f"Step {step.name} takes {slot.name} as {slot.type.__name__}; step {giver[0]} gives {giver[1].__name__}.",
                        "Name a step that gives the type that is taken.",
                    )
            if step.gives.name in known:
                raise PolicyError(f"Steps {known[step.gives.name][0]} and {step.name} both give {step.gives.name}.")
            held = float_field(step.gives.type)
            if held:
                raise PolicyError(
                    f"Step {step.name} gives {step.gives.type.__name__}, whose field {held} may hold a binary float."
                )
            known[step.gives.name] = (step.name, step.gives.type)
        self._refuse_gaps()

    def _refuse_gaps(self) -> None:
        """A need must be given on every path that leads to the step."""
        given: dict[str, frozenset[str] | None] = {step.name: None for step in self.steps}
        if self.steps:
            given[self.steps[0].name] = frozenset()
        for step in self.steps:
            here = given[step.name]
            if here is None:
                raise PolicyError(f"No outcome leads to step {step.name}.", "Name it in another step's leads, or leave it out.")
            lacking = [slot.name for slot in step.needs if slot.name not in here]
            if lacking:
                raise PolicyError(
                    f"Step {step.name} can be reached without {', '.join(lacking)}.",
                    "Declare it under uses, or change where an earlier outcome leads.",
                )
            for label, target in self.leads(step).items():
                if target != CONCLUDE:
                    after = here if label == ERROR else here | {step.gives.name}
                    before = given[target]
                    given[target] = after if before is None else before & after

    def leads(self, step: StepSpec) -> dict[str, str]:
        """Every outcome of a step and the state that follows it."""
        place = self.names.index(step.name)
        following = self.names[place + 1] if place + 1 < len(self.names) else CONCLUDE
        return {ACCEPT: following, REVIEW: following, ERROR: CONCLUDE, **step.leads}

    def step(self, name: str) -> StepSpec:
        """The step of a name.

        Raises:
            KeyError: when there is none.
        """
        return self.steps[self.names.index(name)] if name in self.names else _absent(name)


def _absent(name: str) -> StepSpec:
    raise KeyError(name)


def _refuse_names(workflow: Workflow) -> None:
    names = workflow.names
    reserved = {CONCLUDE, STOPPED, workflow.final}
    if not names:
        raise PolicyError(f"Contract {workflow.name} has no step.", "Give it at least one.")
    for place, name in enumerate(names):
        if name in names[:place] or name in reserved:
            raise PolicyError(f"The name {name} is taken twice among the steps of {workflow.name}.", "Rename one of them.")
        for label, target in workflow.steps[place].leads.items():
            if target != CONCLUDE and target not in names[place + 1 :]:
                raise PolicyError(
                    f"Step {name} leads to {target} on {label}, which is not a later step.",
                    f"Name a later step or {CONCLUDE}: transitions only go forward, so that every run ends.",
                )
