"""What a run keeps from its beginning: the files that it read and the contract's exact bytes, so that it can be done again.

Files are kept under salted commitments, since they are a customer's papers; a second run of the same files keeps no second
copy. The first record of the run names one list; the list names the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pydantic import ValidationError

from conformed.engine.canonical import canonical_bytes
from conformed.engine.gather import File
from conformed.engine.history import BEGUN
from conformed.engine.journal import Keepsake
from conformed.engine.log import Log, ours
from conformed.engine.manifest import Evidence
from conformed.errors import JournalError
from conformed.model.base import Frozen
from conformed.model.document import Refusal
from conformed.model.pack import Manifest
from conformed_audit import Blob, BlobError

__all__ = ["CONTRACT", "SOURCES", "Source", "Sources", "keep_contract", "keep_sources", "read_sources"]

CONTRACT = "contract"
"""Name in the first record of the contract's exact bytes."""
SOURCES = "sources"
"""Name in the first record of the list of files."""
_BYTES = "application/octet-stream"


class Source(Frozen):
    """One file as it was read."""

    name: str
    """Path inside the pack."""
    sha256: str
    """Hash of its bytes, 64 hex digits."""
    commit: str
    """Name of its bytes in the log."""
    bytes: int
    """How many there are."""


class Sources(Frozen):
    """The files of a run, and what was said of them before any was read."""

    pack: str
    """Name of the pack."""
    digest: str
    """Digest over files and manifest."""
    manifest: Manifest
    """What is attested."""
    files: tuple[Source, ...]
    """Evidence, sorted by name."""
    refusals: tuple[Refusal, ...] = ()
    """Files that were not taken."""
    unlisted: tuple[str, ...] = ()
    """Files that the manifest does not list."""


def keep_contract(data: bytes) -> Keepsake:
    """The contract's exact bytes, kept once for all runs under it."""
    return Keepsake(CONTRACT, data, "application/yaml", public=True)


def keep_sources(log: Log, case: str, pack: str, manifest: Manifest, evidence: Evidence) -> Keepsake:
    """The files of a run. Those that an earlier run of the case kept, and that were not erased, are named and not kept twice.

    Args:
        log: the log.
        case: case id.
        pack: name of the pack.
        manifest: what is attested.
        evidence: the files.

    Raises:
        JournalError: when the log cannot be read.
    """
    there = _kept_before(log, case, {file.sha256 for file in evidence.files})
    blobs: list[Blob] = []
    sources = []
    for file in evidence.files:
        commit = there.get(file.sha256, "")
        if not commit:
            blobs.append(log.make_blob(file.data, _BYTES))
            commit = there[file.sha256] = blobs[-1].commit
        sources.append(Source(name=file.name, sha256=file.sha256, commit=commit, bytes=len(file.data)))
    kept = Sources(
        pack=pack, digest=evidence.digest, manifest=manifest, files=tuple(sources), refusals=evidence.refusals,
        unlisted=evidence.unlisted,
    )  # fmt: skip
    return Keepsake(SOURCES, canonical_bytes(kept), beside=tuple(blobs))


def _kept_before(log: Log, case: str, wanted: set[str]) -> dict[str, str]:
    """Hashes of files to their names in the log, from earlier runs of the case; looks no further than it must."""
    found: dict[str, str] = {}
    with ours("read"):
        for record in log.records(case):
            if wanted <= set(found):
                break
            commit = next((item.commit for item in record.input if item.name == SOURCES), "") if record.note == BEGUN else ""
            if not commit:
                continue
            try:
                listed = Sources.model_validate_json(log.get_blob(commit)).files
            except (BlobError, ValidationError):
                continue
            found.update({one.sha256: one.commit for one in listed if one.sha256 not in found and _whole(log, one)})
    return found


def _whole(log: Log, source: Source) -> bool:
    try:
        return hashlib.sha256(log.get_blob(source.commit)).hexdigest() == source.sha256
    except BlobError:
        return False


def read_sources(log: Log, commit: str) -> tuple[Sources, Sequence[File]]:
    """The files of a run, from the log.

    Raises:
        JournalError: when one was erased, or is not what the list says.
    """
    with ours("read"):
        try:
            listed = Sources.model_validate_json(log.get_blob(commit))
        except ValidationError:
            raise JournalError("The list of the run's files is none of this version.", "Verify the log.") from None
        files = tuple(File(one.name, log.get_blob(one.commit), one.sha256) for one in listed.files)
    for file in files:
        if hashlib.sha256(file.data).hexdigest() != file.sha256:
            raise JournalError("A file that the run kept is not the one that its list names.", "Verify the log.")
    return listed, files
