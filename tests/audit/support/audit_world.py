"""A published log with everybody who watches it: a signer with its memory, a folder outside, a witness; and its attackers."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from conformed_audit import Actor, AuditLog, Item, Kind, Pins, Record, RecordDraft, Trust, VerifyResult, commitment, verify
from conformed_audit.body import make_record
from conformed_audit.checkpoint import SignerMemory
from conformed_audit.keys import record_key
from conformed_audit.note import COSIGNATURE, SigningKey
from conformed_audit.publish import Published, Publisher
from conformed_audit.record import ZERO_LEAF
from conformed_audit.witness import Witness

ORIGIN = "bank.example/test"
START = datetime(2026, 3, 31, 12, tzinfo=UTC)
ENGINE = Actor("svc:engine", "engine", on_behalf_of="p-1")
PINS = Pins(engine="0.1.0", contract="sha256:" + "ab" * 32, plugins="sha256:" + "cd" * 32)
KEY = SigningKey.make(ORIGIN, bytes(range(32)))
NEW_KEY = SigningKey.make(ORIGIN, bytes(range(1, 33)))
WITNESS_KEY = SigningKey.make("witness.example/w1", b"w" * 32, COSIGNATURE)
SECOND_WITNESS_KEY = SigningKey.make("other.example/w2", b"v" * 32, COSIGNATURE)


def item(name: str) -> Item:
    """A small thing that goes in or comes out."""
    return Item(name, commitment(name.encode(), None), len(name), "text/plain")


def draft(case: str, kind: str, run: str | None = "r-1", **fields: Any) -> RecordDraft:
    """A draft of the engine."""
    return RecordDraft(case=case, kind=kind, run=run, **{"actor": ENGINE, "pins": PINS, **fields})


def a_run(case: str, run: str = "r-1", *, opened: bool = True) -> list[RecordDraft]:
    """A run of two steps, as the engine writes it."""
    found = [draft(case, Kind.CASE_OPENED, None, idem="open")] if opened else []
    found.append(
        draft(case, Kind.STATE_CHANGED, run, step="intake", note="Run begun.", input=(item("request"), item("registrations")))
    )
    for step in ("intake", "calculate"):
        key = f"{run} {step}"
        found.append(draft(case, Kind.STEP_INTENT, run, step=step, attempt=1, idem=key))
        found.append(draft(case, Kind.STEP_OUTCOME, run, step=step, attempt=1, idem=key, output=(item("result"),)))
        found.append(draft(case, Kind.STATE_CHANGED, run, step=f"{step}_done"))
    found.append(draft(case, Kind.STATE_CHANGED, run, step="person", output=(item("record"),), note="Run ended."))
    return found


class FolderSink:
    """A folder that the owner of the database cannot write."""

    name, outside = "folder", True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """One file a size."""
        path = self.folder / f"{note.splitlines()[1]}.note"
        assert not path.exists() or path.read_text() == note
        path.write_text(note)
        return path.name


class WitnessHere:
    """A witness in this process, spoken to in its own protocol."""

    outside = True

    def __init__(self, witness: Witness, name: str = "witness") -> None:
        self.witness, self.name = witness, name

    def put(self, note: str, proof: Callable[[int], Sequence[bytes]]) -> str:
        """Asks for a cosignature."""
        last = self.witness.last(ORIGIN)
        old = 0 if last is None else last.size
        answer = self.witness.add_checkpoint(request(old, proof(old), note))
        if answer.status != 200:
            raise OSError(f"{answer.status}: {answer.body}")
        return answer.body


def request(old: int, proof: Sequence[bytes], note: str) -> bytes:
    """The body of an ``add-checkpoint`` request."""
    import base64

    return "\n".join([f"old {old}", *(base64.b64encode(one).decode() for one in proof), "", note]).encode()


@dataclass
class World:
    """A log and everybody around it, in a folder."""

    folder: Path

    @property
    def path(self) -> Path:
        """The log."""
        return self.folder / "log.db"

    @property
    def memory(self) -> SignerMemory:
        """The signer's memory."""
        return SignerMemory(self.folder / "signer.memory")

    @property
    def given(self) -> list[str]:
        """What the folder outside holds."""
        return [path.read_text() for path in sorted((self.folder / "outside").glob("*.note"))]

    @property
    def trust(self) -> Trust:
        """The log's key and the witness's, as an auditor has them."""
        return Trust.of([KEY.key, NEW_KEY.key, WITNESS_KEY.key])

    def witness(self, key: SigningKey = WITNESS_KEY, folder: str = "witness") -> Witness:
        """A witness; it cosigns an hour after the log began."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        return Witness(place, key, [KEY.key, NEW_KEY.key], lambda: int(START.timestamp()) + 3600)

    def open(self, clock: Callable[[], datetime] | None = None, path: Path | None = None) -> AuditLog:
        """Opens the log with a clock that goes on where the log stopped."""
        return AuditLog.open(path or self.path, origin=ORIGIN, clock=clock or later(self.path), entropy=lambda n: b"s" * n)

    def publish(self, log: AuditLog, *signers: SigningKey, sinks: Sequence[Any] | None = None) -> Published:
        """Publishes to the folder and to the witness."""
        sinks = [FolderSink(self.folder / "outside"), WitnessHere(self.witness())] if sinks is None else sinks
        keys = [WITNESS_KEY.key, SECOND_WITNESS_KEY.key]
        return Publisher(log, signers or (KEY,), self.memory, sinks, witnesses=keys).publish()

    def verify(self, **options: Any) -> VerifyResult:
        """As an auditor verifies who has the keys and what the folder outside holds."""
        return verify(self.path, **{"trust": self.trust, "given": self.given, **options})

    def attack(self, *statements: str | tuple[str, tuple[Any, ...]]) -> None:
        """Runs statements as the owner of the file: guards dropped before and made again after, foreign keys off."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                query, values = (statement, ()) if isinstance(statement, str) else statement
                assert connection.execute(query, values).rowcount != 0, f"changed nothing: {query}"
            for _, sql in guards:
                connection.execute(sql)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def insert(self, given: RecordDraft, ts: str) -> Record:
        """Puts the first record of a new case at the end, at a time of the attacker's choice, everything else right."""
        with closing(sqlite3.connect(self.path)) as connection:
            (idx,) = connection.execute("SELECT max(idx) + 1 FROM audit_leaf").fetchone()
        record = make_record(given, idx=idx, log=ORIGIN, cseq=0, prev=ZERO_LEAF, ts=ts)
        leaf = bytes.fromhex(record.leaf)
        self.attack(
            (
                "INSERT INTO audit_event VALUES(?,?,?,?,?,?,?,?,?)",
                (record.case, 0, record.kind, ts, record.actor.id, record.idem, record.body, leaf, ZERO_LEAF),
            ),
            ("INSERT INTO audit_leaf VALUES(?,?,?,?)", (idx, leaf, record.case, 0)),
            ("INSERT INTO case_state VALUES(?,NULL,0,?,?)", (record.case, leaf, record.pins.contract)),
        )
        return record

    def copy(self, folder: Path) -> World:
        """The same world elsewhere."""
        shutil.copytree(self.folder, folder)
        return World(folder)


def later(path: Path) -> Callable[[], datetime]:
    """A clock that moves one second a reading, an hour after a log that is there began."""
    seconds = itertools.count(600 if path.exists() else 0)
    return lambda: START + timedelta(seconds=next(seconds))


def make_world(folder: Path) -> World:
    """Three cases under a checkpoint, 300 records more under a second one, and two that nobody outside holds yet."""
    folder.mkdir()
    world = World(folder)
    with world.open() as log:
        record_key(log, Kind.KEY_ADDED, KEY.key, Actor("log", "log"))
        for case in ("case-a", "case-b", "case-c"):
            log.append(a_run(case))
        blob = log.make_blob(b"the certificate", "text/plain")
        log.append(
            [draft("case-a", Kind.EVIDENCE_EXPORTED, input=(Item("document", blob.commit, 15, "text/plain"),))], blobs=[blob]
        )
        world.publish(log)
        log.append([draft("bulk", Kind.STEP_INTENT, step="s", attempt=n, idem=f"k{n}") for n in range(300)])
        world.publish(log)
        log.append(a_run("case-a", "r-2", opened=False)[:2])
    return world
