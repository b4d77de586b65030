"""What each role may do in the database, and what even its owner may not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformed_audit import AuditLog, NotALogError, RecordDraft, RefusedError, TamperedError, verify
from conformed_audit.log_store import UNPLACED

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]

A_ROW = "'{case}', {cseq}, 'step.intent', 't', 'a', NULL, '{{}}'::bytea, {leaf}, {prev}"
COLUMNS = "(case_id, cseq, kind, ts, actor_id, idem_key, body, leaf, prev)"
SOME = "sha256(gen_random_uuid()::text::bytea)"
LAST = "(SELECT leaf FROM audit_event WHERE case_id = 'case-a' AND cseq = 3)"
BEFORE = "(SELECT prev FROM audit_event WHERE case_id = 'case-a' AND cseq = 3)"


def row(case: str = "case-a", cseq: int = 4, leaf: str = SOME, prev: str = LAST) -> str:
    """An insert of a record, everything right but for what is given."""
    return f"INSERT INTO audit_event{COLUMNS} VALUES({A_ROW.format(case=case, cseq=cseq, leaf=leaf, prev=prev)})"


DATA = {
    "update of bytes": "UPDATE audit_event SET body = '{}'::bytea WHERE cseq = 1",
    "update of a column": "UPDATE audit_event SET kind = 'step.failed' WHERE cseq = 1",
    "delete": "DELETE FROM audit_event WHERE cseq = 3",
    "truncate": "TRUNCATE audit_event",
    "truncate of everything": "TRUNCATE audit_event, audit_leaf, case_state CASCADE",
    "upsert": f"{row(cseq=3)} ON CONFLICT (case_id, cseq) DO UPDATE SET body = excluded.body",
    "merge that updates": "MERGE INTO audit_event e USING (SELECT 1) x ON e.cseq = 1 WHEN MATCHED THEN UPDATE SET kind = 'x'",
    "merge that deletes": "MERGE INTO audit_event e USING (SELECT 1) x ON e.cseq = 1 WHEN MATCHED THEN DELETE",
    "gap": row(cseq=9),
    "back-dated": row(cseq=1, prev=SOME),
    "fork": row(prev=BEFORE),
    "fork under another number": row(cseq=3, prev=BEFORE),
    "first record with a predecessor": row(case="case-z", cseq=0, prev=SOME),
    "place that leaves a gap": f"INSERT INTO audit_leaf(idx, leaf, case_id, cseq) VALUES(99, {LAST}, 'case-a', 3)",
    "place of no record": f"INSERT INTO audit_leaf(idx, leaf, case_id, cseq) VALUES(12, {SOME}, 'case-a', 4)",
    "second place": f"INSERT INTO audit_leaf(idx, leaf, case_id, cseq) VALUES(12, {LAST}, 'case-a', 3)",
    "place updated": "UPDATE audit_leaf SET idx = 99 WHERE idx = 11",
    "place deleted": "DELETE FROM audit_leaf WHERE idx = 11",
    "tile that leaves a gap": "INSERT INTO audit_tile(level, n, hashes, root) VALUES(0, 1, decode(repeat('00', 8192), 'hex'), "
    "decode(repeat('00', 32), 'hex'))",
    "origin changed": "UPDATE audit_meta SET value = 'mine'",
    "origin added": "INSERT INTO audit_meta VALUES('origin2', 'mine')",
    "projection emptied": "DELETE FROM case_state",
    "blob deleted": "DELETE FROM blob",
    "blob changed": "UPDATE blob SET ciphertext = ''::bytea",
    "blob half erased": "UPDATE blob SET erased_at = 't', ciphertext = NULL WHERE salt IS NOT NULL",
}
SCHEMA = {
    "guard switched off": "ALTER TABLE audit_event DISABLE TRIGGER audit_event_update",
    "all guards switched off": "ALTER TABLE audit_event DISABLE TRIGGER ALL",
    "guard dropped": "DROP TRIGGER audit_event_update ON audit_event",
    "guard's function replaced": "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RETURN NEW; END'",
    "rows rewritten": "ALTER TABLE audit_event ALTER COLUMN body TYPE bytea USING 'x'::bytea",
    "column dropped": "ALTER TABLE audit_event DROP COLUMN idem_key",
    "table dropped": "DROP TABLE audit_tile",
    "schema dropped": "DROP SCHEMA conformed_log CASCADE",
    "table renamed": "ALTER TABLE audit_event RENAME TO old",
    "table moved": "ALTER TABLE audit_event SET SCHEMA public",
    "rule": "CREATE RULE mine AS ON INSERT TO audit_event DO INSTEAD NOTHING",
    "row filter": "ALTER TABLE audit_event ENABLE ROW LEVEL SECURITY",
    "heir": "CREATE TABLE conformed_log.heir() INHERITS (audit_event)",
    "new trigger": "CREATE TRIGGER mine BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    "right given away": "GRANT UPDATE ON audit_event TO PUBLIC",
    "index dropped": "DROP INDEX audit_event_idem",
    "key dropped": "ALTER TABLE audit_event DROP CONSTRAINT audit_event_prev_case_id_key",
    "owner changed": "ALTER TABLE audit_event OWNER TO test_app",
    "new table": "CREATE TABLE conformed_log.mine(x int)",
    "table of the same name before": "CREATE TEMPORARY TABLE audit_event(x int)",
    "table by select": "SELECT 1 AS x INTO conformed_log.mine",
    "everything of the owner": "DROP OWNED BY conformed_owner",
}
ABOVE = {
    "role of the owner": "SET ROLE conformed_owner",
    "replica": "SET session_replication_role = replica",
    "event trigger": "ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE",
    "rights on rows for a lock": "SELECT 1 FROM audit_event FOR UPDATE",
    "rights of itself": "GRANT conformed_owner TO test_app",
}


def attempt(url: str, *statements: str) -> None:
    """Carries out statements; whatever the database refuses is raised."""
    with psycopg.connect(url, options="-csearch_path=conformed_log", autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def passed_of(attacks: dict[str, str], url: str, *before: str) -> list[str]:
    """Names of the attacks that the database did not refuse."""
    passed = []
    for name, statement in attacks.items():
        try:
            attempt(url, *before, statement)
        except psycopg.Error:
            continue
        passed.append(name)
    return passed


def role(url: str, name: str) -> str:
    """The same database for another user."""
    return url.replace("test_app:@", f"{name}:@")


@pytest.mark.parametrize("user", ["test_app", "test_reader", "test_eraser"])
def test_no_role_can_change_the_log(user: str, filled: str) -> None:
    """Every attack is refused for the application, a reader and the eraser, and the log is as it was."""
    before = verify(filled)
    assert passed_of({**DATA, **SCHEMA, **ABOVE}, role(filled, user)) == []
    assert verify(filled) == before
    assert before.ok


@pytest.mark.parametrize("preamble", ["SET ROLE conformed_owner", "SELECT 1", "SET session_replication_role = replica"])
def test_the_owner_is_refused_too(preamble: str, filled: str) -> None:
    """Guards and the event trigger refuse the same to the owner of the tables and to a superuser, as a replica included."""
    before = verify(filled)
    passed = passed_of({**DATA, **SCHEMA}, role(filled, "postgres"), preamble)
    assert passed == ["origin added"]  # a further line beside the origin, which nothing reads
    assert verify(filled) == before


LASTING = {name: statement for name, statement in SCHEMA.items() if name != "table of the same name before"}


@pytest.mark.parametrize("statement", LASTING.values(), ids=LASTING.keys())
def test_a_superuser_without_the_event_trigger_is_found(statement: str, filled: str, open_log: OpenLog) -> None:
    """Whoever switches off the event trigger changes the schema; verification sees it, and the log does not open."""
    attempt(
        role(filled, "postgres"),
        "ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE",
        statement,
        "ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE ALWAYS",
    )
    result = verify(filled)
    assert (result.ok, result.root) == (False, None)
    assert result.classification in {"tampered", "unreadable"}
    with pytest.raises((NotALogError, TamperedError), match="changed"):
        open_log(filled)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE",
        "ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE REPLICA",
        "DROP EVENT TRIGGER conformed_refuse_ddl",
    ],
)
def test_a_missing_event_trigger_is_found(statement: str, filled: str) -> None:
    """The administrator's guard is part of what verification compares."""
    attempt(role(filled, "postgres"), statement)
    result = verify(filled)
    assert (result.first_bad and result.first_bad.check, result.classification) == ("schema", "tampered")


def test_each_role_can_do_its_work(filled: str, open_log: OpenLog, draft: Draft) -> None:
    """The application appends; a reader reads everything, what has no place included, and verifies; the eraser alone erases nothing."""
    log = open_log(filled)
    log.append([draft("case-d")])
    reader = open_log(role(filled, "test_reader"))
    assert [record.idx for record in reader.records()] == [*range(12), UNPLACED]
    with pytest.raises(RefusedError):
        reader.append([draft("case-d")])
    assert verify(role(filled, "test_reader")).checked == 13
    erasure = "UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = 't' WHERE salt IS NOT NULL"
    assert passed_of({"erased without a word": erasure}, role(filled, "test_eraser")) == []
    assert verify(filled).ok
