"""The commands about scorers: the registry, replays of a fixed bank, drift, training and evaluation."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import block, out, plain, write_whole
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from conformed.app.scoring.desk import ScoringDesk

__all__ = ["drift", "evaluate", "list_", "replay", "train"]

Scorer = Annotated[str, typer.Argument(metavar="SCORER", help="A scorer's name in policies/scorers/, or the file of its card.")]
Bank = Annotated[Path, typer.Option("--bank", metavar="BANK", help="The candidate bank: one candidate a line, as JSON.")]
To = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the record to this file, as JSON.")]


def list_(as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """List scorers beside their cards; one without a card is named."""
    from conformed.app.scoring.told import list_lines

    rows = _desk(workspace).scorers()
    out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]" if as_json else block(list_lines(rows)))


def replay(scorer: Scorer, bank: Bank, to: To = None, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Send a fixed bank through a scorer: its scores and the candidates it selects, the same bytes each time."""
    from conformed.app.scoring.told import replay_lines

    found = _desk(workspace).replay(scorer, bank)
    _show(found, block(replay_lines(found)), to, as_json=as_json)


def drift(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The scorer in use; its card's bounds hold.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The scorer that is to replace it.")],
    bank: Bank,
    to: To = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Compare what two scorers select from one fixed bank. Exit code 1 when a declared bound is passed."""
    from conformed.app.scoring.told import drift_lines

    found = _desk(workspace).drift(old, new, bank)
    _show(found, block(drift_lines(found)), to, as_json=as_json)
    raise typer.Exit(1 if found.passed_bounds else 0)


def evaluate(
    scorer: Scorer,
    bank: Bank,
    gates: Annotated[Path, typer.Option("--gates", metavar="FILE", help="The gates, declared before (YAML).")],
    to: To = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Evaluate a scorer against declared gates; the first line says whether it may be used. Exit code 1 when not."""
    from conformed.app.scoring.told import report_lines

    found = _desk(workspace).evaluate(scorer, bank, gates)
    _show(found, block(report_lines(found)), to, as_json=as_json)
    raise typer.Exit(0 if found.usable else 1)


def train(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="outcome (whole responses) or process (their steps).")],
    bank: Bank,
    folder: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="A new folder for weights, diary and card.")],
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Name of the new scorer.")],
    owner: Annotated[str, typer.Option("--owner", metavar="TEXT", help="Who answers for it: a role or a department.")],
    split: Annotated[str, typer.Option("--split", metavar="NAME", help="The only split that is looked at.")] = "train",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the training.")] = 0,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Train a learned scorer on a bank, and draft its card. The same bank and seed give the same weights on a CPU."""
    made = _desk(workspace).train(kind, bank, folder, scorer_id=name, owner=owner, split=split, seed=seed)
    out(
        made.model_dump_json(indent=1)
        if as_json
        else f"Weights {plain(made.weights)} ({made.sha256[:12]}), of {made.examples} examples\n"
        f"Card    {plain(made.card)}\n"
        f"Next    conformed scorers evaluate {plain(made.card)} --bank BANK --gates GATES"
    )


def _desk(workspace: Path | None) -> ScoringDesk:
    from conformed.app.scoring.desk import ScoringDesk
    from conformed.app.workspace import find_workspace

    return ScoringDesk(find_workspace(workspace, os.environ, Path.cwd()))


def _show(record: BaseModel, lines: str, to: Path | None, *, as_json: bool) -> None:
    data = record.model_dump_json(indent=1) + "\n"
    if to is not None:
        try:
            write_whole(to, data)
        except OSError as problem:
            raise UsageError(f"{to} could not be written: {problem.strerror}.", "Make room, or name another file.") from problem
    out(data if as_json else lines)
