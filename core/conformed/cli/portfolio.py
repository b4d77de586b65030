"""The command about many packs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli import words
from conformed.cli.printed import colour, out, plain, width, write_whole
from conformed.cli.words import AsJson, KnownAt, Policy, TestDate, WorkspaceFolder

__all__ = ["portfolio"]

_MOST = 8


def portfolio(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that holds a folder or a zip for each pack.")],
    test_date: TestDate = None,
    known_at: KnownAt = None,
    policy: Policy = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, max=64, help="Packs run at a time. Default: the processors, at most 8."),
    ] = None,
    timeout: Annotated[
        int, typer.Option("--timeout", metavar="SECONDS", min=1, help="How long one pack may take before it is given up.")
    ] = 1200,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", metavar="FILE", help="Write the table as a workbook.")] = None,
    as_json: AsJson = False,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress on stderr. Default: on a terminal only.")
    ] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Run many packs at once and print one table: result, headroom, next step-down, and what is missing."""
    from conformed.app.binding import need_contract
    from conformed.app.portfolios.portfolio import PackTask, packs_in, run_portfolio
    from conformed.app.portfolios.portfolio_table import Portfolio, portfolio_csv, portfolio_text, portfolio_xlsx
    from conformed.app.workspace import find_workspace
    from conformed.cli.progress import Reporter
    from conformed.policy.steps import Application

    options = words.options_of(test_date=test_date, known_at=known_at, policy=policy)
    place = find_workspace(workspace, os.environ, Path.cwd())
    need_contract(place.policies, policy, Application.COVENANT)
    tasks = [
        PackTask(name=path.name, path=str(path), root=str(place.root), policies=str(place.policies), options=options)
        for path in packs_in(folder)
    ]
    with Reporter(show=progress) as reporter:
        reporter("packs", 0, len(tasks))
        rows = run_portfolio(tasks, jobs=jobs or _processors(), timeout=timeout, progress=reporter)
    for file, content in ((csv, portfolio_csv), (xlsx, portfolio_xlsx)):
        if file is not None:
            write_whole(file, content(rows))
            print(f"Written: {plain(str(file))}", file=sys.stderr)
    out(Portfolio(rows=rows).model_dump_json(indent=2) if as_json else portfolio_text(rows, width=width(), colour=colour()))
    raise typer.Exit(1 if any(row.result == "error" for row in rows) else 0)


def _processors() -> int:
    """Processors that this process may use, at most 8."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST, count)
