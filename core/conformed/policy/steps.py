"""The steps of each application: their order, what each needs and gives, and the check that a contract's steps fit.

Core steps cannot be disabled, skipped or put in another order. A contract states for each what it needs and gives, so
that a reader sees the hand-overs; what it states is compared with what the engine does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from conformed.policy.refused import RefusedError

__all__ = ["CORE_CHECK", "GIVEN", "ORDERS", "PERSON", "STEPS", "Application", "CoreStep", "StepName", "StepOutcome", "fit"]

PERSON = "person"
"""The state in which every run ends."""
CORE_CHECK = "claim_check"
"""The product's own deterministic verifier of the covenant case."""


class Application(StrEnum):
    """What a contract is about: which steps the engine runs for it."""

    COVENANT = "covenant"
    """Which covenant governed on a date, and whether it was met."""
    SHORT_ANSWER = "short_answer"
    """A question with a short answer that a program can check: a number, an expression, code."""

    @property
    def spoken(self) -> str:
        """What it is for, in a sentence."""
        return {Application.COVENANT: "covenants", Application.SHORT_ANSWER: "short answers"}[self]


class StepName(StrEnum):
    """The steps of all applications."""

    INTAKE = "intake"
    RETRIEVE = "retrieve"
    EXTRACT = "extract"
    PRECEDENCE = "precedence"
    CALCULATE = "calculate"
    CLAIM_CHECK = "claim_check"
    DRAFT = "draft"
    ROUTE = "route"
    GENERATE = "generate"
    ANSWER = "answer"
    VERIFY = "verify"
    SELECT = "select"


ORDERS: Mapping[Application, tuple[StepName, ...]] = {
    Application.COVENANT: (
        StepName.INTAKE,
        StepName.RETRIEVE,
        StepName.EXTRACT,
        StepName.PRECEDENCE,
        StepName.CALCULATE,
        StepName.CLAIM_CHECK,
        StepName.DRAFT,
    ),
    Application.SHORT_ANSWER: (StepName.ROUTE, StepName.GENERATE, StepName.ANSWER, StepName.VERIFY, StepName.SELECT),
}
"""The steps of each application, in order."""
GIVEN: Mapping[Application, tuple[str, ...]] = {
    Application.COVENANT: ("pack", "question"),
    Application.SHORT_ANSWER: ("task",),
}
"""What a run of each application starts with."""


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
    StepName.ROUTE: CoreStep(("task",), ("route",), None),
    StepName.GENERATE: CoreStep(("task", "route"), ("responses",), "backend", 1),
    StepName.ANSWER: CoreStep(("responses",), ("answers",), None),
    StepName.VERIFY: CoreStep(("task", "answers"), ("checked_answers",), "verifier", 1),
    StepName.SELECT: CoreStep(("route", "checked_answers"), ("selection",), None),
}
"""Each step: what it reads and hands over by name; ``pack`` is the folder or archive, ``verdicts`` are of claims."""


_GENERATING = (StepName.EXTRACT, StepName.DRAFT)
"""Steps whose plugins may ask a backend; in a short answer the step generate is one itself."""


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
    def backend(self) -> _Ref | None: ...
    @property
    def then(self) -> Mapping[StepOutcome, str]: ...


def fit(steps: Sequence[_Step], application: Application = Application.COVENANT) -> None:
    """Checks that an application's steps are all there, in order, and hand over to each other.

    Raises:
        RefusedError: with the path of the first step that does not fit, below the contract.
    """
    order = ORDERS[application]
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
        raise RefusedError(f"there is a step after {order[-1]}", "Take it out.", ("steps", len(order), "name"))
    given = set(GIVEN[application])
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
    if step.backend is not None and step.name not in _GENERATING:
        raise RefusedError(
            f"{step.name} has a backend, and nothing of it generates",
            f"Steps that may have one: {', '.join(_GENERATING)}.",
            ("steps", index, "backend"),
        )
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
