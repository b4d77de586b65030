"""Steps that raise, hang, leave, lie or spend too much: each ends with a person, under a code of its own."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import engine_toy as toy
import pytest
from engine_toy import Bakery, Dough

from conformed.engine.context import Inputs, StepContext
from conformed.engine.workflow import Limits
from conformed.errors import StepError
from conformed_audit import AuditLog

SECRET = "the words of the document"


class MisbehavedError(Exception):
    """What a bad step raises."""


def raises(_inputs: Inputs, _context: StepContext) -> Dough:
    """Raises, quoting the document."""
    raise MisbehavedError(SECRET)


def leaves(_inputs: Inputs, _context: StepContext) -> Dough:
    """Would end the process, and well at that."""
    sys.exit(0)


def loops(_inputs: Inputs, _context: StepContext) -> Dough:
    """Never ends."""
    while True:
        pass


def sleeps(_inputs: Inputs, _context: StepContext) -> Dough:
    """Takes too long."""
    time.sleep(60)
    return Dough(grams=1)


def backtracks(_inputs: Inputs, _context: StepContext) -> Dough:
    """Never ends, and holds the lock of the interpreter."""
    import re

    re.match(r"(a+)+$", "a" * 60 + "b")
    return Dough(grams=1)


def swallows(_inputs: Inputs, _context: StepContext) -> Dough:
    """Makes light of being cut."""
    try:
        time.sleep(60)
    except BaseException:  # noqa: BLE001 - just what is to be shown
        return Dough(grams=1)
    return Dough(grams=2)


def other(_inputs: Inputs, _context: StepContext) -> Any:
    """Gives something else."""
    return {"grams": 1600}


def nothing(_inputs: Inputs, _context: StepContext) -> Any:
    """Gives nothing."""
    return None


def unvalidated(_inputs: Inputs, _context: StepContext) -> Dough:
    """Gives a model whose field is of another type."""
    return Dough.model_construct(grams="a lot")  # type: ignore[arg-type]


def invents(_inputs: Inputs, _context: StepContext) -> Dough:
    """Raises with a code of its own making."""
    raise StepError(SECRET, code="accept_" + SECRET)


def spends(_inputs: Inputs, context: StepContext) -> Dough:
    """Passes a budget."""
    context.meter.spend(eggs=4)
    return Dough(grams=1)


def hides(_inputs: Inputs, context: StepContext) -> Dough:
    """Passes a budget and does not tell."""
    try:
        context.meter.spend(eggs=4)
    except StepError:
        return Dough(grams=1)
    return Dough(grams=2)


def spends_what_is_not_allowed(_inputs: Inputs, context: StepContext) -> Dough:
    """Spends what the contract does not name."""
    context.meter.spend(tokens=1)
    return Dough(grams=1)


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (raises, "review_step_failed"),
        (leaves, "review_step_failed"),
        (invents, "review_step_failed"),
        (loops, "review_step_timeout"),
        (sleeps, "review_step_timeout"),
        (backtracks, "review_step_timeout"),
        (swallows, "review_step_timeout"),
        (other, "review_step_malformed"),
        (nothing, "review_step_malformed"),
        (unvalidated, "review_step_malformed"),
        (spends, "review_budget_exceeded"),
        (hides, "review_budget_exceeded"),
        (spends_what_is_not_allowed, "review_budget_exceeded"),
    ],
)
def test_a_misbehaving_step_ends_with_a_person(log: AuditLog, bakery: Bakery, step: Any, code: str) -> None:
    """Whatever a step does wrong ends in a record with a code of its own, in the log, without the exception's words."""
    ended = toy.bake(log, bakery.workflow(weigh={"run": step, "limit_ms": 200}))
    assert ended.record.model_dump()["failures"] == (f"weigh:{code}",)
    assert bakery.count("oven") == 0
    failed = [record for record in log.records() if record.kind == "step.failed"]
    assert [(record.step, record.error.code if record.error else "") for record in failed] == [("weigh", code)]
    assert not any(SECRET.encode() in record.body for record in log.records())
    assert [case.state for case in log.cases()] == ["awaiting_person"]


@pytest.mark.parametrize("step", [loops, sleeps])
def test_a_hanging_step_is_left_behind_off_the_main_thread(tmp_path: Any, bakery: Bakery, step: Any) -> None:
    """Where no timer signal can reach a step its result is abandoned at the limit, and the run goes on to a person."""
    codes: list[str] = []
    stop = threading.Event()

    def hang(inputs: Inputs, context: StepContext) -> Dough:
        while not stop.is_set():  # as the step would, but so that the test can end it
            time.sleep(0.005 if step is sleeps else 0)
        return Dough(grams=1)

    def work() -> None:
        with toy.open_log(tmp_path / "other.db") as log:
            codes.extend(one.code for one in toy.bake(log, bakery.workflow(weigh={"run": hang, "limit_ms": 100})).failures)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join(20)
    stop.set()
    assert codes == ["review_step_timeout"]


def test_the_runs_own_time_is_a_budget(log: AuditLog, bakery: Bakery) -> None:
    """When the run's time is shorter than the step's, the code says that the budget ran out, and no further step is run."""
    workflow = bakery.workflow(limits=Limits(wall_ms=150), weigh={"run": sleeps, "limit_ms": 60_000}, bake={})
    assert [one.code for one in toy.bake(log, workflow).failures] == ["review_budget_exceeded"]


def test_an_outcome_that_the_contract_does_not_name_is_malformed(log: AuditLog, bakery: Bakery) -> None:
    """A step cannot invent a transition."""
    workflow = bakery.workflow(weigh={"outcome": lambda dough: "elsewhere"})
    assert [one.code for one in toy.bake(log, workflow).failures] == ["review_step_malformed"]
