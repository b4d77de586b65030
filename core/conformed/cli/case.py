"""The commands about one pack: run, covenant, copy, timeline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli import words
from conformed.cli.printed import colour, out, plain, width, write_whole
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
from conformed.errors import UsageError

__all__ = ["EXIT_OF_ANSWER", "EXIT_OF_RESULT", "copy", "covenant", "run", "timeline"]

EXIT_OF_RESULT = {"pass": 0, "breach": 10, "not_tested": 11, "review": 12}
"""Exit code of ``run`` by its result."""
EXIT_OF_ANSWER = {"determined": 0, "not_tested": 11, "review": 12}
"""Exit code of ``covenant`` by its result."""


def run(
    pack: Pack,
    test_date: TestDate = None,
    known_at: KnownAt = None,
    covenant: CovenantName = None,
    section: Section = None,
    fact: Facts = None,
    claimed_election: Claimed = None,
    attest_no_election: Attest = False,
    policy: Policy = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a self-contained report with the evidence.")
    ] = None,
    as_json: AsJson = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with this pack's last unfinished run.")] = False,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress on stderr. Default: on a terminal only.")
    ] = None,
    workspace: WorkspaceFolder = None,
) -> None:
    """Run the contract on a pack: what governed on the test date, was it met, and what shows it."""
    from conformed.app.keeping.published import json_with
    from conformed.app.pages.screen import screen
    from conformed.cli.progress import Reporter

    options = words.options_of(
        test_date=test_date,
        known_at=known_at,
        covenant=covenant,
        section=section,
        facts=fact,
        claimed=claimed_election,
        attest=attest_no_election,
        policy=policy,
        resume=resume,
    )
    path = words.existing_pack(pack)
    service = words.open_service(workspace)
    with Reporter(show=progress) as reporter:
        decision = service.run(path, options, reporter)
    note = service.published
    shown = json_with(decision, note) if as_json else screen(decision, note, service.standing, width=width(), colour=colour())
    out(shown)
    if html is not None:
        from conformed.app.pages.report import render_report

        with Reporter(show=progress) as reporter:
            reporter("report")
            whole = render_report(decision, service.evidence(path), note, service.standing)
        try:
            write_whole(html, whole)
        except OSError as problem:
            mend = f"The run {decision.run} itself has ended and is in the log; mend that and run it again for a report."
            raise UsageError(f"The report {html} could not be written: {problem.strerror}.", mend) from problem
    if html is not None:
        print(f"Report: {plain(str(html))}", file=sys.stderr)
    raise typer.Exit(EXIT_OF_RESULT[decision.result.value])


def covenant(
    pack: Pack,
    test_date: TestDate = None,
    known_at: KnownAt = None,
    covenant: CovenantName = None,
    section: Section = None,
    fact: Facts = None,
    claimed_election: Claimed = None,
    attest_no_election: Attest = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Say which covenant governs on a test date, without any figure of the borrower."""
    options = words.options_of(
        test_date=test_date,
        known_at=known_at,
        covenant=covenant,
        section=section,
        facts=fact,
        claimed=claimed_election,
        attest=attest_no_election,
    )
    answer = words.open_service(workspace).covenant(words.existing_pack(pack), options)
    if as_json:
        out(answer.model_dump_json(indent=2))
    else:
        from conformed.app.copies.copy_text import answer_text

        out(answer_text(answer, width=width(), colour=colour()))
    raise typer.Exit(EXIT_OF_ANSWER[answer.result])


def copy(
    pack: Pack,
    test_date: TestDate = None,
    known_at: KnownAt = None,
    covenant: CovenantName = None,
    section: Section = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write it as a self-contained page.")] = None,
    docx: Annotated[Path | None, typer.Option("--docx", metavar="FILE", help="Write it as a Word document.")] = None,
    text: Annotated[Path | None, typer.Option("--text", metavar="FILE", help="Write it as plain text.")] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="DATE", help="Show what changed since the copy on another test date.")
    ] = None,
    against_known_at: Annotated[
        str | None, typer.Option("--against-known-at", metavar="DATE", help="Show what changed since another knowledge date.")
    ] = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Print the conformed copy of the covenant and its definitions, with who put every run of words there."""
    from conformed.cli.exports import Files, copy_pack

    options = words.options_of(test_date=test_date, known_at=known_at, covenant=covenant, section=section)
    other = {
        "test_date": words.read_date(against, "--against"),
        "known_at": words.read_date(against_known_at, "--against-known-at"),
    }
    files = Files(html=html, docx=docx, text=text)
    found = copy_pack(words.open_service(workspace), words.existing_pack(pack), options, other, files, as_json=as_json)
    raise typer.Exit(0 if found else EXIT_OF_RESULT["review"])


def timeline(
    pack: Pack,
    test_date: TestDate = None,
    known_at: KnownAt = None,
    covenant: CovenantName = None,
    section: Section = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Print the levels over time, as known on the knowledge date."""
    options = words.options_of(test_date=test_date, known_at=known_at, covenant=covenant, section=section)
    entries = words.open_service(workspace).timeline(words.existing_pack(pack), options)
    if as_json:
        out(_array(tuple(entry.model_dump_json() for entry in entries)))
    else:
        from conformed.app.copies.copy_text import timeline_text

        out(timeline_text(entries, test_date=options.test_date, width=width(), colour=colour()))
    raise typer.Exit(0 if entries else EXIT_OF_RESULT["review"])


def _array(items: tuple[str, ...]) -> str:
    """JSON documents as one array, an item a line."""
    return "[\n" + ",\n".join(items) + "\n]" if items else "[]"
