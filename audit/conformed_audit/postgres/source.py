"""A log on PostgreSQL, for verification: read only, in one snapshot, by cursors on the server, text as bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any

import psycopg
from psycopg import IsolationLevel, pq
from psycopg.adapt import Loader

from conformed_audit.checkpoint_check import Stored
from conformed_audit.checks import text
from conformed_audit.finding import Bad, Classification, Stop
from conformed_audit.postgres import schema
from conformed_audit.postgres.connect import connect, shown, translate

__all__ = ["PostgresSource", "read_source"]

_EVENT = "e.case_id, e.cseq, e.kind, e.ts, e.actor_id, e.idem_key, e.body, e.leaf, e.prev"
_RECORDS = f"""
SELECT l.idx, l.leaf, l.case_id, l.cseq, {_EVENT}
FROM audit_leaf l LEFT JOIN audit_event e ON e.case_id = l.case_id AND e.cseq = l.cseq ORDER BY l.idx
"""  # noqa: S608 - constants only
_LATE = f"""
SELECT NULL::bigint, e.leaf, e.case_id, e.cseq, {_EVENT} FROM audit_event e LEFT JOIN audit_leaf l ON l.leaf = e.leaf
WHERE l.idx IS NULL ORDER BY e.case_id, e.cseq
"""  # noqa: S608 - constants only
_STATES = "SELECT case_id, state, cseq, head, contract FROM case_state ORDER BY case_id"
_BLOBS = """
SELECT b."commit", b.salt, b.ciphertext, b.bytes, b.erased_at, b.key_ref, b.nonce, k.wrapped_key
FROM blob b LEFT JOIN data_key k ON k.key_ref = b.key_ref ORDER BY b."commit"
"""
_CHECKPOINTS = "SELECT size, root, heads_root, note FROM audit_checkpoint ORDER BY size"
_SAID = "SELECT line FROM audit_cosig WHERE size = %s ORDER BY witness"
_PAGE = 256
_FEW = 8


class _Raw(Loader):
    """Text as bytes."""

    format = pq.Format.TEXT

    def load(self, data: Any) -> bytes:
        return bytes(data)


class PostgresSource:
    """Reads a connection in one snapshot (`conformed_audit.source.Source`).

    Args:
        connection: of the log, in a transaction that is repeatable and reads only.

    Raises:
        Stop: when there is no log of a format that is known.
        psycopg.Error: as it comes.
    """

    has_tiles = True

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        for name in ("text", "varchar"):
            connection.adapters.register_loader(name, _Raw)
        version = schema.version(connection)
        if version is None:
            raise Stop(Bad("format", "a log", "a database of another kind", Classification.UNREADABLE))
        if version not in schema.DIGESTS:
            known = ", ".join(sorted(schema.DIGESTS))
            raise Stop(Bad("format", f"format {known}", f"format {ascii(version)[1:-1]}", Classification.UNREADABLE))
        self._version = version
        self._cursors = 0

    def altered(self) -> Bad | None:
        """Whether tables, guards, rights and owners are not those that were made."""
        found, known = schema.digest(self._connection), schema.DIGESTS[self._version]
        return None if found in known else Bad("schema", sorted(known)[0], found, Classification.TAMPERED)

    def origin(self) -> str:
        """The deployment whose log it says it is."""
        row = self._connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
        return text(row[0]) if row else ""

    def records(self) -> Iterable[tuple[Any, ...]]:
        """Records by place."""
        return self._rows(_RECORDS)

    def unplaced(self) -> Iterable[tuple[Any, Any]]:
        """None: a record may be without a place, and `late` gives them."""
        return ()

    def late(self) -> Iterable[tuple[Any, ...]]:
        """Records that have no place yet."""
        return self._rows(_LATE)

    def states(self) -> Iterable[tuple[Any, ...]]:
        """The projection."""
        return self._rows(_STATES)

    def blobs(self) -> Iterable[tuple[Any, ...]]:
        """Blobs, few at a time: each may be large."""
        return self._rows(_BLOBS, page=_FEW)

    def tile(self, level: int, n: int) -> tuple[Any, Any] | None:
        """A kept tile."""
        query = "SELECT hashes, root FROM audit_tile WHERE level = %s AND n = %s"
        row: tuple[Any, Any] | None = self._connection.execute(query, (level, n)).fetchone()
        return row

    def tiles(self) -> int:
        """How many tiles are kept."""
        row = self._connection.execute("SELECT count(*) FROM audit_tile").fetchone()
        return 0 if row is None else int(row[0])

    def checkpoints(self) -> Iterator[Stored]:
        """Its own checkpoints, smallest first."""
        for size, root, heads_root, note in self._rows(_CHECKPOINTS, page=_FEW):
            said = tuple(text(line) for (line,) in self._connection.execute(_SAID, (size,)))
            yield Stored(size, root, heads_root, text(note), said)

    def key_rows(self) -> Iterable[tuple[Any, Any]]:
        """Its table of keys."""
        return self._rows("SELECT vkey, from_size FROM audit_key ORDER BY from_size, vkey")

    def _rows(self, query: str, *, page: int = _PAGE) -> Iterator[tuple[Any, ...]]:
        """Rows, a page of them in memory."""
        self._cursors += 1
        with self._connection.cursor(name=f"rows_{self._cursors}") as cursor:
            cursor.itersize = page
            cursor.execute(query.encode())
            yield from cursor


def read_source(url: str, use: Callable[[PostgresSource], None]) -> None:
    """Opens a log for reading in one snapshot, and closes it.

    Args:
        url: the database.
        use: given the log.

    Raises:
        StoreError: when it cannot be read.
        Stop: as `use` raises it.
    """
    with closing(connect(url, wait_s=30.0, readonly=True)) as connection:
        name = shown(connection)
        try:
            connection.autocommit = False
            connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
            use(PostgresSource(connection))
        except psycopg.Error as problem:
            raise translate(problem, name) from problem
