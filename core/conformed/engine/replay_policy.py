"""L4: what the policy of a run said of it, and what today's policy says of the same run.

The task contract is read again from the bytes that the run kept. Transitions, budgets and approvals are held against it and
against the contract of today; where the two differ, the first difference of each kind is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformed.engine.contract import limits_of
from conformed.engine.history import History
from conformed.engine.replay import Divergence, DivergenceClass, Level, Severity, shown
from conformed.people.history import Needed, Outcome, needed
from conformed.policy.diff import diff
from conformed.policy.schema import TaskContract
from conformed.policy.steps import PERSON
from conformed_audit import Kind, Record

__all__ = ["Policies", "compare_policies"]


@dataclass(frozen=True, slots=True)
class Policies:
    """The two contracts of one run."""

    pinned: TaskContract
    """As the run kept it."""
    pinned_digest: str
    """SHA-256 of its bytes."""
    current: TaskContract
    """As it is today."""
    current_digest: str
    """SHA-256 of its bytes."""


def compare_policies(
    policies: Policies, history: History, records: Sequence[Record], outcome: Outcome
) -> tuple[int, list[Divergence]]:
    """Holds a run against the contract that it pinned and against today's.

    Args:
        policies: the two contracts.
        history: the run.
        records: every record that bears its id, in order.
        outcome: what came of it, which bears on who must approve it.

    Returns:
        How many promises were looked at, and the divergences.
    """
    found = [*_pins(policies, records), *_course(policies.pinned, history, "high")]
    if policies.current_digest != policies.pinned_digest:
        found += _course(policies.current, history, "medium")
        found += _differences(policies)
    found += _approvals(policies, records, outcome)
    return len(records) + 2 * len(history.moves), found


def _pins(policies: Policies, records: Sequence[Record]) -> list[Divergence]:
    """Each record was written under the pinned contract, and each that says how it was authorised says that it was allowed."""
    found = []
    for record in records:
        if record.pins.contract not in {None, policies.pinned_digest}:
            found.append(_policy("policy", "high", policies.pinned_digest, record.pins.contract or "", f"record {record.cseq}"))
        if record.authz is not None and record.authz.decision != "allow":
            found.append(_policy("policy", "high", record.authz.decision, "allow", f"authz of record {record.cseq}"))
    return found


def _course(contract: TaskContract, history: History, severity: Severity) -> list[Divergence]:
    """Each step led where the contract says, and no budget was passed."""
    found = []
    steps = {str(step.name): step for step in contract.steps}
    limits = limits_of(contract)
    followed = [move.step for move in history.moves[1:]]
    for move, following in zip(history.moves, [*followed, ""][: len(history.moves)], strict=True):
        step = steps.get(move.step)
        to = next((target for outcome, target in step.then.items() if outcome == move.label), None) if step else None
        if to is None:
            found.append(_policy(move.step, severity, move.label, "not named by the contract", "then"))
        elif following and to != following and not (move.failure and to == PERSON):
            found.append(_policy(move.step, severity, f"{move.label} led to {following}", f"leads to {to}", "then"))
        over = sorted(name for name, most in limits.counters.items() if move.spent.get(name, 0) > most)
        if over and move.failure is None:
            found.append(
                _policy(move.step, severity, f"{move.spent[over[0]]} {over[0]}", f"at most {limits.counters[over[0]]}", "limits")
            )
    return found


def _differences(policies: Policies) -> list[Divergence]:
    found = []
    for change in diff(policies.pinned, policies.current):
        old, new = change.old or "absent", change.new or "absent"
        if change.path.startswith(("approval.", "second_approval")):
            found.append(_divergence("approval", DivergenceClass.APPROVAL_DIFFERS, "low", old, new, change.path))
        else:
            found.append(_policy("policy", "low", old, new, change.path))
    return found or [_policy("policy", "low", policies.pinned_digest, policies.current_digest, "bytes")]


def _approvals(policies: Policies, records: Sequence[Record], outcome: Outcome) -> list[Divergence]:
    """A run that was released had the approvals that its contract asks for; and whether it has those that today's asks for."""
    released = next((record for record in reversed(records) if record.kind == Kind.DECISION_RELEASED), None)
    if released is None:
        return []
    named = (released.approval or {}).get("granted")
    names = {str(one) for one in named} if isinstance(named, list | tuple) else set()
    grants = [record for record in records if record.kind == Kind.APPROVAL_GRANTED and record.leaf in names]
    contracts: tuple[tuple[TaskContract, Severity, str], ...] = (
        (policies.pinned, "high", "the contract of the run"),
        (policies.current, "medium", "today's contract"),
    )
    for contract, severity, whose in contracts:
        lacking = _lacking(needed(contract, outcome), grants)
        if lacking:
            given = f"{len({grant.actor.id for grant in grants})} people approved"
            return [_divergence("release", DivergenceClass.APPROVAL_DIFFERS, severity, given, lacking, whose)]
    return []


def _lacking(rule: Needed, grants: Sequence[Record]) -> str:
    """What a release lacks under a rule; empty where it is whole."""
    allowed = {*rule.roles, *rule.second_roles}
    fitting = [(grant.actor.id, _role(grant)) for grant in grants if _role(grant) in allowed]
    people, roles = {who for who, _role in fitting}, {role for _who, role in fitting}
    if len(people) < rule.people:
        return f"{'two people' if rule.people > 1 else 'one person'} of {', '.join(sorted(allowed))} must"
    if rule.different_roles and len(roles) < 2:
        return "they must hold different roles"
    if not roles & set(rule.roles):
        return f"the first must be of {', '.join(rule.roles)}"
    return ""


def _role(grant: Record) -> str:
    """The role in which an approval was given."""
    return str((grant.approval or {}).get("role") or "")


def _policy(step: str, severity: Severity, recorded: str, now: str, where: str) -> Divergence:
    return _divergence(step, DivergenceClass.POLICY_DIFFERS, severity, recorded, now, where)


def _divergence(step: str, kind: DivergenceClass, severity: Severity, recorded: str, now: str, where: str) -> Divergence:
    return Divergence(
        level=Level.L4, step=step, kind=kind, severity=severity, recorded=shown(recorded), now=shown(now), where=shown(where)
    )
