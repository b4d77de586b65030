"""Epochs: a log is closed, archived read only, and followed by one that names it. Its runs are still shown and proved.

In this order, so that a process that is ended in between leaves nothing that cannot be gone on with: the closing record and
its published checkpoint; the new log, complete, beside the old one; the move into the archive; the new log into its place.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.app.keeping.published import PublicationNote
from conformed.app.people.guard import Guard
from conformed.app.retention.holding import HOLD, standing_holds
from conformed.app.workspace import Workspace
from conformed.engine.canonical import canonical_json
from conformed.engine.log import find_unfinished, ours
from conformed.errors import JournalError, UsageError
from conformed.policy.may import Action
from conformed_audit import Actor, AlreadyRecordedError, AuditLog, Item, Kind, RecordDraft, commitment
from conformed_audit.archive import seal_file
from conformed_audit.checkpoint_table import CheckpointRow
from conformed_audit.closing import CLOSED
from conformed_audit.errors import EpochClosedError
from conformed_audit.origin import origin_of

__all__ = [
    "Closed",
    "archive_for",
    "archives_of",
    "close_epoch",
    "end_log",
    "epoch_after",
    "finish_epoch",
    "opening_drafts",
    "waiting",
]

_UNSET = Actor("guard", "service")  # the guard puts whoever asked in its place
_LOG = Actor("log", "log")
_EPOCH = re.compile(r"(.*)/epoch-([0-9]+)")
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Closed:
    """An epoch that was closed."""

    origin: str
    """The log that was closed."""
    size: int
    """Records under its last checkpoint."""
    archive: Path
    """Where it lies."""
    following: str
    """The log that goes on."""
    digest: str = ""
    """Of a shared log: the digest over what the archive holds, by which the administrator knows it. Empty for one in a file."""


def archives_of(workspace: Workspace) -> tuple[Path, ...]:
    """The archived logs of a workspace, the newest first; without that of a shared log that is closed and still in its place.

    Raises:
        JournalError: when a shared log cannot be reached.
    """
    found = sorted(_folder(workspace).glob("epoch-*.sqlite"), reverse=True)
    if not (found and workspace.log_url):
        return tuple(found)
    with ours("read"):
        present = origin_of(workspace.log_url)
    return tuple(archive for archive in found if origin_of(archive) != present)


def archive_for(workspace: Workspace, origin: str) -> Path:
    """Where the archive of a log lies, or is to lie."""
    found = sorted(_folder(workspace).glob("epoch-*.sqlite"))
    there = (archive for archive in found if origin_of(archive) == origin)
    return next(there, _folder(workspace) / f"epoch-{len(found) + 1:04}.sqlite")


def waiting(workspace: Workspace) -> Path:
    """Where the new log is made before the old one is moved. It lies there only while an epoch is being closed."""
    return workspace.log.with_name("log.next.sqlite")


def epoch_after(origin: str) -> str:
    """The name of the log that follows another."""
    found = _EPOCH.fullmatch(origin)
    return f"{found[1]}/epoch-{int(found[2]) + 1}" if found else f"{origin}/epoch-2"


def close_epoch(
    log: AuditLog,
    guard: Guard,
    workspace: Workspace,
    *,
    publish: Callable[[AuditLog], PublicationNote],
    make: Callable[[Path, str], AuditLog],
) -> Closed:
    """Writes the closing record, and the new log beside the old one; `finish_epoch` then moves both, with the old one closed.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        workspace: whose log it is.
        publish: publishes a log.
        make: makes a new log at a place under a name.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when a run is not at its end, or nobody outside holds the last checkpoint.
        JournalError: when something cannot be written.
    """
    last = end_log(log, guard, publish)
    following = epoch_after(log.origin)
    place = waiting(workspace)
    for half in place.parent.glob(f"{place.name}*"):
        half.unlink()
    with ours("written"), make(place, following) as new:
        new.append(opening_drafts(log, last))
    return Closed(log.origin, last.size, _folder(workspace) / f"epoch-{len(archives_of(workspace)) + 1:04}.sqlite", following)


def end_log(log: AuditLog, guard: Guard, publish: Callable[[AuditLog], PublicationNote], *, shut: bool = False) -> CheckpointRow:
    """Writes the closing record, where it is not there yet, and has the checkpoint over it acknowledged outside.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        publish: publishes a log.
        shut: whether a closed log refuses records by itself, so that a run which was under way cannot be resumed in it.

    Returns:
        The last checkpoint, over every record.

    Raises:
        As `close_epoch`.
    """
    permit = guard.permit(Action.CLOSE_EPOCH, "_log")
    with ours("read"):
        ended = next((r for r in log.records("_log", kind=Kind.LOG_EPOCH) if _inline(r.output).get("next")), None)
    if (ended is None or not shut) and (unfinished := find_unfinished(log)):
        runs = ", ".join(history.run for history in unfinished[:5])
        raise UsageError(
            f"{len(unfinished)} runs are not at their end: {runs}.", "Resume them first: conformed run PACK --resume."
        )
    if ended is None:
        with ours("read"):
            fresh = log.store.checkpoints.last() is None
        if fresh:
            publish(log)  # the first signing key is recorded before the log is closed
        try:
            guard.write(permit, [_draft({"next": epoch_after(log.origin)}, "The epoch ends here.", _UNSET, CLOSED)])
        except AlreadyRecordedError:
            pass  # somebody else ended it just now
        except JournalError as problem:
            if not isinstance(problem.__cause__, EpochClosedError):
                raise
    note = publish(log)
    if note.state != "published":
        raise UsageError(
            "Nobody outside holds the last checkpoint of this log yet.",
            "Publish it, then close the epoch: conformed log publish.",
        )
    with ours("read"):
        last = log.store.checkpoints.last()
    assert last is not None
    return last


def opening_drafts(log: AuditLog, last: CheckpointRow) -> list[RecordDraft]:
    """The first records of the log that follows: the first names the closed one, the others are the holds that stand.

    Args:
        log: the closed log.
        last: its last checkpoint.

    Raises:
        JournalError: when the log cannot be read.
    """
    before = {"origin": log.origin, "root": base64.b64encode(last.root).decode(), "size": last.size, "checkpoint": last.note}
    held = [
        RecordDraft(
            case="_config", kind=Kind.CONFIG_CHANGED, actor=_LOG, step=HOLD, note=hold.reason, output=(_item("about", {"case": hold.case}),)
        )
        for hold in standing_holds(log)
    ]  # fmt: skip
    return [_draft({"before": before}, "The log goes on here.", _LOG), *held]


def finish_epoch(workspace: Workspace, archive: Path) -> None:
    """Moves the closed log into the archive, and the new one into its place. What was moved already stays.

    Raises:
        JournalError: when another process has the log open, or the disk refuses.
    """
    with ours("archived"):
        if workspace.log.exists():
            seal_file(workspace.log, archive)
        waiting(workspace).rename(workspace.log)


def _folder(workspace: Workspace) -> Path:
    return workspace.log.with_name("epochs")


def _draft(inline: dict[str, Any], note: str, actor: Actor, idem: str | None = None) -> RecordDraft:
    return RecordDraft(case="_log", kind=Kind.LOG_EPOCH, actor=actor, output=(_item("epoch", inline),), note=note, idem=idem)


def _item(name: str, inline: dict[str, Any]) -> Item:
    plain = canonical_json(inline)
    return Item(name, commitment(plain, None), len(plain), _JSON, inline)


def _inline(items: tuple[Item, ...]) -> dict[str, Any]:
    inline = items[0].inline if items else None
    return inline if isinstance(inline, dict) else {}
