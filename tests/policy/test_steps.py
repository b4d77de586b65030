"""The steps: none can be left out, doubled or moved, whatever else a contract says."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.hooks import Kind
from conformed.policy.refused import RefusedError
from conformed.policy.schema import StepName, TaskContract
from conformed.policy.steps import GIVEN, ORDERS, STEPS, Application, fit


@given(st.lists(st.integers(0, 6), max_size=9))
def test_only_the_seven_in_their_order_fit(good_contract: TaskContract, picked: list[int]) -> None:
    """Any other choice or order of the steps is refused."""
    steps = [good_contract.steps[index] for index in picked]
    if picked == list(range(7)):
        fit(steps)
    else:
        with pytest.raises(RefusedError):
            fit(steps)


def test_neighbours_cannot_be_exchanged(good_contract: TaskContract) -> None:
    """Each pair of neighbours in the wrong order is refused at the first of them."""
    fit(good_contract.steps)
    for first, second in itertools.pairwise(range(7)):
        steps = list(good_contract.steps)
        steps[first], steps[second] = steps[second], steps[first]
        with pytest.raises(RefusedError) as caught:
            fit(steps)
        assert caught.value.path == ("steps", first, "name")


def test_no_step_comes_after_draft(good_contract: TaskContract) -> None:
    """An eighth step is refused at its place, whatever it is."""
    for step in good_contract.steps:
        with pytest.raises(RefusedError) as caught:
            fit([*good_contract.steps, step])
        assert caught.value.path == ("steps", 7, "name")


@pytest.mark.parametrize(("application", "end"), [("covenant", "draft"), ("short_answer", "selection")])
def test_each_step_needs_only_what_was_given(application: str, end: str) -> None:
    """Each need is given by the start or by an earlier step, and each gift is used or is the end."""
    order = ORDERS[Application(application)]
    given_so_far = set(GIVEN[Application(application)])
    for step in order:
        assert set(STEPS[step].needs) <= given_so_far
        given_so_far |= set(STEPS[step].gives)
    used = {need for step in order for need in STEPS[step].needs}
    assert given_so_far - used == {end}


def test_every_step_belongs_to_one_application() -> None:
    """No step is without an application, and none is in two."""
    assert sorted(step for order in ORDERS.values() for step in order) == sorted(StepName)


def test_the_steps_of_another_application_are_refused(good_contract: TaskContract) -> None:
    """The seven steps of a covenant are no steps of a short answer, and the first says so."""
    with pytest.raises(RefusedError) as caught:
        fit(good_contract.steps, Application.SHORT_ANSWER)
    assert caught.value.path == ("steps", 0, "name")
    assert "route" in caught.value.found


def test_rules_are_no_kind_of_plugin() -> None:
    """Precedence and calculation have no plugin, and every kind that a step asks for exists."""
    assert [step.value for step in StepName if STEPS[step].kind is None] == [
        "precedence",
        "calculate",
        "route",
        "answer",
        "select",
    ]
    assert {core.kind for core in STEPS.values()} - {None} <= set(Kind)
