"""Keys of a log in its own records: one is added under an older one before it signs, and retired when it no longer does."""

from __future__ import annotations

from hashlib import sha256

from conformed_audit.errors import AlreadyRecordedError
from conformed_audit.log import AuditLog
from conformed_audit.note import VerifyKey
from conformed_audit.record import Actor, Authz, Item, Kind, RecordDraft

__all__ = ["record_key"]


def record_key(log: AuditLog, kind: Kind, key: VerifyKey, actor: Actor, authz: Authz | None = None) -> None:
    """Writes ``key.added`` or ``key.retired``. A second time does nothing, so that a change that broke off can go on.

    Args:
        log: the log.
        kind: which of the two.
        key: the key.
        actor: who changes keys.
        authz: how that was authorised; None for the first key, which a log makes by itself.

    Raises:
        AuditError: when it cannot be written.
    """
    data = str(key).encode()
    item = Item("key", f"sha256:{sha256(data).hexdigest()}", len(data), "text/plain", {"vkey": str(key)})
    draft = RecordDraft(
        case="_log", kind=kind, actor=actor, idem=f"{kind} {key.hash.hex()} {item.commit[7:23]}", output=(item,), authz=authz
    )
    try:
        log.append([draft])
    except AlreadyRecordedError:
        return
