"""The second format: content is erased only together with its record, and nothing is sealed under a key that was destroyed.

Until now the eraser's role could empty content without a word, which verification found afterwards. Now the database itself
looks for the `payload.erased` record, in the same transaction, of the case whose content it is, naming it. And a blob that
comes in while its data key is being destroyed is refused, so that its writer seals it again under a new one.
"""

from __future__ import annotations

from alembic import op

from conformed_audit.postgres.change import record_change, run_script

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0002"
down_revision = "0001"

_EMPTY = "SELECT NOT EXISTS (SELECT FROM conformed_log.audit_meta)"
_OFF = "ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE;\n"
_ON = "ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE ALWAYS;\n"
# Content that is kept as it is names no case: then a setting of the transaction says in which one the record is.
_GUARDS = """
SET LOCAL ROLE conformed_owner;
SET LOCAL search_path = conformed_log, pg_temp;
CREATE OR REPLACE FUNCTION guard_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
DECLARE about text; named bytea := ''; whole boolean;
BEGIN
  IF TG_TABLE_NAME = 'blob' THEN
    whole := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.salt IS NULL AND NEW.nonce IS NULL
      AND NEW.ciphertext IS NULL AND NEW."commit" = OLD."commit" AND NEW.key_ref IS NOT DISTINCT FROM OLD.key_ref
      AND NEW.bytes = OLD.bytes AND NEW.media = OLD.media;
    named := convert_to(OLD."commit", 'UTF8');
  ELSE
    whole := OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL AND NEW.wrapped_key IS NULL AND NEW.key_ref = OLD.key_ref;
  END IF;
  IF whole IS NOT TRUE THEN
    RAISE EXCEPTION 'append-only: no update in %', TG_TABLE_NAME USING ERRCODE = 'CL001';
  END IF;
  about := coalesce(regexp_replace(OLD.key_ref, '/[0-9]+$', ''), current_setting('conformed.erasing', true));
  IF NOT EXISTS (SELECT FROM audit_event e WHERE e.case_id = about AND e.kind = 'payload.erased'
                 AND e.xmin = pg_current_xact_id()::xid AND position(named IN e.body) > 0) THEN
    RAISE EXCEPTION 'append-only: no record of this erasure in its transaction' USING ERRCODE = 'CL001';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION guard_blob() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF NEW.key_ref IS NOT NULL THEN
    PERFORM FROM data_key WHERE key_ref = NEW.key_ref AND destroyed_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'append-only: the data key was destroyed' USING ERRCODE = 'CL002';
    END IF;
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION guard_blob() FROM PUBLIC;
CREATE TRIGGER blob_insert BEFORE INSERT ON blob FOR EACH ROW EXECUTE FUNCTION guard_blob();
ALTER TABLE blob ENABLE ALWAYS TRIGGER blob_insert;
RESET ROLE;
SET LOCAL search_path = pg_catalog, pg_temp;
"""


def upgrade() -> None:
    """From the first format. In a log that is only now being made there is nobody yet to whom the change could be told."""
    bind = op.get_bind()
    new = bind.exec_driver_sql(_EMPTY).scalar_one()
    if new:
        run_script(bind, f"{_OFF}{_GUARDS}{_ON}")
        return
    record_change(bind, revision)
    run_script(bind, _GUARDS)
