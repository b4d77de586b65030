"""Options of the extractor ``fields``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["FieldsOptions"]


class FieldsOptions(BaseModel):
    """Options of the extractor."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    with_rules: bool = False
    """Whether what the rules reader read is handed on as well: for a contract that does not name ``clauses`` beside it."""
    characters: int = Field(default=600, ge=80, le=20_000)
    """Most characters of a sentence that are shown; of a longer one those around its level."""
    most_sentences: int = Field(default=200, ge=1, le=10_000)
    """Most sentences that are shown in a run. Where there are more, the run is for review: the policy has not seen them."""
    max_tokens: int = Field(default=128, ge=16, le=4_096)
    """Most tokens of an answer."""
    seed: int = Field(default=0, ge=0)
    """Seed of generation, which is greedy."""
