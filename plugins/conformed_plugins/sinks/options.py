"""Options of the sinks, apart from what they do, so that listing plugins imports no network library."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = ["FileOptions", "LineOptions", "WitnessOptions"]


class FileOptions(BaseModel):
    """Options of the sink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path
    """Where checkpoints go: outside the workspace, best on another host or under another account."""
    name: str = "file"
    """Name of this sink, unique in a workspace."""
    outside: bool = True
    """Whether the owner of the log's database cannot rewrite the folder."""


class LineOptions(BaseModel):
    """Options of the sink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    descriptor: int = Field(default=2, ge=1, le=1023)
    """File descriptor that is written to: 2 is standard error; another one that the caller opened."""
    name: str = "line"
    """Name of this sink, unique in a workspace."""
    outside: bool = False
    """Whether somebody keeps the lines where the owner of the log's database cannot rewrite them."""


class WitnessOptions(BaseModel):
    """Options of the sink."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    """Where the witness is, such as ``http://127.0.0.1:8101``; ``add-checkpoint`` is put behind it."""
    key: str
    """The witness's key as it prints it: ``name+hash+base64``."""
    name: str = "witness"
    """Name of this sink, unique in a workspace."""
    timeout_s: float = Field(default=10.0, gt=0, le=120)
    """How long to wait for an answer, in seconds."""

    @field_validator("url")
    @classmethod
    def _address(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or parts.query:
            raise ValueError("give http:// or https://, a host, a port and no more than a path")
        return url
