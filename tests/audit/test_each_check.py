"""Every single check of verification has an attack that it alone names first: with the check taken out, that test fails."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import audit_world
import pytest
from audit_world import KEY, World, a_run, draft

import conformed_audit
from conformed_audit import Actor, Item, Kind, Pins, VerifyResult, commitment
from conformed_audit.body import make_record
from conformed_audit.checkpoint import Checkpoint
from conformed_audit.finding import Bad
from conformed_audit.heads import heads_root
from conformed_audit.merkle import leaf_hash
from conformed_audit.note import Note

Attack = Callable[[World], VerifyResult]

SQL: dict[str, tuple[str, ...]] = {
    "index": ("DELETE FROM audit_leaf WHERE idx = 5",),
    "present": ("DELETE FROM audit_event WHERE case_id = 'case-b' AND cseq = 2",),
    "leaf": ("UPDATE audit_leaf SET leaf = randomblob(32) WHERE idx = 4",),
    "column": ("UPDATE audit_event SET ts = '2020' WHERE case_id = 'case-b' AND cseq = 2",),
    "log": ("UPDATE audit_meta SET value = 'other' WHERE name = 'origin'",),
    "projection": ("DELETE FROM case_state WHERE case_id = 'case-b'",),
    "projection.": ("UPDATE case_state SET state = 'released' WHERE case_id = 'case-b'",),
    "blob": ("UPDATE blob SET ciphertext = x'00'",),
    "tile": ("UPDATE audit_tile SET hashes = zeroblob(8192)",),
    "tile.root": ("UPDATE audit_tile SET root = zeroblob(32)",),
    "tiles": ("INSERT INTO audit_tile VALUES(3, 7, zeroblob(8192), zeroblob(32))",),
    "keys": ("INSERT INTO audit_key VALUES('x', 'bank.example/test+00000000+AA==', 0, NULL)",),
    "checkpoint.root": ("UPDATE audit_checkpoint SET root = zeroblob(32)",),
    "checkpoint.heads": ("UPDATE audit_checkpoint SET heads_root = zeroblob(32)",),
    "checkpoint.note": ("UPDATE audit_checkpoint SET note = 'nothing'",),
    "checkpoint.size": (
        "UPDATE audit_checkpoint SET size = 9999 WHERE size > 100",
        "UPDATE audit_cosig SET size = 9999 WHERE size > 100",
    ),
}
"""What the owner of the file does to be found by each check."""


def by_sql(statements: tuple[str, ...]) -> Attack:
    """An attack by statements."""

    def attack(world: World) -> VerifyResult:
        world.attack(*statements)
        return world.verify()

    return attack


def by_records(*drafts: Any) -> Attack:
    """A writer that appends what no right writer would."""

    def attack(world: World) -> VerifyResult:
        with world.open() as log:
            for one in drafts:
                log.append([one])
        return world.verify()

    return attack


def wrong_bytes(change: Callable[[bytes], bytes]) -> Attack:
    """A record of a new case whose bytes were changed before they were hashed."""

    def attack(world: World) -> VerifyResult:
        record = world.insert(draft("case-z", Kind.EVIDENCE_EXPORTED, None), "2026-03-31T12:30:00.000000Z")
        body = change(record.body)
        leaf, old = leaf_hash(body), bytes.fromhex(record.leaf)
        assert body != record.body
        world.attack(
            ("UPDATE audit_event SET body = ?, leaf = ?, kind = ? WHERE leaf = ?", (body, leaf, _kind(body), old)),
            ("UPDATE audit_leaf SET leaf = ? WHERE leaf = ?", (leaf, old)),
            ("UPDATE case_state SET head = ? WHERE head = ?", (leaf, old)),
        )
        return world.verify()

    return attack


def _kind(body: bytes) -> str:
    found = re.search(rb'"kind": ?"([a-z]+\.[a-z]+)"', body)
    assert found is not None
    return found[1].decode()


def chained(field: str, value: Any) -> Attack:
    """A second record of a case with a number, or a predecessor, that does not continue it."""

    def attack(world: World) -> VerifyResult:
        values = {"cseq": 1, "prev": bytes(32), field: value}
        first = world.insert(draft("case-z", Kind.EVIDENCE_EXPORTED, None), "2026-03-31T12:30:00.000000Z")
        second = make_record(
            draft("case-z", Kind.EVIDENCE_EXPORTED, None),
            idx=first.idx + 1, log=audit_world.ORIGIN, cseq=values["cseq"],
            prev=bytes.fromhex(first.leaf) if field == "cseq" else values["prev"], ts=first.ts,
        )  # fmt: skip
        leaf = bytes.fromhex(second.leaf)
        row = (
            "case-z",
            second.cseq,
            second.kind,
            second.ts,
            second.actor.id,
            None,
            second.body,
            leaf,
            bytes.fromhex(second.prev),
        )
        world.attack(
            ("UPDATE case_state SET head = ?, cseq = ? WHERE case_id = 'case-z'", (leaf, second.cseq)),
            ("INSERT INTO audit_event VALUES(?,?,?,?,?,?,?,?,?)", row),
            ("INSERT INTO audit_leaf VALUES(?,?,?,?)", (second.idx, leaf, "case-z", second.cseq)),
        )
        return world.verify()

    return attack


def heads(root: str | None, cases: int | None) -> Attack:
    """A writer that records other heads than there are."""

    def attack(world: World) -> VerifyResult:
        with world.open() as log:
            rows = list(log.cases())
            right = heads_root((row.case, row.cseq, bytes.fromhex(row.head)) for row in rows).hex()
            inline = {"cases": len(rows) if cases is None else cases, "root": root or right}
            output = (Item("heads", commitment(b"", None), 32, "application/octet-stream", inline),)
            log.append([draft("_log", Kind.LOG_HEADS, None, actor=Actor("log", "log"), output=output)])
        return world.verify()

    return attack


def other_note(world: World) -> VerifyResult:
    """A checkpoint from outside of another tree of the same size."""
    return world.verify(given=[str(Note(Checkpoint(audit_world.ORIGIN, 3, bytes(32)).text).signed(KEY))])


def too_large(world: World) -> VerifyResult:
    """A checkpoint from outside of more records than there are."""
    return world.verify(given=[str(Note(Checkpoint(audit_world.ORIGIN, 9999, bytes(32)).text).signed(KEY))])


def other_origin(world: World) -> VerifyResult:
    """A checkpoint from outside of another log."""
    return world.verify(given=[str(Note(Checkpoint("other.example", 3, bytes(32)).text).signed(KEY))])


def future(world: World) -> VerifyResult:
    """A checkpoint over records of a time after its cosignature."""
    with world.open(clock=lambda: audit_world.START + timedelta(days=2)) as log:
        log.append(a_run("case-d")[:1])
        world.publish(log)
    return world.verify()


def uncosigned(world: World) -> VerifyResult:
    """A log whose witness's answers are gone, before somebody who asks for them."""
    world.attack("DELETE FROM audit_cosig")
    return world.verify()


def back_dated(world: World) -> VerifyResult:
    """A record that is older than the heads before it."""
    world.insert(draft("case-older", Kind.CASE_OPENED, None), "2026-01-31T12:00:00.000000Z")
    return world.verify()


def guards(world: World) -> VerifyResult:
    """A dropped guard."""
    with closing(sqlite3.connect(world.path)) as connection:
        connection.execute("DROP TRIGGER blob_delete")
    return world.verify()


def another_file(world: World) -> VerifyResult:
    """A database of something else in its place."""
    with closing(sqlite3.connect(world.path)) as connection:
        connection.execute("PRAGMA application_id = 7")
    return world.verify()


def released_too_early(world: World) -> VerifyResult:
    """A release of what nobody outside holds."""
    released = draft("case-d", Kind.DECISION_RELEASED, approval={"subject": "0" * 64})
    return by_records(*a_run("case-d"), released)(world)


NOTHING = draft("case-z", Kind.STEP_OUTCOME, step="s", attempt=1, idem="k")
ATTACKS: dict[str, Attack] = {
    **{check: by_sql(statements) for check, statements in SQL.items()},
    "canonical": wrong_bytes(lambda body: body.replace(b'":', b'": ', 1)),
    "kind": wrong_bytes(lambda body: body.replace(b"evidence.exported", b"evidence.imported")),
    "cseq": chained("cseq", 5),
    "prev": chained("prev", b"p" * 32),
    "heads": heads("00" * 32, None),
    "heads.cases": heads(None, 77),
    "time": back_dated,
    "key": by_records(draft("_log", Kind.KEY_ADDED, None)),
    "opened": by_records(draft("case-a", Kind.CASE_OPENED, None, idem="again")),
    "intent": by_records(NOTHING),
    "ended": by_records(draft("case-b", Kind.STEP_INTENT, step="s", attempt=2, idem="late")),
    "pins.": by_records(draft("case-a", Kind.STEP_INTENT, "r-2", step="s", pins=Pins(engine="9.9"))),
    "given": lambda world: world.verify(given=["no note"]),
    "given.origin": other_origin,
    "root": other_note,
    "size": too_large,
    "signature": lambda world: world.verify(given=[str(Note(Note.parse(world.given[0]).text).signed(audit_world.NEW_KEY))]),
    "cosignatures": uncosigned,
    "cosignature.time": future,
    "schema": guards,
    "format": another_file,
    "release.checkpoint": released_too_early,
}
OTHERS = re.compile(r"approval\.|release\.(?!checkpoint)|readable|type$|data")
"""Checks of approvals have their tests with people; those of sealed content with it; a column of another type and a
file that cannot be read, in test_attacks."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One published log for all tests."""
    return audit_world.make_world(tmp_path_factory.mktemp("world") / "w")


def checks_written() -> set[str]:
    """Names of all checks in the package's files; of those that end in a name, the beginning."""
    found: set[str] = set()
    for path in sorted(Path(conformed_audit.__file__).parent.glob("*.py")):
        found |= set(re.findall(r'\bBad\(\s*f?"([a-z_.]+)', path.read_text()))
    return {name.strip() for name in found if not OTHERS.match(name)}


def test_every_check_has_its_attack() -> None:
    """A check that is added without an attack fails here."""
    assert checks_written() == set(ATTACKS)


@pytest.mark.parametrize("check", sorted(ATTACKS))
def test_with_the_check_taken_out_its_attack_is_not_found_under_its_name(
    check: str, made: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack is found under the check's name; when that check says nothing, it is not: so each check is needed."""
    found = ATTACKS[check](made.copy(tmp_path / "with"))
    assert found.first_bad is not None
    assert _matches(found.first_bad.check, check), found.first_bad

    def silent(name: str, *rest: Any) -> Bad | None:
        return None if _matches(name, check) else Bad(name, *rest)

    for name, module in sorted(sys.modules.items()):
        if name.startswith("conformed_audit.") and hasattr(module, "Bad"):
            monkeypatch.setattr(module, "Bad", silent)
    without = ATTACKS[check](made.copy(tmp_path / "without"))
    assert without.first_bad is None or not _matches(without.first_bad.check, check)
    if check in ALONE:
        assert without.ok, without.first_bad


ALONE = frozenset({
    "blob", "tile", "tile.root", "tiles", "keys", "opened", "ended", "pins.", "intent", "time", "cosignatures", "cosignature.time",
    "heads", "projection.", "given.origin",
})  # fmt: skip
"""Checks without which the attack would pass altogether: no other check stands behind them."""


def _matches(name: str, check: str) -> bool:
    return name.startswith(check) if check.endswith(".") else name == check or name.startswith(f"{check} ")
