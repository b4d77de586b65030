"""Verification: reads a whole log once and says, as data, whether it is what was written. Never raises for content.

What a chain cannot see: a log whose newest records were cut off is a valid shorter log, and one that was wholly re-hashed
is a valid other log. Only something kept outside the database tells; give it as ``expect``. Without it the result says so
(`VerifyResult.anchored`).
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed_audit import schema
from conformed_audit.checks import Bad, Chain, Classification, check_blob, check_state, text
from conformed_audit.merkle import frontier_root

__all__ = ["Expected", "Finding", "VerifyResult", "verify"]

_QUERY = """
SELECT l.idx, l.leaf, l.case_id, l.cseq, e.case_id, e.cseq, e.kind, e.ts, e.actor_id, e.idem_key, e.body, e.leaf, e.prev
FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq ORDER BY l.idx
"""
_UNPLACED = """
SELECT e.case_id, e.cseq FROM audit_event e LEFT JOIN audit_leaf l ON l.leaf = e.leaf
WHERE l.idx IS NULL ORDER BY e.case_id, e.cseq LIMIT 1
"""
_STATES = "SELECT case_id, state, cseq, head, contract FROM case_state ORDER BY case_id"
_BLOBS = 'SELECT "commit", salt, ciphertext, bytes, erased_at FROM blob ORDER BY "commit"'


@dataclass(frozen=True, slots=True)
class Expected:
    """What somebody outside the database remembers of the log."""

    size: int
    """How many records it had."""
    root: str
    """Root of the Merkle tree over them, hex."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The first thing that is wrong."""

    idx: int | None
    """Position in the log; None where the finding is not about one record."""
    case: str | None
    """Its case."""
    cseq: int | None
    """Position inside the case."""
    check: str
    """The check that failed."""
    expected: str
    """What should have been there."""
    found: str
    """What was there."""


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What verification found."""

    ok: bool
    """Whether every check held."""
    checked: int
    """Records that verified, from the first on."""
    first_bad: Finding | None
    """The first thing that is wrong."""
    classification: Classification | None
    """What kind of trouble it points to."""
    size: int
    """Records in the log, as far as it could be read."""
    root: str | None
    """Root of the Merkle tree over all records, hex; None when not ok."""
    anchored: bool
    """Whether the log was compared with something kept outside it. If not, a cut tail or a wholly re-hashed log passes."""


class _Stop(Exception):  # noqa: N818 - a signal inside this module, never seen outside
    def __init__(self, bad: Bad, idx: int | None = None, case: str | None = None, cseq: int | None = None) -> None:
        self.bad, self.finding = bad, Finding(idx, case, cseq, bad.check, bad.expected, bad.found)


def verify(path: str | os.PathLike[str], *, expect: Expected | None = None) -> VerifyResult:
    """Verifies the log in a file, reading it only, at one moment, whatever is appended meanwhile.

    Args:
        path: the file.
        expect: a size and root that were kept elsewhere; the log must begin with that tree.

    Returns:
        The result. Damage, wrong formats and absent files are findings, never exceptions.
    """
    file = Path(path)
    before = _stamp(file)
    if before is not None and not before[-1]:
        # Everything is in the file itself: SQLite need not put its own notes beside it, which it could not do on a
        # read-only medium and would leave behind elsewhere. If somebody begins to write meanwhile, a finding proves nothing.
        result = _verify(file, "mode=ro&immutable=1", expect)
        if result.ok or _stamp(file) == before:
            return result
    return _verify(file, "mode=ro", expect)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """Time of change and size of the file, and size of the write-ahead log beside it; None where there is no file."""
    try:
        stat = file.stat()
        wal = file.with_name(file.name + "-wal")
        return stat.st_mtime_ns, stat.st_size, wal.stat().st_size if wal.exists() else 0
    except (OSError, ValueError):
        return None


def _verify(file: Path, mode: str, expect: Expected | None) -> VerifyResult:
    chain = Chain("")
    stop = None
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?{mode}", uri=True, isolation_level=None)) as connection:
            connection.text_factory = bytes
            connection.execute("BEGIN")
            _format(connection)
            _read(connection, chain, expect)
    except _Stop as found:
        stop = found
    except (sqlite3.Error, OSError, ValueError) as problem:  # ValueError: a path with a null character
        stop = _Stop(Bad("readable", "a readable log", ascii(str(problem))[1:-1], Classification.UNREADABLE), chain.size or None)
    return VerifyResult(
        ok=stop is None,
        checked=chain.size,
        first_bad=None if stop is None else stop.finding,
        classification=None if stop is None else stop.bad.classification,
        size=chain.size,
        root=frontier_root(chain.frontier).hex() if stop is None else None,
        anchored=expect is not None,
    )


def _format(connection: sqlite3.Connection) -> None:
    marks, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if marks != schema.APPLICATION_ID:
        raise _Stop(Bad("format", "a log", "a file of another kind", Classification.UNREADABLE))
    if version != schema.SCHEMA_VERSION:
        raise _Stop(Bad("format", f"version {schema.SCHEMA_VERSION}", f"version {version}", Classification.UNREADABLE))


def _read(connection: sqlite3.Connection, chain: Chain, expect: Expected | None) -> None:
    """All checks in the order in which they tell most: records, then what is outside, then the rest of the database."""
    digest = schema.schema_digest(connection)
    altered = (
        Bad("schema", schema.expected_digest(), digest, Classification.TAMPERED) if digest != schema.expected_digest() else None
    )
    try:
        origin = connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
        chain.origin = text(origin[0]) if origin else ""
        _records(connection, chain, expect)
        for row in connection.execute(_UNPLACED):
            raise _Stop(Bad("index", "a place in the log", "none", Classification.TAMPERED), None, text(row[0]), row[1])
        if (state := check_state(chain, connection.execute(_STATES))) is not None:
            raise _Stop(state[2], None, state[0] or None, state[1] if state[0] else None)
        for row in connection.execute(_BLOBS):
            if (bad := check_blob(chain, row)) is not None:
                raise _Stop(bad)
    except sqlite3.Error:
        if altered is not None:
            raise _Stop(altered) from None
        raise
    if altered is not None:
        raise _Stop(altered)


def _records(connection: sqlite3.Connection, chain: Chain, expect: Expected | None) -> None:
    anchor = expect.size if expect is not None else -1
    _anchor(chain, expect)
    for row in connection.execute(_QUERY):
        if (bad := chain.check(row)) is not None:
            raise _Stop(bad, row[0], text(row[2]), row[3])
        if chain.size == anchor:
            _anchor(chain, expect)
    if chain.size < anchor:
        raise _Stop(Bad("size", f"at least {anchor} records", str(chain.size), Classification.TRUNCATED), chain.size)


def _anchor(chain: Chain, expect: Expected | None) -> None:
    if expect is not None and chain.size == expect.size:
        root: Any = frontier_root(chain.frontier).hex()
        if root != expect.root:
            raise _Stop(Bad("root", expect.root, root, Classification.TAMPERED))
