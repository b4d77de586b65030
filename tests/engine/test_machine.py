"""The state machine, on a contract that has nothing to do with covenants."""

from __future__ import annotations

import json
from typing import Any

import engine_toy as toy
import pytest
from engine_toy import Bakery, Basket, Dough

from conformed.engine.context import Inputs, StepContext
from conformed.engine.log import find_unfinished
from conformed.engine.machine import Progress
from conformed.errors import JournalError, PackError, PolicyError, ReplayError, StepError
from conformed_audit import AuditLog, verify

SECRET = "the words of the document"


def kinds(log: AuditLog) -> list[str]:
    """Kinds of the records of a log."""
    return [str(record.kind) for record in log.records()]


def test_a_run_goes_through_its_states_and_ends_with_a_person(log: AuditLog, bakery: Bakery) -> None:
    """Every step's intent stands before its outcome, and the case ends in the state awaiting_person."""
    ended = toy.bake(log, bakery.workflow())
    assert ended.record == Basket(run="run-1", loaves=2, grams=1600, baked=True, label="1600 g")
    moves = [(str(r.kind), r.step) for r in log.records() if r.kind in {"step.intent", "step.outcome"}]
    assert moves == [(f"step.{what}", step) for step in ("order", "weigh", "bake", "label") for what in ("intent", "outcome")]
    assert [case.state for case in log.cases()] == ["awaiting_person"]
    assert json.loads(log.get_blob(ended.commit)) == ended.record.model_dump(mode="json")


def test_outcome_state_and_next_intent_are_one_transaction(bakery: Bakery, log: AuditLog) -> None:
    """A run of n steps appends n + 1 times: to begin, and once a step, with the last one the final record as well."""
    sizes: list[int] = []

    class Counted:
        def __getattr__(self, name: str) -> Any:
            return getattr(log, name)

        def append(self, drafts: Any, *, blobs: Any = ()) -> Any:
            sizes.append(len(drafts))
            return log.append(drafts, blobs=blobs)

    toy.bake(Counted(), bakery.workflow())
    assert sizes == [3, 3, 3, 3, 3]


def test_the_first_record_of_a_run_lists_every_registration_and_pins(log: AuditLog, bakery: Bakery) -> None:
    """What ran is known from the first record on: engine, contract, plugins and each registration."""
    toy.bake(log, bakery.workflow())
    first = next(record for record in log.records() if record.run == "run-1")
    named = {item.name: item.commit for item in first.input}
    assert json.loads(log.get_blob(named["registrations"])) == toy.REGISTRATIONS
    assert (first.pins.engine, first.pins.contract, first.pins.plugins) == ("1.0.0", toy.DIGEST, toy.DIGEST)


def test_an_outcome_of_its_own_leads_where_the_contract_says(log: AuditLog, bakery: Bakery) -> None:
    """Burnt bread is not labelled: the outcome leads past a step."""
    bakery.burnt = True
    ended = toy.bake(log, bakery.workflow())
    assert ended.record.model_dump()["label"] == ""
    assert ended.failures == ()
    assert "label" not in {record.step for record in log.records()}


def test_progress_tells_each_step_once(log: AuditLog, bakery: Bakery) -> None:
    """Whoever watches sees each step begin and end, with its place."""
    seen: list[Progress] = []
    toy.bake(log, bakery.workflow(), progress=seen.append)
    assert [(one.step, one.event, one.number, one.total) for one in seen][:3] == [
        ("order", "begun", 1, 4),
        ("order", "accept", 1, 4),
        ("weigh", "begun", 2, 4),
    ]
    assert len(seen) == 8


def test_bad_input_stops_the_run_with_its_own_sentence(log: AuditLog, bakery: Bakery, tmp_path: Any) -> None:
    """An error that a step declares as bad input reaches the person, is in the log, and such a run is not resumed."""

    def refuse(_inputs: Inputs, _context: StepContext) -> Any:
        raise PackError("The pack is empty.", "Add a document.")

    workflow = bakery.workflow(order={"run": refuse, "stops": (PackError,)})
    with pytest.raises(PackError, match=r"The pack is empty\. Add a document\."):
        toy.bake(log, workflow)
    assert [case.state for case in log.cases()] == ["stopped"]
    assert find_unfinished(log) == ()
    with pytest.raises(ReplayError, match="was stopped"):
        toy.resume(log, workflow)
    assert verify(tmp_path / "log.db").ok


def test_a_persons_interrupt_leaves_the_run_to_be_resumed(log: AuditLog, bakery: Bakery) -> None:
    """Ctrl-C is neither a failure of the step nor an end of the run."""

    def interrupt(_inputs: Inputs, _context: StepContext) -> Dough:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow(weigh={"run": interrupt}))
    assert [(one.run, one.pending) for one in find_unfinished(log)] == [("run-1", ("weigh", 1))]
    assert toy.resume(log, bakery.workflow()).record.model_dump()["label"] == "1600 g"
    assert find_unfinished(log) == ()


def test_a_run_is_not_begun_twice(log: AuditLog, bakery: Bakery) -> None:
    """The same run id in the same case is refused; a second run of the case stands beside the first."""
    toy.bake(log, bakery.workflow())
    with pytest.raises(JournalError, match="has a run run-1 already"):
        toy.bake(log, bakery.workflow())
    assert toy.bake(log, bakery.workflow(), run="run-2").record.model_dump()["run"] == "run-2"
    assert kinds(log).count("case.opened") == 1


def test_resuming_a_finished_run_gives_its_record_and_writes_nothing(log: AuditLog, bakery: Bakery) -> None:
    """A run that has ended is read back as it ended."""
    ended, before = toy.bake(log, bakery.workflow()), kinds(log)
    again = toy.resume(log, bakery.workflow())
    assert (again.record, again.commit) == (ended.record, ended.commit)
    assert kinds(log) == before
    assert bakery.count("oven") == 1


def test_a_run_is_only_resumed_with_what_it_began_with(log: AuditLog, bakery: Bakery) -> None:
    """Another contract, engine or plugin is another run."""
    from conformed.engine.journal import Journal
    from conformed.engine.machine import Machine

    toy.bake(log, bakery.workflow())
    changed = Journal(log, toy.identity(plugins="sha256:" + "b" * 64))
    with pytest.raises(ReplayError, match="began with plugins"):
        Machine(bakery.workflow(), changed).resume(toy.Wish)
    with pytest.raises(PolicyError, match="pins another contract"):
        Machine(bakery.workflow(), Journal(log, toy.identity(contract="sha256:" + "b" * 64)))
    with pytest.raises(ReplayError, match="no run other"):
        toy.resume(log, bakery.workflow(), run="other")


def test_a_step_sees_only_what_it_declares(log: AuditLog, bakery: Bakery) -> None:
    """Reading an output that was not declared fails the step."""

    def peek(inputs: Inputs, _context: StepContext) -> Any:
        return toy.Label(text=str(inputs[toy.ORDER].loaves))

    def glance(inputs: Inputs, _context: StepContext) -> Any:
        return toy.Label(text=str(inputs.get(toy.ORDER)))

    for number, step in enumerate((peek, glance)):
        ended = toy.bake(log, bakery.workflow(label={"run": step}), run=f"run-{number}")
        assert ended.record.model_dump()["failures"] == ("label:review_step_failed",)


def test_a_record_that_cannot_be_put_together_is_an_error_and_can_be_resumed(log: AuditLog, bakery: Bakery) -> None:
    """A fault in the conclusion ends no run with a made-up record; the mended program resumes it."""
    from dataclasses import replace

    broken = replace(bakery.workflow(), conclude=lambda known: Basket(run=known.nonsense))  # type: ignore[attr-defined]
    with pytest.raises(StepError, match="could not be put together"):
        toy.bake(log, broken)
    assert ("step.outcome", "label") in {(str(record.kind), record.step) for record in log.records()}
    assert toy.resume(log, bakery.workflow()).record.model_dump()["label"] == "1600 g"
    assert bakery.count("oven") == 1
