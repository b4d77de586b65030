"""The index of runs: a small database made from the log, that may be deleted at any time.

It holds names and results in plain text, so it lies outside the workspace, where the key is that opens the log's content.

It is never believed. It only says where to look: every run that is found is read from the log again and compared, and where an
index and the log differ the index is made anew.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from conformed.app.keeping.run_row import RunRow, folded, key_of, take
from conformed.app.keeping.state import find_state
from conformed.engine.log import ours
from conformed.errors import JournalError
from conformed_audit import AuditLog, Kind
from conformed_audit.durable import make_private, private_mode

__all__ = ["FILTERS", "Index", "index_of"]

_VERSION = "1"
_MOST_ROWS = 1000
_COLUMNS = (
    "run", "case_id", "first_idx", "last_idx", "began", "ended", "state", "record", "leaf", "pack", "borrower", "test_date",
    "known_at", "contract", "policy", "result", "earlier", "codes", "actors", "models",
)  # fmt: skip
_MAKE = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE run(
  run TEXT PRIMARY KEY, case_id TEXT NOT NULL, first_idx INTEGER NOT NULL, last_idx INTEGER NOT NULL, began TEXT NOT NULL,
  ended TEXT NOT NULL, state TEXT NOT NULL, record TEXT NOT NULL, leaf TEXT NOT NULL, pack TEXT NOT NULL, borrower TEXT NOT NULL,
  test_date TEXT NOT NULL, known_at TEXT NOT NULL, contract TEXT NOT NULL, policy TEXT NOT NULL, result TEXT NOT NULL,
  earlier TEXT NOT NULL, codes TEXT NOT NULL, actors TEXT NOT NULL, models TEXT NOT NULL, borrower_key TEXT NOT NULL,
  pack_key TEXT NOT NULL) STRICT;
CREATE INDEX run_began ON run(began);
"""
_READ = "SELECT run, case_id, first_idx, last_idx, began, ended, state, record, leaf, pack, borrower, test_date, known_at, contract, policy, result, earlier, codes, actors, models FROM run"
_PUT = f"INSERT OR REPLACE INTO run VALUES({','.join('?' * (len(_COLUMNS) + 2))})"

FILTERS: Mapping[str, str] = {
    "run": "run = ?",
    "borrower": "instr(borrower_key, ?) > 0",
    "pack": "instr(pack_key, ?) > 0",
    "test_date": "test_date = ?",
    "known_at": "known_at = ?",
    "since": "began >= ?",
    "until": "substr(began, 1, 10) <= ?",
    "code": "instr(' ' || codes || ' ', ' ' || ? || ' ') > 0",
    "actor": "instr(' ' || actors || ' ', ' ' || ? || ' ') > 0",
    "model": "instr(' ' || models, ' ' || ?) > 0",
    "policy": "instr(policy, ?) = 1",
    "result": "result = ?",
    "state": "state = ?",
}
"""What can be asked for, and the one condition behind each. Nothing else of a question reaches the database but as a bound value."""


def index_of(log: AuditLog) -> Index:
    """The index of a log, in the folder of its state."""
    return Index(find_state(os.environ, log.origin).folder / "runs.sqlite", log)


class Index:
    """The index of one log.

    Args:
        path: its file; its folder is made where it is not there.
        log: the log.
    """

    def __init__(self, path: Path, log: AuditLog) -> None:
        self._path, self._log = path, log

    def find(self, wanted: Mapping[str, str], most: int) -> tuple[list[RunRow], int]:
        """Runs that fit, the newest first, each as the log itself says.

        Args:
            wanted: filter to value; keys of `FILTERS` only.
            most: how many at the most.

        Returns:
            The runs, and how many fit in all.

        Raises:
            KeyError: for another filter.
            JournalError: when the log cannot be read, or an index made anew does not agree with it.
        """
        for anew in (False, True):
            try:
                with closing(self._open(anew=anew)) as base:
                    self._follow(base)
                    found, count = self._ask(base, wanted, most)
            except sqlite3.Error as problem:
                if anew:
                    raise JournalError(f"The index of runs cannot be used: {problem}.", f"Delete {self._path}.") from problem
                continue
            checked = [self.row(row["run"], row["case_id"]) for row in found]
            if [tuple(row)[: len(_COLUMNS)] for row in found] == [one.plain if one else None for one in checked]:
                return [one for one in checked if one is not None], count
        raise JournalError("The index of runs does not agree with the log.", "Verify the log: conformed log verify.")

    def forget(self) -> tuple[str, ...]:
        """Takes the index away, with whatever the database left beside it; gives the names of the files that went."""
        gone = []
        for path in sorted(self._path.parent.glob(f"{self._path.name}*")):
            path.unlink(missing_ok=True)
            gone.append(path.name)
        return tuple(gone)

    def row(self, run: str, case: str) -> RunRow | None:
        """A run as its records say."""
        with ours("read"):
            return folded(self._log.records(case, run), self._log.get_blob)

    def _ask(self, base: sqlite3.Connection, wanted: Mapping[str, str], most: int) -> tuple[list[sqlite3.Row], int]:
        where = " AND ".join(FILTERS[name] for name in sorted(wanted)) or "1"
        values = [key_of(wanted[name]) if name in {"borrower", "pack"} else wanted[name] for name in sorted(wanted)]
        count = base.execute(f"SELECT count(*) FROM run WHERE {where}", values).fetchone()[0]  # noqa: S608 - fixed conditions
        query = f"{_READ} WHERE {where} ORDER BY first_idx DESC LIMIT ?"
        return base.execute(query, [*values, most]).fetchall(), int(count)

    def _open(self, *, anew: bool) -> sqlite3.Connection:
        try:
            make_private(self._path.parent)
            if anew:
                self._path.unlink(missing_ok=True)
            file = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)  # nobody else's to read, from the first byte on
            with suppress(OSError):  # another user's already
                os.fchmod(file, private_mode(self._path.parent))
            os.close(file)
        except OSError as problem:
            mend = f"Free the folder {self._path.parent}, or share it: docs/people.md."
            raise JournalError(f"The index of runs cannot be made: {problem.strerror}.", mend) from problem
        base = sqlite3.connect(self._path, timeout=30, isolation_level=None)
        base.row_factory = sqlite3.Row
        try:
            base.execute("PRAGMA synchronous=OFF")  # whatever is lost is made again
            base.execute("PRAGMA secure_delete=ON")  # what was erased is not left in a free page
            base.execute("BEGIN IMMEDIATE")
            if not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
                for statement in _MAKE.split(";"):
                    base.execute(statement)
                base.executemany("INSERT INTO meta VALUES(?,?)", [("version", _VERSION), ("size", "0"), ("leaf", "")])
        except BaseException:
            base.close()
            raise
        return base

    def _follow(self, base: sqlite3.Connection) -> None:
        """Takes in what the log has more than the index; all of it where the index is of another log, or something was erased."""
        meta = dict(base.execute("SELECT name, value FROM meta").fetchall())
        size = int(meta["size"]) if meta.get("size", "").isdigit() and meta.get("version") == _VERSION else 0
        if not (size and self._take_in(base, size, meta.get("leaf", ""))):
            base.execute("DELETE FROM run")
            self._take_in(base, 0, "")
        base.execute("COMMIT")

    def _take_in(self, base: sqlite3.Connection, size: int, leaf: str) -> bool:
        """Takes in the records from a place on; False where it must be done from the first one."""
        rows: dict[str, RunRow | None] = {}
        last: tuple[str, str] | None = None
        with ours("read"):
            records = iter(self._log.records_from(max(0, size - 1)))
            if size and getattr(next(records, None), "leaf", None) != leaf:
                return False
            for record in records:
                if size and record.kind == Kind.PAYLOAD_ERASED:
                    return False
                if record.run is not None:
                    if record.run not in rows:
                        rows[record.run] = self._row_in(base, record.run)
                    rows[record.run] = take(rows[record.run], record, self._log.get_blob)
                last = (str(record.idx + 1), record.leaf)
                if len(rows) > _MOST_ROWS:
                    self._put(base, rows, last)
        if last is not None:
            self._put(base, rows, last)
        return True

    def _put(self, base: sqlite3.Connection, rows: dict[str, RunRow | None], last: tuple[str, str]) -> None:
        for row in rows.values():
            if row is not None:
                base.execute(_PUT, (*row.plain, key_of(row.borrower), key_of(row.pack)))
        meta = (("size", last[0]), ("leaf", last[1]), ("version", _VERSION))
        base.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", meta)
        rows.clear()

    def _row_in(self, base: sqlite3.Connection, run: str) -> RunRow | None:
        found: Sequence[sqlite3.Row] = base.execute(f"{_READ} WHERE run = ?", (run,)).fetchall()
        return _row_of(found[0]) if found else None


def _row_of(row: sqlite3.Row) -> RunRow:
    plain = tuple(row)
    sets: list[set[str]] = [set(str(words).split()) for words in plain[-3:]]
    return RunRow(*plain[:-3], *sets)
