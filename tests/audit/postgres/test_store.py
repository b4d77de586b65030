"""The face of the log on PostgreSQL where it differs from a file's: places, errors, and who reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from conformed_audit import (
    AuditLog,
    BlobError,
    DiskFullError,
    Kind,
    NotCanonicalError,
    OriginError,
    RecordDraft,
    RefusedError,
    StoreError,
    verify,
)
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.log_store import UNPLACED
from conformed_audit.note import SigningKey
from conformed_audit.postgres import sequencer
from conformed_audit.publish import Publisher
from conformed_audit.sealing import MasterKey
from conformed_audit.tree import included, inclusion_path

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]


def test_places_come_afterwards_and_never_change(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """A record has no place when it is written; whoever reads the log in order gives it one, which stays."""
    log = open_log(new_url)
    written = log.append([draft("case-b"), draft("case-a")])
    assert {record.idx for record in written} == {UNPLACED}
    assert [record.idx for record in log.records("case-b")] == [UNPLACED]
    assert log.place() == 2
    order = [(record.idx, record.case) for record in log.records()]
    assert order == [(0, "case-a"), (1, "case-b")]
    log.append([draft("case-0")])
    assert [(record.idx, record.case) for record in log.records()] == [*order, (2, "case-0")]
    assert log.place() == 0


def test_a_place_can_be_had_at_once(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """Asked for, the places come with the records, after everything that was committed before, and tiles with them."""
    log, other = open_log(new_url), open_log(new_url)
    other.append([draft("case-z") for _ in range(254)])
    written = log.append([draft("case-a"), draft("case-b"), draft("case-c")], placed=True)
    assert [record.idx for record in written] == [254, 255, 256]
    assert [record.idx for record in log.records()] == list(range(257))
    assert log.store.tiles.tile(0, 0) is not None
    assert verify(new_url).ok


def test_tiles_are_kept_whoever_gives_the_places(
    new_url: str, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is placed inside the transaction of the heads, since it was committed last, completes its tiles there."""
    log = open_log(new_url)
    log.append([draft(f"case-{number % 3}") for number in range(600)])
    monkeypatch.setattr(sequencer, "place", lambda *_, **__: 0)
    heads, _ = log.append_heads()
    assert heads.idx == 600
    assert [log.store.tiles.tile(0, n) is not None for n in range(3)] == [True, True, False]
    assert verify(new_url).ok


def test_sealed_content_needs_the_key(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """Content under a case's data key is read back with the master key, and is in no column of the database."""
    log = open_log(new_url, keys=MasterKey(bytes(range(32))))
    blob = log.make_blob(b"the ratio is 3.47", "text/plain")
    log.append([draft()], blobs=[blob])
    second = log.make_blob(b"the ratio is 3.48", "text/plain")
    log.append([draft()], blobs=[second])
    assert [log.get_blob(one.commit) for one in (blob, second)] == [b"the ratio is 3.47", b"the ratio is 3.48"]
    with psycopg.connect(new_url) as connection:
        rows = connection.execute("SELECT key_ref, position('ratio'::bytea in ciphertext) FROM conformed_log.blob").fetchall()
    assert rows == [("case-a/1", 0)] * 2
    with pytest.raises(BlobError, match="sealed"):
        open_log(new_url).get_blob(blob.commit)
    assert verify(new_url).ok


def test_records_without_a_place_are_verified_too(
    new_url: str, open_log: OpenLog, draft: Draft, owner: Callable[..., None]
) -> None:
    """What waits for its place is checked against its bytes and its chain like everything else, and counted."""
    log = open_log(new_url)
    log.append([draft(), draft()])
    log.place()
    log.append([draft(), draft(), draft("case-b")])
    good = verify(new_url)
    assert (good.ok, good.size, good.checked) == (True, 2, 5)
    owner(
        new_url, "UPDATE audit_event SET body = CAST(replace(body, '3.47', '3.17') AS BLOB) WHERE case_id = 'case-a' AND cseq = 2"
    )
    bad = verify(new_url)
    assert bad.first_bad is not None
    assert (bad.first_bad.check, bad.first_bad.idx, bad.first_bad.case, bad.first_bad.cseq) == ("leaf", None, "case-a", 2)
    owner(new_url, "DELETE FROM audit_event WHERE case_id = 'case-a' AND cseq = 2")
    gone = verify(new_url)
    assert (gone.first_bad and gone.first_bad.check, gone.classification) == ("cseq", "tampered")


def test_a_checkpoint_covers_everything_that_is_committed(new_url: str, open_log: OpenLog, draft: Draft, tmp_path: Any) -> None:
    """Publishing gives every record its place first; the signed root proves each of them, over tiles that became full."""
    log = open_log(new_url)
    log.append([draft(f"case-{number % 9}") for number in range(600)])
    publisher = Publisher(log, [SigningKey.make(log.origin, bytes(32))], SignerMemory(tmp_path / "memory"), ())
    first = publisher.publish().checkpoint
    assert first.size == 601
    log.append([draft("case-3")])
    second = publisher.publish().checkpoint
    assert second.size == 603
    tree = log.tree(second.size)
    for record in [*log.records()][::50]:
        path = inclusion_path(tree, record.idx, second.size)
        assert included(bytes.fromhex(record.leaf), record.idx, second.size, path, second.root)
    result = verify(new_url)
    assert (result.ok, result.checkpoints, result.heads, result.size) == (True, 2, 2, 603)


def test_a_clock_that_steps_back_is_recorded(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """A case whose last record is later than now gets its `clock.stepped`, in the log's own case."""
    open_log(new_url, clock=later(9)).append([draft()])
    open_log(new_url, clock=later(8)).append([draft()])
    open_log(new_url, clock=later(8)).append([draft("case-b")])
    assert sorted(record.kind for record in open_log(new_url, clock=later(10)).records()) == [
        "clock.stepped",
        *["step.intent"] * 3,
    ]
    assert verify(new_url).ok


def later(hour: int) -> Callable[[], Any]:
    """A clock that stands still."""
    from datetime import UTC, datetime

    return lambda: datetime(2026, 1, 1, hour, tzinfo=UTC)


def test_what_no_record_may_hold_is_refused_before_the_database_sees_it(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """Null characters and lone surrogates in a case or a key are an error of ours, and the log goes on."""
    log = open_log(new_url)
    for bad in (draft("a\0b"), draft("a\ud800"), draft(idem="a\0b")):
        with pytest.raises(NotCanonicalError):
            log.append([bad])
    log.append([draft()])
    assert verify(new_url).checked == 1


def test_another_origin_is_refused(new_url: str, open_log: OpenLog) -> None:
    """A log is opened under its own origin only."""
    with pytest.raises(OriginError, match=r"bank\.example/test"):
        open_log(new_url, origin="bank.example/prod")


def test_a_password_is_never_said(server: Any, open_log: OpenLog) -> None:
    """Neither errors nor findings repeat the URL."""
    wrong = server.url("nowhere", "test_app").replace("test_app:@", "test_app:s3cret@")
    with pytest.raises(StoreError, match="cannot be reached") as refused:
        open_log(wrong)
    result = verify(wrong)
    assert result.first_bad is not None
    assert (result.classification, result.checked) == ("unreadable", 0)
    assert "s3cret" not in str(refused.value) + str(result)


FULL = """
CREATE FUNCTION conformed_admin.full() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END $$
"""
FULL_TRIGGER = """
CREATE TRIGGER full_disk AFTER INSERT ON conformed_log.audit_event FOR EACH ROW EXECUTE FUNCTION conformed_admin.full()
"""


def test_a_full_disk_keeps_nothing(new_url: str, open_log: OpenLog, draft: Draft, server: Any) -> None:
    """When the server finds no room, the append is refused as a whole, and the log goes on once there is room."""
    log = open_log(new_url)
    log.append([draft()])
    name = new_url.rpartition("/log_")[2].partition("?")[0]
    server.run("ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE", FULL, FULL_TRIGGER, database=f"log_{name}")
    with pytest.raises(DiskFullError, match="no room left"):
        log.append([draft("case-b"), draft()], blobs=[log.make_blob(b"x", "text/plain")])
    server.run(
        "DROP TRIGGER full_disk ON conformed_log.audit_event", "DROP FUNCTION conformed_admin.full()", database=f"log_{name}"
    )
    server.run("ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE ALWAYS", database=f"log_{name}")
    log.append([draft("case-b")])
    assert (verify(new_url).ok, verify(new_url).checked) == (True, 2)


def test_the_session_is_durable_by_its_settings(new_url: str, open_log: OpenLog) -> None:
    """A commit waits for the disk whatever the server's default is, and names are looked up in the log's schema only."""
    connection = open_log(new_url).store._live()  # type: ignore[attr-defined]
    names = ("synchronous_commit", "search_path", "transaction_isolation")
    assert [connection.execute(f"SHOW {name}").fetchone()[0] for name in names] == [
        "on",
        "conformed_log, pg_temp",
        "read committed",
    ]


def test_verification_reads_one_moment(new_url: str, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is appended while it reads is neither seen nor a false alarm."""
    from conformed_audit.postgres.source import PostgresSource

    log = open_log(new_url)
    log.append([draft() for _ in range(20)])
    log.place()
    records = PostgresSource.records

    def meanwhile(self: PostgresSource) -> Any:
        for number, row in enumerate(records(self)):
            if number == 10:
                log.append([draft(), draft("case-b", Kind.STATE_CHANGED)])
                log.place()
            yield row

    monkeypatch.setattr(PostgresSource, "records", meanwhile)
    result = verify(new_url)
    assert (result.ok, result.size, result.checked) == (True, 20, 20)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, open_log: OpenLog) -> None:
    """A URL without psycopg is one sentence, for the log and for verification."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setattr("conformed_audit.where.find_spec", lambda _name: None)
    with pytest.raises(StoreError, match=r"conformed\[postgres\]"):
        open_log("postgresql://nowhere/log")
    assert verify("postgres://nowhere/log").classification == "unreadable"


def test_a_record_is_added_inside_a_transaction_only(new_url: str, open_log: OpenLog) -> None:
    """A caller that forgets the transaction is told so."""
    store = open_log(new_url).store
    with pytest.raises(StoreError, match="outside a transaction"):
        store.start()
    with pytest.raises(RefusedError):
        store.checkpoints._run("UPDATE audit_checkpoint SET size = 1", ())
