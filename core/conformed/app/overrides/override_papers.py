"""Papers that overrides add to a case: read by the contract's readers, and proposed from by its extractors, like any of the pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformed.app.binding import Bound
from conformed.app.reading import PackFiles, read_file
from conformed.app.running import PackTables
from conformed.engine.checks import check_proposal, check_retrieved
from conformed.engine.gather import File, gather
from conformed.engine.manifest import Evidence
from conformed.errors import UsageError
from conformed.language.traced import live_view
from conformed.model.document import Document
from conformed.model.operation import Extraction
from conformed.model.override import ExecutionSeen, Override
from conformed.model.pack import CaseFile, InstrumentKind, Manifest
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest, Reader
from conformed.rules.attested.attested_papers import places_of
from conformed.rules.instruments.instruments import read_instrument
from conformed.rules.instruments.notices import apply_notices
from conformed.rules.instruments.provisions import build_tree

__all__ = ["Added", "add_papers", "with_files"]


@dataclass(frozen=True, slots=True)
class Added:
    """A paper that is not of the pack."""

    document: Document
    """As it was read."""
    data: bytes = field(repr=False)
    """Its bytes."""


def with_files(
    overrides: Iterable[Override], documents: Sequence[Document], readers: Sequence[Reader]
) -> tuple[tuple[Override, ...], tuple[Added, ...]]:
    """Finds the paper that each override names, among those that the case has or on the disk.

    Args:
        overrides: as typed; a file is a name of the case or a path.
        documents: papers of the case.
        readers: readers of the contract.

    Returns:
        The overrides, each with the name of its paper inside the case, and the papers that were read anew.

    Raises:
        UsageError: when a paper is not there, cannot be read, bears the name of another, or does not hold the words given.
    """
    held = {one.name: one for one in documents}
    added: dict[str, Added] = {}
    found: list[Override] = []
    for one in overrides:
        named = getattr(one, "file", "")
        if not named:
            found.append(one)
            continue
        if named not in held:
            new = _read(Path(named), readers)
            other = held.get(new.document.name)
            if other is not None and other.sha256 != new.document.sha256:
                raise UsageError(f"The case has another paper of the name {new.document.name}.", "Rename the one that is added.")
            if other is None:
                added[new.document.name] = new
                held[new.document.name] = new.document
            named = new.document.name
        words = getattr(one, "words", "")
        count = len(places_of(live_view(held[named]), words)) if words else 1
        if count != 1:
            where = f"{count} times" if count else "nowhere"
            raise UsageError(
                f"The words given stand {where} in {named}: they must stand once.", "Copy the sentence as the paper has it."
            )
        found.append(one.model_copy(update={"file": named}))
    return tuple(found), tuple(added.values())


def _read(path: Path, readers: Sequence[Reader]) -> Added:
    if not path.is_file():
        raise UsageError(f"There is no paper {path}, neither in the pack nor on the disk.", "Name one of the pack, or a path.")
    gathered = gather(path)
    if len(gathered.files) != 1:
        why = gathered.refusals[0].sentence if gathered.refusals else f"{path} is not one document."
        raise UsageError(why, "Give one document.")
    document = read_file(gathered.files[0], readers)
    if not isinstance(document, Document):
        raise UsageError(document.sentence, "Give a copy that can be read.")
    return Added(document, gathered.files[0].data)


def add_papers(
    bound: Bound,
    case: CaseFile,
    retrieved: Retrieved,
    extraction: Extraction,
    added: Sequence[Added],
    overrides: Sequence[Override],
) -> tuple[CaseFile, Retrieved, Extraction]:
    """A case with papers added to it. What is known of the papers that were there is left as it was.

    An executed copy stands beside the instrument of which it is one and changes nothing by itself. Any other paper counts for
    what it is: a notice shows its days, a certificate its figures, and whatever makes a change is an instrument of the case.

    Args:
        bound: the contract with its plugins.
        case: the case as it was read.
        retrieved: what was found of it.
        extraction: what was proposed of it.
        added: the papers.
        overrides: those that name them.

    Raises:
        StepError: when a plugin cites what is not there.
    """
    if not added:
        return case, retrieved, extraction
    copies = {o.file for o in overrides if isinstance(o, ExecutionSeen)}
    case = _enlarged(case, added, copies)
    names = tuple(document.name for document in case.documents)
    fresh = Retrieved(authorised=names)
    for _, retriever in bound.made("retrieve"):
        fresh = retriever.retrieve(case)
        check_retrieved(fresh, case)
    wanted = {one.document.name for one in added} - copies
    data = {one.document.name: one.data for one in added}
    return case, _both(retrieved, fresh, names), _proposed(bound, case, fresh, extraction, wanted, data)


def _enlarged(case: CaseFile, added: Sequence[Added], copies: set[str]) -> CaseFile:
    documents = tuple(sorted((*case.documents, *(one.document for one in added)), key=lambda d: d.name))
    views = {one.name: live_view(one) for one in documents}
    instruments = {one.document: one for one in case.instruments}
    trees = {one.document: one for one in case.trees}
    for one in added:
        name = one.document.name
        read = read_instrument(views[name], name)
        if name in copies:
            read = read.model_copy(update={"kind": InstrumentKind.OTHER, "title": "Executed copy", "amends": None, "recites": ()})
        instruments[name] = read
        own = read.kind in {InstrumentKind.FACILITY_AGREEMENT, InstrumentKind.RESTATEMENT}
        trees[name] = build_tree(views[name], name, amendment=not own)
    # A day that a notice showed is looked for again: the papers that were added may show another.
    again = tuple(
        i.model_copy(update={"effective_on": None, "effective_evidence": ()}) if i.effective_evidence else i
        for i in (instruments[d.name] for d in documents)
    )
    return case.model_copy(update={
        "documents": documents,
        "instruments": apply_notices(again, views),
        "trees": tuple(trees[d.name] for d in documents),
    })  # fmt: skip


def _both(old: Retrieved, fresh: Retrieved, names: tuple[str, ...]) -> Retrieved:
    """What was found before, and what the papers that were added leave open besides."""
    said = {(d.code, d.sentence) for d in old.coverage}
    more = tuple(d for d in fresh.coverage if (d.code, d.sentence) not in said)
    return old.model_copy(update={"authorised": names, "coverage": (*old.coverage, *more)})


def _proposed(
    bound: Bound, case: CaseFile, retrieved: Retrieved, extraction: Extraction, wanted: set[str], data: Mapping[str, bytes]
) -> Extraction:
    """What was proposed before, and what the extractors propose of the papers that were added."""
    files = tuple(File(name=d.name, data=data[d.name], sha256=d.sha256) for d in case.documents if d.name in data)
    pack = PackFiles(case.pack, Manifest(), Evidence(files=files, refusals=(), unlisted=(), digest=case.digest))
    tables = PackTables(pack, bound.readers())
    operations, rejected, certificates = list(extraction.operations), list(extraction.rejected), list(extraction.certificates)
    asked = ExtractRequest(
        case=case, retrieved=retrieved, tables=lambda n, pages: tables(case, n, pages), backend=bound.bounded("extract")
    )
    for _, extractor in bound.made("extract"):
        given = extractor.extract(asked)
        check_proposal(given, case, retrieved.authorised)
        operations += [o.model_copy(update={"id": f"added {o.id}"}) for o in given.operations if o.document in wanted]
        rejected += [d for d in given.rejected if any(s.document in wanted for s in d.spans)]
        certificates += [c for c in given.certificates if c.document in wanted]
    return extraction.model_copy(
        update={"operations": tuple(operations), "rejected": tuple(rejected), "certificates": tuple(certificates)}
    )
