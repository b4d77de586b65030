"""Full verification against the cheapest pass that reads, hashes and parses every record, and the log's size on the disk.

    python benchmarks/log_verify.py [--quick] [--folder DIR]

verify      G5: every check on every record, processor time, against: read each row, SHA-256, json.loads; and, where orjson is
            installed, against: read each row, SHA-256, orjson.loads. Verification itself never uses orjson.
memory      G5: the most memory that a verification in a process of its own takes, at two sizes; it grows with the cases, not with their records
bytes       G13: size of the file, indexes included, against the records in it
"""

from __future__ import annotations

import argparse
import importlib
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from log_records import fill
from table_row import Row

from conformed_audit import verify

ROUNDS = 5
_ALONE = """
import resource, sys
from conformed_audit import verify
assert verify(sys.argv[1]).ok
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def floor(path: Path, loads: Callable[[bytes], Any]) -> None:
    """Reads, hashes and parses every record, and does nothing else."""
    with closing(sqlite3.connect(path)) as connection:
        for body, leaf in connection.execute("SELECT body, leaf FROM audit_event ORDER BY rowid"):
            loads(body)
            assert sha256(b"\x00" + body).digest() == leaf


def memory_of(path: Path) -> int:
    """MiB that a process takes at most which only verifies."""
    done = subprocess.run([sys.executable, "-c", _ALONE, str(path)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def times(path: Path, count: int) -> dict[str, float]:
    """Median microseconds of processor time a record, the jobs taking turns."""

    def whole() -> None:
        assert verify(path).ok

    jobs: dict[str, Callable[[], None]] = {"verify": whole, "json": lambda: floor(path, json.loads)}
    try:
        quicker = importlib.import_module("orjson").loads
    except ImportError:
        pass
    else:
        jobs["orjson"] = lambda: floor(path, quicker)
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, job in jobs.items():
            started = time.process_time()
            job()
            taken[name].append((time.process_time() - started) / count * 1e6)
    return {name: statistics.median(each) for name, each in taken.items()}


def rows(*, quick: bool = False, folder: Path | None = None) -> list[Row]:
    """Rows G5 and G13.

    Args:
        quick: fewer records.
        folder: where to write; None for the folder of temporary files.
    """
    count = 5_000 if quick else 20_000
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path, larger = Path(place) / "verify.db", Path(place) / "larger.db"
        fill(path, count)
        fill(larger, 4 * count)
        taken = times(path, count)
        small, large = memory_of(path), memory_of(larger)
        size = larger.stat().st_size / (4 * count)
        with closing(sqlite3.connect(path)) as connection:
            (length,) = connection.execute("SELECT avg(length(body)) FROM audit_event").fetchone()
    used = taken["verify"]
    found = [_against("json", "json.loads", 2.7, used, taken["json"])]
    if "orjson" in taken:
        found.append(_against("orjson", "orjson.loads", 2.0, used, taken["orjson"]))
    metric = f"memory of a verification of {count:,} and of {4 * count:,} records, in a process of its own; it grows with the cases (here one for twelve records)"
    found.append(Row("G5", metric, f"{small} and {large} MiB", "<= 64 MiB", max(small, large) <= 64))
    metric = f"file a record of {length:,.0f} bytes, indexes and tiles included"
    found.append(Row("G13", metric, f"{size / 1024:.2f} KiB", "<= 1.6 KiB", size <= 1.6 * 1024))
    return found


def _against(name: str, parse: str, goal: float, used: float, base: float) -> Row:
    metric = f"full verification, standard library only, processor time; {name} floor: read row, SHA-256, {parse}, {base:.1f} us"
    measured = f"{used / base:.2f} x floor; {used:.1f} us a record, {1e6 / used:,.0f} records/s"
    return Row("G5", metric, measured, f"<= {goal} x floor", used <= goal * base)


def main() -> int:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer records")
    parser.add_argument("--folder", type=Path, help="where to write (default: temporary files)")
    options = parser.parse_args()
    for row in rows(quick=options.quick, folder=options.folder):
        print(f"{row.row:4} {row.metric}\n     {row.measured} (goal {row.goal}){'' if row.reached else ' MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
