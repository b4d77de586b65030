"""Options of the scorers and their trainers, apart from what they do, so that listing plugins imports little."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["LearnedOptions", "TokenOptions", "TrainerOptions"]


class TokenOptions(BaseModel):
    """Options of the scorer ``tokens``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    way: Literal["sum", "mean", "terminal", "penalised"] = "mean"
    """Sum over all tokens, their mean, the sum over the final field alone, or the sum with a length penalty."""
    alpha: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.6
    """Strength of the length penalty; 0 is the plain sum. Read only by ``penalised``."""


class LearnedOptions(BaseModel):
    """Options of the scorers ``outcome`` and ``process``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    weights: Annotated[str, Field(min_length=1)]
    """The file of weights."""
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of its bytes; another file is refused."""


class TrainerOptions(BaseModel):
    """Options of the trainers ``outcome-scorer`` and ``process-scorer``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    epochs: Annotated[int, Field(ge=1, le=1000, strict=True)] = 8
    """Times that every example is seen."""
    batch: Annotated[int, Field(ge=1, le=65_536, strict=True)] = 128
    """Examples an update."""
    rate: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.01
    """Learning rate of Adam."""
