"""Puts read documents together into a case file: trees, instruments, and the days that notices show."""

from __future__ import annotations

from collections.abc import Iterable

from conformed.language.traced import live_view
from conformed.model.document import Document, Refusal
from conformed.model.pack import CaseFile, InstrumentKind, Manifest, Question
from conformed.rules.instruments.instruments import read_instrument
from conformed.rules.instruments.lapses import apply_lapses
from conformed.rules.instruments.notices import apply_notices
from conformed.rules.instruments.provisions import build_tree
from conformed.rules.instruments.signing_records import apply_signing_records

__all__ = ["build_case"]

_OWN = {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}


def build_case(
    documents: Iterable[Document],
    *,
    pack: str,
    digest: str,
    question: Question,
    manifest: Manifest,
    refusals: Iterable[Refusal] = (),
    unlisted: Iterable[str] = (),
) -> CaseFile:
    """Builds the case file. Same documents in any order give the same case file.

    Args:
        documents: documents that were read.
        pack: name of the pack.
        digest: SHA-256 over its files.
        question: what is asked.
        manifest: what is attested.
        refusals: files that were not read.
        unlisted: files that the manifest does not list.
    """
    ordered = tuple(sorted(documents, key=lambda d: d.name))
    attested = {d.file: d for d in manifest.documents}
    views = {d.name: live_view(d) for d in ordered}
    instruments = tuple(read_instrument(views[d.name], d.name, attested.get(d.name)) for d in ordered)
    instruments = apply_signing_records(instruments, views)
    instruments = apply_lapses(apply_notices(instruments, views), views)
    trees = tuple(
        build_tree(views[d.name], d.name, amendment=i.kind not in _OWN) for d, i in zip(ordered, instruments, strict=True)
    )
    return CaseFile(
        pack=pack, digest=digest, borrower=manifest.borrower, question=question, manifest=manifest, documents=ordered, trees=trees,
        instruments=instruments, refusals=tuple(sorted(refusals, key=lambda r: r.name)), unlisted=tuple(sorted(unlisted)),
    )  # fmt: skip
