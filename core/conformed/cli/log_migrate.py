"""The command of a database's administrator: make the shared log, or raise its format."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import out, plain
from conformed.cli.words import AsJson, WorkspaceFolder

if TYPE_CHECKING:
    from conformed.app.workspace import Workspace

__all__ = ["migrate"]


def migrate(
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="The database, with its administrator. Default: $CONFORMED_LOG_ADMIN_URL.")
    ] = "",
    origin: Annotated[
        str, typer.Option("--origin", metavar="NAME", help="Name of the deployment, for ever. Default: publication.yaml's.")
    ] = "",
    next_epoch: Annotated[
        bool, typer.Option("--next-epoch", help="Put a closed log aside, and make the one that follows and names it.")
    ] = False,
    archive_digest: Annotated[
        str,
        typer.Option(
            "--archive-digest", metavar="HEX", help="With --next-epoch: what closing said. Default: of the archive here."
        ),
    ] = "",
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Make the shared log in an empty PostgreSQL database, bring it to the format of this version, or begin its next epoch."""
    from conformed.app.keeping.log_migration import ADMIN_VARIABLE, migrate_log
    from conformed.app.workspace import find_workspace

    place, named = find_workspace(workspace, os.environ, Path.cwd()), url or os.environ.get(ADMIN_VARIABLE, "")
    if next_epoch:
        _begin(named, archive_digest, place, as_json)
        return
    done = migrate_log(named, origin, place.root, lambda: dt.datetime.now(dt.UTC))
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


def _begin(url: str, digest: str, workspace: Workspace, as_json: bool) -> None:
    from conformed.app.retention.shared_epoch import begin_epoch

    begun = begin_epoch(url, digest, workspace, lambda: dt.datetime.now(dt.UTC))
    if as_json:
        out(begun.model_dump_json(indent=2))
        return
    out(
        f"The log goes on as {plain(begun.origin)}, format {begun.now}; its first record names {plain(begun.before)}.\n"
        f"Records of that one are in the schema {begun.aside}, which nobody writes; its content is in the archive: back that up."
    )
