"""Appending to the log against its floor, rows G1 and G2, in one run. Prints ratios; absolute times depend on the machine.

    python benchmarks/log_append.py [--quick] [--folder DIR] [--memory DIR]

append      G1: one record in its own durable transaction, against a raw insert of the same bytes with the same settings (wall)
append cpu  G2: processor time of that, in a folder in memory, so that no disk is waited for
step        two records (outcome and next intent) in one transaction, against one raw insert (wall)

The floor is one BEGIN IMMEDIATE, INSERT of the record's bytes, COMMIT, in a table of one column, WAL, synchronous=FULL. The jobs
take turns; medians over all turns. Drafts are made beforehand. Rows G5 and G13, of the same log, are in log_verify and given here as well.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import log_verify
from log_records import make, now
from table_row import Row

from conformed_audit import AuditLog, Kind

MEMORY = Path("/dev/shm")
"""Where Linux has a folder in memory."""


def measure(jobs: dict[str, Callable[[], None]], count: int) -> dict[str, tuple[float, float]]:
    """Median microseconds (wall, processor) of one call, the jobs taking turns so that load falls on all alike."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(count):
        for name, job in jobs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            job()
            taken[name].append(((time.perf_counter() - wall) * 1e6, (time.process_time() - cpu) * 1e6))
    return {name: (statistics.median(w for w, _ in each), statistics.median(c for _, c in each)) for name, each in taken.items()}


def appends(folder: Path, count: int) -> dict[str, tuple[float, float]]:
    """Durable appends and the raw insert: median microseconds, wall and processor."""
    with AuditLog.open(folder / "append.db", origin="bench", clock=now) as log, closing(_raw(folder / "raw.db")) as raw:
        body = log.append([make(10_000_000)])[0].body
        drafts = iter([make(number) for number in range(count)])
        steps = iter([[make(at, Kind.STEP_OUTCOME), make(at)] for at in range(1_000_000, 1_000_000 + count)])

        def insert() -> None:
            raw.execute("BEGIN IMMEDIATE")
            raw.execute("INSERT INTO t(body) VALUES(?)", (body,))
            raw.execute("COMMIT")

        def append() -> None:
            log.append([next(drafts)])

        def step() -> None:
            log.append(next(steps))

        return measure({"floor": insert, "append": append, "step": step}, count)


def rows(*, quick: bool = False, folder: Path | None = None, memory: Path = MEMORY) -> list[Row]:
    """Rows G1, G2, G5 and G13.

    Args:
        quick: fewer turns.
        folder: on a disk; None for the folder of temporary files.
        memory: in memory.
    """
    count = 200 if quick else 1_000
    with tempfile.TemporaryDirectory(dir=folder) as place:
        disk = appends(Path(place), count)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else folder) as place:
        cpu = appends(Path(place), count)
    whole, step = (disk[name][0] / disk["floor"][0] for name in ("append", "step"))
    used = cpu["append"][1] / cpu["floor"][1]
    return [
        Row(
            "G1",
            f"durable append, wall; floor: raw insert, {disk['floor'][0]:.0f} us",
            f"{whole:.2f} x floor ({step:.2f} x for a step of two records)",
            "<= 1.25 x floor",
            whole <= 1.25,
        ),
        Row(
            "G2",
            f"append without the disk, processor time; floor: raw insert, {cpu['floor'][1]:.0f} us",
            f"{used:.2f} x floor",
            "<= 5 x floor",
            used <= 5,
        ),
        *log_verify.rows(quick=quick, folder=folder),
    ]


def _raw(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB) STRICT")
    return connection


def main() -> int:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer turns")
    parser.add_argument("--folder", type=Path, help="a folder on a disk (default: temporary files)")
    parser.add_argument("--memory", type=Path, default=MEMORY, help="a folder in memory (default: %(default)s)")
    options = parser.parse_args()
    for row in rows(quick=options.quick, folder=options.folder, memory=options.memory):
        print(f"{row.row:4} {row.metric}\n     {row.measured} (goal {row.goal}){'' if row.reached else ' MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
