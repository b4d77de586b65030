"""Faults under the log, rows G9, G10 and G11: the same code as the long run (docs/faults.md), a part of it.

    python benchmarks/log_faults.py [--quick]

G9   failure injected at system calls that write, sync, open, truncate or rename, and SIGKILL there; no room on the disk
G10  SIGKILL between the effect of a step and its record, at least 200 times
G11  every attack of the table of threats, and every check of verification taken out
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from table_row import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "faults" / "long"))

import fault_calls
import fault_disk
import fault_kills
import fault_threats
from fault_told import Told

SEED = 1
_SECONDS = 180


def rows(*, quick: bool = False) -> list[Row]:
    """The three rows.

    Args:
        quick: fewer faults in G9; the others are as ever, since their goals are counts.
    """
    found = []
    for measure in (lambda one: _calls(one, 60 if quick else None), _effects, _attacks):
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            found.append(measure(Path(folder)))
    return found


def _calls(folder: Path, most: int | None) -> Row:
    end = time.monotonic() + _SECONDS
    until: Callable[[], bool] = lambda: time.monotonic() > end  # noqa: E731 - a word for it
    told = fault_calls.every_call(folder, SEED, most, until)
    told += [fault_disk.limited_files(folder, SEED, 10)]
    (folder / "disk").mkdir()
    told += [fault_disk.full_disk(folder / "disk", SEED, 10)]
    bad = _bad(told)
    what = "faults at write, sync, open, truncate, rename; disk full: invalid logs, acknowledged things lost"
    measured = f"{_injected(told)} injected: {bad - _lost(told)} and {_lost(told)}{_left_out(told)}"
    return Row("G9", what, measured, "0 and 0", bad == 0 and not any(one.skipped for one in told[:2]))


def _effects(folder: Path) -> Row:
    told = [fault_kills.effects(folder, SEED, 36)]
    kills, bad = _injected(told), _bad(told)
    what = "SIGKILL between a step's effect and its record: duplicate effects, lost or doubled outcomes"
    return Row("G10", what, f"{bad} in {kills} kills", "0 in >= 200 kills", bad == 0 and kills >= 200)


def _attacks(folder: Path) -> Row:
    told, count = fault_threats.every_row(folder), len(fault_threats.rows_of(fault_threats.TABLE.read_text(encoding="utf-8")))
    bad = _bad(told)
    what = "attacks of the table of threats noticed; checks taken out whose attack then passes unnamed"
    measured = f"{count} rows, {told[0].injected - told[0].unnoticed} of {told[0].injected} tests; {told[1].injected - told[1].unnoticed} of {told[1].injected}"
    return Row("G11", what, measured, "100%, each row a test", bad == 0 and told[0].injected >= count and told[1].injected > 0)


def _injected(told: list[Told]) -> int:
    return sum(one.injected for one in told)


def _lost(told: list[Told]) -> int:
    return sum(one.lost for one in told)


def _bad(told: list[Told]) -> int:
    return sum(one.lost + one.forks + one.alarms + one.unnoticed for one in told)


def _left_out(told: list[Told]) -> str:
    return "".join(f"; not done: {one.fault} ({one.skipped})" for one in told if one.skipped)


def main() -> None:
    """Prints the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true")
    for row in rows(quick=parser.parse_args().quick):
        sys.stdout.write(
            f"{row.row:4} {'reached' if row.reached else 'MISSED ':8} {row.measured}  (goal {row.goal})  {row.metric}\n"
        )


if __name__ == "__main__":
    main()
