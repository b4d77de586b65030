"""The log for people: a run's records as lines, and what verification found as a sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from conformed.app.answer import LogCheck, LogEntry
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed_audit import AuditLog, verify

__all__ = ["check_of", "entries_of"]


def entries_of(log: AuditLog, run: str) -> tuple[LogEntry, ...]:
    """The records of one run, in order. Only structured fields are shown, never a document's words."""
    with ours("read"):
        records = list(log.records(run=run))
    return tuple(
        LogEntry(
            number=number,
            at=r.ts,
            kind=str(r.kind),
            step=r.step or "",
            outcome=r.error.code if r.error else "",
            note=r.note or "",
            digest=r.leaf,
        )
        for number, r in enumerate(records, 1)
    )


def check_of(path: Path) -> LogCheck:
    """Verifies the whole log: a run's records stand only if all do.

    Raises:
        UsageError: when there is no log, or nothing was ever written to it.
    """
    if not path.exists():
        raise UsageError(f"There is no log at {path}.", "Run a pack first: conformed run PACK.")
    if _unmade(path):
        raise UsageError(f"The log at {path} has no record: its making was cut off.", "Run a pack: conformed run PACK.")
    found = verify(path)
    if not found.ok:
        bad = found.first_bad
        where = "the file"
        if bad is not None and bad.case:
            where = f"record {bad.cseq} of case {bad.case}"
        elif bad is not None and bad.idx is not None:
            where = f"place {bad.idx}"
        said = f"{bad.check}: expected {_short(bad.expected)}, found {_short(bad.found)}." if bad else ""
        sentence = f"The log does not hold ({found.classification}): {where}. {said}".strip()
        return LogCheck(ok=False, records=found.checked, sentence=sentence, first_bad=where)
    return LogCheck(
        ok=True, records=found.checked, sentence=f"All {found.checked} records hold; each follows from the one before it."
    )


def _unmade(path: Path) -> bool:
    """Whether a file is a database without a single table, as a full disk leaves it that cut off the making of a log."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            return not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.Error:
        return False  # verification says what it is


def _short(value: object) -> str:
    """A hash by its beginning, everything else as it is."""
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text
