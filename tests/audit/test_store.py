"""The SQLite file: guards, rules of the connection, and whose file it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import (
    AlreadyRecordedError,
    AuditLog,
    ClosedError,
    NewerSchemaError,
    NotALogError,
    OriginError,
    PlaceError,
    RecordDraft,
    RefusedError,
    verify,
)
from conformed_audit.schema import AUDIT_TABLES, expected_digest, schema_digest

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]

EVENT = "INTO audit_event VALUES('{case}', {cseq}, 'step.intent', 't', 'a', {idem}, x'7b7d', {leaf}, {prev})"


def event(
    case: str = "case-a", cseq: int = 4, leaf: str = "randomblob(32)", prev: str = "randomblob(32)", idem: str = "NULL"
) -> str:
    """An insert of a record, everything right but for what is given."""
    return EVENT.format(case=case, cseq=cseq, leaf=leaf, prev=prev, idem=idem)


LEAF_3 = "(SELECT leaf FROM audit_event WHERE case_id = 'case-b' AND cseq = 3)"
PREV_3 = "(SELECT prev FROM audit_event WHERE case_id = 'case-a' AND cseq = 3)"
LAST = "(SELECT leaf FROM audit_event WHERE case_id = 'case-a' AND cseq = 3)"
NAMES = "case_id, cseq, kind, ts, actor_id, body, leaf, prev"
RIGHT = f"'case-a', 4, 'step.intent', 't', 'a', x'7b7d', randomblob(32), {LAST}"
BLOB = '"commit", ciphertext, bytes, media'
REFUSED = {
    "update": "UPDATE audit_event SET body = x'7b7d' WHERE cseq = 1",
    "update of a column": "UPDATE audit_event SET kind = 'step.failed' WHERE cseq = 1",
    "delete": "DELETE FROM audit_event WHERE cseq = 3",
    "delete all (no row triggers needed)": "DELETE FROM audit_event",
    "gap": f"INSERT {event(cseq=9)}",
    "back-dated": f"INSERT OR REPLACE {event(cseq=-1)}",
    "gap in a new case": f"INSERT {event(case='case-z', cseq=1)}",
    "replace by number": f"INSERT OR REPLACE {event(cseq=2)}",
    "replace by leaf": f"INSERT OR REPLACE {event(leaf=LEAF_3)}",
    "replace by predecessor": f"INSERT OR REPLACE {event(prev=PREV_3)}",
    "replace by key": f"INSERT OR REPLACE {event(idem=repr('key-0'))}",
    "follows another than the last": f"INSERT {event(prev=PREV_3)}",
    "follows nothing that is there": f"INSERT {event()}",
    "first of a case that follows something": f"INSERT {event(case='case-z', cseq=0)}",
    "gap after the last": f"INSERT {event(cseq=9, prev=LAST)}",
    "replace by number, after the last": f"INSERT OR REPLACE {event(cseq=2, prev=LAST)}",
    "replace the first": f"INSERT OR REPLACE {event(cseq=0, prev='zeroblob(32)')}",
    "second first of a case": f"INSERT {event(cseq=0, prev='zeroblob(32)')}",
    "leaf of another record": f"INSERT {event(leaf=LEAF_3, prev=LAST)}",
    "key of another record": f"INSERT {event(idem=repr('key-0'), prev=LAST)}",
    "replace by key alone": f"INSERT OR REPLACE {event(idem=repr('key-0'), prev=LAST)}",
    "replace by leaf alone": f"INSERT OR REPLACE {event(leaf=LEAF_3, prev=LAST)}",
    "replace by the number of a row": f"INSERT OR REPLACE INTO audit_event(rowid, {NAMES}) SELECT 3, {RIGHT}",
    "upsert": f"INSERT {event(cseq=2)} ON CONFLICT(case_id, cseq) DO UPDATE SET body = excluded.body",
    "update or replace": "UPDATE OR REPLACE audit_event SET cseq = 2 WHERE cseq = 3",
    "index gap": "INSERT INTO audit_leaf VALUES(99, randomblob(32), 'case-a', 0)",
    "index replaced": "INSERT OR REPLACE INTO audit_leaf VALUES(3, randomblob(32), 'case-a', 0)",
    "index replaced by leaf": f"INSERT OR REPLACE INTO audit_leaf VALUES(12, {LEAF_3}, 'case-b', 3)",
    "index without a record": "INSERT INTO audit_leaf VALUES(12, randomblob(32), 'case-q', 0)",
    "index deleted": "DELETE FROM audit_leaf WHERE idx = 11",
    "index updated": "UPDATE audit_leaf SET leaf = randomblob(32) WHERE idx = 11",
    "origin changed": "INSERT OR REPLACE INTO audit_meta VALUES('origin', 'mine')",
    "origin updated": "UPDATE audit_meta SET value = 'mine'",
    "blob deleted": "DELETE FROM blob",
    "blob replaced": "INSERT OR REPLACE INTO blob SELECT \"commit\", salt, key_ref, nonce, x'00', 1, media, NULL FROM blob",
    "blob replaced by the number of its row": f"INSERT OR REPLACE INTO blob(rowid, {BLOB}) SELECT rowid, 'sha256:x', x'00', 1, '' FROM blob",
    "origin replaced by the number of its row": "INSERT OR REPLACE INTO audit_meta(rowid, name, value) VALUES(1, 'x', 'y')",
    "erasure that takes another's place": (
        "UPDATE OR REPLACE blob SET rowid = 99, erased_at = 't', ciphertext = NULL, salt = NULL, nonce = NULL"
    ),
    "blob updated": "UPDATE blob SET ciphertext = x'00'",
    "blob half erased": "UPDATE blob SET erased_at = 't', ciphertext = NULL WHERE salt IS NOT NULL",
    "number of the wrong type": "INSERT INTO audit_leaf VALUES('twelve', randomblob(32), 'case-a', 0)",
    "tile gap": "INSERT INTO audit_tile VALUES(0, 1, zeroblob(8192), zeroblob(32))",
    "tile of the wrong length": "INSERT INTO audit_tile VALUES(0, 0, zeroblob(8191), zeroblob(32))",
    "key deleted and tables emptied": "DELETE FROM audit_meta",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
def test_guards_refuse_every_change(statement: str, sample: Path) -> None:
    """On any connection to the file, no data statement changes, removes, replaces, skips or back-dates a record."""
    before = verify(sample)
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
        connection.commit()
    assert verify(sample) == before
    assert before.ok


@pytest.mark.parametrize("name", [name for name, statement in REFUSED.items() if "OR REPLACE" in statement])
def test_guards_refuse_replacing_by_themselves(name: str, sample: Path) -> None:
    """A replacement fires no trigger of its deletion; it is refused before, on a connection that checks no references, too."""
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(REFUSED[name])


def test_guards_let_the_next_record_in(sample: Path) -> None:
    """What is right but for one thing above is taken when that is right, too: the guards refuse for the reason that is meant."""
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"INSERT INTO audit_event({NAMES}) SELECT {RIGHT}")
        connection.execute("INSERT INTO audit_leaf SELECT 12, leaf, case_id, cseq FROM audit_event WHERE cseq = 4")
        connection.execute(f"INSERT {event(case='case-z', cseq=0, prev='zeroblob(32)', idem=repr('key-0'))}")
        connection.rollback()
    assert verify(sample).ok


def test_guards_of_the_later_tables(sample: Path) -> None:
    """Checkpoints only grow; cosignatures, keys and tiles are never replaced."""
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("INSERT INTO audit_checkpoint VALUES(5, x'', x'', '', '')")
        connection.execute("INSERT INTO audit_cosig VALUES(5, 'w', 'line', '')")
        connection.execute("INSERT INTO audit_key VALUES('k', 'v', 0, NULL)")
        connection.execute("INSERT INTO data_key VALUES('d', x'01', NULL)")
        for statement in (
            "INSERT INTO audit_checkpoint VALUES(4, x'', x'', '', '')",
            "INSERT OR REPLACE INTO audit_checkpoint VALUES(5, x'01', x'', '', '')",
            "INSERT OR REPLACE INTO audit_cosig VALUES(5, 'w', 'other', '')",
            "INSERT OR REPLACE INTO audit_key VALUES('k', 'other', 0, NULL)",
            "UPDATE audit_key SET to_size = 5",
            "UPDATE data_key SET wrapped_key = x'02'",
            "DELETE FROM data_key",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
        destroyed = connection.execute("UPDATE data_key SET wrapped_key = NULL, destroyed_at = 't'")
        assert destroyed.rowcount == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET kind = 'x'",
        "DELETE FROM case_state",
        "UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = 't'",
        "DROP TRIGGER audit_event_update",
        "DROP TABLE audit_event",
        "ALTER TABLE audit_event RENAME TO old",
        "ALTER TABLE audit_event DROP COLUMN kind",
        "CREATE TRIGGER mine AFTER INSERT ON audit_event BEGIN SELECT 1; END",
        "CREATE TEMP TABLE mine(x)",
        "PRAGMA writable_schema=ON",
        "PRAGMA synchronous=OFF",
        "PRAGMA journal_mode=DELETE",
        "ATTACH ':memory:' AS other",
        "VACUUM",
    ],
)
def test_the_application_s_connection_cannot_even_try(statement: str, sample: Path, open_log: OpenLog) -> None:
    """The authorizer denies changes, schema changes and settings on the connection that the log itself uses."""
    log = open_log(sample)
    with pytest.raises(RefusedError):
        log._store._execute(statement)
    assert verify(sample).ok


def test_the_file_is_durable_by_its_settings(sample: Path, open_log: OpenLog) -> None:
    """WAL, one sync a commit, foreign keys checked, schema not trusted."""
    connection = open_log(sample)._store._live()
    connection.set_authorizer(None)
    names = ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")
    assert [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names] == ["wal", 2, 1, 0]


def test_every_table_is_guarded(sample: Path) -> None:
    """Each table of the log but the projection has its three triggers, and all are covered by the schema's digest."""
    with closing(sqlite3.connect(sample)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        triggers = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
        assert tables == set(AUDIT_TABLES)
        assert triggers == {f"{table}_{verb}" for table in tables - {"case_state"} for verb in ("insert", "update", "delete")}
        assert schema_digest(connection) == expected_digest()


def test_a_later_format_is_refused(sample: Path, open_log: OpenLog) -> None:
    """A log written by a later version is not touched, and verification says which version it has."""
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("PRAGMA user_version=4")
    before = sample.read_bytes()
    with pytest.raises(NewerSchemaError, match="format 4"):
        open_log(sample)
    assert sample.read_bytes() == before
    result = verify(sample)
    assert (result.ok, result.classification, result.first_bad and result.first_bad.found) == (False, "unreadable", "version 4")


def test_other_files_are_refused_and_left_alone(tmp_path: Path, open_log: OpenLog) -> None:
    """Another database, or any other file, is named as such and keeps its bytes."""
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t(x)")
    words = tmp_path / "words.db"
    words.write_text("The Borrower shall deliver a certificate." * 100)
    for path, message in ((other, "is a database, but no log"), (words, "not a readable log")):
        before = path.read_bytes()
        with pytest.raises(NotALogError, match=message):
            open_log(path)
        assert path.read_bytes() == before


def test_changed_guards_are_refused(sample: Path, open_log: OpenLog, owner: Callable[..., None]) -> None:
    """A log without its guards is not appended to."""
    owner(sample, keep_schema=False)
    with pytest.raises(NotALogError, match="guards"):
        open_log(sample)


def test_another_origin_is_refused(sample: Path, open_log: OpenLog) -> None:
    """A log is opened under its own origin only, so that two deployments never share one."""
    with pytest.raises(OriginError, match=r"bank\.example/test"):
        open_log(sample, origin="bank.example/prod")
    assert verify(sample).ok


def test_bad_places_are_refused(tmp_path: Path, open_log: OpenLog) -> None:
    """A missing folder is not made, a folder is no log; both are one sentence."""
    with pytest.raises(PlaceError, match="Make it first"):
        open_log(tmp_path / "absent" / "log.db")
    with pytest.raises(PlaceError, match="is a folder"):
        open_log(tmp_path)


def test_a_reader_does_not_make_a_log(tmp_path: Path, sample: Path, open_log: OpenLog) -> None:
    """Opened without leave to make one, an absent or empty log is an error and stays as it is."""
    (tmp_path / "empty.db").touch()
    for name in ("absent.db", "empty.db"):
        with pytest.raises(NotALogError, match="There is no log"):
            open_log(tmp_path / name, create=False)
    assert not (tmp_path / "absent.db").exists()
    assert (tmp_path / "empty.db").stat().st_size == 0
    assert len(list(open_log(sample, create=False).records())) == 12


def test_a_closed_log_says_so(sample: Path, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """After closing, and in a forked process, the log refuses instead of using a connection that is not its own."""
    log = open_log(sample)
    with monkeypatch.context() as patch:
        patch.setattr("os.getpid", lambda: -1)
        with pytest.raises(ClosedError, match="another process"):
            log.append([draft()])
    log.close()
    log.close()
    uses: tuple[Callable[[], Any], ...] = (lambda: log.append([draft()]), log.cases, lambda: list(log.records()))
    for use in uses:
        with pytest.raises(ClosedError, match="Open it again"):
            use()


def test_nothing_read_in_one_transaction_counts_in_the_next(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """Two writers take turns in the same cases, with appends between that fail: every number, chain and key is right."""
    path = tmp_path / "log.db"
    one, other = open_log(path), open_log(path)
    for turn in range(6):
        log = (one, other)[turn % 2]
        records = log.append([draft("case-a", idem=f"a{turn}"), draft("case-b", idem=f"b{turn}"), draft("case-b")])
        assert [record.cseq for record in records] == [turn, 2 * turn, 2 * turn + 1]
        for same in (one, other):
            with pytest.raises(AlreadyRecordedError) as known:
                same.append([draft("case-b"), draft("case-a"), draft("case-b", idem=f"b{turn}")])
            assert known.value.cseq == 2 * turn
    assert verify(path).ok


def test_a_key_given_twice_in_one_append_is_refused(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """The second of two drafts with one key finds the first, which is not committed yet; neither is kept."""
    log = open_log(tmp_path / "log.db")
    with pytest.raises(AlreadyRecordedError) as known:
        log.append([draft(idem="k"), draft(idem="k")])
    assert known.value.cseq == 0
    assert list(log.records()) == []
    assert log.append([draft(idem="k")])[0].cseq == 0
