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
from conformed.errors import UsageError
from conformed.policy.may import Action
from conformed_audit import Actor, AuditLog, Item, Kind, RecordDraft, commitment
from conformed_audit.archive import seal_file

__all__ = ["Closed", "archives_of", "close_epoch", "epoch_after", "finish_epoch", "waiting"]

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


def archives_of(workspace: Workspace) -> tuple[Path, ...]:
    """The archived logs of a workspace, the newest first."""
    return tuple(sorted(_folder(workspace).glob("epoch-*.sqlite"), reverse=True))


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
    permit = guard.permit(Action.CLOSE_EPOCH, "_log")
    if unfinished := find_unfinished(log):
        runs = ", ".join(history.run for history in unfinished[:5])
        raise UsageError(
            f"{len(unfinished)} runs are not at their end: {runs}.", "Resume them first: conformed run PACK --resume."
        )
    following = epoch_after(log.origin)
    with ours("read"):
        ended = next((r for r in log.records("_log", kind=Kind.LOG_EPOCH) if _inline(r.output).get("next")), None)
    if ended is None:
        guard.write(permit, [_draft({"next": following}, "The epoch ends here.", _UNSET)])
    note = publish(log)
    if note.state != "published":
        raise UsageError(
            "Nobody outside holds the last checkpoint of this log yet.",
            "Publish it, then close the epoch: conformed log publish.",
        )
    with ours("read"):
        last = log.store.checkpoints.last()
    assert last is not None
    place = waiting(workspace)
    for half in place.parent.glob(f"{place.name}*"):
        half.unlink()
    before = {"origin": log.origin, "root": base64.b64encode(last.root).decode(), "size": last.size, "checkpoint": last.note}
    with ours("written"), make(place, following) as new:
        held = [
            RecordDraft(
                case="_config", kind=Kind.CONFIG_CHANGED, actor=_LOG, step=HOLD, note=hold.reason, output=(_item("about", {"case": hold.case}),)
            )
            for hold in standing_holds(log)
        ]  # fmt: skip
        new.append([_draft({"before": before}, "The log goes on here.", _LOG), *held])
    return Closed(log.origin, last.size, _folder(workspace) / f"epoch-{len(archives_of(workspace)) + 1:04}.sqlite", following)


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


def _draft(inline: dict[str, Any], note: str, actor: Actor) -> RecordDraft:
    return RecordDraft(case="_log", kind=Kind.LOG_EPOCH, actor=actor, output=(_item("epoch", inline),), note=note)


def _item(name: str, inline: dict[str, Any]) -> Item:
    plain = canonical_json(inline)
    return Item(name, commitment(plain, None), len(plain), _JSON, inline)


def _inline(items: tuple[Item, ...]) -> dict[str, Any]:
    inline = items[0].inline if items else None
    return inline if isinstance(inline, dict) else {}
