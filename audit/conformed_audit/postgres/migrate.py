"""Making a log on PostgreSQL, and raising its format: what the administrator does, once for each version of the product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

import psycopg
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, pool
from sqlalchemy.exc import DBAPIError

from conformed_audit.encode import encode, time_text
from conformed_audit.errors import NewerSchemaError, OriginError, StoreError
from conformed_audit.postgres.connect import translate

__all__ = ["LOCK", "Administering", "administering", "migrate"]

_SCHEMA = """
CREATE SCHEMA IF NOT EXISTS conformed_admin;
REVOKE ALL ON SCHEMA conformed_admin FROM PUBLIC;
"""
_META = "INSERT INTO conformed_log.audit_meta VALUES('origin', %s), ('made_at', %s)"
LOCK = "SELECT pg_advisory_xact_lock(hashtext('conformed_log migration'))"
"""Taken first by everything that the administrator does, so that one at a time does it."""


@dataclass(frozen=True, slots=True)
class Administering:
    """A transaction of the administrator."""

    connection: Any
    """SQLAlchemy's connection."""
    config: Config
    """Of alembic."""
    script: ScriptDirectory
    """The revisions."""
    now: str
    """The time, as records carry it."""

    def bring(self, origin: str) -> tuple[str | None, str]:
        """Brings the log to the present format, or makes it; the format before, and now."""
        return _bring(self.connection, self.config, self.script, origin, self.now)


def migrate(url: str, *, origin: str, clock: Callable[[], datetime], versions: tuple[str, ...] = ()) -> tuple[str | None, str]:
    """Brings the log in a database to the present format, in one transaction; makes it where there is none.

    The user needs the right to make roles, schemas and event triggers: in most places a superuser. One database holds one
    log and nothing else.

    Args:
        url: the database, with the administrator's user.
        origin: name of the deployment; for a log that is there it must be the same.
        clock: gives the time now, aware.
        versions: further folders with revisions.

    Returns:
        The format before, None for a new log, and the format now.

    Raises:
        NewerSchemaError: when the log has a format that this version does not know.
        OriginError: when it belongs to another deployment.
        StoreError: when the database refuses.
    """
    encode(origin)
    with administering(url, clock=clock, versions=versions) as within:
        return within.bring(origin)


@contextmanager
def administering(url: str, *, clock: Callable[[], datetime], versions: tuple[str, ...] = ()) -> Iterator[Administering]:
    """One transaction of the administrator.

    Args:
        url: the database, with the administrator's user.
        clock: gives the time now, aware.
        versions: further folders with revisions.

    Raises:
        StoreError: when the database refuses.
    """
    now = time_text(clock())
    folder = str(files("conformed_audit") / "migrations")
    config = Config(attributes={"now": now})
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join((f"{folder}/versions", *versions)))
    script = ScriptDirectory.from_config(config)
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=pool.NullPool)
    try:
        with engine.begin() as connection:
            yield Administering(connection, config, script, now)
    except DBAPIError as problem:
        if isinstance(problem.orig, psycopg.Error):
            raise translate(problem.orig, "of this URL") from problem
        raise StoreError(f"The log could not be brought to the present format: {type(problem).__name__}.") from problem
    except psycopg.Error as problem:
        raise translate(problem, "of this URL") from problem
    finally:
        engine.dispose()


def _bring(connection: Any, config: Config, script: ScriptDirectory, origin: str, now: str) -> tuple[str | None, str]:
    run = connection.exec_driver_sql
    run(LOCK)
    before = _version(run)
    known = {revision.revision for revision in script.walk_revisions()}
    if before is not None and before not in known:
        raise NewerSchemaError(f"The log has format {before!a}, which this version does not know.", "Use a later version.")
    head = script.get_current_head()
    assert head is not None
    if before is None:
        run(_SCHEMA)
    else:
        owner = run("SELECT value FROM conformed_log.audit_meta WHERE name = 'origin'").scalar()
        if owner != origin:
            raise OriginError(f"The log belongs to {owner!a}, not to {origin!a}.", "Use the deployment's own name.")
    if before != head:
        _upgrade(connection, config, script, head)
    if before is None:
        run(_META, (origin, now))
    return before, head


def _version(run: Callable[..., Any]) -> str | None:
    """The format of the log, from its schema; None where there is none."""
    if run("SELECT to_regclass('conformed_admin.alembic_version')").scalar() is None:
        return None
    found = run("SELECT version_num FROM conformed_admin.alembic_version").scalar()
    return None if found is None else str(found)


def _upgrade(connection: Any, config: Config, script: ScriptDirectory, head: str) -> None:
    def steps(revision: Any, _context: Any) -> Any:
        return script._upgrade_revs(head, revision)  # noqa: SLF001 - what alembic's own command does

    with EnvironmentContext(config, script, fn=steps, destination_rev=head) as environment:
        environment.configure(connection=connection, version_table_schema="conformed_admin", transactional_ddl=True)
        environment.run_migrations()
