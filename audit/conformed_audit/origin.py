"""Whose log a file or a database says it is, before it is opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from conformed_audit.where import Where, is_url, need_postgres

__all__ = ["origin_of"]


def origin_of(where: Where) -> str | None:
    """The origin in a log; None where there is no log yet. What else is wrong, opening it says.

    Args:
        where: the file, or the URL of a PostgreSQL database.

    Raises:
        StoreError: when a database cannot be reached.
    """
    if is_url(where):
        need_postgres()
        from conformed_audit.postgres.connect import origin_in

        return origin_in(str(where))
    path = Path(where)
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
    except sqlite3.Error:
        return None
    return str(row[0]) if row else None
