"""What the owner of the file may do to records, and under which name verification finds it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformed_audit import AuditLog, Expected, RecordDraft, encode, verify
from conformed_audit.merkle import leaf_hash

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]
Owner = Callable[..., None]
Ask = Callable[..., list[tuple[Any, ...]]]
Where = Path | str
B1 = "case_id = 'case-b' AND cseq = 1"
GONE_B = ("DELETE FROM audit_event WHERE case_id = 'case-b'", "DELETE FROM audit_leaf WHERE case_id = 'case-b'")
RENUMBER = "UPDATE audit_leaf SET idx = (SELECT count(*) FROM audit_leaf l WHERE l.idx < audit_leaf.idx)"

ATTACKS: dict[str, tuple[tuple[str, ...], int | None, str, str]] = {
    "edited bytes": (
        (f"UPDATE audit_event SET body = CAST(replace(body, '3.47', '3.17') AS BLOB) WHERE {B1}",),
        4,
        "leaf",
        "tampered",
    ),
    "bytes of another type": ((f"UPDATE audit_event SET body = zeroblob(0) WHERE {B1}",), 4, "leaf", "tampered"),
    "edited kind column": ((f"UPDATE audit_event SET kind = 'step.failed' WHERE {B1}",), 4, "column kind", "tampered"),
    "edited ts column": ((f"UPDATE audit_event SET ts = '2020' WHERE {B1}",), 4, "column ts", "tampered"),
    "edited actor column": ((f"UPDATE audit_event SET actor_id = 'svc:other' WHERE {B1}",), 4, "column actor_id", "tampered"),
    "edited key column": ((f"UPDATE audit_event SET idem_key = NULL WHERE {B1}",), 4, "column idem_key", "tampered"),
    "edited prev column": ((f"UPDATE audit_event SET prev = randomblob(32) WHERE {B1}",), 4, "column prev", "tampered"),
    "edited leaf column": ((f"UPDATE audit_event SET leaf = randomblob(32) WHERE {B1}",), 4, "leaf", "tampered"),
    "edited leaf of the index": (("UPDATE audit_leaf SET leaf = randomblob(32) WHERE idx = 4",), 4, "leaf", "tampered"),
    "deleted record": ((f"DELETE FROM audit_event WHERE {B1}",), 4, "present", "tampered"),
    "deleted record and its place": (
        (f"DELETE FROM audit_event WHERE {B1}", "DELETE FROM audit_leaf WHERE idx = 4"),
        5,
        "index",
        "tampered",
    ),
    "deleted record, the rest moved up": (
        (f"DELETE FROM audit_event WHERE {B1}", "DELETE FROM audit_leaf WHERE idx = 4", RENUMBER),
        6,
        "cseq",
        "tampered",
    ),
    "deleted case": (("DELETE FROM audit_event WHERE case_id = 'case-b'",), 1, "present", "tampered"),
    "deleted case and its places": (GONE_B, 2, "index", "tampered"),
    "deleted case, the rest moved up": ((*GONE_B, RENUMBER), None, "projection", "truncated"),
    "deleted case, also from the projection": (
        (*GONE_B, "DELETE FROM case_state WHERE case_id = 'case-b'"),
        2,
        "index",
        "tampered",
    ),
    "reordered in the log": (
        (
            "UPDATE audit_leaf SET idx = 99 WHERE idx = 4",
            "UPDATE audit_leaf SET idx = 4 WHERE idx = 7",
            "UPDATE audit_leaf SET idx = 7 WHERE idx = 99",
        ),
        4,
        "cseq",
        "tampered",
    ),
    "renamed inside the case": (
        (
            "UPDATE audit_event SET cseq = 99 WHERE case_id = 'case-b' AND cseq = 1",
            "UPDATE audit_event SET cseq = 1 WHERE case_id = 'case-b' AND cseq = 2",
        ),
        4,
        "leaf",
        "tampered",
    ),
    "cut tail": (
        ("DELETE FROM audit_leaf WHERE idx >= 9", "DELETE FROM audit_event WHERE cseq = 3"),
        None,
        "projection",
        "truncated",
    ),
    "edited state": (
        ("UPDATE case_state SET state = 'released' WHERE case_id = 'case-b'",),
        None,
        "projection.state",
        "tampered",
    ),
    "projection behind": (("UPDATE case_state SET cseq = 1 WHERE case_id = 'case-b'",), None, "projection.cseq", "tampered"),
    "edited length of a blob": (("UPDATE blob SET bytes = 1 WHERE salt IS NULL",), None, "blob", "tampered"),
    "edited contract": (
        ("UPDATE case_state SET contract = NULL WHERE case_id = 'case-b'",),
        None,
        "projection.contract",
        "tampered",
    ),
    "edited head": (
        ("UPDATE case_state SET head = randomblob(32) WHERE case_id = 'case-b'",),
        None,
        "projection.head",
        "tampered",
    ),
    "case gone from the projection": (("DELETE FROM case_state WHERE case_id = 'case-b'",), None, "projection", "tampered"),
    "edited blob": (("UPDATE blob SET ciphertext = x'00' WHERE salt IS NULL",), None, "blob", "tampered"),
    "edited salt": (("UPDATE blob SET salt = zeroblob(32) WHERE salt IS NOT NULL",), None, "blob", "tampered"),
    "erased blob without a record": (
        ("UPDATE blob SET salt = NULL, ciphertext = NULL, erased_at = 't'",),
        None,
        "blob",
        "erased",
    ),
    "edited origin": (("UPDATE audit_meta SET value = 'other' WHERE name = 'origin'",), 0, "log", "tampered"),
    "no origin": (("DELETE FROM audit_meta",), 0, "log", "tampered"),
}


@pytest.mark.parametrize(("statements", "idx", "check", "classification"), ATTACKS.values(), ids=ATTACKS.keys())
def test_attacks_are_found_and_named(
    statements: tuple[str, ...], idx: int | None, check: str, classification: str, sample_log: Where, owner: Owner
) -> None:
    """Each change by the owner of the file, guards restored afterwards, is found, with the record, the check and the class."""
    assert verify(sample_log).ok
    owner(sample_log, *statements)
    result = verify(sample_log)
    bad = result.first_bad
    assert bad is not None
    assert (result.ok, bad.idx, bad.check, result.classification) == (False, idx, check, classification)
    assert bad.expected != bad.found
    assert result.root is None
    if idx is not None:
        assert result.checked == min(idx, {"index": idx - 1}.get(check, idx))


def test_a_finding_names_case_and_number(sample_log: Where, owner: Owner, ask: Ask) -> None:
    """The finding says where: index, case and number inside it."""
    owner(sample_log, ATTACKS["edited bytes"][0][0])
    bad = verify(sample_log).first_bad
    assert bad is not None
    assert (bad.idx, bad.case, bad.cseq) == (4, "case-b", 1)


def test_a_deleted_place_is_found(sample_log: Where, owner: Owner) -> None:
    """A record whose place is gone: on SQLite it must have one; on PostgreSQL it may wait for one, but not below an old size."""
    before = verify(sample_log)
    owner(sample_log, "DELETE FROM audit_leaf WHERE idx = 11")
    alone = verify(sample_log)
    if isinstance(sample_log, str):
        assert (alone.ok, alone.size, alone.checked) == (True, 11, 12)
    else:
        assert (alone.first_bad and alone.first_bad.check, alone.classification) == ("index", "tampered")
    assert before.root is not None
    found = verify(sample_log, expect=Expected(before.size, before.root))
    assert (found.ok, found.classification) == (False, "truncated")


def rehash(path: Where, ask: Ask, owner: Owner, *, chain: bool, change: Callable[[dict[str, Any]], None]) -> None:
    """Rewrites record 4 with right hashes; with chain also everything that follows, index and projection included."""
    rows = ask(path, "SELECT cseq, body FROM audit_event WHERE case_id = 'case-b' ORDER BY cseq")
    statements: list[tuple[str, tuple[Any, ...]]] = []
    prev = b""
    for cseq, body in rows:
        value = json.loads(body)
        if cseq == 1:
            change(value)
        elif cseq > 1:
            value["prev"] = prev.hex()
        data = encode(value)
        prev = leaf_hash(data)
        if cseq == 1 or (chain and cseq > 1):
            row = (data, prev, bytes.fromhex(value["prev"]), value["kind"], cseq)
            statements.append(
                ("UPDATE audit_event SET body = ?, leaf = ?, prev = ?, kind = ? WHERE case_id = 'case-b' AND cseq = ?", row)
            )
            statements.append(("UPDATE audit_leaf SET leaf = ? WHERE case_id = 'case-b' AND cseq = ?", (prev, cseq)))
    if chain:
        statements.append(("UPDATE case_state SET head = ? WHERE case_id = 'case-b'", (prev,)))
    owner(path, *statements)


def lower(value: dict[str, Any]) -> None:
    """Improves the ratio."""
    value["output"][0]["inline"]["ratio"] = "3.17"


def test_a_single_re_hashed_record_breaks_the_chain(sample_log: Where, owner: Owner, ask: Ask) -> None:
    """Right hashes for one record are not enough: the next one names another predecessor."""
    rehash(sample_log, ask, owner, chain=False, change=lower)
    result = verify(sample_log)
    assert result.first_bad is not None
    assert (result.first_bad.idx, result.first_bad.check, result.classification) == (7, "prev", "tampered")


def test_a_wholly_re_hashed_chain_needs_an_outside_root(sample_log: Where, owner: Owner, ask: Ask) -> None:
    """A rewritten history is a valid other log, and the result says that nothing outside was compared; a root finds it."""
    before = verify(sample_log)
    rehash(sample_log, ask, owner, chain=True, change=lower)
    alone = verify(sample_log)
    assert (alone.ok, alone.anchored) == (True, False)
    assert before.root is not None
    anchored = verify(sample_log, expect=Expected(before.size, before.root))
    assert anchored.first_bad is not None
    assert (anchored.first_bad.check, anchored.classification, anchored.anchored) == ("root", "tampered", True)


@pytest.mark.parametrize(
    ("change", "check", "classification"),
    [
        (lambda value: value.update(extra=1), "canonical", "writer-bug"),
        (lambda value: value.update(kind="step.finished"), "kind", "writer-bug"),
        (lambda value: value["actor"].update(id="svc:other"), "column actor_id", "tampered"),
        (lambda value: value.update(log="other"), "log", "tampered"),
        (lambda value: value.update(cseq=5), "column audit_leaf.cseq", "tampered"),
        (lambda value: value.update(prev="11" * 32), "prev", "tampered"),
    ],
)
def test_wrong_records_with_right_hashes_are_found(
    change: Callable[[dict[str, Any]], None], check: str, classification: str, sample_log: Where, owner: Owner, ask: Ask
) -> None:
    """Bytes that hash rightly but are no right record are found where they stand."""
    rehash(sample_log, ask, owner, chain=False, change=change)
    result = verify(sample_log)
    assert result.first_bad is not None
    assert (result.first_bad.idx, result.first_bad.check, result.classification) == (4, check, classification)
