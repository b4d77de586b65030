"""From a path to a case file: files gathered, the manifest held against them, each document read by the first reader that accepts it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformed.app.options import Progress, RunOptions
from conformed.engine.gather import File, gather
from conformed.engine.manifest import Evidence, check_manifest, load_manifest
from conformed.errors import ConformedError, UsageError
from conformed.model.document import Document, Refusal
from conformed.model.pack import CaseFile, Manifest, Question
from conformed.ports import Reader
from conformed.rules.instruments.casefile import build_case

__all__ = ["PackFiles", "case_of_files", "open_pack", "question_of", "read_file"]

_HEAD = 4096


@dataclass(frozen=True, slots=True)
class PackFiles:
    """A pack on disk: its files, and what its manifest attests."""

    name: str
    """Name of the pack."""
    manifest: Manifest
    """What is attested."""
    evidence: Evidence
    """Files that may be looked at, and the digest over them."""


def open_pack(path: Path) -> PackFiles:
    """Gathers a pack and holds its manifest against it.

    Raises:
        PackError, PolicyError: with the file and the mend.
    """
    gathered = gather(path)
    manifest = load_manifest(gathered.manifest, name=str(path / "pack.yaml")) if gathered.manifest is not None else Manifest()
    return PackFiles(manifest.pack or gathered.name, manifest, check_manifest(manifest, gathered))


def question_of(options: RunOptions, manifest: Manifest, today: dt.date) -> Question:
    """What is asked: options override the manifest; without a knowledge date it is the day of the run.

    Raises:
        UsageError: when neither gives a test date.
    """
    test = options.test_date or manifest.test_date
    if test is None:
        raise UsageError("No test date is given, neither on the command line nor in pack.yaml.", "Add --test-date YYYY-MM-DD.")
    return Question(
        test_date=test,
        known_at=options.known_at or manifest.known_at or today,
        covenant=options.covenant or (None if options.section else manifest.covenant),
        section=options.section or (None if options.covenant else manifest.section),
        facts=dict(sorted(options.facts.items())),
        claimed_elections=options.claimed_elections,
        no_election=options.no_election,
    )


def read_file(file: File, readers: Sequence[Reader]) -> Document | Refusal:
    """Reads one file with the first reader that accepts it. Whatever goes wrong is a refusal: the rest of the pack is unharmed."""
    head = file.data[:_HEAD]
    for reader in readers:
        try:
            if not reader.accepts(file.name, head):
                continue
            found = reader.read(file.name, file.data)
        except ConformedError as problem:
            return Refusal(
                name=file.name, code="broken", sentence=f"{file.name} could not be read: {problem.found}", sha256=file.sha256
            )
        except Exception as problem:  # noqa: BLE001 - a reader's fault must not harm the rest of the pack
            kind = type(problem).__name__
            return Refusal(
                name=file.name,
                code="broken",
                sentence=f"{file.name} could not be read ({kind}). Save it again, or leave it out.",
                sha256=file.sha256,
            )
        if isinstance(found, Document | Refusal) and found.name == file.name and found.sha256 in {file.sha256, None}:
            return found
        return Refusal(
            name=file.name, code="broken", sentence=f"The reader of {file.name} gave back another document.", sha256=file.sha256
        )
    sentence = f"{file.name} is in no format that can be read here. Give PDF, DOCX, HTML, text, Markdown, or a zip of these."
    return Refusal(name=file.name, code="unknown_format", sentence=sentence, sha256=file.sha256)


def case_of_files(
    pack: PackFiles,
    question: Question,
    readers: Sequence[Reader],
    progress: Progress,
    keep: Callable[[Document], None] | None = None,
) -> CaseFile:
    """Reads every file of a pack and builds the case file."""
    documents: list[Document] = []
    refusals = list(pack.evidence.refusals)
    files = pack.evidence.files
    for number, file in enumerate(files, 1):
        progress(f"read {file.name}", number, len(files))
        found = read_file(file, readers)
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            documents.append(found)
            if keep is not None:
                keep(found)
    return build_case(
        documents, pack=pack.name, digest=pack.evidence.digest, question=question, manifest=pack.manifest,
        refusals=refusals, unlisted=pack.evidence.unlisted,
    )  # fmt: skip
