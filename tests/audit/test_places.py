"""Whoever needs the place of a record at once has it, on both databases: on PostgreSQL places are given after the commit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from audit_world import KEY, NEW_KEY, FolderSink

from conformed.app.keeping.publication import Publication, PublicationPlan
from conformed.app.keeping.state import find_state
from conformed_audit import Actor, AuditLog, Kind, RecordDraft, Trust, verify
from conformed_audit.bundle import log_files
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.keys import record_key
from conformed_audit.log_store import UNPLACED
from conformed_audit.proof import proof_of
from conformed_audit.publish import Publisher

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]
ACTOR = Actor("log", "log")


@pytest.fixture
def log(new_log: Callable[[], Path | str], open_log: OpenLog) -> AuditLog:
    """A new log on either database."""
    return open_log(new_log())


@pytest.fixture
def publisher(log: AuditLog, tmp_path: Path) -> Publisher:
    """Publishes it to a folder."""
    return Publisher(log, [KEY], SignerMemory(tmp_path / "memory"), [FolderSink(tmp_path / "outside")])


def test_a_place_is_asked_for_or_given_later(log: AuditLog, draft: Draft) -> None:
    """`placed` gives it in the append itself, after everything that was committed before; otherwise it comes with the next reading."""
    first = log.append([draft("case-b")])[0]
    asked = log.append([draft("case-a")], placed=True)[0]
    assert (first.idx in {0, UNPLACED}, asked.idx) == (True, 1)
    assert [record.idx for record in log.records()] == [0, 1]


def test_a_key_is_in_the_tree_before_it_signs(
    log: AuditLog, publisher: Publisher, new_log: Callable[[], Path | str], tmp_path: Path
) -> None:
    """A key's record is under the checkpoint that comes next, which the older key signs; the newer one then signs, and all verifies."""
    record_key(log, Kind.KEY_ADDED, KEY.key, ACTOR)
    publisher.publish()
    record_key(log, Kind.KEY_ADDED, NEW_KEY.key, ACTOR)
    published = publisher.publish()
    places = [record.idx for record in log.records("_log", kind=Kind.KEY_ADDED)]
    assert max(places) < published.checkpoint.size
    Publisher(log, [NEW_KEY], SignerMemory(tmp_path / "memory"), [FolderSink(tmp_path / "outside")]).publish()
    result = verify(new_log(), trust=Trust((KEY.key, NEW_KEY.key)))
    assert (result.ok, result.checkpoints, result.size) == (True, 3, result.checked), result.first_bad


def test_a_checkpoint_covers_all_that_was_committed(log: AuditLog, publisher: Publisher, draft: Draft) -> None:
    """What another connection has just written to any case is under the next checkpoint."""
    for number in range(3):
        written = log.append([draft(f"case-{9 - number}"), draft("case-a")])
        published = publisher.publish()
        assert all(proof_of(log, r.idx) for w in written for r in log.records(w.case) if r.leaf == w.leaf)
        assert published.checkpoint.size == (number + 1) * 3


def test_a_publication_sees_what_has_no_place_yet(
    log: AuditLog, draft: Draft, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The product publishes the first records of a log, and those after a checkpoint, though nobody read them before."""
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "state"))
    state = find_state({"CONFORMED_STATE": str(tmp_path / "state")}, log.origin)
    state.checkpoints.mkdir(parents=True, exist_ok=True)
    publication = Publication(
        log, state, PublicationPlan(), lambda: [FolderSink(tmp_path / "outside")], lambda size: bytes(range(size))
    )
    sizes = []
    for _ in range(2):
        log.append([draft()])
        note = publication.publish()
        sizes.append((note.state, note.checkpoint_size))
    assert sizes == [("published", 3), ("published", 5)]
    assert publication.publish().checkpoint_size == 5, "nothing is new"


def test_evidence_and_a_proof_have_every_record(log: AuditLog, publisher: Publisher, draft: Draft) -> None:
    """A record that is not published has no proof, and is in no bundle; published, it is in both, without anybody reading between."""
    first = log.append([draft()])[0]
    assert proof_of(log, first.idx) is None
    publisher.publish()
    last = log.append([draft()])[0]
    assert proof_of(log, last.idx) is None
    assert log_files(log, "case-a", [KEY.key])["log/records.jsonl"].count(b"\n") == 1
    publisher.publish()
    (place,) = [record.idx for record in log.records("case-a") if record.leaf == last.leaf]
    assert proof_of(log, place) is not None
    assert log_files(log, "case-a", [KEY.key])["log/records.jsonl"].count(b"\n") == 2
