"""The seven steps of a run: their order, what each needs and gives, and the check that a contract's steps fit.

Core steps cannot be disabled, skipped or put in another order. A contract states for each what it needs and gives, so
that a reader sees the hand-overs; what it states is compared with what the engine does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from conformed.policy.refused import RefusedError

__all__ = ["CORE_CHECK", "GIVEN", "PERSON", "STEPS", "CoreStep", "StepName", "StepOutcome", "fit"]

PERSON = "person"
"""The state in which every run ends."""
CORE_CHECK = "claim_check"
"""The product's own deterministic verifier."""
GIVEN = ("pack", "question")
"""What a run starts with."""


class StepName(StrEnum):
    """The steps, in order."""

    INTAKE = "intake"
    RETRIEVE = "retrieve"
    EXTRACT = "extract"
    PRECEDENCE = "precedence"
    CALCULATE = "calculate"
    CLAIM_CHECK = "claim_check"
    DRAFT = "draft"


class StepOutcome(StrEnum):
    """How a step ends."""

    ACCEPT = "accept"
    """It gave what it owes and left nothing open."""
    REVIEW = "review"
    """It gave what it owes and something is open for a person."""
    ERROR = "error"
    """It raised, timed out, went over a limit, or gave something malformed."""


@dataclass(frozen=True, slots=True)
class CoreStep:
    """What the engine does in one step."""

    needs: tuple[str, ...]
    """Types that it reads."""
    gives: tuple[str, ...]
    """Types that it hands over."""
    kind: str | None
    """Kind of plugin that does it; None for steps that rules do alone."""
    least: int = 0
    """Fewest plugins."""


STEPS: Mapping[StepName, CoreStep] = {
    StepName.INTAKE: CoreStep(("pack", "question"), ("case_file",), "reader", 1),
    StepName.RETRIEVE: CoreStep(("case_file",), ("retrieved",), "retriever", 1),
    StepName.EXTRACT: CoreStep(("case_file", "retrieved"), ("extraction",), "extractor", 1),
    StepName.PRECEDENCE: CoreStep(("case_file", "retrieved", "extraction"), ("effective",), None),
    StepName.CALCULATE: CoreStep(("case_file", "extraction", "effective"), ("certificate", "calculation"), None),
    StepName.CLAIM_CHECK: CoreStep(("case_file", "effective", "certificate", "calculation"), ("claims", "verdicts"), "verifier"),
    StepName.DRAFT: CoreStep(("claims", "verdicts"), ("draft",), "drafter", 1),
}
"""Each step: types of conformed.model by name in lower case; ``pack`` is the folder or archive, ``verdicts`` are of claims."""


class _Ref(Protocol):
    @property
    def plugin(self) -> str: ...


class _Step(Protocol):
    @property
    def name(self) -> StepName: ...
    @property
    def needs(self) -> Sequence[str]: ...
    @property
    def gives(self) -> Sequence[str]: ...
    @property
    def uses(self) -> Sequence[_Ref]: ...
    @property
    def then(self) -> Mapping[StepOutcome, str]: ...


def fit(steps: Sequence[_Step]) -> None:
    """Checks that steps are all there, in order, and hand over to each other.

    Raises:
        RefusedError: with the path of the first step that does not fit, below the contract.
    """
    order = list(StepName)
    for index, wanted in enumerate(order):
        if index >= len(steps):
            raise RefusedError(f"the step {wanted} is missing", f"Add it: the order is {', '.join(order)}.", ("steps",))
        if steps[index].name is not wanted:
            raise RefusedError(
                f"the step {steps[index].name} stands where {wanted} belongs",
                f"The order is {', '.join(order)}; core steps cannot be left out.",
                ("steps", index, "name"),
            )
    if len(steps) > len(order):
        raise RefusedError("there is a step after draft", "Take it out.", ("steps", len(order), "name"))
    given = set(GIVEN)
    for index, step in enumerate(steps):
        _types(index, step, given)
        _plugins(index, step)
        _transitions(index, step, order[index + 1] if index + 1 < len(order) else PERSON)
        given |= set(step.gives)


def _types(index: int, step: _Step, given: set[str]) -> None:
    core = STEPS[step.name]
    for place, need in enumerate(step.needs):
        if need not in given:
            raise RefusedError(
                f"{step.name} needs {need!r}, which no step before it gives",
                f"Given by then: {', '.join(sorted(given))}.",
                ("steps", index, "needs", place),
            )
    if absent := [need for need in core.needs if need not in step.needs]:
        raise RefusedError(
            f"{step.name} does not say that it needs {absent[0]!r}",
            f"Write needs: [{', '.join(core.needs)}].",
            ("steps", index, "needs"),
        )
    if sorted(step.gives) != sorted(core.gives):
        raise RefusedError(
            f"{step.name} gives something else than it says",
            f"Write gives: [{', '.join(core.gives)}].",
            ("steps", index, "gives"),
        )


def _plugins(index: int, step: _Step) -> None:
    core = STEPS[step.name]
    if core.kind is None and step.uses:
        raise RefusedError(f"{step.name} is done by rules and uses no plugin", "Take `uses` out.", ("steps", index, "uses"))
    if len(step.uses) < core.least:
        raise RefusedError(
            f"{step.name} names no plugin", f"Add at least one {core.kind} under `uses`.", ("steps", index, "uses")
        )


def _transitions(index: int, step: _Step, following: str) -> None:
    for outcome in StepOutcome:
        if outcome not in step.then:
            raise RefusedError(
                f"{step.name} does not say where {outcome} leads", f"Add `{outcome}:` under `then`.", ("steps", index, "then")
            )
    allowed = {StepOutcome.ACCEPT: {following}, StepOutcome.REVIEW: {following, PERSON}, StepOutcome.ERROR: {PERSON}}
    for outcome, target in step.then.items():
        if target not in allowed[outcome]:
            raise RefusedError(
                f"{step.name}: {outcome} leads to {target!r}",
                f"It may lead to {' or '.join(sorted(allowed[outcome]))}.",
                ("steps", index, "then", outcome.value),
            )
