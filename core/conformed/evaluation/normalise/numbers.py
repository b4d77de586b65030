"""Integers, decimals and fractions. Decimal text stays text: no arithmetic touches its digits, so none can be lost."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.evaluation.normalise.characters import LONGEST, plain

__all__ = ["NUMBER", "UNSUPPORTED", "decimal_text", "normalise_number"]

NUMBER = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+"
"""An unsigned number: right thousands groups or none, a point before decimals."""
UNSUPPORTED = "unsupported_numeric_form"
"""Code of everything that is not a number as this grammar writes numbers."""

_NUMBER = re.compile(r"([+-]?)(?:([1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]*)?|(\.[0-9]+))|([+-]?[0-9]+)\s*/\s*([+-]?[0-9]+)")


def normalise_number(text: str) -> tuple[str | None, str]:
    """The normal form of a number.

    ``1,234`` is 1234; ``1,2``, ``0,123`` and ``1e5`` are refused. ``0.50`` becomes ``0.5`` and ``2/4`` becomes ``1/2``:
    different texts with one value. Characters beyond ASCII follow the rule of ``characters``.

    Args:
        text: an answer.

    Returns:
        The normal form and ``integer``, ``decimal`` or ``fraction``; or None and ``unsupported_numeric_form``,
        ``zero_denominator`` or ``number_too_long``.

    Raises:
        TypeError: when the answer is no text.
    """
    ready = plain(text)
    if ready is None:
        return None, "number_too_long" if len(text) > LONGEST else UNSUPPORTED
    found = _NUMBER.fullmatch(ready)
    if found is None:
        return None, UNSUPPORTED
    sign, whole, decimals, bare, above, below = found.groups()
    if above is not None:
        bottom = int(below)
        return (str(Fraction(int(above), bottom)), "fraction") if bottom else (None, "zero_denominator")
    kind = "integer" if decimals is None and bare is None else "decimal"
    return decimal_text(sign, whole or "", (decimals or bare or ".")[1:]), kind


def decimal_text(sign: str, whole: str, decimals: str) -> str:
    """The one way to write a decimal number: no groups, no zeros that say nothing, no plus, no minus before zero.

    Args:
        sign: ``+``, ``-`` or nothing.
        whole: digits before the point, perhaps with commas.
        decimals: digits after it.
    """
    whole, decimals = whole.replace(",", "").lstrip("0"), decimals.rstrip("0")
    if not whole and not decimals:
        return "0"
    return f"{'-' if sign == '-' else ''}{whole or '0'}{'.' if decimals else ''}{decimals}"
