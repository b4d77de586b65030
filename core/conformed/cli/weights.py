"""The commands about names for weights: use the final set once, propose, promote, list, show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import block, out, warn
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.weights.desk import WeightsDesk

__all__ = ["final", "list_", "promote", "propose", "show"]

Alias = Annotated[str, typer.Argument(metavar="ALIAS", help="The name that stands for weights, such as extractor-small.")]
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The weights: a folder with its manifest.")]


def final(
    folder: Folder,
    report: Annotated[Path, typer.Option("--report", metavar="FILE", help="Their evaluation on every other split.")],
    gates: Annotated[str, typer.Option("--gates", metavar="NAME", help="The gates, of policies/weight-gates/.")],
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Put the final set to its one use: the use is recorded and published before any result of it is seen."""
    from conformed.app.weights.told import final_lines

    desk = _desk(workspace)
    found = desk.final(folder, report, gates)
    warn(desk.warning)
    out(found.model_dump_json(indent=1) if as_json else block(final_lines(found)))


def propose(
    alias: Alias,
    folder: Folder,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Their whole evaluation.")] = None,
    gates: Annotated[str | None, typer.Option("--gates", metavar="NAME", help="The gates, of policies/weight-gates/.")] = None,
    back_to: Annotated[
        str | None, typer.Option("--back-to", metavar="HASH", help="Go back to weights for which the name stood before.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the record; no names of people.")] = "",
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Propose that a name stand for other weights. Every gate must be passed; another person confirms."""
    from conformed.app.weights.told import proposed_lines

    desk = _desk(workspace)
    if back_to is not None and report is None and gates is None:
        found = desk.propose_back(alias, folder, back_to, reason=reason)
    elif report is not None and gates is not None and back_to is None:
        found = desk.propose(alias, folder, report, gates, reason=reason)
    else:
        raise UsageError(
            "It is not said what is proposed.",
            "Give --report FILE --gates NAME for new weights, or --back-to HASH --reason TEXT.",
        )
    out(found.model_dump_json(indent=1) if as_json else block(proposed_lines(found)))


def promote(
    alias: Alias,
    proposal: Annotated[str, typer.Argument(metavar="PROPOSAL", help="The proposal, as it was printed: w- and twelve digits.")],
    folder: Folder,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Confirm what another person proposed: weights and gates are looked at again, and the name is moved."""
    from conformed.app.weights.told import promoted_lines

    desk = _desk(workspace)
    found = desk.promote(alias, proposal, folder)
    warn(desk.warning)
    out(found.model_dump_json(indent=1) if as_json else block(promoted_lines(found)))


def list_(as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """List names for weights, and what each stands for."""
    from conformed.app.weights.told import listed_lines

    rows = _desk(workspace).aliases()
    out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]" if as_json else block(listed_lines(rows)))


def show(alias: Alias, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Show the hash to name in a contract, the history of a name, and the evidence of each move."""
    from conformed.app.weights.told import shown_lines

    found = _desk(workspace).show(alias)
    out(found.model_dump_json(indent=1) if as_json else block(shown_lines(found)))


def _desk(workspace: Path | None) -> WeightsDesk:
    from conformed.app.weights.desk import WeightsDesk
    from conformed.app.workspace import find_workspace

    return WeightsDesk(find_workspace(workspace, os.environ, Path.cwd()))
