"""The first format on PostgreSQL: the same tables as on SQLite, with roles, and guards that the database itself keeps.

Four roles without login, to be granted to users: the owner of the tables (nobody's), the application, the reader, and the
eraser. Guards are ENABLE ALWAYS, so that `session_replication_role` does not pass them. The event trigger belongs to the
administrator and refuses every change of schema in this database, which is the log's own, unless the same transaction has
written `config.changed`. Whoever is above all that (a superuser) is found by verification: `conformed_audit.postgres.schema`.
"""

from __future__ import annotations

from alembic import op

from conformed_audit.postgres.change import run_script

__all__ = ["down_revision", "revision", "upgrade"]

revision = "0001"
down_revision = None

_ROLES = """
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['conformed_owner', 'conformed_app', 'conformed_reader', 'conformed_eraser'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN EXECUTE format('CREATE ROLE %I NOLOGIN', name); END IF;
  END LOOP;
  EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
CREATE SCHEMA conformed_log AUTHORIZATION conformed_owner;
REVOKE ALL ON SCHEMA conformed_log FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
"""

_TABLES = """
SET LOCAL ROLE conformed_owner;
SET LOCAL search_path = conformed_log, pg_temp;
CREATE TABLE audit_meta(name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
CREATE TABLE audit_event(
  case_id text COLLATE "C" NOT NULL, cseq bigint NOT NULL CHECK (cseq >= 0), kind text COLLATE "C" NOT NULL,
  ts text COLLATE "C" NOT NULL, actor_id text NOT NULL, idem_key text COLLATE "C", body bytea NOT NULL,
  leaf bytea NOT NULL UNIQUE CHECK (octet_length(leaf) = 32), prev bytea NOT NULL CHECK (octet_length(prev) = 32),
  PRIMARY KEY (case_id, cseq), UNIQUE (prev, case_id));
CREATE UNIQUE INDEX audit_event_idem ON audit_event(case_id, idem_key, kind) WHERE idem_key IS NOT NULL;
CREATE TABLE audit_leaf(
  idx bigint PRIMARY KEY CHECK (idx >= 0), leaf bytea NOT NULL UNIQUE, case_id text COLLATE "C" NOT NULL, cseq bigint NOT NULL,
  UNIQUE (case_id, cseq));
CREATE TABLE audit_tile(
  level integer NOT NULL, n bigint NOT NULL, hashes bytea NOT NULL CHECK (octet_length(hashes) = 8192),
  root bytea NOT NULL CHECK (octet_length(root) = 32), PRIMARY KEY (level, n));
CREATE TABLE audit_checkpoint(
  size bigint PRIMARY KEY, root bytea NOT NULL, heads_root bytea NOT NULL, note text NOT NULL, made_at text NOT NULL);
CREATE TABLE audit_cosig(
  size bigint NOT NULL REFERENCES audit_checkpoint(size), witness text COLLATE "C" NOT NULL, line text NOT NULL,
  got_at text NOT NULL, PRIMARY KEY (size, witness));
CREATE TABLE audit_key(key_id text COLLATE "C" PRIMARY KEY, vkey text NOT NULL, from_size bigint NOT NULL, to_size bigint);
CREATE TABLE case_state(
  case_id text COLLATE "C" PRIMARY KEY, state text, cseq bigint NOT NULL, head bytea NOT NULL, contract text)
  WITH (fillfactor = 50);
CREATE TABLE data_key(key_ref text COLLATE "C" PRIMARY KEY, wrapped_key bytea, destroyed_at text);
CREATE TABLE blob(
  "commit" text COLLATE "C" PRIMARY KEY, salt bytea, key_ref text COLLATE "C" REFERENCES data_key(key_ref), nonce bytea,
  ciphertext bytea, bytes bigint NOT NULL, media text NOT NULL, erased_at text);
ALTER TABLE audit_event ALTER COLUMN body SET STORAGE EXTERNAL;
"""
# No two records of a case have the same predecessor: the columns of that key stand the other way round, so that only the
# primary key serves a search by case and number; a plan that was made for an empty table could take either.
# Rows of case_state are updated with every append: half a page is left free so that an update stays on its page. Bodies are
# not compressed: most are about 1 KiB, and compressing costs every writer what it saves on few.

_GUARDS = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'append-only: no % in %', lower(TG_OP), TG_TABLE_NAME USING ERRCODE = 'CL001';
END $$;
CREATE FUNCTION guard_event() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF (CASE WHEN NEW.cseq = 0 THEN NEW.prev <> decode(repeat('00', 32), 'hex')
     ELSE (SELECT (e.case_id, e.cseq) = (NEW.case_id, NEW.cseq - 1) FROM audit_event e WHERE e.leaf = NEW.prev) IS NOT TRUE END) THEN
    RAISE EXCEPTION 'append-only: gap or fork in audit_event' USING ERRCODE = 'CL002';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION guard_leaf() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF NEW.idx <> (SELECT coalesce(max(idx) + 1, 0) FROM audit_leaf)
     OR (SELECT (e.case_id, e.cseq) = (NEW.case_id, NEW.cseq) FROM audit_event e WHERE e.leaf = NEW.leaf) IS NOT TRUE
     OR NEW.cseq > 0 AND NOT EXISTS (SELECT FROM audit_leaf WHERE case_id = NEW.case_id AND cseq = NEW.cseq - 1) THEN
    RAISE EXCEPTION 'append-only: gap, or no such record, in audit_leaf' USING ERRCODE = 'CL001';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION guard_tile() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF NEW.n <> (SELECT coalesce(max(n) + 1, 0) FROM audit_tile WHERE level = NEW.level) THEN
    RAISE EXCEPTION 'append-only: gap in audit_tile' USING ERRCODE = 'CL001';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION guard_checkpoint() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF NEW.size <= (SELECT coalesce(max(size), -1) FROM audit_checkpoint) THEN
    RAISE EXCEPTION 'append-only: audit_checkpoint only grows' USING ERRCODE = 'CL001';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION guard_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path = conformed_log, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'blob' THEN
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.salt IS NULL AND NEW.nonce IS NULL AND NEW.ciphertext IS NULL
       AND NEW."commit" = OLD."commit" AND NEW.key_ref IS NOT DISTINCT FROM OLD.key_ref AND NEW.bytes = OLD.bytes
       AND NEW.media = OLD.media THEN RETURN NEW; END IF;
  ELSIF OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL AND NEW.wrapped_key IS NULL AND NEW.key_ref = OLD.key_ref THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'append-only: no update in %', TG_TABLE_NAME USING ERRCODE = 'CL001';
END $$;
"""

_INSERT_GUARDS = {
    "audit_event": "guard_event",
    "audit_leaf": "guard_leaf",
    "audit_tile": "guard_tile",
    "audit_checkpoint": "guard_checkpoint",
}
_ERASABLE = ("blob", "data_key")
_COLUMNS = {
    "audit_event": "case_id, cseq, kind, ts, actor_id, idem_key, body, leaf, prev",
    "audit_leaf": "idx, leaf, case_id, cseq",
    "audit_tile": "level, n, hashes, root",
    "audit_checkpoint": "size, root, heads_root, note, made_at",
    "audit_cosig": "size, witness, line, got_at",
    "audit_key": "key_id, vkey, from_size, to_size",
    "case_state": "case_id, state, cseq, head, contract",
    "data_key": "key_ref, wrapped_key, destroyed_at",
    "blob": '"commit", salt, key_ref, nonce, ciphertext, bytes, media, erased_at',
}
_INSERT_ONLY = ("audit_meta", *(table for table in _COLUMNS if table != "case_state"))

_EVENT_TRIGGER = """
RESET ROLE;
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE FUNCTION conformed_admin.refuse_ddl() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF tg_tag = 'REINDEX' OR EXISTS (
    SELECT FROM conformed_log.case_state s JOIN conformed_log.audit_event e ON e.case_id = s.case_id AND e.cseq = s.cseq
    WHERE s.case_id = '_config' AND e.kind = 'config.changed' AND e.xmin = pg_current_xact_id()::xid) THEN RETURN; END IF;
  RAISE EXCEPTION 'append-only: % outside a migration that records it', tg_tag USING ERRCODE = 'CL001';
END $$;
REVOKE ALL ON FUNCTION conformed_admin.refuse_ddl() FROM PUBLIC;
GRANT USAGE ON SCHEMA conformed_admin TO conformed_app, conformed_reader, conformed_eraser;
GRANT SELECT ON conformed_admin.alembic_version TO conformed_app, conformed_reader, conformed_eraser;
CREATE EVENT TRIGGER conformed_refuse_ddl ON ddl_command_start EXECUTE FUNCTION conformed_admin.refuse_ddl();
ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE ALWAYS;
"""


def upgrade() -> None:
    """From an empty database to the first format; the schema of the administrator, with the version, is there already."""
    for script in (_ROLES, _TABLES, _GUARDS, _triggers(), _grants(), _EVENT_TRIGGER):
        run_script(op.get_bind(), script)


def _triggers() -> str:
    """Three guards a table, a fourth against TRUNCATE; the projection can be moved but not emptied."""
    parts = []
    for table in (*_INSERT_ONLY, "case_state"):
        guards = {"delete": "BEFORE DELETE ON {} FOR EACH ROW", "truncate": "BEFORE TRUNCATE ON {} FOR EACH STATEMENT"}
        if table != "case_state":
            guards["update"] = "BEFORE UPDATE ON {} FOR EACH ROW"
        if table in _INSERT_GUARDS:
            guards["insert"] = "BEFORE INSERT ON {} FOR EACH ROW"
        for verb, when in guards.items():
            function = _INSERT_GUARDS[table] if verb == "insert" else "refuse_change"
            if verb == "update" and table in _ERASABLE:
                function = "guard_erasure"
            name = f"{table}_{verb}"
            parts.append(f"CREATE TRIGGER {name} {when.format(table)} EXECUTE FUNCTION {function}();\n")
            parts.append(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};\n")
    return "".join(parts)


def _grants() -> str:
    """Who may do what: columns by name, so that one added later is not granted by itself."""
    parts = ["GRANT USAGE ON SCHEMA conformed_log TO conformed_app, conformed_reader, conformed_eraser;\n"]
    parts += [
        f"GRANT SELECT ON {table} TO conformed_app, conformed_reader, conformed_eraser;\n" for table in ("audit_meta", *_COLUMNS)
    ]
    parts += [f"GRANT INSERT ({columns}) ON {table} TO conformed_app;\n" for table, columns in _COLUMNS.items()]
    parts.append("GRANT UPDATE (state, cseq, head, contract) ON case_state TO conformed_app;\n")
    parts.append("GRANT UPDATE (salt, nonce, ciphertext, erased_at) ON blob TO conformed_eraser;\n")
    parts.append("GRANT UPDATE (wrapped_key, destroyed_at) ON data_key TO conformed_eraser;\n")
    parts.append("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA conformed_log FROM PUBLIC;\n")
    return "".join(parts)
