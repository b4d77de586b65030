"""A run of twelve durable steps with DBOS on SQLite. Use: dbos_step.py FOLDER RUNS [wal]. Prints microseconds of CPU a step."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from dbos import DBOS, SetWorkflowID
from work import STEPS, Figure, calculate, first, governed, logger, report

LOG = logger()
WORK = governed(calculate)


@DBOS.step()
def step(given: Figure) -> Figure:
    """One step, whose output DBOS keeps."""
    made: Figure = WORK(given)
    LOG.info("step.ended", number=made.number, outcome="accept")
    return made


@DBOS.workflow()
def workflow() -> Figure:
    """Twelve of them."""
    figure = first()
    for _ in range(STEPS):
        figure = step(figure)
    return figure


def run(number: int) -> None:
    """One workflow under an id of its own."""
    with SetWorkflowID(f"run-{number}"):
        assert workflow().number == STEPS


def main(folder: Path, runs: int, mode: str) -> None:
    """Measures; with ``wal`` the database has a write-ahead log, which DBOS does not give it by itself."""
    path = folder / "dbos.sqlite"
    if mode == "wal":
        with closing(sqlite3.connect(path)) as base:
            base.execute("PRAGMA journal_mode=WAL")
    DBOS(config={"name": "bench", "system_database_url": f"sqlite:///{path}", "log_level": "ERROR", "run_admin_server": False})
    DBOS.launch()
    report(run, runs)
    DBOS.destroy()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
