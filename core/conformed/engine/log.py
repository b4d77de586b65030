"""The log as the engine sees it: the face that it asks for, whose run it is, and which runs are not at their end."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from conformed.engine.history import BEGUN, History, fold
from conformed.errors import JournalError
from conformed_audit import AlreadyRecordedError, AuditError, Blob, Record, RecordDraft
from conformed_audit.errors import MovedOnError

__all__ = ["Identity", "Log", "case_of", "find_unfinished", "ours"]


class Log(Protocol):
    """What the journal asks of the log: conformed_audit.AuditLog, or one like it."""

    def append(self, drafts: Sequence[RecordDraft], *, blobs: Sequence[Blob] = ()) -> tuple[Record, ...]:
        """Adds records and blobs in one transaction, or nothing."""
        ...

    def records(self, case: str | None = None, run: str | None = None) -> Iterator[Record]:
        """Records of a case or a run, or of the whole log, in order."""
        ...

    def make_blob(self, data: bytes, media: str, *, public: bool = False) -> Blob:
        """Commits to some content without storing it."""
        ...

    def get_blob(self, commit: str) -> bytes:
        """The content of a blob."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Who runs what. The same for every process that takes up a run, or the run is refused."""

    case: str
    """Case id: stable for a pack and its digest."""
    run: str
    """Run id."""
    engine: str
    """Version of the engine."""
    contract: str
    """Digest of the contract's exact bytes, the same as the workflow's."""
    plugins: str
    """Digest of the resolved list of plugins."""
    actor: str = "engine"
    """Pseudonym of who runs it."""
    actor_kind: str = "engine"
    """engine, person or service."""

    @property
    def pins(self) -> dict[str, str]:
        """What must not change between the processes of one run."""
        return {"engine": self.engine, "contract": self.contract, "plugins": self.plugins}


def case_of(pack: str, digest: str) -> str:
    """The case id of a pack: the same for the same files under the same name, readable, and safe to print anywhere.

    Args:
        pack: name of the pack.
        digest: SHA-256 of the pack, hex.
    """
    plain = unicodedata.normalize("NFKD", pack).encode("ascii", "ignore").decode().lower()
    shown = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "pack"
    full = hashlib.sha256(f"{pack}\n{digest}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{shown}-{full[:16]}"


def find_unfinished(log: Log, *, case: str | None = None, run: str | None = None) -> tuple[History, ...]:
    """Runs that were begun and have no end, in the order in which they began.

    Args:
        log: the log.
        case: look only in this case.
        run: look only for this run.

    Raises:
        JournalError: when the log cannot be read.
        ReplayError: when a run's records do not follow from each other.
    """
    with ours("read"):
        records = list(log.records(case, run))
    runs: dict[str, list[Record]] = {}
    for record in records:
        if record.run and (record.run in runs or record.note == BEGUN):
            runs.setdefault(record.run, []).append(record)
    return tuple(history for history in (fold(kept, name) for name, kept in runs.items()) if not history.finished)


@contextmanager
def ours(done: str) -> Iterator[None]:
    """Turns the log's errors, and the system's, into ours."""
    try:
        yield
    except (AlreadyRecordedError, MovedOnError):
        raise  # not a fault of the log: a key that is taken, or a newer record, tells something, and whoever asked knows what
    except AuditError as problem:
        raise JournalError(f"The log could not be {done}: {problem.found}", problem.mend) from problem
    except OSError as problem:
        raise JournalError(
            f"The log could not be {done}: {problem.strerror or type(problem).__name__}.", "Mend that and resume the run."
        ) from problem
