"""The command about a case that is not the case: another figure or date, worked through and never recorded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli import words
from conformed.cli.case import EXIT_OF_RESULT
from conformed.cli.printed import colour, out, width
from conformed.cli.words import (
    AsJson,
    Attest,
    Claimed,
    CovenantName,
    Facts,
    KnownAt,
    Pack,
    Policy,
    Section,
    TestDate,
    WorkspaceFolder,
)

__all__ = ["what_if"]


def what_if(
    pack: Pack,
    figure: Annotated[
        list[str] | None,
        typer.Option("--figure", metavar="NAME=VALUE", help="Another figure: 520000000, or -10% of what it is. May be repeated."),
    ] = None,
    carry: Annotated[
        bool,
        typer.Option("--carry", help="Where no certificate is for the test date, take the figures of the last one before it."),
    ] = False,
    test_date: TestDate = None,
    known_at: KnownAt = None,
    covenant: CovenantName = None,
    section: Section = None,
    fact: Facts = None,
    claimed_election: Claimed = None,
    attest_no_election: Attest = False,
    policy: Policy = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Work a scenario: another figure, test date or knowledge date. It writes no decision and nothing to the log."""
    from conformed.app.scenario import Scenarios, read_changes, scenario_text
    from conformed.app.workspace import find_workspace

    options = words.options_of(
        test_date=test_date,
        known_at=known_at,
        covenant=covenant,
        section=section,
        facts=fact,
        claimed=claimed_election,
        attest=attest_no_election,
        policy=policy,
    )
    desk = Scenarios(find_workspace(workspace, os.environ, Path.cwd()))
    found = desk.work(words.existing_pack(pack), options, read_changes(figure or ()), carry=carry)
    out(found.model_dump_json(indent=2) if as_json else scenario_text(found, width=width(), colour=colour()))
    raise typer.Exit(EXIT_OF_RESULT[found.result.value])
