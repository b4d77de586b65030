"""Rows G3 and G4: what a governed step costs, ours beside DBOS and LangGraph in the same run.

    python benchmarks/governed_step.py [--quick] [--peers FOLDER]

sync calls  strace counts them over runs of twelve steps, what a run begins and ends with included; opening and closing a
            database are subtracted, by counting a short and a longer series
cpu         processor time of a whole step on tmpfs, the contenders taking turns, and of each its best round: what else the
            machine does only ever adds

FOLDER is a virtual environment with the requirements of peers.txt. The peers are never in the product's own.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from peers.work import STEPS
from table_row import Row

__all__ = ["rows"]

SCRIPTS = Path(__file__).parent / "peers"
SYNC_GOAL, DBOS_GOAL, LANGGRAPH_GOAL = 1.10, 5.0, 2.5
SYNC = f"sync calls per governed step, intent and outcome recorded, {STEPS} steps a run"
CPU = "CPU of a whole governed step on tmpfs (pydantic in and out, 5 wrappers, structlog line, record kept)"
CALLS = "fsync,fdatasync,sync_file_range,msync"
SHARED_MEMORY = Path("/dev/shm")
"""Where tmpfs is on Linux; each measurement makes a folder of its own in it."""
NO_PEERS = "not measured: no peers' environment"
LIMIT_S = 300


class Contender(NamedTuple):
    """A script that carries out governed steps."""

    name: str
    script: str
    python: str
    mode: tuple[str, ...] = ()

    def command(self, folder: Path, runs: int) -> list[str]:
        """How it is called for so many runs in an empty folder."""
        return [self.python, str(SCRIPTS / self.script), str(folder), str(runs), *self.mode]


def rows(*, quick: bool = False, peers: Path | None = None) -> list[Row]:
    """The rows of this file.

    Args:
        quick: fewer runs and rounds.
        peers: the peers' virtual environment; without one nothing is said of them.
    """
    return [sync_row(contenders(peers), 5 if quick else 40), cpu_row(contenders(peers), *((10, 3) if quick else (40, 7)))]


def contenders(peers: Path | None) -> dict[str, Contender]:
    """Ours, and the peers where they are installed."""
    found = [Contender("ours", "ours_step.py", sys.executable)]
    if peers is not None:
        python = str(peers / "bin" / "python")
        found += [
            Contender("DBOS", "dbos_step.py", python),
            Contender("DBOS with WAL", "dbos_step.py", python, ("wal",)),
            Contender("LangGraph", "langgraph_step.py", python),
        ]
    return {one.name: one for one in found}


def sync_row(some: Mapping[str, Contender], runs: int) -> Row:
    """G3."""
    goal = f"<= {SYNC_GOAL:.2f}"
    if shutil.which("strace") is None:
        return Row("G3", SYNC, "not measured: strace is not installed", goal, reached=False)
    counts = {name: (_syncs(one, 2 * runs) - _syncs(one, runs)) / runs / STEPS for name, one in some.items()}
    said = "; ".join(f"{name} {count:.3f}" for name, count in counts.items())
    return Row("G3", SYNC, said if len(some) > 1 else f"{said}; peers {NO_PEERS}", goal, counts["ours"] <= SYNC_GOAL)


def cpu_row(some: Mapping[str, Contender], runs: int, rounds: int) -> Row:
    """G4."""
    goal = f"<= 1/{DBOS_GOAL:g} of DBOS and <= 1/{LANGGRAPH_GOAL:g} of LangGraph"
    if len(some) == 1:
        return Row("G4", CPU, NO_PEERS, goal, reached=False)
    if not SHARED_MEMORY.is_dir():
        return Row("G4", CPU, "not measured: no tmpfs", goal, reached=False)
    names = ("ours", "DBOS", "LangGraph")
    taken = [{name: _cpu(some[name], runs) for name in names} for _ in range(rounds)]
    ours, dbos, langgraph = (min(each[name] for each in taken) for name in names)
    to_dbos, to_langgraph = dbos / ours, langgraph / ours
    said = f"{ours:.0f} us = 1/{to_dbos:.1f} of DBOS ({dbos:,.0f} us) and 1/{to_langgraph:.1f} of LangGraph ({langgraph:,.0f} us)"
    return Row("G4", CPU, said, goal, to_dbos >= DBOS_GOAL and to_langgraph >= LANGGRAPH_GOAL)


def _cpu(one: Contender, runs: int) -> float:
    """Microseconds of processor time a step, in memory."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as folder:
        return float(_carry_out(one.command(Path(folder), runs)))


def _syncs(one: Contender, runs: int) -> int:
    """Sync calls of a process with so many runs, on a disk."""
    with tempfile.TemporaryDirectory() as folder:
        counted, work = Path(folder) / "counted", Path(folder) / "work"
        work.mkdir()
        _carry_out(["strace", "-f", "-c", "-e", f"trace={CALLS}", "-o", str(counted), *one.command(work, runs)])
        total = next(line for line in counted.read_text(encoding="utf-8").splitlines() if line.endswith(" total"))
        return int(total.split()[3])


def _carry_out(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        script = next(Path(word).name for word in command if word.endswith(".py"))
        raise RuntimeError(f"{script} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def main() -> None:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer runs and rounds")
    parser.add_argument("--peers", type=Path, help="virtual environment with the requirements of peers.txt")
    options = parser.parse_args()
    for row in rows(quick=options.quick, peers=options.peers):
        print(f"{row.row}  {row.metric}\n    {row.measured} (goal {row.goal})")


if __name__ == "__main__":
    main()
