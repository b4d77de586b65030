"""Percentages and basis points. Percentage points are differences, and stay for a person."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.evaluation.normalise.characters import LONGEST, plain
from conformed.evaluation.normalise.exact_text import written
from conformed.evaluation.normalise.numbers import NUMBER

__all__ = ["normalise_percentage"]

_PERCENT = re.compile(
    rf"([+-]?)(?:({NUMBER})|([0-9]+)\s*/\s*([0-9]+))\s*(?:(%|percent|per\s+cent\.?)|bps?|basis\s+points?)", re.IGNORECASE
)
_MOST_DIGITS = 80  # of each part, so that no text grows past 640 digits, Python's least limit


def normalise_percentage(text: str) -> tuple[str | None, str]:
    """A percentage in its shortest decimal, or a reduced fraction where it has no end: ``2.5%``, ``100/3%``.

    ``2.50 per cent``, ``250 bps`` and ``5/2%`` are one value. A bare number is no percentage: 0.05 and 5% stay apart.

    Args:
        text: an answer.

    Returns:
        The normal form and ``percentage``; or None and ``unsupported_percentage_form``, ``zero_denominator`` or
        ``number_too_long``.

    Raises:
        TypeError: when the answer is no text.
    """
    ready = plain(text)
    if ready is None:
        return None, "number_too_long" if len(text) > LONGEST else "unsupported_percentage_form"
    found = _PERCENT.fullmatch(ready)
    if found is None:
        return None, "unsupported_percentage_form"
    sign, number, above, below, percent = found.groups()
    if max(len(part or "") for part in (number, above, below)) > _MOST_DIGITS:
        return None, "number_too_long"
    if below is not None and int(below) == 0:
        return None, "zero_denominator"
    value = Fraction(number.replace(",", "")) if number else Fraction(int(above), int(below))
    value = value if percent else value / 100
    return f"{written(-value if sign == '-' else value)}%", "percentage"
