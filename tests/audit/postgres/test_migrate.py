"""Making a log on PostgreSQL and raising its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import AuditLog, Expected, NewerSchemaError, NotALogError, OriginError, RecordDraft, StoreError, verify
from conformed_audit.postgres import schema

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
migrating = pytest.importorskip("conformed_audit.postgres.migrate", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]
ORIGIN = "bank.example/test"

LATER = """
from alembic import op
from conformed_audit.postgres.change import record_change

revision, down_revision = "0003", "0002"


def upgrade() -> None:
    {record}
    op.get_bind().exec_driver_sql("CREATE INDEX audit_event_actor ON conformed_log.audit_event(actor_id)")
"""
RECORD = "record_change(op.get_bind(), revision)"


def now() -> datetime:
    """A frozen clock."""
    return datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def bare(server: Any) -> Iterator[str]:
    """The URL of an empty database, for the administrator."""
    server.run("CREATE DATABASE bare")
    yield server.url("bare")
    server.drop("bare")


@pytest.fixture
def later(tmp_path: Path) -> Callable[[str], str]:
    """A folder with a further revision, as a later version of the product would bring."""

    def make(record: str) -> str:
        (tmp_path / "r0003_later.py").write_text(LATER.format(record=record))
        return str(tmp_path)

    return make


def test_a_log_is_made_once(bare: str, server: Any, open_log: OpenLog, draft: Draft) -> None:
    """An empty database becomes a log; doing it again changes nothing, and another deployment is refused."""
    with pytest.raises(NotALogError, match="conformed log migrate"):
        open_log(bare)
    assert verify(bare).classification == "unreadable"
    assert migrating.migrate(bare, origin=ORIGIN, clock=now) == (None, "0002")
    open_log(server.url("bare", "test_app")).append([draft()])
    assert migrating.migrate(bare, origin=ORIGIN, clock=now) == ("0002", "0002")
    with pytest.raises(OriginError, match=r"bank\.example/test"):
        migrating.migrate(bare, origin="bank.example/prod", clock=now)
    assert (verify(bare).ok, verify(bare).checked) == (True, 1)


def test_it_takes_an_administrator(bare: str, server: Any) -> None:
    """A user without the rights is refused, and nothing of the log is left."""
    with pytest.raises(StoreError, match="permission denied"):
        migrating.migrate(server.url("bare", "test_app"), origin=ORIGIN, clock=now)
    with psycopg.connect(bare) as connection:
        assert connection.execute("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'conformed%'").fetchone() == (0,)


def test_the_schema_is_the_pinned_one(new_url: str) -> None:
    """A fresh log has the digest that is kept for the newest format; whoever changes a migration must say so there."""
    with psycopg.connect(new_url) as connection:
        assert schema.version(connection) == max(schema.DIGESTS)
        assert schema.digest(connection) in schema.DIGESTS[max(schema.DIGESTS)], schema.digest(connection)


def test_a_later_format_is_recorded_in_the_log(
    filled: str, later: Callable[[str], str], open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration writes `config.changed`, then changes the schema; the older log verifies before it, and after it as a prefix."""
    before = verify(filled)
    admin = filled.replace("test_app:@", "postgres:@")
    folder = later(RECORD)
    assert migrating.migrate(admin, origin=ORIGIN, clock=now, versions=(folder,)) == ("0002", "0003")
    unknown = verify(filled)
    assert (unknown.classification, unknown.first_bad and unknown.first_bad.found) == ("unreadable", "format 0003")
    with pytest.raises(NewerSchemaError, match="0003"):
        open_log(filled)
    with pytest.raises(NewerSchemaError, match="0003"):
        migrating.migrate(admin, origin=ORIGIN, clock=now)
    with psycopg.connect(filled) as connection:
        monkeypatch.setitem(schema.DIGESTS, "0003", frozenset({schema.digest(connection)}))
    assert before.root is not None
    log = open_log(filled)
    log.place()
    changed = log.head("_config")
    assert changed is not None
    assert (changed.kind, changed.cseq, changed.note) == ("config.changed", 0, "Format 0003 of the log.")
    after = verify(filled, expect=Expected(before.size, before.root))
    assert (after.ok, after.size) == (True, before.size + 1)


def test_an_older_format_verifies_and_is_not_appended_to(filled: str, open_log: OpenLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that knows a later format still verifies the log, and asks for the migration before it writes."""
    monkeypatch.setitem(schema.DIGESTS, "0003", frozenset({"other"}))
    assert verify(filled).ok
    with pytest.raises(NotALogError, match="older format 0002"):
        open_log(filled)


def test_a_migration_that_records_nothing_is_refused(filled: str, later: Callable[[str], str]) -> None:
    """Without `config.changed` in the same transaction the database refuses the change, and everything is as before."""
    before = verify(filled)
    admin = filled.replace("test_app:@", "postgres:@")
    folder = later("pass")
    with pytest.raises(StoreError, match="outside a migration"):
        migrating.migrate(admin, origin=ORIGIN, clock=now, versions=(folder,))
    assert verify(filled) == before
