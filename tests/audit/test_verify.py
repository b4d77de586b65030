"""Verification: outside roots, damage, unreadable files, and prefixes."""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformed_audit import AuditLog, Expected, Item, Kind, RecordDraft, verify
from conformed_audit.merkle import leaf_hash, root

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]
Owner = Callable[..., None]
Ask = Callable[..., list[tuple[Any, ...]]]
Where = Path | str


def test_a_tail_cut_everywhere_needs_an_outside_size(sample_log: Where, owner: Owner, open_log: OpenLog) -> None:
    """A shorter history is a valid log, too; an outside size tells, and a later longer log still has the old root inside it."""
    before = verify(sample_log)
    assert before.root is not None
    last = "(SELECT leaf FROM audit_event e WHERE e.case_id = case_state.case_id AND cseq = 2)"
    heads = f"UPDATE case_state SET cseq = 2, head = {last}"
    owner(sample_log, "DELETE FROM audit_leaf WHERE idx >= 9", "DELETE FROM audit_event WHERE cseq = 3", heads)
    alone = verify(sample_log)
    assert (alone.ok, alone.size, alone.anchored) == (True, 9, False)
    cut = verify(sample_log, expect=Expected(before.size, before.root))
    assert (cut.classification, cut.first_bad and cut.first_bad.check) == ("truncated", "size")
    assert alone.root is not None
    open_log(sample_log).put_blob(b"x", "text/plain")
    assert verify(sample_log, expect=Expected(9, alone.root)).ok


def test_an_older_root_is_a_prefix(sample_log: Where, open_log: OpenLog, draft: Draft) -> None:
    """A size and root remembered earlier hold for ever after, whatever is appended."""
    before = verify(sample_log)
    assert before.root is not None
    log = open_log(sample_log, clock=lambda: datetime(2027, 1, 1, tzinfo=UTC))
    log.append([draft("case-d")])
    log.place()
    after = verify(sample_log, expect=Expected(before.size, before.root))
    assert (after.ok, after.size) == (True, 13)
    assert after.root != before.root
    assert not verify(sample_log, expect=Expected(11, before.root)).ok
    assert verify(sample_log, expect=Expected(0, root([]).hex())).ok


def test_bytes_that_are_not_canonical_are_found(sample_log: Where, owner: Owner, ask: Ask) -> None:
    """A record with one space more, hashed rightly, is a writer's fault and named as such."""
    ((body,),) = ask(sample_log, "SELECT body FROM audit_event WHERE case_id = 'case-c' AND cseq = 3")
    data = body.replace(b'":', b'": ', 1)
    owner(
        sample_log,
        ("UPDATE audit_event SET body = ?, leaf = ? WHERE case_id = 'case-c' AND cseq = 3", (data, leaf_hash(data))),
        ("UPDATE audit_leaf SET leaf = ? WHERE idx = 11", (leaf_hash(data),)),
    )
    result = verify(sample_log)
    assert result.first_bad is not None
    assert (result.first_bad.idx, result.first_bad.check, result.classification) == (11, "canonical", "writer-bug")


def test_a_second_history_is_a_fork(sample: Path, owner: Owner) -> None:
    """The same record placed twice is two histories of one case, even when the tables' keys were taken away."""
    owner(
        sample,
        "ALTER TABLE audit_leaf RENAME TO old",
        "CREATE TABLE audit_leaf(idx INTEGER PRIMARY KEY, leaf BLOB, case_id TEXT, cseq INTEGER)",
        "INSERT INTO audit_leaf SELECT * FROM old",
        "INSERT INTO audit_leaf SELECT 12, leaf, case_id, cseq FROM old WHERE idx = 4",
        keep_schema=False,
    )
    result = verify(sample)
    assert result.first_bad is not None
    assert (result.first_bad.idx, result.first_bad.check, result.classification) == (12, "cseq", "forked")


@pytest.mark.parametrize(
    "statement", ["DROP TABLE blob", "ALTER TABLE audit_event RENAME TO x", "DROP INDEX audit_event_idem", "SELECT 1"]
)
def test_a_changed_schema_is_found(statement: str, sample: Path, owner: Owner) -> None:
    """Dropped guards, tables and indexes are a finding even when every record is still right."""
    owner(sample, statement, keep_schema=False)
    result = verify(sample)
    assert (result.first_bad and result.first_bad.check, result.classification) == ("schema", "tampered")


def test_an_erasure_that_a_record_explains_is_fine(
    sample_log: Where, open_log: OpenLog, owner: Owner, draft: Draft, ask: Ask
) -> None:
    """After an erasure with its record the log verifies with the same chain; the content is gone."""
    ((commit,),) = ask(sample_log, 'SELECT "commit" FROM blob WHERE salt IS NOT NULL')
    owner(sample_log, "UPDATE blob SET salt = NULL, ciphertext = NULL, erased_at = 't' WHERE salt IS NOT NULL")
    open_log(sample_log).append([draft(kind=Kind.PAYLOAD_ERASED, input=(Item("payload", commit, 63, "text/plain"),))])
    assert verify(sample_log).ok


def test_unreadable_files_are_findings(tmp_path: Path) -> None:
    """A file that is absent, empty, a folder, text or another database is a finding, never an exception."""
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("not a database" * 500)
    with closing(sqlite3.connect(tmp_path / "other")) as connection:
        connection.execute("CREATE TABLE t(x)")
    for name in ("absent", "empty", "text", "other", ".", "a\0b"):
        result = verify(tmp_path / name)
        assert (result.ok, result.classification, result.checked) == (False, "unreadable", 0), name
    assert not (tmp_path / "absent").exists()


def flipped(good: bytes, at: int, bit: int) -> bytes:
    """The bytes with one bit the other way."""
    damaged = bytearray(good)
    damaged[at] ^= 1 << bit
    return bytes(damaged)


def test_a_bit_flipped_in_a_record_is_found_there(sample: Path) -> None:
    """One flipped bit in a record's bytes is found at that record, for every record and 120 places."""
    with closing(sqlite3.connect(sample)) as connection:
        bodies = [
            body for (body,) in connection.execute("SELECT body FROM audit_event e JOIN audit_leaf l USING(leaf) ORDER BY idx")
        ]
    good = sample.read_bytes()
    chance = random.Random(5)
    for idx, body in enumerate(bodies * 10):
        sample.write_bytes(flipped(good, good.index(body) + chance.randrange(len(body)), chance.randrange(8)))
        result = verify(sample)
        assert result.first_bad is not None
        assert (result.first_bad.idx, result.first_bad.check, result.checked) == (idx % 12, "leaf", idx % 12)


def test_bit_flips_never_pass_as_another_log(sample: Path) -> None:
    """One flipped bit anywhere in the used parts of the file: a finding, or the very same records and root. No exception."""
    before = verify(sample)
    good = sample.read_bytes()
    used = [at for at, byte in enumerate(good) if byte]
    chance = random.Random(7)
    found = 0
    for _ in range(250):
        at = chance.choice(used)
        sample.write_bytes(flipped(good, at, chance.randrange(8)))
        result = verify(sample)
        found += not result.ok
        assert not result.ok or result == before, at
    assert found > 150


def test_verification_leaves_nothing_behind(sample: Path) -> None:
    """Verifying a closed log makes no file and changes none, so a read-only medium and another user's folder will do."""
    before = {path.name: path.stat().st_mtime_ns for path in sample.parent.iterdir()}
    assert verify(sample).ok
    assert {path.name: path.stat().st_mtime_ns for path in sample.parent.iterdir()} == before


def test_writing_meanwhile_is_no_false_alarm(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding counts only if the file was the same before and after; otherwise it is read again under SQLite's locks."""
    good = sample.read_bytes()
    module = sys.modules["conformed_audit.verify"]
    stamps = iter([(1, 1, 0), (2, 1, 0)])

    def stamp(path: Path) -> tuple[int, int, int]:
        now = next(stamps)
        path.write_bytes(good if now[0] == 2 else good[:-8192])
        return now

    monkeypatch.setattr(module, "_stamp", stamp)
    assert verify(sample).ok


def test_a_log_in_use_is_read_with_its_write_ahead_log(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """Records that still stand in the write-ahead log are verified, too."""
    log = open_log(tmp_path / "log.db")
    for size in range(1, 4):
        log.append([draft()])
        assert verify(tmp_path / "log.db").size == size


def test_a_cut_file_is_found(sample: Path) -> None:
    """A file cut at any page, or inside one, is a finding."""
    good = sample.read_bytes()
    for length in range(1000, len(good), 3333):
        sample.write_bytes(good[:length])
        assert not verify(sample).ok, length


def test_a_lost_write_ahead_log_needs_an_outside_size(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """A copy without its -wal is an older valid log: only the outside size tells."""
    path = tmp_path / "log.db"
    log = open_log(path)
    log.append([draft()])
    log._store._live().set_authorizer(None)
    log._store._execute("PRAGMA wal_checkpoint(TRUNCATE)")
    log.append([draft()])
    whole = verify(path)
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    assert (verify(copy).ok, verify(copy).size, whole.size) == (True, 1, 2)
    assert whole.root is not None
    assert verify(copy, expect=Expected(2, whole.root)).classification == "truncated"


STEPS = st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=4), max_size=6)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=STEPS)
def test_any_prefix_verifies(
    steps: list[list[tuple[str, bool]]], tmp_path_factory: pytest.TempPathFactory, open_log: OpenLog, draft: Draft
) -> None:
    """After every append, whatever the interleaving, the log verifies with the right root, and holds every older root."""
    follow(steps, tmp_path_factory.mktemp("log") / "log.db", open_log, draft)


@settings(max_examples=7, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=STEPS)
def test_any_prefix_verifies_on_a_server(
    steps: list[list[tuple[str, bool]]], server: Any, open_log: OpenLog, draft: Draft
) -> None:
    """The same on PostgreSQL."""
    name = server.new()
    follow(steps, server.url(name, "test_app"), open_log, draft)
    server.drop(name)


def follow(steps: list[list[tuple[str, bool]]], path: Where, open_log: OpenLog, draft: Draft) -> None:
    """Appends step by step; each time the log verifies, and at the end it holds every root that it ever had."""
    log = open_log(path)
    roots = [Expected(0, root([]).hex())]
    for step in steps:
        log.append([draft(f"case-{case}", Kind.STATE_CHANGED if state else Kind.STEP_INTENT) for case, state in step])
        leaves = [bytes.fromhex(record.leaf) for record in log.records()]
        result = verify(path)
        assert (result.ok, result.size, result.root) == (True, len(leaves), root(leaves).hex())
        roots.append(Expected(result.size, root(leaves).hex()))
    log.close()
    assert all(verify(path, expect=old).ok for old in roots)
