"""Options of the local backend, and of one call of it, apart from what they do: listing plugins then imports no torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from conformed.errors import GivenValueError

__all__ = ["MOST_NEW_TOKENS", "CallOptions", "TransformersOptions", "call_options"]

MOST_NEW_TOKENS = 512
"""New tokens of a completion where a call names no number."""

_DECIMAL = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,12})?")

Switch = Literal["on", "off"]


class TransformersOptions(BaseModel):
    """Options of the backend ``transformers``."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    folder: Path
    """The model's folder in the mirror, with its manifest."""
    manifest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the manifest; another is refused before anything is loaded."""
    dtype: Literal["float32", "bfloat16", "float16"]
    """In which numbers it computes: bfloat16 on an accelerator, float32 on a CPU."""
    device: Annotated[str, Field(pattern="^(?:cpu|mps|cuda(?::[0-9]{1,2})?)$")]
    """Where it computes."""
    threads: Annotated[int, Field(ge=1, le=1024, strict=True)] | None = None
    """Threads of a generation on the CPU; None leaves the process's."""
    thinking: Switch = "off"
    """Whether the model thinks aloud where a call does not say; refused where its template has no such mode."""
    system: Annotated[str, Field(max_length=20_000)] | None = None
    """Message that stands before every prompt; None leaves it to the template."""
    context: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Most tokens of prompt and completion together; None takes the model's own."""


class CallOptions(BaseModel):
    """Options of one call of a backend, as a contract or a step names them."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, strict=True)

    temperature: str | None = None
    """A decimal above 0, as text; None is greedy."""
    top_p: str | None = None
    """A decimal above 0 and at most 1, as text; None keeps everything."""
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] = MOST_NEW_TOKENS
    """Most new tokens."""
    stop: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], Field(max_length=16)] = ()
    """Words at which a completion ends; they are not part of it."""
    schema_text: str | None = Field(default=None, alias="schema", min_length=2, max_length=100_000)
    """A JSON Schema, as text, to which the completion is held."""
    thinking: Switch | None = None
    """Whether the model thinks aloud; None takes the backend's own."""

    @field_validator("temperature", "top_p")
    @classmethod
    def _decimal(cls, text: str | None) -> str | None:
        if text is not None and (not _DECIMAL.fullmatch(text) or float(text) == 0):
            raise ValueError("a decimal above 0, as text, such as '0.7'")
        return text

    @field_validator("top_p")
    @classmethod
    def _a_share(cls, text: str | None) -> str | None:
        if text is not None and float(text) > 1:
            raise ValueError("at most 1")
        return text

    @field_validator("stop", mode="before")
    @classmethod
    def _a_list(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @property
    def tempered(self) -> float | None:
        """The temperature as a number; None where greedy."""
        return None if self.temperature is None else float(self.temperature)

    @property
    def kept(self) -> float:
        """The mass that is kept."""
        return 1.0 if self.top_p is None else float(self.top_p)


def call_options(given: Mapping[str, Any]) -> CallOptions:
    """Options of a call, as they were given.

    Raises:
        GivenValueError: for an unknown option and for a value that one cannot have; it names the option, never its value.
    """
    try:
        return CallOptions.model_validate(dict(given))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(sorted(field.alias or name for name, field in CallOptions.model_fields.items()))
        raise GivenValueError(f"the option {where!r} is refused: {first['msg']}.", f"Options of a call: {known}.") from problem
