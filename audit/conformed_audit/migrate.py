"""From an older format of a log on SQLite to the present one. Records and their hashes are never touched.

Everything happens inside the transaction that raises the format. Format 1 kept no tiles: they are made from the leaves. Formats 1
and 2 had more indexes (`conformed_audit.schema`): the table of records is made anew without them, and the room that they took is
free for later records.
"""

from __future__ import annotations

import sqlite3

from conformed_audit import schema
from conformed_audit.tile_table import TileTable
from conformed_audit.tiles import HASHES

__all__ = ["migrate"]


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Raises a log of an older format, whose tables were found whole, to the present one; inside the caller's transaction.

    Args:
        connection: set as `conformed_audit.schema.replace` needs it.
        version: the older format.
    """
    schema.replace(connection, version)
    if version == 1:
        tiles = TileTable(lambda query, values: connection.execute(query, values).fetchall())
        count = connection.execute("SELECT count(*) FROM audit_leaf").fetchone()[0]
        for size in range(HASHES, count + 1, HASHES):
            tiles.complete(size)
    connection.execute(f"PRAGMA user_version={schema.SCHEMA_VERSION}")
