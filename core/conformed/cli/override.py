"""The command of a person who knows what the papers did not say: it adds a fact, and the run is done again."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.case import EXIT_OF_RESULT
from conformed.cli.printed import colour, out, plain, width
from conformed.cli.words import AsJson, Policy, WorkspaceFolder
from conformed.errors import UsageError

__all__ = ["override"]


def override(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The run that is overridden, as it was printed at its end.")],
    code: Annotated[
        str | None, typer.Option("--code", metavar="CODE", help="The override's code, such as override_cp_evidence_seen.")
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option("--answers", metavar="CODE", help="The code of the run that it answers, or the check calculation."),
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="What it is about: mostly a document of the pack.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why, in your own words.")] = None,
    fact: Annotated[
        list[str] | None, typer.Option("--fact", metavar="NAME=VALUE", help="A fact of the override. May be repeated.")
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A YAML file with a list of overrides, instead of the options above."),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Who gives it. Default: the user of this computer.")
    ] = None,
    policy: Policy = None,
    as_json: AsJson = False,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress on stderr. Default: on a terminal only.")
    ] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Add a fact to a run and do it again. The earlier run stays as it was; the new decision names it."""
    from conformed.app.keeping.published import json_with
    from conformed.app.overrides.override import Overrides
    from conformed.app.overrides.override_words import read_given, read_override_file
    from conformed.app.pages.screen import screen
    from conformed.app.workspace import find_workspace
    from conformed.cli.progress import Reporter

    typed = {"code": code, "answers": answers, "subject": subject, "reason": reason}
    given = {name: value for name, value in typed.items() if value is not None}
    if from_file is not None and (given or fact):
        raise UsageError("--from and the options of one override are given together.", "Write them all into the file.")
    if from_file is None and code is None:
        raise UsageError("It is not said which override is meant.", "Give --code CODE with its facts, or --from FILE.")
    listed = read_override_file(from_file) if from_file is not None else (_with_facts(given, read_given(fact or ())),)
    desk = Overrides(find_workspace(workspace, os.environ, Path.cwd()))
    with Reporter(show=progress) as reporter:
        decision = desk.override(run, listed, by=by, policy=policy, progress=reporter)
    note = desk.published
    out(json_with(decision, note) if as_json else screen(decision, note, desk.standing, width=width(), colour=colour()))
    for one in decision.overridden.told if decision.overridden is not None else ():
        if not one.taken or not one.changed:
            print(plain(f"{one.override.code}: {one.sentence}"), file=sys.stderr)
    raise typer.Exit(EXIT_OF_RESULT[decision.result.value])


def _with_facts(given: dict[str, str], facts: dict[str, str]) -> dict[str, str]:
    twice = sorted(set(given) & set(facts))
    if twice:
        raise UsageError(f"{twice[0]} is given as an option and as a fact.", "Give it once.")
    return {**given, **facts}
