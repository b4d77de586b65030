"""The commands of whoever keeps the log, and of whoever witnesses it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import out, warn
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.keeping.log_keeper import LogKeeper

__all__ = ["keeper", "keys", "publish", "rotate_key", "witness"]

_LOOPBACK = "127.0.0.1:8101"


def keeper(workspace: Path | None) -> LogKeeper:
    """The keeper of the log of the workspace that is named, or found from the present folder."""
    from conformed.app.keeping.log_keeper import LogKeeper
    from conformed.app.workspace import find_workspace

    return LogKeeper(find_workspace(workspace, os.environ, Path.cwd()))


def publish(as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Give the log's checkpoint to every sink that has not got it; exit code 1 while nobody outside has it."""
    from conformed.app.keeping.published import sentence_of

    note = keeper(workspace).publish()
    out(note.model_dump_json(indent=2) if as_json else sentence_of(note))
    raise typer.Exit(0 if note.state == "published" else 1)


def keys(as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Print the public keys of the log and of its witnesses: give them to whoever verifies, outside the database."""
    keeping = keeper(workspace)
    rows = keeping.public_keys()
    warn(keeping.warning)
    if as_json:
        out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]")
    else:
        out("\n".join(f"# {row.use}\n{row.key}" for row in rows))


def rotate_key(
    finish: Annotated[
        bool, typer.Option("--finish", help="Retire the older key; from then on the newer one signs alone.")
    ] = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Change the signing key: the new one is recorded under the old one, then both sign until --finish."""
    row = keeper(workspace).change_key(finish=finish)
    if as_json:
        out(row.model_dump_json(indent=2))
    elif finish:
        out(f"Retired: {row.key}")
    else:
        out(f"Added: {row.key}\nBoth keys sign. Give the new one to whoever verifies, then: conformed log rotate-key --finish")


def witness(
    folder: Annotated[Path, typer.Option("--dir", metavar="FOLDER", help="Where the witness keeps its key and what it saw.")],
    log_key: Annotated[
        list[str], typer.Option("--log-key", metavar="VKEY", help="Public key of a log to watch. May be repeated.")
    ],
    listen: Annotated[str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen.")] = _LOOPBACK,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Name of a new witness's key.")] = "witness.local",
) -> None:
    """Run a witness: remembers one checkpoint a log, checks that each new one continues it, and cosigns."""
    from conformed.app.keeping.witness_service import witness_server

    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--listen {listen!r} is not HOST:PORT.", f"Type it such as --listen {_LOOPBACK}")
    server, key = witness_server(folder, (host.strip("[]"), int(port)), log_key, name)
    with server:
        out(f"Witness key: {key}\nListening on http://{host}:{server.server_port}")
        import sys

        sys.stdout.flush()
        server.serve_forever()
