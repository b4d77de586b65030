"""L3 on the bakery: the orchestrator is served what was recorded, and every way in which it now goes otherwise is noticed."""

from __future__ import annotations

from typing import Any

import engine_toy as toy
import pytest

from conformed.engine.history import fold
from conformed.engine.replay import Divergence, DivergenceClass, LevelResult
from conformed.engine.replay_serve import serve
from conformed.engine.workflow import CONCLUDE, Slot, StepSpec, Workflow
from conformed_audit import AuditLog

STEPS, INPUT, PIN, POLICY = (
    DivergenceClass.STEPS_DIFFER, DivergenceClass.INPUT_DIFFERS, DivergenceClass.PIN_DIFFERS, DivergenceClass.POLICY_DIFFERS,
)  # fmt: skip


def served(log: AuditLog, workflow: Workflow, run: str = "run-1", **changes: str) -> tuple[LevelResult, list[Divergence]]:
    """Serves a recorded run to a workflow."""
    records = list(log.records(run=run))
    return serve(workflow, toy.identity(run, **changes), fold(records, run), records)


def only(workflow: Workflow, *names: str, **renamed: str) -> Workflow:
    """The workflow with some of its steps, in an order, under other names."""
    steps = {step.name: step for step in workflow.steps}
    picked = [steps[name] for name in names]
    made = tuple(StepSpec(**{**_fields(step), "name": renamed.get(step.name, step.name)}) for step in picked)
    return Workflow(workflow.name, workflow.version, workflow.digest, made, workflow.conclude, workflow.record, workflow.limits)


def _fields(step: StepSpec) -> dict[str, Any]:
    return {name: getattr(step, name) for name in step.__slots__}


def test_the_same_workflow_writes_the_same_records(log: AuditLog, bakery: toy.Bakery) -> None:
    """Served its own answers, the orchestrator would write every record again, calls no step, and nothing is added to the log."""
    toy.bake(log, bakery.workflow())
    before, done = len(list(log.records())), bakery.count("weighed")
    result, found = served(log, bakery.workflow())
    assert (result.status, found) == ("same", [])
    assert result.compared == len([r for r in log.records() if r.run])
    assert (len(list(log.records())), bakery.count("weighed")) == (before, done)


def test_a_branch_that_was_taken_is_taken_again(log: AuditLog, bakery: toy.Bakery) -> None:
    """Burnt bread gets no label, and a replay does not ask for one."""
    bakery.burnt = True
    toy.bake(log, bakery.workflow())
    assert served(log, bakery.workflow())[0].status == "same"


@pytest.mark.parametrize(
    ("names", "renamed", "recorded", "now"),
    [
        (("order", "weigh", "bake", "label"), {"bake": "roast"}, "state.changed bake", "state.changed roast"),
        (("order", "weigh", "bake"), {}, "state.changed label", "state.changed conclude"),
        (("order", "weigh", "label", "bake"), {}, "state.changed bake", "state.changed label"),
    ],
)
def test_a_step_renamed_missing_or_reordered_is_noticed(
    log: AuditLog, bakery: toy.Bakery, names: tuple[str, ...], renamed: dict[str, str], recorded: str, now: str
) -> None:
    """The first record that differs is told with what was recorded and what is now."""
    plain = {"bake": {"outcome": None, "leads": {}, "plugins": ()}}
    toy.bake(log, bakery.workflow(**plain))
    result, found = served(log, only(bakery.workflow(**plain), *names, **renamed))
    assert result.status == "differs"
    assert [(one.kind, one.recorded, one.now, one.severity) for one in found] == [(STEPS, recorded, now, "high")]


def test_an_extra_step_is_noticed(log: AuditLog, bakery: toy.Bakery) -> None:
    """A step that the recorded run did not have is where the two part."""
    toy.bake(log, only(bakery.workflow(), "order", "weigh", "bake"))
    (one,) = served(log, bakery.workflow())[1]
    assert (one.kind, one.recorded, one.now) == (STEPS, "state.changed conclude", "state.changed label")


def test_an_outcome_that_leads_elsewhere_is_noticed(log: AuditLog, bakery: toy.Bakery) -> None:
    """Burnt bread that is now labelled is another course; an outcome without a name in the contract is one, too."""
    bakery.burnt = True
    toy.bake(log, bakery.workflow())
    (one,) = served(log, bakery.workflow(bake={"leads": {"burnt": "label"}}))[1]
    assert (one.kind, one.recorded, one.now) == (STEPS, "state.changed conclude", "state.changed label")
    (one,) = served(log, bakery.workflow(bake={"leads": {}}))[1]
    assert (one.kind, one.now) == (STEPS, "not named by the contract")


def test_another_input_is_noticed_with_its_name(log: AuditLog, bakery: toy.Bakery) -> None:
    """A step that now takes one output more, and one that takes another in its place."""
    toy.bake(log, bakery.workflow())
    found = served(log, bakery.workflow(bake={"needs": (toy.ORDER, toy.DOUGH)}))[1]
    assert {(one.kind, one.step) for one in found} == {(INPUT, "bake")}
    assert (found[0].where, found[0].recorded) == ("order", "absent")
    found = served(log, bakery.workflow(label={"needs": (toy.BREAD,)}))[1]
    assert (found[0].step, found[0].where, found[0].now) == ("label", "dough", "absent")


def test_another_plugin_and_other_pins_are_noticed(log: AuditLog, bakery: toy.Bakery) -> None:
    """The plugins of a step by name and version, and engine and plugins of each record."""
    toy.bake(log, bakery.workflow())
    (one,) = served(log, bakery.workflow(bake={"plugins": ("stone 2.0.0",)}))[1]
    assert (one.kind, one.recorded, one.now) == (PIN, "By stone 1.0.0.", "By stone 2.0.0.")
    found = served(log, bakery.workflow(), engine="9.9.9")[1]
    assert {one.kind for one in found} == {PIN}
    assert found[0].recorded.startswith("1.0.0 ")
    assert found[0].now.startswith("9.9.9 ")


def test_a_failed_step_is_served_as_it_failed(log: AuditLog, bakery: toy.Bakery) -> None:
    """A run that ended early for a failure is the same run again."""

    def fail(step: str, when: str) -> None:
        if (step, when) == ("weigh", "before"):
            raise ValueError("the scales are broken")

    bakery.hook = fail
    toy.bake(log, bakery.workflow())
    result, found = served(log, bakery.workflow())
    assert (result.status, found) == ("same", [])


def test_a_run_that_was_cut_off_and_resumed_is_one_run(log: AuditLog, bakery: toy.Bakery) -> None:
    """An attempt that was lost, and the one after it, count as the one step that they are."""

    def die(step: str, when: str) -> None:
        if (step, when) == ("order", "before") and not bakery.count("asked"):
            raise KeyboardInterrupt

    bakery.hook = die
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow())
    bakery.hook = lambda step, when: None
    toy.resume(log, bakery.workflow())
    assert any(r.kind == "step.unknown" for r in log.records())
    result, found = served(log, bakery.workflow())
    assert (result.status, found) == ("same", [])


def test_an_unfinished_run_is_compared_as_far_as_it_went(log: AuditLog, bakery: toy.Bakery) -> None:
    """What was never written is not missing."""

    def die(step: str, when: str) -> None:
        if (step, when) == ("label", "before"):
            raise KeyboardInterrupt

    bakery.hook = die
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow())
    result, found = served(log, bakery.workflow())
    assert (result.status, found) == ("same", [])
    assert result.compared > 8
    assert isinstance(Slot("x", toy.Order), Slot)
    assert CONCLUDE not in {step.name for step in bakery.workflow().steps}
