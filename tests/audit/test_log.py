"""The log's face: append, read, idempotency, blobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import (
    AlreadyRecordedError,
    AuditLog,
    BlobError,
    DraftError,
    Kind,
    NotCanonicalError,
    Pins,
    RecordDraft,
    TamperedError,
    commitment,
    make_blob,
    verify,
)
from conformed_audit.merkle import leaf_hash

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]
Owner = Callable[..., None]
Ask = Callable[..., list[tuple[Any, ...]]]
Where = Path | str
NewLog = Callable[[str], Where]


def test_chains_are_per_case_and_the_log_is_one(sample_log: Where, open_log: OpenLog) -> None:
    """Each case counts from 0 and names its predecessor; the log counts over all cases."""
    log = open_log(sample_log)
    assert [record.idx for record in log.records()] == list(range(12))
    chain = list(log.records("case-b"))
    assert [record.idx for record in chain] == [1, 4, 7, 10]
    assert [record.cseq for record in chain] == [0, 1, 2, 3]
    assert [record.prev for record in chain] == ["0" * 64, *(record.leaf for record in chain[:-1])]
    assert log.head("case-b") == chain[-1]
    assert log.head("case-x") is None


def test_what_append_returns_is_what_is_read(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """The records that an append hands back equal those that a new reader gets."""
    drafts = [draft("case-a"), draft("case-b"), draft("case-a", approval={"roles": ("a", "b")})]
    written = open_log(new_log("log.db")).append(drafts)
    read = tuple(open_log(new_log("log.db")).records())
    assert {record.leaf: record.body for record in written} == {record.leaf: record.body for record in read}
    assert [replace(record, idx=0) for record in written] == [
        replace(r, idx=0) for w in written for r in read if r.leaf == w.leaf
    ]
    assert len({record.ts for record in written}) == 1


def test_records_are_filtered(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """By case, run and kind, alone and together."""
    log = open_log(new_log("log.db"))
    log.append([draft(run="r1"), draft(run="r2"), draft("case-b", Kind.STEP_FAILED, run="r1")])
    assert [record.idx for record in log.records(run="r1")] == [0, 2]
    assert [record.idx for record in log.records(kind=Kind.STEP_FAILED)] == [2]
    assert [record.idx for record in log.records("case-a", run="r1")] == [0]
    assert not list(log.records("case-a", kind=Kind.STEP_FAILED))


def test_appending_while_reading_is_safe(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """A reader in mid-way over several pages sees every record once, those added meanwhile included."""
    log = open_log(new_log("log.db"))
    log.append([draft() for _ in range(300)])
    seen = []
    for record in log.records():
        seen.append(record.idx)
        if record.idx == 10:
            log.append([draft(), draft("case-b")])
    assert seen == list(range(302))
    assert [record.cseq for record in log.records("case-a")] == list(range(301))


def test_an_append_is_all_or_nothing(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """A bad draft at the end takes the good ones, and their blobs, with it; the log goes on."""
    log = open_log(new_log("log.db"))
    blob = log.make_blob(b"x", "text/plain")
    for bad, error in ((draft(kind="nonsense"), DraftError), (draft(note="\x00"), NotCanonicalError)):
        with pytest.raises(error):
            log.append([draft(), draft("case-b"), bad], blobs=[blob])
    assert not list(log.records())
    assert log.cases() == ()
    with pytest.raises(BlobError):
        log.get_blob(blob.commit)
    log.append([draft()])
    assert [record.idx for record in log.records()] == [0]


def test_nothing_is_recorded_twice(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """One case, one key, one kind: the second is a typed error that names the first, and nothing else is kept."""
    log = open_log(new_log("log.db"))
    log.append([draft(kind=Kind.STEP_INTENT, idem="k"), draft(kind=Kind.STEP_OUTCOME, idem="k"), draft("case-b", idem="k")])
    with pytest.raises(AlreadyRecordedError) as refused:
        log.append([draft(idem="other"), draft(kind=Kind.STEP_OUTCOME, idem="k")])
    assert (refused.value.case, refused.value.idem, refused.value.kind, refused.value.cseq) == ("case-a", "k", "step.outcome", 1)
    with pytest.raises(AlreadyRecordedError):
        log.append([draft("case-c", idem="k"), draft("case-c", idem="k")])
    assert len(list(log.records())) == 3
    found = log.find("case-a", "k", Kind.STEP_OUTCOME)
    assert found is not None
    assert found.idx == 1
    assert log.find("case-a", "other", Kind.STEP_OUTCOME) is None


def test_nothing_to_append_is_an_error(new_log: NewLog, open_log: OpenLog) -> None:
    """An empty append is a mistake of the caller."""
    with pytest.raises(DraftError, match="nothing"):
        open_log(new_log("log.db")).append([])


def test_the_projection_follows(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """A case's row has its last state, contract and head, and states stay when later records name none."""
    log = open_log(new_log("log.db"))
    log.append([draft(), draft(kind=Kind.STATE_CHANGED, step="calculate", pins=Pins(contract="sha256:c1"))])
    last = log.append([draft(pins=Pins())])[0]
    (row,) = log.cases()
    assert (row.case, row.state, row.cseq, row.head, row.contract) == ("case-a", "calculate", 2, last.leaf, "sha256:c1")


def test_same_input_same_bytes(new_log: NewLog, open_log: OpenLog, draft: Draft) -> None:
    """With clock and salts injected, two logs have the same records and root."""
    for name in ("one.db", "two.db"):
        log = open_log(new_log(name))
        blob = log.make_blob(b"x", "text/plain")
        log.append([draft(note=blob.commit)], blobs=[blob])
    assert verify(new_log("one.db")) == verify(new_log("two.db"))


def test_public_blobs_are_stored_once_under_their_content_hash(new_log: NewLog, open_log: OpenLog) -> None:
    """A public document's commitment is its plain hash; putting it again adds nothing."""
    log = open_log(new_log("log.db"))
    commits = {log.put_blob(b"filing", "text/html", public=True) for _ in range(2)}
    assert commits == {"sha256:" + sha256(b"filing").hexdigest()}
    assert log.get_blob(commits.pop()) == b"filing"


def test_private_blobs_do_not_confirm_a_guess(new_log: NewLog, open_log: OpenLog) -> None:
    """Equal content has different commitments, none of them its plain hash."""
    log = open_log(new_log("log.db"))
    commits = {log.put_blob(b"3.47", "text/plain") for _ in range(2)}
    assert len(commits) == 2
    assert "sha256:" + sha256(b"3.47").hexdigest() not in commits
    assert {log.get_blob(commit) for commit in commits} == {b"3.47"}


def test_a_salted_commitment_has_its_own_prefix() -> None:
    """SHA-256(0x02 || salt || content), so that it can be neither a leaf, a node nor a plain content hash."""
    salt = bytes(range(32))
    assert commitment(b"3.47", salt) == "sha256:" + sha256(b"\x02" + salt + b"3.47").hexdigest()


def test_a_weak_source_of_salts_is_refused() -> None:
    """A salt of the wrong length is refused."""
    with pytest.raises(BlobError, match="32"):
        make_blob(b"x", "text/plain", entropy=lambda _: b"")


def test_blobs_are_checked_when_read(sample_log: Where, open_log: OpenLog, owner: Owner, ask: Ask) -> None:
    """A changed blob and an erased one are typed errors; neither gives bytes."""
    ((salted,),) = ask(sample_log, 'SELECT "commit" FROM blob WHERE salt IS NOT NULL')
    ((public,),) = ask(sample_log, 'SELECT "commit" FROM blob WHERE salt IS NULL')
    owner(
        sample_log,
        "UPDATE blob SET ciphertext = x'00' WHERE salt IS NULL",
        "UPDATE blob SET salt = NULL, ciphertext = NULL, erased_at = '2026-04-01' WHERE salt IS NOT NULL",
    )
    log = open_log(sample_log)
    with pytest.raises(BlobError, match="does not match"):
        log.get_blob(public)
    with pytest.raises(BlobError, match="erased at 2026-04-01"):
        log.get_blob(salted)


def test_edited_records_are_not_handed_out(sample_log: Where, open_log: OpenLog, owner: Owner) -> None:
    """A reader never gets a record that does not match its hash, its chain, or is half gone; opening checks the tail."""
    owner(
        sample_log,
        "UPDATE audit_event SET body = CAST(replace(body, '3.47', '3.17') AS BLOB) WHERE case_id = 'case-b' AND cseq = 1",
    )
    with pytest.raises(TamperedError, match="Record 4 of the log does not match"):
        open_log(sample_log)


@pytest.mark.parametrize(
    ("statement", "reading"),
    [
        (
            "UPDATE audit_event SET body = CAST(replace(body, '3.47', '3.17') AS BLOB) WHERE case_id = 'case-b' AND cseq = 1",
            "does not match",
        ),
        ("DELETE FROM audit_leaf WHERE idx = 4", "half there"),
        ("DELETE FROM audit_event WHERE case_id = 'case-b' AND cseq = 1", "does not follow"),
        ("UPDATE audit_event SET case_id = 'case-b', cseq = 4 WHERE case_id = 'case-a' AND cseq = 3", "does not follow"),
    ],
)
def test_edits_under_an_open_log_are_noticed(
    statement: str, reading: str, sample_log: Where, open_log: OpenLog, owner: Owner
) -> None:
    """What is changed after opening is noticed by the next read of the case."""
    log = open_log(sample_log)
    owner(sample_log, statement)
    with pytest.raises(TamperedError, match=reading):
        list(log.records("case-b"))


def test_a_re_hashed_record_is_noticed_when_its_case_is_read(sample_log: Where, open_log: OpenLog, owner: Owner) -> None:
    """A record rewritten with its right hash does not fit the one after it."""
    log = open_log(sample_log)
    head = log.head("case-b")
    second = next(record for record in log.records("case-b") if record.cseq == 1)
    data = second.body.replace(b"3.47", b"3.17")
    new, old = leaf_hash(data), bytes.fromhex(second.leaf)
    owner(
        sample_log,
        ("UPDATE audit_event SET body = ?, leaf = ? WHERE leaf = ?", (data, new, old)),
        ("UPDATE audit_leaf SET leaf = ? WHERE leaf = ?", (new, old)),
    )
    with pytest.raises(TamperedError, match="Record 7 does not follow"):
        list(log.records("case-b"))
    assert log.head("case-b") == head


def test_a_new_log_is_empty_and_verifies(new_log: NewLog, open_log: OpenLog) -> None:
    """A log without records is a log: size 0, the root of nothing."""
    log = open_log(new_log("log.db"))
    assert (list(log.records()), log.cases()) == ([], ())
    assert verify(new_log("log.db")).root == sha256(b"").hexdigest()
    assert log.origin == "bank.example/test"
