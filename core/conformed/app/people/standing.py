"""Where a run stands with people: who accepted it, what is missing, whether it is published and released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformed.model.base import Frozen
from conformed.people.returning import RETURN_WORDS, ReturnReason

if TYPE_CHECKING:  # the log is opened by those who ask where a run stands, not by every screen
    from conformed.app.keeping.published import PublicationNote
    from conformed.app.people.case_people import CaseView
    from conformed.app.people.guard import Guard
    from conformed.people.directory import Directory
    from conformed_audit import AuditLog
    from conformed_audit.approvals import Standing as Granted

__all__ = ["ApprovalRow", "Standing", "WorkRow", "approval_sentence", "standing_after", "standing_of"]

_DID = {"opened": "opened the case", "ran": "ran it", "overrode": "overrode it", "edited": "edited it"}


class ApprovalRow(Frozen):
    """One approval."""

    who: str
    """Name, or the pseudonym of somebody who was forgotten."""
    role: str
    """In which role."""
    at: str
    """When, UTC."""
    stands: bool
    """Whether it counts."""
    why_not: str = ""
    """Why it does not."""


class WorkRow(Frozen):
    """One person who worked on the case, and so cannot accept it."""

    who: str
    """Name, or the pseudonym of somebody who was forgotten."""
    did: str
    """What they did."""


class Standing(Frozen):
    """Where a run stands with people."""

    run: str
    """The run."""
    case: str
    """Its case in the log."""
    record: str
    """Leaf of its final record, hex: what an approval names; empty where it has none."""
    state: str
    """``unfinished``, ``open``, ``approved``, ``returned``, ``overtaken`` or ``released``."""
    publication: str
    """``published`` when somebody outside holds a checkpoint over the record and its approvals, else ``pending``."""
    approvals: tuple[ApprovalRow, ...]
    """Every approval that was given and not withdrawn, the lapsed ones too."""
    missing: tuple[str, ...]
    """What is missing before it is released, a sentence each."""
    worked: tuple[WorkRow, ...]
    """Who worked on the case."""


def standing_after(log: AuditLog, guard: Guard, case: str, run: str, note: PublicationNote) -> Standing:
    """Where a run stands that has just ended.

    Args:
        log: the log.
        guard: the guard of the run.
        case: its case.
        run: the run.
        note: what became of its publication.

    Raises:
        JournalError: when the log cannot be read.
    """
    from conformed.app.people.case_people import view_case

    view = view_case(log, case, run, guard.contract, guard.directory)
    return standing_of(view, guard.directory, note.checkpoint_size if note.state == "published" else 0)


def approval_sentence(standing: Standing) -> str:
    """The people's part in one sentence: who accepted it and what is pending."""
    given = [f"{row.who} as {row.role}" for row in standing.approvals if row.stands]
    said = f"Accepted by {' and '.join(given)}." if given else "Not accepted."
    return " ".join((said, *standing.missing)).strip()


def standing_of(view: CaseView, directory: Directory, published: int) -> Standing:
    """Where a run stands.

    Args:
        view: its case, seen from it.
        directory: the people.
        published: how many records are under a checkpoint that somebody outside acknowledged.
    """
    history, people = view.history, view.people
    lapsed = people.lapsed.get(history.subject, []) if history.subject else []
    standing = people.standing if history.latest == history.run else []
    state = _state(view)
    why = "it was sent back" if history.returned else "the case changed afterwards"
    rows = [_row(one, directory, f"Lapsed: {why}.") for one in lapsed] + [_row(one, directory, "") for one in standing]
    reach = max([one.idx for one in standing] + ([people.decided.idx] if people.decided is not None else []), default=-1)
    under = history.latest == history.run and 0 <= reach < published
    return Standing(
        run=history.run, case=view.case, record=history.subject, state=state,
        publication="published" if under or history.released else "pending", approvals=tuple(rows),
        missing=tuple(_missing(view, under=under)) if state != "released" else (),
        worked=tuple(
            WorkRow(who=directory.shown(who), did=" and ".join(_DID.get(word, word) for word in did))
            for who, did in sorted(history.workers.items())
        ),
    )  # fmt: skip


def _state(view: CaseView) -> str:
    history = view.history
    if not history.subject:
        return "unfinished"
    if history.latest != history.run:
        return "overtaken"
    if history.returned:
        return "returned"
    if history.released:
        return "released"
    return "approved" if history.needed is not None and len(history.given) >= history.needed.people else "open"


def _row(one: Granted, directory: Directory, why_not: str) -> ApprovalRow:
    return ApprovalRow(
        who=directory.shown(one.actor.id), role=one.role.replace("_", " "), at=one.ts, stands=not why_not, why_not=why_not
    )


def _missing(view: CaseView, *, under: bool) -> list[str]:
    history, need = view.history, view.history.needed
    if view.broken:
        return [f"{view.broken} Verify the log: conformed log verify."]
    if not history.subject or need is None:
        return ["The run has no decision yet."]
    if history.latest != history.run:
        now = f"run {history.latest} is the latest of the case" if history.latest else "another run of the case is at work"
        return [f"Nothing more can be said of it: {now}."]
    if history.returned and view.people.returned is not None:
        code = str((view.people.returned.approval or {}).get("reason", ""))
        words = RETURN_WORDS.get(ReturnReason(code), "") if code in set(ReturnReason) else ""
        return [f"It was sent back ({code}). {words} Mend that and do it again.".replace("  ", " ")]
    found = []
    if not history.given:
        found.append(f"A person must accept it: {_roles(need.roles)}, who did not work on the case.")
    if len(history.given) < need.people == 2:
        other = ", in another role than the first" if need.different_roles else ""
        found.append(f"A second person must confirm it: {_roles(need.second_roles)}, who did not work on the case{other}.")
    if not under:
        found.append("The record and its approvals are pending publication: nobody outside holds a checkpoint over them yet.")
    return found


def _roles(roles: tuple[str, ...]) -> str:
    return " or ".join(f"a {role.replace('_', ' ')}" for role in roles)
