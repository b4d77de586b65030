"""The command that does a recorded run again and says where it comes out otherwise."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import colour, out, warn, width
from conformed.cli.words import AsJson, Policy, WorkspaceFolder
from conformed.errors import UsageError

__all__ = ["CANNOT", "DIFFERS", "OTHER", "replay"]

DIFFERS = 20
"""Something differs, and the decision is the same."""
OTHER = 21
"""The decision is another, or nothing shows that it is the same."""
CANNOT = 22
"""Nothing differs, and a level could not be replayed."""


def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run, as it was printed at its end.")],
    level: Annotated[
        str,
        typer.Option("--level", metavar="LEVEL", help="L1 log, L2 steps, L3 sequence, L4 policy; each includes those before."),
    ] = "L4",
    policy: Policy = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Do a recorded run again from the log alone, compare, and say what differs. The run itself is not touched."""
    from conformed.app.replay.replay_words import replay_text
    from conformed.app.replay.replaying import Replays
    from conformed.app.workspace import find_workspace
    from conformed.engine.replay import Level

    if level.upper() not in set(Level):
        raise UsageError(f"--level {level} is no level.", "Type one of: L1 L2 L3 L4")
    replays = Replays(find_workspace(workspace, os.environ, Path.cwd()))
    report = replays.replay(run, Level(level.upper()), policy=policy)
    warn(replays.warning)
    out(report.model_dump_json(indent=2) if as_json else replay_text(report, width=width(), colour=colour()))
    if report.divergences:
        high = any(one.severity == "high" for one in report.divergences)
        raise typer.Exit(OTHER if high or (report.same_decision != "yes" and report.asked != Level.L1) else DIFFERS)
    if any(one.status == "cannot" for one in report.levels):
        raise typer.Exit(CANNOT)
