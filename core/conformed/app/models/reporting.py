"""What is answered about models, as records."""

from __future__ import annotations

from conformed.mirror.manifest import Manifest
from conformed.model.base import Frozen

__all__ = ["Added", "Inspected", "ListedModel", "PinnedModel", "Verified"]


class ListedModel(Frozen):
    """One model of the list."""

    model: str
    """Its name."""
    source: str
    """Where it comes from."""
    licence: str
    """Its licence."""
    manifest_sha256: str
    """SHA-256 of the manifest that lies in the mirror; empty where none does."""
    bytes: int
    """Size of its pinned files; 0 where none are."""
    note: str
    """What keeps it from being used; empty where nothing does."""


class PinnedModel(Frozen):
    """A model that was pinned."""

    folder: str
    """Where it lies."""
    manifest_sha256: str
    """What a contract, and the card, name."""
    manifest: Manifest
    """What was written."""


class Added(PinnedModel):
    """A model that was brought into the mirror."""

    first_token: int | None
    """The first token that it said when it was loaded; None where it was not."""


class Verified(Frozen):
    """What was found of one model."""

    model: str
    """Its name."""
    folder: str
    """Where it lies."""
    manifest_sha256: str
    """SHA-256 of its manifest."""
    files: int
    """Files that are pinned."""
    bytes: int
    """Their size."""
    approved: bool
    """Whether its card approves this very manifest."""
    troubles: tuple[str, ...]
    """Everything that is not as pinned or approved, a sentence each."""


class Inspected(Frozen):
    """A prompt as a model reads it."""

    model: str
    """The model."""
    manifest_sha256: str
    """SHA-256 of its manifest."""
    template_sha256: str
    """SHA-256 of its template."""
    thinking: bool
    """The mode."""
    tokens: int
    """Tokens of the prompt, template included."""
    first: tuple[int, ...]
    """Its first 12 token ids."""
    last: tuple[int, ...]
    """Its last 12 token ids."""
    text: str
    """The rendered text."""
