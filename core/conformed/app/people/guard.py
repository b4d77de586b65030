"""The one place that every action of a person passes: it finds out who it is, decides, and stamps what is written or denied.

No other module of the application writes a record of an approval, a release, an export, an erasure, a key or a denial, and a
run begins and goes on only through the log that this module hands out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from conformed.app.people.case_people import CaseView, view_case
from conformed.app.people.denials import Denials
from conformed.engine.log import Log, ours
from conformed.errors import DeniedError, UsageError
from conformed.people.authorise import Authz, Refusal, authorise
from conformed.people.directory import Directory
from conformed.people.history import CaseHistory
from conformed.people.person import Identify, Person
from conformed.policy.may import Action
from conformed.policy.schema import TaskContract
from conformed_audit import Actor, AuditLog, Blob, Item, Record, RecordDraft, commitment
from conformed_audit import Authz as Stamp
from conformed_audit.record import Kind

__all__ = ["KINDS", "Guard", "Permit", "actor_of"]

KINDS: Mapping[Action, frozenset[Kind]] = {
    Action.ACCEPT: frozenset({Kind.APPROVAL_REQUESTED, Kind.APPROVAL_GRANTED}),
    Action.SECOND_APPROVAL: frozenset({Kind.APPROVAL_GRANTED}),
    Action.RETURN: frozenset({Kind.APPROVAL_REJECTED}),
    Action.WITHDRAW: frozenset({Kind.APPROVAL_WITHDRAWN}),
    Action.EXPORT: frozenset({Kind.EVIDENCE_EXPORTED}),
    Action.ERASE: frozenset({Kind.APPROVAL_REQUESTED, Kind.PAYLOAD_ERASED}),
    Action.ROTATE_KEY: frozenset({Kind.KEY_ADDED, Kind.KEY_RETIRED}),
    Action.HOLD: frozenset({Kind.CONFIG_CHANGED}),
    Action.CLOSE_EPOCH: frozenset({Kind.LOG_EPOCH}),
    Action.PROPOSE_WEIGHTS: frozenset({Kind.APPROVAL_REQUESTED, Kind.STATE_CHANGED}),
    Action.PROMOTE_WEIGHTS: frozenset({Kind.STATE_CHANGED}),
}
"""Kinds of record that an action may write. Runs write their own, through `Guard.writer`."""
_OF_A_RECORD = frozenset({Action.ACCEPT, Action.SECOND_APPROVAL, Action.RETURN, Action.WITHDRAW})
_PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Permit:
    """What a person was allowed to do, once."""

    action: Action
    """What."""
    person: Person
    """Who."""
    authz: Authz
    """By which rule, in which role."""
    policy: str
    """Digest of the contract that holds the rule."""
    case: str
    """The case."""
    view: CaseView | None
    """The case as it was read, for what is said of a record."""
    note: tuple[RecordDraft, ...] = ()
    """What is written with it first: that the directory of people is another than it was."""

    @property
    def stamp(self) -> Stamp:
        """How it was authorised, as records carry it."""
        return Stamp("allow", self.authz.rule, self.policy, self.authz.reasons)


def actor_of(person: Person) -> Actor:
    """A person as the actor of a record."""
    behind = " ".join(person.behind) or None
    return Actor(person.id, "person", person.roles, person.session or None, behind)


class Guard:
    """Decides for one log and one contract.

    Args:
        log: the log.
        contract: the contract whose rules decide.
        policy: digest of its exact bytes.
        directory: the people.
        identify: who is at the keys.
        denials: where denials go.
    """

    def __init__(
        self, log: AuditLog, contract: TaskContract, policy: str, directory: Directory, identify: Identify, denials: Denials
    ) -> None:
        self._log, self._contract, self._policy = log, contract, policy
        self._directory, self._identify, self._denials = directory, identify, denials

    @property
    def contract(self) -> TaskContract:
        """The contract whose rules decide."""
        return self._contract

    @property
    def policy(self) -> str:
        """Its digest."""
        return self._policy

    @property
    def directory(self) -> Directory:
        """The people."""
        return self._directory

    @property
    def name(self) -> str:
        """The name of whoever is at the keys, as the directory has it: for what a person writes, never for a record."""
        return self._directory.shown(self._directory.person(self._identify()).id)

    def permit(self, action: Action, case: str, *, run: str = "", by: str = "", role: str = "") -> Permit:
        """Decides whether whoever is at the keys may do something.

        Args:
            action: what.
            case: in which case; ``_log`` for keys.
            run: the run that it is about, where it is about one.
            by: name of the person for whom it is done, where that is not whoever is at the keys.
            role: the one role in which it is to be done; empty for any that is held.

        Raises:
            DeniedError: when not; the denial is in the log.
            UsageError: when it cannot be told who it is, or the role named is not held.
            JournalError: when the log cannot be read or written.
        """
        self._denials.settle()
        person = self._person(by, role)
        view = view_case(self._log, case, run, self._contract, self._directory) if action in _OF_A_RECORD else None
        history = CaseHistory(run=run) if view is None else view.history
        if action is Action.ACCEPT and history.given:
            action = Action.SECOND_APPROVAL
        authz = authorise(action, person, history, self._contract)
        if not authz.allowed:
            with ours("written"):
                for draft in self._note_people():
                    self._log.append([draft])
            self._denials.record(actor_of(person), authz, self._policy, {"case": case, "run": run})
            first = authz.refusals[0]
            more = "".join(f" {one.sentence}" for one in authz.refusals[1:])
            raise DeniedError(f"{first.sentence}{more}", self._mend(authz), reasons=authz.reasons)
        if view is not None and view.broken:
            raise UsageError(view.broken, "Nothing can be said of this case: conformed log verify.")
        return Permit(action, person, authz, self._policy, case, view, self._note_people())

    def write(self, permit: Permit, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:
        """Writes what was allowed, stamped with who did it and by which rule.

        Args:
            permit: what was allowed.
            drafts: the records; actor and authorisation of each are set here.
            blobs: content to keep with them.

        Raises:
            MovedOnError: when the case has changed since it was decided; decide again.
            UsageError: when a record is not of a kind that the action writes.
            JournalError: when it cannot be written.
        """
        odd = sorted({str(draft.kind) for draft in drafts} - KINDS.get(permit.action, frozenset()))
        if odd:
            raise UsageError(f"To {permit.action} writes no record of the kind {odd[0]}.", "Ask for the action that does.")
        stamped = [replace(draft, actor=actor_of(permit.person), authz=permit.stamp) for draft in drafts]
        whole = [*permit.note, *stamped]
        with ours("written"):
            if permit.view is not None:
                written = self._log.append_after(permit.case, permit.view.head, whole, blobs=blobs)
            else:
                written = self._log.append(whole, blobs=blobs)
        return written[len(permit.note) :]

    def refuse(self, permit: Permit, rule: str, refusal: Refusal) -> NoReturn:
        """Denies what a role allows, by a rule between people that only whoever carries it out can see; and records it.

        Args:
            permit: what the role allowed.
            rule: the rule.
            refusal: why not.

        Raises:
            DeniedError: always.
            JournalError: when the log cannot be written.
        """
        denied = replace(permit.authz, allowed=False, rule=rule, refusals=(refusal,))
        self._denials.record(actor_of(permit.person), denied, self._policy, {"case": permit.case})
        raise DeniedError(refusal.sentence, refusal.mend, reasons=(refusal.reason,))

    def release(self, view: CaseView, draft: RecordDraft) -> Record:
        """Writes that a decision is released. The people's approvals decided it; the engine only writes it down.

        Args:
            view: the case as it was read.
            draft: the record.

        Raises:
            MovedOnError: when the case has changed since it was read.
            JournalError: when it cannot be written.
        """
        stamp = Stamp("allow", "release.approvals", self._policy)
        actor = Actor("engine", "engine")
        with ours("written"):
            (record,) = self._log.append_after(
                view.case, view.head, [replace(draft, kind=Kind.DECISION_RELEASED, actor=actor, authz=stamp)]
            )
        return record

    def writer(self, permit: Permit) -> Log:
        """The log for a run that was allowed: its records say who began it, and on whose behalf the engine works.

        Raises:
            UsageError: when something else was allowed.
        """
        from conformed.app.people.guarded import GuardedLog

        if permit.action not in (Action.RUN, Action.RESUME, Action.OVERRIDE):
            raise UsageError(f"To {permit.action} begins no run.", "Ask to run, resume or override.")
        resumes = permit.action is Action.RESUME
        return GuardedLog(self._log, self._contract, permit.stamp, actor_of(permit.person), permit.note, resumes=resumes)

    def _person(self, by: str, role: str) -> Person:
        who = self._identify()
        person = self._directory.person(who)
        if by.strip() and " ".join(by.split()).casefold() not in {
            who.name.casefold(),
            self._directory.shown(person.id).casefold(),
        }:
            behind = {*person.behind, self._directory.named(by)} - {person.id}
            person = replace(person, behind=tuple(sorted(behind)))
        if role and role not in person.roles:
            raise UsageError(f"You do not hold the role {role!r}.", f"Yours: {', '.join(person.roles) or 'none'}.")
        return replace(person, roles=(role,)) if role else person

    def _note_people(self) -> tuple[RecordDraft, ...]:
        """Notes that the directory of people is another than it was: who gives themselves a role is seen to have done it."""
        digest = self._directory.digest()
        with ours("read"):
            noted = [r for r in self._log.records("_config", kind=Kind.CONFIG_CHANGED) if r.step == _PEOPLE]
        if noted and noted[-1].output and noted[-1].output[0].inline == digest:
            return ()
        item = Item("directory", commitment(digest.encode(), None), len(digest), "text/plain", digest)
        note = "The directory of people is another than it was."
        actor = Actor("directory", "service")
        return (RecordDraft(case="_config", kind=Kind.CONFIG_CHANGED, actor=actor, step=_PEOPLE, output=(item,), note=note),)

    def _mend(self, authz: Authz) -> str:
        mend = authz.refusals[0].mend
        return f"{mend} The directory: {self._directory.file}" if authz.refusals[0].reason == "role_lacking" else mend
