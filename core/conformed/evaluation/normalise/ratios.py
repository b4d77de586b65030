"""Ratios as answers write them: ``3.50:1.00``, ``3.50x``, ``3.5 to 1``, ``7:2``."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.evaluation.normalise.characters import LONGEST, plain
from conformed.evaluation.normalise.exact_text import written
from conformed.evaluation.normalise.numbers import NUMBER

__all__ = ["normalise_ratio"]

_RATIO = re.compile(rf"([+-]?)({NUMBER})\s*(?:(?::|\bto\b)\s*({NUMBER})|(?:[xX]|times))", re.IGNORECASE)
_CLOCK = re.compile(r"\d{1,2}:\d{2}", re.ASCII)
_MOST_DIGITS = 80  # of each side, so that the text of a quotient stays under 640 digits, Python's least limit


def normalise_ratio(text: str) -> tuple[str | None, str]:
    """The quotient of a ratio, to one: ``3.5x`` for ``3.50:1.00``, ``3.50x``, ``3.5 to 1`` and ``7:2``; ``10/3x`` for ``10:3``.

    Args:
        text: an answer.

    Returns:
        The normal form and ``ratio``; or None and ``unsupported_ratio_form``, ``zero_denominator``, ``number_too_long``, or
        ``ambiguous_ratio`` for ``12:30``, which may be a time of day.

    Raises:
        TypeError: when the answer is no text.
    """
    ready = plain(text)
    if ready is None:
        return None, "number_too_long" if len(text) > LONGEST else "unsupported_ratio_form"
    found = _RATIO.fullmatch(ready)
    if found is None:
        return None, "unsupported_ratio_form"
    sign, first, second = found.groups()
    if len(first) > _MOST_DIGITS or len(second or "") > _MOST_DIGITS:
        return None, "number_too_long"
    if _CLOCK.fullmatch(ready):
        return None, "ambiguous_ratio"
    above, below = Fraction(first.replace(",", "")), Fraction((second or "1").replace(",", ""))
    if below == 0:
        return None, "zero_denominator"
    return f"{written(-above / below if sign == '-' else above / below)}x", "ratio"
