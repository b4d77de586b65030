"""The one function that decides: each rule alone, from plain values."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from conformed.people.authorise import authorise
from conformed.people.history import CaseHistory, Given, Needed, Outcome, needed
from conformed.people.person import Person
from conformed.policy.load import load_text
from conformed.policy.may import Action
from conformed.policy.schema import TaskContract

BOB = Person(id="p-bob", account="os:2", roles=("credit_analyst",), session="os:2:7", method="os-account")
NEEDED = Needed(2, ("credit_analyst", "credit_officer"), ("credit_analyst", "credit_officer"), different_roles=True)
OPEN = CaseHistory(
    run="r-1", subject="a" * 64, latest="r-1", workers={"p-ana": ("opened", "ran")}, accounts=frozenset({"os:1"}), needed=NEEDED
)
FIRST = Given("b" * 64, "p-cem", frozenset({"p-cem"}), "os:3", "credit_officer")


def test_somebody_else_with_a_role_may_accept(contract: TaskContract) -> None:
    """The decision names the rule and the role in which it is done."""
    found = authorise(Action.ACCEPT, BOB, OPEN, contract)
    assert (found.allowed, found.rule, found.role, found.reasons) == (True, "may.accept", "credit_analyst", ())


CHANGES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"subject": ""}, "no_record"),
    ({"latest": "r-2"}, "not_the_latest"),
    ({"latest": ""}, "not_the_latest"),
    ({"returned": True}, "returned"),
    ({"released": True}, "released"),
    ({"workers": {"p-bob": ("overrode",)}}, "own_work"),
    ({"accounts": frozenset({"os:2"})}, "own_work"),
    ({"runner_known": False}, "runner_unknown"),
    ({"unknown": frozenset({"p-ana"})}, "worker_unknown"),
    ({"given": (dataclasses.replace(FIRST, chain=frozenset({"p-cem", "p-bob"})),)}, "approved_already"),
    ({"given": (dataclasses.replace(FIRST, account="os:2"),)}, "approved_already"),
    (
        {"given": (FIRST, dataclasses.replace(FIRST, by="p-d", chain=frozenset({"p-d"}), role="credit_analyst"))},
        "approved_enough",
    ),
    ({"given": (dataclasses.replace(FIRST, role="credit_analyst"),)}, "role_taken"),
    ({"needed": Needed(1, ("credit_officer",))}, "role_lacking"),
)


@pytest.mark.parametrize(("change", "reason"), CHANGES, ids=[f"{reason} {number}" for number, (_, reason) in enumerate(CHANGES)])
def test_one_thing_that_is_otherwise_denies(contract: TaskContract, change: dict[str, Any], reason: str) -> None:
    """Each rule alone turns the same acceptance into a denial with its reason, a sentence and a mend."""
    history = dataclasses.replace(OPEN, **change)
    action = Action.SECOND_APPROVAL if history.given else Action.ACCEPT
    found = authorise(action, BOB, history, contract)
    assert not found.allowed
    assert reason in found.reasons
    assert all(one.sentence.endswith(".") and one.mend for one in found.refusals)


@pytest.mark.parametrize("roles", [("administrator",), ("administrator", "credit_analyst", "credit_officer", "records_officer")])
@pytest.mark.parametrize("action", [Action.ACCEPT, Action.SECOND_APPROVAL])
def test_no_role_lifts_the_separation(contract: TaskContract, roles: tuple[str, ...], action: Action) -> None:
    """Whatever roles somebody holds, their own work stays their own."""
    person = dataclasses.replace(BOB, roles=roles)
    history = dataclasses.replace(OPEN, workers={"p-bob": ("ran",)})
    assert authorise(action, person, history, contract).refusals[0].reason == "own_work"


def test_those_behind_a_person_count(contract: TaskContract) -> None:
    """Acting through or for somebody who worked on the case is their work."""
    person = dataclasses.replace(BOB, behind=("p-ana",))
    assert authorise(Action.ACCEPT, person, OPEN, contract).reasons == ("own_work",)


def test_the_defaults_fit_one_analyst(contract: TaskContract) -> None:
    """Somebody without any role may run, resume, override, send back and export; neither accept nor erase."""
    nobody = dataclasses.replace(BOB, roles=())
    allowed = {action for action in Action if authorise(action, nobody, OPEN, contract).allowed}
    assert allowed == {Action.RUN, Action.RESUME, Action.OVERRIDE, Action.RETURN, Action.EXPORT, Action.ROTATE_KEY}


def test_a_contract_names_who_may_do_what(policy: str) -> None:
    """A role that the contract asks for is asked for; resuming follows running where nothing else is said."""
    contract = load_text(policy + "may: {run: [desk], export: [auditor]}\n", TaskContract, name="x.yaml").value
    for action in (Action.RUN, Action.RESUME, Action.EXPORT):
        assert authorise(action, BOB, OPEN, contract).reasons == ("role_lacking",)
    desk = dataclasses.replace(BOB, roles=("desk",))
    assert authorise(Action.RESUME, desk, OPEN, contract).role == "desk"


@pytest.mark.parametrize(
    ("when", "result", "overridden", "people"),
    [
        ("always", "pass", False, 2), ("overridden", "pass", False, 1), ("overridden", "pass", True, 2),
        ("result_breach", "breach", False, 2), ("result_breach", "review", True, 1), ("result_review", "review", False, 2),
    ],
)  # fmt: skip
def test_when_a_second_person_must_confirm(policy: str, when: str, result: str, overridden: bool, people: int) -> None:
    """A condition that holds asks for a second person; where two are asked for anyhow, no condition takes one away."""
    outcome, rule = Outcome(result, overridden), f"second_approval: {{when: [{when}], roles: [branch_head]}}\n"
    one = policy.replace("two_people: true\n  different_roles: true", "two_people: false")
    found = needed(load_text(one + rule, TaskContract, name="x.yaml").value, outcome)
    assert (found.people, found.second_roles) == (people, ("branch_head",) if people == 2 else ())
    assert needed(load_text(policy + rule, TaskContract, name="x.yaml").value, outcome).people == 2
