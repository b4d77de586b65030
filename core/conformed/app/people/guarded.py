"""The log as a run gets it: every record says for whom the engine works, and what begins, resumes or ends it is stamped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from conformed.app.people.case_people import needed_of
from conformed.engine.canonical import canonical_json
from conformed.engine.history import BEGUN
from conformed.policy.schema import TaskContract
from conformed_audit import Actor, AuditLog, Blob, Item, Record, RecordDraft, commitment
from conformed_audit import Authz as Stamp
from conformed_audit.approvals import NEEDED
from conformed_audit.record import Kind

__all__ = ["OVERRIDDEN", "GuardedLog", "needed_item"]

OVERRIDDEN = "overridden"
"""The state that the record of an override enters."""
_JSON = "application/json"


def needed_item(contract: TaskContract, data: bytes, run: str) -> Item:
    """What a final record needs before it is released, as its request for approval says.

    Args:
        contract: the contract of the run.
        data: the final record's bytes.
        run: the run.
    """
    need = needed_of(contract, data, run)
    plain: dict[str, Any] = {
        "people": need.people, "roles": list(need.roles), "second_roles": list(need.second_roles),
        "different_roles": need.different_roles,
    }  # fmt: skip
    bytes_ = canonical_json(plain)
    return Item(NEEDED, commitment(bytes_, None), len(bytes_), _JSON, plain)


class GuardedLog:
    """A log for one run.

    Args:
        log: the log.
        contract: the contract of the run, for what its end asks for.
        stamp: how it was authorised.
        person: who began it, or took it up.
        note: what is written first, with the first records of the run.
        resumes: whether the run was begun before.
    """

    def __init__(
        self, log: AuditLog, contract: TaskContract, stamp: Stamp, person: Actor, note: Sequence[RecordDraft], *, resumes: bool
    ) -> None:
        self._log, self._contract, self._stamp, self._person = log, contract, stamp, person
        self._unsaid, self._note = resumes, tuple(note)
        chain = " ".join((person.id, *(person.on_behalf_of or "").split()))
        self._engine = Actor("engine", "engine", (), person.session, chain)

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:
        """As the log, each record with its actor; the first one after a resume says by which rule it was resumed."""
        contents = {blob.commit: blob.data for blob in blobs}
        stamped: list[RecordDraft] = []
        for draft in drafts:
            commit = next((item.commit for item in draft.output if item.name == "record"), None)
            if draft.kind == Kind.STATE_CHANGED and commit is not None:
                stamped.append(
                    self._request(draft, contents[commit])
                )  # before the end, so that the end stays the run's last record
            stamped.append(self._stamped(draft))
        if self._unsaid and stamped:
            stamped[0] = replace(stamped[0], authz=self._stamp)
        note = self._note
        written = self._log.append([*note, *stamped], blobs=blobs)
        self._unsaid, self._note = False, ()
        return written[len(note) :]

    def records(self, case: str | None = None, run: str | None = None) -> Iterator[Record]:
        """As the log."""
        return self._log.records(case, run)

    def make_blob(self, data: bytes, media: str, *, public: bool = False) -> Blob:
        """As the log."""
        return self._log.make_blob(data, media, public=public)

    def get_blob(self, commit: str) -> bytes:
        """As the log."""
        return self._log.get_blob(commit)

    def _stamped(self, draft: RecordDraft) -> RecordDraft:
        begins = draft.kind == Kind.CASE_OPENED or (
            draft.kind == Kind.STATE_CHANGED and (draft.note == BEGUN or draft.step == OVERRIDDEN)
        )
        if begins:
            return replace(draft, actor=self._person, authz=self._stamp)
        return replace(draft, actor=self._engine)

    def _request(self, final: RecordDraft, data: bytes) -> RecordDraft:
        return RecordDraft(
            case=final.case, kind=Kind.APPROVAL_REQUESTED, actor=self._engine, run=final.run, pins=final.pins, authz=self._stamp,
            output=(needed_item(self._contract, data, final.run or ""),),
        )  # fmt: skip
