"""The append-only log against its floors, in one run. Prints ratios; absolute times depend on the machine and its load.

    python benchmarks/log_append.py [--folder DIR] [--appends N] [--records N]

append      one record in its own durable transaction, against a raw insert of the same bytes with the same settings (wall)
append cpu  the same by processor time
step        two records (outcome and next intent) in one transaction, against one raw insert (wall)
verify      every check on every record, against reading each row, json.loads and SHA-256 (processor time)
bytes       size of the file, against the records in it
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from conformed_audit import JSON, Actor, AuditLog, Authz, Item, Kind, Pins, RecordDraft, commitment, verify

ROUNDS = 5
DIGEST = "sha256:" + "ab" * 32
INLINE: dict[str, JSON] = {
    "ratio": "3.47",
    "limit": "3.50",
    "basis": "net debt to EBITDA",
    "pass": True,
    "clause": "§ 7.1(b)",
    "currency": "EUR",
}


def now() -> datetime:
    """A frozen clock."""
    return datetime(2026, 3, 31, 12, tzinfo=UTC)


def make(number: int, kind: Kind = Kind.STEP_INTENT) -> RecordDraft:
    """A record of about 1.3 KB, 12 a case."""
    data = str(number).encode()
    item = Item("calculation", commitment(data, None), 912, "application/json", INLINE)
    return RecordDraft(
        case=f"CASE-{number // 12:06d}",
        kind=kind,
        actor=Actor("svc:engine", "engine", ("engine",), "a3f1c2d4"),
        run="01JDXV5Q4Z8M6T2R9K7C3B1N00",
        step="calculate",
        attempt=1,
        idem=sha256(data + kind.encode()).hexdigest(),
        pins=Pins(engine="0.3.1", contract=DIGEST, policy=DIGEST, plugins=DIGEST),
        input=(Item("figures", commitment(data + b"i", None), 18234, "application/json"),),
        output=(item,),
        authz=Authz("allow", "role:engine:step", DIGEST),
    )


def measure(jobs: dict[str, Callable[[], None]], count: int) -> dict[str, tuple[float, float]]:
    """Median microseconds (wall, processor) of one call, the jobs taking turns so that load falls on all alike."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(count):
        for name, job in jobs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            job()
            taken[name].append(((time.perf_counter() - wall) * 1e6, (time.process_time() - cpu) * 1e6))
    return {name: (statistics.median(w for w, _ in each), statistics.median(c for _, c in each)) for name, each in taken.items()}


def appends(folder: Path, count: int) -> None:
    """Durable appends against the raw insert."""
    with AuditLog.open(folder / "append.db", origin="bench", clock=now) as log, closing(_raw(folder / "raw.db")) as raw:
        body = log.append([make(10_000_000)])[0].body
        numbers, steps = iter(range(count)), iter(range(1_000_000, 1_000_000 + count))

        def insert() -> None:
            raw.execute("BEGIN IMMEDIATE")
            raw.execute("INSERT INTO t(body) VALUES(?)", (body,))
            raw.execute("COMMIT")

        def step() -> None:
            number = next(steps)
            log.append([make(number, Kind.STEP_OUTCOME), make(number)])

        result = measure({"floor": insert, "append": lambda: _drop(log.append([make(next(numbers))])), "step": step}, count)
    floor = result["floor"]
    print(f"record {len(body):,} bytes; floor {floor[0]:.0f} us wall, {floor[1]:.0f} us cpu ({folder})")
    print(f"append      {result['append'][0] / floor[0]:.2f} x floor (aim 1.25 on a disk)")
    print(f"append cpu  {result['append'][1] / floor[1]:.2f} x floor (aim 5 without a disk)")
    print(f"step        {result['step'][0] / floor[0]:.2f} x floor")


def verification(folder: Path, count: int) -> None:
    """Full verification against the cheapest pass that reads, parses and hashes every record."""
    path = folder / "verify.db"
    with AuditLog.open(path, origin="bench", clock=now) as log:
        for first in range(0, count, 600):
            log.append([make(number) for number in range(first, min(first + 600, count))])
    best = {"floor": float("inf"), "verify": float("inf")}
    for _ in range(ROUNDS):
        started = time.process_time()
        with closing(sqlite3.connect(path)) as connection:
            for body, leaf in connection.execute("SELECT body, leaf FROM audit_event ORDER BY rowid"):
                json.loads(body)
                assert sha256(b"\x00" + body).digest() == leaf
        best["floor"] = min(best["floor"], time.process_time() - started)
        started = time.process_time()
        assert verify(path).ok
        best["verify"] = min(best["verify"], time.process_time() - started)
    print(f"verify      {best['verify'] / best['floor']:.2f} x floor (aim 2.7); {best['verify'] / count * 1e6:.1f} us a record")
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("SELECT avg(length(body)) FROM audit_event").fetchone()
    print(f"bytes       {path.stat().st_size / count / size:.2f} x the record's own {size:.0f}")


def _raw(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB) STRICT")
    return connection


def _drop(_: object) -> None:
    return None


def main() -> None:
    """Runs both parts in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where to write (default: a temporary folder)")
    parser.add_argument("--appends", type=int, default=300)
    parser.add_argument("--records", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        appends(Path(folder), options.appends)
        verification(Path(folder), options.records)


if __name__ == "__main__":
    main()
