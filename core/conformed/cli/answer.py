"""The command for short answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import block, out
from conformed.cli.words import AsJson, WorkspaceFolder

__all__ = ["EXIT_OF_RESULT", "answer"]

EXIT_OF_RESULT = {"answered": 0, "review": 12}
"""Exit code by result."""


def answer(
    task: Annotated[Path, typer.Argument(metavar="TASK", help="A JSON file: id, prompt, and where known form, check, facts.")],
    policy: Annotated[
        str, typer.Option("--policy", metavar="NAME", help="The contract: a name in policies/, or a file.")
    ] = "short-answers",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with this task's last unfinished run.")] = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Answer a question whose answer a program can check; what cannot be shown to be right goes to a person."""
    from conformed.app.answering.desk import AnswerDesk, read_task
    from conformed.app.answering.words import lines_of
    from conformed.app.options import silent
    from conformed.app.workspace import find_workspace

    desk = AnswerDesk(find_workspace(workspace, os.environ, Path.cwd()))
    record = desk.answer(read_task(task), policy=policy, resume=resume, progress=silent)
    out(record.model_dump_json(indent=2) if as_json else block(lines_of(record, desk.published, desk.standing)))
    raise typer.Exit(EXIT_OF_RESULT[record.result])
