"""L4: a run held against the contract that it kept and against today's; and whether a release had the approvals that it needs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import engine_toy as toy
import pytest

from conformed.engine.history import History, Move, fold
from conformed.engine.replay import Divergence, DivergenceClass
from conformed.engine.replay_policy import Policies, compare_policies
from conformed.people.history import Outcome
from conformed.policy.load import Loaded, load_text
from conformed.policy.schema import TaskContract
from conformed_audit import JSON, Actor, AuditLog, Authz, Kind, Pins, Record, RecordDraft

TEXT = (Path(__file__).parents[2] / "policies" / "covenant.yaml").read_text(encoding="utf-8")
POLICY, APPROVAL = DivergenceClass.POLICY_DIFFERS, DivergenceClass.APPROVAL_DIFFERS
STEPS = ("intake", "retrieve", "extract", "precedence", "calculate", "claim_check", "draft")


def contract(*changes: tuple[str, str]) -> Loaded[TaskContract]:
    """The packaged contract with some words changed."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return load_text(text, TaskContract, name="covenant.yaml")


def policies(pinned: Loaded[TaskContract], current: Loaded[TaskContract] | None = None) -> Policies:
    """Two contracts, or one twice."""
    now = current or pinned
    return Policies(pinned.value, pinned.digest, now.value, now.digest)


def course(*moves: Move) -> History:
    """A run with some moves; all seven accepted where none are given."""
    history = History("case-1", "run-1", toy.ticking()(), "", "", {})
    history.moves = list(moves) or [Move(step, 1, "accept") for step in STEPS]
    return history


def found(both: Policies, history: History | None = None, records: list[Record] | None = None) -> list[tuple[Any, ...]]:
    """Class, step, severity and place of each divergence."""
    _count, divergences = compare_policies(both, history or course(), records or [], Outcome("pass", False))
    return [_short(one) for one in divergences]


def _short(one: Divergence) -> tuple[Any, ...]:
    return one.kind, one.step, one.severity, one.where


def test_a_run_keeps_its_own_contract() -> None:
    """Every step led where it says."""
    assert found(policies(contract())) == []


def test_a_course_that_the_contract_does_not_allow() -> None:
    """A step that was passed over, an outcome without a name, and a budget that was passed are high under the run's own contract."""
    skipped = course(*(Move(step, 1, "accept") for step in STEPS if step != "calculate"))
    assert found(policies(contract()), skipped) == [(POLICY, "precedence", "high", "then")]
    odd = course(Move("intake", 1, "burnt"), *(Move(step, 1, "accept") for step in STEPS[1:]))
    assert found(policies(contract()), odd) == [(POLICY, "intake", "high", "then")]
    over = course(*(Move(step, 1, "accept", spent={"input_tokens": 5} if step == "draft" else {}) for step in STEPS))
    assert found(policies(contract()), over) == [(POLICY, "draft", "high", "limits")]


def test_todays_contract_is_compared_in_meaning() -> None:
    """A transition that is another, a looser limit, an approval rule; bytes alone are a difference, too."""
    stricter = contract(
        (
            "then: {accept: calculate, review: calculate, error: person}",
            "then: {accept: calculate, review: person, error: person}",
        )
    )
    reviewed = course(*(Move(step, 1, "review" if step == "precedence" else "accept") for step in STEPS))
    assert (POLICY, "precedence", "medium", "then") in found(policies(contract(), stricter), reviewed)
    assert found(policies(contract(), contract(("wall_seconds: 900", "wall_seconds: 901")))) == [
        (POLICY, "policy", "low", "limits.wall_seconds")
    ]
    assert found(policies(contract(), contract(("different_roles: true", "different_roles: false")))) == [
        (APPROVAL, "approval", "low", "approval.different_roles")
    ]
    assert found(policies(contract(), contract(("# The task contract", "# A task contract")))) == [
        (POLICY, "policy", "low", "bytes")
    ]


def released(log: AuditLog, *grants: tuple[str, str], **fields: Any) -> list[Record]:
    """The records of a run that some people approved, each in a role, and that was released on their approvals."""
    drafts = [
        RecordDraft(
            case="c", run="run-1", kind=Kind.APPROVAL_GRANTED, actor=Actor(who, "person"), approval={"role": role}, **fields
        )
        for who, role in grants
    ]
    given = log.append(drafts) if drafts else ()
    named: dict[str, JSON] = {"granted": [record.leaf for record in given]}
    release = RecordDraft(
        case="c", run="run-1", kind=Kind.DECISION_RELEASED, actor=Actor("engine", "engine"), approval=named, **fields
    )
    return [*given, *log.append([release])]


OFFICER, ANALYST = ("p-1", "credit_officer"), ("p-2", "credit_analyst")


@pytest.mark.parametrize(
    ("grants", "lacking"),
    [
        ((OFFICER, ANALYST), False),
        ((OFFICER,), True),
        ((OFFICER, ("p-1", "credit_analyst")), True),
        ((OFFICER, ("p-2", "credit_officer")), True),
        ((OFFICER, ("p-2", "janitor")), True),
        ((), True),
    ],
)
def test_a_release_has_the_approvals_of_its_contract(log: AuditLog, grants: tuple[tuple[str, str], ...], lacking: bool) -> None:
    """Two people in two of the roles; one person twice, one role twice, and a role that may not approve do not do."""
    divergences = found(policies(contract()), course(), released(log, *grants))
    assert bool(divergences) == lacking
    assert {one[:3] for one in divergences} <= {(APPROVAL, "release", "high")}


def test_a_release_that_todays_rule_would_not_allow_is_told(log: AuditLog) -> None:
    """One approval was enough then."""
    then = contract(("two_people: true\n  different_roles: true", "two_people: false\n  different_roles: false"))
    divergences = found(policies(then, contract()), course(), released(log, OFFICER))
    assert (APPROVAL, "release", "medium", "today's contract") in divergences


def test_a_record_under_another_contract_or_without_leave_is_noticed(log: AuditLog) -> None:
    """What a record pins, and what it says of its authorisation."""
    pinned = contract()
    (other,) = released(log, pins=Pins(contract="f" * 64))
    denied = dataclasses.replace(
        other, pins=Pins(contract=pinned.digest), authz=Authz("deny", "four_eyes", "f" * 64), kind="step.intent"
    )
    assert found(policies(pinned), course(), [dataclasses.replace(other, kind="step.intent")]) == [
        (POLICY, "policy", "high", "record 0")
    ]
    assert found(policies(pinned), course(), [denied]) == [(POLICY, "policy", "high", "authz of record 0")]


def test_a_history_of_nothing_is_no_fault(log: AuditLog, bakery: toy.Bakery) -> None:
    """A run whose first step never ended has nothing to compare."""
    toy.bake(log, bakery.workflow())
    history = fold(log.records(run="run-1"), "run-1")
    history.moves = []
    assert found(policies(contract()), history) == []
