"""The commands about the log and the plugins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conformed.cli import words
from conformed.cli.log_keeping import keeper
from conformed.cli.printed import colour, out, warn, width
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

__all__ = ["plugins", "show", "verify"]

RunId = Annotated[str, typer.Argument(metavar="RUN", help="Run id, as the run printed it.")]
AnyRun = Annotated[str | None, typer.Argument(metavar="[RUN]", help="Run id; without one the whole log is checked.")]


def show(run: RunId, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Print the records of a run in order."""
    entries = words.open_service(workspace).log_show(run)
    if as_json:
        out("[\n" + ",\n".join(entry.model_dump_json() for entry in entries) + "\n]" if entries else "[]")
        return
    from conformed.app.pages.pen import Pen

    pen = Pen(width(), colour=colour())
    rows = [(str(e.number), e.at, e.kind, " ".join(p for p in (e.step, e.outcome) if p), e.note, e.digest[:12]) for e in entries]
    pen.table(("No.", "When (UTC)", "Kind", "Step", "Note", "Hash"), rows)
    out(pen.text())


def verify(
    run: AnyRun = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            "--keys", metavar="FILE", help="Public keys of the log and its witnesses. Default: those beside the signing key."
        ),
    ] = None,
    quorum: Annotated[
        int, typer.Option("--quorum", metavar="K", min=0, help="How many witnesses must have cosigned. Default: all in --keys.")
    ] = 0,
    outside: Annotated[
        list[Path] | None,
        typer.Option(
            "--checkpoint", metavar="PATH", help="A checkpoint that was kept elsewhere, or a folder of them. May be repeated."
        ),
    ] = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Check that no record was changed, removed or put in; name the first that does not hold."""
    if keys is None and not quorum and not outside:
        service = words.open_service(workspace)
        found = service.log_verify(run)
        warn(service.warning)
    elif run is not None:
        raise UsageError("A run is verified with the whole log.", "Leave the run out: conformed log verify --keys FILE")
    else:
        keeping = keeper(workspace)
        found = keeping.verify(keys=keys, quorum=quorum, outside=outside or ())
        warn(keeping.warning)
    out(found.model_dump_json(indent=2) if as_json else f"{'OK' if found.ok else 'DAMAGED'}: {found.sentence}")
    raise typer.Exit(0 if found.ok else 1)


def plugins(as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """List every plugin, where it comes from, and why one that failed cannot be used."""
    rows = words.open_service(workspace).plugins()
    if as_json:
        out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]" if rows else "[]")
        return
    from conformed.app.pages.pen import Pen

    pen = Pen(width(), colour=colour())
    shown = [(row.kind or "—", row.name, row.version, row.status, row.origin, row.reason or row.summary) for row in rows]
    pen.table(("Kind", "Name", "Version", "Status", "From", "What it does, or why it failed"), shown)
    out(pen.text())
