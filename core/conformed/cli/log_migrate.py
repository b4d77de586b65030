"""The command of a database's administrator: make the shared log, or raise its format."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import out
from conformed.cli.words import AsJson, WorkspaceFolder

__all__ = ["migrate"]


def migrate(
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="The database, with its administrator. Default: $CONFORMED_LOG_ADMIN_URL.")
    ] = "",
    origin: Annotated[
        str, typer.Option("--origin", metavar="NAME", help="Name of the deployment, for ever. Default: publication.yaml's.")
    ] = "",
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Make the shared log in an empty PostgreSQL database, or bring it to the format of this version."""
    from conformed.app.keeping.log_migration import ADMIN_VARIABLE, migrate_log
    from conformed.app.workspace import find_workspace

    root = find_workspace(workspace, os.environ, Path.cwd()).root
    done = migrate_log(url or os.environ.get(ADMIN_VARIABLE, ""), origin, root, lambda: dt.datetime.now(dt.UTC))
    if as_json:
        out(done.model_dump_json(indent=2))
    elif done.before == done.now:
        out(f"The log of {done.origin} has the present format, {done.now}. Nothing was changed.")
    elif done.before is None:
        out(
            f"Made the log of {done.origin}, format {done.now}.\n"
            "Now give users their roles: GRANT conformed_app TO ..., conformed_reader, conformed_eraser."
        )
    else:
        out(f"The log of {done.origin} was brought from format {done.before} to {done.now}; the log says so.")
