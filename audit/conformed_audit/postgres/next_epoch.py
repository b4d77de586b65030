"""The next epoch of a shared log: in one transaction the closed log steps aside and a new one that names it stands in its place.

The closed log's records, places, tiles and checkpoints stay in the database under another schema, which nobody may write and
only a reader may read. Its content and data keys do not: they are in the archive, which holds the same (that is checked first,
with every table locked), and what is erased there must not live on here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from conformed_audit.closing import CLOSED
from conformed_audit.encode import encode
from conformed_audit.errors import RefusedError
from conformed_audit.log_tables import TABLES, UNPLACED_RECORDS, content_digest
from conformed_audit.postgres.archiving import reader
from conformed_audit.postgres.change import add_record, changed, run_script
from conformed_audit.postgres.connect import prepare, shown
from conformed_audit.postgres.migrate import LOCK, administering
from conformed_audit.record import RecordDraft

__all__ = ["NextEpoch", "begin_next"]

_FIND_PATH = "SET LOCAL search_path = conformed_log, pg_temp"
_STILL = f"SET LOCAL lock_timeout = '30s'; LOCK TABLE {', '.join(TABLES)} IN ACCESS EXCLUSIVE MODE"
_IS_CLOSED = f"SELECT EXISTS (SELECT FROM audit_event WHERE case_id = '_log' AND idem_key = '{CLOSED}' AND kind = 'log.epoch')"  # noqa: S608
_NUMBER = "SELECT 1 + count(*) FROM pg_namespace WHERE nspname ~ '^conformed_log_epoch_[0-9]+$'"
_CONTENT = ("blob", "data_key")
_ASIDE = """
DROP EVENT TRIGGER conformed_refuse_ddl;
DROP SCHEMA conformed_admin CASCADE;
DROP TABLE conformed_log.blob, conformed_log.data_key;
REVOKE ALL ON ALL TABLES IN SCHEMA conformed_log FROM conformed_app, conformed_eraser;
REVOKE ALL ON SCHEMA conformed_log FROM conformed_app, conformed_eraser;
"""
_SEAL = """
CREATE TRIGGER {table}_sealed BEFORE INSERT OR UPDATE OR DELETE ON conformed_log.{table}
  FOR EACH STATEMENT EXECUTE FUNCTION conformed_log.refuse_change();
ALTER TABLE conformed_log.{table} ENABLE ALWAYS TRIGGER {table}_sealed;
"""
_PLACE = "INSERT INTO conformed_log.audit_leaf VALUES(0, %s, %s, %s)"


@dataclass(frozen=True, slots=True)
class NextEpoch:
    """What was begun."""

    schema: str
    """Where the closed log's records are now."""
    version: str
    """The format of the new log."""


def begin_next(
    url: str, *, before: str, origin: str, digest: str, drafts: Sequence[RecordDraft], clock: Callable[[], datetime]
) -> NextEpoch:
    """Puts the closed log aside and makes the one that follows: all of it or nothing.

    Args:
        url: the database, with the administrator's user.
        before: origin of the closed log.
        origin: origin of the one that follows.
        digest: of what its archive holds (`conformed_audit.log_tables`).
        drafts: the first records of the new log; the first of them names the closed one.
        clock: gives the time now, aware.

    Raises:
        RefusedError: when the log is not closed, or does not hold what its archive holds.
        StoreError: when it is not to be used, or the database refuses.
    """
    encode(origin)
    with administering(url, clock=clock) as within:
        run, raw = within.connection.exec_driver_sql, within.connection.connection.driver_connection
        run(LOCK)
        run(_FIND_PATH)
        prepare(raw, before)
        run_script(within.connection, _STILL)
        name = shown(raw)
        if not run(_IS_CLOSED).scalar_one():
            raise RefusedError(f"The log in {name} is not closed.", "A records officer closes it: conformed log close-epoch.")
        if run(UNPLACED_RECORDS).scalar_one() or content_digest(reader(raw)) != digest:
            raise RefusedError(
                f"The log in {name} does not hold what its archive holds.", "Close the epoch again: conformed log close-epoch."
            )
        aside = f"conformed_log_epoch_{run(_NUMBER).scalar_one()}"
        seals = "".join(_SEAL.format(table=table) for table in TABLES if table not in _CONTENT)
        run_script(within.connection, f"{_ASIDE}{seals}ALTER SCHEMA conformed_log RENAME TO {aside};")
        _, version = within.bring(origin)
        told = changed(f"A new epoch of the log. Records of the one before are in the schema {aside}; content is in its archive.")
        first, *_ = [
            add_record(within.connection, draft, origin=origin, now=within.now) for draft in (drafts[0], told, *drafts[1:])
        ]
        run(_PLACE, (bytes.fromhex(first.leaf), first.case, first.cseq))
        run(_FIND_PATH)
        prepare(raw, origin)
    return NextEpoch(aside, version)
