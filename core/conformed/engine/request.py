"""What a covenant run is asked: recorded when it begins, so that a resumed run asks the same."""

from __future__ import annotations

from conformed.model.base import Frozen
from conformed.model.override import Override
from conformed.model.pack import Question

__all__ = ["RunRequest"]


class RunRequest(Frozen):
    """The question, the pack by digest, and the contract by digest."""

    pack: str
    """Name of the pack."""
    pack_path: str = ""
    """Where it was read from, as the person typed it; for a resumed run."""
    pack_digest: str
    """Digest of its files and manifest."""
    borrower: str | None = None
    """Name of the borrower, where the manifest gives one."""
    question: Question
    """What is asked."""
    contract: str
    """Name and version of the task contract."""
    contract_digest: str
    """SHA-256 of the exact bytes of the contract."""
    earlier: str = ""
    """The run that this one does again with overrides; empty for a run of a pack."""
    overrides: tuple[Override, ...] = ()
    """Facts that a person adds, those of the runs before it too."""
