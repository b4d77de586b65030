"""Connecting to the log's database: the session's rules, whose log it is, and what the database's errors mean."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Any

import psycopg
from psycopg import errors

from conformed_audit.errors import (
    BusyError,
    ConflictError,
    DiskFullError,
    NewerSchemaError,
    NotALogError,
    OriginError,
    RefusedError,
    StoreError,
)
from conformed_audit.postgres import schema

__all__ = ["GUARD", "connect", "origin_in", "prepare", "shown", "translate"]

logging.getLogger("psycopg").addHandler(logging.NullHandler())  # what it would print of a lost connection, our errors say
GUARD = "CL001"
"""State of the error that a guard raises."""
_CONFLICT = "CL002"
_RULES = {
    "search_path": "conformed_log, pg_temp",
    "synchronous_commit": "on",
    "default_transaction_isolation": "read committed",
    "client_min_messages": "error",
    "row_security": "off",
    "jit": "off",  # compiling takes longer than any statement of ours; before version 18 the rules below invite it each time
}
# Statements are planned once, perhaps while a table is still empty, when any plan is as good as another. These leave only the
# plans that stay good: by the index that fits, in its order.
_WRITER = dict.fromkeys(("enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_incremental_sort"), "off")
_RACES = (errors.SerializationFailure, errors.DeadlockDetected, errors.UniqueViolation)


def connect(url: str, *, wait_s: float, readonly: bool = False) -> psycopg.Connection[Any]:
    """A connection with the session's rules.

    Args:
        url: the database.
        wait_s: how long to wait for a lock, and for the connection, in seconds.
        readonly: for reading a whole log.

    Raises:
        StoreError: when there is no connection.
    """
    try:
        connection = psycopg.connect(url, autocommit=True, connect_timeout=max(2, round(wait_s)))
        rules = {**_RULES, **({} if readonly else _WRITER), "lock_timeout": f"{max(1, round(wait_s * 1000))}ms"}
        with connection.pipeline():
            for name, value in rules.items():
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    except psycopg.Error as problem:
        raise translate(problem, "of this URL") from problem
    return connection


def shown(connection: psycopg.Connection[Any]) -> str:
    """The database as messages name it, without user and password."""
    return f"{connection.info.dbname!a}"


def origin_in(url: str) -> str | None:
    """Whose log a database says it holds; None where it holds none.

    Raises:
        StoreError: when it cannot be reached or read.
    """
    with closing(connect(url, wait_s=30.0)) as connection:
        try:
            if schema.version(connection) is None:
                return None
            row = connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
        except psycopg.Error as problem:
            raise translate(problem, shown(connection)) from problem
    return None if row is None else str(row[0])


def prepare(connection: psycopg.Connection[Any], origin: str) -> None:
    """Checks whose log it is, and that tables, guards and rights are those of its format.

    Raises:
        NotALogError, NewerSchemaError, OriginError: it is not to be used.
        psycopg.Error: as it comes; see `translate`.
    """
    name = shown(connection)
    version = schema.version(connection)
    if version is None:
        raise NotALogError(
            f"There is no log in the database {name}.", "The administrator makes it: conformed log migrate --url URL."
        )
    if version not in schema.DIGESTS:
        raise NewerSchemaError(
            f"The log in {name} has format {version!a}; this version knows {max(schema.DIGESTS)}.",
            "Use the version that wrote it, or a later one.",
        )
    if version != max(schema.DIGESTS):
        raise NotALogError(
            f"The log in {name} has the older format {version}.", "The administrator raises it: conformed log migrate --url URL."
        )
    if schema.digest(connection) not in schema.DIGESTS[version]:
        raise NotALogError(
            f"The tables, guards or rights of the log in {name} were changed.", "Verify it, and restore it from a backup."
        )
    owner = connection.execute("SELECT value FROM audit_meta WHERE name = 'origin'").fetchone()
    if owner is None or owner[0] != origin:
        raise OriginError(
            f"The log in {name} belongs to {ascii(owner[0]) if owner else 'nobody'}, not to {origin!a}.",
            "Open it under its own origin.",
        )


def translate(problem: psycopg.Error, name: str) -> StoreError:
    """The error of this package for one of psycopg; never with the URL, which may hold a password.

    Args:
        problem: psycopg's.
        name: the database, as messages name it.
    """
    state, said = problem.sqlstate or "", _said(problem)
    if isinstance(problem, psycopg.ProgrammingError) and not state:  # of the library, which repeats the URL
        return StoreError("The log's URL cannot be read as one.", "Write it postgresql://USER@HOST/DATABASE.")
    if isinstance(problem, errors.DiskFull):
        return DiskFullError(
            f"There is no room left for the log {name}; nothing of this append was kept.", "Free space, then resume."
        )
    if isinstance(problem, errors.LockNotAvailable | errors.TooManyConnections):
        return BusyError(f"Another writer holds the log {name}.", "Nothing was written; try again.")
    if isinstance(problem, _RACES) or state == _CONFLICT:
        return ConflictError(f"Another writer was quicker in the log {name}: {said}.", "Nothing was written; try again.")
    if state == GUARD or isinstance(
        problem, errors.IntegrityError | errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction
    ):
        return RefusedError(f"The log {name} refused a statement: {said}.", "Records are only ever added.")
    if isinstance(problem, psycopg.OperationalError) and (not state or state.startswith(("08", "57", "28", "3D"))):
        return StoreError(f"The log {name} cannot be reached: {said}.", "Nothing is known to have been kept; open it again.")
    return StoreError(f"The log {name} could not be used: {said}.")


def _said(problem: psycopg.Error) -> str:
    """The first sentence of a message. Details are left out: they quote values."""
    text = problem.diag.message_primary or str(problem).strip() or type(problem).__name__
    return text.splitlines()[0]
