"""The words that several commands take, and how each is read. A wrong one is answered with what to type instead."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.errors import UsageError

if TYPE_CHECKING:
    import datetime as dt

    from conformed.app.face import Face
    from conformed.app.options import RunOptions

__all__ = [
    "AsJson",
    "Attest",
    "Claimed",
    "CovenantName",
    "Facts",
    "KnownAt",
    "Pack",
    "Policy",
    "Section",
    "TestDate",
    "WorkspaceFolder",
    "existing_pack",
    "open_service",
    "options_of",
    "read_date",
    "read_facts",
]

Pack = Annotated[Path, typer.Argument(metavar="PACK", help="A folder of documents, a zip of them, or one document.")]
TestDate = Annotated[
    str | None, typer.Option("--test-date", metavar="DATE", help="The day on which the covenant is tested, YYYY-MM-DD.")
]
KnownAt = Annotated[
    str | None,
    typer.Option("--known-at", metavar="DATE", help="Count only what existed by this day. Default: pack.yaml's, else today."),
]
CovenantName = Annotated[
    str | None, typer.Option("--covenant", metavar="NAME", help="Name of the covenant, where the pack has several.")
]
Section = Annotated[str | None, typer.Option("--section", metavar="NUMBER", help="Its section, such as 7.11(a).")]
Facts = Annotated[
    list[str] | None,
    typer.Option("--fact", metavar="NAME=VALUE", help="A fact that you give, such as revolver_usage=40%. May be repeated."),
]
Claimed = Annotated[
    list[str] | None,
    typer.Option("--claimed-election", metavar="NAME", help="An election that is claimed without its evidence. May be repeated."),
]
Attest = Annotated[bool, typer.Option("--attest-no-election", help="You attest that no election (increase, relief) was made.")]
Policy = Annotated[
    str | None, typer.Option("--policy", metavar="NAME", help="Task contract: a name in policies/, or a file. Default: covenant.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the record as JSON and nothing else.")]
WorkspaceFolder = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="Folder with policies/. Default: $CONFORMED_WORKSPACE, the nearest one upward, else the packaged policies.",
    ),
]


def read_date(text: str | None, option: str) -> dt.date | None:
    """A date as typed.

    Raises:
        UsageError: when it is not a day of the calendar written YYYY-MM-DD.
    """
    if text is None:
        return None
    import datetime as dt
    import re

    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            raise UsageError(
                f"{option} {text} is not a day of the calendar.", f"Type a real day, such as {option} 2026-09-30"
            ) from None
    raise UsageError(f"{option} {text!r} is not a date.", f"Type it as year-month-day, such as {option} 2026-09-30")


def read_facts(given: Sequence[str]) -> dict[str, str]:
    """Facts as typed, each ``NAME=VALUE``.

    Raises:
        UsageError: when one has no name, no value, or a name that came before with another value.
    """
    found: dict[str, str] = {}
    for fact in given:
        name, equals, value = (part.strip() for part in fact.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--fact {fact!r} is not NAME=VALUE.", "Type it such as --fact revolver_usage=40%")
        if found.get(name, value) != value:
            raise UsageError(f"--fact {name} is given twice, as {found[name]!r} and {value!r}.", "Give it once.")
        found[name] = value
    return found


def options_of(
    *,
    test_date: str | None = None,
    known_at: str | None = None,
    covenant: str | None = None,
    section: str | None = None,
    facts: Sequence[str] | None = None,
    claimed: Sequence[str] | None = None,
    attest: bool = False,
    policy: str | None = None,
    resume: bool = False,
) -> RunOptions:
    """The words of a command as options of a run.

    Raises:
        UsageError: when one of them cannot be read.
    """
    from conformed.app.options import RunOptions

    if attest and claimed:
        raise UsageError(
            "--attest-no-election and --claimed-election contradict each other.",
            "Give the one that is so and leave the other out.",
        )
    return RunOptions(
        test_date=read_date(test_date, "--test-date"),
        known_at=read_date(known_at, "--known-at"),
        covenant=covenant,
        section=section,
        facts=read_facts(facts or ()),
        claimed_elections=tuple(claimed or ()),
        no_election=attest,
        policy=policy,
        resume=resume,
    )


def existing_pack(path: Path) -> Path:
    """The pack's path, if there is something at it.

    Raises:
        UsageError: when there is not; it names the pack that is nearest by name, if one is.
    """
    if path.exists():
        return path
    from difflib import get_close_matches

    siblings = sorted(child.name for child in path.parent.iterdir()) if path.parent.is_dir() else []
    near = get_close_matches(path.name, siblings, 1)
    mend = f"Did you mean {path.parent / near[0]}?" if near else "Name a folder of documents, a zip of them, or one document."
    raise UsageError(f"There is no pack at {path}.", mend)


def open_service(workspace: Path | None) -> Face:
    """The service on the workspace that is named, or found from the present folder."""
    from conformed.app.service import Service
    from conformed.app.workspace import find_workspace

    return Service(find_workspace(workspace, os.environ, Path.cwd()))
