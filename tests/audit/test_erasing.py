"""Erasure: the bytes are gone from every file of the log, and every proof still holds."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from conformed_audit import Actor, AuditLog, Blob, Item, Kind, RecordDraft, verify
from conformed_audit.erasing import ErasingLog, erasure_drafts
from conformed_audit.errors import ErasedError, RefusedError, StoreError
from conformed_audit.merkle import leaf_hash
from conformed_audit.sealing import MasterKey
from conformed_audit.tree import included, inclusion_path, root_at

ORIGIN = "bank.example/test"
OFFICER = Actor("p-1", "person", ("records_officer",))
MASTER = MasterKey(b"m" * 32)
SECRET = [
    b"".join(b"%d.%d %s\n" % (n, line, sha256(b"%d.%d" % (n, line)).hexdigest().encode()) for line in range(60)) for n in range(5)
]
"""Contents of several pages, of which no piece is like another."""


def scattered() -> Callable[[int], bytes]:
    """Random bytes that are the same in each test."""
    numbers = itertools.count()
    return lambda size: sha256(b"salt %d" % next(numbers)).digest()[:size]


def raw(path: Path) -> bytes:
    """Every byte of the log's files."""
    return b"".join(one.read_bytes() for one in sorted(path.parent.glob(f"{path.name}*")))


def item(blob: Blob, name: str = "out") -> Item:
    """A content as a record names it."""
    return Item(name, blob.commit, len(blob.data), blob.media)


@contextmanager
def eraser(path: Path) -> Iterator[ErasingLog]:
    """The log opened to erase."""
    hours = itertools.count(1)
    start = datetime(2026, 4, 1, 12, tzinfo=UTC)
    with ErasingLog.open_to_erase(
        path, origin=ORIGIN, clock=lambda: start + timedelta(hours=next(hours)), keys=MASTER, wait_s=0.1
    ) as log:
        yield log


def erase(path: Path, case: str) -> None:
    """Erases a case."""
    with eraser(path) as log:
        plan = log.plan(case)
        base = RecordDraft(case=case, kind=Kind.PAYLOAD_ERASED, actor=OFFICER, note="Art. 17(1)(a)")
        with log.carrying_out(plan):
            log.append(erasure_drafts(plan, base))
        log.rewrite()


@pytest.fixture(params=["sealed", "plain"])
def filled(
    request: pytest.FixtureRequest, tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> tuple[Path, list[Blob], list[bytes]]:
    """A log with contents of two cases, one of them named only inside a list; and every byte string that must go."""
    path = tmp_path / "log.db"
    with open_log(path, keys=MASTER if request.param == "sealed" else None, entropy=scattered()) as log:
        connection = log.store._connection  # type: ignore[attr-defined]
        connection.set_authorizer(None)
        connection.execute("PRAGMA secure_delete=OFF")  # as on systems whose SQLite leaves old bytes where they were
        blobs = [log.make_blob(words, "text/plain") for words in SECRET]
        listed = log.make_blob(f'{{"files":["{blobs[1].commit}"]}}'.encode(), "application/json")
        public = log.make_blob(b"the contract of all cases", "text/yaml", public=True)
        log.append(
            [draft("case-a", output=(item(blobs[0]), item(listed, "sources"), item(public)))], blobs=[*blobs[:2], listed, public]
        )
        log.append([draft("case-b", output=(item(blobs[2]),))], blobs=[blobs[2]])
        log.append([draft("case-a", output=(item(blobs[3]),))], blobs=[blobs[3]])
        mine = [blobs[0], blobs[1], blobs[3], listed]
    with closing(sqlite3.connect(path)) as base:
        rows = [base.execute('SELECT salt, nonce, ciphertext FROM blob WHERE "commit" = ?', (b.commit,)).fetchone() for b in mine]
        keys = base.execute("SELECT wrapped_key FROM data_key WHERE key_ref LIKE 'case-a/%'").fetchall()
    gone = [part for row in rows for part in row if part] + [key for (key,) in keys]
    gone += [blob.data for blob in mine] + [blob.salt for blob in mine if blob.salt]
    return path, blobs, gone


def test_the_bytes_are_gone(filled: tuple[Path, list[Blob], list[bytes]]) -> None:
    """Salts, ciphertexts, data keys and words stand in no file of the log afterwards, whole or in pieces."""
    path, _, gone = filled
    before = raw(path)
    assert sum(one[:64] in before for one in gone) >= 8
    erase(path, "case-a")
    after = raw(path)
    pieces = [one[at : at + 32] for one in gone for at in range(0, len(one) - 31, 512)]
    assert [piece for piece in pieces if piece in after] == []


def test_other_cases_are_untouched(filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog]) -> None:
    """The content of another case, and public content, is read as before."""
    path, blobs, _ = filled
    erase(path, "case-a")
    log = open_log(path, keys=MASTER, create=False)
    assert log.get_blob(blobs[2].commit) == SECRET[2]
    public = next(i.commit for r in log.records("case-a") for i in r.output if i.media == "text/yaml")
    assert log.get_blob(public) == b"the contract of all cases"
    for blob in (blobs[0], blobs[1], blobs[3]):
        with pytest.raises(ErasedError, match="was erased"):
            log.get_blob(blob.commit)


def test_proofs_stay_valid(filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog]) -> None:
    """Every record has the bytes that it had, and its proof against the root of before still holds."""
    path, _, _ = filled
    with open_log(path, create=False) as log:
        bodies = [record.body for record in log.records()]
        root = root_at(log.tree(len(bodies)), len(bodies))
    erase(path, "case-a")
    with open_log(path, create=False) as log:
        tree = log.tree(len(bodies))
        assert [record.body for record in log.records()][: len(bodies)] == bodies
        for idx, body in enumerate(bodies):
            assert included(leaf_hash(body), idx, len(bodies), inclusion_path(tree, idx, len(bodies)), root)


def test_verification_says_erased_and_explained(filled: tuple[Path, list[Blob], list[bytes]]) -> None:
    """The log holds, and the result counts what was erased with a record that says why."""
    path, _, _ = filled
    erase(path, "case-a")
    found = verify(path, keys=MASTER)
    assert (found.ok, found.erased, found.unopened) == (True, 4, 0)


def test_content_that_is_gone_without_a_record_is_found(
    filled: tuple[Path, list[Blob], list[bytes]], owner: Callable[..., None]
) -> None:
    """Whoever takes content away without a record of it is found."""
    path, blobs, _ = filled
    change = 'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?'
    owner(path, (change, ("2026-01-01", blobs[0].commit)))
    found = verify(path, keys=MASTER)
    assert (found.ok, found.classification) == (False, "erased")


def test_the_record_names_each_content(filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog]) -> None:
    """The record of the erasure names commitments and lengths, the basis and who did it; never content."""
    path, blobs, _ = filled
    erase(path, "case-a")
    (record,) = open_log(path, create=False).records("case-a", kind=Kind.PAYLOAD_ERASED)
    assert {blobs[0].commit, blobs[1].commit, blobs[3].commit} < {i.commit for i in record.input}
    assert (record.note, record.actor.id) == ("Art. 17(1)(a)", "p-1")


def test_a_case_can_go_on_afterwards(
    filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """New content of the case gets a new data key and can be erased in its turn."""
    path, _, _ = filled
    for number in (1, 2):
        erase(path, "case-a")
        with open_log(path, keys=MASTER) as log:
            blob = log.make_blob(b"later words %d" % number, "text/plain")
            log.append([draft("case-a", output=(item(blob),))], blobs=[blob])
            assert log.get_blob(blob.commit) == b"later words %d" % number
    assert verify(path, keys=MASTER).ok


def test_nothing_is_erased_when_the_check_refuses(
    filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog]
) -> None:
    """What is looked at inside the transaction stops it whole: no record, and the content stays."""
    path, blobs, _ = filled

    def refuse() -> None:
        raise StoreError("held")

    with eraser(path) as log, log.carrying_out(log.plan("case-a"), refuse), pytest.raises(StoreError, match="held"):
        log.append([RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER)])
    log = open_log(path, keys=MASTER, create=False)
    assert log.get_blob(blobs[0].commit) == SECRET[0]
    assert not list(log.records("case-a", kind=Kind.PAYLOAD_ERASED))


def test_an_erasing_log_can_do_nothing_else(filled: tuple[Path, list[Blob], list[bytes]]) -> None:
    """The connection that erases can change no record, and bring nothing back."""
    path, _, _ = filled
    with eraser(path) as log:
        for statement in (
            "UPDATE audit_event SET ts = 'x'",
            "DELETE FROM blob",
            "UPDATE blob SET media = 'x'",
            "UPDATE blob SET ciphertext = x'00'",
            "UPDATE data_key SET wrapped_key = x'00'",
            "DROP TRIGGER blob_update",
        ):
            if "data_key" in statement and not log.plan("case-a").keys:
                continue  # a log that was never sealed has none
            with pytest.raises(RefusedError), log.store.write():
                log.store._execute(statement)  # type: ignore[attr-defined]


def test_an_ordinary_log_cannot_erase(filled: tuple[Path, list[Blob], list[bytes]], open_log: Callable[..., AuditLog]) -> None:
    """The application's own connection is refused the statement with which content is erased."""
    path, _, _ = filled
    log = open_log(path, create=False)
    with pytest.raises(RefusedError), log.store.write():
        log.store._execute("UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = 'x'")  # type: ignore[attr-defined]


def test_a_reader_delays_the_rewriting(filled: tuple[Path, list[Blob], list[bytes]]) -> None:
    """While another process reads an old moment of the log, the old pages cannot go, and that is said."""
    path, _, _ = filled
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM blob").fetchone()
        with eraser(path) as log:
            plan = log.plan("case-a")
            with log.carrying_out(plan):
                log.append(erasure_drafts(plan, RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER)))
            with pytest.raises(StoreError, match=r"being read|holds the log"):
                log.rewrite()
    with eraser(path) as log:
        log.rewrite()
    assert verify(path, keys=MASTER).ok


def test_a_large_case_takes_several_records(
    tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]
) -> None:
    """So many contents that one record has no room for them are named by several, and the log holds."""
    path = tmp_path / "log.db"
    with open_log(path, keys=MASTER) as log:
        for n in range(5):
            blobs = [log.make_blob(b"%d" % (n * 40 + i), "text/plain") for i in range(40)]
            log.append([draft("case-a", output=tuple(map(item, blobs)))], blobs=blobs)
    erase(path, "case-a")
    with open_log(path, create=False) as log:
        records = list(log.records("case-a", kind=Kind.PAYLOAD_ERASED))
    assert [len(record.input) for record in records] == [64, 64, 64, 8]
    assert verify(path, keys=MASTER).erased == 200
