"""What people conclude of a run: they accept it, confirm it, send it back or take their approval back. The product never does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Protocol

from conformed.app.binding import contract_path
from conformed.app.people.case_people import CaseView, case_of_run, outcome_bytes, run_contract, run_digest, view_case
from conformed.app.people.guard import Guard, Permit
from conformed.app.people.guarded import needed_item
from conformed.app.people.standing import Standing, standing_of
from conformed.app.service import Service
from conformed.errors import JournalError, UsageError
from conformed.people.returning import ReturnReason
from conformed.policy.load import load_model
from conformed.policy.may import Action
from conformed.policy.schema import TaskContract
from conformed_audit import Actor, AuditLog, Blob, Item, RecordDraft
from conformed_audit.encode import JSON
from conformed_audit.errors import MovedOnError
from conformed_audit.record import Kind

__all__ = ["Conclusions", "Publication"]

_TRIES = 5
_LONGEST_NOTE = 4000
_UNSAID = Actor("person", "person")
"""Who it is, the guard says."""


class Publication(Protocol):
    """Takes the log's checkpoints to somebody outside."""

    def publish(self, log: AuditLog) -> None:
        """Makes a checkpoint and hands it out; that nobody took it is no error here."""
        ...

    def size(self, log: AuditLog) -> int:
        """How many records are under a checkpoint that somebody outside acknowledged."""
        ...


class Conclusions(Service):
    """Takes what people conclude of the runs of a workspace."""

    @cached_property
    def publication(self) -> Publication:
        """Who takes checkpoints away: the sinks of the workspace."""
        from conformed.app.people.releasing import OutsidePublication

        return OutsidePublication(self)

    def accept(self, run: str, *, role: str = "", policy: str | None = None) -> Standing:
        """Accepts a run, or confirms what another accepted.

        Args:
            run: the run.
            role: the one role in which it is done; empty for any that is held.
            policy: the contract of the run, as ``run`` takes it; None finds it among the workspace's.

        Raises:
            DeniedError: when it may not be done; that is in the log then.
            ConformedError: when there is no such run, or the log cannot be read or written.
        """

        def draft(log: AuditLog, guard: Guard, permit: Permit) -> list[RecordDraft]:
            found = [_draft(permit, Kind.APPROVAL_GRANTED, {"role": permit.authz.role})]
            view = permit.view
            if permit.action is Action.ACCEPT and view is not None and view.people.requested is None:
                # A run of an earlier version did not say what it needs: said now, so that the log alone shows it.
                asked = needed_item(guard.contract, outcome_bytes(log, view.case, run), run)
                found.insert(
                    0, RecordDraft(case=view.case, kind=Kind.APPROVAL_REQUESTED, actor=found[0].actor, run=run, output=(asked,))
                )
            return found

        return self._conclude(Action.ACCEPT, run, draft, role=role, policy=policy)

    def send_back(self, run: str, *, reason: str, note: str, policy: str | None = None) -> Standing:
        """Sends a run back.

        Args:
            run: the run.
            reason: a code of `conformed.people.returning`.
            note: why, in the person's own words; kept beside the log's records and erasable.
            policy: the contract of the run.

        Raises:
            DeniedError: when it may not be done; that is in the log then.
            ConformedError: when there is no such run or reason, or the log cannot be read or written.
        """
        if reason not in set(ReturnReason):
            raise UsageError(f"{reason!r} is no reason for sending a run back.", f"Reasons: {', '.join(sorted(ReturnReason))}.")
        words = note.strip()
        if not words or len(words) > _LONGEST_NOTE:
            raise UsageError(
                "The note is empty or too long.", f"Say in --note what must be mended, in 1 to {_LONGEST_NOTE} characters."
            )
        kept: list[Blob] = []

        def draft(log: AuditLog, _guard: Guard, permit: Permit) -> list[RecordDraft]:
            kept[:] = [log.make_blob(words.encode("utf-8", "surrogatepass"), "text/plain")]
            item = Item("note", kept[0].commit, len(kept[0].data), "text/plain")
            return [_draft(permit, Kind.APPROVAL_REJECTED, {"reason": reason, "role": permit.authz.role}, item)]

        return self._conclude(Action.RETURN, run, draft, blobs=kept, policy=policy)

    def withdraw(self, run: str, *, policy: str | None = None) -> Standing:
        """Takes one's own approval of a run back.

        Args:
            run: the run.
            policy: the contract of the run.

        Raises:
            DeniedError: when it may not be done; that is in the log then.
            ConformedError: when there is no such run, or the log cannot be read or written.
        """

        def draft(_log: AuditLog, _guard: Guard, permit: Permit) -> list[RecordDraft]:
            assert permit.view is not None
            own = next(one for one in permit.view.history.given if one.by == permit.person.id)
            return [_draft(permit, Kind.APPROVAL_WITHDRAWN, {"granted": own.leaf, "role": own.role})]

        return self._conclude(Action.WITHDRAW, run, draft, policy=policy)

    def approvals(self, run: str, *, policy: str | None = None) -> Standing:
        """Where a run stands with people. What has come to be complete is released by the way.

        Args:
            run: the run.
            policy: the contract of the run.

        Raises:
            ConformedError: when there is no such run, or the log cannot be read or written.
        """
        with self._log(create=False) as log:
            guard, case = self._guard_of(log, run, policy)
            return self._settled(log, guard, case, run)

    def _conclude(
        self, action: Action, run: str, draft: Callable[[AuditLog, Guard, Permit], list[RecordDraft]], *, policy: str | None,
        role: str = "", blobs: list[Blob] | None = None,
    ) -> Standing:  # fmt: skip
        with self._log(create=False) as log:
            guard, case = self._guard_of(log, run, policy)
            for _ in range(_TRIES):
                permit = guard.permit(action, case, run=run, role=role)
                drafts = draft(log, guard, permit)
                try:
                    guard.write(permit, drafts, blobs=blobs or ())
                except MovedOnError:
                    continue  # somebody else wrote meanwhile: whether it may still be done is decided anew
                return self._settled(log, guard, case, run)
        raise JournalError("The case changes faster than it can be decided on.", "Try again.")

    def _settled(self, log: AuditLog, guard: Guard, case: str, run: str) -> Standing:
        """Publishes what is not published, releases what has come to be complete, and says where the run stands."""
        publication = self.publication
        for _ in range(_TRIES):
            view = view_case(log, case, run, guard.contract, guard.directory)
            size = publication.size(log)
            standing = standing_of(view, guard.directory, size)
            if standing.state != "approved":
                return standing
            if standing.publication == "pending":
                publication.publish(log)
                size = publication.size(log)
                standing = standing_of(view, guard.directory, size)
            if standing.missing:
                return standing
            try:
                guard.release(view, _release(view, size))
            except MovedOnError:
                continue
        return standing

    def _guard_of(self, log: AuditLog, run: str, policy: str | None) -> tuple[Guard, str]:
        """The guard with the contract under which a run was done, found by its digest, and its case.

        Raises:
            UsageError: when there is no such run, no contract of the workspace has these bytes, or another one is named.
        """
        case, policies = case_of_run(log, run), self._workspace.policies
        if policy is None:
            found = run_contract(log, policies, run)
            if found is None:
                raise UsageError(
                    f"Run {run} was done under another contract than any of this workspace.",
                    "Name its file with --policy, or run it again and conclude on that run.",
                )
            return self._guard(log, found.value, found.digest), case
        loaded = load_model(contract_path(policies, policy), TaskContract)
        if run_digest(log, case, run) != loaded.digest:
            raise UsageError(
                f"Run {run} was done under another contract than {loaded.value.name} {loaded.value.version}.",
                "Leave --policy out to have the contract found, or run it again and conclude on that run.",
            )
        return self._guard(log, loaded.value, loaded.digest), case


def _draft(permit: Permit, kind: Kind, said: Mapping[str, JSON], *items: Item) -> RecordDraft:
    """A record about the run's final record, which it names by its leaf."""
    assert permit.view is not None
    history, person = permit.view.history, permit.person
    approval: dict[str, JSON] = {"subject": history.subject, "method": person.method, "session": person.session, **said}
    return RecordDraft(
        case=permit.case, kind=kind, actor=_UNSAID, run=history.run, input=items, approval=dict(sorted(approval.items()))
    )


def _release(view: CaseView, size: int) -> RecordDraft:
    granted: list[JSON] = [one.leaf for one in view.history.given]
    approval: dict[str, JSON] = {"checkpoint_size": size, "granted": granted, "subject": view.history.subject}
    return RecordDraft(case=view.case, kind=Kind.DECISION_RELEASED, actor=_UNSAID, run=view.history.run, approval=approval)
