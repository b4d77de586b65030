"""The final set: used once by a family of weights, and the use is in the log before anybody sees a result of it."""

from __future__ import annotations

from typing import Any

from conformed.app.people.guard import Guard
from conformed.app.weights.gates import DeclaredGates
from conformed.app.weights.history import Book
from conformed.app.weights.judging import judge, others, refuse_failed
from conformed.app.weights.records import UNSET, inline_item
from conformed.errors import UsageError
from conformed.model.weights_report import WeightsReport, counts_digest
from conformed.people.directory import Directory
from conformed.policy.load import Loaded
from conformed.policy.may import Action
from conformed_audit import Kind, Record, RecordDraft
from conformed_audit.aliases import FINAL_CASE, REPORTED, USED, FinalUse

__all__ = ["held_against_use", "record_use", "reported_draft", "second_use"]


def record_use(guard: Guard, book: Book, report: WeightsReport, gates: Loaded[DeclaredGates]) -> Record:
    """Puts the final set to its one use, where every other gate was passed: after that a failure of these tells nothing more.

    Args:
        guard: decides who may, and writes the record.
        book: what the log says by now.
        report: the evaluation on every other split.
        gates: declared before.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when it was used before, the report has results of it already, or another gate was not passed.
        AlreadyRecordedError: when somebody else used it just now.
    """
    final = gates.value.final_on
    if (used := book.used(report.family, report.dataset)) is not None:
        raise second_use(used, guard.directory)
    if report.final_use is not None or any(one.split == final for one in report.splits):
        raise UsageError(
            f"The report has results of the split {final} already, and the log has no use of it.",
            "Give the report of the other splits; the final set is evaluated after its use was recorded.",
        )
    refuse_failed(judge(report, gates, final=False), "The final set is not used for weights that fail before it")
    permit = guard.permit(Action.PROPOSE_WEIGHTS, FINAL_CASE + report.family)
    said: dict[str, Any] = {
        "before": counts_digest(others(report, final)), "data": report.dataset, "gates": gates.digest, "manifest": report.manifest,
        "run": report.run, "split": final,
    }  # fmt: skip
    draft = RecordDraft(
        case=FINAL_CASE + report.family, kind=Kind.STATE_CHANGED, actor=UNSET, step=USED, idem=f"final {report.dataset}",
        output=(inline_item(USED, said),),
    )  # fmt: skip
    return guard.write(permit, [draft])[-1]


def second_use(used: FinalUse, directory: Directory) -> UsageError:
    """The refusal of a second use, with whom and when the first was."""
    return UsageError(
        f"The final set {used.data[:12]} was used for {used.family} by {directory.shown(used.actor.id)} on {used.ts[:16]}Z, for the"
        f" weights {used.manifest[:12]} (use {used.leaf}). It is used once.",
        "What chooses by it again fits to it. Make a data set with another seed, and evaluate anew.",
    )


def held_against_use(book: Book, report: WeightsReport, gates: Loaded[DeclaredGates]) -> FinalUse:
    """The use of the final set on which a report rests.

    Args:
        book: what the log says.
        report: the whole evaluation.
        gates: declared before.

    Raises:
        UsageError: when the log has none, it was for something else, the other splits were counted anew since, or another result
            of it was reported.
    """
    final = gates.value.final_on
    used = None if report.final_use is None else book.use(report.final_use)
    if used is None:
        raise UsageError(
            "The report names no use of the final set that is in the log."
            if report.final_use is None
            else f"The log has no use {report.final_use} of a final set.",
            "Use it first: conformed weights final FOLDER --report FILE --gates NAME.",
        )
    for name, found, wanted in (
        ("family", report.family, used.family), ("data set", report.dataset, used.data), ("manifest", report.manifest, used.manifest)
    ):  # fmt: skip
        if found != wanted:
            raise UsageError(
                f"The report is of the {name} {found[:64]}, and the final set was used for {wanted[:64]}.",
                "Bring the report that rests on this use.",
            )
    if book.before(used.leaf) != counts_digest(others(report, final)):
        raise UsageError(
            "The report counts another thing on the splits before the final one than when the final set was used.",
            "Only the final split is added after its use: bring that report.",
        )
    if book.reported(used.leaf) not in ("", _final_counts(report, final)):
        raise UsageError(
            f"Other results of the use {used.leaf[:12]} of the final set were reported before.", "One use has one result."
        )
    return used


def reported_draft(report: WeightsReport, use: FinalUse, final: str) -> RecordDraft:
    """The record of what a use of the final set gave: there is one of each use."""
    said: dict[str, Any] = {"counts": _final_counts(report, final), "use": use.leaf}
    return RecordDraft(
        case=FINAL_CASE + use.family, kind=Kind.STATE_CHANGED, actor=UNSET, step=REPORTED, idem=f"reported {use.leaf}",
        output=(inline_item(REPORTED, said),),
    )  # fmt: skip


def _final_counts(report: WeightsReport, final: str) -> str:
    return counts_digest(one for one in report.splits if one.split == final)
