"""The end of a shared log's epoch: a records officer closes and archives it, its administrator then begins the next one.

Closed, the log stays in its place: it is read and verified, and takes no further record. Ended in the middle, either half is
given again: the closing record is written once, a half copy is thrown away, and the beginning of the next log is one transaction.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from conformed.app.keeping.published import PublicationNote
from conformed.app.people.guard import Guard
from conformed.app.retention.epochs import Closed, archive_for, end_log, epoch_after, opening_drafts
from conformed.app.workspace import Workspace
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.model.base import Frozen
from conformed_audit import AuditLog, verify
from conformed_audit.archive import file_digest
from conformed_audit.origin import origin_of
from conformed_audit.where import is_url, need_postgres

__all__ = ["Begun", "begin_epoch", "close_shared"]


class Begun(Frozen):
    """An epoch of a shared log that was begun."""

    before: str
    """The log that was closed."""
    origin: str
    """The log that goes on."""
    aside: str
    """The schema in which the closed log's records are now."""
    now: str
    """The format of the new log."""


def close_shared(log: AuditLog, guard: Guard, workspace: Workspace, *, publish: Callable[[AuditLog], PublicationNote]) -> Closed:
    """Writes the closing record, has it published, and copies the whole log into the archive of the workspace.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        workspace: where the archive goes.
        publish: publishes a log.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when a run is not at its end, or nobody outside holds the last checkpoint.
        JournalError: when something cannot be written; giving the command again goes on.
    """
    last, to = end_log(log, guard, publish, shut=True), archive_for(workspace, log.origin)
    with ours("archived"):
        from conformed_audit.postgres.archiving import archive_log

        digest = archive_log(workspace.log_url, to, size=last.size, root=last.root, note=last.note)
    return Closed(log.origin, last.size, to, epoch_after(log.origin), digest)


def begin_epoch(url: str, digest: str, workspace: Workspace, clock: Callable[[], dt.datetime]) -> Begun:
    """Puts the closed log of a database aside, and makes the one that follows it.

    Args:
        url: the database, with the administrator's user.
        digest: of what the archive holds, as closing said it; empty takes it from the archive in the workspace.
        workspace: where the archive is looked for.
        clock: the time, UTC.

    Raises:
        UsageError: when there is no log, or no archive of it.
        JournalError: when the log is not closed, holds something else than its archive, or the database refuses.
    """
    with ours("read"):
        if is_url(url):
            need_postgres()
        before = origin_of(url) if is_url(url) else None
    if before is None:
        raise UsageError("No PostgreSQL database with a log is named.", "Give --url postgresql://ADMIN@HOST/DATABASE.")
    known = digest.strip().lower() or _digest_in(archive_for(workspace, before))
    with ours("read"), AuditLog.open(url, origin=before, clock=clock, create=False) as log:
        last = log.store.checkpoints.last()
        drafts = opening_drafts(log, last) if last is not None else []
    if not drafts:
        raise UsageError(f"The log of {before} is not closed.", "A records officer closes it: conformed log close-epoch.")
    with ours("migrated"):
        from conformed_audit.postgres.next_epoch import begin_next

        begun = begin_next(url, before=before, origin=epoch_after(before), digest=known, drafts=drafts, clock=clock)
    return Begun(before=before, origin=epoch_after(before), aside=begun.schema, now=begun.version)


def _digest_in(archive: Path) -> str:
    """The digest over what an archive holds, which verifies."""
    if not archive.exists():
        raise UsageError(
            "This workspace has no archive of the log.",
            "Close the epoch: conformed log close-epoch. Where the archive is elsewhere, give the digest that this said: --archive-digest.",
        )
    found = verify(archive)
    if not found.ok:
        raise UsageError(f"The archive {archive.name} does not verify.", "Make it anew: conformed log close-epoch.")
    with ours("read"):
        return file_digest(archive)
