"""From a task contract to the workflow that the machine runs: states, limits and transitions as the contract writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pydantic import BaseModel

from conformed.engine.context import Conclusion
from conformed.engine.workflow import CONCLUDE, Limits, StepSpec, Workflow
from conformed.errors import PolicyError
from conformed.policy.schema import TaskContract
from conformed.policy.steps import PERSON

__all__ = ["limits_of", "workflow_of"]

COUNTERS = ("input_tokens", "output_tokens", "generated_tokens", "cost_units")


def limits_of(contract: TaskContract) -> Limits:
    """What a run under a contract may use."""
    limits = contract.limits
    return Limits(wall_ms=limits.wall_seconds * 1000, counters={name: getattr(limits, name) for name in COUNTERS})


def workflow_of(
    contract: TaskContract,
    digest: str,
    steps: Iterable[StepSpec],
    conclude: Callable[[Conclusion], BaseModel],
    record: type[BaseModel],
) -> Workflow:
    """Binds a contract's steps to the code that does them.

    Args:
        contract: the contract, as loaded.
        digest: SHA-256 of its exact bytes, as the journal pins it.
        steps: what does each step, in any order; time limits and transitions in them give way to the contract's.
        conclude: puts the final record together.
        record: type of the final record.

    Raises:
        PolicyError: when a step is bound twice, not at all, or is not in the contract; or as Workflow.
    """
    bound: dict[str, StepSpec] = {}
    for spec in steps:
        if spec.name in bound:
            raise PolicyError(f"The step {spec.name} is bound twice.", "Bind it once.")
        bound[spec.name] = spec
    wanted = [str(step.name) for step in contract.steps]
    if sorted(bound) != sorted(wanted):
        odd = sorted(set(bound) ^ set(wanted))
        raise PolicyError(
            f"Steps of the contract and steps that are bound differ: {', '.join(odd)}.", "Bind each step of the contract."
        )
    ordered = tuple(
        replace(
            bound[str(step.name)],
            limit_ms=step.timeout_seconds * 1000,
            leads={str(outcome): CONCLUDE if target == PERSON else target for outcome, target in sorted(step.then.items())},
        )
        for step in contract.steps
    )
    return Workflow(
        name=contract.name,
        version=contract.version,
        digest=digest,
        steps=ordered,
        conclude=conclude,
        record=record,
        limits=limits_of(contract),
    )
