"""The commands about task contracts, and the one that makes a workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conformed.cli.printed import block, out
from conformed.cli.words import AsJson, WorkspaceFolder
from conformed.errors import UsageError

if TYPE_CHECKING:
    from conformed.policy.load import Loaded
    from conformed.policy.schema import TaskContract

__all__ = ["contract_file", "diff", "explain", "init", "lint", "schema", "test"]

Contract = Annotated[str, typer.Argument(metavar="NAME", help="A contract's name in policies/, or a file.")]
Old = Annotated[str, typer.Argument(metavar="OLD", help="The earlier contract: a name in policies/, or a file.")]
New = Annotated[str, typer.Argument(metavar="NEW", help="The later one.")]
Contracts = Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Names or files; none means all of policies/.")]


def contract_file(name: str, policies: Path) -> Path:
    """The file of a contract that is named, by path or by its name in a folder of policies.

    Raises:
        UsageError: when there is none; it says which there are.
    """
    if Path(name).is_file():
        return Path(name)
    there = {file.stem: file for file in sorted(policies.glob("*.yaml"))}
    if name in there:
        return there[name]
    from difflib import get_close_matches

    near = get_close_matches(name, there, 1)
    mend = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(there) or 'none'}."
    raise UsageError(f"There is no contract {name!r} in {policies}.", mend)


def _policies(workspace: Path | None) -> Path:
    from conformed.app.workspace import find_workspace

    return find_workspace(workspace, os.environ, Path.cwd()).policies


def _load(name: str, workspace: Path | None) -> Loaded[TaskContract]:
    from conformed.policy.load import load_model
    from conformed.policy.schema import TaskContract

    return load_model(contract_file(name, _policies(workspace)), TaskContract)


def lint(names: Contracts = None, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Check contracts: what refuses them, and what deserves a second look, each with file, line and column."""
    from conformed.policy.lint import lint as lint_bytes

    policies = _policies(workspace)
    files = [contract_file(name, policies) for name in names or ()] or sorted(policies.glob("*.yaml"))
    notes = [note for file in files for note in lint_bytes(file.read_bytes(), name=str(file))]
    if as_json:
        out("[\n" + ",\n".join(note.model_dump_json() for note in notes) + "\n]" if notes else "[]")
    else:
        for note in notes:
            out(str(note))
        errors = sum(note.level == "error" for note in notes)
        counts = ((len(files), "contract"), (errors, "error"), (len(notes) - errors, "warning"))
        contracts, *found = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts]
        out(f"{contracts}: {', '.join(found)}.")
    raise typer.Exit(1 if any(note.level == "error" for note in notes) else 0)


def explain(name: Contract, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Say what a contract means: who decides, how much compute is allowed, and the six answers of the build check."""
    from conformed.policy.explain import explain as explain_contract

    found = explain_contract(_load(name, workspace).value)
    out(found.model_dump_json(indent=2) if as_json else "\n".join(found.lines()))


def test(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="A contract's name in policies/, or a file.")] = "covenant",
    slice_: Annotated[str | None, typer.Option("--slice", metavar="SLICE", help="Only this regression slice.")] = None,
    cases: Annotated[
        Path | None, typer.Option("--cases", metavar="FOLDER", help="Judge this folder of cases in place of the slices.")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Keep what is found as the baseline of later tests.")] = False,
    as_json: AsJson = False,
    workspace: WorkspaceFolder = None,
) -> None:
    """Run a contract's regression slices: exit code 1 when one got worse, or anything is determined and wrong."""
    from conformed.app.evaluating.golden.testing import lines_of, slices_of
    from conformed.app.workspace import find_workspace

    found = find_workspace(workspace, os.environ, Path.cwd())
    tested = slices_of(contract_file(name, found.policies), found, only=slice_, cases=cases, record=record)
    out(tested.model_dump_json(indent=2) if as_json else block(lines_of(tested)))
    raise typer.Exit(1 if tested.worse else 0)


def schema() -> None:
    """Print the JSON Schema of contracts, for editors."""
    from conformed.policy.editor import json_schema

    out(json_schema())


def diff(old: Old, new: New, as_json: AsJson = False, workspace: WorkspaceFolder = None) -> None:
    """Say how two contracts differ in meaning, and whether each change tightens or loosens."""
    from conformed.policy.diff import diff as diff_contracts

    changes = diff_contracts(_load(old, workspace).value, _load(new, workspace).value)
    if as_json:
        out("[\n" + ",\n".join(change.model_dump_json() for change in changes) + "\n]" if changes else "[]")
        return
    for change in changes:
        out(change.sentence)
    if not changes:
        out("The two mean the same.")


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the new workspace; made if it is not there.")],
) -> None:
    """Make a workspace: a folder with policies of your own, beside which the log is kept."""
    from conformed.app.workspace import init_workspace

    made = init_workspace(folder)
    out(f"Workspace {made.root}\nPolicies  {made.policies}\nNext      cd {made.root} && conformed run PACK")
