"""The export of evidence: who wants it is decided and recorded first, then the log is published, then the bundle is made.

The record names the digest of everything in the bundle, and stands in the bundle itself, under the checkpoint: so nobody
can give out other contents than those that were recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from conformed.app.bundles.evidence_contents import contents_of
from conformed.engine.log import ours
from conformed.errors import JournalError
from conformed.policy.may import Action
from conformed_audit import Actor, AuditLog, Item, Kind, RecordDraft
from conformed_audit.bundle import bundle_bytes, contents_list, log_files
from conformed_audit.note import VerifyKey

if TYPE_CHECKING:
    from conformed.app.people.guard import Guard

__all__ = ["BUNDLE", "Exported", "export_evidence"]

BUNDLE = "bundle"
"""Name of the item of ``evidence.exported`` that names the contents."""


_UNSET = Actor("guard", "service")  # the guard puts whoever asked in its place


@dataclass(frozen=True, slots=True)
class Exported:
    """A bundle that was made."""

    data: bytes
    """The ZIP file."""
    digest: str
    """Digest of its contents, as the log records it."""
    case: str
    """The case."""
    records: int
    """How many records it holds."""
    size: int
    """Size of the checkpoint."""
    erased: tuple[str, ...]
    """What could not be put into it because it was erased."""


def export_evidence(
    log: AuditLog,
    guard: Guard,
    run: str,
    *,
    documents: bool,
    publish: Callable[[], object],
    keys: Callable[[], Iterable[VerifyKey]],
) -> Exported:
    """Makes the evidence bundle of a run.

    Args:
        log: the log.
        guard: decides who may, and writes the record.
        run: the run.
        documents: whether source documents are to be in it.
        publish: makes a checkpoint of the log and hands it out.
        keys: gives the public keys of log and witnesses, for the reader to compare; asked after the publication.

    Raises:
        DeniedError: when the person at the keys may not.
        UsageError: when there is no such run, or it has no decision.
        JournalError, ReplayError: when its records do not hold, or the log cannot be published.
    """
    found = contents_of(log, run, documents=documents)
    permit = guard.permit(Action.EXPORT, found.case, run=run)
    listed = contents_list(found.files)
    digest = f"sha256:{sha256(listed).hexdigest()}"
    item = Item(BUNDLE, digest, len(listed), "text/plain", {"documents": documents, "files": len(found.files)})
    (written,) = guard.write(
        permit, [RecordDraft(case=found.case, kind=Kind.EVIDENCE_EXPORTED, actor=_UNSET, run=run, output=(item,))]
    )
    with ours("published"):
        publish()
    with ours("read"):
        part = log_files(log, found.case, keys())
        row = log.store.checkpoints.last()
    records = part["log/records.jsonl"].splitlines()
    if row is None or sha256(b"\0" + records[-1]).hexdigest() != written.leaf:
        raise JournalError(f"Case {found.case} moved on while its evidence was gathered.", "Export it again.")
    with ours("bundled"):
        data = bundle_bytes(found.files, part)
    return Exported(data, digest, found.case, len(records), row.size, tuple(found.erased))
