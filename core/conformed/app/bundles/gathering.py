"""What goes into an evidence bundle besides the log's part, and how content is taken from the log with its commitment."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformed.engine.log import ours
from conformed_audit import AuditLog
from conformed_audit.blobs import Opened
from conformed_audit.errors import ErasedError

__all__ = ["Contents", "keep", "opened"]


@dataclass(slots=True)
class Contents:
    """What is to be in a bundle besides the log's part."""

    case: str
    """The case."""
    run: str
    """The run."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Names in the bundle with their bytes."""
    erased: list[str] = field(default_factory=list)
    """What was erased, by name."""
    commitments: list[str] = field(default_factory=list)
    """Lines: commitment, salt, file."""
    papers: dict[str, str] = field(default_factory=dict)
    """Names in the bundle to the documents' own names, escaped."""


def opened(log: AuditLog, commit: str) -> Opened | None:
    """Content from the log; None where it was erased.

    Raises:
        JournalError: when it is absent or damaged.
    """
    with ours("read"):
        try:
            return log.open_blob(commit)
        except ErasedError:
            return None


def keep(log: AuditLog, found: Contents, name: str, commit: str) -> bytes | None:
    """Takes some content into the bundle with the salt of its commitment. Nothing where the run has no such content.

    Raises:
        JournalError: when it is absent or damaged.
    """
    if not commit:
        return None
    content = opened(log, commit)
    if content is None:
        found.erased.append(name)
        return None
    found.files[name] = content.data
    found.commitments.append(f"{commit} {content.salt.hex() if content.salt is not None else '-'} {name}\n")
    return content.data
