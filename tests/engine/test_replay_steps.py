"""L2 on the bakery: each pure step is done again from recorded inputs; what differs is told, and whether the end would differ."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import engine_toy as toy
import pytest

from conformed.engine.context import Inputs, StepContext
from conformed.engine.history import History, fold
from conformed.engine.log import ours
from conformed.engine.replay import DivergenceClass
from conformed.engine.replay_steps import Again, Steps
from conformed.engine.workflow import Workflow
from conformed_audit import AuditLog

OUTPUT, ABSENT = DivergenceClass.OUTPUT_DIFFERS, DivergenceClass.INPUT_ABSENT


def again(log: AuditLog, workflow: Workflow, *, also: tuple[str, ...] = (), loaves: int = 2) -> Again:
    """Does the recorded run again."""

    def read(commit: str) -> bytes:
        with ours("read"):
            return log.get_blob(commit)

    return Steps(workflow, history(log), toy.Wish(loaves=loaves), read, also).compare()


def history(log: AuditLog) -> History:
    """The recorded run."""
    return fold(log.records(run="run-1"), "run-1")


def weigh_otherwise(inputs: Inputs, _context: StepContext) -> toy.Dough:
    """Heavier loaves."""
    return toy.Dough(grams=inputs[toy.ORDER].loaves * 900)


def test_pure_steps_are_done_again_and_others_are_not(log: AuditLog, bakery: toy.Bakery) -> None:
    """Weighing and labelling give the same bytes; nobody is asked again and nothing is baked again."""
    ended = toy.bake(log, bakery.workflow())
    found = again(log, bakery.workflow())
    assert (found.result.status, found.result.compared, found.divergences) == ("same", 3, ())
    assert "order, bake" in found.result.sentence
    assert (bakery.count("asked"), bakery.count("weighed"), bakery.count("oven")) == (1, 2, 1)
    assert found.record == ended.record


def test_another_output_is_told_with_its_place_and_carried_to_the_end(log: AuditLog, bakery: toy.Bakery) -> None:
    """Each later step is still compared on its recorded input; the run as a whole is done again with what comes out now."""
    toy.bake(log, bakery.workflow())
    found = again(log, bakery.workflow(weigh={"run": weigh_otherwise}))
    (one,) = found.divergences
    assert (one.kind, one.step, one.where, one.recorded, one.now) == (OUTPUT, "weigh", "grams", "1600", "1800")
    assert isinstance(found.record, toy.Basket)
    assert (found.record.grams, found.record.label) == (1800, "1800 g")


def test_a_failure_that_comes_again_is_the_same_and_one_that_does_not_differs(log: AuditLog, bakery: toy.Bakery) -> None:
    """A step's failure is its outcome: it is compared by its code."""

    def broken(_inputs: Inputs, _context: StepContext) -> toy.Dough:
        raise ValueError("the scales are broken")

    toy.bake(log, bakery.workflow(weigh={"run": broken}))
    assert again(log, bakery.workflow(weigh={"run": broken})).divergences == ()
    (one,) = again(log, bakery.workflow()).divergences
    assert (one.kind, one.recorded, one.now) == (OUTPUT, "review_step_failed", "an output")


def test_a_step_that_was_too_slow_is_not_a_divergence(log: AuditLog, bakery: toy.Bakery) -> None:
    """What the clock decided is taken from the record."""

    def slow(_inputs: Inputs, _context: StepContext) -> toy.Dough:
        while True:
            pass

    toy.bake(log, bakery.workflow(weigh={"run": slow, "limit_ms": 30}))
    found = again(log, bakery.workflow())
    assert found.divergences == ()
    assert "weigh" in found.result.sentence


def test_a_read_step_whose_input_was_kept_is_done_again(log: AuditLog, bakery: toy.Bakery) -> None:
    """Then its output is compared like any other."""
    toy.bake(log, bakery.workflow())
    assert again(log, bakery.workflow(), also=("order",)).divergences == ()
    (one,) = again(log, bakery.workflow(), also=("order",), loaves=3).divergences
    assert (one.step, one.where, one.recorded, one.now) == ("order", "loaves", "2", "3")


def test_an_erased_output_is_a_missing_input_of_what_follows(tmp_path: Path, bakery: toy.Bakery) -> None:
    """The level cannot go on from there, says so, and nothing is called the same."""
    path = tmp_path / "erased.db"
    with toy.open_log(path) as log:
        toy.bake(log, bakery.workflow())
        commit = next(move.commit for move in history(log).moves if move.step == "weigh")
    with sqlite3.connect(path) as base:
        base.execute('UPDATE blob SET salt = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?', ("2026-01-02", commit))
    base.close()
    with toy.open_log(path) as log:
        found = again(log, bakery.workflow())
    assert found.result.status == "cannot"
    assert {one.kind for one in found.divergences} == {ABSENT}
    assert "erased" in found.divergences[0].now
    assert found.record is None


def test_a_conclusion_that_is_put_together_otherwise_differs(log: AuditLog, bakery: toy.Bakery) -> None:
    """The final record is a step, too."""

    def conclude(known: Any) -> toy.Basket:
        return toy.conclude(known).model_copy(update={"label": "best bread"})

    toy.bake(log, bakery.workflow())
    plain = bakery.workflow()
    other = Workflow(plain.name, plain.version, plain.digest, plain.steps, conclude, plain.record, plain.limits)
    (one,) = again(log, other).divergences
    assert (one.step, one.kind, one.where, one.now) == ("conclude", OUTPUT, "label", '"best bread"')


@pytest.mark.parametrize("eggs", [1, 4])
def test_budgets_are_spent_anew_from_what_was_spent_before(log: AuditLog, bakery: toy.Bakery, eggs: int) -> None:
    """A step that spends within its budget does so again, and one that was refused for it is taken from the record."""

    def weigh(inputs: Inputs, context: StepContext) -> toy.Dough:
        context.meter.spend(eggs=eggs)
        return toy.Dough(grams=inputs[toy.ORDER].loaves * 800)

    toy.bake(log, bakery.workflow(weigh={"run": weigh}))
    assert again(log, bakery.workflow(weigh={"run": weigh})).divergences == ()
