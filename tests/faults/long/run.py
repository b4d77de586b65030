"""The long run of faults: everything that may go wrong under the log, many times, and what came of it. Prints a table.

    python tests/faults/long/run.py [--minutes N] [--seed S] [--only NAME ...] [--quick] [--json]

Exit code: 0 nothing acknowledged was lost, no fork, no false alarm, nothing unnoticed; 1 otherwise; 2 usage. What was left out
is said with its reason. The same seed does the same again, but for instants of time and the scheduling of processes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import fault_bits
import fault_calls
import fault_clock
import fault_disk
import fault_fuzz
import fault_kills
import fault_postgres
import fault_threats
import fault_writers
from fault_told import Told, table

__all__ = ["NAMES", "run"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of each fault."""

    seed: int
    minutes: float
    """0 for the quick run."""

    def until(self, share: float) -> Callable[[], bool]:
        """Whether a share of the time is over; never, in the quick run."""
        end = time.monotonic() + self.minutes * 60 * share
        return (lambda: time.monotonic() > end) if self.minutes else lambda: False

    def count(self, quick: int, least: int, a_minute: float) -> int:
        """How many: of the quick run, or so many a minute of the long one, but not fewer than some."""
        return max(least, int(a_minute * self.minutes)) if self.minutes else quick


MANY = 10**9


def _calls(folder: Path, plan: Plan) -> list[Told]:
    return fault_calls.every_call(folder, plan.seed, plan.count(40, MANY, 0), plan.until(0.4))


def _disk(folder: Path, plan: Plan) -> list[Told]:
    limited = fault_disk.limited_files(folder, plan.seed, plan.count(6, MANY, 0), plan.until(0.03))
    (folder / "disk").mkdir()
    return [limited, fault_disk.full_disk(folder / "disk", plan.seed, plan.count(8, 20, 30))]


def _instants(folder: Path, plan: Plan) -> list[Told]:
    return [fault_kills.instants(folder, plan.seed, plan.count(15, MANY, 0), plan.until(0.1))]


def _effects(folder: Path, plan: Plan) -> list[Told]:
    return [fault_kills.effects(folder, plan.seed, plan.count(4, 40, 8))]


def _bits(folder: Path, plan: Plan) -> list[Told]:
    return fault_bits.flips(folder, plan.seed, plan.count(6, 25, 25))


def _clock(folder: Path, plan: Plan) -> list[Told]:
    return [fault_clock.steps(folder, plan.seed, plan.count(5, MANY, 0), plan.until(0.05))]


def _parsers(folder: Path, plan: Plan) -> list[Told]:
    return [fault_fuzz.anything(folder, plan.seed, plan.count(400, 5_000, 5_000))]


def _writers(folder: Path, plan: Plan) -> list[Told]:
    return [fault_writers.writers(folder, plan.count(5, 30, 30), plan.seed)]


def _postgres(folder: Path, plan: Plan) -> list[Told]:
    names = [
        f"{fault_writers.WRITERS} processes at once on PostgreSQL{more}" for more in ("", ", the server restarted in mid-run")
    ]
    if word := fault_postgres.missing():
        return [Told(name, skipped=word) for name in names]
    told = []
    with fault_postgres.server() as server:
        for name, restarts in (("still", 0), ("restarted", plan.count(1, 3, 1))):
            (folder / name).mkdir()
            told.append(fault_writers.writers(folder / name, plan.count(6, 30, 30), plan.seed, server, restarts))
    return told


def _threats(folder: Path, plan: Plan) -> list[Told]:
    return fault_threats.every_row(folder) if plan.minutes else []


WORK: dict[str, Callable[[Path, Plan], list[Told]]] = {
    "calls": _calls, "disk": _disk, "effects": _effects, "instants": _instants, "bits": _bits, "clock": _clock,
    "writers": _writers, "postgres": _postgres, "parsers": _parsers, "threats": _threats,
}  # fmt: skip
MEMORY, SMALL = "/dev/shm", frozenset({"calls", "disk", "instants", "bits", "clock"})
"""Parts that need little room work in memory where they can: the same calls, without the disk's own time."""
NAMES = tuple(WORK)
"""Names of the parts."""


def run(seed: int, minutes: float = 0, only: Sequence[str] = NAMES) -> Iterator[Told]:
    """Does the faults, one part after the other.

    Args:
        seed: of everything that is drawn.
        minutes: about how long, all parts together; 0 for the quick run.
        only: the parts.
    """
    for name in only:
        with ExitStack() as stack:
            place = MEMORY if name in SMALL and os.access(MEMORY, os.W_OK) else None
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"faults-{name}-", dir=place)))
            yield from WORK[name](folder, Plan(seed, minutes))


def main(words: Sequence[str]) -> int:
    """Reads the words, does the faults, and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="about how long, all parts together")
    parser.add_argument("--seed", type=int, default=None, help="of everything that is drawn; otherwise drawn itself, and printed")
    parser.add_argument("--only", action="append", choices=NAMES, help="this part only; may be given several times")
    parser.add_argument("--quick", action="store_true", help="a little of each, as the test suite does it")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    given = parser.parse_args(words)
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    began, told = time.monotonic(), []
    for row in run(seed, 0 if given.quick else max(given.minutes, 0.1), tuple(given.only or NAMES)):
        told.append(row)
        sys.stderr.write(f"{time.monotonic() - began:6.0f} s  {row.fault}\n")
    if given.json:
        sys.stdout.write(json.dumps([asdict(row) for row in told]) + "\n")
    else:
        sys.stdout.write(f"{table(told)}\n\nseed {seed}, {(time.monotonic() - began) / 60:.1f} minutes, {os.cpu_count()} cores\n")
    return 0 if all(row.held for row in told) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
