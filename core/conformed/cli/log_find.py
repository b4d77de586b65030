"""The commands that look for runs in the log, and give proofs of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import colour, out, plain, width, write_whole
from conformed.cli.words import AsJson, WorkspaceFolder, read_date
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.keeping.searching import Search

__all__ = ["find", "list_", "prove"]

Most = Annotated[int, typer.Option("--most", metavar="NUMBER", help="How many runs to show, at the most 1000.")]


def list_(most: Most = 50, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """List the runs of the log with their state, the newest first."""
    _show({}, most, as_json=as_json, workspace=workspace)


def find(
    borrower: Annotated[str | None, typer.Option("--borrower", metavar="WORDS", help="Words of the borrower's name.")] = None,
    pack: Annotated[str | None, typer.Option("--pack", metavar="WORDS", help="Words of the name of a pack or task.")] = None,
    test_date: Annotated[str | None, typer.Option("--test-date", metavar="DATE", help="The legal date.")] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", metavar="DATE", help="The knowledge date.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="Begun on this day (UTC) or later.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Begun on this day (UTC) or earlier.")] = None,
    code: Annotated[str | None, typer.Option("--code", metavar="CODE", help="A reason code that the run gave.")] = None,
    actor: Annotated[str | None, typer.Option("--actor", metavar="PSEUDONYM", help="Somebody who acted in it.")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="DIGEST", help="A model that took part.")] = None,
    policy: Annotated[str | None, typer.Option("--policy", metavar="DIGEST", help="First digits of the contract's hash.")] = None,
    result: Annotated[
        str | None, typer.Option("--result", metavar="RESULT", help="pass, breach, not_tested, answered or review.")
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="STATE", help="unfinished, stopped, awaiting_person ...")
    ] = None,
    most: Most = 50,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Find runs that fit every filter. What is shown is read from the log itself."""
    for option, date in (("--test-date", test_date), ("--known-at", known_at), ("--since", since), ("--until", until)):
        read_date(date, option)
    given = {
        "borrower": borrower, "pack": pack, "test_date": test_date, "known_at": known_at, "since": since, "until": until,
        "code": code, "actor": actor, "model": model, "policy": policy, "result": result, "state": state,
    }  # fmt: skip
    wanted = {name: value for name, value in given.items() if value is not None}
    if not wanted:
        raise UsageError("It is not said what to look for.", "Give a filter, or list all runs: conformed log list")
    _show(wanted, most, as_json=as_json, workspace=workspace)


def prove(
    what: Annotated[
        str | None, typer.Argument(metavar="[RUN|RECORD]", help="A run, or 8 or more digits of a record's hash.")
    ] = None,
    begins: Annotated[
        int | None, typer.Option("--from", metavar="SIZE", help="Prove that a checkpoint continues the one of this size.")
    ] = None,
    to: Annotated[
        int | None, typer.Option("--to", metavar="SIZE", help="Which checkpoint continues it. Default: the newest.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the proof to a file.")] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Prove that a record is under the newest checkpoint, in a file that can be checked without this program."""
    if (what is None) == (begins is None):
        raise UsageError(
            "Either a run or record is proved, or that one checkpoint continues another.", "Type RUN, or --from SIZE."
        )
    search = _search(workspace)
    text = search.prove(what) if what is not None else search.continues(begins or 0, to)
    if output is None:
        out(text)
        return
    write_whole(output, text)
    out(plain(f"The proof is in {output}."))


def _show(wanted: dict[str, str], most: int, *, as_json: bool, workspace: Path | None) -> None:
    from conformed.app.replay.replay_words import runs_text

    found = _search(workspace).find(wanted, most)
    out(found.model_dump_json(indent=2) if as_json else runs_text(found, width=width(), colour=colour()))


def _search(workspace: Path | None) -> Search:
    from conformed.app.keeping.searching import Search
    from conformed.app.workspace import find_workspace

    return Search(find_workspace(workspace, os.environ, Path.cwd()))
