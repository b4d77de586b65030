"""Options of the model extractor."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["ModelOptions"]


class ModelOptions(BaseModel):
    """Options of the extractor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    with_rules: bool = False
    """Whether what the rules reader read is handed on as well: for a contract that does not name ``clauses`` beside it."""
    characters: int = Field(default=6_000, ge=500, le=200_000)
    """Most characters of a passage that are shown at a time."""
    most_pieces: int = Field(default=200, ge=1, le=10_000)
    """Most pieces that are shown in a run. Where there are more, the run is for review: the model has not seen them."""
    max_tokens: int = Field(default=1_024, ge=16, le=65_536)
    """Most tokens of an answer."""
    seed: int = Field(default=0, ge=0)
    """Seed of generation, which is greedy."""
    constrained: bool = True
    """Whether the backend is to hold the answer to the schema while it generates."""
    thinking: Literal["on", "off"] | None = None
    """Whether the model is to think first, for models that can be told."""
