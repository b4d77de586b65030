"""The commands that evaluate methods over a data set, and say which is enough."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import block, out, plain, write_whole
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.evaluating.desk import EvaluationDesk
    from conformed.app.evaluating.report import EvaluationReport
    from conformed.evaluation.runner import Progress

__all__ = ["baselines", "evaluate"]

Data = Annotated[Path, typer.Argument(metavar="DATA", help="The data set: one item a line, as JSON.")]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the runs lie, and the report.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with what is in the folder.")]
Again = Annotated[bool, typer.Option("--rescore", help="Judge the responses that are in the folder again, without generating.")]
Workers = Annotated[int, typer.Option("--workers", min=1, max=256, help="Items worked on at once.")]
Inspect = Annotated[
    Path | None, typer.Option("--inspect", metavar="FOLDER", help="Write the runs as logs that the inspect_ai viewer opens.")
]

Slices = Annotated[bool, typer.Option("--show-slices", help="Print the slices too; the report always has them.")]


def evaluate(
    data: Data,
    folder: Out,
    policy: Annotated[
        str, typer.Option("--policy", metavar="NAME", help="The contract: a name in policies/, or a file.")
    ] = "short-answers",
    slice_: Annotated[
        list[str] | None, typer.Option("--slice", metavar="NAME", help="A slice to report; may be repeated.")
    ] = None,
    workers: Workers = 1,
    resume: Resume = False,
    rescore: Again = False,
    inspect: Inspect = None,
    show_slices: Slices = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Evaluate a contract's own method: every answer extracted, normalised and verified, with intervals and slices."""
    _one_of(resume, rescore)
    desk = _desk(workspace)
    report = desk.evaluate(
        data,
        folder,
        policy=policy,
        slices=tuple(slice_ or ("subject",)),
        resume=resume,
        again=rescore,
        workers=workers,
        told=_told,
    )
    _show(report, folder, inspect, slices=show_slices, as_json=as_json)


def baselines(
    comparison: Annotated[Path, typer.Argument(metavar="COMPARISON", help="The YAML file that declares methods and values.")],
    data: Data,
    folder: Out,
    workers: Workers = 1,
    resume: Resume = False,
    rescore: Again = False,
    inspect: Inspect = None,
    show_slices: Slices = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Run every baseline on the same items and seeds, and say first whether the cheap one is enough."""
    _one_of(resume, rescore)
    report = _desk(workspace).baselines(comparison, data, folder, resume=resume, again=rescore, workers=workers, told=_told)
    _show(report, folder, inspect, slices=show_slices, as_json=as_json)


def _one_of(resume: bool, again: bool) -> None:
    if resume and again:
        raise UsageError("--resume generates and --rescore does not.", "Finish the run by --resume, then --rescore.")


def _desk(workspace: Path | None) -> EvaluationDesk:
    from conformed.app.evaluating.desk import EvaluationDesk
    from conformed.app.workspace import find_workspace

    return EvaluationDesk(find_workspace(workspace, os.environ, Path.cwd()))


def _told(name: str, progress: Progress) -> None:
    if sys.stderr.isatty():
        left = "" if progress.left_s is None else f", {progress.left_s} s left"
        print(f"\r{plain(name)} {progress.done}/{progress.total}{left}   ", end="", file=sys.stderr, flush=True)


def _show(report: EvaluationReport, folder: Path, inspect: Path | None, *, slices: bool, as_json: bool) -> None:
    from conformed.app.evaluating.told import lines_of
    from conformed.app.pages.evaluation import render_evaluation

    if sys.stderr.isatty():
        print(file=sys.stderr)
    try:
        write_whole(folder / "report.json", report.model_dump_json(indent=1) + "\n")
        write_whole(folder / "report.html", render_evaluation(report))
    except OSError as problem:
        raise UsageError(f"The report in {folder} could not be written: {problem.strerror}.", "Make room: --resume.") from problem
    if inspect is not None:
        from conformed.app.evaluating.inspect_log import write_logs

        write_logs(report, inspect)
    out(report.model_dump_json(indent=1) if as_json else block(lines_of(report, slices=slices)))
    if not as_json:
        out(f"Report: {plain(str(folder / 'report.html'))}")
