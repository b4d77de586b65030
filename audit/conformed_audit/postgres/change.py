"""What a migration needs: running a script, and the record `config.changed` without which the database refuses it."""

from __future__ import annotations

from typing import Any

from alembic import context

from conformed_audit.body import make_record
from conformed_audit.log_store import StateRow
from conformed_audit.record import ZERO_LEAF, Actor, Kind, RecordDraft

__all__ = ["record_change", "run_script"]

_ACTOR = Actor(id="log", kind="log", roles=("administrator",))
_SEED = "INSERT INTO conformed_log.case_state VALUES('_config', NULL, -1, %s, NULL) ON CONFLICT DO NOTHING"
_HEAD = "SELECT cseq, head FROM conformed_log.case_state WHERE case_id = '_config' FOR UPDATE"
_EVENT = "INSERT INTO conformed_log.audit_event VALUES(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
_STATE = "UPDATE conformed_log.case_state SET cseq = %s, head = %s WHERE case_id = %s"


def record_change(bind: Any, revision: str) -> None:
    """Writes that the format becomes another one, in the transaction of the migration.

    Args:
        bind: the connection of the migration.
        revision: the format that it leads to.
    """
    run = bind.exec_driver_sql
    origin = run("SELECT value FROM conformed_log.audit_meta WHERE name = 'origin'").scalar_one()
    run(_SEED, (ZERO_LEAF,))
    cseq, head = run(_HEAD).one()
    draft = RecordDraft(case="_config", kind=Kind.CONFIG_CHANGED, actor=_ACTOR, note=f"Format {revision} of the log.")
    now = context.config.attributes["now"]
    record = make_record(draft, idx=0, log=origin, cseq=cseq + 1, prev=bytes(head), ts=now)
    row = StateRow(record.case, None, record.cseq, bytes.fromhex(record.leaf), None)
    event = (record.case, record.cseq, str(record.kind), now, record.actor.id, None, record.body, row.head, bytes(head))
    run(_EVENT, event)
    run(_STATE, (row.cseq, row.head, row.case))


def run_script(bind: Any, script: str) -> None:
    """Runs several statements as they stand, percent signs included.

    Args:
        bind: the connection of the migration.
        script: the statements.
    """
    bind.connection.driver_connection.execute(script)
