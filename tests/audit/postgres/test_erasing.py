"""Erasure on PostgreSQL: with its record or not at all, by those to whom both roles are granted, and every proof still holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from conformed_audit import Actor, AuditLog, Blob, Item, Kind, RecordDraft, verify
from conformed_audit.erasing import ErasingLog, erasure_drafts
from conformed_audit.errors import ErasedError, MovedOnError, RefusedError, StoreError
from conformed_audit.merkle import leaf_hash
from conformed_audit.postgres import schema
from conformed_audit.sealing import MasterKey
from conformed_audit.tree import included, inclusion_path, root_at

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
migrating = pytest.importorskip("conformed_audit.postgres.migrate", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]
ORIGIN = "bank.example/test"
MASTER = MasterKey(b"m" * 32)
OFFICER = Actor("p-1", "person", ("records_officer",))
WHOLE = "UPDATE conformed_log.blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = 't' WHERE key_ref = 'case-a/1'"


def now() -> datetime:
    """A frozen clock, later than every record."""
    return datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def officer(server: Any) -> str:
    """A user of the database who may append and erase."""
    server.run("CREATE ROLE test_officer LOGIN IN ROLE conformed_app, conformed_eraser")
    return "test_officer"


def item(blob: Blob) -> Item:
    """A content as a record names it."""
    return Item("out", blob.commit, len(blob.data), blob.media)


@pytest.fixture
def written(new_url: str, open_log: OpenLog, draft: Draft) -> tuple[str, dict[str, list[Blob]]]:
    """A log with contents of two cases, sealed and as they are; its URL and the blobs by case."""
    made: dict[str, list[Blob]] = {"case-a": [], "case-b": []}
    for keys in (MASTER, None):  # content from before there were keys is kept as it is
        log = open_log(new_url, keys=keys, entropy=__import__("os").urandom)
        for case, blobs in made.items():
            blobs.append(log.make_blob(f"words of {case} {keys is None}".encode(), "text/plain"))
            log.append([draft(case, output=(item(blobs[-1]),))], blobs=blobs[-1:])
    public = log.make_blob(b"the contract of all cases", "text/yaml", public=True)
    log.append([draft("case-a", output=(item(public),))], blobs=[public])
    log.place()
    return new_url, made


@contextmanager
def eraser(url: str, user: str = "test_officer") -> Iterator[ErasingLog]:
    """The log, opened to erase."""
    with ErasingLog.open_to_erase(url.replace("test_app:@", f"{user}:@"), origin=ORIGIN, clock=now, keys=MASTER, wait_s=5) as log:
        yield log


def erase(log: ErasingLog, case: str) -> None:
    """Erases a case."""
    plan = log.plan(case)
    base = RecordDraft(case=case, kind=Kind.PAYLOAD_ERASED, actor=OFFICER, note="Art. 17(1)(a)")
    with log.carrying_out(plan):
        log.append(erasure_drafts(plan, base))


def columns(url: str, query: str) -> list[tuple[Any, ...]]:
    """What the administrator reads."""
    with psycopg.connect(url.replace("test_app:@", "postgres:@")) as connection:
        return list(connection.execute(query).fetchall())


def test_a_case_is_erased_and_every_proof_holds(
    written: tuple[str, dict[str, list[Blob]]], officer: str, open_log: OpenLog
) -> None:
    """Salt, ciphertext and data key are gone; another case and public content are read; old proofs and the log hold."""
    url, made = written
    with open_log(url) as log:
        bodies = [record.body for record in log.records()]
        root = root_at(log.tree(len(bodies)), len(bodies))
    with eraser(url) as log:
        erase(log, "case-a")
        assert "VACUUM FULL" in log.rewrite()
    left = "SELECT count(*) FROM conformed_log.blob WHERE erased_at IS NOT NULL AND coalesce(salt, nonce, ciphertext) IS NULL"
    assert columns(url, left) == [(2,)]
    keys = "SELECT key_ref, wrapped_key IS NULL, destroyed_at IS NULL FROM conformed_log.data_key ORDER BY key_ref"
    assert columns(url, keys) == [("case-a/1", True, False), ("case-b/1", False, True)]
    reader = open_log(url, keys=MASTER)
    for blob in made["case-a"]:
        with pytest.raises(ErasedError, match="was erased"):
            reader.get_blob(blob.commit)
    assert [reader.get_blob(blob.commit)[:15] for blob in made["case-b"]] == [b"words of case-b"] * 2
    reader.place()
    tree = reader.tree(len(bodies))
    for idx, body in enumerate(bodies):
        assert included(leaf_hash(body), idx, len(bodies), inclusion_path(tree, idx, len(bodies)), root)
    found = verify(url, keys=MASTER)
    assert (found.ok, found.erased, found.unopened) == (True, 2, 0)


@pytest.mark.parametrize(
    ("user", "lacking"), [("test_app", "conformed_eraser"), ("test_reader", "conformed_eraser"), ("test_eraser", "conformed_app")]
)
def test_one_role_is_not_enough(written: tuple[str, dict[str, list[Blob]]], user: str, lacking: str) -> None:
    """The application, a reader and the eraser alone are refused with the name of the role that they lack."""
    with pytest.raises(RefusedError, match=lacking), eraser(written[0], user):
        pass


def attempt(url: str, user: str, *statements: str) -> None:
    """Carries out statements in one transaction, as somebody with a client of their own."""
    with psycopg.connect(url.replace("test_app:@", f"{user}:@"), options="-csearch_path=conformed_log") as connection:
        for statement in statements:
            connection.execute(statement.encode())


@pytest.mark.parametrize("user", ["test_app", "test_eraser", "test_officer", "postgres"])
def test_nobody_erases_without_a_record(written: tuple[str, dict[str, list[Blob]]], officer: str, user: str) -> None:
    """Content and data keys are refused to everybody, superusers included, where the transaction does not record it."""
    key = "UPDATE data_key SET wrapped_key = NULL, destroyed_at = 't' WHERE key_ref = 'case-a/1'"
    plain = "UPDATE blob SET salt = NULL, ciphertext = NULL, erased_at = 't' WHERE key_ref IS NULL AND salt IS NOT NULL"
    for statements in ((WHOLE,), (key,), (plain,), ("SET LOCAL conformed.erasing = 'case-a'", plain)):
        with pytest.raises(psycopg.Error, match=r"no record of this erasure|permission denied"):
            attempt(written[0], user, *statements)
    assert verify(written[0], keys=MASTER).erased == 0


def test_a_record_of_before_explains_no_erasure_of_now(written: tuple[str, dict[str, list[Blob]]], officer: str) -> None:
    """The record must be of the same transaction, and must name the content: neither an old one nor another's passes."""
    url, made = written
    with eraser(url) as log:
        log.append([RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER, input=(item(made["case-a"][0]),))])
    with pytest.raises(psycopg.Error, match="no record of this erasure"):
        attempt(url, officer, WHOLE)
    with eraser(url) as log:
        plan = log.plan("case-a")
        with log.carrying_out(plan), pytest.raises(RefusedError, match="no record of this erasure"):
            log.append([RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER)])  # names no content
    assert verify(url, keys=MASTER).erased == 0


def test_content_that_comes_in_meanwhile_is_seen(
    written: tuple[str, dict[str, list[Blob]]], officer: str, open_log: OpenLog, draft: Draft
) -> None:
    """Where the case got more content after the plan nothing is erased; planned anew, all of it goes."""
    url, _ = written
    with eraser(url) as log:
        plan = log.plan("case-a")
        other = open_log(url, keys=MASTER, entropy=__import__("os").urandom)
        late = other.make_blob(b"late words", "text/plain")
        other.append([draft("case-a", output=(item(late),))], blobs=[late])
        base = RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER)
        with log.carrying_out(plan), pytest.raises(MovedOnError):
            log.append(erasure_drafts(plan, base))
        assert other.get_blob(late.commit) == b"late words"
        erase(log, "case-a")
    assert verify(url, keys=MASTER).erased == 3


def test_nothing_is_sealed_under_a_key_that_is_being_destroyed(
    written: tuple[str, dict[str, list[Blob]]], officer: str, open_log: OpenLog, draft: Draft
) -> None:
    """A writer that read the data key, and comes while it is destroyed, waits and seals under a new one."""
    url, _ = written
    other = open_log(url, keys=MASTER, entropy=__import__("os").urandom)
    late = other.make_blob(b"about case-a", "text/plain")
    about = late.__class__(late.commit, late.salt, late.data, late.media, "case-a")
    writer = threading.Thread(target=lambda: other.append([draft("_log", output=(item(late),))], blobs=[about]))
    with eraser(url) as log:
        destroy = log._tables.destroy

        def slowly(plan: Any, at: str) -> None:
            writer.start()
            writer.join(0.3)
            assert writer.is_alive()  # it waits for the key
            destroy(plan, at)

        log._tables.destroy = slowly  # type: ignore[method-assign]
        erase(log, "case-a")
    writer.join(10)
    assert open_log(url, keys=MASTER).get_blob(late.commit) == b"about case-a"
    assert columns(url, "SELECT key_ref FROM conformed_log.data_key WHERE wrapped_key IS NOT NULL ORDER BY 1") == [
        ("case-a/2",),
        ("case-b/1",),
    ]
    assert verify(url, keys=MASTER).ok


def test_a_check_that_refuses_stops_it_whole(written: tuple[str, dict[str, list[Blob]]], officer: str) -> None:
    """What is looked at inside the transaction, such as a legal hold, stops it: no record, and the content stays."""

    def held() -> None:
        raise StoreError("held")

    with eraser(written[0]) as log:
        plan = log.plan("case-a")
        with log.carrying_out(plan, held), pytest.raises(StoreError, match="held"):
            log.append(erasure_drafts(plan, RecordDraft(case="case-a", kind=Kind.PAYLOAD_ERASED, actor=OFFICER)))
        assert not list(log.records("case-a", kind=Kind.PAYLOAD_ERASED))
    assert verify(written[0], keys=MASTER).erased == 0


def test_a_log_of_the_first_format_is_raised(
    server: Any, officer: str, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log that was made in format 0001 still verifies, becomes 0002 with a record of it, and is then erased from."""
    from alembic.script import ScriptDirectory

    server.run("CREATE DATABASE older")
    url = server.url("older", "test_app")
    try:
        with monkeypatch.context() as patch:
            patch.setattr(ScriptDirectory, "get_current_head", lambda _: "0001")
            assert migrating.migrate(server.url("older"), origin=ORIGIN, clock=now) == (None, "0001")
            patch.delitem(schema.DIGESTS, "0002")
            log = open_log(url, keys=MASTER)
            blob = log.make_blob(b"words of the first format", "text/plain")
            log.append([draft("case-a", output=(item(blob),))], blobs=[blob])
            log.close()
        assert verify(url, keys=MASTER).ok
        assert migrating.migrate(server.url("older"), origin=ORIGIN, clock=now) == ("0001", "0002")
        with eraser(url) as erasing:
            erase(erasing, "case-a")
            changed = erasing.head("_config")
        assert (changed and changed.note) == "Format 0002 of the log."
        found = verify(url, keys=MASTER)
        assert (found.ok, found.erased, found.first_bad) == (True, 1, None)
    finally:
        server.drop("older")
