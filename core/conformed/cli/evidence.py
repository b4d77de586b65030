"""The command that gives evidence of a run to somebody who has none of our software."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from conformed.cli.printed import plain, write_whole
from conformed.cli.words import WorkspaceFolder

__all__ = ["evidence"]


def evidence(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, as the run printed it.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.zip", help="Where to write the bundle.")],
    documents: Annotated[
        bool, typer.Option("--documents/--no-documents", help="Whether source documents are in it, or only their commitments.")
    ] = True,
    workspace: WorkspaceFolder = None,
) -> None:
    """Write the evidence of a run: records, proofs, documents, decision, trace, and how to check them. The log records it."""
    from conformed.app.bundles.evidence_desk import EvidenceDesk
    from conformed.app.workspace import find_workspace
    from conformed.errors import UsageError

    if output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"{output} cannot be written.", "Name a file in a folder that is there: -o evidence.zip")
    bundle = EvidenceDesk(find_workspace(workspace, os.environ, Path.cwd())).export(run, documents=documents)
    write_whole(output, bundle.made.data)
    made = bundle.made
    print(
        f"Written: {plain(str(output))}: {made.records} records of case {made.case}, under a checkpoint of {made.size}.",
        file=sys.stderr,
    )
    for name in made.erased:
        print(f"Erased, and not in it: {plain(name)}", file=sys.stderr)
    if not bundle.published:
        print("PENDING: nobody outside holds that checkpoint yet. Publish it: conformed log publish.", file=sys.stderr)
    print("Give the reader the log's public key on another way: conformed log keys.", file=sys.stderr)
