"""How long a question with another date takes on a pack that was read already, in process and as a command.

    python benchmarks/what_if.py [PACK ...]

Without a pack: the sample marlow-pass, and the pack american-tower of the bank of real agreements where it lies beside the
checkout. Each pack is read once; then one process answers for a dozen other dates, and the command is typed for one.
Prints the medians of CPU time (with the wall time beside it: on a busy machine that says more of its other work), the ratio
to the first reading, and for the command the ratio to a bare interpreter that imports the libraries on which the answer
stands. Exits 1 where a CPU time is above its gate.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

IN_PROCESS, AS_COMMAND = 0.3, 1.5
"""Gates, in seconds of wall time."""
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "casefiles" / "marlow-pass"
REAL = ROOT.parent / "shared" / "casebank" / "dev" / "american-tower"
PEER = [sys.executable, "-c", "import typer, pydantic, pluggy, ruamel.yaml, sqlite3"]


class Took(NamedTuple):
    """What some work took, in seconds."""

    cpu: float
    """Of this process and the children that it waited for."""
    wall: float
    """By the clock on the wall."""

    def __str__(self) -> str:
        return f"{self.cpu * 1000:7.0f} ms (wall {self.wall * 1000:.0f} ms)"


def took(work: Callable[[], object]) -> Took:
    """Measures some work."""
    start, own, before = time.perf_counter(), time.process_time(), os.times()
    work()
    after = os.times()
    children = sum(after[2:4]) - sum(before[2:4])
    return Took(time.process_time() - own + children, time.perf_counter() - start)


def middle(times: Iterable[Took]) -> Took:
    """The medians."""
    return Took(*(statistics.median(column) for column in zip(*times, strict=True)))


def measured(pack: Path, bank: Path) -> bool:
    """Measures one pack, prints its lines, and says whether it keeps the gates."""
    from conformed.app.options import RunOptions
    from conformed.app.service import Service
    from conformed.app.workspace import Workspace

    days = [dt.date(2000 + n, month, 30) for n in range(2, 26, 4) for month in (6, 9)]

    def made() -> Service:
        return Service(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})

    service = made()
    first = took(lambda: service.covenant(pack, RunOptions(test_date=dt.date(2024, 9, 30))))
    inside = middle(took(lambda day=day: service.covenant(pack, RunOptions(test_date=day))) for day in days)
    afresh = took(lambda: made().covenant(pack, RunOptions(test_date=days[0])))
    line = [sys.executable, "-m", "conformed.cli", "covenant", str(pack), "--workspace", str(bank), "--json", "--test-date"]
    said, environment = {"stdout": subprocess.DEVNULL}, {**os.environ, "NO_COLOR": "1"}

    def command(day: dt.date) -> None:
        code = subprocess.run([*line, day.isoformat()], check=False, env=environment, **said).returncode
        assert code in {0, 11, 12}, code

    peers, commands = [], []
    for day in days[:7]:  # in turns, so that a busy machine slows both alike
        peers.append(took(lambda: subprocess.run(PEER, check=True)))
        commands.append(took(lambda day=day: command(day)))
    peer, typed = middle(peers), middle(commands)
    print(f"{pack.name}")
    print(f"  first reading             {first}")
    print(f"  another date, in process  {inside}   {first.cpu / inside.cpu:.1f} times quicker (gate {IN_PROCESS} s)")
    print(f"  a new service, same disk  {afresh}")
    print(f"  another date, as command  {typed}   {typed.cpu / peer.cpu:.2f} times its imports (gate {AS_COMMAND} s)")
    return inside.cpu <= IN_PROCESS and typed.cpu <= AS_COMMAND


def main() -> int:
    """Measures every pack in a workspace that is thrown away."""
    packs = [Path(word) for word in sys.argv[1:]] or [SAMPLE, *([REAL] if REAL.is_dir() else [])]
    with tempfile.TemporaryDirectory() as folder:
        bank = Path(folder)
        shutil.copytree(ROOT / "policies", bank / "policies")
        kept = [measured(pack, bank) for pack in packs]
    if REAL not in packs:
        print("The real pack american-tower was not measured.")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
