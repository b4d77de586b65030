"""Options of the verifiers of structured answers, apart from what they do, so that listing plugins imports little."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CalculationOptions", "ClaimSupportOptions", "NumericOptions", "ProvenanceOptions", "SchemaOptions", "SymbolicOptions"]


class CalculationOptions(BaseModel):
    """Options of the verifier ``calculation``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    steps: Annotated[int, Field(ge=1, le=1000, strict=True)] = 200
    """Most steps of a trace."""
    expression: Annotated[int, Field(ge=1, le=10_000, strict=True)] = 1000
    """Longest expression in characters."""
    bits: Annotated[int, Field(ge=64, le=65_536, strict=True)] = 4096
    """Longest numerator or denominator in bits."""


class ClaimSupportOptions(BaseModel):
    """Options of the verifier ``claim_support``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    sentences: Annotated[int, Field(ge=1, le=1000, strict=True)] = 100
    """Most sentences of a candidate."""
    characters: Annotated[int, Field(ge=1, le=100_000, strict=True)] = 2000
    """Longest sentence in characters."""


class NumericOptions(BaseModel):
    """Options of the verifier ``numeric``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    form: Literal["number", "ratio", "money", "percentage", "date"] = "number"
    """What answer and reference are. In all but ``number`` two answers are equal where their normal forms are the same text."""


class ProvenanceOptions(BaseModel):
    """Options of the verifier ``provenance``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    characters: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 65_536
    """Longest candidate that is looked at, in characters."""


class SchemaOptions(BaseModel):
    """Options of the verifier ``schema``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    characters: Annotated[int, Field(ge=1, le=1_000_000, strict=True)] = 65_536
    """Longest candidate that is looked at, in characters."""
    values: Annotated[int, Field(ge=1, le=20_000, strict=True)] = 2_000
    """Most JSON values in it."""


class SymbolicOptions(BaseModel):
    """Options of the verifier ``symbolic``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    milliseconds: Annotated[int, Field(ge=50, le=60_000, strict=True)] = 5_000
    """Most wall time of one check, the start of the worker left out."""
    megabytes: Annotated[int, Field(ge=256, le=8_192, strict=True)] = 768
    """Most address space of the worker."""
