"""What people did in a case, as far as it bears on what they may do next. Folded from the log by the application."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from conformed.policy.may import Action, Condition
from conformed.policy.schema import TaskContract

__all__ = ["CaseHistory", "Given", "Needed", "Outcome", "needed"]


@dataclass(frozen=True, slots=True)
class Needed:
    """Which approvals a record needs before it is released."""

    people: int
    """How many different people must approve: 1 or 2."""
    roles: tuple[str, ...]
    """Roles of which the first must hold one."""
    second_roles: tuple[str, ...] = ()
    """Roles of which the second must hold one; empty for one person."""
    different_roles: bool = False
    """Whether the two must approve in different roles."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What of a decision bears on who must approve it."""

    result: str
    """pass, breach, not_tested or review."""
    overridden: bool
    """Whether people added facts to it."""


def needed(contract: TaskContract, outcome: Outcome) -> Needed:
    """Which approvals a decision needs under its contract.

    A second person is asked for by ``two_people``, or by a condition that holds; nothing takes one away.

    Args:
        contract: the contract under which the run was done.
        outcome: what came of the run.
    """
    second = contract.second_approval
    holds = {Condition.ALWAYS, Condition(f"result_{outcome.result}")} | ({Condition.OVERRIDDEN} if outcome.overridden else set())
    two = contract.approval.two_people or (second is not None and bool(holds & set(second.when)))
    return Needed(
        people=2 if two else 1,
        roles=contract.roles(Action.ACCEPT),
        second_roles=contract.roles(Action.SECOND_APPROVAL) if two else (),
        different_roles=two and contract.approval.different_roles,
    )


@dataclass(frozen=True, slots=True)
class Given:
    """An approval that stands."""

    leaf: str
    """Its name in the log, hex."""
    by: str
    """Pseudonym of who gave it."""
    chain: frozenset[str]
    """That person and everyone behind them."""
    account: str
    """Their account."""
    role: str
    """The role in which it was given."""


@dataclass(frozen=True, slots=True)
class CaseHistory:
    """A case as the log tells it, seen from one run of it."""

    run: str = ""
    """The run that is spoken of; empty where an action is not about one."""
    subject: str = ""
    """Leaf of the run's final record, hex; empty where it has none."""
    latest: str = ""
    """The run whose final record is the last decision of the case; empty while one is at work or there is none."""
    workers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Pseudonyms of everyone who opened, ran, edited or overrode in the case, those behind them too, with what they did."""
    accounts: frozenset[str] = frozenset()
    """Their accounts."""
    runner_known: bool = True
    """Whether the log says of every run of the case who ran it."""
    unknown: frozenset[str] = frozenset()
    """Workers whom the directory no longer tells apart from others: their entry was erased."""
    given: tuple[Given, ...] = ()
    """Approvals of the run's final record that stand, in order."""
    needed: Needed | None = None
    """What the run's final record needs; None where there is none."""
    returned: bool = False
    """Whether the run's final record was sent back."""
    released: bool = False
    """Whether it was released."""

    def shares(self, chain: Iterable[str], account: str) -> bool:
        """Whether a person, or anyone behind them, worked on the case."""
        return bool(set(chain) & self.workers.keys()) or (account != "" and account in self.accounts)
