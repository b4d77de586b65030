"""Commands about how long content is kept: erase it, hold it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import out, plain
from conformed.cli.words import WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.retention.retention_desk import RetentionDesk

__all__ = ["close_epoch", "erase", "hold", "release_hold"]

_Named = Annotated[str, typer.Argument(metavar="CASE", help="The case, or a run of it.")]
_Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the record; no names of people.")]


def erase(
    case: Annotated[
        str | None, typer.Argument(metavar="CASE", help="The case, or a run of it. All runs of the case are erased.")
    ] = None,
    basis: Annotated[
        str | None, typer.Option("--basis", metavar="TEXT", help="Ask for it, under this legal basis. No names of people.")
    ] = None,
    approve: Annotated[
        bool, typer.Option("--approve", help="Carry out what another person asked for. Cannot be undone.")
    ] = False,
    finish: Annotated[bool, typer.Option("--finish", help="Write the log's file anew where an erasure could not.")] = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Erase the content of a case: one person asks, another approves. Records and proofs stay; a legal hold stops it."""
    desk = _desk(workspace)
    if [basis is not None, approve, finish].count(True) != 1 or (case is None) is not finish:
        raise UsageError(
            "It is not said what to do.", "erase CASE --basis TEXT asks, erase CASE --approve carries out, erase --finish ends."
        )
    if finish:
        desk.finish_erasure()
        out("The log's file was written anew.")
    elif basis is not None and case is not None:
        asked = desk.ask_erasure(case, basis)
        runs = ", ".join(asked.runs)
        out(f"Asked: the content of case {asked.case} with its runs {runs} is to be erased ({plain(asked.basis)}).")
        print("Another person carries it out: conformed erase CASE --approve.", file=sys.stderr)
    elif case is not None:
        done = desk.approve_erasure(case)
        out(f"Erased: {done.contents} contents of case {done.case}. Its records and their proofs stay.")
        if done.kept:
            print(f"{done.kept} public contents that other cases share stay.", file=sys.stderr)
        print("Backups of the log and copies of exported files are not reached: docs/retention.md.", file=sys.stderr)
        for name in done.left:
            print(f"Look at this by hand: {plain(name)}", file=sys.stderr)


def hold(case: _Named, reason: _Reason, workspace: WorkspaceFolder = None) -> None:
    """Set a legal hold on a case: nothing of it is erased until it is lifted."""
    set_ = _desk(workspace).hold(case, reason)
    out(f"Held: case {set_.case}, {plain(set_.reason)}")


def release_hold(case: _Named, reason: _Reason, workspace: WorkspaceFolder = None) -> None:
    """Lift the legal hold on a case."""
    lifted = _desk(workspace).release_hold(case, reason)
    out(f"Lifted: the hold on case {lifted.case} since {lifted.since[:10]}, {plain(lifted.reason)}")


def close_epoch(workspace: WorkspaceFolder = None) -> None:
    """End the log, archive it read only, and begin one that names it. Its runs are still shown and proved."""
    closed = _desk(workspace).close_epoch()
    out(f"Closed: log {plain(closed.origin)} with {closed.size} records, archived as {closed.archive}.")
    if closed.digest:
        out(f"Digest of the archive: {closed.digest}")
        print(
            "The log takes no more records. Its administrator begins the next: conformed log migrate --next-epoch.",
            file=sys.stderr,
        )
        return
    print(f"The log goes on as {plain(closed.following)}, with a key of its own: conformed log keys.", file=sys.stderr)


def _desk(workspace: Path | None) -> RetentionDesk:
    from conformed.app.retention.retention_desk import RetentionDesk
    from conformed.app.workspace import find_workspace

    return RetentionDesk(find_workspace(workspace, os.environ, Path.cwd()))
