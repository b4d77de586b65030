"""The log for people: a run's records as lines, and what verification found as a sentence."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from conformed.app.answer import LogCheck, LogEntry
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed_audit import AuditLog, Trust, VerifyResult, verify
from conformed_audit.sealing import KeyHolder

__all__ = ["check_of", "entries_of"]

_NOBODY = Trust()


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


def check_of(place: Path | str, trust: Trust = _NOBODY, given: Sequence[str] = (), keys: KeyHolder | None = None) -> LogCheck:
    """Verifies the whole log: a run's records stand only if all do.

    Args:
        place: the log's file, or the URL of the shared one.
        trust: keys from outside; without them no signature is checked.
        given: checkpoints from outside; without them a cut tail may pass.
        keys: opens sealed content; without it such content is only counted.

    Raises:
        UsageError: when there is no log, or nothing was ever written to it.
    """
    if isinstance(place, Path) and not place.exists():
        raise UsageError(f"There is no log at {place}.", "Run a pack first: conformed run PACK.")
    if isinstance(place, Path) and _unmade(place):
        raise UsageError(f"The log at {place} has no record: its making was cut off.", "Run a pack: conformed run PACK.")
    found = verify(place, trust=trust, given=given, keys=keys)
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
    sentence = f"All {found.checked} records hold; each follows from the one before it. {_outside(found)}"
    return LogCheck(ok=True, records=found.checked, sentence=sentence)


def _outside(found: VerifyResult) -> str:
    """What was compared with something outside the database, and what was not."""
    said = []
    if found.given:
        kept = "the checkpoint that was" if found.given == 1 else f"{found.given} checkpoints that were"
        said.append(f"The log continues {kept} kept outside it.")
    else:
        said.append("Nothing outside the log was compared: a cut tail or a log written anew would pass.")
    if found.erased:
        said.append(f"{found.erased} contents were erased, each with a record that says why.")
    if found.unopened:
        said.append(f"{found.unopened} sealed contents were not opened: the master key is not on this machine.")
    said.append("Signatures hold." if found.signed else "No key was given: no signature was checked.")
    if found.cosigned is not None:
        said.append(f"Cosignatures cover {found.cosigned} records.")
    if found.unpublished:
        said.append(f"{found.unpublished} records are not published yet.")
    return " ".join(said)


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
