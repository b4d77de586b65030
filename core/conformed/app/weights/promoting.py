"""A proposal confirmed by another person: the one record that moves a name."""

from __future__ import annotations

from pathlib import Path

from conformed.app.people.guard import Guard, Permit, actor_of
from conformed.app.weights.evidence import verified
from conformed.app.weights.final import held_against_use
from conformed.app.weights.gates import DeclaredGates, gates_named
from conformed.app.weights.history import Book
from conformed.app.weights.judging import Judgement, judge, refuse_failed
from conformed.app.weights.records import UNSET
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.model.weights_report import read_report
from conformed.people.authorise import Refusal
from conformed.policy.load import Loaded, load_bytes
from conformed.policy.may import Action
from conformed_audit import Actor, AuditLog, Kind, RecordDraft
from conformed_audit.aliases import ALIAS_CASE, Proposed, apart

__all__ = ["asked_for", "promote"]


def asked_for(book: Book, alias: str, id_: str) -> Proposed:
    """A proposal that somebody wants to confirm.

    Raises:
        UsageError: when there is none of that id, or the alias was moved since.
    """
    proposal = book.proposal(alias, id_)
    if proposal is None:
        waiting = ", ".join(one.run for one in book.open_proposals(alias)) or "none"
        raise UsageError(f"There is no proposal {id_!r} for {alias} in this log.", f"Those that wait: {waiting}.")
    if proposal.after != book.alias(alias).last and not any(
        one.proposal.leaf == proposal.leaf for one in book.alias(alias).moves
    ):
        raise UsageError(
            f"{alias} was moved after the proposal {id_}, so that it no longer says what would be replaced.", "Propose it again."
        )
    return proposal


def promote(
    log: AuditLog, guard: Guard, book: Book, alias: str, proposal: Proposed, folder: Path, policies: Path
) -> tuple[Judgement, ...]:
    """Looks at everything again and moves the name.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        book: what the log says by now.
        alias: the name.
        proposal: what is confirmed.
        folder: the weights.
        policies: where gates are declared.

    Returns:
        Every gate, as judged now; none for a move back.

    Raises:
        DeniedError: when the person at the keys may not, or proposed it, or used the final set for it.
        MirrorError: when the weights are not those that were proposed.
        UsageError: when the gates were changed since, or one is not passed.
        AlreadyRecordedError: when the name was moved just now.
        JournalError: when what was looked at is no longer in the log.
    """
    permit = guard.permit(Action.PROMOTE_WEIGHTS, ALIAS_CASE + alias)
    _another_person(guard, permit, book, proposal)
    judged = () if proposal.back else _judged(log, book, proposal, policies)
    verified(folder, proposal.to)
    approval = {
        "method": permit.person.method, "proposal": proposal.leaf, "proposed_by": proposal.actor.id, "role": permit.authz.role,
        "session": permit.person.session,
    }  # fmt: skip
    # At most one record of a case carries this key: two moves can never follow the same one.
    draft = RecordDraft(
        case=ALIAS_CASE + alias, kind=Kind.STATE_CHANGED, actor=UNSET, run=proposal.run, step=proposal.to,
        idem=f"after {proposal.after or 'nothing'}", approval=approval, sources=proposal.record.sources,
    )  # fmt: skip
    guard.write(permit, [draft])
    return judged


def _another_person(guard: Guard, permit: Permit, book: Book, proposal: Proposed) -> None:
    """Nobody reviews their own proposal, nor weights for which they used the final set; nor what somebody unknown did."""
    me, use = actor_of(permit.person), book.use(proposal.use)
    did: list[tuple[Actor, str]] = [(proposal.actor, "proposed it")]
    if use is not None:
        did.append((use.actor, "used the final set for it"))
    mend = "Another model officer must confirm it, with a login of their own."
    for who, words in did:
        if not apart(me, who):
            said = f"You, or somebody for or through whom you act, {words}. Nobody reviews their own proposal, administrators included."
            guard.refuse(permit, "separation", Refusal("own_proposal", said, mend))
        if guard.directory.forgotten({who.id, *(who.on_behalf_of or "").split()}):
            said = f"Somebody who {words} is no longer in the directory of people, so it cannot be shown that it was not you."
            guard.refuse(permit, "separation", Refusal("worker_unknown", said, "Let a person who is in it propose it again."))


def _judged(log: AuditLog, book: Book, proposal: Proposed, policies: Path) -> tuple[Judgement, ...]:
    """The report as the log keeps it, judged again under the gates as they are declared now."""
    kept = {item.name: item.commit for item in proposal.record.sources}
    with ours("read"):
        report = read_report(log.get_blob(kept.get("report", "")), "the report in the log")
        before: Loaded[DeclaredGates] = load_bytes(
            log.get_blob(kept.get("gates", "")), DeclaredGates, name="the gates in the log"
        )
    now = gates_named(policies, before.value.name)
    if now.digest != before.digest:
        raise UsageError(
            f"The gates {now.value.name} were changed since the proposal.",
            "Evaluate the weights under these, and propose them again.",
        )
    if report.manifest != proposal.to:
        raise UsageError(f"The report is of the weights {report.manifest}, not of those proposed.", "Propose them again.")
    judged = judge(report, now, final=True)
    refuse_failed(judged, f"The weights {proposal.to[:12]} may not be promoted")
    held_against_use(book, report, now)
    return judged
