"""The one pure function that decides every action of a person. Same person, same history, same contract: same answer."""

from __future__ import annotations

from dataclasses import dataclass

from conformed.people.history import CaseHistory, Needed
from conformed.people.person import Person
from conformed.policy.may import ANYONE, Action
from conformed.policy.schema import TaskContract

__all__ = ["Authz", "Refusal", "authorise"]

_ABOUT_A_RECORD = frozenset({Action.ACCEPT, Action.SECOND_APPROVAL, Action.RETURN, Action.WITHDRAW})
_APPROVALS = frozenset({Action.ACCEPT, Action.SECOND_APPROVAL})
_DID = {"opened": "opened it", "ran": "ran it", "overrode": "overrode it", "edited": "edited it"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why not, for people and for the record."""

    reason: str
    """Its code."""
    sentence: str
    """In plain words."""
    mend: str
    """What to do instead."""


@dataclass(frozen=True, slots=True)
class Authz:
    """What was decided of an action, allowed and denied alike."""

    action: Action
    """What was asked."""
    allowed: bool
    """Whether it may be done."""
    rule: str
    """The rule that decided, as a path in the contract, or ``separation`` and the like where the product decides."""
    role: str = ""
    """The role in which it is done; empty where none is asked for."""
    refusals: tuple[Refusal, ...] = ()
    """Why not, the weightiest first; empty where it may be done."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """Codes of why not."""
        return tuple(one.reason for one in self.refusals)


def authorise(action: Action, person: Person, history: CaseHistory, contract: TaskContract) -> Authz:
    """Decides whether a person may do something.

    No role lifts the separation of duties, that of an administrator neither; no amount does.

    Args:
        action: what is to be done.
        person: who wants to.
        history: what was done in the case before.
        contract: the contract under which the case is run.

    Returns:
        The decision, with the rule that made it.
    """
    refused: list[tuple[str, Refusal]] = []
    if action in _ABOUT_A_RECORD:
        refused += _of_the_record(action, history)
    if action in _APPROVALS:
        refused += _of_separation(person, history)
        refused += _of_another(person, history)
    if action is Action.WITHDRAW and not any(one.by == person.id for one in history.given):
        refused.append(
            _no("approvals", "nothing_to_withdraw", "No approval of yours stands for this run.", "See: conformed approvals RUN.")
        )
    role, lacking = _role(action, person, history, contract)
    if lacking is not None:
        refused.append(("roles", lacking))
    if refused:
        return Authz(action, allowed=False, rule=refused[0][0], refusals=tuple(one for _, one in refused))
    return Authz(action, allowed=True, rule=f"may.{action}", role=role)


def _of_the_record(action: Action, history: CaseHistory) -> list[tuple[str, Refusal]]:
    """Whether there is a record of which something may still be said."""
    run = history.run
    if not history.subject:
        return [_no("record", "no_record", f"Run {run} has no decision yet.", "Resume it, or run the pack again.")]
    found = []
    if history.latest != run:
        now = f"run {history.latest} is the latest of this case" if history.latest else "another run of this case is at work"
        mend = f"Look at that one: conformed approvals {history.latest}." if history.latest else "Let it end, or resume it."
        found.append(_no("record", "not_the_latest", f"Run {run} was overtaken: {now}.", mend))
    if history.returned and action is not Action.WITHDRAW:
        found.append(_no("record", "returned", f"Run {run} was sent back.", "Mend what was said of it, and do it again."))
    if history.released:
        found.append(_no("record", "released", f"Run {run} was released.", "What changes it is another run of the pack."))
    return found


def _of_separation(person: Person, history: CaseHistory) -> list[tuple[str, Refusal]]:
    """Nobody approves what they, or anyone in their chain, opened, ran, edited or overrode."""
    if history.shares(person.chain, person.account):
        did = sorted({word for who in person.chain for word in history.workers.get(who, ())})
        words = " and ".join(_DID.get(word, word) for word in did) or "worked on it under another pseudonym"
        through = "" if person.id in history.workers or not did else ", or the one for whom or through whom you act"
        sentence = f"You cannot accept this case: you{through} {words}. Nobody approves their own work, administrators included."
        mend = (
            "Another person must accept it. On a machine that one person uses, this needs another user of the operating system,"
            " with a login of their own."
        )
        return [_no("separation", "own_work", sentence, mend)]
    if not history.runner_known:
        sentence = "The log does not say who ran this case, so it cannot be shown that you did not."
        return [_no("separation", "runner_unknown", sentence, "Run the pack again, and accept that run.")]
    if history.unknown:
        sentence = (
            "Someone who worked on this case is no longer in the directory of people, so it cannot be shown that it was not you."
        )
        return [_no("separation", "worker_unknown", sentence, "Let a person who is in it run the pack again.")]
    return []


def _of_another(person: Person, history: CaseHistory) -> list[tuple[str, Refusal]]:
    """An approval must be by another person than those that stand, and be needed."""
    found = []
    if any(one.chain & person.chain or (person.account and one.account == person.account) for one in history.given):
        sentence = "You, or one in your chain, approved this run already: a second approval is another person's."
        found.append(_no("approvals", "approved_already", sentence, "Let another person confirm it."))
    elif history.needed is not None and len(history.given) >= history.needed.people:
        sentence = f"Run {history.run} has every approval that it needs."
        found.append(_no("approvals", "approved_enough", sentence, f"See: conformed approvals {history.run}."))
    return found


def _role(action: Action, person: Person, history: CaseHistory, contract: TaskContract) -> tuple[str, Refusal | None]:
    """The role in which it is done, or why there is none."""
    if action in _APPROVALS and history.needed is not None:
        return _approving(action, person, history, history.needed)
    roles = contract.roles(action)
    if ANYONE in roles:
        return "", None
    role = next((one for one in roles if one in person.roles), "")
    return role, None if role else _lacking(action, roles)


def _approving(action: Action, person: Person, history: CaseHistory, need: Needed) -> tuple[str, Refusal | None]:
    roles = need.second_roles if action is Action.SECOND_APPROVAL and need.second_roles else need.roles
    held = [one for one in roles if one in person.roles]
    if not held:
        return "", _lacking(action, roles)
    if need.different_roles:
        taken = {one.role for one in history.given}
        held = [one for one in held if one not in taken]
        if not held:
            sentence = f"The first approval was given as {_words(sorted(taken))}, and the contract asks for two different roles."
            return "", Refusal("role_taken", sentence, f"Let somebody confirm it who holds another of: {_words(roles)}.")
    return held[0], None


def _lacking(action: Action, roles: tuple[str, ...]) -> Refusal:
    sentence = f"To {_plain(action)} needs the role {_words(roles)}, which you do not hold."
    return Refusal("role_lacking", sentence, "Roles are given in the directory of people, by whoever keeps it.")


def _plain(action: Action) -> str:
    return {
        Action.SECOND_APPROVAL: "confirm an acceptance",
        Action.ROTATE_KEY: "change the key",
        Action.HOLD: "set or lift a legal hold",
        Action.CLOSE_EPOCH: "close the epoch",
        Action.PROPOSE_WEIGHTS: "propose weights",
        Action.PROMOTE_WEIGHTS: "promote weights",
    }.get(action, str(action))


def _words(roles: tuple[str, ...] | list[str]) -> str:
    return " or ".join(role.replace("_", " ") for role in roles)


def _no(rule: str, reason: str, sentence: str, mend: str) -> tuple[str, Refusal]:
    return rule, Refusal(reason, sentence, mend)
