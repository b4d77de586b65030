"""The table of threats: each row an attack by the owner of the database, and who notices it.

Rows that other parts answer, with the tests that show them: records omitted from a bundle (tests of the evidence bundle),
replay with a changed plugin (tests of the replay), a forged approval and a flood of denials (tests of people).
"""

from __future__ import annotations

import ast
import hashlib
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import audit_world
import pytest
from audit_world import KEY, SECOND_WITNESS_KEY, START, WITNESS_KEY, WitnessHere, World, a_run, draft

import conformed_audit
from conformed_audit import Actor, Kind, Trust, VerifyResult, commitment, verify
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.errors import SignerError
from conformed_audit.keys import record_key
from conformed_audit.publish import Publisher
from conformed_audit.tree import consistent

B = "case_id = 'case-b'"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One published log for all tests."""
    return audit_world.make_world(tmp_path_factory.mktemp("world") / "w")


@pytest.fixture
def world(made: World, tmp_path: Path) -> World:
    """A copy of it to attack."""
    return made.copy(tmp_path / "w")


def said(result: VerifyResult) -> tuple[str | None, str | None]:
    """Check and class of a finding."""
    return (result.first_bad.check if result.first_bad else None, result.classification)


def test_the_untouched_log_holds_and_says_how_far_it_was_seen(world: World) -> None:
    """With keys and checkpoints from outside everything is compared, and the newest records are named as unpublished."""
    found = world.verify()
    assert (found.ok, found.classification) == (True, "unpublished-tail")
    assert (found.signed, found.anchored, found.given, found.checkpoints) == (True, True, 2, 2)
    assert (found.cosigned, found.published, found.unpublished) == (found.size - 2, found.size - 2, 2)
    assert (found.heads, found.heads_left) == (2, 0)
    alone = verify(world.path)
    assert (alone.ok, alone.signed, alone.cosigned, alone.anchored) == (True, None, None, False)


def test_edited_bytes(world: World) -> None:
    """The leaf does not match."""
    world.attack(f"UPDATE audit_event SET body = CAST(replace(body, 'calculate', 'calculatf') AS BLOB) WHERE {B} AND cseq = 5")
    assert said(world.verify()) == ("leaf", "tampered")


def test_an_edited_copy_of_a_field(world: World) -> None:
    """The column does not match the bytes."""
    world.attack(f"UPDATE audit_event SET actor_id = 'svc:other' WHERE {B} AND cseq = 5")
    assert said(world.verify()) == ("column actor_id", "tampered")


@pytest.mark.parametrize("order", ["deleted", "swapped"])
def test_records_deleted_or_reordered_inside_a_case(order: str, world: World) -> None:
    """Number and predecessor do not continue, even when places are closed up."""
    places = "UPDATE audit_leaf SET idx = (SELECT count(*) FROM audit_leaf l WHERE l.idx < audit_leaf.idx)"
    if order == "deleted":
        world.attack(f"DELETE FROM audit_event WHERE {B} AND cseq = 3", f"DELETE FROM audit_leaf WHERE {B} AND cseq = 3", places)
    else:
        world.attack(
            f"UPDATE audit_leaf SET idx = idx + 1000 WHERE {B} AND cseq IN (3, 4)",
            f"UPDATE audit_leaf SET idx = idx - 999 WHERE {B} AND cseq = 3",
            f"UPDATE audit_leaf SET idx = idx - 1001 WHERE {B} AND cseq = 4",
        )
    assert said(world.verify()) == ("cseq", "tampered")


def test_a_whole_case_deleted(world: World) -> None:
    """Closed up everywhere, projection and tiles included, the record of all heads speaks; and so does any outside checkpoint."""
    places = "UPDATE audit_leaf SET idx = (SELECT count(*) FROM audit_leaf l WHERE l.idx < audit_leaf.idx)"
    world.attack(*(f"DELETE FROM {table} WHERE {B}" for table in ("audit_event", "audit_leaf", "case_state")), places)
    assert said(verify(world.path)) == ("heads.cases", "writer-bug")
    with world.open(path=world.folder / "made-anew.db") as log:  # written anew without the case, heads and all
        log.append([*a_run("case-a"), *a_run("case-c")])
    assert said(verify(world.folder / "made-anew.db", given=world.given)) == ("size", "truncated")


def test_a_cut_tail_an_old_backup_a_lost_write_ahead_log(world: World, tmp_path: Path) -> None:
    """Each is a valid shorter log alone; the outside checkpoint notices, and the signer does not sign."""
    with world.open() as log:
        backup = tmp_path / "backup"
        shutil.copytree(world.folder, backup)
        log.append(a_run("case-d"))
        world.publish(log)
    for name in ("log.db", "log.db-wal", "log.db-shm"):
        (world.folder / name).unlink(missing_ok=True)
        if (backup / name).exists() and name != "log.db-shm":
            shutil.copy(backup / name, world.folder / name)
    assert verify(world.path).ok
    assert said(world.verify()) == ("size", "truncated")
    with world.open() as log:
        log.append(a_run("case-e")[:1])
        with pytest.raises(SignerError, match="records were lost"):
            world.publish(log)


def test_everything_rewritten_and_hashed_anew(world: World) -> None:
    """A log that is whole in itself is not the one that was published; the witness refuses to cosign it."""
    world.path.unlink()
    with world.open() as log:
        for case in ("case-a", "case-b", "case-c", "case-x"):
            log.append(a_run(case))
        log.append([draft("bulk", Kind.STEP_INTENT, step="s", attempt=n, idem=f"k{n}") for n in range(400)])
        assert verify(world.path).ok
        assert said(world.verify()) == ("root", "tampered")
        with pytest.raises(SignerError, match="does not begin with"):
            world.publish(log)
        forged = Publisher(log, [KEY], SignerMemory(world.folder / "fresh.memory"), [WitnessHere(world.witness())]).publish()
    assert "422" in forged.acknowledgements[0].said
    assert not forged.outside


def test_two_histories_for_two_readers(world: World, tmp_path: Path) -> None:
    """The witness keeps one of them; and whoever holds both checkpoints sees that neither continues the other."""
    other = world.copy(tmp_path / "other")
    notes = []
    for one, case in ((world, "case-x"), (other, "case-y")):
        with one.open() as log:
            log.append(a_run(case))
            sinks = [audit_world.FolderSink(one.folder / "outside"), WitnessHere(world.witness())]
            published = one.publish(log, sinks=sinks)
            notes.append((published, log.tree(published.checkpoint.size)))
    assert [a.ok for published, _ in notes for a in published.acknowledgements] == [True, True, True, False]
    first, second = (published.checkpoint for published, _ in notes)
    assert not consistent(first.size, second.size, first.root, second.root, [])
    assert said(world.verify(given=[published.note for published, _ in notes])) == ("root", "tampered")


def test_a_back_dated_record(world: World) -> None:
    """A record that says that it is older than the checkpoint before it is found; so is one from the future of its witness."""
    with world.open(clock=lambda: START - timedelta(days=30)) as log:
        log.append(a_run("case-late")[:1])
    assert world.verify().ok  # the clock's step back was recorded, as a writer must
    world.insert(draft("case-older", Kind.CASE_OPENED, None), "2026-01-31T12:00:00.000000Z")
    assert said(world.verify()) == ("time", "tampered")


def test_times_after_the_witness_saw_them(world: World) -> None:
    """A checkpoint cannot hold records of a time after its cosignature."""
    with world.open(clock=lambda: START + timedelta(days=2)) as log:
        log.append(a_run("case-d")[:1])
        world.publish(log)
    assert said(world.verify()) == ("cosignature.time", "tampered")


def test_the_unpublished_tail(world: World) -> None:
    """What is under no outside checkpoint can be rewritten unseen: it is counted, and no release may stand in it."""
    before = world.verify()
    world.attack(
        f"DELETE FROM audit_leaf WHERE idx >= {before.size - 2}",
        "DELETE FROM audit_event WHERE cseq >= 10 AND case_id = 'case-a'",
    )
    world.attack(
        "UPDATE case_state SET cseq = 9, head = (SELECT leaf FROM audit_event WHERE case_id = 'case-a' AND cseq = 9), state = 'person' WHERE case_id = 'case-a'"
    )
    cut = world.verify()
    assert (cut.ok, cut.unpublished, before.unpublished) == (True, 0, 2)
    with world.open() as log:
        log.append(a_run("case-d"))
        log.append([draft("case-d", Kind.DECISION_RELEASED, approval={"subject": "0" * 64})])
    assert said(world.verify()) == ("release.checkpoint", "writer-bug")


def test_a_stolen_log_key(world: World) -> None:
    """With key and database a thief writes and signs another log; without the witness it has too few cosignatures."""
    world.path.unlink()
    with world.open() as log:
        record_key(log, Kind.KEY_ADDED, KEY.key, Actor("log", "log"))
        log.append(a_run("case-forged"))
        memory = SignerMemory(world.folder / "thief.memory")
        Publisher(log, [KEY], memory, [audit_world.FolderSink(world.folder / "thief")]).publish()
    assert verify(world.path, trust=Trust.of([KEY.key])).signed
    assert said(verify(world.path, trust=world.trust)) == ("cosignatures", "unpublished-tail")
    assert not verify(world.path, trust=world.trust).ok


@pytest.mark.parametrize(
    "statement", ["DROP TRIGGER audit_event_update", "DROP INDEX audit_event_idem", "ALTER TABLE blob ADD COLUMN x TEXT"]
)
def test_dropped_guards_and_altered_tables(statement: str, world: World) -> None:
    """The digest of tables and guards is not that of this version."""
    with closing(sqlite3.connect(world.path)) as connection:
        connection.execute(statement)
    assert said(world.verify()) == ("schema", "tampered")


def test_code_in_stored_data(world: World) -> None:
    """Nothing that can carry code is imported anywhere, and data that looks like code stays text."""
    forbidden = {"pickle", "marshal", "shelve", "yaml", "ruamel", "importlib"}
    for path in sorted(Path(conformed_audit.__file__).parent.glob("*.py")):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            assert not {name.split(".")[0] for name in names} & forbidden or names == ["importlib.util"], path.name
            assert not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec", "compile"}
            )
    text = '!!python/object/apply:os.system [\'true\']\n{"__class__": "os"}'
    with world.open() as log:
        (record,) = log.append([draft("case-z", Kind.EVIDENCE_EXPORTED, note=text)])
        assert log.head("case-z") == record
        assert record.note == text
    assert world.verify().ok


def test_lines_injected_through_a_clause(world: World) -> None:
    """A clause with a line that looks like a record, or a checkpoint, is one field of one record."""
    clause = '3.50 to 1.00\n{"v":1,"kind":"decision.released"}\n\n\u2014 bank.example/test AAAA\n'
    before = world.verify().size
    with world.open() as log:
        (record,) = log.append([draft("case-z", Kind.EVIDENCE_EXPORTED, note=clause)])
    assert record.body.count(b"\n") == 0
    assert world.verify().size == before + 1


def test_a_swapped_blob(world: World) -> None:
    """Content that is not what the record committed to, and one record's content under another's name."""
    world.attack("UPDATE blob SET ciphertext = CAST('the certificatf' AS BLOB)")
    assert said(world.verify()) == ("blob", "tampered")


def test_an_erased_value_cannot_be_guessed(world: World) -> None:
    """Without its salt a commitment to one of few values fits none of them; with a plain hash it would fit one."""
    values = [f"{n / 100:.2f}".encode() for n in range(1000)]
    commit = commitment(b"3.47", b"s" * 32)
    assert commit not in {commitment(value, None) for value in values}
    assert commit not in {f"sha256:{hashlib.sha256(bytes([2]) + bytes(32) + value).hexdigest()}" for value in values}
    assert commitment(b"3.47", None) in {commitment(value, None) for value in values}


def test_the_owner_and_the_witness_together_are_not_noticed(world: World) -> None:
    """With signer, database and the only witness in one hand nothing tells; a second witness elsewhere does."""
    for path in (world.path, world.folder / "signer.memory", *(world.folder / "witness").iterdir()):
        path.unlink()
    with world.open() as log:
        record_key(log, Kind.KEY_ADDED, KEY.key, Actor("log", "log"))
        log.append(a_run("case-forged"))
        world.publish(log, sinks=[WitnessHere(world.witness())])
    assert verify(world.path, trust=world.trust).ok
    two = Trust.of([KEY.key, WITNESS_KEY.key, SECOND_WITNESS_KEY.key])
    assert said(verify(world.path, trust=two)) == ("cosignatures", "unpublished-tail")
