"""Sizes of the policy's network."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["ModelSize"]

Size = Annotated[int, Field(ge=1, strict=True)]


class ModelSize(BaseModel):
    """Sizes. Those written here give 885,000 parameters with 768 tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    layers: Size = 4
    """Layers."""
    hidden: Size = 128
    """Width of the hidden state."""
    heads: Size = 4
    """Query heads."""
    kv_heads: Size = 2
    """Key and value heads."""
    head_dim: Size = 32
    """Width of a head."""
    intermediate: Size = 384
    """Width inside the feed-forward part."""
    context: Size = 768
    """Most tokens of prompt and answer together."""
