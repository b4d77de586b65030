"""Clocks that are set back and forward while a log is written, published and opened again."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fault_clerk import ENGINE, KEY, ORIGIN, publisher
from fault_told import Told

from conformed_audit import AuditLog, Kind, RecordDraft, Trust, verify

__all__ = ["steps"]

_SETS = (-86_400.0, -3_600.0, -1.0, -0.001, 3.0, 3_600.0, 86_400.0)


@dataclass
class Clocks:
    """A wall clock that is set, and one that only goes on."""

    wall: datetime
    ns: int = 0

    def now(self) -> datetime:
        """The wall clock."""
        return self.wall

    def monotonic(self) -> int:
        """The other one."""
        return self.ns

    def go(self, seconds: float) -> None:
        """Time goes by."""
        self.wall += timedelta(seconds=seconds)
        self.ns += int(seconds * 1e9)

    def set(self, seconds: float) -> None:
        """Somebody sets the wall clock."""
        self.wall += timedelta(seconds=seconds)


def steps(folder: Path, seed: int, logs: int, until: Callable[[], bool] = lambda: False) -> Told:
    """Writes logs under clocks that are set at times drawn by chance, each setting alone between two appends.

    Args:
        folder: an empty folder.
        seed: of the settings.
        logs: how many logs of 30 appends.
        until: whether to stop now.
    """
    told, chance = Told("the clock set back and forward"), random.Random(seed)
    for number in range(logs):
        if until():
            break
        one = folder / f"clock-{number}"
        one.mkdir()
        _write(one, chance, told, f"seed {seed}, log {number}")
        shutil.rmtree(one)
    return told


def _write(one: Path, chance: random.Random, told: Told, about: str) -> None:
    clocks, wanted, order = Clocks(datetime(2026, 3, 31, 12, tzinfo=UTC)), 0, []
    log = _open(one, clocks)
    latest = clocks.wall
    for number in range(30):
        clocks.go(chance.uniform(0.01, 50))
        if chance.random() < 0.1:  # a new process: it knows the last record's time, and no monotonic clock's
            log.close()
            log = _open(one, clocks)
        elif number and chance.random() < 0.4:
            clocks.set(by := chance.choice(_SETS))
            told.injected += 1
            wanted += clocks.wall < latest or abs(by) > 2
        else:
            wanted += clocks.wall < latest
        order += [r.leaf for r in log.append([RecordDraft(case="case-a", kind=Kind.EVIDENCE_EXPORTED, actor=ENGINE)])]
        latest = clocks.wall
        if chance.random() < 0.2:
            publisher(log, one).publish()
    records = list(log.records())
    log.close()
    stepped = sum(record.kind == Kind.CLOCK_STEPPED for record in records)
    if stepped != wanted:
        told.bad("unnoticed" if stepped < wanted else "alarms", f"{about}: {wanted} steps, {stepped} recorded")
    if [record.leaf for record in records if record.case == "case-a"] != order:
        told.bad("lost", f"{about}: another order")
    notes = [path.read_text() for path in sorted((one / "checkpoints").glob("*.note"))]
    found = verify(one / "log.db", trust=Trust.of([KEY.key]), given=notes)
    if not found.ok:
        told.bad("alarms", f"{about}: {found.classification}: {found.first_bad}")


def _open(folder: Path, clocks: Clocks) -> AuditLog:
    return AuditLog.open(folder / "log.db", origin=ORIGIN, clock=clocks.now, monotonic_ns=clocks.monotonic)
