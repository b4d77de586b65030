"""The ground of every model: frozen, closed, exact."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, WithJsonSchema

from conformed.errors import InexactError

__all__ = ["Exact", "Frozen", "Missing", "exact"]

_PLAIN = re.compile(r"[-+]?[0-9]{1,4000}(?:/[0-9]{1,4000}|\.[0-9]{1,4000})?")
"""No exponents, of which a few characters can mean a number that fills the memory; no underscores, blanks or other digits."""


def exact(value: Any) -> Fraction:
    """Makes an exact rational of an int, a Fraction, or a string such as ``7/2`` or ``3.50``.

    Raises:
        InexactError: for floats, booleans, NaN and anything that is not a plain number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, int | str) or (isinstance(value, str) and not _PLAIN.fullmatch(value)):
        shown = f"{value[:40]!r}..." if isinstance(value, str) and len(value) > 40 else repr(value)
        raise InexactError(f"{shown} is not an exact number.", "Give an integer or a string such as '7/2' or '3.50'.")
    try:
        return Fraction(value)
    except ZeroDivisionError as problem:
        raise InexactError(f"{value!r} is not an exact number.", "Give an integer or a string such as '7/2'.") from problem


def _validate(value: Any) -> Fraction:
    try:
        return exact(value)
    except InexactError as problem:
        raise ValueError(str(problem)) from problem


def _text(value: Any) -> str:
    """Writes an exact number. Anything else is refused, so that ``Exact | Missing`` writes what is missing as the record it is."""
    if not isinstance(value, Fraction | int):
        raise InexactError(f"A {type(value).__name__} is not an exact number.", "Give an integer or a fraction.")
    return str(value)


Exact = Annotated[
    Fraction,
    BeforeValidator(_validate),
    PlainSerializer(_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+(/[1-9][0-9]*)?$"}),
]
"""An exact rational. In JSON a string: ``"7/2"`` or ``"4"``."""


class Frozen(BaseModel):
    """A record that never changes and admits no unknown field."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, arbitrary_types_allowed=True, validate_default=True
    )


class Missing(Frozen):
    """A value that is not there, and why. Used in place of ``None`` wherever absence means something."""

    reason: str
    """Plain words: what was looked for and where."""
    code: str = "review_input_missing"
    """The reason code that the absence leads to."""
