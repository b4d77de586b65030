"""A proposal that a name stand for other weights: one record with everything that was looked at. It moves nothing."""

from __future__ import annotations

import hashlib
from typing import Any

from conformed.app.people.guard import Guard
from conformed.app.weights.final import held_against_use, reported_draft
from conformed.app.weights.gates import DeclaredGates
from conformed.app.weights.history import Book
from conformed.app.weights.judging import Judgement, judge, refuse_failed
from conformed.app.weights.records import JSON_MEDIA, UNSET, inline_item
from conformed.engine.canonical import canonical_json
from conformed.errors import UsageError
from conformed.model.weights_report import WeightsReport
from conformed.policy.load import Loaded
from conformed.policy.may import Action
from conformed_audit import AuditLog, Item, Kind, Record, RecordDraft
from conformed_audit.aliases import ALIAS_CASE, PROPOSED, Moved

__all__ = ["MOST_REASON", "back_to", "propose", "propose_back"]

MOST_REASON = 500
"""Most characters of a reason."""


def propose(
    log: AuditLog, guard: Guard, book: Book, alias: str, report: WeightsReport, data: bytes, gates: Loaded[DeclaredGates], reason: str
) -> tuple[Record, tuple[Judgement, ...], bool]:  # fmt: skip
    """Proposes weights for an alias. Proposing the same again writes nothing.

    Args:
        log: the log.
        guard: decides who may, and writes the records.
        book: what the log says by now.
        alias: the name.
        report: the whole evaluation, of weights that were verified.
        data: the exact bytes of its file.
        gates: declared before.
        reason: why, for the record; may be empty.

    Returns:
        The record, every gate, and whether the record was there before.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when a gate is not passed, the final set was not used for this report, or the alias stands for these weights.
        AlreadyRecordedError: when somebody else wrote the same just now.
    """
    judged = judge(report, gates, final=True)
    refuse_failed(judged, f"The weights {report.manifest[:12]} may not be proposed for {alias}")
    use = held_against_use(book, report, gates)
    _changes(book, alias, report.manifest)
    told = canonical_json([one.model_dump(mode="json") for one in judged])
    blobs = [
        log.make_blob(one, media, public=True)
        for one, media in ((data, JSON_MEDIA), (gates.data, "application/yaml"), (told, JSON_MEDIA))
    ]
    sources = tuple(
        Item(name, blob.commit, len(blob.data), blob.media)
        for name, blob in zip(("report", "gates", "judged"), blobs, strict=True)
    )
    said: dict[str, Any] = {
        "after": book.alias(alias).last, "back": "", "data": report.dataset, "family": report.family, "gates": gates.value.name,
        "manifest": report.manifest, "run": report.run, "use": use.leaf,
    }  # fmt: skip
    draft = _draft(alias, said, sources, reason)
    permit = guard.permit(Action.PROPOSE_WEIGHTS, draft.case)
    if (there := book.proposal(alias, draft.run or "")) is not None:
        return there.record, judged, True
    first = [] if book.reported(use.leaf) else [reported_draft(report, use, gates.value.final_on)]
    return guard.write(permit, [*first, draft], blobs=blobs)[-1], judged, False


def back_to(book: Book, alias: str, hash_: str) -> Moved:
    """The last move by which an alias came to stand for some weights.

    Args:
        book: what the log says.
        alias: the name.
        hash_: SHA-256 of their manifest, or its beginning.

    Raises:
        UsageError: when it never stood for such weights, or for several that begin so.
    """
    moves = book.alias(alias).moves
    fits = [one for one in moves if hash_ and one.to.startswith(hash_)]
    if len({one.to for one in fits}) != 1:
        held = ", ".join(dict.fromkeys(one.to[:12] for one in moves)) or "nothing"
        raise UsageError(f"{alias} stood for no one set of weights that begins with {hash_!r}.", f"It stood for: {held}.")
    return fits[-1]


def propose_back(guard: Guard, book: Book, alias: str, to: Moved, reason: str) -> tuple[Record, bool]:
    """Proposes that an alias stand again for weights for which it stood before. The evidence is that of the earlier move.

    Args:
        guard: decides who may, and writes the record.
        book: what the log says by now.
        alias: the name.
        to: the move to whose weights it leads back; they were verified.
        reason: why, for the record.

    Returns:
        The record, and whether it was there before.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when no reason is given, or the alias stands for these weights.
        AlreadyRecordedError: when somebody else wrote the same just now.
    """
    if not reason.strip():
        raise UsageError("No reason is given.", "Say why the name goes back, without names of people: --reason TEXT.")
    _changes(book, alias, to.to)
    earlier = to.proposal.record
    inline = next(item.inline for item in earlier.output if item.name == PROPOSED)
    assert isinstance(inline, dict)
    draft = _draft(alias, {**inline, "after": book.alias(alias).last, "back": to.leaf}, earlier.sources, reason)
    permit = guard.permit(Action.PROPOSE_WEIGHTS, draft.case)
    if (there := book.proposal(alias, draft.run or "")) is not None:
        return there.record, True
    return guard.write(permit, [draft])[-1], False


def _changes(book: Book, alias: str, manifest: str) -> None:
    if book.alias(alias).stands_for == manifest:
        raise UsageError(f"{alias} stands for the weights {manifest} already.", f"See: conformed weights show {alias}.")


def _draft(alias: str, said: dict[str, Any], sources: tuple[Item, ...], reason: str) -> RecordDraft:
    words = " ".join(reason.split())
    if len(words) > MOST_REASON:
        raise UsageError(f"The reason has {len(words)} characters.", f"Say it in at most {MOST_REASON}.")
    # Its id is a digest of what is proposed on what, so that the same proposal is the same record.
    digest = hashlib.sha256(canonical_json([alias, said, [one.commit for one in sources]])).hexdigest()
    return RecordDraft(
        case=ALIAS_CASE + alias, kind=Kind.APPROVAL_REQUESTED, actor=UNSET, run=f"w-{digest[:12]}", step=PROPOSED,
        idem=f"proposed {digest}", output=(inline_item(PROPOSED, said),), sources=sources, note=words or None,
    )  # fmt: skip
