"""The command about rule cases: files of patterns, packs and calculations, run through the product."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import out, plain
from conformed.cli.words import AsJson

__all__ = ["test"]

CaseFiles = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help="Files of patterns, packs or calculations (see docs/rule-cases.md).")
]


def test(files: CaseFiles, as_json: AsJson = False) -> None:
    """Run rule cases through the product: a line a case, expected against got field by field, and a total.

    Exit code 0 when every case is right in every field, else 1.
    """
    from conformed.app.rule_cases.running import run_files
    from conformed.app.rule_cases.telling import lines_of
    from conformed.errors import PolicyError, UsageError

    try:
        report = run_files(files, os.environ)
    except PolicyError as problem:
        # A file that does not hold together is no test that failed: the command cannot be carried out.
        raise UsageError(str(problem)) from problem
    out(report.model_dump_json(indent=2) if as_json else "\n".join(_on_one_line(line) for line in lines_of(report)))
    raise typer.Exit(0 if report.all_right else 1)


def _on_one_line(line: str) -> str:
    """A line without anything that a terminal would obey, its indentation kept."""
    return line[: len(line) - len(line.lstrip(" "))] + plain(line)
