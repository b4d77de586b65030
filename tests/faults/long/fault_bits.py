"""One bit flipped, or the end cut off, in each thing that is kept: either no data has changed, or it is noticed."""

from __future__ import annotations

import io
import random
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from fault_clerk import ENGINE, KEY, Clerk, holds, open_log, publisher
from fault_told import Told

from conformed_audit import AuditError, Kind, RecordDraft, Trust, VerifyResult, verify
from conformed_audit.sealing import MasterFile

__all__ = ["flips"]

_TABLES = (
    "SELECT l.idx, e.body, e.leaf FROM audit_leaf l JOIN audit_event e USING (case_id, cseq) ORDER BY l.idx",
    "SELECT case_id, state, cseq, head, contract FROM case_state ORDER BY case_id",
    'SELECT "commit", salt, key_ref, nonce, ciphertext FROM blob ORDER BY "commit"',
)
"""What is data. Times at which something was kept, and the media type of content, are under no hash: see docs/faults.md."""
_Rows = list[list[tuple[Any, ...]]]


def flips(folder: Path, seed: int, each: int, until: Callable[[], bool] = lambda: False) -> list[Told]:
    """Flips bits.

    Args:
        folder: an empty folder.
        seed: of the places.
        each: how many flips in each thing.
        until: whether to stop now.
    """
    whole, live = folder / "whole", folder / "live"
    _make(whole, live)
    chance = random.Random(seed)
    told = []
    for name, work in _WORK.items():
        one = Told(name)
        told.append(one)
        for number in range(each):
            if until():
                break
            work(whole, live, chance, one, f"seed {seed}, number {number}")
            one.injected += 1
    return told


def _make(whole: Path, live: Path) -> None:
    """A published deployment whose log is closed; and the same with its newest part in the write-ahead log."""
    whole.mkdir()
    Clerk(whole, "first", lambda line: None).work()
    with open_log(whole) as log:
        draft = [RecordDraft(case=f"case-{n % 5}", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, idem=f"k{n}") for n in range(280)]
        log.append(draft)
        publisher(log, whole).publish()
    with open_log(whole) as log:
        log.append(
            draft[:0] + [RecordDraft(case="case-a", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE, idem=f"w{n}") for n in range(20)]
        )
        log.put_blob(b"kept last" * 50, "text/plain")
        publisher(log, whole).publish()
        shutil.copytree(whole, live)
    assert (live / "log.db-wal").stat().st_size > 0
    for one in (whole, live):
        assert _verify(one).ok


def _verify(folder: Path, notes: list[str] | None = None) -> VerifyResult:
    given = [path.read_text() for path in sorted((folder / "checkpoints").glob("*.note"))] if notes is None else notes
    return verify(folder / "log.db", trust=Trust.of([KEY.key]), given=given, keys=MasterFile(folder / "master.key"))


def _data(folder: Path) -> _Rows:
    with closing(sqlite3.connect(f"{(folder / 'log.db').resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return [connection.execute(query).fetchall() for query in _TABLES]


def _copied(folder: Path) -> Iterator[Path]:
    """A copy that is thrown away."""
    copy = folder.with_name(f"{folder.name}-flipped")
    shutil.copytree(folder, copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy)


def _flip(file: Path, chance: random.Random, first: int = 0, last: int | None = None) -> int:
    data = bytearray(file.read_bytes())
    at = chance.randrange(first, len(data) if last is None else last)
    data[at] ^= 1 << chance.randrange(8)
    file.write_bytes(data)
    return at


def _compare(copy: Path, before: Path, told: Told, about: str) -> None:
    """Verification either names a finding, or everything is as it was. Using the log raises errors of the package only."""
    try:
        found = _verify(copy)
        if found.ok and (found.root, _data(copy)) != (_verify(before).root, _data(before)):
            told.bad("unnoticed", f"{about}: verified, with other data")
        if not found.ok and found.classification is None:
            told.bad("unnoticed", f"{about}: {found.first_bad} without a class")
    except Exception as problem:  # noqa: BLE001 - verification never raises for content
        told.bad("alarms", f"{about}: verify raised {type(problem).__name__}: {problem}")
    try:
        with open_log(copy) as log:
            for record in log.records():
                log.find(record.case, record.idem or "", record.kind)
            publisher(log, copy).publish()
    except AuditError:
        pass
    except Exception as problem:  # noqa: BLE001 - whatever is raised should have been an error of the package
        told.bad("alarms", f"{about}: using it raised {type(problem).__name__}: {problem}")


def _database(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(whole):
        at = _flip(copy / "log.db", chance)
        _compare(copy, whole, told, f"{about}, byte {at}")


def _write_ahead(_whole: Path, live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(live):
        at = _flip(copy / "log.db-wal", chance)
        _compare(copy, live, told, f"{about}, byte {at}")


def _shorter(_whole: Path, live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(live):
        file = copy / "log.db-wal"
        size = chance.randrange(file.stat().st_size)
        file.write_bytes(file.read_bytes()[:size])
        _compare(copy, live, told, f"{about}, cut at {size}")


def _stored(query: str, folder: Path, chance: random.Random, told: Told, about: str) -> None:
    """Flips a bit of one stored value, where it stands in the file; each must be noticed."""
    with closing(sqlite3.connect(folder / "log.db")) as connection:
        values = [row[0] for row in connection.execute(query)]
    value = chance.choice(values)
    value = value.encode() if isinstance(value, str) else value
    at = (folder / "log.db").read_bytes().find(value[:400])
    assert at > 0, "the value stands in one piece"
    for copy in _copied(folder):
        place = _flip(copy / "log.db", chance, at, at + min(len(value), 400))
        if _verify(copy).ok:
            told.bad("unnoticed", f"{about}, byte {place}")


def _content(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    _stored("SELECT ciphertext FROM blob", whole, chance, told, about)


def _checkpoint(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    _stored("SELECT note FROM audit_checkpoint", whole, chance, told, about)


def _outside(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(whole / "checkpoints"):
        file = chance.choice(sorted(copy.glob("*.note")))
        at = _flip(file, chance)
        if _verify(whole, [file.read_text(errors="replace")]).ok:
            told.bad("unnoticed", f"{about}, {file.name}, byte {at}")


def _memory(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(whole):
        at = _flip(copy / "signer.memory", chance)
        try:
            with open_log(copy) as log:
                publisher(log, copy).publish()
            told.bad("unnoticed", f"{about}, byte {at}: it signed")
        except AuditError:
            pass
        except Exception as problem:  # noqa: BLE001 - whatever is raised should have been an error of the package
            told.bad("alarms", f"{about}, byte {at}: {type(problem).__name__}: {problem}")


def _bundle(whole: Path, _live: Path, chance: random.Random, told: Told, about: str) -> None:
    for copy in _copied(whole / "bundles"):
        file = copy / "first.zip"
        before = _log_part(file.read_bytes())
        at = _flip(file, chance)
        data = file.read_bytes()
        if holds(data) and _log_part(data) != before:
            told.bad("unnoticed", f"{about}, byte {at}")


def _log_part(data: bytes) -> dict[str, bytes]:
    """The files that the checkpoint vouches for: what names keys and says who acknowledged proves nothing by itself."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = ("log/records.jsonl", "log/heads.json")
        return {name: archive.read(name) for name in names}


_WORK: dict[str, Callable[[Path, Path, random.Random, Told, str], None]] = {
    "a bit of the database file flipped": _database,
    "a bit of the write-ahead log flipped": _write_ahead,
    "the write-ahead log cut off": _shorter,
    "a bit of stored content flipped": _content,
    "a bit of a stored checkpoint flipped": _checkpoint,
    "a bit of an outside checkpoint flipped": _outside,
    "a bit of the signer's memory flipped": _memory,
    "a bit of an evidence bundle flipped": _bundle,
}
