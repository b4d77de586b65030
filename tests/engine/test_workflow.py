"""A workflow is checked when it is built, not when it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import engine_parts as parts
import engine_toy as toy
import pytest
from engine_toy import Bakery

from conformed.engine.assemble import assemble
from conformed.engine.contract import workflow_of
from conformed.engine.workflow import CONCLUDE, Slot, StepSpec, Workflow
from conformed.errors import PolicyError
from conformed.model.decision import Decision
from conformed.policy.schema import TaskContract
from conformed.policy.steps import ORDERS, STEPS, Application


class Halves(toy.Plain):
    share: float


class Inner(toy.Plain):
    halves: dict[str, Halves]


def never(_inputs: Any, _context: Any) -> Any:
    """May not be run."""
    raise AssertionError("a workflow that does not fit was run")


def spec(name: str, gives: str, *, kind: type = toy.Dough, **fields: Any) -> StepSpec:
    """A step."""
    return StepSpec(name=name, gives=Slot(gives, kind), run=never, **fields)


def built(*steps: StepSpec) -> Workflow:
    """A workflow."""
    return Workflow("w", "1", toy.DIGEST, steps, toy.conclude, toy.Basket)


A, B = Slot("a", toy.Dough), Slot("b", toy.Dough)


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((), "has no step"),
        ((spec("one", "a"), spec("one", "b")), "is taken twice"),
        ((spec("conclude", "a"),), "is taken twice"),
        ((spec("awaiting_person", "a"),), "is taken twice"),
        ((spec("one", "a"), spec("two", "a")), "both give a"),
        ((spec("one", "a", needs=(A,)),), "which no earlier step gives"),
        ((spec("one", "a"), spec("two", "b", uses=(Slot("c", toy.Dough),))), "which no earlier step gives"),
        ((spec("one", "a"), spec("two", "b", needs=(Slot("a", toy.Order),))), "gives Dough"),
        ((spec("one", "a"), spec("two", "b", leads={"accept": "one"})), "not a later step"),
        ((spec("one", "a"), spec("two", "b", leads={"accept": "two"})), "not a later step"),
        ((spec("one", "a", leads={"accept": "three"}), spec("two", "b")), "not a later step"),
        ((spec("one", "a", leads={"error": "two"}), spec("two", "b", needs=(A,))), "can be reached without a"),
        ((spec("one", "a", leads={"odd": "three"}), spec("two", "b"), spec("three", "c", needs=(B,))), "reached without b"),
        ((spec("one", "a", leads={"accept": CONCLUDE, "review": CONCLUDE}), spec("two", "b")), "No outcome leads to"),
        ((spec("one", "a", kind=Halves),), "may hold a binary float"),
        ((spec("one", "a", kind=Inner),), "may hold a binary float"),
    ],
)
def test_steps_that_do_not_fit_are_refused(steps: tuple[StepSpec, ...], found: str) -> None:
    """Names, hand-overs, types, transitions and floats: each refusal says which step and why."""
    with pytest.raises(PolicyError, match=found):
        built(*steps)


def test_a_step_after_a_failure_may_use_what_is_there(bakery: Bakery) -> None:
    """What an earlier failure may have left out is declared under uses, and such a workflow is built."""
    made = built(spec("one", "a", leads={"error": "two"}), spec("two", "b", uses=(A,)))
    assert made.leads(made.step("one")) == {"accept": "two", "review": "two", "error": "two"}
    with pytest.raises(KeyError):
        made.step("three")


@pytest.fixture
def contract() -> Callable[..., TaskContract]:
    """A task contract with the seven steps, as a policy file would give it."""
    names = list(ORDERS[Application.COVENANT])

    def step(place: int) -> dict[str, Any]:
        core = STEPS[names[place]]
        following = names[place + 1] if place + 1 < len(names) else "person"
        uses = [{"plugin": "stand-in", "version": "1.0.0"}] if core.least else []
        then = {"accept": following, "review": following if place else "person", "error": "person"}
        return {
            "name": names[place],
            "needs": core.needs,
            "gives": core.gives,
            "uses": uses,
            "timeout_seconds": 10 + place,
            "then": then,
        }

    def make(**changes: Any) -> TaskContract:
        said = "What it is."
        plain = {
            "name": "leverage",
            "version": "1.0.0",
            "title": said,
            "task": {"graded": said, "checkability": "cheap", "rung": "search", "baseline": said, "human_action": said},
            "consequence": "high",
            "limits": {"input_tokens": 5, "output_tokens": 6, "generated_tokens": 7, "wall_seconds": 60, "cost_units": 8},
            "steps": [step(place) for place in range(len(names))],
            "evidence": ["pack_document"],
            "answer": {"record": "conformed.decision/1", "results": ["pass", "breach", "not_tested", "review"]},
            "abstain_when": ["review_*"],
            "approval": {"roles": ["analyst"], "two_people": False},
            "retention": {"keep": ["decision_record"], "years": 1},
            "allowed_plugins": [{"distribution": "conformed", "version": "1.0.0"}],
        }
        return TaskContract.model_validate({**plain, **changes})

    return make


def test_a_task_contract_becomes_states_limits_and_transitions(contract: Callable[..., TaskContract]) -> None:
    """Time limits, budgets and where outcomes lead are the contract's, whatever the bound steps say."""
    made = workflow_of(contract(), toy.DIGEST, reversed(parts.steps()), assemble, Decision)
    assert made.names == tuple(str(name) for name in ORDERS[Application.COVENANT])
    assert made.step("extract").limit_ms == 12_000
    assert made.limits.wall_ms == 60_000
    assert dict(made.limits.counters) == {"input_tokens": 5, "output_tokens": 6, "generated_tokens": 7, "cost_units": 8}
    assert made.leads(made.step("intake")) == {"accept": "retrieve", "review": CONCLUDE, "error": CONCLUDE}
    assert made.leads(made.step("draft"))["accept"] == CONCLUDE


def test_steps_bound_twice_or_not_at_all_are_refused(contract: Callable[..., TaskContract]) -> None:
    """The contract's steps are bound once each."""
    steps = parts.steps()
    with pytest.raises(PolicyError, match="bound twice"):
        workflow_of(contract(), toy.DIGEST, [*steps, steps[0]], assemble, Decision)
    with pytest.raises(PolicyError, match="differ: draft"):
        workflow_of(contract(), toy.DIGEST, steps[:-1], assemble, Decision)
    with pytest.raises(PolicyError, match="differ: draft, sketch"):
        workflow_of(contract(), toy.DIGEST, [*steps[:-1], replace(steps[-1], name="sketch")], assemble, Decision)
