"""From an older format of a log on SQLite to the present one. Records and their hashes are never touched.

Format 1 kept no tiles: they are made from the leaves, inside the transaction that raises the format.
"""

from __future__ import annotations

import sqlite3

from conformed_audit import schema
from conformed_audit.tile_table import TileTable
from conformed_audit.tiles import HASHES

__all__ = ["migrate"]


def migrate(connection: sqlite3.Connection) -> None:
    """Raises a log of format 1, whose tables were found whole, to the present format; inside the caller's transaction."""
    schema.replace_tiles(connection)
    tiles = TileTable(connection)
    count = connection.execute("SELECT count(*) FROM audit_leaf").fetchone()[0]
    for size in range(HASHES, count + 1, HASHES):
        tiles.complete(size)
    connection.execute(f"PRAGMA user_version={schema.SCHEMA_VERSION}")
