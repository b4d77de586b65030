"""The commands of people who conclude: accept, return, withdraw, and approvals to see where a run stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import colour, out, warn, width
from conformed.cli.words import AsJson, Policy, WorkspaceFolder

if TYPE_CHECKING:
    from conformed.app.people.concluding import Conclusions
    from conformed.app.people.standing import Standing

__all__ = ["accept", "approvals", "return_", "withdraw"]

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run, as it was printed at its end.")]


def accept(
    run: RunId,
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="The role in which you accept, where you hold several.")
    ] = None,
    policy: Policy = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Accept a run, or confirm what another accepted. Who opened, ran, edited or overrode its case cannot."""
    desk = _desk(workspace)
    _say(desk, desk.accept(run, role=role or "", policy=policy), as_json=as_json)


def return_(
    run: RunId,
    reason: Annotated[str, typer.Option("--reason", metavar="CODE", help="Why, as a code; a wrong one lists them.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What must be mended, in your own words.")],
    policy: Policy = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Send a run back, with a reason. It is then done again, not changed."""
    desk = _desk(workspace)
    _say(desk, desk.send_back(run, reason=reason, note=note, policy=policy), as_json=as_json)


def withdraw(run: RunId, policy: Policy = None, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Take your own approval of a run back, before it is released."""
    desk = _desk(workspace)
    _say(desk, desk.withdraw(run, policy=policy), as_json=as_json)


def approvals(run: RunId, policy: Policy = None, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Show who accepted a run, what is missing, and whether it is published and released."""
    desk = _desk(workspace)
    _say(desk, desk.approvals(run, policy=policy), as_json=as_json)


def _desk(workspace: Path | None) -> Conclusions:
    from conformed.app.people.concluding import Conclusions
    from conformed.app.workspace import find_workspace

    return Conclusions(find_workspace(workspace, os.environ, Path.cwd()))


def _say(desk: Conclusions, standing: Standing, *, as_json: bool) -> None:
    warn(desk.warning)
    if as_json:
        out(standing.model_dump_json(indent=2))
        return
    from conformed.app.people.standing_text import standing_text

    out(standing_text(standing, width=width(), colour=colour()))
