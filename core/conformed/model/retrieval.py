"""Retrieval: the authorised documents, the passages that matter, and whether anything that should be there was not seen."""

from __future__ import annotations

from enum import StrEnum

from conformed.model.base import Frozen
from conformed.model.covenant import Doubt

__all__ = ["Passage", "PassageKind", "Retrieved"]


class PassageKind(StrEnum):
    """Why a passage was taken."""

    COVENANT = "covenant"
    DEFINITION = "definition"
    INSTRUCTION = "instruction"
    SCHEDULE = "schedule"
    CERTIFICATE = "certificate"
    SEARCH = "search"


class Passage(Frozen):
    """A stretch of a document that may matter."""

    document: str
    """Document."""
    start: int
    """First code point of the canonical text."""
    end: int
    """One past the last code point."""
    kind: PassageKind
    """Why it was taken."""
    subject: str = ""
    """Section number, defined term, or the words searched for."""
    rank: int = 0
    """0 for index hits; place in the list for a search."""


class Retrieved(Frozen):
    """What retrieval gives."""

    authorised: tuple[str, ...]
    """Names of the documents that may be looked at: fixed before anything else, never widened."""
    passages: tuple[Passage, ...] = ()
    """Passages, sorted by document and place."""
    terms_missing: tuple[str, ...] = ()
    """Defined terms that the covenant uses and that no document of the pack defines."""
    coverage: tuple[Doubt, ...] = ()
    """What should have been seen and was not (review_* or finding_*); empty when coverage is complete."""
