"""Options of the model drafter."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["DraftOptions"]


class DraftOptions(BaseModel):
    """Options of the drafter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    samples: int = Field(default=1, ge=1, le=16)
    """How many drafts are asked for in a round; the shortest that passes the checks is used."""
    temperature: str | None = Field(default=None, pattern=r"^[0-9]{1,2}(\.[0-9]{1,6})?$")
    """Temperature as a decimal in quotation marks; None takes the most likely words, of which there is one draft."""
    max_tokens: int = Field(default=256, ge=16, le=65_536)
    """Most tokens of a sentence."""
    seed: int = Field(default=0, ge=0)
    """Seed of generation."""
    constrained: bool = True
    """Whether the backend is to hold the answer to the schema while it generates."""
    thinking: Literal["on", "off"] | None = None
    """Whether the model is to think first, for models that can be told."""

    @model_validator(mode="after")
    def _differing(self) -> DraftOptions:
        if self.samples > 1 and self.temperature is None:
            raise ValueError("without a temperature all samples are the same draft: give one, or ask for one sample")
        return self
