"""What a migration needs: running a script, and the record `config.changed` without which the database refuses it."""

from __future__ import annotations

from typing import Any

from alembic import context

from conformed_audit.body import make_record
from conformed_audit.record import ZERO_LEAF, Actor, Kind, Record, RecordDraft

__all__ = ["add_record", "changed", "record_change", "run_script"]

_ACTOR = Actor(id="log", kind="log", roles=("administrator",))
_SEED = "INSERT INTO conformed_log.case_state VALUES(%s, NULL, -1, %s, NULL) ON CONFLICT DO NOTHING"
_HEAD = "SELECT cseq, head FROM conformed_log.case_state WHERE case_id = %s FOR UPDATE"
_EVENT = "INSERT INTO conformed_log.audit_event VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
_STATE = "UPDATE conformed_log.case_state SET cseq = %s, head = %s WHERE case_id = %s"


def record_change(bind: Any, revision: str) -> None:
    """Writes that the format becomes another one, in the transaction of the migration.

    Args:
        bind: the connection of the migration.
        revision: the format that it leads to.
    """
    origin = bind.exec_driver_sql("SELECT value FROM conformed_log.audit_meta WHERE name = 'origin'").scalar_one()
    add_record(bind, changed(f"Format {revision} of the log."), origin=origin, now=context.config.attributes["now"])


def changed(note: str) -> RecordDraft:
    """The record of a change by the administrator."""
    return RecordDraft(case="_config", kind=Kind.CONFIG_CHANGED, actor=_ACTOR, note=note)


def add_record(bind: Any, draft: RecordDraft, *, origin: str, now: str) -> Record:
    """Writes a record, without its place in the tree, in the transaction of the administrator.

    Args:
        bind: the connection.
        draft: the record, without an idempotency key.
        origin: whose log it is.
        now: the time, as records carry it.
    """
    run = bind.exec_driver_sql
    run(_SEED, (draft.case, ZERO_LEAF))
    cseq, head = run(_HEAD, (draft.case,)).one()
    record = make_record(draft, idx=0, log=origin, cseq=cseq + 1, prev=bytes(head), ts=now)
    leaf = bytes.fromhex(record.leaf)
    run(_EVENT, (record.case, record.cseq, str(record.kind), now, record.actor.id, None, record.body, leaf, bytes(head)))
    run(_STATE, (record.cseq, leaf, record.case))
    return record


def run_script(bind: Any, script: str) -> None:
    """Runs several statements as they stand, percent signs included.

    Args:
        bind: the connection of the migration.
        script: the statements.
    """
    bind.connection.driver_connection.execute(script)
