"""Making the shared log of a deployment, and raising its format: what the database's administrator does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from conformed.app.keeping.publication import load_plan
from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed.model.base import Frozen
from conformed_audit.origin import origin_of
from conformed_audit.where import is_url, need_postgres

__all__ = ["ADMIN_VARIABLE", "Migrated", "migrate_log"]

ADMIN_VARIABLE = "CONFORMED_LOG_ADMIN_URL"
"""Environment variable with the administrator's URL, so that no password stands on a command line."""


class Migrated(Frozen):
    """What was done."""

    before: str | None
    """The format before; None where there was no log."""
    now: str
    """The format now."""
    origin: str
    """Whose log it is."""


def migrate_log(url: str, origin: str, root: Path, clock: Callable[[], dt.datetime]) -> Migrated:
    """Makes the log in a database, or brings it to the present format.

    Args:
        url: the database, with the administrator's user.
        origin: name of the deployment; empty takes the one in publication.yaml of the workspace.
        root: folder of the workspace.
        clock: the time, UTC.

    Raises:
        UsageError: when no database, or no name, is given.
        JournalError: when the database refuses.
    """
    if not is_url(url):
        raise UsageError("No PostgreSQL database is named.", f"Give --url postgresql://ADMIN@HOST/DATABASE, or {ADMIN_VARIABLE}.")
    named = origin or _in_epoch(url, load_plan(root).origin)
    if not named:
        raise UsageError(
            "The deployment has no name yet, and a log keeps its name for ever.", "Give --origin bank.example/covenants/prod."
        )
    with ours("migrated"):
        need_postgres()
        from conformed_audit.postgres.migrate import migrate

        before, now = migrate(url, origin=named, clock=clock)
    return Migrated(before=before, now=now, origin=named)


def _in_epoch(url: str, planned: str | None) -> str:
    """The name that a log of the planned name has by now: that of its present epoch, where it had several."""
    if not planned:
        return ""
    with ours("read"):
        need_postgres()
        found = origin_of(url) or ""
    return found if found.startswith(f"{planned}/epoch-") else planned
