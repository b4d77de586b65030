"""Where a log is: a file, or a PostgreSQL database named by a URL. Only here is one told from the other."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from conformed_audit.errors import StoreError
from conformed_audit.log_store import LogStore

__all__ = ["Where", "is_url", "need_postgres", "open_store"]

Where = str | os.PathLike[str]
"""A path, or a URL that begins with ``postgresql://`` or ``postgres://``."""


def is_url(where: Where) -> bool:
    """Whether a log is named by a URL."""
    return isinstance(where, str) and where.startswith(("postgresql://", "postgres://"))


def open_store(where: Where, *, origin: str, made_at: str, wait_s: float, create: bool) -> LogStore:
    """Opens the tables of a log.

    Args:
        where: path or URL.
        origin: name of the deployment whose log it is.
        made_at: time of making, for a new log in a file.
        wait_s: how long to wait for another writer, in seconds.
        create: whether to make a file that is not there. A log on PostgreSQL is made by the administrator, always.

    Raises:
        StoreError: of the class that fits (see `conformed_audit.errors`).
    """
    if is_url(where):
        need_postgres()
        from conformed_audit.postgres.store import PostgresStore

        return PostgresStore.open(str(where), origin=origin, wait_s=wait_s)
    from conformed_audit.store import Store

    return Store.open(Path(where), origin=origin, made_at=made_at, wait_s=wait_s, create=create)


def need_postgres() -> None:
    """Checks that the packages for PostgreSQL are installed.

    Raises:
        StoreError: when they are not.
    """
    if find_spec("psycopg") is None:
        raise StoreError("A log on PostgreSQL needs the extra postgres.", "Install it: pip install 'conformed[postgres]'.")
